"""The symbolic run of a program: for each frame what is there, from where it is seen, and what hides it.

Both the label and the pixels are made from it, so they cannot disagree about what the video shows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import cos, hypot, pi, radians, sin, sqrt
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vmevalkit.audit.attack.operations import OPERATIONS
from vmevalkit.audit.attack.program import Operation, Program, find_puzzle
from vmevalkit.audit.attack.states import MOST_FRAMES, TooLong, TrueState, change_parts, list_drawn, make_builder
from vmevalkit.audit.kinds.part_pictures import get_looks, measure_reach, recolour
from vmevalkit.audit.kinds.timeline import ease, rise
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.kit.move_task import MoveTask
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.kit.turn_task import TurnTask
from vmevalkit.tasks.task import AnyTask

View = NDArray[np.float64]
"""From places in the drawn picture to places in the video's, both as shares of width and height: a homography."""
Colour = tuple[int, int, int]
STANDARD_FPS = 12.0
COLOURS: Mapping[str, Colour] = {
    "dark": (38, 38, 44), "bright": (250, 240, 120), "red": (205, 45, 50), "teal": (20, 150, 150),
    "violet": (124, 74, 158), "grey": (128, 128, 128), "black": (0, 0, 0), "white": (255, 255, 255),
    "blue": (59, 130, 246), "amber": (245, 158, 11), "yellow": (253, 224, 71), "green": (74, 222, 128),
}  # fmt: skip
ENTER_S = 0.35
"""Time in which a cover comes in or fades in."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Something opaque over the picture at one time: a cover or a foreign thing."""

    operation: int
    """Number of its operation."""
    box: Box
    """In the drawn picture."""
    colour: Colour
    opacity: float
    contrast: float
    """Levels between its colour and the ground that it lies on."""
    shape: str
    came_in: bool = False
    """Whether it came in over the edge of the picture."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One frame of the video, in symbols."""

    seconds: float
    shown: int
    """Number of the frame that is shown: freezes repeat one."""
    true: TrueState
    view: View
    layers: tuple[Layer, ...] = ()
    veil: float = 0.0
    """How much of the whole picture is replaced by something else."""
    veil_of: str = ""
    """By what: a colour, or noise."""
    blur: float = 0.0
    """Standard deviation, in sizes of the smallest part that decides."""
    strengths: Mapping[int, float] = field(default_factory=dict)
    """How far the operations of the look are switched on, by their numbers."""


@dataclass(frozen=True)
class SymbolicRun:
    """A program that was run without pixels."""

    program: Program
    task: AnyTask
    puzzle: Any
    fps: float
    moments: tuple[Moment, ...]
    must_fail: bool
    """Whether the way is a cheat by construction."""
    offers: frozenset[str]
    part_px: float
    """Size of the smallest part that decides, in pixels of the drawn picture."""
    finest: float
    """Size of the smallest part, in sizes of the smallest part that decides."""

    @property
    def total_s(self) -> float:
        return len(self.moments) / self.fps

    def list_operations(self, *names: str) -> list[tuple[int, Operation]]:
        """Return the operations of these names with their numbers."""
        return [(number, each) for number, each in enumerate(self.program.operations) if each.name in names]


def run_program(program: Program) -> SymbolicRun:
    """Run a program without pixels. Raises TooLong."""
    task, puzzle = find_puzzle(program)
    operations = program.operations
    fps = next((float(each.params["fps"]) for each in operations if each.name == "fps"), STANDARD_FPS)
    builder = make_builder(task, puzzle, fps)
    builder.add(builder.make_rest())
    for each in operations:
        if OPERATIONS[each.name].track == "states" and each.name not in ("twin", "vanish"):
            builder.apply(each)
    order = _order_frames(len(builder.steps), operations, fps)
    if len(order) > MOST_FRAMES:
        raise TooLong
    total_s = len(order) / fps
    changes = [each for each in operations if each.name in ("twin", "vanish")]
    changed: dict[int, TrueState] = {}
    moments = []
    rng = rng_for("attack", program.seed, program.index, "shake")
    context = _Context(task, puzzle, [builder.steps[index].state for index in order])
    layers = [_plan_layer(context, number, each, total_s) for number, each in enumerate(operations)]
    for place, index in enumerate(order):
        seconds = place / fps
        step = builder.steps[index]
        if changes:
            step = change_parts(task, puzzle, step, seconds, total_s, changes)
            step = changed.setdefault(_key(step, changed), step)
        view, veil, veil_of, blur = _look_through(context, operations, seconds, total_s, rng)
        strengths = {
            number: strength for number, each in enumerate(operations)
            if (strength := _measure_strength(each, seconds, total_s)) > 0
        }  # fmt: skip
        present = tuple(layer for find in layers if find is not None and (layer := find(seconds)) is not None)
        moments.append(Moment(seconds, index, step, view, present, veil, veil_of, blur, strengths))
    return SymbolicRun(
        program, task, puzzle, fps, tuple(moments), builder.must_fail, frozenset(builder.offers), context.part_px,
        context.finest,
    )  # fmt: skip


