"""Questions whose pictures somebody else drew: right videos pass, static, wrong and illegal ones do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from foreign_styles import draw_chess, draw_maze, draw_objects, draw_pipes, draw_raven, draw_sculpture, draw_sudoku

from vmevalkit.core.records import Score
from vmevalkit.eval.pipeline import score_timed_frames
from vmevalkit.media.image import Frame, encode_png
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.chess_task.chess_reasoning import make_puzzle
from vmevalkit.tasks.kit.question_pictures import UnreadablePictures
from vmevalkit.tasks.maze_task.lattice import centre, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import MazeState
from vmevalkit.tasks.pictures.own_pictures import prepare_question
from vmevalkit.tasks.planning import plan

FPS = 12


def play(frames: Sequence[Frame]) -> list[TimedFrame]:
    """Frames as a video of 16:9, in which a model has put the picture, with a little noise."""
    rng, shown = np.random.default_rng(3), []
    for index, frame in enumerate(frames):
        height, width = frame.shape[:2]
        wide = max(width, round(height * 16 / 9))
        canvas = np.tile(frame[:1, :1], (height, wide, 1))
        left = (wide - width) // 2
        canvas[:, left : left + width] = frame
        noisy = canvas.astype(np.int16) + rng.integers(-4, 5, canvas.shape)
        shown.append(TimedFrame(index / FPS, np.clip(noisy, 0, 255).astype(np.uint8)))
    return shown


def cut(first: Frame, last: Frame) -> list[TimedFrame]:
    return play([first] * FPS + [last] * FPS)


class Drawn:
    """A puzzle in a foreign style, with its pictures as files."""

    def __init__(self, name: str, puzzle: Any, draw: Callable[[Any], Frame], folder: Path) -> None:
        self.task, self.puzzle, self.draw = TASKS[name], puzzle, draw
        self.first, self.final = (draw(self.task.solution(puzzle, t)) for t in (0.0, 1.0))
        self.file = folder / "final_frame.png"
        self.file.write_bytes(encode_png(self.final))

    def score(self, video: list[TimedFrame]) -> Score:
        return score_timed_frames(self.task, self.puzzle, video, first_frame=self.first, final_frame=self.file)


def make_sudoku(folder: Path, difficulty: str = "medium") -> Drawn:
    task = TASKS["sudoku"]
    puzzle = plan(task, 1, 4, task.preset(difficulty))[0]
    return Drawn("sudoku", puzzle, lambda state: draw_sudoku(puzzle.order, state.values), folder)


def make_chess(folder: Path) -> Drawn:
    puzzle = make_puzzle("6k1/5ppp/n7/8/8/8/1N3PPP/3R2K1 w - - 0 1")
    return Drawn("chess", puzzle, lambda state: draw_chess(state.get_letters()), folder)


def make_raven(folder: Path) -> Drawn:
    task = TASKS["raven"]
    puzzles = plan(task, 30, 8, task.preset("medium"))
    puzzle = next(each for each in puzzles if each.answer not in each.tiles[:8])
    return Drawn("raven", puzzle, lambda state: draw_raven(state.readings), folder)


def make_maze(folder: Path) -> Drawn:
    task = TASKS["maze"]
    puzzle = plan(task, 1, 7, task.preset("medium"))[0]
    return Drawn("maze", puzzle, lambda state: draw_maze(puzzle.grid_n, state), folder)


def make_sculpture(folder: Path) -> Drawn:
    task = TASKS["rotation"]
    puzzle = plan(task, 1, 2, task.preset("easy"))[0]
    return Drawn("rotation", puzzle, lambda state: draw_sculpture(puzzle, state), folder)


def make_objects(folder: Path) -> Drawn:
    task = TASKS["object_subtraction"]
    puzzle = plan(task, 1, 6, task.preset("easy"))[0]
    return Drawn("object_subtraction", puzzle, lambda state: draw_objects(puzzle, state), folder)


def make_pipes(folder: Path) -> Drawn:
    task = TASKS["rotation_puzzle"]
    puzzle = plan(task, 1, 6, task.preset("easy"))[0]
    return Drawn("rotation_puzzle", puzzle, lambda state: draw_pipes(puzzle, state), folder)


BOARDS = (make_sudoku, make_chess, make_raven, make_objects)


@pytest.mark.parametrize("make", (*BOARDS, make_maze, make_sculpture, make_pipes))
def test_a_static_video_is_static(make: Callable[[Path], Drawn], tmp_path: Path) -> None:
    drawn = make(tmp_path)
    score = drawn.score(play([drawn.first] * 2 * FPS))
    assert (score.failure_mode, score.value) == ("static", 1)


@pytest.mark.parametrize("make", BOARDS)
def test_a_cut_to_the_answer_passes_where_only_the_end_counts(make: Callable[[Path], Drawn], tmp_path: Path) -> None:
    drawn = make(tmp_path)
    assert drawn.score(cut(drawn.first, drawn.final)).passed


def test_a_wrong_digit_and_a_changed_given_do_not_pass(tmp_path: Path) -> None:
    drawn = make_sudoku(tmp_path)
    puzzle = drawn.puzzle
    blank = puzzle.blanks[0]
    given = next(cell for cell, digit in enumerate(puzzle.givens) if digit)
    for cell in (blank, given):
        values = list(puzzle.solution)
        values[cell] = values[cell] % puzzle.order + 1
        assert not drawn.score(cut(drawn.first, draw_sudoku(puzzle.order, values))).solved


def test_a_digit_of_a_video_is_read_that_no_picture_shows(tmp_path: Path) -> None:
    drawn = make_sudoku(tmp_path, "hard")
    final = drawn.final.copy()
    left, top, blank = 34, 21, drawn.puzzle.blanks[0]
    x, y = left + blank % 9 * 110, top + blank // 9 * 110
    final[y + 4 : y + 106, x + 4 : x + 106] = (30, 34, 66)
    digit = str(drawn.puzzle.solution[blank])
    cv2.putText(final, digit, (x + 40, y + 72), cv2.FONT_HERSHEY_SIMPLEX, 1.7, (250, 220, 90), 3, cv2.LINE_AA)
    assert drawn.score(cut(drawn.first, final)).solved


def still(*frames: Frame) -> list[TimedFrame]:
    """Each frame for two seconds, without noise: equal frames are equal in every pixel."""
    return [TimedFrame(index / FPS, frames[index // (2 * FPS)]) for index in range(2 * FPS * len(frames))]


def test_a_still_answer_that_is_drawn_smaller_passes(tmp_path: Path) -> None:
    drawn = make_sudoku(tmp_path)
    height, width = drawn.first.shape[:2]
    smaller = np.array([[0.93, 0, 0.035 * width], [0, 0.93, 0.035 * height]])
    ground = tuple(int(level) for level in drawn.first[0, 0])
    final = cv2.warpAffine(drawn.final, smaller, (width, height), flags=cv2.INTER_AREA, borderValue=ground)
    score = drawn.score(still(drawn.first, np.asarray(final, np.uint8)))
    assert score.passed, score.explanation


def test_another_move_does_not_pass(tmp_path: Path) -> None:
    drawn = make_chess(tmp_path)
    letters = list(drawn.task.solution(drawn.puzzle, 0.0).get_letters())
    letters[59], letters[51] = ".", "R"  # the rook goes to d2
    score = drawn.score(cut(drawn.first, draw_chess(letters)))
    assert not score.solved
    assert 0 < score.outcome < 0.5


def test_another_tile_does_not_pass(tmp_path: Path) -> None:
    drawn = make_raven(tmp_path)
    tiles = list(drawn.puzzle.tiles)
    other = next(tile for tile in tiles if tile not in (tiles[0], tiles[8]))
    assert not drawn.score(cut(drawn.first, draw_raven([*tiles[:8], other]))).solved
    assert not drawn.score(cut(drawn.first, draw_raven([other, *tiles[1:]]))).solved


def test_objects_that_are_kept_must_stay(tmp_path: Path) -> None:
    drawn = make_objects(tmp_path)
    final, start = (drawn.task.solution(drawn.puzzle, t) for t in (1.0, 0.0))
    kept = final.objects[0]
    less = replace(final, objects=final.objects[1:])
    assert not drawn.score(cut(drawn.first, drawn.draw(less))).solved
    moved = replace(final, objects=(replace(kept, x=kept.x + 0.2 * kept.size), *final.objects[1:]))
    assert not drawn.score(cut(drawn.first, drawn.draw(moved))).passed
    gone = set(start.objects) - set(final.objects)
    half = replace(final, objects=(*final.objects, sorted(gone, key=lambda each: each.id)[0]))
    assert not drawn.score(cut(drawn.first, drawn.draw(half))).solved


def test_an_answer_that_no_picture_shows_is_unscored(tmp_path: Path) -> None:
    drawn = make_raven(tmp_path)
    assert drawn.puzzle.answer not in drawn.puzzle.tiles[:8]
    score = score_timed_frames(drawn.task, drawn.puzzle, cut(drawn.first, drawn.final), first_frame=drawn.first)
    assert not score.scored
    assert "add final_frame.png" in score.explanation


def walk(drawn: Drawn, state_at: Callable[[float], MazeState]) -> Score:
    times = [0.0] * 4 + [step / 44 for step in range(45)] + [1.0] * 4
    return drawn.score(play([drawn.draw(state_at(t)) for t in times]))


def test_a_star_that_walks_to_the_cup_passes(tmp_path: Path) -> None:
    drawn = make_maze(tmp_path)
    score = walk(drawn, lambda t: drawn.task.solution(drawn.puzzle, t))
    assert score.passed, score.explanation


def test_cheats_in_a_maze_of_others_do_not_pass(tmp_path: Path) -> None:
    drawn = make_maze(tmp_path)
    puzzle, solve = drawn.puzzle, lambda t: drawn.task.solution(drawn.puzzle, t)
    (x, y), (u, v) = centre(puzzle.start), centre(puzzle.goal)
    through = walk(drawn, lambda t: replace(solve(0.0), dots=((x + t * (u - x), y + t * (v - y)),)))
    assert not through.passed
    assert not walk(drawn, lambda t: solve(0.8 * t)).solved
    opened = next(
        wall_between(puzzle.grid_n, (row, 1), (row, 2)) for row in range(puzzle.grid_n)
        if ((row, 1), (row, 2)) not in puzzle.passages
    )  # fmt: skip
    erased = walk(drawn, lambda t: replace(solve(t), walls=solve(t).walls & ~((t > 0.4) << opened)))
    assert "wall_changed" in {finding.name for finding in erased.findings}
    assert not erased.passed
    doubled = walk(drawn, lambda t: replace(solve(t), dots=(*solve(t).dots, *([(0.5, 4.5)] if t > 0.5 else []))))
    assert not doubled.passed
    assert not walk(drawn, lambda t: replace(solve(t), flags=() if t > 0.5 else solve(t).flags)).passed


def test_pipes_that_turn_pass_and_a_cut_does_not(tmp_path: Path) -> None:
    drawn = make_pipes(tmp_path)
    times = [0.0] * 4 + [step / 40 for step in range(41)] + [1.0] * 4
    frames = [drawn.draw(drawn.task.solution(drawn.puzzle, t)) for t in times]
    score = drawn.score(play(frames))
    assert score.passed, score.explanation
    assert not drawn.score(play(frames[:24])).solved
    assert not drawn.score(cut(drawn.first, drawn.final)).passed


def test_a_camera_that_turns_around_the_sculpture_passes(tmp_path: Path) -> None:
    drawn = make_sculpture(tmp_path)
    times = [0.0] * 3 + [step / 40 for step in range(41)] + [1.0] * 4
    frames = [drawn.draw(drawn.task.solution(drawn.puzzle, t)) for t in times]
    score = drawn.score(play(frames))
    assert score.passed, score.explanation
    assert not drawn.score(play(frames[:30])).solved


@pytest.mark.parametrize("make", (make_sudoku, make_raven, make_maze, make_sculpture, make_pipes))
def test_a_picture_of_another_puzzle_is_unscored(make: Callable[[Path], Drawn], tmp_path: Path) -> None:
    drawn = make(tmp_path)
    other = np.ascontiguousarray(drawn.first[:, ::-1])
    with pytest.raises(UnreadablePictures, match=r"first_frame\.png"):
        prepare_question(drawn.task, drawn.puzzle, other, drawn.file)
    score = score_timed_frames(drawn.task, drawn.puzzle, play([other] * FPS), first_frame=other)
    assert not score.scored
    assert score.value is None
    assert "cannot be scored by rules" in score.explanation


def test_a_final_frame_without_the_answer_is_unscored(tmp_path: Path) -> None:
    drawn = make_raven(tmp_path)
    drawn.file.write_bytes(encode_png(drawn.first))
    score = drawn.score(cut(drawn.first, drawn.final))
    assert not score.scored
    assert "final_frame.png" in score.explanation
