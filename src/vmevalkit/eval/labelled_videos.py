"""A folder of labelled videos: ``labels.json`` with, for each video, its puzzle, where its first frame shows it, and
what people saw in it. docs/VALIDATION.md describes the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import parse_json
from vmevalkit.store.foreign_file import open_foreign_file, read_foreign_file

LABELS = "labels.json"
SURE = ("high", "medium")
_MOST_BYTES = 1 << 26
Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LabelledVideo:
    """One video with its label, and its puzzle as a question's record has it."""

    id: str
    video: Path
    first_frame: Path
    kind: str
    """What the label file calls the puzzle."""
    model: str
    task: str | None
    """The name of our task; None where there is none for this kind of puzzle."""
    puzzle: Mapping[str, Any]
    pictures: Mapping[str, Any]
    """What a question's record says of its pictures."""
    passes: bool | None
    """Whether the video is a pass; None where people could not tell."""
    is_sure: bool
    why: str = ""
    flags: tuple[str, ...] = ()
    prompt: str = ""
    reason: str = ""
    """Why there is no task or puzzle."""


def load_labelled_videos(folder: Path) -> list[LabelledVideo]:
    """Return the videos of a folder. An entry whose puzzle is not one of ours is there without a task."""
    try:
        entries = parse_json(read_foreign_file(folder, LABELS, _MOST_BYTES))
    except ValueError as error:
        raise StoreError(
            f"{folder / LABELS} is not JSON ({error}); write a list with an entry for each video"
        ) from error
    if not isinstance(entries, list):
        raise StoreError(f"{folder / LABELS} is not a list; write one with an entry for each video")
    return [_load(folder, number, entry) for number, entry in enumerate(entries)]


def _load(folder: Path, number: int, entry: Any) -> LabelledVideo:
    try:
        label = entry["label"]
        for name in ("file", "first"):
            open_foreign_file(folder, entry[name]).close()
        kind = str(entry.get("game") or entry["kind"])
        task, puzzle, pictures, reason = _convert(entry)
        return LabelledVideo(
            str(entry["id"]), folder / entry["file"], folder / entry["first"], kind, str(entry["model"]),
            task, puzzle, pictures, label["pass"], label.get("sure") in SURE and label["pass"] is not None,
            str(label.get("why") or ""), tuple(label.get("flags") or ()), str(entry.get("prompt") or ""), reason,
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"entry {number} of {folder / LABELS} lacks {error}; see docs/VALIDATION.md") from error


def _convert(entry: Entry) -> tuple[str | None, dict[str, Any], dict[str, Any], str]:
    """Return our task, its puzzle, the record of the pictures, and a reason where there is none."""
    if "task" in entry:  # written for us
        return entry["task"], entry["puzzle"], entry.get("pictures", {}), ""
    for convert in (_convert_cells, _convert_lines, _convert_row, _convert_grids):
        try:
            converted = convert(entry)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            return None, {}, {}, f"its puzzle is not complete ({error!r})"
        if converted is not None:
            return *converted, ""
    return None, {}, {}, f"no task reads {entry.get('kind') or entry.get('game')!r}"


def _convert_cells(entry: Entry) -> tuple[str, dict[str, Any], dict[str, Any]] | None:
    """Mazes with walls that are cells, trap fields and Sokoban."""
    puzzle, geometry, game = entry["puzzle"], entry["geometry"], entry.get("game") or entry["kind"]
    if "grid" not in puzzle or "start" not in puzzle or "trail" in game:
        return None
    rows, columns = puzzle["rows"], puzzle["cols"]
    if "grid_box" in geometry:
        left, top = geometry["grid_box"][:2]
        box = [left, top, left + columns * geometry["cell_w"], top + rows * geometry["cell_h"]]
    else:
        box = geometry["board_box"]
    blocked = [[r, c] for r, row in enumerate(puzzle["grid"]) for c, mark in enumerate(row) if mark == "#"]
    record = {"box": box, "goal_may_change": _may_goal_change(entry)}
    common = {"rows": rows, "columns": columns, "start": puzzle["start"], "goal": puzzle["goal"]}
    if "box" in puzzle:
        room = {"side": rows, "columns": columns, "walls": blocked, "boxes": [puzzle["box"]]}
        return "sokoban", room | {"marks": [puzzle["goal"]], "player": puzzle["start"]}, record
    if "trap" in game:
        return "trap_field", common | {"traps": blocked}, record
    return "grid_maze", common | {"walls": blocked}, record


