"""Pipes in other people's pictures: each is cut out of the first picture and turned, and read as a scene of parts."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.view import ViewRect, extract_view
from vmevalkit.tasks.kit.looks import Looks, Sprite
from vmevalkit.tasks.kit.question_pictures import Pictures, UnreadablePictures
from vmevalkit.tasks.kit.reader import SceneReader
from vmevalkit.tasks.kit.scene import Part, PartKind, Scene, Stage
from vmevalkit.tasks.pictures.scene import PicturedScene
from vmevalkit.tasks.rotation_puzzle_task.planes import READING_SCALE
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle
from vmevalkit.tasks.rotation_puzzle_task.scene import (
    NEW,
    SIZE,
    Pipe,
    PipeScene,
    build_scene,
    get_layout,
    get_period_deg,
)
from vmevalkit.tasks.rotation_puzzle_task.solution import get_solution_scene

REACH = 0.56
"""Radius around the middle of a square in which its pipe is cut out, in squares: the next square begins beyond it."""
MIN_LEVELS = 40.0
"""Levels by which a pipe differs from the ground."""
AREAS = (0.08, 0.75)
"""Least and most area of a pipe, in squares."""
ALIKE = 0.6
"""Least overlap of a pipe with the outline that the puzzle says, of both together."""
SAME_ASPECT = 1.03
"""The first picture shows the whole scene: its aspect ratio is that of the drawn image, up to this factor."""


class PipePicture(PicturedScene[PipeScene]):
    """Pipes as a question's own first picture shows them."""

    def __init__(self, puzzle: RotationPuzzle, first: Frame, drawn: Frame) -> None:
        """Both pictures have the size of the drawn image. Raises UnreadablePictures."""
        self.first, self.view = first, ViewRect(0, 0, 1, 1)
        self._start = get_solution_scene(puzzle, 0.0)
        layout = get_layout(puzzle.rows, puzzle.cols)
        ground = np.median(first.reshape(-1, 3), axis=0)
        picture, sprites = first.copy(), dict[str, Sprite]()
        for pipe in self._start.pipes:
            sprites[str(pipe.home)] = _cut_pipe(first, drawn, pipe, REACH * layout.square, ground)
            cv2.circle(picture, (round(pipe.x), round(pipe.y)), round(REACH * layout.square), ground.tolist(), -1)
        self._large, self._looks = Looks(picture, sprites, 1.0), Looks(picture, sprites, READING_SCALE)
        parts = tuple(Part(str(pipe.home), pipe.x, pipe.y, str(pipe.home)) for pipe in self._start.pipes)
        kinds = {
            str(pipe.home): PartKind((str(pipe.home),), turns=True, symmetry_deg=get_period_deg(pipe.shape))
            for pipe in self._start.pipes
        }
        self._stage = Stage(SIZE, lambda _: None, lambda _, __: None, Scene(parts), kinds)

    def draw(self, state: PipeScene) -> Frame:
        if state == self._start:
            return self.first
        starts = {pipe.home: pipe.angle_deg for pipe in self._start.pipes}
        parts = [
            Part(str(p.home), p.x, p.y, str(p.home), p.angle_deg - starts[p.home], p.opacity)
            for p in state.pipes if p.home != NEW
        ]  # fmt: skip
        return np.asarray(self._large.compose(parts).clip(0, 255), np.uint8)

    def make_reader(self) -> PicturedPipeReader:
        return PicturedPipeReader(self._start, SceneReader(self._stage, self._looks))


class PicturedPipeReader:
    """Reads the frames of one video as a scene of parts that turn."""

    def __init__(self, start: PipeScene, reader: SceneReader) -> None:
        self._start, self._reader = start, reader

    def read(self, frame: RegisteredFrame, before: PipeScene | None) -> PipeScene | None:
        scene = self._reader.read(frame, None)
        if scene is None:
            return None
        return build_scene(
            replace(
                pipe, angle_deg=(pipe.angle_deg + part.angle) % 360, opacity=part.opacity,
                is_visible=part.name not in scene.hidden,
            )
            for pipe in self._start.pipes if (part := scene.get(str(pipe.home))) is not None
        )  # fmt: skip


def _cut_pipe(first: Frame, drawn: Frame, pipe: Pipe, reach: float, ground: NDArray[np.float64]) -> Sprite:
    """Return the picture of a pipe as it is at the start, around the middle of its square."""
    left, top, side = round(pipe.x - reach), round(pipe.y - reach), round(2 * reach)
    rows, columns = slice(max(top, 0), top + side), slice(max(left, 0), left + side)
    seen = first[rows, columns].astype(np.float32)
    height, width = seen.shape[:2]
    y, x = np.mgrid[:height, :width] + 0.5
    inside = np.hypot(x + columns.start - pipe.x, y + rows.start - pipe.y) < reach
    off = np.abs(seen - ground).max(axis=2) * inside
    alpha = np.clip((off - 8) / max(0.5 * float(off.max()), 1.0), 0, 1).astype(np.float32)
    outline = (np.abs(drawn[rows, columns].astype(np.float32) - drawn[0, 0]).max(axis=2) > MIN_LEVELS) & inside
    is_pipe = alpha > 0.5
    area = float(alpha.sum()) / (reach / REACH) ** 2
    overlap = int(np.count_nonzero(is_pipe & outline)) / max(int(np.count_nonzero(is_pipe | outline)), 1)
    if float(off.max()) < MIN_LEVELS or not AREAS[0] <= area <= AREAS[1] or overlap < ALIKE:
        raise UnreadablePictures(f"first_frame.png does not show the pipe of square {pipe.home + 1} as the puzzle says")
    colour = np.clip(seen - ground * (1 - alpha[..., None]), 0, 255).astype(np.float32)
    return Sprite(colour, alpha, columns.start - pipe.x, rows.start - pipe.y)


def find_pipes(puzzle: RotationPuzzle, pictures: Pictures, drawn: Frame) -> PipePicture:
    """Return how the first picture shows the pipes. Raises UnreadablePictures where it does not show them."""
    height, width = pictures.first.shape[:2]
    if not 1 / SAME_ASPECT < width / height / (SIZE[0] / SIZE[1]) < SAME_ASPECT:
        raise UnreadablePictures(f"first_frame.png is {width} x {height}; the whole scene has the aspect ratio 3:2")
    return PipePicture(puzzle, extract_view(pictures.first, ViewRect(0, 0, 1, 1), SIZE), drawn)
