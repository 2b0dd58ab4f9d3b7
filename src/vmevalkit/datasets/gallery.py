"""Images of all tasks: a page with every difficulty, and one overview with a tile for each task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from vmevalkit.core.errors import UsageError
from vmevalkit.media.canvas import Canvas, side_by_side
from vmevalkit.media.image import Frame, encode_png
from vmevalkit.store.atomic import write_file
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask

IMAGES = "gallery"
HEIGHT = 200
MOMENTS = (0.0, 0.25, 0.5, 0.75, 1.0)

OVERVIEW_WIDTH = 1800
OVERVIEW_MOMENT = 0.6
"""Share of the solution at which the overview shows a puzzle: some of it is done, and something is in motion."""
_COLUMNS, _MARGIN, _LEGEND, _TILE = 9, 24, 56, 186
_TILE_WIDTH = (OVERVIEW_WIDTH - 2 * _MARGIN) // _COLUMNS
_FRAME_WIDTH, _FRAME_HEIGHT = _TILE_WIDTH - 20, 138
_GROUPS = {
    "planning": ("Planning: find a way", "#2563eb"),
    "deduction": ("Deduction: follow the rules", "#16a34a"),
    "perception": ("Perception: see what is where and how it turns", "#d97706"),
    "": ("Other tasks", "#64748b"),
}
"""Heading and colour of each cognitive group, in their order."""
_PADDING = 0.04
"""White space around a trimmed scene, as a share of its longer side."""
_BACKGROUND, _EDGE, _TEXT = "#f8fafc", "#cbd5e1", "#0f172a"


def write_gallery(page: Path | str, tasks: Sequence[str] | None = None, seed: int = 1) -> Path:
    """Write the page, and beside it the folder of its images."""
    place = Path(page)
    names = list(tasks or TASKS)
    parts = [
        "# Gallery\n",
        "One question of every task at every difficulty. A model is given the first frame and the prompt; the strip is "
        "the reference solution, from the first frame to the final one. Difficulty labels are nominal until response "
        "curves confirm them.\n",
        f"Made by `vmevalkit gallery --seed {seed}`.\n",
    ]
    for name in names:
        parts.extend(_section(TASKS[name], place.parent, seed))
    write_file(place, "\n".join(parts))
    return place


def write_overview(image: Path | str, tasks: Sequence[str] | None = None, seed: int = 1) -> Path:
    """Write the overview as a PNG file."""
    place = Path(image)
    if place.suffix.lower() != ".png":
        raise UsageError(f"the overview is a PNG image, and {str(place)!r} does not end in .png; name it overview.png")
    write_file(place, encode_png(draw_overview(tasks, seed)))
    return place


def draw_overview(tasks: Sequence[str] | None = None, seed: int = 1) -> Frame:
    """Return one image with a tile for each task: its title, and a frame of a solution of middle difficulty.

    Tasks of one cognitive group stand together, under a line of the group's colour.
    """
    ordered = _order_tasks(tasks)
    canvas, left = Canvas(OVERVIEW_WIDTH, measure_overview(tasks)[1], _BACKGROUND), _MARGIN + 14
    for group, (heading, colour) in _GROUPS.items():
        if any(task.group == group for task in ordered):
            canvas.circle(left, _LEGEND / 2, 10, colour)
            canvas.text(heading, left + 22, _LEGEND / 2, 20, _TEXT, bold=True, anchor="left")
            left += 100 + 13 * len(heading)
    for index, task in enumerate(ordered):
        row, column = divmod(index, _COLUMNS)
        _draw_tile(canvas, task, _MARGIN + column * _TILE_WIDTH, _LEGEND + row * _TILE, seed)
    return canvas.frame()


def measure_overview(tasks: Sequence[str] | None = None) -> tuple[int, int]:
    """Return width and height of the overview of these tasks."""
    rows = -(-len(_order_tasks(tasks)) // _COLUMNS)
    return OVERVIEW_WIDTH, _LEGEND + rows * _TILE + _MARGIN // 2


def _order_tasks(tasks: Sequence[str] | None) -> list[AnyTask]:
    """Return the tasks group by group."""
    groups = list(_GROUPS)
    return sorted((TASKS[name] for name in tasks or TASKS), key=lambda task: (groups.index(task.group), task.title))


def _draw_tile(canvas: Canvas, task: AnyTask, left: int, top: int, seed: int) -> None:
    difficulties = list(task.difficulties)
    puzzle = plan(task, 1, seed, task.preset(difficulties[len(difficulties) // 2]))[0]
    moments = (0.0, OVERVIEW_MOMENT, 1.0)
    _, full, _ = _trim([task.draw(puzzle, task.solution(puzzle, moment)) for moment in moments])
    frame = _shrink(full, _FRAME_WIDTH, _FRAME_HEIGHT)
    height, width = frame.shape[:2]
    canvas.rectangle(left + 10, top, _FRAME_WIDTH, 4, _GROUPS[task.group][1])
    canvas.text(task.title, left + _TILE_WIDTH / 2, top + 19, 16, _TEXT, bold=True)
    x, y = left + (_TILE_WIDTH - width) // 2, top + 34 + (_FRAME_HEIGHT - height) // 2
    canvas.rectangle(x - 1, y - 1, width + 2, height + 2, _EDGE)
    canvas.paste(frame, x, y)


def _trim(frames: Sequence[Frame]) -> list[Frame]:
    """Return the frames without the empty margin that all of them have."""
    drawn = np.any([frame != frame[0, 0] for frame in frames], axis=(0, 3))
    if not drawn.any():
        return list(frames)
    (top, bottom), (left, right) = (np.flatnonzero(drawn.any(axis=axis))[[0, -1]] for axis in (1, 0))
    padding = round(_PADDING * max(bottom - top, right - left))
    rows = slice(max(0, top - padding), bottom + padding + 1)
    columns = slice(max(0, left - padding), right + padding + 1)
    return [frame[rows, columns] for frame in frames]


def _section(task: AnyTask, folder: Path, seed: int) -> Iterator[str]:
    yield f"## {task.title}\n"
    yield f"{task.description}\n"
    for difficulty in task.difficulties:
        puzzle = plan(task, 1, seed, task.preset(difficulty))[0]
        name = f"{task.name}_{difficulty}.png"
        frames = (_shrink(task.draw(puzzle, task.solution(puzzle, t)), None, HEIGHT) for t in MOMENTS)
        write_file(folder / IMAGES / name, encode_png(side_by_side(frames)))
        yield f"### {task.title}, {difficulty}\n"
        yield "> " + task.prompt(puzzle).replace("\n", "\n> ") + "\n"
        yield f"![{task.title}, {difficulty}: the solution in {len(MOMENTS)} frames]({IMAGES}/{name})\n"


def _shrink(frame: Frame, width: int | None, height: int) -> Frame:
    """Return the frame scaled to fit into the width and height; any width where it is None."""
    scale = height / frame.shape[0]
    if width is not None:
        scale = min(scale, width / frame.shape[1])
    size = round(frame.shape[1] * scale), round(frame.shape[0] * scale)
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