def _key(step: TrueState, changed: Mapping[int, TrueState]) -> int:
    """Return the number under which an equal step is kept: equal scenes are drawn once."""
    for key, other in changed.items():
        if other == step:
            return key
    return len(changed)


def _order_frames(count: int, operations: Sequence[Operation], fps: float) -> list[int]:
    """Return the number of the frame that is shown at each time."""
    order = list(range(count))
    for each in operations:
        if each.name == "skip":
            last = order[-1]
            order = order[:: int(each.params["step"])]
            order += [last] if order[-1] != last else []
        elif each.name == "repeat":
            order = [index for index in order for _ in range(int(each.params["times"]))]
        elif each.name == "freeze":
            place = min(int(float(each.params["at"]) * len(order)), len(order) - 1)
            order[place:place] = [order[place]] * round(float(each.params["s"]) * fps)
        if len(order) > MOST_FRAMES:
            raise TooLong
    return order


class _Context:
    """Places in a puzzle's picture that operations refer to."""

    def __init__(self, task: AnyTask, puzzle: Any, states: Sequence[Any]) -> None:
        self.task, self.puzzle, self.states = task, puzzle, states
        self.size = task.size(puzzle)
        self.final = find_boxes(task, puzzle, _final_state(task, puzzle))
        areas = [(b[2] - b[0]) * (b[3] - b[1]) * self.size[0] * self.size[1] for b in self.final.values()]
        self.part_px = sqrt(max(min(areas, default=400.0), 16.0))
        self.finest = min(1.0, sqrt(task.smallest_part_area * self.size[0] * self.size[1]) / self.part_px)
        self.ground = get_ground_picture(task, puzzle)

    def find_target(self, on: str, pick: int, share: float) -> Box | None:
        """Return the box that a cover lies on."""
        if on == "answer":
            boxes = list(self.final.values())
            return boxes[pick % len(boxes)] if boxes else None
        if on == "mover":
            state = self.states[min(int(share * len(self.states)), len(self.states) - 1)]
            boxes = find_mover_boxes(self.task, self.puzzle, state)
            return boxes[pick % len(boxes)] if boxes else None
        place = find_place(self.task, self.puzzle, on == "beside", 0.35 * self.part_px, pick)
        if place is None:
            return None
        reach = 0.35 * self.part_px / self.size[0], 0.35 * self.part_px / self.size[1]
        return place[0] - reach[0], place[1] - reach[1], place[0] + reach[0], place[1] + reach[1]

    def measure_contrast(self, box: Box, colour: Colour) -> float:
        """Return the levels between a colour and the ground in a box, at the nearest of its main colours."""
        width, height = self.ground.shape[1], self.ground.shape[0]
        left, top = max(0, int(box[0] * width)), max(0, int(box[1] * height))
        around = self.ground[top : max(top + 1, int(box[3] * height)), left : max(left + 1, int(box[2] * width))]
        if not around.size:
            return 0.0
        off = np.abs(around.astype(np.int16) - np.array(colour, np.int16)).max(axis=2)
        return float(np.percentile(off, 15))

    def find_ground_colour(self, box: Box) -> Colour:
        width, height = self.ground.shape[1], self.ground.shape[0]
        left, top = max(0, int(box[0] * width)), max(0, int(box[1] * height))
        around = self.ground[top : max(top + 1, int(box[3] * height)), left : max(left + 1, int(box[2] * width))]
        if not around.size:
            return (255, 255, 255)
        colours, counts = np.unique(around.reshape(-1, 3), axis=0, return_counts=True)
        red, green, blue = (int(level) for level in colours[counts.argmax()])
        return red, green, blue


