"""Images of all tasks: a page with every difficulty, and one overview with a strip of each task."""

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

OVERVIEW_WIDTH = 1200
OVERVIEW_MOMENTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_MARGIN, _HEADER, _ROW = 24, 36, 130
_TITLE_WIDTH = 206
_CELL_WIDTH = (OVERVIEW_WIDTH - 2 * _MARGIN - _TITLE_WIDTH) // len(OVERVIEW_MOMENTS)
_FRAME_WIDTH, _FRAME_HEIGHT = _CELL_WIDTH - 12, _ROW - 12
_PADDING = 0.04
"""White space around a trimmed scene, as a share of its longer side."""
_BACKGROUND, _EDGE, _TEXT, _QUIET_TEXT = "#f8fafc", "#cbd5e1", "#0f172a", "#64748b"


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
    """Return one image with a row for each task: its title and six frames of a solution of middle difficulty.

    Tasks in which the way to the answer counts come first."""
    rows = sorted((TASKS[name] for name in tasks or TASKS), key=_is_judged_by_final_state)
    canvas = Canvas(OVERVIEW_WIDTH, _HEADER + _ROW * len(rows) + _MARGIN, _BACKGROUND)
    for index in (0, len(OVERVIEW_MOMENTS) - 1):
        label = "final frame" if index else "first frame"
        canvas.text(label, _cell_centre(index), _HEADER / 2 + 4, 13, _QUIET_TEXT)
    for row, task in enumerate(rows):
        _draw_row(canvas, task, _HEADER + _ROW * row, seed)
    return canvas.frame()


def _is_judged_by_final_state(task: AnyTask) -> bool:
    return task.tricks["cut_to_final"] == "pass"


def _cell_centre(index: int) -> float:
    return _MARGIN + _TITLE_WIDTH + (index + 0.5) * _CELL_WIDTH


def _draw_row(canvas: Canvas, task: AnyTask, top: int, seed: int) -> None:
    middle = top + _ROW / 2
    counted = "the final state counts" if _is_judged_by_final_state(task) else "the way counts"
    canvas.text(task.title, _MARGIN, middle - 11, 18, _TEXT, bold=True, anchor="left")
    canvas.text(counted, _MARGIN, middle + 13, 13, _QUIET_TEXT, anchor="left")
    difficulties = list(task.difficulties)
    puzzle = plan(task, 1, seed, task.preset(difficulties[len(difficulties) // 2]))[0]
    frames = _trim([task.draw(puzzle, task.solution(puzzle, moment)) for moment in OVERVIEW_MOMENTS])
    for index, full in enumerate(frames):
        frame = _shrink(full, _FRAME_WIDTH, _FRAME_HEIGHT)
        height, width = frame.shape[:2]
        x, y = round(_cell_centre(index) - width / 2), round(middle - height / 2)
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
