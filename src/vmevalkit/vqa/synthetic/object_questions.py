"""Questions about coloured objects in two images: what is there, how large it is, what moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from vmevalkit.core.errors import Uncertified
from vmevalkit.media.image import Frame
from vmevalkit.tasks.object_subtraction_task.placement import GAP, MARGIN, place_objects
from vmevalkit.tasks.object_subtraction_task.render import draw_scene
from vmevalkit.tasks.object_subtraction_task.scene import (
    COLOURS,
    SHAPES,
    SceneObject,
    build_scene,
    compute_scale,
    make_visible,
    measure_gap,
)
from vmevalkit.vqa.synthetic.question import QuestionMaker, SyntheticQuestion, arrange_options

CANVAS = 320
DIRECTIONS: dict[str, tuple[int, int]] = {"to the left": (-1, 0), "to the right": (1, 0), "up": (0, -1), "down": (0, 1)}
RATIOS: dict[str, float] = {
    "half as wide": 0.5, "three quarters as wide": 0.75, "one and a half times as wide": 1.5, "twice as wide": 2.0,
}  # fmt: skip
PLURALS = {"cube": "squares", "sphere": "circles", "pyramid": "triangles", "cone": "trapezoids"}
SINGULARS = {"cube": "square", "sphere": "circle", "pyramid": "triangle", "cone": "trapezoid"}
"""What the drawn shapes are called: they are flat."""
_TRIES = 200
_LENGTHS = (40, 90)
"""The least and the most that an object moves, in pixels."""


def name_object(colour: str, shape: str) -> str:
    return f"the {colour} {SINGULARS[shape]}"


def make_count_question(rng: Random, answer: str, _index: int) -> SyntheticQuestion:
    """Ask how many objects of one shape both images show together."""
    shape = rng.choice(SHAPES)
    scenes = [_sample_objects(rng, rng.randint(4, 7), may_repeat=True) for _ in range(2)]
    count = sum(thing.shape == shape for things in scenes for thing in things)
    if count == 0:
        raise Uncertified(f"no {shape} in either image")
    lowest = count - rng.randint(0, min(3, count))  # the right number is as often the lowest or the highest of the four
    numbers = [str(other) for other in range(lowest, lowest + 4)]
    return SyntheticQuestion(
        "attribute_appr",
        "count_shape",
        f"How many {PLURALS[shape]} are there in the two images together?",
        arrange_options(rng, str(count), numbers, answer),
        answer,
        tuple(_draw(things) for things in scenes),
        {"shape": shape},
    )


def make_missing_question(rng: Random, answer: str, _index: int) -> SyntheticQuestion:
    """Ask which object of the first image is not in the second, where all objects have other places."""
    things = _sample_objects(rng, rng.randint(5, 7))
    missing = rng.choice(things)
    kept = [thing for thing in things if thing is not missing]
    return SyntheticQuestion(
        "attribute_appr",
        "missing_object",
        "Which object is in the first image but not in the second?",
        arrange_options(rng, _name(missing), [_name(thing) for thing in kept], answer),
        answer,
        (_draw(things), _draw(_place_again(rng, kept))),
    )


def make_ratio_question(rng: Random, answer: str, index: int) -> SyntheticQuestion:
    """Ask how wide an object is in the second image, compared with the first."""
    things = _sample_objects(rng, rng.randint(4, 6))
    changed = rng.choice(things)
    words, ratio = list(RATIOS.items())[index // 2 % len(RATIOS)]  # every second question is of this kind
    before = rng.choice((48, 56, 64)) if ratio < 1 else rng.choice((32, 40))
    first = _place_again(rng, [replace(t, size=before) if t is changed else t for t in things])
    second = _place_again(rng, [replace(t, size=int(before * ratio)) if t is changed else t for t in things])
    return SyntheticQuestion(
        "attribute_meas",
        "width_ratio",
        f"How wide is {_name(changed)} in the second image, compared with the first image?",
        arrange_options(rng, words, list(RATIOS), answer),
        answer,
        (_draw(first), _draw(second)),
        {"colour": changed.colour, "shape": changed.shape},
    )


def make_widest_question(rng: Random, answer: str, _index: int) -> SyntheticQuestion:
    """Ask which object of both images is the widest."""
    things = _sample_objects(rng, 6)
    sizes = [30, 34, 38, 42, 46, 58]
    rng.shuffle(sizes)
    things = [replace(thing, size=size) for thing, size in zip(things, sizes, strict=True)]
    widest = max(things, key=lambda thing: thing.size)
    return SyntheticQuestion(
        "attribute_meas",
        "widest_object",
        "Which object is the widest, over both images?",
        arrange_options(rng, _name(widest), [_name(thing) for thing in things], answer),
        answer,
        (_draw(_place_again(rng, things[:3])), _draw(_place_again(rng, things[3:]))),
    )


def make_which_moved_question(rng: Random, answer: str, _index: int) -> SyntheticQuestion:
    """Ask which object moved."""
    things = _sample_objects(rng, rng.randint(5, 6))
    moved = rng.choice(things)
    after = _move(rng, things, [moved])
    return SyntheticQuestion(
        "motion_obj",
        "which_moved",
        "The camera did not move. Which object moved between the first and the second image?",
        arrange_options(rng, _name(moved), [_name(thing) for thing in things], answer),
        answer,
        (_draw(things), _draw(after)),
    )


def make_direction_question(rng: Random, answer: str, index: int) -> SyntheticQuestion:
    """Ask in which direction an object moved in the image."""
    things = _sample_objects(rng, rng.randint(4, 6))
    moved = rng.choice(things)
    words, direction = list(DIRECTIONS.items())[index // 3 % len(DIRECTIONS)]  # every third question is of this kind
    after = _move(rng, things, [moved], direction)
    return SyntheticQuestion(
        "motion_obj",
        "direction",
        f"The camera did not move. In which direction did {_name(moved)} move in the image?",
        arrange_options(rng, words, list(DIRECTIONS), answer),
        answer,
        (_draw(things), _draw(after)),
        {"colour": moved.colour, "shape": moved.shape},
    )


def make_moved_count_question(rng: Random, answer: str, _index: int) -> SyntheticQuestion:
    """Ask how many objects moved."""
    things = _sample_objects(rng, 6)
    count = rng.randint(1, 4)
    after = _move(rng, things, rng.sample(things, count))
    return SyntheticQuestion(
        "motion_obj",
        "moved_count",
        "The camera did not move. How many objects moved between the first and the second image?",
        arrange_options(rng, str(count), ["1", "2", "3", "4"], answer),
        answer,
        (_draw(things), _draw(after)),
    )


OBJECT_QUESTIONS: dict[str, Sequence[QuestionMaker]] = {
    "attribute_appr": (make_count_question, make_missing_question),
    "attribute_meas": (make_ratio_question, make_widest_question),
    "motion_obj": (make_which_moved_question, make_direction_question, make_moved_count_question),
}


def _name(thing: SceneObject) -> str:
    return name_object(thing.colour, thing.shape)


def _sample_objects(rng: Random, n: int, may_repeat: bool = False) -> list[SceneObject]:
    """Return objects at random places. No two have the same colour and shape, unless they may repeat."""
    pairs = [(colour, shape) for colour in COLOURS for shape in SHAPES]
    chosen = [rng.choice(pairs) for _ in range(n)] if may_repeat else rng.sample(pairs, n)
    things = [SceneObject(i, colour, shape, 0, 0, rng.randrange(32, 49, 2)) for i, (colour, shape) in enumerate(chosen)]
    return _place_again(rng, things)


def _place_again(rng: Random, things: Sequence[SceneObject]) -> list[SceneObject]:
    centres = place_objects(rng, CANVAS, [(thing.shape, thing.size) for thing in things])
    if centres is None:
        raise Uncertified(f"{len(things)} objects do not fit into the image")
    return [replace(thing, x=x, y=y) for thing, (x, y) in zip(things, centres, strict=True)]


def _move(
    rng: Random, things: Sequence[SceneObject], moved: Sequence[SceneObject], direction: tuple[int, int] | None = None
) -> list[SceneObject]:
    """Return the objects after some moved, none of them over another one or over the edge."""
    scale = compute_scale(CANVAS)
    result = list(things)
    for thing in moved:
        for _ in range(_TRIES):
            right, down = direction or rng.choice(list(DIRECTIONS.values()))
            length = rng.randrange(*_LENGTHS, 2)
            place = replace(thing, x=thing.x + right * length, y=thing.y + down * length)
            others = [other for other in result if other.id != thing.id]
            left, top, far, bottom = place.box
            is_inside = min(left, top) >= MARGIN * scale and max(far, bottom) <= CANVAS - MARGIN * scale
            if is_inside and all(measure_gap(place.box, other.box) >= GAP * scale for other in others):
                result[thing.id] = place
                break
        else:
            raise Uncertified(f"{_name(thing)} has no room to move")
    return result


def _draw(things: Sequence[SceneObject]) -> Frame:
    return draw_scene(CANVAS, build_scene([make_visible(thing) for thing in things]))
