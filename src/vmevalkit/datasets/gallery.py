"""Images of all tasks: a page with every difficulty, and one overview with a card for each task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
OVERVIEW_MOMENTS = (0.0, 0.5, 1.0)
_COLUMNS, _MARGIN, _HEADING, _CARD, _GAP = 3, 24, 54, 152, 20
_CARD_WIDTH = (OVERVIEW_WIDTH - 2 * _MARGIN - (_COLUMNS - 1) * _GAP) // _COLUMNS
_FRAME_WIDTH, _FRAME_HEIGHT = (_CARD_WIDTH - 12) // len(OVERVIEW_MOMENTS), 112
_HEADINGS = {
    "planning": "Planning: find a way",
    "deduction": "Deduction: follow the rules",
    "perception": "Perception: see what is where and how it turns",
    "": "Other tasks",
}
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
    """Return one image with a card for each task: its title, and the first, a middle and the final frame of a solution
    of middle difficulty. Tasks of one cognitive group stand together."""
    groups = _group_tasks(tasks)
    canvas, top = Canvas(OVERVIEW_WIDTH, _measure_height(groups), _BACKGROUND), _MARGIN // 2
    for group, members in groups.items():
        canvas.text(_HEADINGS[group], _MARGIN, top + _HEADING / 2, 20, _TEXT, bold=True, anchor="left")
        top += _HEADING
        for index, task in enumerate(members):
            row, column = divmod(index, _COLUMNS)
            _draw_card(canvas, task, _MARGIN + column * (_CARD_WIDTH + _GAP), top + _CARD * row, seed)
        top += _CARD * _count_rows(members)
    return canvas.frame()


def measure_overview(tasks: Sequence[str] | None = None) -> tuple[int, int]:
    """Return width and height of the overview of these tasks."""
    return OVERVIEW_WIDTH, _measure_height(_group_tasks(tasks))


def _group_tasks(tasks: Sequence[str] | None) -> dict[str, list[AnyTask]]:
    """Return the tasks of each group; those that judge the process come first."""
    chosen = sorted((TASKS[name] for name in tasks or TASKS), key=_is_judged_by_final_state)
    groups = {group: [task for task in chosen if task.group == group] for group in _HEADINGS}
    return {group: members for group, members in groups.items() if members}


def _count_rows(members: Sequence[AnyTask]) -> int:
    return -(-len(members) // _COLUMNS)


def _measure_height(groups: Mapping[str, Sequence[AnyTask]]) -> int:
    return _MARGIN + sum(_HEADING + _CARD * _count_rows(members) for members in groups.values())


def _is_judged_by_final_state(task: AnyTask) -> bool:
    return task.tricks["cut_to_final"] == "pass"


def _draw_card(canvas: Canvas, task: AnyTask, left: int, top: int, seed: int) -> None:
    judged = "outcome" if _is_judged_by_final_state(task) else "process"
    canvas.text(task.title, left, top + 10, 14, _TEXT, bold=True, anchor="left")
    canvas.text(judged, left + _CARD_WIDTH, top + 10, 11, _QUIET_TEXT, anchor="right")
    difficulties = list(task.difficulties)
    puzzle = plan(task, 1, seed, task.preset(difficulties[len(difficulties) // 2]))[0]
    frames = _trim([task.draw(puzzle, task.solution(puzzle, moment)) for moment in OVERVIEW_MOMENTS])
    for index, full in enumerate(frames):
        frame = _shrink(full, _FRAME_WIDTH - 2, _FRAME_HEIGHT)
        height, width = frame.shape[:2]
        x = left + index * (_FRAME_WIDTH + 6) + (_FRAME_WIDTH - width) // 2
        y = top + 22 + (_FRAME_HEIGHT - height) // 2
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
