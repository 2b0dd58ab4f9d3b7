"""A gallery of all tasks: what a model is shown at each difficulty, and a strip of the solution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from vmevalkit.media.canvas import side_by_side
from vmevalkit.media.picture import Frame, encode_png
from vmevalkit.store.commit import write_file
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask

PICTURES = "gallery"
HEIGHT = 200
MOMENTS = (0.0, 0.25, 0.5, 0.75, 1.0)


def write_gallery(page: Path | str, tasks: Sequence[str] | None = None, seed: int = 1) -> Path:
    """Write the page, and beside it the folder of its pictures."""
    place = Path(page)
    names = list(tasks or TASKS)
    parts = [
        "# Gallery\n",
        "One question of every task at every difficulty: the first frame and the prompt are what a model is given; the "
        "strip is the reference solution, from the first frame to the final one. Difficulty labels are nominal until "
        "response curves confirm them.\n",
        f"Made by `vmevalkit gallery --seed {seed}`.\n",
    ]
    for name in names:
        parts.extend(_section(TASKS[name], place.parent, seed))
    write_file(place, "\n".join(parts))
    return place


def _section(task: AnyTask, folder: Path, seed: int) -> Iterator[str]:
    yield f"## {task.title}\n"
    yield f"{task.description}\n"
    for difficulty in task.difficulties:
        puzzle = plan(task, 1, seed, task.preset(difficulty))[0]
        name = f"{task.name}_{difficulty}.png"
        frames = (_small(task.draw(puzzle, task.solution(puzzle, t))) for t in MOMENTS)
        write_file(folder / PICTURES / name, encode_png(side_by_side(frames)))
        yield f"### {task.title}, {difficulty}\n"
        yield "> " + task.prompt(puzzle).replace("\n", "\n> ") + "\n"
        yield f"![{task.title}, {difficulty}: the solution in {len(MOMENTS)} frames]({PICTURES}/{name})\n"


def _small(frame: Frame) -> Frame:
    scale = HEIGHT / frame.shape[0]
    size = round(frame.shape[1] * scale), HEIGHT
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