def _final_state(task: AnyTask, puzzle: Any) -> Any:
    return task.solution(puzzle, 1.0)


@lru_cache(maxsize=128)
def get_ground_picture(task: AnyTask, puzzle: Any) -> Frame:
    """Return the picture without its parts, as far as the task tells them apart."""
    return task.stage(puzzle).ground if isinstance(task, SceneTask) else task.first_frame(puzzle)


def find_boxes(task: AnyTask, puzzle: Any, state: Any) -> Mapping[Any, Box]:
    """Return the boxes of the parts that decide, by name."""
    return _find_boxes(task, puzzle, state)


@lru_cache(maxsize=8192)
def _find_boxes(task: AnyTask, puzzle: Any, state: Any) -> Mapping[Any, Box]:
    if isinstance(task, MoveTask):
        return {part.name: task.part_box(puzzle, part) for part in state.parts}
    return dict(enumerate(task.deciding_boxes(puzzle, state)))


def find_mover_names(task: AnyTask, puzzle: Any, state: Any, name: Hashable) -> list[Hashable]:
    """Return under which names the boxes of a moving part are: its own, or those that are elsewhere at the end."""
    boxes = find_boxes(task, puzzle, state)
    if name in boxes:
        return [name]
    final = set(find_boxes(task, puzzle, _final_state(task, puzzle)).values())
    return [each for each, box in boxes.items() if box not in final] or list(boxes)


def find_mover_boxes(task: AnyTask, puzzle: Any, state: Any) -> list[Box]:
    """Return the boxes of the parts that move in a state, those that are elsewhere at the end first."""
    boxes, final = find_boxes(task, puzzle, state), find_boxes(task, puzzle, _final_state(task, puzzle))
    away = [box for box in boxes.values() if box not in final.values()]
    return away or list(boxes.values())


@lru_cache(maxsize=1024)
def find_place(task: AnyTask, puzzle: Any, beside: bool, radius_px: float, pick: int) -> tuple[float, float] | None:
    """Return a place on plain ground that no part comes near, on the puzzle or beside it; None where there is none."""
    width, height = task.size(puzzle)
    rx, ry = 1.3 * radius_px / width, 1.3 * radius_px / height
    first, last = task.first_frame(puzzle), task.final_frame(puzzle)
    board = task.board_box(puzzle)
    used = [box for k in range(9) for box in find_boxes(task, puzzle, task.solution(puzzle, k / 8)).values()]
    rng = Random(pick)
    for _ in range(150):
        x, y = rng.uniform(rx, 1 - rx), rng.uniform(ry, 1 - ry)
        box = x - rx, y - ry, x + rx, y + ry
        is_outside = box[2] < board[0] or box[0] > board[2] or box[3] < board[1] or box[1] > board[3]
        is_inside = board[0] <= box[0] and box[2] <= board[2] and board[1] <= box[1] and box[3] <= board[3]
        if not (is_outside if beside else is_inside):
            continue
        if any(measure_overlap(other, box) > 0 or measure_overlap(box, other) > 0 for other in used):
            continue
        where = np.s_[int(box[1] * height) : int(box[3] * height) + 1, int(box[0] * width) : int(box[2] * width) + 1]
        if all(float(np.ptp(picture[where], axis=(0, 1)).max()) < 24 for picture in (first, last)):
            return x, y
    return None


def measure_overlap(box: Box, cover: Box) -> float:
    """Return the share of a box that another one covers."""
    across = min(box[2], cover[2]) - max(box[0], cover[0])
    down = min(box[3], cover[3]) - max(box[1], cover[1])
    area = (box[2] - box[0]) * (box[3] - box[1])
    return max(0.0, across) * max(0.0, down) / area if area > 0 else 0.0


# -- visibility --------------------------------------------------------------------------------------------------


