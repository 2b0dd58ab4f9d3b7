"""Questions whose first frame a user has restyled: the solution in the same style passes, cheats do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest

from vmevalkit.audit.kinds import effects
from vmevalkit.eval.api import score_frames
from vmevalkit.eval.pipeline import score_timed_frames
from vmevalkit.eval.question_puzzle import read_first_frame
from vmevalkit.media.image import Frame, encode_png
from vmevalkit.media.video import TimedFrame
from vmevalkit.store.layout import question_folder
from vmevalkit.store.questions import load_question
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import write_question
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask

Style = Callable[[Frame], Frame]


def make_walls_brown(frame: Frame) -> Frame:
    """Turn black and grey into brown; colours and white stay."""
    levels = frame.astype(np.float32)
    high, low = levels.max(axis=2), levels.min(axis=2)
    darkness = (1 - high / 255) * np.clip(1 - (high - low) / 80, 0, 1)
    return effects.to_frame(levels + darkness[..., None] * np.array([120, 75, 40]))


STYLES: dict[str, Style] = {
    "brown_lines": make_walls_brown,
    "other_hues": lambda frame: effects.rotate_hue(frame, 40),
    "sepia_paper": lambda frame: effects.scale_levels(frame, (1.0, 0.93, 0.78)),
    "dark_mode": lambda frame: effects.scale_levels(255 - frame, 0.85, 18),
}


def render(task: AnyTask, puzzle: Any, state_at: Callable[[float], Any], style: Style) -> list[TimedFrame]:
    size = task.reading_size(puzzle)
    times = [min(max((index - 3) / 30, 0.0), 1.0) for index in range(40)]
    frames = (style(task.draw(puzzle, state_at(t))) for t in times)
    return [
        TimedFrame(index / 12, np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8))
        for index, frame in enumerate(frames)
    ]


NAMES = [name for name, task in TASKS.items() if not isinstance(task, SceneTask)]
PAIRS = [(name, list(STYLES)[(place + turn) % len(STYLES)]) for place, name in enumerate(NAMES) for turn in (0, 2)]
"""Each task in two styles."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "style"), PAIRS)
def test_the_solution_of_a_restyled_question_passes_and_a_cheat_does_not(name: str, style: str) -> None:
    task, restyle = TASKS[name], STYLES[style]
    puzzle = plan(task, 1, 5, task.preset())[0]
    first_frame = restyle(task.first_frame(puzzle))
    honest = render(task, puzzle, lambda t: task.solution(puzzle, t), restyle)
    assert score_timed_frames(task, puzzle, honest, first_frame=first_frame).value == 5
    cheats = task.cheats(puzzle, Random(1))
    wrong = Random(style).choice([name for name, cheat in cheats.items() if cheat.expected == "fail"])
    video = render(task, puzzle, cheats[wrong].state_at, restyle)
    assert not score_timed_frames(task, puzzle, video, first_frame=first_frame).passed


def test_the_first_frame_of_a_question_is_its_file(tmp_path: Path) -> None:
    task = TASKS["maze"]
    puzzle = plan(task, 1, 5, task.preset())[0]
    write_question(task, puzzle, "maze_0000", tmp_path, difficulty="easy", seed=5)
    question = load_question(question_folder(tmp_path, "maze", "maze_0000"))
    restyle = STYLES["dark_mode"]
    video = np.stack([timed.frame for timed in render(task, puzzle, lambda t: task.solution(puzzle, t), restyle)])
    assert score_frames(question, video, 12).value == 1
    question.first_frame.write_bytes(encode_png(restyle(task.first_frame(puzzle))))
    assert score_frames(question, video, 12).value == 5
    question.first_frame.unlink()
    assert read_first_frame(question) is None
