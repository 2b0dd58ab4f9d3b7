"""The certificate of questions about objects: everything is counted and measured again, from the pixels alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vmevalkit.core.errors import Uncertified
from vmevalkit.media.image import Frame
from vmevalkit.vqa.synthetic.object_questions import DIRECTIONS, RATIOS, name_object
from vmevalkit.vqa.synthetic.question import SyntheticQuestion

_COLOURS = {
    "red": (220, 20, 60), "green": (30, 155, 60), "blue": (30, 80, 230), "yellow": (255, 230, 0),
    "orange": (255, 120, 0), "purple": (150, 40, 200),
}  # fmt: skip
_FILL = {"cube": 1.0, "sphere": 0.785, "cone": 0.68, "pyramid": 0.5}
"""The share of its bounding box that a shape fills."""
_SAME_PLACE = 3.0


@dataclass(frozen=True, slots=True)
class SeenObject:
    """An object as the pixels show it."""

    colour: str
    shape: str
    x: float
    """The middle of its bounding box."""
    y: float
    width: float

    @property
    def name(self) -> str:
        return name_object(self.colour, self.shape)


def find_objects(image: Frame) -> list[SeenObject]:
    """Return every object of an image. Objects do not touch, so each is one connected region."""
    inked = (image.min(axis=2) < 128).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(inked)
    found = []
    for label, (left, top, width, height, area) in enumerate(stats[1:].tolist(), 1):
        colour = np.median(image[labels == label], axis=0)
        names = sorted(_COLOURS, key=lambda name: float(np.abs(np.subtract(_COLOURS[name], colour)).sum()))
        if float(np.abs(np.subtract(_COLOURS[names[0]], colour)).sum()) > 12:
            raise Uncertified(f"an object has the unknown colour {colour.tolist()}")
        fill = area / (width * height)
        shape = min(_FILL, key=lambda name: abs(_FILL[name] - fill))
        found.append(SeenObject(names[0], shape, left + width / 2, top + height / 2, float(width)))
    return found


def certify_objects(question: SyntheticQuestion) -> None:
    """Raise Uncertified unless the recount gives the marked option, and no other option holds."""
    images = [find_objects(image) for image in question.images]
    expected = _RECOUNTS[question.kind](question, images)
    if expected != question.correct_option:
        raise Uncertified(f"the recount gives {expected!r}, the question says {question.correct_option!r}")
    if question.options.count(expected) != 1:
        raise Uncertified(f"{expected!r} is not exactly one of the options {question.options}")


def _recount_shape(question: SyntheticQuestion, images: list[list[SeenObject]]) -> str:
    return str(sum(seen.shape == question.scene["shape"] for image in images for seen in image))


def _recount_missing(_question: SyntheticQuestion, images: list[list[SeenObject]]) -> str:
    second = {seen.name for seen in images[1]}
    return _only([seen.name for seen in images[0] if seen.name not in second])


def _recount_ratio(question: SyntheticQuestion, images: list[list[SeenObject]]) -> str:
    name = name_object(question.scene["colour"], question.scene["shape"])
    first, second = (_find(image, name).width for image in images)
    return _only([words for words, ratio in RATIOS.items() if abs(second / first / ratio - 1) < 0.1])


def _recount_widest(_question: SyntheticQuestion, images: list[list[SeenObject]]) -> str:
    everything = sorted((seen for image in images for seen in image), key=lambda seen: -seen.width)
    if everything[0].width < everything[1].width + 6:
        raise Uncertified("two objects are nearly as wide as each other")
    return everything[0].name


def _recount_moved(_question: SyntheticQuestion, images: list[list[SeenObject]]) -> str:
    return _only([name for name, (x, y) in _measure_motion(images).items() if max(abs(x), abs(y)) > _SAME_PLACE])


def _recount_moved_count(_question: SyntheticQuestion, images: list[list[SeenObject]]) -> str:
    return str(sum(max(abs(x), abs(y)) > _SAME_PLACE for x, y in _measure_motion(images).values()))


def _recount_direction(question: SyntheticQuestion, images: list[list[SeenObject]]) -> str:
    x, y = _measure_motion(images)[name_object(question.scene["colour"], question.scene["shape"])]
    return _only([words for words, (right, down) in DIRECTIONS.items() if x * right + y * down > 10 * _SAME_PLACE])


_RECOUNTS: dict[str, Callable[[SyntheticQuestion, list[list[SeenObject]]], str]] = {
    "count_shape": _recount_shape,
    "missing_object": _recount_missing,
    "width_ratio": _recount_ratio,
    "widest_object": _recount_widest,
    "which_moved": _recount_moved,
    "direction": _recount_direction,
    "moved_count": _recount_moved_count,
}


def _measure_motion(images: list[list[SeenObject]]) -> dict[str, tuple[float, float]]:
    """Return how far each object moved to the right and down. Both images must show the same objects, each once."""
    first, second = images
    if sorted(seen.name for seen in first) != sorted(seen.name for seen in second):
        raise Uncertified("the two images do not show the same objects")
    return {seen.name: (_find(second, seen.name).x - seen.x, _find(second, seen.name).y - seen.y) for seen in first}


def _find(image: list[SeenObject], name: str) -> SeenObject:
    named = [seen for seen in image if seen.name == name]
    if len(named) != 1:
        raise Uncertified(f"an image shows {name} {len(named)} times, not once")
    return named[0]


def _only(names: list[str]) -> str:
    if len(names) != 1:
        raise Uncertified(f"the recount gives {len(names)} answers, not one: {names}")
    return names[0]
