"""Reading a picture back into a scene: for each square the angle of its pipe, where it is, and whether it is one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import dist

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.rotation_puzzle_task.bank import SOFT, Bank, bank_of
from vmevalkit.tasks.rotation_puzzle_task.following import Mark, follow
from vmevalkit.tasks.rotation_puzzle_task.pipes import KINDS
from vmevalkit.tasks.rotation_puzzle_task.planes import (
    FULL,
    GROUND,
    INK,
    WORK_SCALE,
    Plane,
    Planes,
    patch_of,
    planes_of,
)
from vmevalkit.tasks.rotation_puzzle_task.rotation_puzzle_reasoning import RotationPuzzle, solution
from vmevalkit.tasks.rotation_puzzle_task.scene import (
    BLUE,
    NEW,
    OTHER,
    Camera,
    Pipe,
    Point,
    Scene,
    layout_of,
    scene_of,
)
from vmevalkit.tasks.rotation_puzzle_task.strays import FITS, Placed, best_shape, dissolving, settled, strays

_SURE = 0.13
"""A fit that leaves less than this needs no second look."""
_FAINTEST = 0.3
"""A pipe with less ink than this is not there."""
_OPAQUE = 0.85
"""With more than this it is whole: blur takes some of its strength."""
_HALF = 0.6
_HIDDEN = 0.55
"""A square of which more than this share is veiled cannot be read."""
_TOUCHED = 0.01
"""A square of which more than this share is veiled, and which does not look like a pipe, may look so for that."""
_TOUCHED_SURE, _DISTINCT = 0.22, 0.3
"""Where a square is partly veiled, its fit must be better than usual, and the next best angle so much worse."""
_EMPTY = 0.35
"""Below this a patch holds too little ink for a pipe: the root of its power, relative to a pipe's."""
_FAINT, _EXCESS = 0.2, 0.35
"""More ink than the known pipes have, as a share of a pipe's, is looked for."""
_OTHER_COLOUR = 75.0
"""Levels, over all three channels, from which on a colour is another one."""
_AT_HOME_PX = 15.0
_RING, _RING_DARK, _RING_SHARE = (0.54, 0.62), 0.25, 0.03
"""Around a square, in squares from its centre: where more than this share is as dark, something goes on."""
_LEAST_FOUND = 0.5
"""The share of the squares that must be there, or hidden, for a frame to show this puzzle."""


