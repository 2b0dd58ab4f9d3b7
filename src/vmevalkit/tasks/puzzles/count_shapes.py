"""Counting: the number that the question asks for appears in the box."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_shape

CELL, MARGIN, RADIUS, BOX = 64, 24, 17, 84
COLOURS = {
    "red": PALETTE.RED, "blue": PALETTE.BLUE, "green": PALETTE.GREEN, "orange": PALETTE.ORANGE,
}  # fmt: skip
SHAPES = ("circle", "square", "triangle", "star")
ASKED = ("shape", "shape and colour", "difference")
MOST = 9


@dataclass(frozen=True, slots=True)
class CountShapesParams:
    """Params of the puzzles."""

    ask: str = "shape"
    """What is counted: all of a ``shape``, those of a ``shape and colour``, or how many more there are of one shape
    than of another (``difference``)."""
    things: int = 10
    columns: int = 6
    rows: int = 4

    def __post_init__(self) -> None:
        if self.ask not in ASKED or not 4 <= self.things <= self.columns * self.rows <= 42:
            raise UsageError(
                f"nothing to count with {self}; ask for {', '.join(ASKED)}, with room for 4 things or more"
            )


@dataclass(frozen=True, slots=True)
class CountShapes:
    """Shapes, and what is to be counted."""

    columns: int
    rows: int
    things: tuple[tuple[int, str], ...]
    """The place and the look (such as ``red star``) of each thing; places are counted row by row."""
    ask: str
    wanted: str
    """A look, a shape, or for a difference the shape of which there are more."""
    less: str = ""
    """For a difference, the shape of which there are fewer."""


class CountShapesTask(FillTask[CountShapes, CountShapesParams]):
    """The answer is a digit from 1 to 9."""

    name = "count_shapes"
    title = "Counting"
    description = "Write the number of shapes into the box"
    group = "perception"
    puzzle_type = CountShapes
    params_type = CountShapesParams
    difficulties = {
        "easy": CountShapesParams(),
        "medium": CountShapesParams("shape and colour", 18),
        "hard": CountShapesParams("difference", 26, 7, 5),
    }

    def sample(self, rng: Random, params: CountShapesParams) -> CountShapes:
        (wanted, other, third), colours = rng.sample(SHAPES, 3), rng.sample(list(COLOURS), 3)
        looks: list[str] = []
        if params.ask == "difference":
            more = rng.randint(1, min(MOST, params.things // 3))
            less = rng.randint(2, max(2, (params.things - more) // 2 - 2))
            shapes = [wanted] * (less + more) + [other] * less + [third] * (params.things - 2 * less - more)
            looks = [f"{rng.choice(colours)} {shape}" for shape in shapes]
        else:
            all_looks = [f"{colour} {shape}" for colour in colours for shape in (wanted, other, third)]
            aim = f"{colours[0]} {wanted}" if params.ask == "shape and colour" else wanted
            right = [look for look in all_looks if look.endswith(aim)]
            rest = [look for look in all_looks if look not in right]
            number = rng.randint(2, min(MOST, params.things - 2))
            looks = [rng.choice(right if place < number else rest) for place in range(params.things)]
            wanted, other = aim, ""
        rng.shuffle(looks)
        places = sorted(rng.sample(range(params.columns * params.rows), params.things))
        things = tuple(zip(places, looks, strict=True))
        return CountShapes(params.columns, params.rows, things, params.ask, wanted, other)

    def check_puzzle(self, puzzle: CountShapes) -> None:
        places = [place for place, _ in puzzle.things]
        looks = {look for _, look in puzzle.things} - set(_list_looks())
        if (
            looks
            or len(set(places)) < len(places)
            or not 0 <= min(places) <= max(places) < puzzle.columns * puzzle.rows
        ):
            raise ValueError(f"things that do not fit: {puzzle.things}")
        if puzzle.ask not in ASKED or {puzzle.wanted, puzzle.less} - {"", *SHAPES, *_list_looks()}:
            raise ValueError(f"no question: {puzzle.ask!r} {puzzle.wanted!r} {puzzle.less!r}")

    def prompt(self, puzzle: CountShapes) -> str:
        if puzzle.ask == "difference":
            question = f"How many more {puzzle.wanted}s than {puzzle.less}s are there, whatever their colours?"
        else:
            whatever = ", whatever their colours" if puzzle.ask == "shape" else ""
            question = f"How many {puzzle.wanted}s are there{whatever}?"
        return (
            f"{question} Write this number, one digit, into the empty box below the picture, large and dark. All "
            "shapes stay as they are. Stop when the number is in the box. The camera does not move."
        )

    def size(self, puzzle: CountShapes) -> tuple[int, int]:
        return 2 * MARGIN + CELL * puzzle.columns, 3 * MARGIN + CELL * puzzle.rows + BOX

    def ground(self, puzzle: CountShapes, canvas: Canvas) -> None:
        width, height = CELL * puzzle.columns, CELL * puzzle.rows
        box = self.cells(puzzle)[-1]
        for x, y, across, down in (
            (MARGIN, MARGIN, width, height),
            (int(box.x) - BOX // 2, int(box.y) - BOX // 2, BOX, BOX),
        ):
            canvas.rectangle(x - 4, y - 4, across + 8, down + 8, PALETTE.INK)
            canvas.rectangle(x, y, across, down, PALETTE.PAPER)

    def paint(self, canvas: Canvas, part: Part) -> None:
        colour, _, shape = part.look.partition(" ")
        if shape:
            draw_shape(canvas, shape, part.x, part.y, RADIUS, COLOURS[colour])
        else:
            canvas.text(part.look, part.x, part.y, 64, PALETTE.INK, bold=True)

    def cells(self, puzzle: CountShapes) -> tuple[Part, ...]:
        things = [
            Part(f"thing{place}", MARGIN + CELL * (place % puzzle.columns + 0.5),
                 MARGIN + CELL * (place // puzzle.columns + 0.5), look)
            for place, look in puzzle.things
        ]  # fmt: skip
        middle = MARGIN + CELL * puzzle.columns // 2
        return *things, Part("box", middle, 2 * MARGIN + CELL * puzzle.rows + BOX // 2, "")

    def contents(self, puzzle: CountShapes) -> tuple[str, ...]:
        return tuple(str(number) for number in range(1, MOST + 1))

    def cell_contents(self, puzzle: CountShapes, cell: Part) -> tuple[str, ...]:
        return _list_looks() if cell.look else self.contents(puzzle)

    def measure_difficulty(self, puzzle: CountShapes) -> dict[str, float]:
        counted = sum(_count(puzzle, shape) for shape in (puzzle.wanted, puzzle.less) if shape)
        return {**super().measure_difficulty(puzzle), "things_shown": len(puzzle.things), "things_to_count": counted}

    def solve(self, puzzle: CountShapes) -> Iterator[Answer]:
        number = _count(puzzle, puzzle.wanted) - (_count(puzzle, puzzle.less) if puzzle.less else 0)
        if 1 <= number <= MOST:
            yield {"box": str(number)}

    def certify(self, puzzle: CountShapes) -> None:
        super().certify(puzzle)
        if puzzle.less and not _count(puzzle, puzzle.less):
            raise Uncertified("there is nothing to compare with")


def _list_looks() -> tuple[str, ...]:
    return tuple(f"{colour} {shape}" for colour in COLOURS for shape in SHAPES)


def _count(puzzle: CountShapes, wanted: str) -> int:
    """Return how many things have a look, or a shape of any colour."""
    counts = Counter(look if " " in wanted else look.split()[1] for _, look in puzzle.things)
    return counts[wanted]


TASK = CountShapesTask()
