"""Acceptance, progress and findings: logic over hand-made traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from vmevalkit.core.records import Finding, Score
from vmevalkit.eval.verdict import judge
from vmevalkit.tasks.raven_task import TASK, Cell, RavenState, Tile
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, complete_puzzle
from vmevalkit.tasks.raven_task.scene import EMPTY, QUESTION, SCRIBBLE
from vmevalkit.tasks.task import FrameReading

SHAPES, INKS = ("triangle", "arrow", "tee"), ("red", "blue", "green")
PUZZLE = complete_puzzle([Tile(SHAPES[i % 3], 2, 90, INKS[i // 3]) for i in range(8)])
START, END = TASK.solution(PUZZLE, 0.0), TASK.solution(PUZZLE, 1.0)
HALF = TASK.solution(PUZZLE, 0.5)


def answered(cell: Cell | Tile) -> RavenState:
    return START.with_cell(ANSWER, Cell(cell) if isinstance(cell, Tile) else cell)


def trace(*parts: tuple[int, RavenState | None]) -> list[FrameReading[RavenState]]:
    """Return so many readings of each state, twelve a second."""
    states = [state for count, state in parts for _ in range(count)]
    return [FrameReading(i / 12, state) for i, state in enumerate(states)]


def verdict(*parts: tuple[int, RavenState | None]) -> Score:
    return judge(TASK, PUZZLE, trace(*parts), "rules")


def names(findings: Sequence[Finding]) -> list[str]:
    return [finding.name for finding in findings]


WRONG = {
    "shape": replace(PUZZLE.answer, shape="corner"),
    "number": replace(PUZZLE.answer, number=3),
    "rotation": replace(PUZZLE.answer, angle_deg=180),
    "colour": replace(PUZZLE.answer, colour="blue"),
}


def test_the_answer_is_accepted_and_nothing_else() -> None:
    assert PUZZLE.answer == Tile("tee", 2, 90, "green")
    assert TASK.accepted(PUZZLE, END)
    others = [START, HALF, *map(answered, WRONG.values()), *map(answered, (EMPTY, SCRIBBLE, QUESTION))]
    others += [answered(Cell(PUZZLE.answer, 0.5)), answered(Cell(PUZZLE.answer, 1.0, 0.6))]
    assert not any(TASK.accepted(PUZZLE, state) for state in others)
    for place in range(ANSWER):
        for cell in (EMPTY, QUESTION, SCRIBBLE, Cell(PUZZLE.answer), Cell(PUZZLE.tiles[place], 0.4)):
            assert not TASK.accepted(PUZZLE, END.with_cell(place, cell))


def test_size_and_arrangement_do_not_matter() -> None:
    assert TASK.accepted(PUZZLE, answered(Cell(PUZZLE.answer, 0.9, 0.1, arrangement="other", scale=1.3)))


@pytest.mark.parametrize(
    ("cell", "reading"),
    [
        (Cell(), "empty"),
        (Cell(question=0.1), "empty"),
        (Cell(question=0.4), "fading"),
        (Cell(question=0.8), "question"),
        (Cell(PUZZLE.answer, 0.1, 0.9), "question"),
        (Cell(PUZZLE.answer, 0.5, 0.5), "fading"),
        (Cell(PUZZLE.answer, 1.0, 0.5), "fading"),
        (Cell(PUZZLE.answer, 0.4), "fading"),
        (Cell(PUZZLE.answer, 0.8, 0.2), PUZZLE.answer),
        (Cell(PUZZLE.answer, scribble=True), "unclear"),
    ],
)
def test_the_content_of_a_cell(cell: Cell, reading: object) -> None:
    assert cell.reading == reading


def test_progress_counts_what_the_rules_decide() -> None:
    def of(state: RavenState) -> float:
        return TASK.progress(PUZZLE, state)

    assert of(START) == of(HALF) == of(answered(EMPTY)) == of(answered(SCRIBBLE)) == 0
    assert of(END) == 1
    assert of(answered(WRONG["shape"])) == of(answered(WRONG["colour"])) == 0.5
    assert of(answered(WRONG["number"])) == of(answered(WRONG["rotation"])) == 0.75
    assert of(END.with_cell(0, EMPTY)) == pytest.approx(1 - 1 / 8)
    assert of(answered(replace(WRONG["shape"], colour="blue"))) == 0
    everywhere = RavenState((SCRIBBLE,) * ANSWER + (Cell(PUZZLE.answer),))
    assert of(everywhere) == 0


def test_the_answer_scores_five_even_if_it_appears_at_once_and_a_still_video_scores_one() -> None:
    assert verdict((6, START), (6, HALF), (9, END)).value == 5
    assert verdict((6, START), (9, END)).value == 5
    still = verdict((20, START))
    assert (still.value, still.outcome, still.failure_mode) == (1, 0.0, "static")


@pytest.mark.parametrize("attribute", list(WRONG))
def test_each_wrong_attribute_is_reported(attribute: str) -> None:
    score = verdict((6, START), (14, answered(WRONG[attribute])))
    assert not score.solved and names(score.findings) == ["wrong_tile"]
    assert score.findings[0].detail.endswith(f"wrong in {attribute}.")
    right = {name: score.metrics[f"{name}_right"] for name in WRONG}
    assert right == {name: float(name != attribute) for name in WRONG}
    assert score.metrics["answer_clear"] == score.metrics["question_gone"] == 1


def test_a_wrong_tile_that_is_corrected_costs_a_point() -> None:
    score = verdict((6, START), (6, answered(WRONG["shape"])), (9, END))
    assert (score.value, score.passed, names(score.findings)) == (4, True, ["wrong_tile"])
    assert score.metrics["tiles_tried"] == 2
    assert verdict((6, START), (2, answered(WRONG["shape"])), (9, END)).value == 5  # two readings may be wrong ones


def test_an_answer_that_is_spoilt_is_reported() -> None:
    score = verdict((6, START), (8, END), (9, answered(EMPTY)))
    assert not score.solved and score.ever_solved
    assert "answer_left" in names(score.findings)
    assert score.failure_mode == "incorrect_termination"
    faded = verdict((6, START), (8, END), (9, answered(Cell(PUZZLE.answer, 0.4))))
    assert not faded.solved and "answer_left" in names(faded.findings)


def test_a_dissolve_whose_readings_tremble_does_not_leave_the_answer() -> None:
    nearly = answered(Cell(PUZZLE.answer, 0.7, 0.3))
    assert nearly.readings[ANSWER] == "fading"
    for count in (1, 4):
        trembling = verdict((6, START), (6, HALF), (3, END), (count, nearly), (3, END), (count, nearly), (9, END))
        assert (trembling.value, trembling.findings) == (5, ())
    misread = verdict((6, START), (6, HALF), (6, END), (2, answered(EMPTY)), (9, END))
    assert (misread.value, misread.findings) == (5, ())  # two readings may be wrong ones
    erased = verdict((6, START), (6, HALF), (6, END), (3, answered(EMPTY)), (9, END))
    assert (erased.value, names(erased.findings)) == (4, ["answer_left"])


def test_a_given_that_stays_changed_gates_and_one_that_is_restored_does_not() -> None:
    for cell in (EMPTY, SCRIBBLE, QUESTION, Cell(WRONG["shape"]), Cell(PUZZLE.tiles[4], 0.3)):
        broken = END.with_cell(4, cell)
        score = verdict((6, START), (6, END), (10, broken))
        assert not score.passed and names(score.findings) == ["given_changed"]
        assert score.findings[0].gating and "row 2 column 2" in score.findings[0].detail
        assert score.metrics["givens_changed"] == 1
        restored = verdict((6, START), (4, START.with_cell(4, cell)), (4, START), (9, END))
        assert (restored.value, names(restored.findings)) == (4, ["given_restored"])


def test_many_changed_givens_are_listed_briefly() -> None:
    broken = RavenState((SCRIBBLE,) * 6 + END.cells[6:])
    finding = verdict((6, START), (14, broken)).findings[0]
    assert finding.detail.endswith("row 1 column 3 and 3 more.")


def test_an_unclear_mark_is_reported() -> None:
    score = verdict((6, START), (14, answered(SCRIBBLE)))
    assert names(score.findings) == ["unclear_mark"] and score.metrics["answer_clear"] == 0
    assert not score.solved and score.outcome == 0


def test_unreadable_frames_are_skipped() -> None:
    score = verdict((4, START), (6, None), (9, END))
    assert score.value == 5 and score.metrics["readable_share"] == pytest.approx(13 / 19, abs=1e-4)
    assert TASK.check(PUZZLE, trace((5, None))).metrics == {"readable_share": 0.0}


def test_the_final_state_is_decided_cell_by_cell() -> None:
    readings = [END.with_cell(0, EMPTY), END.with_cell(3, SCRIBBLE), END.with_cell(ANSWER, EMPTY), END, END]
    assert TASK.consensus_state(PUZZLE, readings) == END


def test_a_video_that_begins_with_the_answer_did_not_start_from_the_question() -> None:
    assert "wrong_start" in names(verdict((20, END)).findings)
