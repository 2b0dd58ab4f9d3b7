"""Graph route: move a token along the lines of a network to the marked node."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from math import hypot
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MoveTask, Part, Piece, Uncertified, UsageError

STEP, MARGIN, NODE, JITTER = 100, 60, 19, 13


@dataclass(frozen=True, slots=True)
class RouteParams:
    """Params of the puzzles."""

    rows: int = 3
    columns: int = 4
    least_moves: int = 4
    most_moves: int = 6
    closed: int = 0
    """Nodes that the token must not enter."""
    one_way: float = 0.0
    """Share of the lines that lead one way only."""
    detour: int = 0
    """Moves, at least, by which closed nodes and one-way lines make the way longer."""

    def __post_init__(self) -> None:
        if not (3 <= self.rows <= 5 and 3 <= self.columns <= 5 and 4 <= self.least_moves <= self.most_moves):
            raise UsageError(f"no network with {self}; rows and columns are 3 to 5, moves at least 4")
        if not (0 <= self.closed <= self.rows and 0 <= self.one_way <= 1):
            raise UsageError(f"no network with {self}; closed is at most rows, one_way a share from 0 to 1")


@dataclass(frozen=True, slots=True)
class Network:
    """A drawn network. Nodes are numbers."""

    nodes: tuple[tuple[int, int], ...]
    """Where each node is: column and row of the picture, in pixels."""
    lines: tuple[tuple[int, int], ...]
    """Lines that can be used in both directions."""
    arrows: tuple[tuple[int, int], ...]
    """Lines that lead from the first node to the second one only."""
    closed: tuple[int, ...]
    token: int
    target: int


class GraphRouteTask(MoveTask[Network, RouteParams]):
    """Closed nodes and one-way lines make the nearest way wrong."""

    name = "graph_route"
    title = "Graph Route"
    description = "Move a token along the lines of a network to the marked node"
    group = "planning"
    puzzle_type = Network
    params_type = RouteParams
    difficulties = {
        "easy": RouteParams(),
        "medium": RouteParams(4, 4, 5, 8, closed=3, detour=1),
        "hard": RouteParams(4, 5, 7, 11, closed=2, one_way=0.5, detour=3),
    }
    video_seconds = 6.0
    cell_px = STEP
    tolerance = 0.25

    def sample(self, rng: Random, params: RouteParams) -> Network:
        cells = [(row, column) for row in range(params.rows) for column in range(params.columns)]
        nodes = tuple(
            (MARGIN + STEP * column + rng.randint(-JITTER, JITTER), MARGIN + STEP * row + rng.randint(-JITTER, JITTER))
            for row, column in cells
        )
        number = {cell: index for index, cell in enumerate(cells)}
        pairs = []
        for row, column in cells:
            beside = [(row, column + 1), (row + 1, column)]
            pairs += [((row, column), other) for other in beside]
            if rng.random() < 0.4:  # at most one of the two diagonals of a square: lines do not cross
                diagonals = [((row, column), (row + 1, column + 1)), ((row, column + 1), (row + 1, column))]
                pairs += [pair for pair in [rng.choice(diagonals)] if pair[0] in number]
        lines = [(number[one], number[two]) for one, two in pairs if two in number and rng.random() < 0.75]
        arrows = [line if rng.random() < 0.5 else line[::-1] for line in lines if rng.random() < params.one_way]
        both = [line for line in lines if line not in arrows and line[::-1] not in arrows]
        for _ in range(12):
            token, target, *closed = rng.sample(range(len(cells)), 2 + params.closed)
            puzzle = Network(nodes, tuple(both), tuple(arrows), tuple(sorted(closed)), token, target)
            with suppress(Uncertified):
                if self._is_wanted(puzzle, params):
                    return puzzle
        raise Uncertified("no way of the wanted length")

    def _is_wanted(self, puzzle: Network, params: RouteParams) -> bool:
        (x0, y0), (x1, y1) = puzzle.nodes[puzzle.token], puzzle.nodes[puzzle.target]
        return (
            hypot(x1 - x0, y1 - y0) > 2 * STEP
            and params.least_moves <= len(self.path(puzzle)) - 1 <= params.most_moves
            and self._count_detour(puzzle) >= params.detour
        )

    def _count_detour(self, puzzle: Network) -> int:
        """Return by how many moves closed nodes and one-way lines make the way longer."""
        plain = replace(puzzle, lines=(*puzzle.lines, *puzzle.arrows), arrows=(), closed=())
        return len(self.path(puzzle)) - len(self.path(plain))

    def measure_difficulty(self, puzzle: Network) -> dict[str, float]:
        return super().measure_difficulty(puzzle) | {"detour": self._count_detour(puzzle)}

    def check_puzzle(self, puzzle: Network) -> None:
        named = {*sum((*puzzle.lines, *puzzle.arrows), ()), *puzzle.closed, puzzle.token, puzzle.target}
        if not named <= set(range(len(puzzle.nodes))):
            raise ValueError(f"no network: a line or a mark names a node that is not there: {puzzle}")

    def prompt(self, puzzle: Network) -> str:
        rules = ["The token moves from node to node along the drawn lines, and never leaves them."]
        if puzzle.arrows:
            rules.append("A line with an arrow can be used in the direction of the arrow only.")
        if puzzle.closed:
            rules.append("Dark nodes with a white cross are closed: the token must not enter them.")
        return (
            f"Move the green token to the node with the red ring. {' '.join(rules)} The network stays as it is. Stop "
            "when the token is on the node with the red ring. The camera does not move."
        )

    def size(self, puzzle: Network) -> tuple[int, int]:
        right, bottom = (max(node[axis] for node in puzzle.nodes) for axis in (0, 1))
        return 2 * ((right + MARGIN) // 2), 2 * ((bottom + MARGIN) // 2)

    def ground(self, puzzle: Network, canvas: Canvas) -> None:
        for one, two in (*puzzle.lines, *puzzle.arrows):
            canvas.line([puzzle.nodes[one], puzzle.nodes[two]], PALETTE.INK, PALETTE.LINE + 1)
        for one, two in puzzle.arrows:
            (x0, y0), (x1, y1) = puzzle.nodes[one], puzzle.nodes[two]
            x, y, length = (x0 + x1) / 2, (y0 + y1) / 2, hypot(x1 - x0, y1 - y0)
            dx, dy = (x1 - x0) / length, (y1 - y0) / length
            tip = [(13, 0), (-9, 11), (-9, -11)]
            canvas.polygon([(x + a * dx - b * dy, y + a * dy + b * dx) for a, b in tip], PALETTE.INK)
        for index, (x, y) in enumerate(puzzle.nodes):
            is_closed, is_target = index in puzzle.closed, index == puzzle.target
            fill = PALETTE.INK if is_closed else PALETTE.BOARD
            if is_target:
                canvas.circle(x, y, NODE + 7, fill=PALETTE.PAPER, stroke=PALETTE.RED, width=5)
            canvas.circle(x, y, NODE, fill, PALETTE.INK, PALETTE.LINE)
            for side in (-7, 7) if is_closed else ():
                canvas.line([(x - 7, y - side), (x + 7, y + side)], PALETTE.PAPER, 5)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.circle(part.x, part.y, NODE - 3, fill=PALETTE.GREEN, stroke=PALETTE.INK, width=PALETTE.LINE)

    def pieces(self, puzzle: Network) -> tuple[Piece, ...]:
        return (Piece("token", "token"),)

    def places(self, puzzle: Network, piece: Piece) -> range:
        return range(len(puzzle.nodes))

    def position(self, puzzle: Network, piece: Piece, place: Any) -> tuple[float, float]:
        return puzzle.nodes[place]

    def start(self, puzzle: Network) -> Arrangement:
        return (puzzle.token,)

    def is_goal(self, puzzle: Network, at: Arrangement) -> bool:
        return at == (puzzle.target,)

    def moves(self, puzzle: Network, at: Arrangement) -> Iterator[Arrangement]:
        return ((other,) for other in _list_ways(puzzle)[at[0]])


@lru_cache(maxsize=256)
def _list_ways(puzzle: Network) -> tuple[tuple[int, ...], ...]:
    """Return the nodes that can be entered from each node."""
    ways: list[list[int]] = [[] for _ in puzzle.nodes]
    for one, two in (*puzzle.lines, *((two, one) for one, two in puzzle.lines), *puzzle.arrows):
        ways[one] += [] if two in puzzle.closed else [two]
    return tuple(map(tuple, ways))


TASK = GraphRouteTask()
