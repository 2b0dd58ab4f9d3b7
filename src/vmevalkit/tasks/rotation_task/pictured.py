"""A sculpture in other people's pictures: camera, height of voxels, shading and edges follow from the first one.

They are fitted as the pose in a video is: the look is chosen whose render explains the picture best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import exp, log
from typing import NamedTuple

import cv2
import numpy as np

from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.view import ViewRect, extract_view
from vmevalkit.tasks.kit.question_pictures import Pictures, UnreadablePictures
from vmevalkit.tasks.pictures.scene import PicturedScene
from vmevalkit.tasks.rotation_task.parts import COARSE, Pose
from vmevalkit.tasks.rotation_task.pose import PoseFit, PoseFitter, observe_frame
from vmevalkit.tasks.rotation_task.reader import DOUBTFUL, UNKNOWN, RotationReader
from vmevalkit.tasks.rotation_task.render import ALPHA, SHADE, SIDE, draw_view
from vmevalkit.tasks.rotation_task.scene import PicturedVoxelPuzzle, SculptureLook, View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.silhouettes import OTHER_LEVELS, SilhouetteFinder, find_sculpture_mask

DISTANCES, STRETCHES = (3.2, 4.5, 7.0, 11.0, 20.0), (1.0, 0.75)
"""Looks that are tried first; all between them are tried after that, in steps."""
DISTANCE_STEP, STRETCH_STEP, EDGE_STEP = 1.25, 0.05, 0.3
MAX_OFF_DEG = 8.0
"""Degrees by which the picture may be seen from another direction than the puzzle says."""
MAX_MISFIT = UNKNOWN / 2
"""Share of the sculpture's contrast that may be left unexplained in its own picture."""
_AROUND = np.ones((5, 5), np.uint8)
_ROUNDS = 30


class _Fit(NamedTuple):
    look: SculptureLook
    found: PoseFit


class SculptureScene(PicturedScene[View]):
    """A sculpture as a question's own first picture shows it."""

    def __init__(self, puzzle: PicturedVoxelPuzzle, view: ViewRect, first: Frame, paint: tuple[str, ...]) -> None:
        self.puzzle, self.view, self.first, self._paint = puzzle, view, first, paint

    def draw(self, state: View) -> Frame:
        paint = self._paint if state.paint == self.puzzle.paint else state.paint
        return draw_view(self.puzzle, replace(state, paint=paint))

    def vary(self, state: View, image: Frame) -> list[Frame]:
        """Where only the silhouette was read, the frame itself says how the sculpture looks inside it."""
        if state.track is not None:
            return []
        own = cv2.dilate(find_sculpture_mask(image).astype(np.uint8), _AROUND).astype(bool)
        drawn = cv2.resize(self.draw(state), (image.shape[1], image.shape[0]), interpolation=cv2.INTER_AREA)
        edges = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
        drawn = np.where(find_sculpture_mask(drawn)[..., None], np.median(edges, axis=0).astype(np.uint8), drawn)
        return [np.asarray(np.where(own[..., None], image, drawn), np.uint8)]

    def make_reader(self) -> PicturedRotationReader:
        return PicturedRotationReader(self.puzzle)


class PicturedRotationReader:
    """Reads the pose exactly where a frame shows the fitted look, and else from the silhouette."""

    def __init__(self, puzzle: PicturedVoxelPuzzle) -> None:
        self._puzzle, self._exact = puzzle, RotationReader(puzzle)
        cubes = _with_look(puzzle, replace(puzzle.look, stretch=1.0))
        self._silhouettes = SilhouetteFinder((puzzle, cubes))

    def read(self, frame: RegisteredFrame, before: View | None) -> View | None:
        view = self._exact.read(frame, before)
        if view is not None and view.voxels and view.track is not None and view.track.misfit <= DOUBTFUL:
            return view
        pose = self._silhouettes.find(frame.image, self._puzzle.azim_deg if before is None else before.azim_deg)
        if pose is None:
            return view
        azim_deg, elev_deg, zoom, across, down = pose.tolist()
        return View(azim_deg, elev_deg, self._puzzle.voxels, self._puzzle.paint, exp(zoom), (across, down))


def find_sculpture(puzzle: VoxelPuzzle, pictures: Pictures) -> SculptureScene:
    """Return how the first picture shows the sculpture. Raises UnreadablePictures where it does not show it."""
    square = _make_square(pictures.first)
    image = extract_view(pictures.first, square, (SIDE, SIDE))
    best = _fit_look(puzzle, image)
    pose = best.found.pose
    off = max(abs(pose[0] - puzzle.azim_deg), abs(pose[1] - puzzle.elev_deg))
    if best.found.misfit > MAX_MISFIT or off > MAX_OFF_DEG:
        raise UnreadablePictures("first_frame.png does not show the sculpture from where the puzzle says")
    zoom, across, down = exp(pose[2]), pose[3], pose[4]
    left, top = 0.5 + across - zoom / 2, 0.5 + down - zoom / 2
    view = ViewRect(
        square.left + left * square.width, square.top + top * square.height, zoom * square.width, zoom * square.height
    )
    own = PicturedVoxelPuzzle(
        puzzle.voxels, puzzle.elev_deg, puzzle.azim_deg, puzzle.angle_deg, puzzle.colours, best.look
    )
    return SculptureScene(own, view, extract_view(pictures.first, view, (SIDE, SIDE)), _find_paint(own, best.found))