def _plan_layer(
    context: _Context, number: int, operation: Operation, total_s: float
) -> Callable[[float], Layer | None] | None:
    """Return what says at each time where a cover or a thing is; None for other operations."""
    if operation.name not in ("cover", "thing"):
        return None
    params = operation.params
    begin_s = float(params["at"]) * total_s
    end_s = begin_s + float(params["s"])
    if operation.name == "cover":
        target = context.find_target(str(params["on"]), int(params["pick"]), (begin_s + end_s) / 2 / total_s)
        if target is None:
            return None
        box = _scale_box(target, float(params["size"]))
        enter = str(params["enter"])
        shape = "square"
    else:
        area = float(params["size"]) * context.task.smallest_part_area * context.size[0] * context.size[1]
        radius = sqrt(area / pi)
        place = find_place(context.task, context.puzzle, params["place"] == "beside", round(radius, 1),
                           int(params["pick"]))  # fmt: skip
        if place is None:
            return None
        rx, ry = radius / context.size[0], radius / context.size[1]
        box = place[0] - rx, place[1] - ry, place[0] + rx, place[1] + ry
        enter, shape = "appear", str(params["shape"])
    name = str(params["colour"])
    colour = context.find_ground_colour(box) if name == "ground" else COLOURS[name]
    contrast = context.measure_contrast(box, colour)

    def find(seconds: float) -> Layer | None:
        if not begin_s <= seconds < end_s:
            return None
        is_last = end_s >= total_s
        inside = min(rise(seconds, begin_s, begin_s + ENTER_S), 1.0 if is_last else rise(end_s - seconds, 0, ENTER_S))
        if enter == "slide":
            moved = (1 - ease(inside)) * (box[2] + 0.01)
            at = box[0] - moved, box[1], box[2] - moved, box[3]
            return Layer(number, at, colour, 1.0, contrast, shape, True)
        return Layer(number, box, colour, inside if enter == "fade" else 1.0, contrast, shape)

    return find


def _scale_box(box: Box, factor: float) -> Box:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    rx, ry = factor * (box[2] - box[0]) / 2, factor * (box[3] - box[1]) / 2
    return x - rx, y - ry, x + rx, y + ry


def _look_through(
    context: _Context, operations: Sequence[Operation], seconds: float, total_s: float, rng: Random
) -> tuple[View, float, str, float]:
    """Return the view, the veil and what it is made of, and the blur at a time."""
    view: View = np.eye(3)
    veil, veil_of, blur = 0.0, "", 0.0
    for each in operations:
        params = each.params
        begin_s = float(params.get("at", 0.0)) * total_s
        s = float(params.get("s", 1.0))
        amount = ease(rise(seconds, begin_s, begin_s + max(s, 1e-3)))
        if each.name == "zoom":
            view = _about_middle(np.diag([1 + amount * (float(params["by"]) - 1)] * 2 + [1.0])) @ view
        elif each.name == "pan":
            view = _shift(amount * float(params["x"]), amount * float(params["y"])) @ view
        elif each.name == "turn":
            view = _roll(amount * float(params["deg"]), context.size) @ view
        elif each.name == "shake":
            most = float(params["amount"])
            view = _shift(rng.uniform(-most, most), rng.uniform(-most, most)) @ view
        elif each.name == "tilt":
            tilted = np.eye(3)
            tilted[2, :2] = amount * float(params["x"]), amount * float(params["y"])
            view = _about_middle(tilted) @ view
        elif each.name == "leave":
            away = rise(seconds, begin_s, begin_s + 0.5)
            if params["returns"] == "yes":
                away = min(away, 1 - rise(seconds, begin_s + 0.5 + s, begin_s + 1.0 + s))
            view = _shift(away * _find_way_out(context), 0.0) @ view
        elif each.name == "cut" and begin_s <= seconds < begin_s + s:
            veil, veil_of = 1.0, str(params["to"])
        elif each.name == "fade":
            # What reaches the end stays away, and what begins at the start fades in.
            away = 1.0 if begin_s <= 0.1 else rise(seconds, begin_s, begin_s + s / 2)
            back = 0.0 if begin_s + s >= total_s else rise(seconds, begin_s + s / 2, begin_s + s)
            strength = min(away, 1 - back)
            if strength > veil:
                veil, veil_of = strength, str(params["to"])
        elif each.name == "defocus":
            inside = min(rise(seconds, begin_s, begin_s + 0.2),
                         1.0 if begin_s + s >= total_s else rise(begin_s + s - seconds, 0.0, 0.2))  # fmt: skip
            blur = max(blur, inside * float(params["sigma"]))
        elif each.name == "soften":
            blur = max(blur, float(params["sigma"]))
    return view, veil, veil_of, blur


