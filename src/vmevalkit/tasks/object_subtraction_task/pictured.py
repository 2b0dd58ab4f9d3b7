"""Objects in other people's pictures: each looks as in the first picture, where the puzzle says that it is.

An object is followed a few pixels around its place. One that is moved farther is gone from there, and new elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.view import ViewRect, extract_view
from vmevalkit.tasks.kit.looks import Patch, paste
from vmevalkit.tasks.kit.matching import find_match
from vmevalkit.tasks.kit.question_pictures import Pictures, UnreadablePictures
from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.reading import READING_SIDE
from vmevalkit.tasks.object_subtraction_task.scene import (
    NEW,
    OTHER,
    ObjectScene,
    SceneObject,
    VisibleObject,
    build_scene,
    make_visible,
)
from vmevalkit.tasks.pictures.scene import PicturedScene

Floats = NDArray[np.float32]

AROUND_PX, RING_PX = 5, 3
"""Pixels around an object that may still be its own, at reading size, and of the ground around them."""
MIN_AREA, MIN_LEVELS = 0.4, 40.0
"""Least area of what is in the place of an object, relative to the object's, and its difference from the ground."""
REACH_PX = 7
"""Pixels by which an object is followed from its place."""
EXPLAINS = 0.6
"""Share of the difference from the ground that an object must explain."""
BARE_LEVELS = 14.0
"""Mean difference from the ground in the place of an object that is gone."""
OTHER_LEVELS, OTHER_AREA = 45.0, 25
"""Levels and pixels of something that is neither ground nor one of the objects."""
SAME_ASPECT = 1.03
"""A picture of objects shows the whole scene: it is as wide as it is high, up to this factor."""
_NEAR = np.ones((5, 5), np.uint8)


class ObjectPicture(PicturedScene[ObjectScene]):
    """Objects as a question's own first picture shows them."""

    def __init__(self, puzzle: ObjectSubtraction, first: Frame) -> None:
        """``first`` has the size of the drawn image. Raises UnreadablePictures."""
        self.puzzle, self.first, self.view = puzzle, first, ViewRect(0, 0, 1, 1)
        self.scale = puzzle.canvas / READING_SIDE
        small = np.asarray(cv2.resize(first, (READING_SIDE, READING_SIDE), interpolation=cv2.INTER_AREA), np.uint8)
        self.ground = small.astype(np.float32)
        for thing in puzzle.things:
            self._uncover(thing)
        self.patches = {thing.id: self._cut(thing, small.astype(np.float32)) for thing in puzzle.things}

    def draw(self, state: ObjectScene) -> Frame:
        picture = self.compose(state)
        side = self.puzzle.canvas
        if state == build_scene(make_visible(thing) for thing in self.puzzle.things):
            return self.first
        return np.asarray(cv2.resize(picture.astype(np.uint8), (side, side), interpolation=cv2.INTER_LINEAR), np.uint8)

    def make_reader(self) -> PicturedObjectReader:
        return PicturedObjectReader(self)

    def compose(self, state: ObjectScene) -> Floats:
        """Return the picture of a state at reading size."""
        picture, homes = self.ground.copy(), {thing.id: thing for thing in self.puzzle.things}
        for visible in state.objects:
            if visible.id == NEW:
                centre = round(visible.x / self.scale), round(visible.y / self.scale)
                red, green, blue = (int(visible.colour[place : place + 2], 16) for place in (1, 3, 5))
                cv2.circle(picture, centre, max(1, round(visible.size / self.scale / 2)), (red, green, blue), -1)
                continue
            patch, home = self.patches[visible.id], homes[visible.id]
            across, down = (visible.x - home.x) / self.scale, (visible.y - home.y) / self.scale
            moved = Patch(patch.left + round(across), patch.top + round(down), patch.colour, patch.alpha, patch.area)
            paste(picture, moved, visible.opacity)
        return picture

    def find_place(self, thing: SceneObject, margin: int) -> tuple[slice, slice]:
        """Return rows and columns around an object at reading size."""
        left, top, right, bottom = (side / self.scale for side in thing.box)
        rows = slice(max(0, round(top) - margin), min(READING_SIDE, round(bottom) + margin))
        return rows, slice(max(0, round(left) - margin), min(READING_SIDE, round(right) + margin))

    def _uncover(self, thing: SceneObject) -> None:
        """Paint the ground over an object, in the colour of what is around it."""
        rows, columns = self.find_place(thing, AROUND_PX)
        outer = self.ground[self.find_place(thing, AROUND_PX + RING_PX)]
        edges = (outer[:RING_PX], outer[-RING_PX:], outer[:, :RING_PX], outer[:, -RING_PX:])
        self.ground[rows, columns] = np.median(np.concatenate([edge.reshape(-1, 3) for edge in edges]), axis=0)

    def _cut(self, thing: SceneObject, small: Floats) -> Patch:
        """Return what is seen in the place of an object, with alpha."""
        rows, columns = self.find_place(thing, AROUND_PX)
        off = np.abs(small[rows, columns] - self.ground[rows, columns]).max(axis=2)
        alpha = np.clip((off - 8) / max(0.5 * float(off.max()), 1.0), 0, 1).astype(np.float32)
        area = float(alpha.sum())
        if float(off.max()) < MIN_LEVELS or area < MIN_AREA * thing.area / self.scale**2:
            raise UnreadablePictures(f"first_frame.png does not show object {thing.id} where the puzzle says")
        colour = (small[rows, columns] - self.ground[rows, columns] * (1 - alpha[..., None])).clip(0, 255)
        return Patch(columns.start, rows.start, np.asarray(colour, np.float32), alpha, area)


