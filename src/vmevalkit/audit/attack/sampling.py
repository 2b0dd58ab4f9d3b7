"""Random programs, and changes of programs: each from a generator of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from vmevalkit.audit.attack.operations import OPERATIONS, TRACKS, Number, OperationKind, Track
from vmevalkit.audit.attack.oracle import HARMLESS
from vmevalkit.audit.attack.program import Operation, Program, find_puzzle
from vmevalkit.audit.attack.states import make_builder
from vmevalkit.audit.attack.symbolic import STANDARD_FPS
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks import TASKS

PUZZLES = 12
"""Different puzzles of a difficulty that programs of one seed use."""
_EASY_SHARE = 0.75
_TRACK_WEIGHTS: dict[Track, float] = {"visibility": 3.0, "camera": 1.3, "look": 3.5, "delivery": 1.8}
_COUNTS = (0, 1, 1, 2, 2, 3, 4)
"""Operations beside the states, drawn from these."""
_MILD_SHARE = 0.75
"""Share of the harmless operations that are drawn half as strong."""
_MOST_OPERATIONS = 9


def make_random_program(tasks: Sequence[str], seed: int, index: int) -> Program:
    """Return program ``index`` of a seed: the tasks take turns."""
    name = tasks[index % len(tasks)]
    rng = rng_for("attack", seed, index, name)
    difficulties = list(TASKS[name].difficulties)
    difficulty = difficulties[0 if rng.random() < _EASY_SHARE or len(difficulties) < 2 else 1]
    bare = Program(name, difficulty, seed, rng.randrange(PUZZLES), ())
    return replace(bare, operations=tuple(_draw_operations(find_offers(bare), rng)))


def find_offers(program: Program) -> set[str]:
    """Return what the scene of a program offers to operations."""
    task, puzzle = find_puzzle(program)
    return make_builder(task, puzzle, STANDARD_FPS).offers


def _draw_operations(offers: set[str], rng: Random) -> list[Operation]:
    states = [kind for kind in _list_kinds("states", offers) if kind.name not in ("rest", "solve")]
    operations = [_make("rest", rng, s=0.3)]
    kind = rng.random()
    if kind < 0.5:  # an answer, most of it at a usual pace
        operations.append(_make("solve", rng, share=1.0, pace=round(rng.uniform(0.25, 0.7), 3)))
    elif kind < 0.85:
        for _ in range(rng.choice((1, 1, 2))):
            operations.append(_draw(states, rng))
        operations.insert(rng.choice((1, len(operations))), _draw_operation(OPERATIONS["solve"], rng))
        operations += [_make("solve", rng, share=1.0, pace=0.5)] * (rng.random() < 0.6)
    else:
        operations += [
            _draw_operation(OPERATIONS["solve"], rng),
            *(_draw(states, rng) for _ in range(rng.choice((0, 1)))),
        ]
    if rng.random() < 0.9:
        operations.append(_make("rest", rng, s=round(rng.uniform(0.4, 1.3), 3)))
    tracks = list(_TRACK_WEIGHTS)
    for _ in range(rng.choice(_COUNTS)):
        track = rng.choices(tracks, [_TRACK_WEIGHTS[each] for each in tracks])[0]
        operation = _draw(_list_kinds(track, offers), rng)
        if operation.name in ("cover", "thing", "twin", "vanish") or operation.name not in {o.name for o in operations}:
            operations.append(operation)
    return operations


def _list_kinds(track: Track, offers: set[str]) -> list[OperationKind]:
    return [kind for kind in OPERATIONS.values() if kind.track == track and kind.needs <= offers]


def _draw(kinds: Sequence[OperationKind], rng: Random) -> Operation:
    return _draw_operation(rng.choices(kinds, [kind.weight for kind in kinds])[0], rng)


def _draw_operation(kind: OperationKind, rng: Random) -> Operation:
    params = {name: param.draw(rng) for name, param in kind.params.items()}
    if kind.name in HARMLESS and rng.random() < _MILD_SHARE:
        for name, neutral, _ in HARMLESS[kind.name]:
            param, value = kind.params[name], params[name]
            if isinstance(param, Number) and not param.whole and isinstance(value, int | float):
                params[name] = round(min(max(neutral + 0.45 * (value - neutral), param.low), param.high), 3)
    return Operation(kind.name, params)


def _make(name: str, rng: Random, **params: float) -> Operation:
    return Operation(name, {key: params.get(key, param.draw(rng)) for key, param in OPERATIONS[name].params.items()})


def mutate_program(program: Program, rng: Random) -> Program:
    """Return a program that differs in one or two operations."""
    operations, offers = list(program.operations), find_offers(program)
    for _ in range(rng.choice((1, 1, 2))):
        way = rng.random()
        if way < 0.45 and operations:
            place = rng.randrange(len(operations))
            operations[place] = _nudge(operations[place], rng)
        elif way < 0.75 and len(operations) < _MOST_OPERATIONS:
            track = rng.choice(TRACKS)
            operations.insert(rng.randint(1, len(operations)), _draw(_list_kinds(track, offers), rng))
        elif way < 0.9 and len(operations) > 2:
            del operations[rng.randrange(len(operations))]
        elif len(operations) > 2:
            one, two = rng.sample(range(len(operations)), 2)
            operations[one], operations[two] = operations[two], operations[one]
    index = rng.randrange(PUZZLES) if rng.random() < 0.15 else program.index
    return replace(program, operations=tuple(operations), index=index)


def _nudge(operation: Operation, rng: Random) -> Operation:
    params = OPERATIONS[operation.name].params
    chosen = rng.sample(list(params), min(len(params), rng.choice((1, 2)))) if params else []
    moved = {name: params[name].move(operation.params[name], rng, 0.4) for name in chosen}
    return Operation(operation.name, {**operation.params, **moved})


def cross_programs(one: Program, other: Program, rng: Random) -> Program:
    """Return a program with the states of one and the rest of another, or with halves of both."""

    def split(program: Program) -> tuple[list[Operation], list[Operation]]:
        states = [each for each in program.operations if OPERATIONS[each.name].track == "states"]
        return states, [each for each in program.operations if OPERATIONS[each.name].track != "states"]

    (states, rest), (other_states, other_rest) = split(one), split(other)
    if rng.random() < 0.3 and other_states:
        cut = rng.randint(0, len(states))
        states = states[:cut] + other_states[-max(1, len(other_states) - cut) :]
    rest = rng.sample(rest, len(rest) // 2) + rng.sample(other_rest, (len(other_rest) + 1) // 2)
    offers = find_offers(one)
    operations = [each for each in (*states, *rest) if OPERATIONS[each.name].needs <= offers]
    return replace(one, operations=tuple(operations[:_MOST_OPERATIONS]))
