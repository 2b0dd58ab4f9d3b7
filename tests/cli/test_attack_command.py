"""``vmevalkit attack`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from audit.attack_programs import REST, SOLVE, make
from vmevalkit.audit.attack.program import to_record
from vmevalkit.cli.main import make_app


def attack(*args: object) -> tuple[int, str]:
    result = CliRunner().invoke(make_app(), ["attack", *map(str, args)])
    return result.exit_code, " ".join(result.output.split())


@pytest.mark.parametrize("args", [(), ("--random", "2", "--search", "2")])
def test_it_is_one_of_three(args: tuple[str, ...]) -> None:
    code, text = attack(*args)
    assert code == 2
    assert "an attack is one of --random N, --search N and --replay FILE; give one of them" in text


def test_random_programs_give_rates_by_task_and_track(tmp_path: Path) -> None:
    out, record = tmp_path / "rates.md", tmp_path / "rates.json"
    places = ("--out", out, "--json", record, "--finds", tmp_path / "finds")
    code, text = attack("--random", 4, "--task", "n_queens", "--workers", 1, "--seed", 3, *places)
    assert code == 0, text
    assert "| n_queens | 0 of " in text
    assert "| visibility |" in text
    rates = json.loads(record.read_text())
    assert rates["total"]["programs"] == 4
    assert rates["total"]["cheats"] + rates["total"]["honest"] + rates["total"]["dropped"] == 4
    assert "## By operation" in out.read_text()


def test_a_program_is_replayed_with_its_evidence(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    record = to_record(make("n_queens", REST, SOLVE, REST))
    path.write_text(json.dumps(record | {"expected": "pass"}))
    code, text = attack("--replay", path, "--workers", 1, "--finds", tmp_path / "finds")
    assert code == 0, text
    assert "deserves pass (an answer that was legally shown); got pass: Solved" in text
    (place,) = (tmp_path / "finds").iterdir()
    assert (place / "strip.png").is_file()
    path.write_text(json.dumps(record | {"expected": "fail"}))
    code, text = attack("--replay", path, "--workers", 1, "--finds", tmp_path / "finds")
    assert code == 1
    assert "but the file says fail" in text


def test_a_judge_is_told_what_it_costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    from emulators.chat_server import ChatEmulator

    monkeypatch.chdir(tmp_path)
    with ChatEmulator() as server:
        for name, value in server.settings().items():
            monkeypatch.setenv(name, value)
        line = ("--random", 6, "--task", "n_queens", "--scorer", "gpt-4o", "--per-minute", 100000, "--seed", 3)
        code, text = attack(*line, "--dry-run")
        assert code == 0, text
        assert "nothing was asked" in text
        assert server.answered == 0
        code, text = attack(*line, "--max-usd", 1)
        assert code == 1, text  # this judge always gives 3, which fails honest videos
        assert server.answered > 0
        assert "attacks on " in text
        assert "0 of " in text
