"""Majority colour: the box takes the colour that is most frequent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_shape

CELL, MARGIN, RADIUS, BOX = 64, 24, 17, 84
COLOURS = {
    "red": PALETTE.RED, "blue": PALETTE.BLUE, "green": PALETTE.GREEN, "orange": PALETTE.ORANGE,
}  # fmt: skip
SHAPES = ("circle", "square", "triangle", "star")


@dataclass(frozen=True, slots=True)
class MajorityParams:
    """Params of the puzzles."""

    things: int = 11
    colours: int = 3
    shapes: int = 1
    most_lead: int = 4
    """How many more things than of the next colour there are, at most."""
    least_lead: int = 2
    of_one_shape: bool = False
    """Whether things of one shape alone are asked for, while another colour is the most frequent one of all things."""
    columns: int = 6
    rows: int = 4

    def __post_init__(self) -> None:
        if not (2 <= self.colours <= len(COLOURS) and 1 + self.of_one_shape <= self.shapes <= len(SHAPES)):
            raise UsageError(f"no picture with {self}; colours are 2 to 4, shapes 1 to 4, and one of several is asked")
        if not (4 <= self.things <= self.columns * self.rows <= 42 and 1 <= self.least_lead <= self.most_lead):
            raise UsageError(f"no picture with {self}; things need room, and the lead is at least 1")


@dataclass(frozen=True, slots=True)
class Majority:
    """Shapes, and which of them count."""

    columns: int
    rows: int
    things: tuple[tuple[int, str], ...]
    """The place and the look (such as ``red star``) of each thing; places are counted row by row."""
    shape: str = ""
    """The shape of the things that count; empty where all do."""


class MajorityTask(FillTask[Majority, MajorityParams]):
    """The answer is one of four colours."""

    name = "majority_colour"
    title = "Majority Colour"
    description = "Fill the box with the most frequent colour"
    group = "perception"
    puzzle_type = Majority
    params_type = MajorityParams
    difficulties = {
        "easy": MajorityParams(),
        "medium": MajorityParams(20, 4, 3, 1, 1),
        "hard": MajorityParams(30, 4, 3, 2, 1, of_one_shape=True, columns=7, rows=5),
    }

    def sample(self, rng: Random, params: MajorityParams) -> Majority:
        colours, shapes = rng.sample(list(COLOURS), params.colours), rng.sample(SHAPES, params.shapes)
        looks = [f"{rng.choice(colours)} {rng.choice(shapes)}" for _ in range(params.things)]
        places = sorted(rng.sample(range(params.columns * params.rows), params.things))
        shape = shapes[0] if params.of_one_shape else ""
        puzzle = Majority(params.columns, params.rows, tuple(zip(places, looks, strict=True)), shape)
        if not params.least_lead <= _measure_lead(puzzle) <= params.most_lead:
            raise Uncertified("another lead of one colour")
        if params.of_one_shape and _rank(puzzle, "")[0][0] == _rank(puzzle, shape)[0][0]:
            raise Uncertified("the same colour is the most frequent one of all things")
        return puzzle

    def check_puzzle(self, puzzle: Majority) -> None:
        places, looks = [place for place, _ in puzzle.things], {look for _, look in puzzle.things}
        if looks - set(_list_looks()) or puzzle.shape not in ("", *SHAPES):
            raise ValueError(f"unknown shapes or colours: {puzzle}")
        if len(set(places)) < len(places) or not 0 <= min(places) <= max(places) < puzzle.columns * puzzle.rows:
            raise ValueError(f"things that do not fit: {puzzle.things}")

    def prompt(self, puzzle: Majority) -> str:
        which = f"the {puzzle.shape}s" if puzzle.shape else "all shapes in the picture"
        others = " Other shapes do not count." if puzzle.shape else ""
        colours = [colour for colour in COLOURS if any(look.startswith(colour) for _, look in puzzle.things)]
        choices = f"{', '.join(colours[:-1])} or {colours[-1]}"
        return (
            f"Which colour is the most frequent one among {which}: {choices}?{others} Fill the empty box below the "
            "picture with this colour, from edge to edge. All shapes stay as they are. Stop when the box is filled. "
            "The camera does not move."
        )

    def size(self, puzzle: Majority) -> tuple[int, int]:
        return 2 * MARGIN + CELL * puzzle.columns, 3 * MARGIN + CELL * puzzle.rows + BOX

    def ground(self, puzzle: Majority, canvas: Canvas) -> None:
        box = self.cells(puzzle)[-1]
        for x, y, across, down in (
            (MARGIN, MARGIN, CELL * puzzle.columns, CELL * puzzle.rows),
            (int(box.x) - BOX // 2, int(box.y) - BOX // 2, BOX, BOX),
        ):
            canvas.rectangle(x - 4, y - 4, across + 8, down + 8, PALETTE.INK)
            canvas.rectangle(x, y, across, down, PALETTE.PAPER)

    def paint(self, canvas: Canvas, part: Part) -> None:
        colour, _, shape = part.look.partition(" ")
        if shape:
            draw_shape(canvas, shape, part.x, part.y, RADIUS, COLOURS[colour])
        else:
            canvas.rectangle(part.x - BOX // 2, part.y - BOX // 2, BOX, BOX, COLOURS[colour])

    def cells(self, puzzle: Majority) -> tuple[Part, ...]:
        things = [
            Part(f"thing{place}", MARGIN + CELL * (place % puzzle.columns + 0.5),
                 MARGIN + CELL * (place // puzzle.columns + 0.5), look)
            for place, look in puzzle.things
        ]  # fmt: skip
        middle = MARGIN + CELL * puzzle.columns // 2
        return *things, Part("box", middle, 2 * MARGIN + CELL * puzzle.rows + BOX // 2, "")

    def contents(self, puzzle: Majority) -> tuple[str, ...]:
        return tuple(COLOURS)

    def cell_contents(self, puzzle: Majority, cell: Part) -> tuple[str, ...]:
        return _list_looks() if cell.look else self.contents(puzzle)

    def measure_difficulty(self, puzzle: Majority) -> dict[str, float]:
        ranked = _rank(puzzle, puzzle.shape)
        return {
            **super().measure_difficulty(puzzle),
            "things_shown": len(puzzle.things),
            "things_that_count": sum(count for _, count in ranked),
            "colours": len(ranked),
            "lead": _measure_lead(puzzle),
        }

    def solve(self, puzzle: Majority) -> Iterator[Answer]:
        ranked = _rank(puzzle, puzzle.shape)
        for colour, count in ranked:
            if count == ranked[0][1]:
                yield {"box": colour}


def _list_looks() -> tuple[str, ...]:
    return tuple(f"{colour} {shape}" for colour, shape in product(COLOURS, SHAPES))


def _rank(puzzle: Majority, shape: str) -> list[tuple[str, int]]:
    """Return the colours of the things that count, each with its number, the most frequent one first."""
    return Counter(look.split()[0] for _, look in puzzle.things if look.endswith(shape)).most_common()


def _measure_lead(puzzle: Majority) -> int:
    """Return how many more things the most frequent colour has than the next one."""
    counts = [count for _, count in _rank(puzzle, puzzle.shape)]
    return counts[0] - counts[1] if len(counts) > 1 else 0


TASK = MajorityTask()