def _convert_lines(entry: Entry) -> tuple[str, dict[str, Any], dict[str, Any]] | None:
    """Mazes with walls that are lines between cells."""
    puzzle, geometry = entry["puzzle"], entry["geometry"]
    if "closed_walls" not in puzzle:
        return None
    if "line_origin" in geometry:
        (left, top), pitch = geometry["line_origin"], geometry["cell_pitch"]
        box = [left, top, left + puzzle["cols"] * pitch, top + puzzle["rows"] * pitch]
    else:
        box = geometry["board_box"]
    common = {"rows": puzzle["rows"], "columns": puzzle["cols"], "start": puzzle["start"], "goal": puzzle["goal"]}
    appears = entry.get("symbols", {}).get("mover", {}).get("in_first_frame") is False
    record = {"box": box, "mover_may_appear": appears, "goal_may_change": _may_goal_change(entry)}
    return "line_maze", common | {"closed": puzzle["closed_walls"]}, record


def _may_goal_change(entry: Entry) -> bool:
    return "acquiring a trophy" in entry.get("prompt", "")


def _convert_grids(entry: Entry) -> tuple[str, dict[str, Any], dict[str, Any]] | None:
    """Coloured grids: a list of grids, each in its box, or one grid of letters."""
    puzzle, geometry = entry["puzzle"], entry["geometry"]
    grids = puzzle.get("grids")
    if grids is None:
        if (
            "board_box" not in geometry
            or not _is_letters(puzzle.get("start"))
            or not _is_letters(puzzle.get("right_end"))
        ):
            return None
        grids = [{"box": geometry["board_box"], "start": puzzle["start"], "right_end": puzzle["right_end"]}]
    boxes = [box for grid in grids for box in _split(grid["box"], len(grid["start"]), len(grid["start"][0]))]
    made = [{"start": grid["start"], "answer": grid["right_end"]} for grid in grids]
    return "grid_completion", {"grids": made}, {"cells": boxes}


def _convert_row(entry: Entry) -> tuple[str, dict[str, Any], dict[str, Any]] | None:
    """Rows and squares of pictures with one missing."""
    puzzle, geometry = entry["puzzle"], entry["geometry"]
    if "cell_boxes" not in geometry or not isinstance(puzzle.get("right_end"), list):
        return None
    start, answer = _flatten(puzzle["start"]), _flatten(puzzle["right_end"])
    names = sorted(set(answer) - set(start))
    derived = [[name, look] for name in names if (look := _derive_look(name, start)) is not None]
    rows = puzzle.get("rows", 1)
    made = {"rows": rows, "columns": len(start) // rows, "start": start, "answer": answer}
    return "pattern_row", made, {"cells": _extend(geometry["cell_boxes"]), "looks": derived}


_TURNS = {"up": 0, "right": 90, "down": 180, "left": 270}


def _derive_look(name: str, shown: Sequence[str]) -> dict[str, Any] | None:
    """Return how a content follows from one that is shown: an arrow in another direction, a shape of another size."""
    shape, _, how = name.rpartition(" ")
    for other in shown:
        its_shape, _, its_how = other.rpartition(" ")
        if its_shape == shape and how in _TURNS and its_how in _TURNS:
            return {"of": other, "turned": (_TURNS[how] - _TURNS[its_how]) % 360}
    if how == "medium" and {f"{shape} small", f"{shape} large"} <= set(shown):
        return {"of": f"{shape} large", "scaled": 0.7}
    return None


def _is_letters(rows: Any) -> bool:
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, str) for row in rows)


def _flatten(rows: Sequence[Any]) -> list[str]:
    return [cell for row in rows for cell in (row if isinstance(row, list) else [row])]


def _extend(boxes: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return boxes of equal size: boxes may have been drawn around what cells hold, and sizes must be told apart."""
    wide, high = (max(box[k + 2] - box[k] for box in boxes) / 2 for k in (0, 1))
    middles = [((left + right) / 2, (top + bottom) / 2) for left, top, right, bottom in boxes]
    return [[x - wide, y - high, x + wide, y + high] for x, y in middles]


def _split(box: Sequence[float], rows: int, columns: int) -> list[list[float]]:
    left, top, right, bottom = box
    wide, high = (right - left) / columns, (bottom - top) / rows
    return [
        [left + c * wide, top + r * high, left + (c + 1) * wide, top + (r + 1) * high]
        for r in range(rows)
        for c in range(columns)
    ]
