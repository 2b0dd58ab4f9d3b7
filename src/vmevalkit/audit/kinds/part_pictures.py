"""Scenes of the kit's parts drawn in other ways: on other grounds, with shaded or resized parts, with marks beneath."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import ceil, cos, floor, hypot, radians, sin
from random import Random
from typing import Any, TypeAlias

import cv2
import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.timeline import clamp
from vmevalkit.media.image import Frame
from vmevalkit.tasks.kit.looks import Floats, Looks, Patch, paint_looks, paste
from vmevalkit.tasks.kit.move_task import REST_SHARE, MoveTask
from vmevalkit.tasks.kit.scene import Part, Scene
from vmevalkit.tasks.task import AnyTask

ChangePatch: TypeAlias = Callable[[Part, Patch], Patch]
"""Changes the picture of a part."""
PaintUnder: TypeAlias = Callable[[Floats, Part, Patch], None]
"""Paints something beneath a part, into the picture of the ground."""
AnyMoveTask: TypeAlias = MoveTask[Any, Any]
Point: TypeAlias = tuple[float, float]
Point3: TypeAlias = tuple[float, float, float]

INK = (31.0, 41.0, 55.0)
TRACK_SAMPLES = 120
"""Moments of the solution at which the place of a part is looked up."""
SAME_PX, SAME_DEG = 1.0, 1.0
"""A part that moves or turns by less has not moved."""


def draw_scene(
    looks: Looks, scene: Scene, ground: Frame | None = None, change: ChangePatch | None = None,
    under: PaintUnder | None = None,
) -> Frame:  # fmt: skip
    """Return the picture of a scene, with another ground, changed parts, or something beneath each part."""
    picture = looks.ground.copy() if ground is None else ground.astype(np.float32)
    patches = [(part, patch) for part in (*scene.parts, *scene.extra) if part.look and part.opacity > 0
               if (patch := looks.render(part)) is not None]  # fmt: skip
    if change is not None:
        patches = [(part, change(part, patch)) for part, patch in patches]
    if under is not None:
        for part, patch in patches:
            under(picture, part, patch)
    for part, patch in patches:
        paste(picture, patch, part.opacity)
    return effects.to_frame(picture)


@lru_cache(maxsize=8)
def get_looks(task: Any, puzzle: Any) -> Looks:
    """Return the pictures of all parts of a kit puzzle at the drawn size."""
    return paint_looks(task.stage(puzzle), 1.0)


def get_ground(task: AnyTask, puzzle: Any) -> Frame:
    """Return the picture of a kit puzzle without its parts."""
    return effects.to_frame(get_looks(task, puzzle).ground)


def warp_patch(part: Part, patch: Patch, scale_x: float, scale_y: float, angle_deg: float = 0.0) -> Patch:
    """Return the picture of a part stretched and turned about the part's middle."""
    c, s = cos(radians(angle_deg)), sin(radians(angle_deg))
    linear = np.array([[c * scale_x, -s * scale_y], [s * scale_x, c * scale_y]])
    left, top, right, bottom = patch.box
    corners = linear @ (np.array([(x - part.x, y - part.y) for x in (left, right) for y in (top, bottom)]).T)
    new_left, new_top = floor(part.x + corners[0].min()) - 1, floor(part.y + corners[1].min()) - 1
    size = ceil(part.x + corners[0].max()) + 1 - new_left, ceil(part.y + corners[1].max()) + 1 - new_top
    shift = linear @ np.array([left + 0.5 - part.x, top + 0.5 - part.y])
    shift += [part.x - new_left - 0.5, part.y - new_top - 0.5]
    matrix = np.column_stack([linear, shift])
    colour, alpha = (cv2.warpAffine(each, matrix, size, flags=cv2.INTER_LINEAR) for each in (patch.colour, patch.alpha))
    return Patch(new_left, new_top, np.asarray(colour), np.asarray(alpha), float(alpha.sum()))


def resize_parts(factor: float) -> ChangePatch:
    """Return a change that makes parts larger or smaller."""
    return lambda part, patch: warp_patch(part, patch, factor, factor)


def pad_patch(patch: Patch, margin: int) -> Patch:
    """Return the picture of a part with an empty margin around it."""
    colour, alpha = (
        cv2.copyMakeBorder(each, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=0)
        for each in (patch.colour, patch.alpha)
    )
    return Patch(patch.left - margin, patch.top - margin, np.asarray(colour), np.asarray(alpha), patch.area)