class PicturedObjectReader:
    """Reads the frames of one video."""

    def __init__(self, scene: ObjectPicture) -> None:
        self._scene = scene

    def read(self, frame: RegisteredFrame, before: ObjectScene | None) -> ObjectScene | None:
        """Return the scene. An object that something covers is taken to be as it was last seen."""
        scene, picture = self._scene, frame.image.astype(np.float32)
        objects, unseen = list[VisibleObject](), set[int]()
        for thing in scene.puzzle.things:
            home = make_visible(thing)
            place = scene.find_place(thing, 0)
            if frame.visible is not None and float(frame.visible[place].mean()) < 0.5:
                seen: VisibleObject | None = None
                unseen.add(thing.id)
            else:
                seen = self._find(picture, home)
                if seen is None and self._is_covered(picture, thing):
                    unseen.add(thing.id)
            if thing.id in unseen:
                seen = home if before is None else before.get(thing.id)
            objects += [] if seen is None else [seen]
        state = build_scene(objects, unseen=unseen)
        new = list(self._find_new(picture, state, frame)) if not unseen else []
        return build_scene([*objects, *new], unseen=unseen)

    def _find(self, picture: Floats, home: VisibleObject) -> VisibleObject | None:
        patch = self._scene.patches[home.id]
        window = patch.left - REACH_PX, patch.top - REACH_PX, patch.left + REACH_PX, patch.top + REACH_PX
        match = find_match(picture, self._scene.ground, patch, window, EXPLAINS)
        if match is None:
            return None
        across, down = (match.left - patch.left) * self._scene.scale, (match.top - patch.top) * self._scene.scale
        opacity = 1.0 if match.opacity > 0.85 else round(match.opacity, 2)
        return VisibleObject(home.id, home.colour, home.shape, home.x + across, home.y + down, home.size, opacity)

    def _is_covered(self, picture: Floats, thing: SceneObject) -> bool:
        """Return whether something else than the ground is in the place of an object."""
        place = self._scene.find_place(thing, 0)
        return float(np.abs(picture[place] - self._scene.ground[place]).max(axis=2).mean()) > BARE_LEVELS

    def _find_new(self, picture: Floats, state: ObjectScene, frame: RegisteredFrame) -> Iterator[VisibleObject]:
        """Yield things that the puzzle does not have."""
        expected = self._scene.compose(state)
        slack = cv2.dilate(expected, _NEAR) - cv2.erode(expected, _NEAR)
        odd = ((np.abs(picture - expected) - slack).max(axis=2) > OTHER_LEVELS).astype(np.uint8)
        if frame.visible is not None:
            odd &= frame.visible.astype(np.uint8)
        count, labels, stats, centres = cv2.connectedComponentsWithStats(odd)
        for number in range(1, count):
            left, top, wide, high, area = (int(value) for value in stats[number])
            at_edge = left <= 2 or top <= 2 or left + wide >= READING_SIDE - 2 or top + high >= READING_SIDE - 2
            if area < OTHER_AREA or at_edge:
                continue
            colour = np.median(picture[labels == number], axis=0).astype(int).tolist()
            x, y = (float(value) * self._scene.scale for value in centres[number])
            size = 2 * (area / np.pi) ** 0.5 * self._scene.scale
            yield VisibleObject(NEW, "#{:02x}{:02x}{:02x}".format(*colour), OTHER, x, y, size)


def find_objects(puzzle: ObjectSubtraction, pictures: Pictures) -> ObjectPicture:
    """Return how the first picture shows the objects. Raises UnreadablePictures where it does not show them."""
    height, width = pictures.first.shape[:2]
    if not 1 / SAME_ASPECT < width / height < SAME_ASPECT:
        raise UnreadablePictures(
            f"first_frame.png is {width} x {height}, and the puzzle's scene is as wide as it is high"
        )
    side = puzzle.canvas
    return ObjectPicture(puzzle, extract_view(pictures.first, ViewRect(0, 0, 1, 1), (side, side)))