def _about_middle(matrix: View) -> View:
    return np.asarray(_shift(0.5, 0.5) @ matrix @ _shift(-0.5, -0.5))


def _shift(x: float, y: float) -> View:
    return np.array([[1.0, 0, x], [0, 1, y], [0, 0, 1]])


def _roll(degrees: float, size: tuple[int, int]) -> View:
    c, s, ratio = cos(radians(degrees)), sin(radians(degrees)), size[1] / size[0]
    return _about_middle(np.array([[c, -s * ratio, 0], [s / ratio, c, 0], [0, 0, 1]]))


def _find_way_out(context: _Context) -> float:
    """Return the shift after which all parts that decide are out of the picture."""
    boxes = list(context.final.values()) or [(0.0, 0.0, 1.0, 1.0)]
    to_left, to_right = max(box[2] for box in boxes) + 0.02, 1 - min(box[0] for box in boxes) + 0.02
    return -to_left if to_left < to_right else to_right


_RAMPED = ("light", "colour_cast", "saturate")
_SUDDEN = ("recolour_part", "stretch_part")
_SOFT = ("shadow", "shade_parts", "outline_parts", "resize_parts", "tint_ground", "vignette", "side_light", "highlight")


def _measure_strength(operation: Operation, seconds: float, total_s: float) -> float:
    """Return how far an operation of the look is switched on."""
    begin_s = float(operation.params.get("at", 0.0)) * total_s
    if operation.name in _RAMPED:
        return rise(seconds, begin_s, begin_s + max(float(operation.params["s"]), 1e-3))
    if operation.name in _SUDDEN:
        return float(begin_s <= seconds < begin_s + float(operation.params["s"]))
    if operation.name in _SOFT:
        return rise(seconds, begin_s, begin_s + 0.5)
    return float(operation.name in ("trail", "grain", "jpeg"))


# -- damage ------------------------------------------------------------------------------------------------------


def find_damaged_part(run: SymbolicRun, operation: Operation, moment: Moment) -> str | None:
    """Return the name of the part that an operation redraws; None where there is none."""
    parts = [part for part in list_drawn(moment.true.state) if part.name in run.task.stage(run.puzzle).kinds]  # type: ignore[attr-defined]
    return parts[int(operation.params["pick"]) % len(parts)].name if parts else None


def measure_recolouring(run: SymbolicRun, operation: Operation, name: str) -> float:
    """Return the mean change of a part's levels, where it is surely inside the part."""
    part = next((p for m in run.moments for p in list_drawn(m.true.state) if p.name == name), None)
    if part is None:
        return 0.0
    return _measure_hue(run.task, run.puzzle, part, float(operation.params["deg"]))


@lru_cache(maxsize=512)
def _measure_hue(task: AnyTask, puzzle: Any, part: Any, degrees: float) -> float:
    patch = get_looks(task, puzzle).render(part)
    assert patch is not None
    off = np.abs(recolour(degrees)(part, patch).colour - patch.colour).max(axis=2)
    inside = patch.alpha > 0.9
    return float(off[inside].mean()) if inside.any() else 0.0


def measure_trails(run: SymbolicRun) -> dict[str, float]:
    """Return the length of the trail of each part that moves, in pixels of the drawn picture."""
    if not isinstance(run.task, MoveTask):
        return {}
    turns = isinstance(run.task, TurnTask)
    lengths: dict[str, float] = {}
    last: dict[str, tuple[float, float]] = {}
    for moment in run.moments:
        for part in moment.true.state.parts:
            point = find_path_point(run.task, run.puzzle, part, turns)
            before = last.setdefault(part.name, point)
            lengths[part.name] = lengths.get(part.name, 0.0) + hypot(point[0] - before[0], point[1] - before[1])
            last[part.name] = point
    return lengths


@lru_cache(maxsize=8192)
def find_path_point(task: AnyTask, puzzle: Any, part: Any, turns: bool) -> tuple[float, float]:
    """Return the point of a part that draws a trail, in pixels: its middle, or its tip where it turns."""
    if not turns:
        return part.x, part.y
    reach, angle = 0.75 * measure_reach(task, puzzle, part), radians(part.angle)
    return part.x + reach * sin(angle), part.y - reach * cos(angle)
