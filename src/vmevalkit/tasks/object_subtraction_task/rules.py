"""The logic of a film: which objects are gone, which are as they were, and what went wrong on the way. No pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from math import hypot
from statistics import median

from vmevalkit.core.records import Finding
from vmevalkit.tasks.object_subtraction_task.measures import metrics
from vmevalkit.tasks.object_subtraction_task.motion import (
    Seen,
    disturbed_since,
    jumps,
    lockstep_since,
    vanishings,
)
from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import NEW, Piece, Scene, Thing, scene_of
from vmevalkit.tasks.task import Checked, Trace, readable

STAYS_PX = 4.0
"""An object that stays is at most this far from its place: the specification's 3 pixels, and 1 for the reading."""
GONE_OPACITY = 0.15
GONE_SIZE = 5.0
"""What is fainter or smaller is gone."""
WHOLE_OPACITY = 0.7
SAME_SIZE = (0.8, 1.25)
"""An object that stays is no fainter, no smaller and no larger, relative to what it was."""
UNTOUCHED = 0.85
"""From this opacity on, a target has not begun to go."""
SETTLED_S = 0.5


def displacement(puzzle: ObjectSubtraction, thing: Thing, piece: Piece) -> float:
    """How far an object is from its place, in pixels of the specification's picture."""
    return hypot(piece.x - thing.x, piece.y - thing.y) / puzzle.unit


def is_gone(puzzle: ObjectSubtraction, piece: Piece | None) -> bool:
    return piece is None or piece.opacity < GONE_OPACITY or piece.size < GONE_SIZE * puzzle.unit


def damage(puzzle: ObjectSubtraction, thing: Thing, piece: Piece | None) -> str | None:
    """What happened to an object that should have stayed as it was; None where nothing did."""
    if piece is None or is_gone(puzzle, piece):
        return "lost"
    if piece.colour != thing.colour:
        return "recoloured"
    if piece.shape != thing.shape:
        return "reshaped"
    if not SAME_SIZE[0] <= piece.size / thing.size <= SAME_SIZE[1]:
        return "resized"
    if displacement(puzzle, thing, piece) > STAYS_PX:
        return "moved"
    return "faded" if piece.opacity < WHOLE_OPACITY else None


def damages(puzzle: ObjectSubtraction, state: Scene) -> dict[int, str]:
    """What happened to the objects that should have stayed, by id."""
    found = {thing.id: damage(puzzle, thing, state.get(thing.id)) for thing in puzzle.kept}
    return {thing_id: what for thing_id, what in found.items() if what is not None}


def accepted(puzzle: ObjectSubtraction, state: Scene) -> bool:
    """The targets are gone, all others are as they were, and nothing is new."""
    gone = all(is_gone(puzzle, state.get(target)) for target in puzzle.targets)
    return gone and not damages(puzzle, state) and not state.new


def progress(puzzle: ObjectSubtraction, state: Scene) -> float:
    """How much of the targets is gone, of all that should have gone or is damaged."""
    if accepted(puzzle, state):
        return 1.0
    right = sum(_removed(puzzle, state.get(target)) for target in puzzle.targets)
    wrong = len(damages(puzzle, state)) + len(state.new)
    return right / (len(puzzle.targets) + wrong)


def _removed(puzzle: ObjectSubtraction, piece: Piece | None) -> float:
    """From 0, not begun to go, to 1, gone."""
    if piece is None or is_gone(puzzle, piece):
        return 1.0
    return min(max((UNTOUCHED - piece.opacity) / UNTOUCHED, 0.0), 1.0)


def identity(puzzle: ObjectSubtraction, state: Scene) -> Hashable:
    """Objects that are as they were are equal, however they were read; others are rounded."""
    return tuple(
        (piece.id,)
        if piece.id != NEW and damage(puzzle, puzzle.things[piece.id], piece) is None
        else (piece.id, piece.colour, piece.shape, *_rounded(puzzle, piece))
        for piece in state.pieces
    )


def _rounded(puzzle: ObjectSubtraction, piece: Piece) -> tuple[int, ...]:
    coarse = 16 * puzzle.unit
    return (
        round(piece.x / coarse),
        round(piece.y / coarse),
        round(piece.size / (8 * puzzle.unit)),
        round(3 * piece.opacity),
    )


