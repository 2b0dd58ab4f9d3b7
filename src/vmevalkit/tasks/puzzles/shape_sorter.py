"""Shape sorter: move each shape into its outline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi, sin
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MoveTask, Part, Piece, UsageError

SLOT, MARGIN, ROW_GAP = 92, 30, 44
Point = tuple[float, float]


def _regular(corners: int, inner: float = 1.0) -> list[Point]:
    """Return a regular polygon or, with an inner radius, a star."""
    count = corners if inner == 1.0 else 2 * corners
    radii = [1.0 if i % 2 == 0 or inner == 1.0 else inner for i in range(count)]
    return [(r * sin(2 * pi * i / count), -r * cos(2 * pi * i / count)) for i, r in enumerate(radii)]


FORMS: dict[str, list[Point]] = {
    "triangle": _regular(3), "pentagon": _regular(5), "hexagon": _regular(6), "octagon": _regular(8),
    "circle": _regular(48), "five-pointed star": _regular(5, 0.45), "six-pointed star": _regular(6, 0.55),
    "four-pointed star": _regular(4, 0.45),
    "square": [(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)],
    "trapezium": [(-0.45, -0.8), (0.45, -0.8), (0.95, 0.8), (-0.95, 0.8)],
    "rhombus": [(0, -1), (0.7, 0), (0, 1), (-0.7, 0)],
    "right triangle": [(-0.8, -0.9), (0.9, 0.8), (-0.8, 0.8)],
    "cross": [(-0.33, -0.95), (0.33, -0.95), (0.33, -0.33), (0.95, -0.33), (0.95, 0.33), (0.33, 0.33), (0.33, 0.95),
              (-0.33, 0.95), (-0.33, 0.33), (-0.95, 0.33), (-0.95, -0.33), (-0.33, -0.33)],
    "arrow": [(0, -1), (0.85, 0), (0.35, 0), (0.35, 0.95), (-0.35, 0.95), (-0.35, 0), (-0.85, 0)],
}  # fmt: skip
ALIKE = (
    ("pentagon", "hexagon", "octagon", "circle"), ("five-pointed star", "six-pointed star", "four-pointed star"),
    ("square", "trapezium", "rhombus"), ("triangle", "right triangle", "arrow"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SorterParams:
    """Params of the puzzles."""

    shapes: int = 4
    spare: int = 0
    """Shapes that fit no outline and stay, and as many outlines that stay empty."""
    alike: bool = False
    """Whether all shapes have one colour, and forms that are easily taken for each other."""
    sizes: bool = False
    """Whether shapes of one form and two sizes are there."""

    def __post_init__(self) -> None:
        if not (4 <= self.shapes + self.spare <= 7 and 0 <= self.spare <= 2 and self.shapes >= 4):
            raise UsageError(f"no shape sorter with {self}; shapes are at least 4, spare 0 to 2, both at most 7")


@dataclass(frozen=True, slots=True)
class Sorter:
    """Shapes in the lower row and outlines in the upper one, from left to right: each is a form and a radius."""

    shapes: tuple[tuple[str, int], ...]
    hues: tuple[int, ...]
    outlines: tuple[tuple[str, int], ...]


class ShapeSorterTask(MoveTask[Sorter, SorterParams]):
    """A shape is lifted and put down in an empty outline, or at an empty place of the lower row."""

    name = "shape_sorter"
    title = "Shape Sorter"
    description = "Move each shape into its outline"
    group = "planning"
    puzzle_type = Sorter
    params_type = SorterParams
    difficulties = {
        "easy": SorterParams(),
        "medium": SorterParams(5, 0, True),
        "hard": SorterParams(5, 2, True, True),
    }
    video_seconds = 6.0
    cell_px = SLOT
    tolerance = 0.2
    is_free_flight = True

    def sample(self, rng: Random, params: SorterParams) -> Sorter:
        count = params.shapes + params.spare
        forms = list(FORMS)
        if params.alike:
            forms = [form for family in rng.sample(ALIKE, 3) for form in family]
        if params.sizes:
            forms = rng.sample(forms, len(forms) // 2 + 1)
        kinds = [(form, radius) for form in forms for radius in ((34, 23) if params.sizes else (32,))]
        chosen = rng.sample(kinds, count + params.spare)
        fitting, spare = chosen[: params.shapes], chosen[params.shapes :]
        shapes, outlines = [*fitting, *spare[: params.spare]], [*fitting, *spare[params.spare :]]
        rng.shuffle(shapes)
        rng.shuffle(outlines)
        hues = [rng.randrange(6)] * count if params.alike else rng.sample(range(8), count)
        return Sorter(tuple(shapes), tuple(hues), tuple(outlines))

    def check_puzzle(self, puzzle: Sorter) -> None:
        kinds = {*puzzle.shapes, *puzzle.outlines}
        if not all(form in FORMS and 16 <= radius <= 40 for form, radius in kinds):
            raise ValueError(f"no shape sorter: {puzzle}")
        if len(set(puzzle.shapes)) < len(puzzle.shapes) or len(set(puzzle.outlines)) < len(puzzle.outlines):
            raise ValueError(f"two shapes or two outlines are the same: {puzzle}")

    def measure_difficulty(self, puzzle: Sorter) -> dict[str, float]:
        forms = [form for form, _ in (*puzzle.shapes, *puzzle.outlines)]
        families = sum(any(form in family for form in forms) for family in ALIKE)
        return super().measure_difficulty(puzzle) | {"families_of_forms": families}

    def prompt(self, puzzle: Sorter) -> str:
        rest = len(puzzle.shapes) - len(set(puzzle.shapes) & set(puzzle.outlines))
        stay = "Shapes that fit no outline stay where they are. " if rest else ""
        return (
            "Move each coloured shape of the lower row into the empty outline of the same form and size in the upper "
            f"row. Lift one shape at a time and put it down inside its outline. {stay}Shapes keep their colours, "
            "sizes and directions, and the outlines stay where they are. Stop when every shape that fits an outline "
            "is in it. The camera does not move."
        )

    def size(self, puzzle: Sorter) -> tuple[int, int]:
        return 2 * MARGIN + SLOT * len(puzzle.shapes), 2 * MARGIN + 2 * SLOT + ROW_GAP

    def ground(self, puzzle: Sorter, canvas: Canvas) -> None:
        span = SLOT * len(puzzle.shapes)
        canvas.rectangle(MARGIN - 8, MARGIN - 8, span + 16, SLOT + 16, PALETTE.INK)
        canvas.rectangle(MARGIN - 4, MARGIN - 4, span + 8, SLOT + 8, PALETTE.BOARD)
        canvas.rectangle(MARGIN - 8, MARGIN + 2 * SLOT + ROW_GAP + 4, span + 16, 6, PALETTE.SHADE)
        for index, kind in enumerate(puzzle.outlines):
            x, y = self.position(puzzle, Piece("", ""), (0, index))
            canvas.polygon(_outline(kind, x, y), PALETTE.PAPER, PALETTE.INK, PALETTE.LINE)

    def paint(self, canvas: Canvas, part: Part) -> None:
        form, radius, hue = part.look.split("/")
        corners = _outline((form, int(radius)), part.x, part.y)
        canvas.polygon(corners, PALETTE.HUES[int(hue)], PALETTE.INK, PALETTE.LINE)

    def pieces(self, puzzle: Sorter) -> tuple[Piece, ...]:
        pairs = zip(puzzle.shapes, puzzle.hues, strict=True)
        return tuple(Piece(f"shape{i}", f"{form}/{radius}/{hue}") for i, ((form, radius), hue) in enumerate(pairs))

    def places(self, puzzle: Sorter, piece: Piece) -> Iterator[tuple[int, int]]:
        return ((row, index) for row in range(2) for index in range(len(puzzle.shapes)))

    def position(self, puzzle: Sorter, piece: Piece, place: Any) -> tuple[float, float]:
        return MARGIN + SLOT * (place[1] + 0.5), MARGIN + SLOT / 2 + (SLOT + ROW_GAP) * place[0]

    def start(self, puzzle: Sorter) -> Arrangement:
        return tuple((1, index) for index in range(len(puzzle.shapes)))

    def is_goal(self, puzzle: Sorter, at: Arrangement) -> bool:
        return self.estimate(puzzle, at) == 0

    def estimate(self, puzzle: Sorter, at: Arrangement) -> int:
        places = {kind: (0, index) for index, kind in enumerate(puzzle.outlines)}
        goal = [places.get(kind, (1, index)) for index, kind in enumerate(puzzle.shapes)]
        return sum(one != two for one, two in zip(at, goal, strict=True))

    def moves(self, puzzle: Sorter, at: Arrangement) -> Iterator[Arrangement]:
        free = [place for place in self.places(puzzle, Piece("", "")) if place not in at]
        return ((*at[:index], to, *at[index + 1 :]) for index in range(len(at)) for to in free)


def _outline(kind: tuple[str, int], x: float, y: float) -> list[Point]:
    return [(x + kind[1] * dx, y + kind[1] * dy) for dx, dy in FORMS[kind[0]]]


TASK = ShapeSorterTask()