class PipeReader:
    """Reads the frames of one puzzle."""

    def __init__(self, puzzle: RotationPuzzle) -> None:
        layout = layout_of(puzzle.rows, puzzle.cols)
        self._homes = layout.homes
        self._start = solution(puzzle, 0.0)
        self._kinds = [pipe.shape for pipe in self._start.pipes]
        self._square = layout.square
        square = layout.square * WORK_SCALE
        self._banks = {kind: bank_of(kind, square) for kind in KINDS}

    def read(self, sighting: Sighting, before: Scene | None) -> Scene | None:
        """The scene, or None where most squares are gone. A pipe behind something is taken to be as it was."""
        planes = planes_of(sighting)
        if planes is None:
            return None
        last = before or self._start
        frame, clear, lost = self._looked(planes, last, last.camera)
        camera = self._camera(last, clear)
        if camera.is_other(frame.camera):
            frame, clear, lost = self._looked(planes, last, camera)
            camera = self._camera(replace(last, camera=camera), clear)
        pipes = [pipe for home, placed in clear.items() for pipe in self._seen(frame, home, placed, camera)]
        gone: list[int] = []
        for home in lost:
            found = self._search(frame, self._last(last, home), camera)
            pipes += found
            gone += [] if found else [home]
        pipes += self._strays(frame, pipes, gone, camera)
        present = {pipe.home for pipe in pipes if pipe.home != NEW and pipe.shape != OTHER}
        seen = {pipe.home for pipe in pipes if pipe.seen}
        if len(present) < _LEAST_FOUND * len(self._homes) or not seen:
            return None
        return scene_of(pipes, camera)

    def _looked(self, planes: Planes, last: Scene, camera: Camera) -> tuple[_Frame, dict[int, Placed], list[int]]:
        """The frame, the pipes that are clearly where they were, and the squares where none is."""
        frame = _Frame(planes, camera, self._banks)
        clear: dict[int, Placed] = {}
        lost: list[int] = []
        for home, kind in enumerate(self._kinds):
            pipe = self._last(last, home)
            place = camera.shown((pipe.x, pipe.y))
            veiled = frame.veiled(place)
            placed = None
            if veiled <= _HIDDEN:
                veil = planes.veil if veiled else None
                placed = settled(self._banks[kind], planes.blue, place, camera.zoom, veil)
            if placed is not None and _is_clear(placed, veiled > 0):
                clear[home] = placed
            else:
                lost.append(home)
        return frame, clear, lost

    def _last(self, scene: Scene, home: int) -> Pipe:
        """The pipe where it was seen last, or where it belongs."""
        known = scene.at(home)
        return known[0] if known else self._start.pipes[home]

    def _camera(self, last: Scene, clear: dict[int, Placed]) -> Camera:
        """From the pipes that were in their places."""
        marks = []
        for home, placed in clear.items():
            pipe = self._last(last, home)
            if dist((pipe.x, pipe.y), self._homes[home]) < _AT_HOME_PX:
                marks.append(Mark(self._homes[home], placed.place))
        return follow(marks, last.camera)

    def _seen(self, frame: _Frame, home: int, placed: Placed, camera: Camera) -> list[Pipe]:
        """A pipe that is clearly there; where it dissolves into another one, both."""
        if placed.fit.misfit > _SURE and not frame.veiled(placed.place):
            bank = self._banks[placed.shape]
            patch = patch_of(frame.planes.blue, placed.place, frame.camera.zoom, bank.side)
            both = dissolving(bank, patch, placed.fit)
            if both is not None:
                x, y = camera.undone(placed.place)
                return [Pipe(home, placed.shape, angle, x, y, opacity=_opacity(share)) for angle, share in both]
        return [frame.pipe(home, placed, self._square, camera)]

    def _search(self, frame: _Frame, last: Pipe, camera: Camera) -> list[Pipe]:
        """What lies at a place that does not clearly show its pipe; nothing, where that cannot be told."""
        place = frame.camera.shown((last.x, last.y))
        veiled = frame.veiled(place)
        if veiled > 0:
            painted = best_shape(self._banks.values(), frame.dark, place, frame.camera.zoom)
            if painted is not None and not frame.goes_on(painted.place):
                pipe = frame.pipe(last.home, painted, self._square, camera, dark=True)
                if pipe.colour != BLUE:
                    return [pipe]
        if veiled > _TOUCHED:
            return [replace(last, seen=False)]
        bank = self._banks[self._kinds[last.home]]
        patch = patch_of(frame.planes.blue, place, frame.camera.zoom, bank.side)
        both = dissolving(bank, patch, bank.fit(patch))
        if both is not None:
            return [
                Pipe(last.home, bank.shape, angle, last.x, last.y, opacity=_opacity(share)) for angle, share in both
            ]
        reshaped = best_shape(self._banks.values(), frame.planes.blue, place, frame.camera.zoom)
        return [] if reshaped is None else [frame.pipe(last.home, reshaped, self._square, camera)]

    def _strays(self, frame: _Frame, pipes: Sequence[Pipe], gone: Sequence[int], camera: Camera) -> list[Pipe]:
        """Pipes that left their places, things in their stead, and what is new."""
        if not gone and frame.ink() < self._expected(pipes, camera) + _EXCESS * self._banks["L"].area * camera.zoom**2:
            return []
        known = [
            Placed(pipe.shape, camera.shown((pipe.x, pipe.y)), self._banks[pipe.shape].fitted(pipe.angle_deg))
            for pipe in pipes
            if pipe.shape != OTHER
        ]
        found = strays(frame.planes, known, list(self._banks.values()), camera.zoom)
        left = list(gone)
        placed = []
        for stray in sorted(found, key=lambda some: (some.shape == OTHER, some.fit.misfit)):
            place = camera.undone(stray.place)
            home = min(left, key=lambda number: dist(self._homes[number], place), default=NEW)
            if home != NEW:
                left.remove(home)
            placed.append(frame.pipe(home, stray, self._square, camera))
        return placed

    def _expected(self, pipes: Iterable[Pipe], camera: Camera) -> float:
        """The area of the pipes, in pixels."""
        whole = sum(self._banks[pipe.shape].area * pipe.opacity for pipe in pipes if pipe.shape != OTHER)
        return camera.zoom**2 * whole


