"""Cheats, wrong answers, and right answers that look unusual: each a trajectory of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import cos, pi, sin
from random import Random

from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import (
    ANIMATIONS,
    Animation,
    ObjectSubtraction,
    leaving_piece,
    removal,
    solution,
)
from vmevalkit.tasks.object_subtraction_task.placement import GAP, MARGIN
from vmevalkit.tasks.object_subtraction_task.scene import (
    COLOURS,
    NEW,
    SHAPES,
    Piece,
    Scene,
    box_of,
    gap,
    piece_of,
    scene_of,
)
from vmevalkit.tasks.task import Expected, Film

_Change = Callable[[Piece, float], Piece | None]
"""What becomes of a piece by a share from 0 to 1."""
_BY: Mapping[Animation, str] = {"fade": "faded", "slide": "slid_out", "shrink": "shrunk"}
_MOVED_PX, _NUDGED_PX, _JITTER_PX = 6.0, 2.0, 1.5


def films(puzzle: ObjectSubtraction, rng: Random) -> dict[str, Film[Scene]]:
    """The films that this scene allows."""
    return {**_wrong_removals(puzzle, rng), **_damages(puzzle, rng), **_unusual(puzzle, rng)}


def _wrong_removals(puzzle: ObjectSubtraction, rng: Random) -> dict[str, Film[Scene]]:
    targets = puzzle.targets
    kept = [thing.id for thing in puzzle.kept]
    spared, wrong = rng.choice(targets), rng.choice(kept)
    swapped = tuple(wrong if target == spared else target for target in targets)
    fewer = tuple(target for target in targets if target != spared)
    every = tuple(thing.id for thing in puzzle.things)
    until = rng.uniform(0.4, 0.6)

    def back(t: float) -> Scene:
        return solution(puzzle, 2.2 * t if t < 0.5 else 2.2 * (1 - t))

    def half(t: float) -> Scene:
        scene = solution(puzzle, 0.0)
        faded = 1 - until * min(1.3 * t, 1.0)
        return _changed(scene, targets, lambda piece, _: replace(piece, opacity=faded), 1.0)

    shown = {
        "wrong_object": _film(lambda t: removal(puzzle, swapped, t), "fail", "another object goes instead of one"),
        "one_too_many": _film(lambda t: removal(puzzle, (*targets, wrong), t), "fail", "one more object goes"),
        "all_removed": _film(lambda t: removal(puzzle, every, t), "fail", "every object goes"),
        "come_back": _film(back, "fail", "what is removed comes back"),
        "half_faded": _film(half, "fail", "what shall go fades only by half"),
    }
    if fewer:
        shown["one_too_few"] = _film(lambda t: removal(puzzle, fewer, t), "fail", "one object less goes")
    return shown


def _damages(puzzle: ObjectSubtraction, rng: Random) -> dict[str, Film[Scene]]:
    """The right objects go, and something else happens too."""
    victim = rng.choice(puzzle.kept)
    colour = rng.choice([name for name in COLOURS if name != victim.colour])
    shape = rng.choice([name for name in SHAPES if name != victim.shape])
    angle = rng.uniform(0, 2 * pi)
    dx, dy = (_MOVED_PX * puzzle.unit * part for part in (cos(angle), sin(angle)))
    factor = rng.choice((0.65, 1.4))
    changes: dict[str, tuple[_Change, str]] = {
        "kept_moved": (_shift(dx, dy), "an object that stays moves 6 pixels"),
        "kept_recoloured": (
            lambda p, s: replace(p, colour=colour if s > 0.5 else p.colour), "an object that stays changes its colour",
        ),
        "kept_reshaped": (
            lambda p, s: replace(p, shape=shape if s > 0.5 else p.shape), "an object that stays changes its shape",
        ),
        "kept_resized": (
            lambda p, s: replace(p, size=p.size * (1 + s * (factor - 1))), "an object that stays grows or shrinks",
        ),
    }  # fmt: skip
    shown = {name: _film(_with(puzzle, (victim.id,), change), "fail", why) for name, (change, why) in changes.items()}
    added = _stranger(puzzle, rng)
    if added is not None:
        stranger = added

        def joined(t: float) -> Scene:
            return scene_of([*solution(puzzle, t).pieces, *([stranger] if t > 0.4 else [])])

        shown["object_added"] = _film(joined, "fail", "the right objects go, and a new one appears")
    other = rng.choice([name for name in COLOURS if name != puzzle.things[puzzle.targets[0]].colour])

    def painted(t: float) -> Scene:
        return _changed(
            solution(puzzle, 0.0), puzzle.targets, lambda p, _: replace(p, colour=other if t > 0.4 else p.colour), 1.0
        )

    shown["repainted"] = _film(painted, "fail", "what shall go is painted in another colour instead")
    return shown


def _unusual(puzzle: ObjectSubtraction, rng: Random) -> dict[str, Film[Scene]]:
    others = [animation for animation in ANIMATIONS if animation != puzzle.animation]
    kept = [thing.id for thing in puzzle.kept]
    victim = rng.choice(kept)
    angle, phase = rng.uniform(0, 2 * pi), rng.uniform(0, 2 * pi)
    nudge = _NUDGED_PX * puzzle.unit * cos(angle), _NUDGED_PX * puzzle.unit * sin(angle)
    reach = _JITTER_PX * puzzle.unit

    def jitter(t: float) -> Scene:
        dx, dy = reach * sin(40 * t + phase), reach * cos(53 * t + phase)
        share = min(1.0, 8 * t)
        trembling = tuple(kept[::2])
        return _changed(solution(puzzle, t), trembling, _shift(dx, dy), share)

    def together(t: float) -> Scene:
        pieces = [piece_of(thing) for thing in puzzle.kept]
        for target in puzzle.targets:
            piece = leaving_piece(puzzle, puzzle.things[target], t, "shrink")
            pieces += [piece] if piece is not None else []
        return scene_of(pieces)

    def restored(t: float) -> Scene:
        """A kept object fades away and comes back while the right ones go."""
        opacity = min(1.0, abs(t - 0.4) / 0.25)
        return _changed(solution(puzzle, t), (victim,), lambda p, _: replace(p, opacity=opacity), 1.0)

    shown = {
        _BY[animation]: _film(_leaving(puzzle, animation), "pass", f"objects leave by another way: {animation}")
        for animation in others
    }
    shown["nudged"] = _film(_with(puzzle, (victim,), _shift(*nudge)), "pass", "an object that stays moves 2 pixels")
    shown["jitter"] = _film(jitter, "pass", "objects that stay tremble by 1.5 pixels")
    shown["restored"] = _film(restored, "pass", "an object that stays fades away and comes back")
    shown["together"] = _film(together, "pass", "all that goes shrinks at the same time")
    if len(puzzle.targets) > 1:
        order = puzzle.targets[::-1]
        shown["other_order"] = _film(lambda t: removal(puzzle, order, t), "pass", "objects go in the other order")
    return shown


def _leaving(puzzle: ObjectSubtraction, animation: Animation) -> Callable[[float], Scene]:
    return lambda t: removal(puzzle, puzzle.targets, t, animation)


def _shift(dx: float, dy: float) -> _Change:
    return lambda piece, share: replace(piece, x=piece.x + share * dx, y=piece.y + share * dy)


def _film(state_at: Callable[[float], Scene], expected: Expected, why: str) -> Film[Scene]:
    return Film(state_at, expected, why)


def _with(puzzle: ObjectSubtraction, changing: tuple[int, ...], change: _Change) -> Callable[[float], Scene]:
    """The solution, while some objects change from a quarter to three quarters of its time."""
    return lambda t: _changed(solution(puzzle, t), changing, change, min(max(2 * t - 0.5, 0.0), 1.0))


def _changed(scene: Scene, changing: tuple[int, ...], change: _Change, share: float) -> Scene:
    pieces = [change(piece, share) if piece.id in changing else piece for piece in scene.pieces]
    return scene_of(piece for piece in pieces if piece is not None)


def _stranger(puzzle: ObjectSubtraction, rng: Random) -> Piece | None:
    """An object that is not the puzzle's, where there is room; None where there is none."""
    size = round(rng.uniform(24, 36) * puzzle.unit)
    colour, shape = rng.choice(list(COLOURS)), rng.choice(SHAPES)
    low, high = MARGIN * puzzle.unit + size / 2, puzzle.canvas - MARGIN * puzzle.unit - size / 2
    for _ in range(200):
        x, y = rng.uniform(low, high), rng.uniform(low, high)
        box = box_of(shape, x, y, size)
        if all(gap(box, thing.box) >= GAP * puzzle.unit for thing in puzzle.things):
            return Piece(NEW, colour, shape, x, y, size)
    return None
