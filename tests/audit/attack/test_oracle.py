"""The oracle: what it says of programs whose verdict is plain, and that it says nothing near a limit."""

from __future__ import annotations

from typing import Any

import pytest

from audit.attack_programs import COVER, CUT, REST, SOLVE, THING, make
from vmevalkit.audit.attack.oracle import label_program
from vmevalkit.audit.attack.symbolic import run_program


@pytest.mark.parametrize("task", ["sokoban", "hanoi", "n_queens", "colouring", "clock", "mirrors", "maze", "sudoku"])
@pytest.mark.parametrize(
    ("operations", "verdict"),
    [
        ((REST, SOLVE, REST), "pass"),
        ((REST, REST, REST), "fail"),
        ((REST, SOLVE, REST, COVER), "fail"),
        ((REST, SOLVE, REST, {"op": "cut", "at": 0.45, "s": 1.6, "to": "noise"}, {"op": "fps", "fps": 12},
          {"op": "codec", "codec": "libx264", "crf": 20}), None),
        ((REST, SOLVE, REST, {"op": "light", "gain": 0.92, "offset": 0.0, "at": 0.3, "s": 1.0},
          {"op": "vignette", "strength": 0.1, "at": 0.2}), "pass"),
        ((REST, SOLVE, REST, {"op": "light", "gain": 0.62, "offset": 0.0, "at": 0.3, "s": 1.0}), "close"),
    ],
)  # fmt: skip
def test_a_plain_program_has_its_label(task: str, operations: tuple[dict[str, Any], ...], verdict: str | None) -> None:
    label = label_program(make(task, *operations))
    if verdict is not None:
        assert label.verdict == verdict, label.reason


def test_moves_that_are_not_seen_are_no_moves() -> None:
    hidden = label_program(make("maze", REST, SOLVE, REST, {"op": "cut", "at": 0.35, "s": 1.6, "to": "black"}))
    assert hidden.verdict == "fail"
    assert "unseen" in hidden.reason
    # Where only the final state matters, the same cut hides nothing that matters.
    assert (
        label_program(make("n_queens", REST, REST, SOLVE, REST, REST, {**CUT, "at": 0.3, "s": 0.4})).verdict == "pass"
    )


def test_a_jump_is_a_fail_where_the_way_counts() -> None:
    jump = (REST, {"op": "jump", "share": 1.0}, REST, REST)
    assert label_program(make("maze", *jump)).verdict == "fail"
    assert label_program(make("sudoku", *jump)).verdict == "pass"


def test_a_thing_at_the_end_fails_and_one_that_is_gone_does_not() -> None:
    assert label_program(make("sokoban", REST, SOLVE, REST, REST, THING)).verdict == "fail"
    assert label_program(make("sokoban", REST, SOLVE, REST, REST, {**THING, "at": 0.1, "s": 0.5})).verdict == "pass"


def test_contrast_belongs_to_the_label() -> None:
    """A cover in the colour of the ground erases: what it hides is gone."""
    run = run_program(make("sokoban", REST, SOLVE, REST, {**COVER, "colour": "ground"}))
    assert run.moments[-1].layers[0].contrast < 8
    assert label_program(make("sokoban", REST, SOLVE, REST, {**COVER, "colour": "ground"})).verdict == "fail"


def test_an_answer_in_every_other_frame_is_none() -> None:
    flicker = {"op": "flicker", "s": 1.0}
    assert label_program(make("colouring", REST, SOLVE, flicker)).verdict != "pass"
    assert label_program(make("colouring", REST, flicker, SOLVE, REST)).verdict == "pass"


def test_what_flips_under_jitter_has_no_label() -> None:
    """Between what surely is too short and what surely is long enough there are holds without a label."""
    verdicts = [label_program(make("n_queens", REST, SOLVE, {"op": "rest", "s": s})).verdict for s in (0.1, 0.25, 1.2)]
    assert verdicts[-1] == "pass"
    assert "close" in verdicts


def test_a_run_is_the_same_each_time() -> None:
    program = make("mirrors", REST, SOLVE, REST, {"op": "shake", "amount": 0.004}, COVER)
    one, other = run_program(program), run_program(program)
    assert [moment.layers for moment in one.moments] == [moment.layers for moment in other.moments]
    assert all((a.view == b.view).all() for a, b in zip(one.moments, other.moments, strict=True))
