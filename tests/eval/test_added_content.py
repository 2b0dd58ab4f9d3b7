"""Content that is not part of the puzzle, over whole videos of drawn frames."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vmevalkit.core.records import Score
from vmevalkit.eval.pipeline import score_timed_frames
from vmevalkit.media.image import Frame
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

FPS, COUNT = 12, 36

Change = Callable[[Frame, float], Frame]


def score(name: str, change: Change) -> Score:
    """Return the score of the reference solution with a change of each frame at time t, from 0 to 1."""
    task = TASKS[name]
    [puzzle] = plan(task, 1, 4, task.preset())
    frames = []
    for index in range(COUNT):
        t = index / (COUNT - 1)
        frames.append(
            TimedFrame(index / FPS, change(task.draw(puzzle, task.solution(puzzle, min(1.0, 1.5 * t))).copy(), t))
        )
    return score_timed_frames(task, puzzle, frames)


def with_disc(x: float, y: float, since: float) -> Change:
    def change(frame: Frame, t: float) -> Frame:
        height, width = frame.shape[:2]
        if t >= since:
            cv2.circle(frame, (round(x * width), round(y * height)), round(0.05 * height), (200, 30, 160), -1)
        return frame

    return change


def with_cursor(to_x: float, to_y: float) -> Change:
    """A cursor comes in from the lower edge and rests."""

    def change(frame: Frame, t: float) -> Frame:
        height, width = frame.shape[:2]
        part = min(1.0, max(0.0, (t - 0.2) / 0.4))
        x, y = width * to_x, height * (1.02 + part * (to_y - 1.02))
        points = np.array([(0, 0), (0, 16), (4, 12), (10, 12)]) * height / 480 + (x, y)
        cv2.fillPoly(frame, [points.astype(np.int32)], (30, 30, 30))
        return frame

    return change


def unchanged(frame: Frame, _: float) -> Frame:
    return frame


@pytest.mark.parametrize("name", ["chess", "maze", "raven", "sudoku", "rotation_puzzle"])
def test_a_disc_at_the_end_breaks_the_scene(name: str) -> None:
    assert score(name, unchanged).value == 5
    for place in ((0.4, 0.12), (0.5, 0.9)):
        broken = score(name, with_disc(*place, since=0.6))
        assert not broken.solved and broken.failure_mode in ("scene_broken", "illegal_process"), broken.explanation


@pytest.mark.parametrize("name", ["chess", "maze", "sudoku"])
def test_a_mark_that_is_there_from_the_start_is_not_foreign(name: str) -> None:
    assert score(name, with_disc(0.05, 0.05, since=0.0)).passed


@pytest.mark.parametrize("name", ["chess", "maze", "raven"])
def test_a_cursor_that_came_in_and_rests_beside_the_answer_is_excused(name: str) -> None:
    assert score(name, with_cursor(0.08, 0.8)).passed


def test_a_title_over_the_first_frames_does_not_stay_in_the_reading() -> None:
    def with_title(frame: Frame, t: float) -> Frame:
        if t < 0.15:
            height, width = frame.shape[:2]
            cv2.putText(frame, "Episode 12", (width // 8, height // 2), 0, width / 300, (30, 30, 30), width // 90)
        return frame

    assert score("raven", with_title).passed


def score_behind_cover(hidden_cells: float, hidden_s: float, colour: tuple[int, int, int]) -> Score:
    """Return the score of a maze's solution whose dot moves by so many cells behind a cover."""
    task = TASKS["maze"]
    [puzzle] = plan(task, 1, 4, task.preset())
    step = 1.0 / (len(puzzle.path) - 1)  # t of one cell
    hide, show = 30, 30 + round(hidden_s * 24)
    frames = []
    for index in range(show + 60):
        if index < hide:
            t = step * 2 * index / hide
        elif index < show:
            t = step * (2 + hidden_cells * (index - hide) / (show - hide))
        else:
            t = min(1.0, step * (2 + hidden_cells) + (index - show) / 40)
        state = task.solution(puzzle, t)
        frame = task.draw(puzzle, state).copy()
        if hide <= index < show:  # something follows the dot
            red, green, blue = np.moveaxis(frame.astype(int), 2, 0)
            rows, columns = np.nonzero(green > np.maximum(red, blue) + 60)
            radius = round(0.9 * np.ptp(columns))
            cv2.circle(frame, (round(columns.mean()), round(rows.mean())), radius, colour, -1)
        frames.append(TimedFrame(index / 24, frame))
    return score_timed_frames(task, puzzle, frames)


@pytest.mark.parametrize("colour", [(205, 150, 120), (40, 60, 220), (230, 40, 40)])
def test_a_dot_may_pass_behind_a_cover_by_two_cells_and_no_more(colour: tuple[int, int, int]) -> None:
    near = score_behind_cover(0.9, 0.6, colour)
    assert near.passed, near.explanation
    far = score_behind_cover(3.0, 0.6, colour)
    assert not far.passed and far.failure_mode in ("not_shown", "illegal_process"), far.explanation


def test_a_watermark_may_move_a_little_but_nothing_else_may_come_with_it() -> None:
    def move(frame: Frame, t: float) -> Frame:
        height, width = frame.shape[:2]
        at = round(0.06 * width), round((0.12 if t < 0.5 else 0.18) * height)
        cv2.circle(frame, at, round(0.05 * height), (200, 30, 160), -1)
        return frame

    def add(frame: Frame, t: float) -> Frame:
        return with_disc(0.52, 0.5, 0.5)(move(frame, t), t)

    assert score("sudoku", move).passed
    assert not score("sudoku", add).solved