class _Frame:
    """One frame while it is read."""

    def __init__(self, planes: Planes, camera: Camera, banks: dict[str, Bank]) -> None:
        self.planes, self.camera = planes, camera
        self._bank = banks["L"]
        self._dark: Plane | None = None

    @property
    def dark(self) -> Plane:
        if self._dark is None:
            self._dark = np.asarray(cv2.GaussianBlur(self.planes.dark, (5, 5), SOFT))
        return self._dark

    def veiled(self, place: Point) -> float:
        """The share of the square there that something lies over, or that the film does not show."""
        if self.planes.veil is None:
            return 0.0
        bank = self._bank
        veil = patch_of(self.planes.veil, place, self.camera.zoom, bank.side) > 0
        return float(veil @ bank.disc / bank.disc.sum())

    def goes_on(self, place: Point) -> bool:
        """Whether what lies over a square there reaches beyond it: then it is no pipe, whatever it looks like."""
        bank = self._bank
        side = 2 * round(_RING[1] * bank.square)
        steps = np.arange(side) + 0.5 - side / 2
        far = np.hypot(steps[:, None], steps[None, :]).ravel() / bank.square
        ring = (far > _RING[0]) & (far < _RING[1])
        dark, blue = (patch_of(plane, place, self.camera.zoom, side)[ring] for plane in (self.dark, self.planes.blue))
        return float((dark - blue > _RING_DARK).mean()) > _RING_SHARE

    def ink(self) -> float:
        """The area of all that is blue, in pixels. Faint blue is noise."""
        _, blue = cv2.threshold(self.planes.blue, _FAINT * FULL, 0, cv2.THRESH_TOZERO)
        return float(cv2.sumElems(blue)[0]) / FULL

    def pipe(self, home: int, placed: Placed, square: int, camera: Camera, dark: bool = False) -> Pipe:
        """What was found, as a pipe of the scene."""
        x, y = camera.undone(placed.place)
        if placed.shape == OTHER:
            return Pipe(home, OTHER, 0.0, x, y)
        opacity = 1.0 if dark else _opacity(placed.fit.opacity)
        if opacity > _HALF and self.veiled(placed.place):
            opacity = 1.0  # what lies over it takes from its ink
        spots = _core(placed.shape, placed.fit.angle_deg) * square * camera.zoom + placed.place
        colour = _colour(self.planes.colour(spots, behind=dark), opacity)
        return Pipe(home, placed.shape, placed.fit.angle_deg, x, y, colour, opacity)


def _is_clear(placed: Placed, touched: bool) -> bool:
    fit = placed.fit
    if fit.misfit > FITS or fit.opacity < _FAINTEST or fit.misfit > 0.6 * fit.opacity:
        return False
    return not touched or (fit.misfit < _TOUCHED_SURE and fit.doubt > fit.misfit + _DISTINCT)


def _opacity(share: float) -> float:
    return 1.0 if share > _OPAQUE else share


def _core(shape: str, angle_deg: float) -> NDArray[np.float64]:
    """Points along the middle of a pipe, in squares from its centre."""
    turn = np.radians(angle_deg)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(_SPINES[shape] @ matrix)


_ARM = np.linspace(0.0, 0.38, 5)
_UP, _RIGHT = np.stack([0 * _ARM, -_ARM], axis=1), np.stack([_ARM, 0 * _ARM], axis=1)
_SPINES = {
    "L": np.concatenate([_UP, _RIGHT]),
    "I": np.concatenate([_UP, -_UP]),
    "T": np.concatenate([_UP, _RIGHT, -_RIGHT]),
}


def _colour(levels: NDArray[np.float32] | None, opacity: float) -> str:
    """The blue of the puzzle, or another colour."""
    if levels is None:
        return BLUE
    whole = GROUND + (levels - GROUND) / min(max(opacity, 0.5), 1.0)
    if float(np.linalg.norm(whole - INK)) < _OTHER_COLOUR:
        return BLUE
    return "#" + "".join(f"{round(float(level)):02x}" for level in np.clip(whole, 0, 255))
