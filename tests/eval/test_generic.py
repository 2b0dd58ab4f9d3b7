"""The generic scorer: the last frame against the expected one, and what it says that it cannot know."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from eval.judged_videos import make_question, write_solution
from vmevalkit.baselines.degradations import DEGRADATIONS
from vmevalkit.core.records import Question, Score
from vmevalkit.eval.generic import LIMITS_NOTE, GenericScorer
from vmevalkit.media.image import encode_png, read_image
from vmevalkit.media.video_writer import write_video
from vmevalkit.store.questions import load_question
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import write_question
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask


def score(question: Question, video: Path, own_run: bool = True) -> Score:
    own = Question(question.id, "mine", question.prompt, question.folder)  # without a puzzle: pictures only
    return GenericScorer().score(own, video, None, own_run)


@pytest.mark.parametrize("name", ["chess", "maze", "sudoku"])
def test_a_solution_is_solved_and_half_of_it_is_not(tmp_path: Path, name: str) -> None:
    question, puzzle = make_question(tmp_path, name)
    whole = score(question, write_solution(question, puzzle, tmp_path / "whole.mp4"))
    assert (whole.value, whole.solved, whole.passed, whole.process) == (5, True, None, None)
    assert LIMITS_NOTE in whole.explanation
    still = score(question, write_solution(question, puzzle, tmp_path / "still.mp4", until=0.0))
    assert (still.value, still.solved, still.outcome) == (1, False, 0.0)
    half = score(question, write_solution(question, puzzle, tmp_path / "half.mp4", until=0.5))
    assert half.solved is False


def test_a_letterboxed_solution_is_solved(tmp_path: Path) -> None:
    question, puzzle = make_question(tmp_path, "chess")
    task = TASKS["chess"]
    frames = [task.draw(puzzle, task.solution(puzzle, t)) for t in (0, 0, 0, 0, 0.5, 1, 1, 1, 1)]
    boxed = [np.pad(frame, ((0, 0), (150, 150), (0, 0))) for frame in frames]
    write_video(tmp_path / "boxed.mp4", boxed, 8.0)
    assert score(question, tmp_path / "boxed.mp4").value == 5
    assert "letterbox_black" in DEGRADATIONS


def test_damage_elsewhere_is_a_finding(tmp_path: Path) -> None:
    question, puzzle = make_question(tmp_path, "chess")
    task = TASKS["chess"]
    frames = [task.draw(puzzle, task.solution(puzzle, t)).copy() for t in (0, 0, 0, 0, 0.5, 1, 1, 1, 1)]
    changed = np.any(frames[0] != frames[-1], axis=2)
    row, column = next((r, c) for r in (0, 300) for c in (0, 300) if not changed[r : r + 100, c : c + 100].any())
    for frame in frames[5:]:
        frame[row + 20 : row + 80, column + 20 : column + 80] = (255, 0, 255)
    write_video(tmp_path / "sticker.mp4", frames, 8.0)
    found = score(question, tmp_path / "sticker.mp4")
    assert [finding.name for finding in found.findings] == ["changed_elsewhere"]
    assert found.solved is False


def write_states(task: AnyTask, puzzle: Any, states: list[Any], into: Path) -> Path:
    write_video(into, [task.draw(puzzle, state) for state in states], 8.0)
    return into


def test_a_redrawn_maze_does_not_pass(tmp_path: Path) -> None:
    """Each wall that is drawn elsewhere is small; together they are another maze."""
    question, maze = make_question(tmp_path, "maze")
    task = TASKS["maze"]
    states = [task.solution(maze, t) for t in (0, 0, 0, 0, 0.3, 0.6, 1, 1, 1, 1)]
    other = task.solution(make_question(tmp_path / "other", "maze", seed=2)[1], 0.0).walls
    redrawn = [state if index < 4 else replace(state, walls=other) for index, state in enumerate(states)]
    found = score(question, write_states(task, maze, redrawn, tmp_path / "redrawn.mp4"))
    assert found.solved is False and (found.value or 0) <= 3
    assert [finding.name for finding in found.findings] == ["changed_elsewhere"]


@pytest.mark.parametrize("trick", ["given_changed", "given_lost", "given_doubled"])
def test_a_sudoku_whose_givens_changed_does_not_pass(tmp_path: Path, trick: str) -> None:
    task = TASKS["sudoku"]
    puzzle = plan(task, 1, 3, task.preset("hard"))[0]
    write_question(task, puzzle, "sudoku_0000", tmp_path, difficulty="hard", seed=3)
    question = load_question(tmp_path / "sudoku_task" / "sudoku_0000")
    cheat = task.cheats(puzzle, Random(4))[trick]
    states = [cheat.state_at(t) for t in (0, 0, 0, 0, 0.3, 0.6, 1, 1, 1, 1)]
    found = score(question, write_states(task, puzzle, states, tmp_path / "changed.mp4"))
    assert found.solved is False and (found.value or 0) <= 3


def test_what_cannot_be_compared_is_unscored(tmp_path: Path) -> None:
    question, puzzle = make_question(tmp_path, "chess")
    video = write_solution(question, puzzle, tmp_path / "video.mp4")
    other, other_puzzle = make_question(tmp_path / "other", "maze")
    wrong = write_solution(other, other_puzzle, tmp_path / "wrong.mp4")
    assert (score(question, wrong).value, score(question, wrong).failure_mode) == (1, "scene_broken")
    assert "another question" in score(question, wrong, own_run=False).explanation
    (tmp_path / "no.mp4").write_bytes(b"nothing")
    assert score(question, tmp_path / "no.mp4").value is None
    final = question.folder / "final_frame.png"
    final.write_bytes(encode_png(read_image(question.first_frame)))
    assert "the same as the first frame" in score(question, video).explanation
    final.unlink()
    (question.folder / "goal.txt").write_text("Mate.")
    assert "a goal in words needs a judge or a person" in score(question, video).explanation
