"""Odd one out: a ring marks the one thing that differs from all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import cos, radians, sin
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_shape

CELL, MARGIN, RING, RADIUS = 84, 24, 32, 20
COLOURS = {"red": PALETTE.RED, "blue": PALETTE.BLUE, "green": PALETTE.GREEN, "orange": PALETTE.ORANGE}
SHAPES = ("circle", "square", "triangle", "star")
ASKED = ("look", "partner", "mirror")
_FLAG = ((-9, 20), (-9, -20), (15, -20), (15, -10), (1, -10), (1, -3), (9, -3), (9, 6), (1, 6), (1, 20))
"""A letter F: none of its turned pictures is a mirror image of it."""


@dataclass(frozen=True, slots=True)
class OddOneOutParams:
    """Params of the puzzles."""

    ask: str = "look"
    """``look``: all others are alike. ``partner``: each other has at least one that is like it. ``mirror``: all are
    the same letter, turned in several ways, and one is its mirror image."""
    columns: int = 4
    rows: int = 3

    def __post_init__(self) -> None:
        if self.ask not in ASKED or not (2 <= self.columns <= 6 and 2 <= self.rows <= 6):
            raise UsageError(f"no puzzle with {self}; ask for {', '.join(ASKED)}, in 2 to 6 columns and rows")


@dataclass(frozen=True, slots=True)
class OddOneOut:
    """A grid of things."""

    ask: str
    columns: int
    things: tuple[str, ...]
    """Row by row: a colour and a shape such as ``red star``, or ``plain`` or ``mirrored`` and an angle."""


class OddOneOutTask(FillTask[OddOneOut, OddOneOutParams]):
    """The things belong to the ground; what can be in a cell is the ring around its thing."""

    name = "odd_one_out"
    title = "Odd One Out"
    description = "Mark the thing that differs"
    group = "perception"
    puzzle_type = OddOneOut
    params_type = OddOneOutParams
    difficulties = {
        "easy": OddOneOutParams(),
        "medium": OddOneOutParams("partner", 5, 3),
        "hard": OddOneOutParams("mirror", 5, 4),
    }

    def sample(self, rng: Random, params: OddOneOutParams) -> OddOneOut:
        others = params.columns * params.rows - 1
        if params.ask == "mirror":
            plain, mirrored = rng.sample(("plain", "mirrored"), 2)
            things = [f"{plain} {rng.randrange(0, 360, 45)}" for _ in range(others)]
            odd = f"{mirrored} {rng.randrange(0, 360, 45)}"
        else:
            odd, *looks = rng.sample([f"{c} {s}" for c, s in product(COLOURS, SHAPES)], 1 + others // 2)
            kinds = 1 if params.ask == "look" else others // 2
            things = [looks[place % kinds] for place in range(others)]
        rng.shuffle(things)
        things.insert(rng.randint(0, others), odd)
        return OddOneOut(params.ask, params.columns, tuple(things))

    def check_puzzle(self, puzzle: OddOneOut) -> None:
        known = {f"{colour} {shape}" for colour, shape in product(COLOURS, SHAPES)}
        if puzzle.ask == "mirror":
            known = {f"{side} {angle}" for side in ("plain", "mirrored") for angle in range(0, 360, 45)}
        if puzzle.ask not in ASKED or set(puzzle.things) - known or len(puzzle.things) % max(puzzle.columns, 1):
            raise ValueError(f"no grid of things: {puzzle}")

    def prompt(self, puzzle: OddOneOut) -> str:
        which = {
            "look": "All things in the picture look alike, but one differs in its shape, its colour or both.",
            "partner": "Every thing in the picture has at least one partner of the same shape and colour, but one "
            "thing has none.",
            "mirror": "All letters in the picture are the same letter, turned in different ways, but one is a mirror "
            "image: turning cannot make it look like the others.",
        }[puzzle.ask]
        return (
            f"{which} Draw a purple ring around this one. Nothing else is marked, and all things stay as they are. "
            "Stop when the ring is complete. The camera does not move."
        )

    def size(self, puzzle: OddOneOut) -> tuple[int, int]:
        return 2 * MARGIN + CELL * puzzle.columns, 2 * MARGIN + CELL * (len(puzzle.things) // puzzle.columns)

    def ground(self, puzzle: OddOneOut, canvas: Canvas) -> None:
        width, height = self.size(puzzle)
        canvas.rectangle(MARGIN - 4, MARGIN - 4, width - 2 * MARGIN + 8, height - 2 * MARGIN + 8, PALETTE.INK)
        canvas.rectangle(MARGIN, MARGIN, width - 2 * MARGIN, height - 2 * MARGIN, PALETTE.PAPER)
        for cell, thing in zip(self.cells(puzzle), puzzle.things, strict=True):
            first, second = thing.split()
            if puzzle.ask != "mirror":
                draw_shape(canvas, second, cell.x, cell.y, RADIUS, COLOURS[first])
                continue
            c, s, side = cos(radians(int(second))), sin(radians(int(second))), 1 if first == "plain" else -1
            corners = [(cell.x + c * side * x - s * y, cell.y + s * side * x + c * y) for x, y in _FLAG]
            canvas.polygon(corners, PALETTE.BLUE, PALETTE.INK, PALETTE.LINE)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.circle(part.x, part.y, RING, stroke=PALETTE.PURPLE, width=8)

    def cells(self, puzzle: OddOneOut) -> tuple[Part, ...]:
        return tuple(
            Part(f"thing{place}", MARGIN + CELL * (place % puzzle.columns + 0.5),
                 MARGIN + CELL * (place // puzzle.columns + 0.5), "")
            for place in range(len(puzzle.things))
        )  # fmt: skip

    def contents(self, puzzle: OddOneOut) -> tuple[str, ...]:
        return ("ring",)

    def certify(self, puzzle: OddOneOut) -> None:
        super().certify(puzzle)
        if puzzle.ask == "look" and len(set(puzzle.things)) != 2:
            raise Uncertified("the other things are not alike")

    def measure_difficulty(self, puzzle: OddOneOut) -> dict[str, float]:
        kinds = len(set(puzzle.things))
        return {**super().measure_difficulty(puzzle), "things_shown": len(puzzle.things), "different_pictures": kinds}

    def solve(self, puzzle: OddOneOut) -> Iterator[Answer]:
        kinds = [thing.split()[0] if puzzle.ask == "mirror" else thing for thing in puzzle.things]
        counts = Counter(kinds)
        odd = [place for place, kind in enumerate(kinds) if counts[kind] == 1]
        if len(odd) == 1:
            yield {f"thing{odd[0]}": "ring"}


TASK = OddOneOutTask()
