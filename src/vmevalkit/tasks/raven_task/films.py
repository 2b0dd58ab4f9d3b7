"""Cheats, wrong answers, and right answers that look unusual: each a trajectory of states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven
from vmevalkit.tasks.raven_task.scene import EMPTY, SCRIBBLE, Cell, RavenState, asked, risen
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, ORIENTED, VALUES, Attribute, Tile, tile_of
from vmevalkit.tasks.task import Film

BEGUN, DONE = 0.1, 0.6
"""When the answer comes up, where something else happens as well."""
_Moves = Callable[[float], RavenState]


def films(puzzle: Raven, rng: Random) -> dict[str, Film[RavenState]]:
    """The films that this puzzle allows."""
    return {**_wrong_answers(puzzle, rng), **_damages(puzzle, rng), **_unusual(puzzle, rng)}


def _wrong_answers(puzzle: Raven, rng: Random) -> dict[str, Film[RavenState]]:
    answer = puzzle.answer
    most = rng.uniform(0.3, 0.48)
    spoilt = rng.choice([EMPTY, SCRIBBLE, *(Cell(tile) for tile in _wrong_tiles(puzzle, rng).values())])
    shown = {
        f"wrong_{attribute}": Film(_answers(puzzle, tile), "fail", f"the answer has a wrong {attribute}")
        for attribute, tile in _wrong_tiles(puzzle, rng).items()
    }
    copied = _given_unlike(puzzle, rng)
    if copied is not None:
        shown["given_copied"] = Film(_answers(puzzle, copied), "fail", "the answer is a copy of a given cell")
    return shown | {
        "empty_tile": Film(_turns(puzzle, _erased), "fail", "the question mark goes, and nothing comes"),
        "question_left": Film(_turns(puzzle, lambda share: Cell(answer, share, 1.0)), "fail",
                              "the answer comes up, and the question mark stays"),
        "scribbled": Film(_later(lambda _: asked(puzzle), ANSWER, SCRIBBLE, DONE), "fail", "a scribble for an answer"),
        "half_faded": Film(_turns(puzzle, lambda share: Cell(answer, most * share, 1 - share)), "fail",
                           "the answer comes up only half"),
        "answer_destroyed": Film(_later(_answers(puzzle, answer), ANSWER, spoilt, 0.75), "fail",
                                 "the answer stands in the middle and is spoilt later"),
    }  # fmt: skip


def _damages(puzzle: Raven, rng: Random) -> dict[str, Film[RavenState]]:
    answers = _answers(puzzle, puzzle.answer)
    place, other = rng.sample(range(ANSWER), 2)
    tile = puzzle.tiles[place]
    attribute = rng.choice([name for name in ATTRIBUTES if name != "rotation" or tile.shape in ORIENTED])
    changed, when = Cell(_with_other(rng, tile, attribute)), rng.uniform(0.2, 0.8)

    def swapped(t: float) -> RavenState:
        state = answers(t)
        if t < when:
            return state
        return state.showing(place, state.cells[other]).showing(other, state.cells[place])

    shown = {
        "given_changed": Film(
            _later(answers, place, changed, when),
            "fail",
            f"the answer is right, but a given cell has another {attribute}",
        ),
        "given_lost": Film(
            _later(answers, place, EMPTY, when), "fail", "the answer is right, but a given cell is empty"
        ),
        "given_scribbled": Film(
            _later(answers, place, SCRIBBLE, when), "fail", "the answer is right, but a given cell is scribbled over"
        ),
    }
    if puzzle.tiles[other] != tile:
        shown["givens_swapped"] = Film(swapped, "fail", "the answer is right, but two given cells change places")
    return shown


def _unusual(puzzle: Raven, rng: Random) -> dict[str, Film[RavenState]]:
    answer = puzzle.answer
    answers = _answers(puzzle, answer)
    wrong = rng.choice(list(_wrong_tiles(puzzle, rng).values()))
    place = rng.randrange(ANSWER)
    when = rng.uniform(0.2, 0.8)

    def corrected(t: float) -> RavenState:
        return asked(puzzle).showing(ANSWER, risen(wrong, t, BEGUN, 0.4) if t < 0.65 else Cell(answer))

    def restored(t: float) -> RavenState:
        return answers(t).showing(place, EMPTY) if 0.3 <= t < DONE else answers(t)

    def counted(t: float) -> RavenState:
        number = min(int((t - BEGUN) / (DONE - BEGUN) * answer.number) + 1, answer.number)
        return asked(puzzle).showing(ANSWER, Cell(replace(answer, number=number))) if t >= BEGUN else asked(puzzle)

    def arranged(t: float) -> RavenState:
        cell = risen(answer, t)
        return asked(puzzle).showing(ANSWER, replace(cell, arrangement="other") if cell.tile else cell)

    def resized(t: float) -> RavenState:
        cell, scale = risen(answer, t), 1.5 if answer.number == 1 else 0.85
        return asked(puzzle).showing(ANSWER, replace(cell, scale=scale) if cell.tile else cell)

    shown = {
        "snaps": Film(lambda t: asked(puzzle).showing(ANSWER, Cell(answer)) if t >= when else asked(puzzle), "pass",
                      "the answer is there at once"),
        "corrected": Film(corrected, "pass", "a wrong answer is corrected"),
        "given_restored": Film(restored, "pass", "a given cell is empty for a while and restored"),
        "erased_first": Film(lambda t: _turns(puzzle, _erased)(2 * t) if t < 0.5 else asked(puzzle).showing(
            ANSWER, Cell(answer, min(3 * (t - 0.5), 1.0))), "pass", "the question mark goes, then the answer comes"),
        "other_arrangement": Film(arranged, "pass", "the shapes of the answer stand in another arrangement"),
        "other_size": Film(resized, "pass", "the shapes of the answer are larger or smaller"),
    }  # fmt: skip
    if answer.number > 1:
        shown["one_by_one"] = Film(counted, "pass", "the shapes of the answer come one by one")
    return shown


def _answers(puzzle: Raven, tile: Tile) -> _Moves:
    """A tile takes the place of the question mark, early."""
    return lambda t: asked(puzzle).showing(ANSWER, risen(tile, t, BEGUN, DONE))


def _turns(puzzle: Raven, cell_at: Callable[[float], Cell]) -> _Moves:
    """The missing cell becomes something, from share 0 to 1."""

    def at(t: float) -> RavenState:
        share = min(max((t - BEGUN) / (DONE - BEGUN), 0.0), 1.0)
        return asked(puzzle).showing(ANSWER, cell_at(share)) if share > 0 else asked(puzzle)

    return at


def _erased(share: float) -> Cell:
    return Cell(question=1 - share)


def _later(moves: _Moves, place: int, cell: Cell, when: float) -> _Moves:
    """The same with another cell from some time on."""
    return lambda t: moves(t).showing(place, cell) if t >= when else moves(t)


def _wrong_tiles(puzzle: Raven, rng: Random) -> dict[Attribute, Tile]:
    """The answer with each attribute wrong in turn, where that can be seen."""
    answer = puzzle.answer
    can_be = [name for name in ATTRIBUTES if name != "rotation" or answer.shape in ORIENTED]
    return {attribute: _with_other(rng, answer, attribute) for attribute in can_be}


def _with_other(rng: Random, tile: Tile, attribute: Attribute) -> Tile:
    """The tile with one attribute changed. A turned tile gets another shape that shows its turn."""
    values = ORIENTED if attribute == "shape" and tile.angle_deg else VALUES[attribute]
    value = rng.choice([value for value in values if value != tile.value(attribute)])
    return tile_of([value if name == attribute else tile.value(name) for name in ATTRIBUTES])


def _given_unlike(puzzle: Raven, rng: Random) -> Tile | None:
    unlike = [tile for tile in puzzle.tiles[:ANSWER] if tile != puzzle.answer]
    return rng.choice(unlike) if unlike else None
