from __future__ import annotations

import pytest

from vmevalkit.cli.command import repeated
from vmevalkit.cli.main import VERBS, verbs

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
    assert repeated(given.split(), SEVERAL) == expected.split()


def test_a_verb_is_a_module() -> None:
    assert verbs() == list(VERBS)
