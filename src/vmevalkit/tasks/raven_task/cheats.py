"""Cheats, wrong answers, and right answers that look unusual: each a trajectory of states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven
from vmevalkit.tasks.raven_task.scene import EMPTY, SCRIBBLE, Cell, RavenState, dissolve_into, initial_state
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, ORIENTED, VALUES, Attribute, Tile, make_tile
from vmevalkit.tasks.task import Expected, StateTrajectory

BEGIN, END = 0.1, 0.6
"""When the answer fades in, in videos in which something else happens as well."""
_StateFunction = Callable[[float], RavenState]
"""The state at time t, from 0 to 1."""
_Cheats = Iterator[tuple[str, _StateFunction, Expected, str]]


def cheats(puzzle: Raven, rng: Random) -> dict[str, StateTrajectory[RavenState]]:
    """Return the trajectories that are possible for this puzzle."""
    return {
        name: StateTrajectory(state_at, expected, why)
        for make in (_make_wrong_answers, _make_damage, _make_unusual_answers)
        for name, state_at, expected, why in make(puzzle, rng)
    }


def _make_wrong_answers(puzzle: Raven, rng: Random) -> _Cheats:
    answer = puzzle.answer
    max_opacity = rng.uniform(0.3, 0.48)
    spoilt = rng.choice([EMPTY, SCRIBBLE, *(Cell(tile) for tile in _make_wrong_tiles(puzzle, rng).values())])
    for attribute, tile in _make_wrong_tiles(puzzle, rng).items():
        yield f"wrong_{attribute}", _fade_in(puzzle, tile), "fail", f"the answer has a wrong {attribute}"
    others = [tile for tile in puzzle.tiles[:ANSWER] if tile != answer]
    if others:
        yield "given_copied", _fade_in(puzzle, rng.choice(others)), "fail", "the answer is a copy of a given cell"
    yield "empty_tile", _animate_answer(puzzle, _erase_mark), "fail", "the question mark fades out; nothing appears"
    yield (
        "question_left",
        _animate_answer(puzzle, lambda share: Cell(answer, share, 1.0)),
        "fail",
        "the answer fades in, and the question mark stays",
    )
    scribbled = _replace_cell(lambda _: initial_state(puzzle), ANSWER, SCRIBBLE, END)
    yield "scribbled", scribbled, "fail", "a scribble appears instead of an answer"
    yield (
        "half_faded",
        _animate_answer(puzzle, lambda share: Cell(answer, max_opacity * share, 1 - share)),
        "fail",
        "the answer fades in only by half",
    )
    destroyed = _replace_cell(_fade_in(puzzle, answer), ANSWER, spoilt, 0.75)
    yield "answer_destroyed", destroyed, "fail", "the answer is visible in the middle and is spoilt later"


def _make_damage(puzzle: Raven, rng: Random) -> _Cheats:
    """The answer is right, but a given cell changes."""
    answered = _fade_in(puzzle, puzzle.answer)
    index, other = rng.sample(range(ANSWER), 2)
    tile = puzzle.tiles[index]
    attribute = rng.choice(_list_visible_attributes(tile))
    changed, when = Cell(_change_attribute(rng, tile, attribute)), rng.uniform(0.2, 0.8)

    def swap(t: float) -> RavenState:
        state = answered(t)
        if t < when:
            return state
        return state.with_cell(index, state.cells[other]).with_cell(other, state.cells[index])

    for name, cell, what in (
        ("given_changed", changed, f"has another {attribute}"),
        ("given_lost", EMPTY, "is empty"),
        ("given_scribbled", SCRIBBLE, "is scribbled over"),
    ):
        yield name, _replace_cell(answered, index, cell, when), "fail", f"the answer is right, but a given cell {what}"
    if puzzle.tiles[other] != tile:
        yield "givens_swapped", swap, "fail", "the answer is right, but two given cells are swapped"


def _make_unusual_answers(puzzle: Raven, rng: Random) -> _Cheats:
    start, answer = initial_state(puzzle), puzzle.answer
    answered = _fade_in(puzzle, answer)
    wrong = rng.choice(list(_make_wrong_tiles(puzzle, rng).values()))
    index, when = rng.randrange(ANSWER), rng.uniform(0.2, 0.8)

    def correct(t: float) -> RavenState:
        return start.with_cell(ANSWER, dissolve_into(wrong, t, BEGIN, 0.4) if t < 0.65 else Cell(answer))

    def restore(t: float) -> RavenState:
        return answered(t).with_cell(index, EMPTY) if 0.3 <= t < END else answered(t)

    def erase_first(t: float) -> RavenState:
        if t < 0.5:
            return _animate_answer(puzzle, _erase_mark)(2 * t)
        return start.with_cell(ANSWER, Cell(answer, min(3 * (t - 0.5), 1.0)))

    def count_up(t: float) -> RavenState:
        number = min(int((t - BEGIN) / (END - BEGIN) * answer.number) + 1, answer.number)
        return start.with_cell(ANSWER, Cell(replace(answer, number=number))) if t >= BEGIN else start

    def rearrange(t: float) -> RavenState:
        cell = dissolve_into(answer, t)
        return start.with_cell(ANSWER, replace(cell, arrangement="other") if cell.tile else cell)

    def resize(t: float) -> RavenState:
        cell, scale = dissolve_into(answer, t), 1.5 if answer.number == 1 else 0.85
        return start.with_cell(ANSWER, replace(cell, scale=scale) if cell.tile else cell)

    snap = _replace_cell(lambda _: start, ANSWER, Cell(answer), when)
    yield "snaps", snap, "pass", "the answer appears at once"
    yield "corrected", correct, "pass", "a wrong answer is corrected"
    yield "given_restored", restore, "pass", "a given cell is empty for a while and restored"
    yield "erased_first", erase_first, "pass", "the question mark fades out, then the answer fades in"
    yield "other_arrangement", rearrange, "pass", "the shapes of the answer are arranged differently"
    yield "other_size", resize, "pass", "the shapes of the answer are larger or smaller"
    if answer.number > 1:
        yield "one_by_one", count_up, "pass", "the shapes of the answer appear one by one"


def _fade_in(puzzle: Raven, tile: Tile) -> _StateFunction:
    """Return the video in which the question mark dissolves into a tile, early."""
    return lambda t: initial_state(puzzle).with_cell(ANSWER, dissolve_into(tile, t, BEGIN, END))


def _animate_answer(puzzle: Raven, cell_at: Callable[[float], Cell]) -> _StateFunction:
    """Return the video in which the missing cell changes, from share 0 to 1."""

    def state_at(t: float) -> RavenState:
        share = min(max((t - BEGIN) / (END - BEGIN), 0.0), 1.0)
        return initial_state(puzzle).with_cell(ANSWER, cell_at(share)) if share > 0 else initial_state(puzzle)

    return state_at


def _erase_mark(share: float) -> Cell:
    return Cell(question=1 - share)


def _replace_cell(state_at: _StateFunction, index: int, cell: Cell, when: float) -> _StateFunction:
    """Return the same video with another cell from some time on."""
    return lambda t: state_at(t).with_cell(index, cell) if t >= when else state_at(t)


def _list_visible_attributes(tile: Tile) -> list[Attribute]:
    """Return the attributes whose change is visible: the rotation of a symmetric shape is not."""
    return [name for name in ATTRIBUTES if name != "rotation" or tile.shape in ORIENTED]


def _make_wrong_tiles(puzzle: Raven, rng: Random) -> dict[Attribute, Tile]:
    """Return the answer with each visible attribute wrong in turn."""
    answer = puzzle.answer
    return {name: _change_attribute(rng, answer, name) for name in _list_visible_attributes(answer)}


def _change_attribute(rng: Random, tile: Tile, attribute: Attribute) -> Tile:
    """Return the tile with one attribute changed. A rotated tile gets another shape whose rotation is visible."""
    values = ORIENTED if attribute == "shape" and tile.angle_deg else VALUES[attribute]
    value = rng.choice([value for value in values if value != tile.value(attribute)])
    return make_tile([value if name == attribute else tile.value(name) for name in ATTRIBUTES])
