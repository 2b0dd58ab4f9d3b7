from __future__ import annotations

import pytest

from vmevalkit.cli.command import repeat_options, select_tasks, split_names
from vmevalkit.cli.main import COMMANDS, find_commands, main
from vmevalkit.core.errors import UnknownName

SEVERAL = {"--task", "--model", "--set"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("--task maze rotation --n 5", "--task maze --task rotation --n 5"),
        ("--task maze --task rotation", "--task maze --task rotation"),
        ("--n 5 --task a b c", "--n 5 --task a --task b --task c"),
        ("--task=a b", "--task=a --task b"),
        ("--set x=-1 y=[1,2] --task a", "--set x=-1 --set y=[1,2] --task a"),
        ("--task a --force --model b c", "--task a --force --model b --model c"),
        ("--seed 1 stray", "--seed 1 stray"),
        ("--task a -- b c", "--task a -- b c"),
        ("", ""),
    ],
)
def test_an_option_of_several_values_is_named_again(given: str, expected: str) -> None:
    assert repeat_options(given.split(), SEVERAL) == expected.split()


def test_a_command_is_a_module() -> None:
    assert find_commands() == list(COMMANDS)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("--task maze vmeval-1", "--task maze vmeval-1"),
        ("--task maze chess vmeval-1", "--task maze --task chess vmeval-1"),
        ("vmeval-1 --task maze chess", "vmeval-1 --task maze --task chess"),
        ("--task all vmeval-1 --seed 3", "--task all vmeval-1 --seed 3"),
        ("--task maze,chess vmeval-1", "--task maze,chess vmeval-1"),
        ("--task mazze vmeval-1", "--task mazze vmeval-1"),
    ],
)
def test_a_positional_argument_after_an_option_of_several_values_stays(given: str, expected: str) -> None:
    known = {"--task": lambda value: value in ("maze", "chess", "all", "maze,chess")}
    assert repeat_options(given.split(), SEVERAL, known) == expected.split()


def test_names_may_be_separated_by_commas_or_repeated() -> None:
    assert split_names(["maze,chess", "maze", " raven "]) == ["maze", "chess", "raven"]
    assert split_names(None) == []
    assert select_tasks(["maze", "chess,raven"]) == ["maze", "chess", "raven"]
    assert select_tasks(["maze", "all"]) is None and select_tasks(None) is None
    with pytest.raises(UnknownName, match="no task 'mazze'; did you mean 'maze'"):
        select_tasks(["mazze"])


@pytest.mark.parametrize("place", ["main.make_app", "command.Command.parse_args", "command.Command.invoke"])
def test_an_interrupt_is_one_line_wherever_it_arrives(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While the commands are imported, while options are read, and between these steps."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"vmevalkit.cli.{place}", interrupt)
    monkeypatch.setattr("sys.argv", ["vmevalkit", "tasks"])
    with pytest.raises((SystemExit, KeyboardInterrupt)) as ended:
        main()
    assert getattr(ended.value, "code", None) == 130
    assert capsys.readouterr().err == "interrupted: finished work is kept; the same command resumes\n"
