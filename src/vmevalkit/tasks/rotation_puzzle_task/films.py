"""Cheats, wrong answers, and right answers that look unusual: each a trajectory of states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS, connected, turned
from vmevalkit.tasks.rotation_puzzle_task.rotation_puzzle_reasoning import (
    RotationPuzzle,
    arranged,
    eased,
    kinds_of,
    played,
    solution,
    start_of,
    target_of,
    turns_of,
)
from vmevalkit.tasks.rotation_puzzle_task.scene import NEW, SIZE, Pipe, Point, Scene, layout_of, scene_of
from vmevalkit.tasks.task import Expected, Film

OTHER_COLOURS = ("#ef4444", "#22c55e", "#f59e0b", "#111827")
_Turns = Sequence[tuple[int, float, float]]
_MOST_LISTED = 8
"""With at most so many squares, another connected arrangement is looked for among all."""


def films(puzzle: RotationPuzzle, rng: Random) -> dict[str, Film[Scene]]:
    """The films that this puzzle allows."""
    return {**_cheats(puzzle, rng), **_wrong_ends(puzzle, rng), **_unusual(puzzle, rng)}


def _cheats(puzzle: RotationPuzzle, rng: Random) -> dict[str, Film[Scene]]:
    whole = turns_of(puzzle)
    number = rng.choice(puzzle.to_turn)
    others = [turn for turn in whole if turn[0] != number]
    fades = rng.uniform(0.3, 0.6)

    def turning(t: float) -> Scene:
        """The other squares turn in the rest of the film."""
        return arranged(puzzle, played(puzzle, others, t / (1 - fades)) if others else _initial(puzzle))

    def repainted(t: float) -> Scene:
        return _dissolved(puzzle, turning(t), number, eased((t - 1 + fades) / fades))

    snaps = rng.uniform(0.3, 0.7)

    def jumping(t: float) -> Scene:
        scene = arranged(puzzle, played(puzzle, others, t) if others else _initial(puzzle))
        return _dissolved(puzzle, scene, number, 1.0) if t > snaps else scene

    def vanishing(t: float) -> Scene:
        scene = _dissolved(puzzle, turning(t), number, float(t > 1 - fades / 2))
        light = min(abs(t - 1 + fades / 2) / (fades / 2), 1.0)
        return _changed(scene, number, opacity=light)

    shift = _aside(puzzle, rng)

    def travelling(t: float) -> Scene:
        """Out and back, while the puzzle is solved."""
        share = 1 - abs(2 * min(t / 0.8, 1.0) - 1)
        return _shifted(solution(puzzle, t), number, shift, share)

    return {
        "repainted": _film(repainted, "fail", "a square fades from one angle to another instead of turning"),
        "one_jumps": _film(jumping, "fail", "one square jumps to its place, the others turn"),
        "fades_away_and_back": _film(vanishing, "fail", "a pipe fades away and comes back at another angle"),
        "travels": _film(travelling, "fail", "a square leaves its place and comes back"),
    }


def _wrong_ends(puzzle: RotationPuzzle, rng: Random) -> dict[str, Film[Scene]]:
    whole = turns_of(puzzle)
    left_out = rng.choice(puzzle.to_turn)
    short = [turn for turn in whole if turn[0] != left_out]
    number = rng.randrange(len(puzzle.squares))
    shift = _aside(puzzle, rng)
    colour = rng.choice(OTHER_COLOURS)
    place = _vacant(puzzle, rng)
    vanishes = rng.uniform(0.4, 0.7)
    under = rng.uniform(20, 40)
    last, start, end = whole[-1]
    not_quite = [*whole[:-1], (last, start, end - under if end > start else end + under)]
    kind, angle = rng.choice(kinds_of(puzzle)), 90.0 * rng.randrange(2)

    def moved(t: float) -> Scene:
        return _shifted(solution(puzzle, t), number, shift, eased(1.5 * t))

    wrong = {
        "square_moved": _film(moved, "fail", "the puzzle is solved, but a square is moved away"),
        "pipe_vanishes": _film(
            lambda t: _without(solution(puzzle, t), number, t > vanishes), "fail", "a pipe vanishes on the way"
        ),
        "colour_changed": _film(
            lambda t: _changed(solution(puzzle, t), number, colour=colour) if t > vanishes else solution(puzzle, t),
            "fail",
            "a pipe takes another colour",
        ),
        "turned_too_little": _film(
            lambda t: arranged(puzzle, played(puzzle, not_quite, t)), "fail", "the last square stops before its place"
        ),
        "overturned": _film(_overturned(puzzle, rng), "fail", "the last square goes on to another angle and stays"),
    }
    if short:
        wrong["one_short"] = _film(
            lambda t: arranged(puzzle, played(puzzle, short, t)), "fail", "one square is never turned"
        )
    if place is not None:
        new = Pipe(NEW, kind, angle, *place)
        wrong["pipe_added"] = _film(lambda t: _with_new(puzzle, new, t), "fail", "another pipe appears")
    reshaped = _reshaped(puzzle, rng)
    wrong["pipe_reshaped"] = _film(reshaped, "fail", "a pipe becomes one of another kind")
    return wrong


def _unusual(puzzle: RotationPuzzle, rng: Random) -> dict[str, Film[Scene]]:
    whole = turns_of(puzzle)
    last, start, end = whole[-1]
    beyond = rng.uniform(8, 25) * (1 if end > start else -1)
    swings = [*whole, (last, end, end + beyond), (last, end + beyond, end)]
    round_about = [(number, begin, stop - 360 if stop > begin else stop + 360) for number, begin, stop in whole]
    shuffled = rng.sample(whole, len(whole))

    def together(t: float) -> Scene:
        angles = _initial(puzzle)
        for number, begin, stop in whole:
            angles[number] = begin + eased(t) * (stop - begin)
        return arranged(puzzle, angles)

    shown = {
        "overshoot_settles": _film(
            lambda t: arranged(puzzle, played(puzzle, swings, t)), "pass", "the last square goes too far and comes back"
        ),
        "other_way_round": _film(
            lambda t: arranged(puzzle, played(puzzle, round_about, t)), "pass", "the squares turn the long way round"
        ),
        "all_at_once": _film(together, "pass", "all squares turn at the same time"),
        "other_order": _film(
            lambda t: arranged(puzzle, played(puzzle, shuffled, t)), "pass", "the squares turn in another order"
        ),
    }
    other = _other_answer(puzzle, rng)
    if other:
        shown["another_answer"] = _film(
            lambda t: arranged(puzzle, played(puzzle, other, t)), "pass", "another connected arrangement is reached"
        )
    return shown


def _film(state_at: Callable[[float], Scene], expected: Expected, why: str) -> Film[Scene]:
    return Film(state_at, expected, why)


def _initial(puzzle: RotationPuzzle) -> list[float]:
    return [float(square.initial_angle) for square in puzzle.squares]


def _changed(scene: Scene, number: int, **fields: Any) -> Scene:
    return scene_of(replace(pipe, **fields) if pipe.home == number else pipe for pipe in scene.pipes)


def _without(scene: Scene, number: int, gone: bool) -> Scene:
    return scene_of(pipe for pipe in scene.pipes if pipe.home != number) if gone else scene


def _shifted(scene: Scene, number: int, shift: Point, share: float) -> Scene:
    pipe = scene.pipes[number]
    return _changed(scene, number, x=pipe.x + share * shift[0], y=pipe.y + share * shift[1])


def _dissolved(puzzle: RotationPuzzle, scene: Scene, number: int, share: float) -> Scene:
    """One square on its way from its angle to its end, by painting over."""
    end = solution(puzzle, 1.0).pipes[number]
    if share <= 0 or share >= 1:
        return scene if share <= 0 else scene_of(end if pipe.home == number else pipe for pipe in scene.pipes)
    faded = _changed(scene, number, opacity=1 - share)
    return scene_of([*faded.pipes, replace(end, opacity=share)])


def _aside(puzzle: RotationPuzzle, rng: Random) -> Point:
    """Some way off, in any direction that does not lead out of the picture."""
    far = rng.uniform(28, 60) * layout_of(puzzle.rows, puzzle.cols).unit
    return rng.choice([(far, 0.0), (-far, 0.0), (0.0, far), (0.0, -far)])


def _with_new(puzzle: RotationPuzzle, new: Pipe, t: float) -> Scene:
    """The solution, in which another pipe fades in."""
    scene = solution(puzzle, t)
    share = eased(3 * (t - 0.4))
    return scene_of([*scene.pipes, replace(new, opacity=share)]) if share > 0 else scene


def _vacant(puzzle: RotationPuzzle, rng: Random) -> Point | None:
    """A place beside the squares where there is room for another pipe."""
    layout = layout_of(puzzle.rows, puzzle.cols)
    room = layout.homes[0][0] - layout.square / 2
    if room < layout.square + 8:
        return None
    return (rng.choice([room / 2, SIZE[0] - room / 2]), rng.choice(layout.homes)[1])


def _overturned(puzzle: RotationPuzzle, rng: Random) -> Callable[[float], Scene]:
    """The solution, and then its last square goes on until the pipes are apart again."""
    whole = turns_of(puzzle)
    last, start, end = whole[-1]
    onward = 1 if end > start else -1
    pieces = list(target_of(puzzle))
    astray = [k for k in (1, 2, 3) if not connected(puzzle.rows, puzzle.cols, _with(pieces, last, onward * k))]
    further = 90.0 * onward * astray[0] if astray else rng.uniform(30, 60) * onward
    turns = [*whole, (last, end, end + further)]
    return lambda t: arranged(puzzle, played(puzzle, turns, t))


def _with(pieces: Sequence[int], number: int, quarters: int) -> list[int]:
    return [turned(sides, quarters) if place == number else sides for place, sides in enumerate(pieces)]


def _reshaped(puzzle: RotationPuzzle, rng: Random) -> Callable[[float], Scene]:
    number = rng.randrange(len(puzzle.squares))
    kind = rng.choice([kind for kind in QUARTERS if kind != kinds_of(puzzle)[number]])
    when = rng.uniform(0.3, 0.7)

    def state_at(t: float) -> Scene:
        scene = solution(puzzle, t)
        return _changed(scene, number, shape=kind) if t > when else scene

    return state_at


def _other_answer(puzzle: RotationPuzzle, rng: Random) -> _Turns | None:
    """The turns to a connected arrangement that is not the reference's, with as few squares as can be."""
    if len(puzzle.squares) > _MOST_LISTED:
        return None
    kinds, start, own = kinds_of(puzzle), start_of(puzzle), target_of(puzzle)
    found: list[tuple[int, tuple[int, ...]]] = []
    for quarters in product(*(range(QUARTERS[kind]) for kind in kinds)):
        pieces = tuple(map(turned, start, quarters))
        if pieces != own and connected(puzzle.rows, puzzle.cols, pieces):
            found.append((sum(quarter > 0 for quarter in quarters), quarters))
    if not found:
        return None
    fewest = min(count for count, _ in found)
    quarters = rng.choice([some for count, some in found if count == fewest])
    turns = []
    for number, quarter in enumerate(quarters):
        if quarter:
            short = quarter if 2 * quarter <= QUARTERS[kinds[number]] else quarter - QUARTERS[kinds[number]]
            angle = float(puzzle.squares[number].initial_angle)
            turns.append((number, angle, angle + 90.0 * short))
    return turns
