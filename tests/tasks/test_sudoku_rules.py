"""What counts as an answer, what is found on the way, and the verdict of every film: on states, and on some films."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.baselines.artefacts import ARTEFACTS
from vmevalkit.baselines.tricks import TRICKS, own_tricks
from vmevalkit.eval.rules import score_film
from vmevalkit.eval.verdict import judge
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks.sudoku_task import TASK, Ink, Sudoku, SudokuKnobs, SudokuState
from vmevalkit.tasks.sudoku_task.films import with_ink
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import BLANK, FAINT, UNCLEAR, printed
from vmevalkit.tasks.task import Glimpse

PUZZLE = Sudoku(3, (1, 2, 3, 2, 3, 1, 3, 1, 0), (1, 2, 3, 2, 3, 1, 3, 1, 2))
START, SOLVED = printed(PUZZLE.givens), printed(PUZZLE.solution)
FPS = 12


def trace(*parts: tuple[SudokuState | None, int]) -> list[Glimpse[SudokuState]]:
    """States, each for a number of frames."""
    states = [state for state, count in parts for _ in range(count)]
    return [Glimpse(place / FPS, state) for place, state in enumerate(states)]


def named(*parts: tuple[SudokuState | None, int]) -> dict[str, bool]:
    return {finding.name: finding.gating for finding in TASK.check(PUZZLE, trace(*parts)).findings}


def test_what_a_cell_amounts_to() -> None:
    assert BLANK.value == Ink((2,), 0.1).value == 0
    assert Ink((2,)).value == Ink((2,), 0.7, "hand").value == 2
    assert Ink((2,), 0.4).value == FAINT
    assert Ink((2, 3)).value == Ink((0,)).value == UNCLEAR


def test_only_the_solution_is_accepted() -> None:
    assert TASK.accepted(PUZZLE, SOLVED)
    wrong = [Ink((1,)), Ink((2, 3)), Ink((2, 2)), Ink((2,), 0.4), Ink((0,)), BLANK]
    assert not any(TASK.accepted(PUZZLE, with_ink(SOLVED, 8, ink)) for ink in wrong)
    assert not any(TASK.accepted(PUZZLE, with_ink(SOLVED, 0, ink)) for ink in [*wrong[1:], Ink((3,))])
    assert TASK.accepted(PUZZLE, SudokuState(tuple(Ink(ink.digits, 1.0, "serif") for ink in SOLVED.cells)))
    another = printed([2, 1, 3, 1, 3, 2, 3, 2, 1])  # a Latin square too, but not of these givens
    assert not TASK.accepted(PUZZLE, another)


def test_progress_counts_blanks_less_damage() -> None:
    puzzle = TASK.sample(Random(1), SudokuKnobs(4, 4))
    one, two = puzzle.blanks[:2]
    given_cell = next(cell for cell, digit in enumerate(puzzle.givens) if digit)
    half = list(puzzle.givens)
    half[one], half[two] = puzzle.solution[one], puzzle.solution[two]
    assert TASK.progress(puzzle, printed(half)) == 0.5
    assert TASK.progress(puzzle, with_ink(printed(half), given_cell, BLANK)) == pytest.approx(0.5 - 1 / 12)
    assert TASK.progress(puzzle, with_ink(printed(half), one, Ink((puzzle.solution[one],), 0.4))) == 0.25
    assert TASK.progress(puzzle, printed([0] * 16)) == 0.0


def test_lasting_damage_gates_and_restored_damage_does_not() -> None:
    damaged = with_ink(SOLVED, 0, Ink((3,)))
    assert named((START, 5), (SOLVED, 10)) == {}
    assert named((START, 5), (damaged, 10)) == {"given_changed": True}
    assert named((START, 5), (with_ink(START, 0, BLANK), 5), (SOLVED, 10)) == {"given_restored": False}
    assert named((START, 5), (damaged, 1), (SOLVED, 10)) == {}  # a single reading is not believed
    assert named((START, 5), (None, 5), (SOLVED, 10)) == {}


def test_wrong_digits_and_unclear_marks_do_not_gate() -> None:
    assert named((START, 5), (with_ink(START, 8, Ink((1,))), 5), (SOLVED, 8)) == {"wrong_digit": False}
    assert named((START, 5), (with_ink(START, 8, Ink((2, 1))), 5), (SOLVED, 8)) == {"unclear_mark": False}
    assert named((START, 5), (SOLVED, 5), (START, 8)) == {"answer_left": False}
    assert named((START, 5), (with_ink(START, 8, Ink((1,), 0.4)), 5), (SOLVED, 8)) == {}


def test_metrics_count_the_cells_at_the_end() -> None:
    puzzle = TASK.sample(Random(1), SudokuKnobs(4, 5))
    a, b, c, d, _ = puzzle.blanks
    state = printed(puzzle.givens)
    state = with_ink(state, a, Ink((puzzle.solution[a],)))
    state = with_ink(state, b, Ink((puzzle.solution[b] % 4 + 1,)))
    state = with_ink(state, c, Ink((1, 2)))
    state = with_ink(state, d, Ink((1,), 0.4))
    measured = TASK.check(puzzle, trace((printed(puzzle.givens), 3), (state, 9))).metrics
    assert [measured[f"blanks_{kind}"] for kind in ("right", "wrong", "unclear", "empty")] == [1, 1, 2, 1]
    assert measured["blanks"] == 5 and measured["givens_changed"] == 0 and measured["conflicts"] >= 1
    assert measured["readable_share"] == 1


def test_settling_goes_cell_by_cell() -> None:
    flickering = [with_ink(SOLVED, place % 3, Ink((0,))) for place in range(6)]
    assert TASK.settle(PUZZLE, flickering).values == SOLVED.values
    assert TASK.settle(PUZZLE, [START, SOLVED]).values == SOLVED.values


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.sampled_from([(3, 1), (3, 4), (4, 6), (9, 30)]), st.integers(0, 10**6))
def test_every_film_of_states_gets_the_verdict_it_deserves(knobs: tuple[int, int], seed: int) -> None:
    puzzle = TASK.sample(Random(seed), SudokuKnobs(*knobs))
    films = TASK.films(puzzle, Random(seed))
    assert len(films) == (14 if knobs[1] > 1 else 13)
    for name, film in films.items():
        assert film.state_at(0.0).values == puzzle.givens, name
        states = [film.state_at(min(place / 30, 1.0)) for place in range(40)]
        glimpses = [
            Glimpse(place / FPS, SudokuState(tuple(map(shown, state.cells)))) for place, state in enumerate(states)
        ]
        score = judge(TASK, puzzle, glimpses, "rules")
        assert score.passed == (film.expected == "pass"), (name, score.explanation)


def shown(ink: Ink) -> Ink:
    """A digit that is being written is not read as one yet."""
    return Ink(ink.digits, ink.opacity) if ink.written == 1 else Ink((0,))


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_films_are_judged_as_they_deserve(difficulty: str) -> None:
    puzzle = TASK.sample(Random(difficulty), TASK.preset(difficulty))
    tricks = {name: (TRICKS[name], expected) for name, expected in TASK.tricks.items()}
    tricks |= own_tricks(TASK, puzzle, Random(3))
    for name, (trick, expected) in tricks.items():
        reel = trick.reel(TASK, puzzle, Random(5), 2.5, FPS)
        frames = [TimedFrame(place / reel.fps, frame) for place, frame in enumerate(reel.frames)]
        score = score_film(TASK, puzzle, frames)
        assert score.passed == (expected == "pass"), (name, score.explanation)
        if name in ("oracle", "cut_to_final", "crossfade", "other_typeface"):
            assert score.value == 5, (name, score.explanation)
        if name == "static":
            assert score.outcome == 0 and score.failure_mode == "static"


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_a_board_that_shrinks_to_three_quarters_is_read_on(difficulty: str) -> None:
    puzzle = TASK.sample(Random(difficulty), TASK.preset(difficulty))
    for name, passed in {"oracle": True, "solved_then_destroyed": False}.items():
        reel = TRICKS[name].reel(TASK, puzzle, Random(5), 2.5, FPS)
        take = ARTEFACTS["zoom_75"].take(reel, Random(4))
        score = score_film(TASK, puzzle, [TimedFrame(i / take.fps, frame) for i, frame in enumerate(take.frames)])
        assert score.passed == passed, (name, score.explanation)
        assert score.ever_solved