def shade(strength: float) -> ChangePatch:
    """Return a change that lights parts from the upper left."""

    def change(part: Part, patch: Patch) -> Patch:
        del part
        rows, columns = np.indices(patch.alpha.shape, np.float32)
        across = (columns / max(patch.alpha.shape[1] - 1, 1) + rows / max(patch.alpha.shape[0] - 1, 1)) - 1
        lit = np.minimum(patch.colour * (1 - strength * across)[..., None], 255 * patch.alpha[..., None])
        return replace(patch, colour=lit.astype(np.float32))

    return change


def outline(pixels: int, share: float) -> ChangePatch:
    """Return a change that draws a dark line around parts; ``share`` is its opacity."""

    def change(part: Part, patch: Patch) -> Patch:
        del part
        wide = pad_patch(patch, pixels + 1)
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * pixels + 1, 2 * pixels + 1))
        ring = (cv2.dilate(wide.alpha, disc) - wide.alpha) * share
        return replace(wide, alpha=wide.alpha + ring, colour=wide.colour + ring[..., None] * np.array(INK, np.float32))

    return change


def recolour(degrees: float) -> ChangePatch:
    """Return a change of the hue of parts."""

    def change(part: Part, patch: Patch) -> Patch:
        del part
        alpha = patch.alpha[..., None]
        plain = effects.to_frame(patch.colour / np.maximum(alpha, 1e-3))
        return replace(patch, colour=(effects.rotate_hue(plain, degrees) * alpha).astype(np.float32))

    return change


def only(names: Sequence[str], change: ChangePatch) -> ChangePatch:
    """Return a change of these parts alone."""
    chosen = set(names)
    return lambda part, patch: change(part, patch) if part.name in chosen else patch


def cast_soft_shadow(offset_px: float, blur_px: float, strength: float, colour: Point3 = (0, 0, 0)) -> PaintUnder:
    """Return a painter of a soft shadow, or of a glow in another colour, beneath each part."""

    def paint(picture: Floats, part: Part, patch: Patch) -> None:
        wide = pad_patch(patch, ceil(3 * blur_px))
        alpha = np.asarray(cv2.GaussianBlur(wide.alpha, (0, 0), blur_px), np.float32) * strength * part.opacity
        tint = alpha[..., None] * np.array(colour, np.float32)
        moved = round(wide.left + offset_px), round(wide.top + offset_px)
        paste(picture, Patch(*moved, tint, alpha, wide.area))

    return paint


# -- what changes in a solution ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Move:
    """The move that is being made at a time of the reference solution."""

    names: tuple[str, ...]
    """Parts that move."""
    share: float
    """How much of it is done."""


def find_move(task: AnyMoveTask, puzzle: Any, t: float) -> Move:
    """Return the move of the reference solution at a time."""
    path = task.path(puzzle)
    position = clamp(t) * (len(path) - 1)
    index = min(int(position), len(path) - 2)
    before = {part.name: part for part in task.lay_out(puzzle, path[index])}
    after = {part.name: part for part in task.lay_out(puzzle, path[index + 1])}
    names = tuple(name for name, part in before.items() if after.get(name) != part)
    return Move(names, clamp((position - index) / (1 - REST_SHARE)))


def list_changed(task: AnyTask, puzzle: Any) -> list[Part]:
    """Return the parts that the reference solution changes, as they are at the end."""
    start, end = task.solution(puzzle, 0.0), task.solution(puzzle, 1.0)
    return [part for part in end.parts if part.look and start.get(part.name) != part]


def list_kept(task: AnyTask, puzzle: Any) -> list[Part]:
    """Return the parts that the reference solution leaves as they are."""
    changed = {part.name for part in list_changed(task, puzzle)}
    return [part for part in task.solution(puzzle, 1.0).parts if part.look and part.name not in changed]


def measure_reach(task: AnyTask, puzzle: Any, part: Part) -> float:
    """Return the distance from the middle of a part to its farthest edge, in pixels."""
    patch = get_looks(task, puzzle).render(replace(part, angle=0.0))
    assert patch is not None
    left, top, right, bottom = patch.box
    return float(max(part.x - left, right - part.x, part.y - top, bottom - part.y))


