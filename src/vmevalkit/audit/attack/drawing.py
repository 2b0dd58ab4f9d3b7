"""The pixels of a symbolic run, drawn at the size of the video."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from math import pi, sqrt
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from vmevalkit.audit.attack.program import Operation
from vmevalkit.audit.attack.symbolic import (
    COLOURS,
    Layer,
    Moment,
    SymbolicRun,
    find_boxes,
    find_damaged_part,
    find_mover_boxes,
    find_path_point,
)
from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.part_pictures import (
    ChangePatch,
    cast_soft_shadow,
    draw_scene,
    get_looks,
    only,
    outline,
    recolour,
    resize_parts,
    shade,
    warp_patch,
)
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.image import Frame
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks.kit.looks import Patch
from vmevalkit.tasks.kit.scene import Part, Scene
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.kit.turn_task import TurnTask

VIDEO_SCALE = 0.65
"""Size of the video relative to the drawn picture: readers work at half of it or less, and small videos are fast."""
_PART_LOOKS = ("shadow", "shade_parts", "outline_parts", "resize_parts", "recolour_part", "stretch_part")
_GROUND_LOOKS = ("tint_ground", "trail", "highlight")


def draw_run(run: SymbolicRun) -> list[Frame]:
    """Return all frames of a run, as they are delivered."""
    return _deliver(run, _Painter(run).paint_all())


class _Painter:
    """Draws the frames of one run."""

    def __init__(self, run: SymbolicRun) -> None:
        self._run, self._task, self._puzzle = run, run.task, run.puzzle
        width, height = run.task.size(run.puzzle)
        size = run.list_operations("size")
        scale = VIDEO_SCALE * (float(size[0][1].params["scale"]) if size else 1.0)
        stretch = float(size[0][1].params["stretch"]) if size else 1.0
        # The reading size is the least that shows everything: a small puzzle is not made smaller than that.
        least = max(160 / min(width, height), run.task.reading_scale)
        scale = max(scale, min(least, 1.0) * (0.8 if size else 1.0))
        self._size = max(2, round(width * scale * stretch)), max(2, round(height * scale))
        self._trails: dict[Any, list[tuple[float, float]]] = {}
        self._rng = rng_for("attack", run.program.seed, run.program.index, "grain")
        self._kept: tuple[Any, Frame] | None = None
        self._is_kit = isinstance(run.task, SceneTask)

    def paint_all(self) -> Iterator[Frame]:
        for moment in self._run.moments:
            yield self._paint(moment)

    def _paint(self, moment: Moment) -> Frame:
        frame = self._draw_scene(moment)
        for layer in moment.layers:
            frame = _draw_layer(frame, layer)
        if not np.array_equal(moment.view, np.eye(3)):
            frame = _warp(frame, moment)
        frame = self._light(frame, moment)
        if moment.blur > 0:
            frame = effects.blur(frame, moment.blur * self._part_px())
        if moment.veil > 0:
            frame = effects.mix(frame, _make_veil(frame, moment, self._rng), moment.veil)
        return self._roughen(frame, moment)

    def _part_px(self) -> float:
        """Return the size of the smallest part that decides, in pixels of the video."""
        boxes = find_boxes(self._task, self._puzzle, self._task.solution(self._puzzle, 1.0)).values()
        areas = [(b[2] - b[0]) * (b[3] - b[1]) * self._size[0] * self._size[1] for b in boxes]
        return sqrt(max(min(areas, default=170.0), 7.0))

    # -- the scene -----------------------------------------------------------------------------------------------

    def _draw_scene(self, moment: Moment) -> Frame:
        named = enumerate(self._run.program.operations)
        operations = [(number, each, moment.strengths[number])
                      for number, each in named if number in moment.strengths]  # fmt: skip
        looks = [(each, strength) for _, each, strength in operations if each.name in (*_PART_LOOKS, *_GROUND_LOOKS)]
        if any(each.name == "trail" for each, _ in looks):
            self._follow(moment)
        trail = sum(len(points) for points in self._trails.values())
        key = id(moment.true), trail, tuple((id(each), round(strength, 3)) for each, strength in looks)
        if self._kept is None or self._kept[0] != key:
            drawn = self._draw_kit(moment, looks) if self._is_kit and looks else self._draw_plain(moment, looks)
            self._kept = key, np.asarray(cv2.resize(drawn, self._size, interpolation=cv2.INTER_AREA), np.uint8)
        return self._kept[1]

    def _draw_plain(self, moment: Moment, looks: list[tuple[Operation, float]]) -> Frame:
        frame = self._task.draw(self._puzzle, moment.true.state)
        for each, _ in looks:
            if each.name == "trail":
                ground = _find_main_colour(frame)
                with_trail = self._draw_trail(frame, each)
                is_ground = (np.abs(frame.astype(np.int16) - ground).max(axis=2) < 6)[..., None]
                frame = np.where(is_ground, with_trail, frame)
        return frame

    def _draw_kit(self, moment: Moment, looks: list[tuple[Operation, float]]) -> Frame:
        pictures = get_looks(self._task, self._puzzle)
        ground = effects.to_frame(pictures.ground)
        changes: list[ChangePatch] = []
        under = None
        for each, strength in looks:
            params = each.params
            if each.name == "tint_ground":
                factors = [1 + strength * (float(params[name]) - 1) for name in ("red", "green", "blue")]
                ground = effects.scale_levels(ground, factors)
            elif each.name == "highlight":
                ground = self._highlight(ground, each, strength)
            elif each.name == "trail":
                ground = self._draw_trail(ground, each)
            elif each.name == "shadow":
                under = cast_soft_shadow(3.0, float(params["blur"]), strength * float(params["strength"]))
            elif each.name == "shade_parts":
                changes.append(shade(strength * float(params["strength"])))
            elif each.name == "outline_parts":
                changes.append(outline(int(params["pixels"]), strength))
            elif each.name == "resize_parts":
                changes.append(resize_parts(1 + strength * (float(params["factor"]) - 1)))
            elif each.name in ("recolour_part", "stretch_part"):
                name = find_damaged_part(self._run, each, moment)
                if name is not None:
                    changes.append(only([name], _damage(each)))

        def change(part: Part, patch: Patch) -> Patch:
            for step in changes:
                patch = step(part, patch)
            return patch

        drawn = draw_scene(pictures, moment.true.state, ground, change if changes else None, under)
        return self._add_foreign(drawn, moment.true.state)

    def _add_foreign(self, drawn: Frame, scene: Scene) -> Frame:
        """Draw what has no picture among the parts' looks: the foreign things of trick videos."""
        pictures = get_looks(self._task, self._puzzle)
        known = tuple(part for part in scene.extra if not part.look or pictures.render(part) is not None)
        if known == scene.extra:
            return drawn
        whole = self._task.draw(self._puzzle, scene)
        without = self._task.draw(self._puzzle, replace(scene, extra=known))
        is_foreign = (cv2.absdiff(whole, without).max(axis=2) > 0)[..., None]
        return np.asarray(np.where(is_foreign, whole, drawn), np.uint8)

    def _follow(self, moment: Moment) -> None:
        """Add where the moving parts are now to their trails."""
        if not isinstance(self._task, SceneTask):
            box = find_mover_boxes(self._task, self._puzzle, moment.true.state)[0]
            width, height = self._task.size(self._puzzle)
            self._add_point("", ((box[0] + box[2]) / 2 * width, (box[1] + box[3]) / 2 * height))
            return
        turns = isinstance(self._task, TurnTask)
        for part in moment.true.state.parts:
            self._add_point(part.name, find_path_point(self._task, self._puzzle, part, turns))

    def _add_point(self, name: Any, point: tuple[float, float]) -> None:
        points = self._trails.setdefault(name, [])
        if not points or np.hypot(point[0] - points[-1][0], point[1] - points[-1][1]) > 1:
            points.append(point)

    def _draw_trail(self, frame: Frame, operation: Operation) -> Frame:
        width = max(1.0, float(operation.params["width"]) * self._part_px() / self._size[1]
                    * self._task.size(self._puzzle)[1])  # fmt: skip
        drawn = np.ascontiguousarray(frame.copy())
        for points in self._trails.values():
            if len(points) > 1:
                line = np.round(np.array(points) * 8).astype(np.int32)
                cv2.polylines(drawn, [line], False, COLOURS[str(operation.params["colour"])], max(1, round(width)),
                              cv2.LINE_AA, 3)  # fmt: skip
        return effects.mix(frame, drawn, float(operation.params["opacity"]))

    def _highlight(self, ground: Frame, operation: Operation, strength: float) -> Frame:
        width, height = self._task.size(self._puzzle)
        start, end = self._task.solution(self._puzzle, 0.0), self._task.solution(self._puzzle, 1.0)
        field = ground.copy()
        for part in end.parts:
            before = start.get(part.name)
            if before is not None and before.look != part.look:
                left, top, right, bottom = self._task.part_box(self._puzzle, part)  # type: ignore[attr-defined]
                where = np.s_[round(top * height) : round(bottom * height), round(left * width) : round(right * width)]
                field[where] = COLOURS[str(operation.params["colour"])]
        return effects.mix(ground, field, strength * float(operation.params["opacity"]))

    # -- light and noise -----------------------------------------------------------------------------------------

    def _light(self, frame: Frame, moment: Moment) -> Frame:
        for number, strength in moment.strengths.items():
            each = self._run.program.operations[number]
            params = each.params
            if each.name == "light":
                gain, offset = 1 + strength * (float(params["gain"]) - 1), strength * float(params["offset"])
                frame = effects.scale_levels(frame, gain, offset)
            elif each.name == "colour_cast":
                factors = [1 + strength * (float(params[name]) - 1) for name in ("red", "green", "blue")]
                frame = effects.scale_levels(frame, factors)
            elif each.name == "saturate":
                frame = effects.change_saturation(frame, 1 + strength * (float(params["factor"]) - 1))
            elif each.name in ("vignette", "side_light"):
                shape = _make_shading(frame.shape[1], frame.shape[0], each.name == "vignette")
                frame = effects.to_frame(frame * (1 - strength * float(params["strength"]) * shape))
        return frame

    def _roughen(self, frame: Frame, moment: Moment) -> Frame:
        for number in moment.strengths:
            each = self._run.program.operations[number]
            if each.name == "grain":
                noise = np.random.default_rng(self._rng.getrandbits(32)).normal(
                    0, float(each.params["sigma"]), frame.shape
                )
                frame = effects.to_frame(frame + noise)
            elif each.name == "jpeg":
                frame = effects.compress_jpeg(frame, int(each.params["quality"]))
        return frame


