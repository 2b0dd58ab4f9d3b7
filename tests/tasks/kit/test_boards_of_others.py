"""Boards that somebody else drew: found, calibrated, read, and judged from cell to cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from boards_of_others import (
    BOX,
    GRID_MAZE,
    LINE_MAZE,
    WAY,
    add_disc,
    draw_grid_maze,
    draw_line_maze,
    time_frames,
    walk,
)

from vmevalkit.core.records import Score
from vmevalkit.eval.pipeline import read_and_judge
from vmevalkit.media.image import Frame
from vmevalkit.tasks.kit.question_pictures import PictureRecord, Pictures, UnreadablePictures
from vmevalkit.tasks.puzzles.grid_maze import TASK as GRID
from vmevalkit.tasks.puzzles.line_maze import TASK as LINES

FIRST = draw_grid_maze()


def score(frames: Sequence[Frame]) -> Score:
    task, _ = GRID.calibrate(GRID_MAZE, Pictures(FIRST, None, PictureRecord(box=BOX)))
    return read_and_judge(task, GRID_MAZE, time_frames(frames), first_frame=FIRST).score


def gating(result: Score) -> set[str]:
    return {finding.name for finding in result.findings if finding.gating}


def test_a_board_is_found_in_its_picture() -> None:
    for dx, dy, size in ((0, 0, 1.0), (13, -9, 1.0), (0, 0, 0.7)):
        moved = cv2.warpAffine(FIRST, np.array([[1.0, 0, dx], [0, 1, dy]]), (470, 330), borderValue=(38, 30, 60))
        picture = np.asarray(cv2.resize(moved, None, fx=size, fy=size, interpolation=cv2.INTER_AREA), np.uint8)
        _, record = GRID.calibrate(GRID_MAZE, Pictures(picture))
        wanted = [side * size for side in (BOX[0] + dx, BOX[1] + dy, BOX[2] + dx, BOX[3] + dy)]
        assert record.box == pytest.approx(wanted, abs=3)


def test_a_picture_that_shows_another_puzzle_cannot_be_read() -> None:
    wall = replace(GRID_MAZE, walls=(*GRID_MAZE.walls, (1, 4)))
    with pytest.raises(UnreadablePictures, match=r"1 of .* do not look like what the puzzle says"):
        GRID.calibrate(wall, Pictures(FIRST, None, PictureRecord(box=BOX)))
    off = PictureRecord(box=(BOX[0] + 14, BOX[1], BOX[2] + 14, BOX[3]))
    with pytest.raises(UnreadablePictures, match=r"the board is elsewhere|do not look like"):
        GRID.calibrate(GRID_MAZE, Pictures(FIRST, None, off))
    with pytest.raises(UnreadablePictures, match="nothing is to be seen"):
        GRID.calibrate(GRID_MAZE, Pictures(draw_grid_maze(None), None, PictureRecord(box=BOX)))
    with pytest.raises(UnreadablePictures, match="is not in the picture"):
        GRID.calibrate(GRID_MAZE, Pictures(FIRST, None, PictureRecord(box=(900, 0, 1200, 300))))
    with pytest.raises(UnreadablePictures, match="the final frame is not read as solved"):
        GRID.calibrate(GRID_MAZE, Pictures(FIRST, draw_grid_maze((3, 3)), PictureRecord(box=BOX)))


def test_a_legal_way_passes_in_any_light() -> None:
    frames = [draw_grid_maze(place) for place in walk(WAY)]
    assert score(frames).passed
    dim = [np.clip(255 * (frame / 255.0) ** 0.8 * (1.05, 1.0, 0.9), 0, 255).astype(np.uint8) for frame in frames]
    assert score(dim).passed
    assert not gating(score(frames[:-8]))  # it need not wait at the goal


@pytest.mark.parametrize(
    ("way", "found"),
    [
        ((*WAY[:5], (4, 3), (5, 3), (5, 4), (5, 5)), set()),  # another legal way
        (((1, 1), (1, 2), (1, 3), *WAY[6:]), {"illegal_move"}),
        ((*WAY[:4], (5, 2), (5, 3), (5, 4), (5, 5)), {"illegal_move"}),
        (WAY[:-1], set()),
    ],
)
def test_each_step_must_be_legal(way: Sequence[tuple[int, int]], found: set[str]) -> None:
    result = score([draw_grid_maze(place) for place in walk(way, 8)])
    assert found <= gating(result) and bool(found) == bool(gating(result))
    assert result.passed == (not found and way[-1] == (5, 5))


def test_a_wall_that_opens_a_second_mover_and_a_jump_are_violations() -> None:
    places = walk(WAY)
    opened = [draw_grid_maze(place, [(1, 2)] if 20 < k < 34 else []) for k, place in enumerate(places)]
    assert gating(score(opened)) == {"board_redrawn"}
    twin = [add_disc(draw_grid_maze(p), (5, 1)) if 20 < k < 34 else draw_grid_maze(p) for k, p in enumerate(places)]
    assert gating(score(twin)) == {"second_piece"}
    jump = [draw_grid_maze(place) for k, place in enumerate(places) if not 12 < k < 40]
    assert "jump" in gating(score(jump))
    brief = [add_disc(draw_grid_maze(p), (5, 1)) if 20 < k < 23 else draw_grid_maze(p) for k, p in enumerate(places)]
    assert score(brief).passed  # what nobody sees does not count


def test_a_still_video_is_static_and_never_a_broken_scene() -> None:
    result = score([FIRST] * 30)
    assert (result.value, result.failure_mode) == (1, "static")


def test_a_mover_may_appear_and_the_goal_may_change_where_the_question_says_so() -> None:
    first = draw_line_maze()
    way = ((0, 0), (1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (1, 1), (0, 1))

    def star(place: tuple[float, float], base: Frame) -> Frame:
        frame = base.copy()
        middle = round(70 + 60 * (place[1] + 0.5)), round(30 + 60 * (place[0] + 0.5))
        cv2.circle(frame, middle, 15, (20, 140, 230), -1, cv2.LINE_AA)
        return frame

    changed = first.copy()
    cv2.rectangle(changed, (145, 45), (175, 75), (240, 190, 40), -1)
    frames = [first, *(star(place, first) for place in walk(way, 4, rest=0)), *[changed] * 8]
    allowed = PictureRecord(mover_may_appear=True, goal_may_change=True)
    for record, passes in ((allowed, True), (replace(allowed, goal_may_change=False), False)):
        task, _ = LINES.calibrate(LINE_MAZE, Pictures(first, None, record))
        result = read_and_judge(task, LINE_MAZE, time_frames(frames), first_frame=first).score
        assert result.passed == passes, result.explanation


def test_a_mover_may_reach_beyond_the_edge_of_the_board() -> None:
    first = draw_line_maze()
    frames = [first]
    for row, column in walk(((0, 0), (1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (1, 1))):
        frame = first.copy()
        middle = round(70 + 60 * (column + 0.5)) + 8, round(30 + 60 * (row + 0.5)) + 8
        cv2.circle(frame, middle, 28, (20, 140, 230), -1, cv2.LINE_AA)
        frames.append(frame)
    record = PictureRecord(mover_may_appear=True)
    task, _ = LINES.calibrate(LINE_MAZE, Pictures(first, None, record))
    result = read_and_judge(task, LINE_MAZE, time_frames(frames), first_frame=first).score
    assert not gating(result), result.explanation


def test_a_mover_may_turn_as_it_goes() -> None:
    ground = draw_grid_maze(None)

    def draw(place: tuple[float, float], angle: float) -> Frame:
        frame = ground.copy()
        middle = round(BOX[0] + 40 * (place[1] + 0.5)), round(BOX[1] + 40 * (place[0] + 0.5))
        cv2.ellipse(frame, middle, (16, 6), angle, 0, 360, (90, 20, 150), -1, cv2.LINE_AA)
        return frame

    places = walk(WAY)
    frames = [draw(place, 6.0 * index) for index, place in enumerate(places)]
    task, _ = GRID.calibrate(GRID_MAZE, Pictures(frames[0], None, PictureRecord(box=BOX)))
    result = read_and_judge(task, GRID_MAZE, time_frames(frames), first_frame=frames[0]).score
    assert result.passed, result.explanation