def settle(puzzle: ObjectSubtraction, states: Sequence[Scene]) -> Scene:
    """Object by object: there if it mostly is, and then in the middle of its readings."""
    pieces = []
    for thing in puzzle.things:
        read = [piece for state in states if (piece := state.get(thing.id)) is not None]
        if 2 * len(read) > len(states):
            pieces.append(_middle(read))
    numbers = sorted((len(state.new), place) for place, state in enumerate(states))
    pieces += states[numbers[len(numbers) // 2][1]].new
    return scene_of(pieces, states[-1].camera)


def _middle(read: Sequence[Piece]) -> Piece:
    (colour, shape), _ = Counter((piece.colour, piece.shape) for piece in read).most_common(1)[0]
    x, y, size, opacity = (
        median(values) for values in zip(*((p.x, p.y, p.size, p.opacity) for p in read), strict=True)
    )
    return Piece(read[0].id, colour, shape, x, y, size, opacity)


def check(puzzle: ObjectSubtraction, trace: Trace[Scene]) -> Checked:
    seen = readable(trace)
    if not seen:
        return Checked()
    last_s = seen[-1][0]
    final = settle(puzzle, [state for seconds, state in seen if seconds > last_s - SETTLED_S])
    hurt = damages(puzzle, final)
    vanished = vanishings(puzzle, seen)
    jumped = jumps(puzzle, seen)
    findings = [
        *_damaged(puzzle, hurt, seen),
        *_added(final, seen),
        *_disturbed(puzzle, hurt, seen),
        *_went(puzzle, vanished, seen),
        *_jumped(puzzle, jumped),
    ]
    abrupt = len(vanished) + len(jumped)
    return Checked(tuple(findings), metrics(puzzle, final, len(seen), abrupt) | _readable(trace, seen))


def _readable(trace: Trace[Scene], seen: Seen) -> dict[str, float]:
    return {"readable_share": round(len(seen) / len(trace), 4)}


_TOLD = {
    "lost": "vanishes",
    "recoloured": "changes its colour",
    "reshaped": "changes its shape",
    "resized": "changes its size",
    "moved": "is moved",
    "faded": "fades",
}


def _is_damaged(puzzle: ObjectSubtraction, thing: Thing) -> Callable[[Scene], bool]:
    return lambda state: damage(puzzle, thing, state.get(thing.id)) is not None


def _damaged(puzzle: ObjectSubtraction, hurt: dict[int, str], seen: Seen) -> Iterator[Finding]:
    """Objects that should have stayed, and are not as they were at the end."""
    for what in dict.fromkeys(hurt.values()):
        ids = [thing_id for thing_id, happened in hurt.items() if happened == what]
        things = [puzzle.things[thing_id] for thing_id in ids]
        since = [disturbed_since(seen, _is_damaged(puzzle, thing)) for thing in things]
        names = " and ".join(_named(thing) for thing in things)
        begun = min((s for s in since if s is not None), default=seen[-1][0])
        yield Finding(f"kept_{what}", True, f"What should stay {_TOLD[what]}: {names}.", begun)


def _added(final: Scene, seen: Seen) -> Iterator[Finding]:
    if final.new:
        since = disturbed_since(seen, lambda state: bool(state.new))
        names = " and ".join(f"{_coloured(piece.colour)} {piece.shape}" for piece in final.new)
        begun = seen[-1][0] if since is None else since
        yield Finding("object_added", True, f"Something new is there at the end: {names}.", begun)


def _disturbed(puzzle: ObjectSubtraction, hurt: dict[int, str], seen: Seen) -> Iterator[Finding]:
    """Objects that were not as they should be for a while, and are again at the end."""
    for thing in puzzle.kept:
        if thing.id in hurt:
            continue
        since = disturbed_since(seen, _is_damaged(puzzle, thing))
        if since is not None:
            detail = f"What should stay is disturbed for a while, and restored: {_named(thing)}."
            yield Finding("kept_disturbed", False, detail, since)
            return


def _went(puzzle: ObjectSubtraction, vanished: list[tuple[float, int]], seen: Seen) -> Iterator[Finding]:
    if vanished:
        names = " and ".join(_named(puzzle.things[thing_id]) for _, thing_id in vanished)
        yield Finding("vanished_at_once", False, f"Gone from one frame to the next: {names}.", vanished[0][0])
    since = lockstep_since(puzzle, seen)
    if since is not None:
        yield Finding("dissolved_together", False, "All that goes dissolves as one, like a change of pictures.", since)


def _jumped(puzzle: ObjectSubtraction, jumped: list[tuple[float, int]]) -> Iterator[Finding]:
    if jumped:
        seconds, thing_id = jumped[0]
        yield Finding("teleport", False, f"Jumps to another place: {_named(puzzle.things[thing_id])}.", seconds)


def _named(thing: Thing) -> str:
    return f"the {thing.colour} {thing.shape} (object {thing.id})"


def _coloured(colour: str) -> str:
    return colour if not colour.startswith("#") else "strange"