def find_box(task: AnyTask, puzzle: Any, part: Part) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of a part, in pixels."""
    patch = get_looks(task, puzzle).render(part)
    assert patch is not None
    return patch.box


def list_tracks(task: AnyTask, puzzle: Any, t: float) -> dict[str, list[Point]]:
    """Return the points where each moving part has been up to a time; of a part that turns, those of its tip."""
    tracks = _list_all_tracks(task, puzzle)
    count = max(1, round(clamp(t) * TRACK_SAMPLES) + 1)
    return {name: points[:count] for name, points in tracks.items()}


@lru_cache(maxsize=8)
def _list_all_tracks(task: AnyTask, puzzle: Any) -> dict[str, list[Point]]:
    scenes = [task.solution(puzzle, step / TRACK_SAMPLES) for step in range(TRACK_SAMPLES + 1)]
    tracks = {}
    for start in scenes[0].parts:
        seen = [part for scene in scenes if (part := scene.get(start.name)) is not None]
        reach = 0.75 * measure_reach(task, puzzle, start)
        points = [_find_tip(part, reach) if any(p.angle != start.angle for p in seen) else (part.x, part.y)
                  for part in seen]  # fmt: skip
        if any(hypot(x - points[0][0], y - points[0][1]) > SAME_PX for x, y in points):
            tracks[start.name] = points
    return tracks


def _find_tip(part: Part, reach: float) -> Point:
    turn = radians(part.angle)
    return part.x + reach * sin(turn), part.y - reach * cos(turn)


def find_far_pair(task: AnyMoveTask, puzzle: Any) -> tuple[int, int, str] | None:
    """Return two arrangements of the solution, and a part that is so far apart in them that a jump from one to the
    other is one; None where there are none."""
    limits = task.motion
    assert limits is not None
    layouts = [{part.name: part for part in task.lay_out(puzzle, at)} for at in task.path(puzzle)]
    for i in range(len(layouts)):
        for j in range(len(layouts) - 1, i, -1):
            for name, part in layouts[i].items():
                after = layouts[j].get(name)
                if after is not None and task.measure_distance(part, after) > 1.2 * limits.max_steps:
                    return i, j, name
    return None


def find_illegal_stop(task: AnyMoveTask, puzzle: Any, rng: Random) -> tuple[int, Part] | None:
    """Return an arrangement of the solution, by its number, and a part at a place to which no moves lead from there."""
    path = task.path(puzzle)
    stops = []
    for index in range(1, len(path) - 1):
        reachable = set(_list_reachable(task, puzzle, path[index]))
        for number, piece in enumerate(task.pieces(puzzle)):
            if path[index][number] is None:
                continue  # it was taken away
            here = task.make_part(puzzle, piece, path[index][number])
            for place in task.places(puzzle, piece):
                at = (*path[index][:number], place, *path[index][number + 1 :])
                if place is None or at in reachable or any(place == other for other in path[index]):
                    continue
                there = task.make_part(puzzle, piece, place)
                if 0.9 <= task.measure_distance(here, there) <= 2.2:
                    stops.append((index, there))
    return rng.choice(stops) if stops else None


def _list_reachable(task: AnyMoveTask, puzzle: Any, start: Any, most: int = 20_000) -> Iterator[Any]:
    seen, edge = {start}, [start]
    while edge and len(seen) < most:
        edge = [after for at in edge for after in dict.fromkeys(task.moves(puzzle, at)) if after not in seen]
        edge = list(dict.fromkeys(edge))
        seen.update(edge)
    yield from seen


def find_double_move(task: AnyMoveTask, puzzle: Any) -> int | None:
    """Return the number of an arrangement after which two different parts move one after the other."""
    layouts = [{part.name: part for part in task.lay_out(puzzle, at)} for at in task.path(puzzle)]
    moved = [{name for name in one if one[name] != two.get(name)} for one, two in pairwise(layouts)]
    return next((i for i, (one, two) in enumerate(pairwise(moved)) if one and two and not one & two), None)


def find_free_place(task: AnyTask, puzzle: Any, radius: float) -> Point | None:
    """Return a place between the parts that is plain ground, and that no part touches in the solution."""
    ground = get_ground(task, puzzle)
    scenes = [task.solution(puzzle, step / 12) for step in range(13)]
    parts = [part for scene in scenes for part in scene.parts]
    reaches = {part.name: measure_reach(task, puzzle, part) for part in parts if part.look}
    left, right = min(part.x for part in parts), max(part.x for part in parts)
    top, bottom = min(part.y for part in parts), max(part.y for part in parts)
    span, rng = round(radius), Random(0)
    for _ in range(600):
        x, y = rng.uniform(left, right), rng.uniform(top, bottom)
        around = ground[max(0, int(y) - span) : int(y) + span, max(0, int(x) - span) : int(x) + span]
        is_plain = around.shape[:2] == (2 * span, 2 * span) and float(np.ptp(around, axis=(0, 1)).max()) < 30
        if is_plain and all(hypot(x - p.x, y - p.y) > radius + reaches[p.name] for p in parts if p.look):
            return round(x), round(y)
    return None