def _damage(operation: Operation) -> ChangePatch:
    if operation.name == "recolour_part":
        return recolour(float(operation.params["deg"]))
    x, y = float(operation.params["x"]), float(operation.params["y"])
    return lambda part, patch: warp_patch(part, patch, x, y)


def _find_main_colour(frame: Frame) -> Any:
    colours, counts = np.unique(frame[::4, ::4].reshape(-1, 3), axis=0, return_counts=True)
    return colours[counts.argmax()].astype(np.int16)


@lru_cache(maxsize=16)
def _make_shading(width: int, height: int, is_vignette: bool) -> Any:
    rows, columns = np.indices((height, width), np.float32)
    x, y = columns / max(width - 1, 1), rows / max(height - 1, 1)
    shape = 2 * ((x - 0.5) ** 2 + (y - 0.5) ** 2) if is_vignette else x
    return shape[..., None]


def _draw_layer(frame: Frame, layer: Layer) -> Frame:
    height, width = frame.shape[:2]
    drawn = frame.copy()
    left, top, right, bottom = (
        side * length for side, length in zip(layer.box, (width, height, width, height), strict=True)
    )
    x, y, rx, ry = (left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2
    if layer.shape == "square":
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    else:
        angles = np.arange(10 if layer.shape == "star" else 40) * 2 * pi / (10 if layer.shape == "star" else 40)
        radii = np.where(np.arange(len(angles)) % 2, 0.5, 1.0) if layer.shape == "star" else np.ones(len(angles))
        corners = np.stack([x + rx * radii * np.sin(angles), y - ry * radii * np.cos(angles)], axis=1)
    cv2.fillPoly(drawn, [np.round(corners * 16).astype(np.int32)], layer.colour, cv2.LINE_AA, 4)
    return drawn if layer.opacity >= 1 else effects.mix(frame, drawn, layer.opacity)


def _warp(frame: Frame, moment: Moment) -> Frame:
    height, width = frame.shape[:2]
    scale = np.diag([width, height, 1.0])
    matrix = scale @ moment.view @ np.linalg.inv(scale)
    border = tuple(int(level) for level in frame[0, 0])
    moved = cv2.warpPerspective(frame, matrix, (width, height), flags=cv2.INTER_LINEAR,
                                borderMode=cv2.BORDER_CONSTANT, borderValue=border)  # fmt: skip
    return np.asarray(moved, np.uint8)


def _make_veil(frame: Frame, moment: Moment, rng: Random) -> Frame:
    if moment.veil_of == "noise":
        return np.random.default_rng(rng.getrandbits(32)).integers(0, 256, frame.shape).astype(np.uint8)
    return effects.fill_like(frame, COLOURS[moment.veil_of])


def _deliver(run: SymbolicRun, frames: Iterator[Frame]) -> list[Frame]:
    bars = run.list_operations("bars")
    delivered = [*frames]
    if bars:
        params = bars[0][1].params
        x = round(float(params["x"]) * delivered[0].shape[1])
        y = round(float(params["y"]) * delivered[0].shape[0])
        delivered = [effects.pad(frame, x, y, COLOURS[str(params["colour"])]) for frame in delivered]
    codecs = run.list_operations("codec")
    if codecs:
        params = codecs[0][1].params
        return encode_and_decode(delivered, run.fps, str(params["codec"]), int(params["crf"]))
    return delivered


def encode_and_decode(frames: list[Frame], fps: float, codec: str, crf: int) -> list[Frame]:
    """Return the frames as a player shows them after encoding."""
    with TemporaryDirectory(prefix="vmevalkit-attack-") as folder:
        path = Path(folder) / "video.mp4"
        write_video(path, frames, fps, codec=codec, crf=crf)
        return [timed.frame for timed in read_frames(path)]
