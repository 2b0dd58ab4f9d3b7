"""Programs as JSON: what is read is what was written, and errors name the place and the remedy."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from vmevalkit.audit.attack import Operation, Program, load_program, load_programs
from vmevalkit.audit.attack.operations import OPERATIONS
from vmevalkit.audit.attack.program import format_program
from vmevalkit.audit.attack.sampling import cross_programs, find_offers, make_random_program, mutate_program
from vmevalkit.core.errors import UnknownName, UsageError

TASKS = ("sokoban", "n_queens", "maze")


def test_a_program_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    for index in range(12):
        program = make_random_program(TASKS, 5, index)
        path.write_text(format_program(program))
        assert load_program(path) == program


def test_a_random_program_depends_on_seed_and_index_alone() -> None:
    assert make_random_program(TASKS, 5, 7) == make_random_program(TASKS, 5, 7)
    assert make_random_program(TASKS, 5, 7) != make_random_program(TASKS, 6, 7)


def test_changed_programs_are_programs(tmp_path: Path) -> None:
    rng, path = Random(1), tmp_path / "program.json"
    one, other = (make_random_program(["sokoban"], 5, index) for index in (0, 1))
    for _ in range(40):
        one = mutate_program(cross_programs(one, other, rng) if rng.random() < 0.3 else one, rng)
        path.write_text(format_program(one))
        assert load_program(path) == one
        assert all(OPERATIONS[each.name].needs <= find_offers(one) for each in one.operations)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"operations": [{"op": "solves", "share": 1.0}]}, "solve"),
        ({"operations": [{"op": "rest"}]}, "rest has no s; give a number from 0.1 to 2"),
        ({"operations": [{"op": "rest", "s": 20}]}, "s of rest is 20"),
        ({"operations": [{"op": "rest", "s": 1.0, "t": 1}]}, "rest has no parameter 't'"),
        ({"operations": [{"op": "skip", "step": 2.5}]}, "a whole number from 2 to 3"),
        ({"operations": "rest"}, "has no program"),
        ({"expected": "perhaps"}, "expected is pass or fail"),
        ({"task": "sokobna"}, "sokoban"),
        ({"difficulty": "esay"}, "easy"),
    ],
)
def test_a_wrong_program_says_what_is_wrong(tmp_path: Path, change: dict[str, object], message: str) -> None:
    record = {"task": "sokoban", "difficulty": "easy", "seed": 1, "index": 0, "operations": [{"op": "rest", "s": 1.0}]}
    path = tmp_path / "program.json"
    path.write_text(json.dumps(record | change))
    with pytest.raises((UsageError, UnknownName), match=message):
        load_program(path)


def test_a_file_that_is_missing_or_no_json_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        load_programs(tmp_path / "none.json")
    (tmp_path / "text.json").write_text("rest")
    with pytest.raises(UsageError, match="is not JSON"):
        load_programs(tmp_path / "text.json")


def test_a_program_says_what_it_does() -> None:
    program = Program("maze", "easy", 1, 2, (Operation("rest", {"s": 0.5}), Operation("skip", {"step": 2})))
    assert str(program) == "maze/easy/1/2: rest s=0.5; skip step=2"