def _make_square(picture: Frame) -> ViewRect:
    """Return the square around a picture: what is beyond its edges looks like them."""
    height, width = picture.shape[:2]
    side = max(height, width)
    return ViewRect((1 - side / width) / 2, (1 - side / height) / 2, side / width, side / height)


def _fit_look(puzzle: VoxelPuzzle, image: Frame) -> _Fit:
    """Return the look, with the pose, that explains the picture best."""
    start = _guess_pose(puzzle, image)
    looks = [
        SculptureLook(distance, stretch, is_shaded)
        for distance in DISTANCES for stretch in STRETCHES for is_shaded in (True, False)
    ]  # fmt: skip
    best = min((_Fit(look, _fit_pose(puzzle, look, image, start)) for look in looks), key=_rate)
    for _ in range(_ROUNDS):
        tried = [_Fit(look, _fit_pose(puzzle, look, image, best.found.pose)) for look in _vary(best.look)]
        better = min(tried, key=_rate)
        if _rate(better) >= _rate(best):
            break
        best = better
    return best


def _rate(fit: _Fit) -> float:
    return fit.found.misfit + fit.found.stray


def _vary(look: SculptureLook) -> Iterator[SculptureLook]:
    yield replace(look, distance=look.distance * DISTANCE_STEP)
    yield replace(look, distance=look.distance / DISTANCE_STEP)
    yield replace(look, stretch=look.stretch + STRETCH_STEP)
    yield replace(look, stretch=look.stretch - STRETCH_STEP)
    yield replace(look, edge_width=look.edge_width + EDGE_STEP)
    if look.edge_width > EDGE_STEP:
        yield replace(look, edge_width=look.edge_width - EDGE_STEP)


def _fit_pose(puzzle: VoxelPuzzle, look: SculptureLook, image: Frame, start: Pose) -> PoseFit:
    fitter = PoseFitter(_with_look(puzzle, look))
    rough = fitter.fit(observe_frame(image, None, COARSE), puzzle.voxels, start, 3)
    return fitter.fit(observe_frame(image, None), puzzle.voxels, rough.pose, 8, thorough=True)


def _with_look(puzzle: VoxelPuzzle, look: SculptureLook) -> PicturedVoxelPuzzle:
    return PicturedVoxelPuzzle(
        puzzle.voxels, puzzle.elev_deg, puzzle.azim_deg, puzzle.angle_deg, puzzle.colours, seen_look=look
    )


def _guess_pose(puzzle: VoxelPuzzle, image: Frame) -> Pose:
    """Return the pose of the first view, with size and place by what differs from the background."""
    drawn = draw_view(puzzle, View(puzzle.azim_deg, puzzle.elev_deg, puzzle.voxels, puzzle.paint))
    (left, top, wide, high), usual = _find_box(image), _find_box(drawn)
    zoom = (max(wide, high)) / max(usual[2], usual[3], 1)
    if zoom <= 0:
        raise UnreadablePictures("first_frame.png shows nothing but a background")
    across = (left + wide / 2) / SIDE - 0.5 - zoom * ((usual[0] + usual[2] / 2) / SIDE - 0.5)
    down = (top + high / 2) / SIDE - 0.5 - zoom * ((usual[1] + usual[3] / 2) / SIDE - 0.5)
    return np.array([puzzle.azim_deg, puzzle.elev_deg, log(zoom), across, down])


def _find_box(image: Frame) -> tuple[int, int, int, int]:
    """Return left, top, width and height of what differs from the colour at the picture's edges."""
    edges = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    other = np.abs(image.astype(np.int16) - np.median(edges, axis=0)).max(axis=2) > OTHER_LEVELS
    left, top, wide, high = cv2.boundingRect(other.astype(np.uint8))
    return left, top, wide, high


def _find_paint(puzzle: PicturedVoxelPuzzle, found: PoseFit) -> tuple[str, ...]:
    """Return the colour with which the drawn faces look like those of the picture: they are translucent on white."""
    if puzzle.colours:
        return puzzle.colours
    hidden = (1 - ALPHA) ** 2  # of the ground behind two faces
    level = (found.palette[:, 1] - 255 * hidden) / (1 - hidden) / (SHADE.max() if puzzle.look.is_shaded else 1.0)
    return ("#{:02x}{:02x}{:02x}".format(*np.clip(np.rint(level), 0, 255).astype(int).tolist()),)
