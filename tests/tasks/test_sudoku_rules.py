"""Accepted states, findings and metrics of hand-made traces, and the verdicts of trick videos."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.baselines.degradations import DEGRADATIONS
from vmevalkit.baselines.tricks import TRICKS, build_task_tricks
from vmevalkit.eval.pipeline import score_timed_frames
from vmevalkit.eval.verdict import judge
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks.sudoku_task import TASK, CellInk, Sudoku, SudokuParams, SudokuState
from vmevalkit.tasks.sudoku_task.cheats import replace_ink
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import BLANK, FAINT, UNCLEAR, make_printed_state
from vmevalkit.tasks.task import FrameReading

PUZZLE = Sudoku(3, (1, 2, 3, 2, 3, 1, 3, 1, 0), (1, 2, 3, 2, 3, 1, 3, 1, 2))
START, SOLVED = make_printed_state(PUZZLE.givens), make_printed_state(PUZZLE.solution)
FPS = 12


def make_trace(*parts: tuple[SudokuState | None, int]) -> list[FrameReading[SudokuState]]:
    """Return a trace of states, each for a number of frames."""
    states = [state for state, count in parts for _ in range(count)]
    return [FrameReading(place / FPS, state) for place, state in enumerate(states)]


def find_gating(*parts: tuple[SudokuState | None, int]) -> dict[str, bool]:
    return {finding.name: finding.gating for finding in TASK.check(PUZZLE, make_trace(*parts)).findings}


def test_the_value_of_a_cell() -> None:
    assert BLANK.value == CellInk((2,), 0.1).value == 0
    assert CellInk((2,)).value == CellInk((2,), 0.7, "hand").value == 2
    assert CellInk((2,), 0.4).value == FAINT
    assert CellInk((2, 3)).value == CellInk((0,)).value == UNCLEAR


def test_only_the_solution_is_accepted() -> None:
    assert TASK.accepted(PUZZLE, SOLVED)
    wrong = [CellInk((1,)), CellInk((2, 3)), CellInk((2, 2)), CellInk((2,), 0.4), CellInk((0,)), BLANK]
    assert not any(TASK.accepted(PUZZLE, replace_ink(SOLVED, 8, ink)) for ink in wrong)
    assert not any(TASK.accepted(PUZZLE, replace_ink(SOLVED, 0, ink)) for ink in [*wrong[1:], CellInk((3,))])
    assert TASK.accepted(PUZZLE, SudokuState(tuple(CellInk(ink.digits, 1.0, "serif") for ink in SOLVED.cells)))
    another = make_printed_state([2, 1, 3, 1, 3, 2, 3, 2, 1])  # a Latin square too, but not of these givens
    assert not TASK.accepted(PUZZLE, another)


def test_progress_is_the_share_of_right_blanks_less_damage() -> None:
    puzzle = TASK.sample(Random(1), SudokuParams(4, 4))
    one, two = puzzle.blanks[:2]
    given_cell = next(cell for cell, digit in enumerate(puzzle.givens) if digit)
    half = list(puzzle.givens)
    half[one], half[two] = puzzle.solution[one], puzzle.solution[two]
    assert TASK.progress(puzzle, make_printed_state(half)) == 0.5
    assert TASK.progress(puzzle, replace_ink(make_printed_state(half), given_cell, BLANK)) == pytest.approx(
        0.5 - 1 / 12
    )
    assert (
        TASK.progress(puzzle, replace_ink(make_printed_state(half), one, CellInk((puzzle.solution[one],), 0.4))) == 0.25
    )
    assert TASK.progress(puzzle, make_printed_state([0] * 16)) == 0.0


def test_lasting_damage_gates_and_restored_damage_does_not() -> None:
    damaged = replace_ink(SOLVED, 0, CellInk((3,)))
    assert find_gating((START, 5), (SOLVED, 10)) == {}
    assert find_gating((START, 5), (damaged, 10)) == {"given_changed": True}
    assert find_gating((START, 5), (replace_ink(START, 0, BLANK), 5), (SOLVED, 10)) == {"given_restored": False}
    assert find_gating((START, 5), (damaged, 1), (SOLVED, 10)) == {}  # a single reading does not count
    assert find_gating((START, 5), (None, 5), (SOLVED, 10)) == {}


def test_wrong_digits_and_unclear_marks_do_not_gate() -> None:
    assert find_gating((START, 5), (replace_ink(START, 8, CellInk((1,))), 5), (SOLVED, 8)) == {"wrong_digit": False}
    assert find_gating((START, 5), (replace_ink(START, 8, CellInk((2, 1))), 5), (SOLVED, 8)) == {"unclear_mark": False}
    assert find_gating((START, 5), (SOLVED, 5), (START, 8)) == {"answer_left": False}
    assert find_gating((START, 5), (replace_ink(START, 8, CellInk((1,), 0.4)), 5), (SOLVED, 8)) == {}


def test_metrics_count_the_cells_at_the_end() -> None:
    puzzle = TASK.sample(Random(1), SudokuParams(4, 5))
    a, b, c, d, _ = puzzle.blanks
    state = make_printed_state(puzzle.givens)
    state = replace_ink(state, a, CellInk((puzzle.solution[a],)))
    state = replace_ink(state, b, CellInk((puzzle.solution[b] % 4 + 1,)))
    state = replace_ink(state, c, CellInk((1, 2)))
    state = replace_ink(state, d, CellInk((1,), 0.4))
    measured = TASK.check(puzzle, make_trace((make_printed_state(puzzle.givens), 3), (state, 9))).metrics
    assert [measured[f"blanks_{kind}"] for kind in ("right", "wrong", "unclear", "empty")] == [1, 1, 2, 1]
    assert measured["blanks"] == 5 and measured["givens_changed"] == 0 and measured["conflicts"] >= 1
    assert measured["readable_share"] == 1


def test_the_consensus_is_the_majority_of_each_cell() -> None:
    flickering = [replace_ink(SOLVED, place % 3, CellInk((0,))) for place in range(6)]
    assert TASK.consensus_state(PUZZLE, flickering).values == SOLVED.values
    assert TASK.consensus_state(PUZZLE, [START, SOLVED]).values == SOLVED.values


@pytest.mark.slow
@settings(max_examples=40)
@given(st.sampled_from([(3, 1), (3, 4), (4, 6), (9, 30)]), st.integers(0, 10**6))
def test_every_trajectory_gets_its_expected_verdict(params: tuple[int, int], seed: int) -> None:
    puzzle = TASK.sample(Random(seed), SudokuParams(*params))
    cheats = TASK.cheats(puzzle, Random(seed))
    assert len(cheats) == (14 if params[1] > 1 else 13)
    for name, video in cheats.items():
        assert video.state_at(0.0).values == puzzle.givens, name
        states = [video.state_at(min(place / 30, 1.0)) for place in range(40)]
        readings = [
            FrameReading(place / FPS, SudokuState(tuple(map(as_read, state.cells))))
            for place, state in enumerate(states)
        ]
        score = judge(TASK, puzzle, readings, "rules")
        assert score.passed == (video.expected == "pass"), (name, score.explanation)


def as_read(ink: CellInk) -> CellInk:
    """Return the ink as the reader returns it: a digit that is being written is not a digit yet."""
    return CellInk(ink.digits, ink.opacity) if ink.written_share == 1 else CellInk((0,))


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_trick_videos_get_their_expected_verdicts(difficulty: str) -> None:
    puzzle = TASK.sample(Random(difficulty), TASK.preset(difficulty))
    tricks = {name: (TRICKS[name], expected) for name, expected in TASK.tricks.items()}
    tricks |= build_task_tricks(TASK, puzzle, Random(3))
    for name, (trick, expected) in tricks.items():
        stream = trick.render(TASK, puzzle, Random(5), 2.5, FPS)
        frames = [TimedFrame(place / stream.fps, frame) for place, frame in enumerate(stream.frames)]
        score = score_timed_frames(TASK, puzzle, frames)
        assert score.passed == (expected == "pass"), (name, score.explanation)
        if name in ("oracle", "cut_to_final", "crossfade", "other_typeface"):
            assert score.value == 5, (name, score.explanation)
        if name == "static":
            assert score.outcome == 0 and score.failure_mode == "static"


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_a_board_that_shrinks_to_three_quarters_is_read(difficulty: str) -> None:
    puzzle = TASK.sample(Random(difficulty), TASK.preset(difficulty))
    for name, passed in {"oracle": True, "solved_then_destroyed": False}.items():
        stream = TRICKS[name].render(TASK, puzzle, Random(5), 2.5, FPS)
        degraded = DEGRADATIONS["zoom_75"].apply(stream, Random(4))
        score = score_timed_frames(
            TASK, puzzle, [TimedFrame(i / degraded.fps, frame) for i, frame in enumerate(degraded.frames)]
        )
        assert score.passed == passed, (name, score.explanation)
        assert score.ever_solved
