"""A scene: a ground, and parts on it. It is the state of every puzzle of the kit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame

FOREIGN = "?"
"""The look of something that is not part of the puzzle."""
_HEXAGON = ((0, -1), (0.9, -0.4), (0.9, 0.6), (0, 1), (-0.9, 0.6), (-0.9, -0.4))


@dataclass(frozen=True, slots=True)
class Part:
    """One thing in the scene."""

    name: str
    """Unique in the scene, such as ``box0``."""
    x: float
    """Column of its middle, in pixels of the drawn picture."""
    y: float
    look: str
    """Which picture it has; an empty name means that nothing is drawn (a blank cell)."""
    angle: float = 0.0
    """In degrees, clockwise."""
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a frame shows."""

    parts: tuple[Part, ...]
    """In drawing order. A part that is seen to be gone is not here."""
    extra: tuple[Part, ...] = ()
    """Parts that the puzzle does not have: a second player, something foreign."""
    hidden: tuple[str, ...] = ()
    """Names of the parts that could not be seen. They are listed in ``parts`` as they were last seen."""
    rewritten: tuple[str, ...] = ()
    """Names of the parts that show what their look says in another drawing: a number in another typeface."""

    def get(self, name: str) -> Part | None:
        """Return the part of this name; None where it is gone."""
        return next((part for part in self.parts if part.name == name), None)

    def change(self, *changed: Part, without: Iterable[str] = (), extra: tuple[Part, ...] | None = None) -> Scene:
        """Return the scene with these parts in place of those of the same names."""
        new, gone = {part.name: part for part in changed}, set(without)
        parts = tuple(new.get(part.name, part) for part in self.parts if part.name not in gone)
        return replace(self, parts=parts, extra=self.extra if extra is None else extra)


@dataclass(frozen=True, slots=True)
class PartKind:
    """How a part may differ from frame to frame."""

    looks: tuple[str, ...]
    """All looks that it can have; with an empty one if it can be blank."""
    moves: bool = False
    turns: bool = False
    symmetry_deg: float = 360.0
    """The smallest turn after which it looks the same."""


@dataclass(frozen=True)
class Stage:
    """All that drawing and reading a puzzle needs."""

    size: tuple[int, int]
    draw_ground: Callable[[Canvas], None]
    """Draws what stands still."""
    paint: Callable[[Canvas, Part], None]
    """Draws a part, from its place, look and angle alone."""
    start: Scene
    kinds: Mapping[str, PartKind]
    """By the part's name."""
    _ground: list[Frame] = field(default_factory=list, repr=False, compare=False)

    @property
    def ground(self) -> Frame:
        """The picture without its parts."""
        if not self._ground:
            canvas = Canvas(*self.size)
            self.draw_ground(canvas)
            self._ground.append(canvas.frame())
        return self._ground[0]

    def draw(self, scene: Scene) -> Frame:
        """Return the picture of a scene."""
        canvas = Canvas(*self.size)
        canvas.paste(self.ground, 0, 0)
        for part in (*scene.parts, *scene.extra):
            if not part.look or part.opacity <= 0:
                continue
            if part.opacity >= 1:
                self._paint(canvas, part)
                continue
            below, above = canvas.frame(), Canvas(*self.size)
            above.paste(below, 0, 0)
            self._paint(above, part)
            canvas.paste(np.asarray(cv2.addWeighted(above.frame(), part.opacity, below, 1 - part.opacity, 0.0)), 0, 0)
        return canvas.frame()

    def _paint(self, canvas: Canvas, part: Part) -> None:
        if part.look == FOREIGN:
            canvas.polygon([(part.x + 14 * dx, part.y + 16 * dy) for dx, dy in _HEXAGON], fill="#7c4a9e")
        else:
            self.paint(canvas, part)


def majority(values: Sequence[Part | None], key: Callable[[Part | None], object]) -> Part | None:
    """Return the most frequent reading of a part, of several the latest."""
    counts: dict[object, int] = {}
    latest: dict[object, Part | None] = {}
    for value in values:
        counts[key(value)] = counts.get(key(value), 0) + 1
        latest.pop(key(value), None)
        latest[key(value)] = value
    order = list(latest)
    return latest[max(order, key=lambda each: (counts[each], order.index(each)))]
