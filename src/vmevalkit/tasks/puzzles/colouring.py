"""Graph colouring: colour the blank nodes so that neighbours differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot
from random import Random

from vmevalkit.tasks.kit import PALETTE, Canvas, FillTask, Part, Uncertified, UsageError

WIDTH, HEIGHT, RADIUS = 520, 420, 25
COLOURS = {"red": PALETTE.RED, "green": PALETTE.GREEN, "blue": PALETTE.BLUE}
Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ColouringParams:
    """Params of the puzzles."""

    nodes: int = 6
    blanks: int = 2

    def __post_init__(self) -> None:
        if not (4 <= self.nodes <= 12 and 1 <= self.blanks < self.nodes):
            raise UsageError(f"no graph with {self}; nodes are 4 to 12, blanks fewer than nodes")


@dataclass(frozen=True, slots=True)
class Colouring:
    """A graph without crossing edges, some of whose nodes are coloured."""

    points: tuple[tuple[int, int], ...]
    edges: tuple[tuple[int, int], ...]
    given: tuple[str, ...]
    """The colour of each node; empty where it is asked for."""


class ColouringTask(FillTask[Colouring, ColouringParams]):
    """There is one way to colour the blank nodes."""

    name = "colouring"
    title = "Graph Colouring"
    description = "Colour the blank nodes so that neighbours differ"
    group = "deduction"
    puzzle_type = Colouring
    params_type = ColouringParams
    difficulties = {"easy": ColouringParams(), "medium": ColouringParams(8, 4), "hard": ColouringParams(10, 6)}

    def sample(self, rng: Random, params: ColouringParams) -> Colouring:
        points: list[Point] = []
        for _ in range(2000):
            if len(points) == params.nodes:
                break
            spot = rng.randrange(50, WIDTH - 50), rng.randrange(50, HEIGHT - 50)
            if all(hypot(spot[0] - x, spot[1] - y) > 90 for x, y in points):
                points.append(spot)
        if len(points) < params.nodes:
            raise Uncertified("no room for so many nodes")
        colours = [rng.choice(list(COLOURS)) for _ in points]
        edges: list[tuple[int, int]] = []
        for i, j in sorted(combinations(range(params.nodes), 2), key=lambda e: _measure(points[e[0]], points[e[1]])):
            clear = all(_distance(points[k], points[i], points[j]) > 36 for k in range(params.nodes) if k not in (i, j))
            if colours[i] != colours[j] and clear and not any(_cross(points, (i, j), edge) for edge in edges):
                edges.append((i, j))
        blanks = set(rng.sample(range(params.nodes), params.blanks))
        given = tuple("" if i in blanks else colour for i, colour in enumerate(colours))
        return Colouring(tuple(points), tuple(edges), given)

    def check_puzzle(self, puzzle: Colouring) -> None:
        if len(puzzle.points) != len(puzzle.given) or any(
            not 0 <= i < len(puzzle.points) for e in puzzle.edges for i in e
        ):
            raise ValueError("nodes, edges and colours do not fit each other")

    def prompt(self, puzzle: Colouring) -> str:
        blanks = puzzle.given.count("")
        nodes = "the white node" if blanks == 1 else f"each of the {blanks} white nodes"
        return (
            f"Colour {nodes} red, green or blue, in the same colours as the other nodes, so that no two nodes that "
            f"are joined by a "
            "line have the same colour. Coloured nodes and lines stay as they are. Stop when every node has a colour. "
            "The camera does not move."
        )

    def size(self, puzzle: Colouring) -> tuple[int, int]:
        return WIDTH, HEIGHT

    def ground(self, puzzle: Colouring, canvas: Canvas) -> None:
        for i, j in puzzle.edges:
            canvas.line([puzzle.points[i], puzzle.points[j]], PALETTE.INK, PALETTE.LINE)
        for x, y in puzzle.points:
            canvas.circle(x, y, RADIUS, fill=PALETTE.PAPER, stroke=PALETTE.INK, width=PALETTE.LINE)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.circle(part.x, part.y, RADIUS, fill=COLOURS[part.look], stroke=PALETTE.INK, width=PALETTE.LINE)

    def cells(self, puzzle: Colouring) -> tuple[Part, ...]:
        return tuple(Part(f"n{i}", x, y, puzzle.given[i]) for i, (x, y) in enumerate(puzzle.points))

    def contents(self, puzzle: Colouring) -> tuple[str, ...]:
        return tuple(COLOURS)

    def measure_difficulty(self, puzzle: Colouring) -> dict[str, float]:
        """Say how many rounds it takes to colour what has one colour left, and how many nodes must be tried."""
        colours, rounds = list(puzzle.given), 0
        while found := {i: left for i, left in _list_left(puzzle, colours) if len(left) == 1}:
            rounds += 1
            for i, left in found.items():
                colours[i] = min(left)
        measured = {"rounds_of_deduction": rounds, "nodes_to_try": colours.count("")}
        return {**super().measure_difficulty(puzzle), **measured}

    def solve(self, puzzle: Colouring) -> Iterator[Mapping[str, str]]:
        for colours in _colour(puzzle, puzzle.given):
            yield {f"n{i}": colour for i, colour in enumerate(colours) if not puzzle.given[i]}


def _list_left(puzzle: Colouring, colours: Sequence[str]) -> Iterator[tuple[int, set[str]]]:
    """Yield each blank node, and the colours that no neighbour has."""
    for blank, colour in enumerate(colours):
        if not colour:
            yield blank, {*COLOURS} - {colours[j if i == blank else i] for i, j in puzzle.edges if blank in (i, j)}


def _colour(puzzle: Colouring, colours: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if "" not in colours:
        if all(colours[i] != colours[j] for i, j in puzzle.edges):
            yield colours
        return
    blank = colours.index("")
    taken = {colours[j if i == blank else i] for i, j in puzzle.edges if blank in (i, j)}
    for colour in COLOURS:
        if colour not in taken:
            yield from _colour(puzzle, (*colours[:blank], colour, *colours[blank + 1 :]))


def _measure(one: Point, other: Point) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])


def _distance(point: Point, start: Point, end: Point) -> float:
    """Return the distance of a point from a line segment."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    t = min(max(((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / (dx * dx + dy * dy), 0.0), 1.0)
    return hypot(start[0] + t * dx - point[0], start[1] + t * dy - point[1])


def _cross(points: list[Point], one: tuple[int, int], other: tuple[int, int]) -> bool:
    if set(one) & set(other):
        return False
    a, b, c, d = (points[i] for i in (*one, *other))

    def is_left(p: Point, q: Point, r: Point) -> bool:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) > 0

    return is_left(a, b, c) != is_left(a, b, d) and is_left(c, d, a) != is_left(c, d, b)


TASK = ColouringTask()
