"""Sequence: the shapes repeat in one order, the colours in another, and maybe the sizes in a third."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_grid, draw_shape

CELL, MARGIN = 76, 28
SIZES = {"large": 25, "small": 14}
COLOURS = {"red": PALETTE.RED, "blue": PALETTE.BLUE, "green": PALETTE.GREEN, "orange": PALETTE.ORANGE}
SHAPES = ("circle", "square", "triangle", "star")
LONGEST = 4
"""Most things after which an order begins again."""


@dataclass(frozen=True, slots=True)
class SequenceParams:
    """Params of the puzzles."""

    columns: int = 4
    rows: int = 2
    missing: int = 2
    orders: tuple[int, ...] = (3, 3, 1)
    """After how many things the shapes, colours and sizes begin again; they are shuffled unless the first two are
    equal."""
    gaps: bool = False
    """Whether things are missing anywhere, not at the end."""

    def __post_init__(self) -> None:
        things = self.columns * self.rows
        if not (1 <= self.missing < things <= 24 and self.columns <= 8):
            raise UsageError(f"no sequence with {self}; it has at most 24 things in rows of at most 8")
        if len(self.orders) != 3 or not all(1 <= length <= LONGEST for length in self.orders):
            raise UsageError(f"orders {self.orders}; give three numbers from 1 to {LONGEST}")


@dataclass(frozen=True, slots=True)
class RepeatingSequence:
    """Things in reading order."""

    columns: int
    things: tuple[str, ...]
    """Looks such as ``large red star``; empty where a thing is missing."""


class SequenceTask(FillTask[RepeatingSequence, SequenceParams]):
    """Whatever lengths the orders are taken to have, the missing things are the same."""

    name = "sequence"
    title = "Sequence"
    description = "Complete the sequence of shapes"
    group = "deduction"
    puzzle_type = RepeatingSequence
    params_type = SequenceParams
    difficulties = {
        "easy": SequenceParams(),
        "medium": SequenceParams(6, 2, 2, (2, 3, 1)),
        "hard": SequenceParams(6, 3, 5, (2, 3, 4), gaps=True),
    }

    def sample(self, rng: Random, params: SequenceParams) -> RepeatingSequence:
        lengths = list(params.orders)
        if lengths[0] != lengths[1]:
            lengths = rng.sample(lengths, 3) if params.orders[2] > 1 else [*rng.sample(lengths[:2], 2), 1]
        values = SHAPES, tuple(COLOURS), tuple(SIZES)
        orders = [_make_order(rng, choices, length) for choices, length in zip(values, lengths, strict=True)]
        number = params.columns * params.rows
        shapes, colours, sizes = ([order[i % len(order)] for i in range(number)] for order in orders)
        things = [f"{size} {colour} {shape}" for shape, colour, size in zip(shapes, colours, sizes, strict=True)]
        places = rng.sample(range(number), params.missing) if params.gaps else range(number)[-params.missing :]
        for place in places:
            things[place] = ""
        return RepeatingSequence(params.columns, tuple(things))

    def check_puzzle(self, puzzle: RepeatingSequence) -> None:
        known = {" ".join(words) for words in product(SIZES, COLOURS, SHAPES)}
        if not 1 <= puzzle.columns <= 8 or len(puzzle.things) % puzzle.columns or set(puzzle.things) - {"", *known}:
            raise ValueError(f"no sequence: {puzzle}")

    def prompt(self, puzzle: RepeatingSequence) -> str:
        missing = puzzle.things.count("")
        cells = "the empty square" if missing == 1 else f"the {missing} empty squares"
        sizes, _, _ = _list_values(puzzle)
        orders = (
            "the shapes repeat in a fixed order, the colours repeat in an order of their own, and the sizes in a third "
            "one"
            if len(sizes) > 1
            else "the shapes repeat in a fixed order, and the colours repeat in an order of their own"
        )
        return (
            f"Complete the sequence: draw the missing shapes into {cells}. Read the squares row by row, from left to "
            f"right: {orders}. Each order begins again after at most {LONGEST} shapes. "
            "The shapes that are there stay as they are. Stop when every square has a shape. The camera does not move."
        )

    def size(self, puzzle: RepeatingSequence) -> tuple[int, int]:
        rows = len(puzzle.things) // puzzle.columns
        return 2 * MARGIN + CELL * puzzle.columns, 2 * MARGIN + CELL * rows

    def ground(self, puzzle: RepeatingSequence, canvas: Canvas) -> None:
        draw_grid(canvas, MARGIN, MARGIN, puzzle.columns, len(puzzle.things) // puzzle.columns, CELL)

    def paint(self, canvas: Canvas, part: Part) -> None:
        size, colour, shape = part.look.split()
        draw_shape(canvas, shape, part.x, part.y, SIZES[size], COLOURS[colour])

    def cells(self, puzzle: RepeatingSequence) -> tuple[Part, ...]:
        return tuple(
            Part(f"thing{place}", MARGIN + CELL * (place % puzzle.columns + 0.5),
                 MARGIN + CELL * (place // puzzle.columns + 0.5), look)
            for place, look in enumerate(puzzle.things)
        )  # fmt: skip

    def contents(self, puzzle: RepeatingSequence) -> tuple[str, ...]:
        return tuple(" ".join(words) for words in product(*_list_values(puzzle)))

    def measure_difficulty(self, puzzle: RepeatingSequence) -> dict[str, float]:
        lengths = [min(_list_lengths(column)) for column in _split(puzzle)]
        return {**super().measure_difficulty(puzzle), "things_shown": len(puzzle.things), "longest_order": max(lengths),
                "orders": sum(length > 1 for length in lengths)}  # fmt: skip

    def solve(self, puzzle: RepeatingSequence) -> Iterator[Answer]:
        missing = [place for place, look in enumerate(puzzle.things) if not look]
        found: list[set[tuple[str, ...]]] = []
        for column in _split(puzzle):
            found.append(set())
            for length in _list_lengths(column):
                values = [{column[i] for i in range(place % length, len(column), length)} for place in missing]
                if any(not value - {""} for value in values):
                    raise Uncertified(f"nothing shows what is missing, if an order has {length} things")
                found[-1].add(tuple((value - {""}).pop() for value in values))
        for words in product(*found):
            yield {f"thing{place}": " ".join(each) for place, *each in zip(missing, *words, strict=True)}


def _make_order(rng: Random, choices: Sequence[str], length: int) -> list[str]:
    """Return values in an order that is not a shorter one repeated; of a single one, always the first choice."""
    if length == 1:
        return [choices[0]]
    values = rng.sample(choices, min(len(choices), 3))
    while True:
        order = [rng.choice(values) for _ in range(length)]
        if all(order != order[:n] * (length // n) for n in range(1, length) if length % n == 0):
            return order


def _split(puzzle: RepeatingSequence) -> list[list[str]]:
    """Return the sizes, the colours and the shapes, each empty where a thing is missing."""
    return [[look.split()[place] if look else "" for look in puzzle.things] for place in range(3)]


def _list_values(puzzle: RepeatingSequence) -> list[list[str]]:
    return [sorted(set(column) - {""}) for column in _split(puzzle)]


def _list_lengths(column: Sequence[str]) -> list[int]:
    """Return the lengths of all orders that what is there can have."""
    return [
        length for length in range(1, LONGEST + 1)
        if all(len(set(column[start::length]) - {""}) <= 1 for start in range(length))
    ]  # fmt: skip


TASK = SequenceTask()
