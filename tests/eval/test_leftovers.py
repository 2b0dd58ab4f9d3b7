"""What a leftover is, which of them gate, and parts that nobody saw at the end. No videos here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import hypot
from typing import Any

import cv2
import numpy as np

from vmevalkit.eval.leftovers import Surroundings, classify, find_leftovers, find_overlays, find_unseen_parts
from vmevalkit.media.residual import Blob
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import Sudoku, SudokuState
from vmevalkit.tasks.task import FrameReading

TASK = TASKS["sudoku"]
[PUZZLE] = plan(TASK, 1, 4, TASK.preset())
SOLVED: SudokuState = TASK.solution(PUZZLE, 1.0)


def make_blob(left: float, top: float, width: float, height: float, holes: bool = False) -> Blob:
    at_edge = left <= 0 or top <= 0 or left + width >= 1 or top + height >= 1
    mask = np.ones((40, 40), np.bool_)
    if holes:
        mask[:14] = mask[-14:] = False
    box = left, top, left + width, top + height
    return Blob(*box, width * height, at_edge, thickness=min(width, height), mask=mask)


def make_trace(blobs: list[Blob | None], unseen: frozenset[int] = frozenset()) -> list[FrameReading[Any]]:
    """Return readings of the solved puzzle, 0.1 s apart; the cells are unseen while there is a blob."""
    return [
        FrameReading(0.1 * i, SudokuState(SOLVED.cells, unseen if blob else frozenset()), (blob,) if blob else ())
        for i, blob in enumerate(blobs)
    ]


def given_cell(puzzle: Sudoku) -> int:
    return next(cell for cell, digit in enumerate(puzzle.givens) if digit and cell % puzzle.order == 0)


def has_foreign_content(trace: list[FrameReading[Any]]) -> bool:
    return any(finding.gating for finding in find_leftovers(TASK, PUZZLE, trace, find_overlays(trace)))


def has_unseen_parts(trace: list[FrameReading[Any]]) -> bool:
    return bool(find_unseen_parts(TASK, PUZZLE, trace, find_overlays(trace)))


def test_what_moves_in_over_the_edge_and_rests_in_the_margin_is_excused() -> None:
    coming = [make_blob(0.0, 0.9 - 0.04 * i, 0.04, 0.08) for i in range(5)]
    assert not has_foreign_content(make_trace([None] * 3 + coming + [coming[-1]] * 6))


def test_what_appears_at_the_edge_did_not_come_in() -> None:
    painted = make_blob(0.0, 0.5, 0.08, 0.08)
    assert has_foreign_content(make_trace([None] * 5 + [painted] * 9))


def test_what_is_erased_from_the_edge_on_did_not_come_in() -> None:
    coming = [replace(make_blob(0.0, 0.9 - 0.04 * i, 0.08, 0.08), is_bare=True) for i in range(5)]
    assert has_foreign_content(make_trace([None] * 3 + coming + [coming[-1]] * 6))


def test_what_came_in_may_not_cover_what_decides() -> None:
    _, top, right, bottom = TASK.deciding_boxes(PUZZLE, SOLVED)[0]
    coming = [make_blob(0.0, top, share * right, bottom - top) for share in (0.2, 0.4, 0.6, 0.8, 1.0)]
    assert has_foreign_content(make_trace([None] * 3 + coming + [coming[-1]] * 6))


def test_a_cell_in_another_colour_is_a_highlight() -> None:
    left, top, right, bottom = TASK.highlight_boxes(PUZZLE)[given_cell(PUZZLE)]
    box = (left + 0.01, top + 0.01, right - left - 0.02, bottom - top - 0.02)
    assert not has_foreign_content(make_trace([None] * 5 + [make_blob(*box)] * 9))
    assert has_foreign_content(make_trace([None] * 5 + [make_blob(*box, holes=True)] * 9)), "corners are not filled"


PART = 0.04
"""Side of the smallest part."""
AROUND = Surroundings(PART**2, board=(0.1, 0.1, 0.9, 0.9), deciding=[(0.7, 0.7, 0.8, 0.8)])
DISC = replace(make_blob(0.3, 0.3, PART, PART), flat_share=1.0)
STROKE = replace(make_blob(0.3, 0.3, 0.2, 0.01), flat_share=1.0)


def test_a_compact_leftover_is_a_thing_wherever_parts_moved() -> None:
    assert classify(DISC, AROUND) == "thing"
    assert classify(replace(DISC, moved_share=1.0), AROUND) == "thing"


def test_over_what_decides_it_is_a_cover() -> None:
    assert classify(replace(DISC, left=0.7, top=0.7, right=0.74, bottom=0.74), AROUND, came_in=True) == "cover"


def test_what_came_in_and_touches_nothing_that_decides_is_a_mark() -> None:
    assert classify(DISC, AROUND, came_in=True) == "mark"


def test_a_slender_leftover_where_a_part_has_moved_is_a_trail() -> None:
    trail = replace(STROKE, left=0.6, top=0.74, right=0.8, bottom=0.75, flat_share=0.5, moved_share=0.8)
    assert classify(trail, AROUND) == "mark"
    assert classify(replace(trail, moved_share=0.79), AROUND) == "cover", "it crosses out what decides"
    assert classify(replace(trail, is_bare=True), AROUND) == "cover", "what is erased there is not a trail"
    assert classify(replace(trail, area=2.9 * trail.thickness**2), AROUND) == "cover", "a blot is not a trail"


def test_pieces_of_one_trail_are_a_trail_and_pieces_of_other_widths_are_not() -> None:
    pieces = [replace(DISC, left=x, right=x + PART, moved_share=1.0) for x in (0.3, 0.35, 0.4)]
    assert classify(pieces[0], AROUND, others=pieces[:2]) == "thing"
    assert classify(pieces[0], AROUND, others=pieces) == "mark", "grid lines cut the trail"
    others = [pieces[0], *(replace(piece, thickness=PART / 2) for piece in pieces[1:])]
    assert classify(pieces[0], AROUND, others=others) == "thing"


def draw_blobs(inside: Callable[[float, float], bool], left: float, top: float, side: float) -> list[Blob]:
    """Return the connected areas of the image that a function says are inside, relative to a square."""
    count, odd = 200, np.zeros((200, 200), np.uint8)
    for row in range(count):
        for column in range(count):
            x, y = (column / count - left) / side, (row / count - top) / side
            odd[row, column] = -0.5 < x < 1.5 and -0.5 < y < 1.5 and inside(x, y)
    found = []
    number, labels, stats, _ = cv2.connectedComponentsWithStats(odd)
    for each in range(1, number):
        x, y, wide, high, area = (int(value) for value in stats[each])
        mask = labels[y : y + high, x : x + wide] == each
        box = x / count, y / count, (x + wide) / count, (y + high) / count
        found.append(Blob(*box, area / count**2, False, True, mask=mask, thickness=min(wide, high) / count))
    return found


def is_cross(x: float, y: float) -> bool:
    return min(abs(x - y), abs(x + y - 1)) < 0.12


def test_a_field_behind_a_part_is_a_highlight_in_pieces_and_a_disc_over_a_cell_is_not() -> None:
    cell = (0.4, 0.4, 0.55, 0.55)
    around = replace(AROUND, cells=[cell], deciding=[cell])
    square = draw_blobs(lambda x, y: 0.08 < x < 0.92 and 0.08 < y < 0.92, 0.4, 0.4, 0.15)
    assert [classify(blob, around) for blob in square] == ["mark"]
    pieces = draw_blobs(lambda x, y: 0.1 < x < 0.9 and 0.1 < y < 0.9 and hypot(x - 0.5, y - 0.5) > 0.41, 0.4, 0.4, 0.15)
    assert len(pieces) == 4, "a disc on the field leaves its corners"
    assert {classify(blob, around, others=pieces) for blob in pieces} == {"mark"}
    assert {classify(blob, around) for blob in pieces} == {"cover"}
    tips = [replace(piece, is_plain=False) for piece in pieces]
    assert {classify(blob, around, others=tips) for blob in tips} == {"cover"}, "tips of a content that is too large"
    sides = draw_blobs(lambda x, y: min(x, y) > 0.1 and max(x, y) < 0.9 and not is_cross(x, y), 0.4, 0.4, 0.15)
    assert len(sides) == 4 and {classify(blob, around, others=sides) for blob in sides} == {"mark"}
    disc = draw_blobs(lambda x, y: hypot(x - 0.5, y - 0.5) < 0.58, 0.4, 0.4, 0.15)
    assert [classify(blob, around, others=disc) for blob in disc] == ["cover"]
    for radius in (0.5, 0.55, 0.6, 0.65, 0.7):  # hardly anything of it is beside the cell
        disc = draw_blobs(lambda x, y, most=radius: hypot(x - 0.48, y - 0.5) < most, 0.4, 0.4, 0.15)
        assert [classify(blob, around, others=disc) for blob in disc] == ["cover"], radius
    around = replace(around, cells=(), fields=[cell])
    assert {classify(blob, around, others=pieces) for blob in pieces} == {"mark"}
    [over] = draw_blobs(lambda x, y: 0.08 < x < 0.92 and 0.08 < y < 0.92, 0.4, 0.4, 0.15)
    assert classify(over, around) == "cover", "it hides the part"


def test_a_thin_mark_on_the_ground_is_a_mark_and_across_parts_a_thing() -> None:
    assert classify(STROKE, AROUND) == "mark"
    assert classify(replace(STROKE, flat_share=0.94), AROUND) == "thing"
    assert classify(replace(STROKE, thickness=0.81 * PART, area=0.02), AROUND) == "thing"
    assert classify(replace(STROKE, is_bare=True), AROUND) == "thing", "something is missing there"


def test_beside_the_puzzle_everything_is_a_caption() -> None:
    caption = replace(DISC, left=0.02, right=0.09)
    assert classify(caption, AROUND) == "mark"
    assert classify(replace(caption, right=0.11), AROUND) == "thing"


def test_light_and_line_widths_are_style_even_over_what_decides() -> None:
    over = replace(DISC, left=0.7, top=0.7, right=0.74, bottom=0.74)
    assert classify(replace(over, is_light=True), AROUND) == "style"
    assert classify(replace(over, is_rim=True), AROUND) == "style"


def test_marks_and_style_are_remarks() -> None:
    blob = replace(make_blob(0.3, 0.3, 0.1, 0.1), is_light=True)
    [finding] = find_leftovers(TASK, PUZZLE, trace := make_trace([None] * 5 + [blob] * 9), find_overlays(trace))
    assert (finding.name, finding.gating) == ("style_changed", False)


def test_a_given_may_be_covered_only_by_what_came_in() -> None:
    cell = given_cell(PUZZLE)
    left, top, right, bottom = TASK.highlight_boxes(PUZZLE)[cell]
    height = bottom - top
    coming = [make_blob(0.0, top, share * right, height) for share in (0.2, 0.4, 0.6, 0.8, 0.9)]
    unseen = frozenset({cell})
    assert not has_unseen_parts(make_trace([None] * 3 + coming + [coming[-1]] * 6, unseen))
    appearing = make_blob(left, top, right - left, height)
    assert has_unseen_parts(make_trace([None] * 3 + [appearing] * 11, unseen))


def test_a_part_that_was_seen_in_the_last_half_second_counts_as_seen() -> None:
    blob = make_blob(0.4, 0.4, 0.1, 0.1)
    assert not has_unseen_parts(make_trace([None] * 5 + [blob] * 7 + [None] * 2, frozenset({0})))


def test_a_part_that_is_cropped_from_the_start_is_excused() -> None:
    trace = [FrameReading(0.1 * i, SudokuState(SOLVED.cells, frozenset({0})), ()) for i in range(14)]
    assert not has_unseen_parts(trace)


def test_what_continues_the_puzzle_beside_it_is_a_thing() -> None:
    row = replace(make_blob(0.2, 0.9, 0.6, 0.05), flat_share=1.0)
    assert classify(row, AROUND) == "thing"
    assert classify(replace(row, is_plain=True), AROUND) == "mark", "a bar"
    assert classify(replace(row, top=0.91), AROUND) == "mark", "a caption below it"
    assert classify(replace(row, right=0.5), AROUND) == "mark", "it is shorter than a row"
    assert classify(replace(make_blob(0.9, 0.1, 0.05, 0.5), flat_share=1.0), AROUND) == "thing"


def find_findings(blob: Blob) -> list[str]:
    trace = make_trace([None, *[blob] * 6])
    return [finding.name for finding in find_leftovers(TASK, PUZZLE, trace, find_overlays(trace))]


def test_a_small_thing_is_noticed_where_it_is_compact_and_on_plain_ground() -> None:
    left, top, *_ = TASK.highlight_boxes(PUZZLE)[given_cell(PUZZLE)]
    dot = replace(make_blob(left + 0.02, top + 0.02, 0.02, 0.02), flat_share=0.8)
    assert find_findings(dot) == ["foreign_content"]
    assert find_findings(replace(dot, flat_share=0.79)) == [], "beside ink it may be another typeface"
    assert find_findings(replace(dot, thickness=0.0118)) == []
    assert find_findings(replace(dot, thickness=0.0125, area=0.00063)) == [], "it is not compact"
    assert find_findings(replace(dot, area=0.00029)) == []
    edge = replace(dot, thickness=0.005, area=0.0004)
    trace = [FrameReading(0.1 * i, SOLVED, (dot, edge) if i > 3 else ()) for i in range(10)]
    assert not has_foreign_content(trace), "with other differences in the cell it may be another typeface"


def test_a_part_is_seen_under_a_mark_and_not_under_a_thing() -> None:
    cell = given_cell(PUZZLE)
    left, top, right, bottom = TASK.highlight_boxes(PUZZLE)[cell]
    middle = (top + bottom) / 2
    arrow = replace(make_blob(left, middle, right - left, 0.01), moved_share=1.0)
    assert not has_unseen_parts(make_trace([None] * 3 + [arrow] * 9, frozenset({cell})))
    blot = replace(make_blob(left, top, right - left, bottom - top, holes=True), moved_share=1.0)
    assert has_unseen_parts(make_trace([None] * 3 + [blot] * 9, frozenset({cell})))
    wide = replace(arrow, top=top, bottom=bottom)
    assert has_unseen_parts(make_trace([None] * 3 + [wide] * 9, frozenset({cell}))), "it hides too much"


def test_the_ground_of_a_board_in_another_colour_is_style() -> None:
    cells = [(0.2 * column, 0.2, 0.2 * column + 0.2, 0.6) for column in range(5)]
    around = replace(AROUND, cells=cells)
    tinted = [make_blob(*cells[column][:2], 0.2, 0.4) for column in (2, 4)]
    bare = replace(make_blob(0.22, 0.24, 0.01, 0.3), is_bare=True)
    assert classify(bare, around, others=tinted) == "style"
    assert classify(replace(bare, is_bare=False), around, others=tinted) == "thing"
    assert classify(bare, around, others=tinted[:1]) == "thing"
    both = make_blob(0.4, 0.2, 0.4, 0.4)
    assert classify(both, around, others=tinted) == "style", "the colour of several cells is connected"
