"""A board of cells: what moves on it, where it may go, and which cells look alike."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property

Cell = tuple[int, int]
"""Row and column, from the top left."""
FLOOR, WALL, GOAL = "floor", "wall", "goal"
MOST_CELLS = 1600
Site = tuple[str, tuple[Cell, ...]]
"""Something that must stay: its kind, and its cell, or the two cells that it is between."""


@dataclass(frozen=True)
class BoardLayout:
    """A board as a task describes it to readers of pictures of it. It says nothing of how the board looks."""

    rows: int
    columns: int
    mover: str
    """Name of the piece that moves by itself."""
    start: Cell
    goals: tuple[Cell, ...]
    walls: frozenset[Cell] = frozenset()
    """Cells that may not be entered."""
    closed: frozenset[frozenset[Cell]] = frozenset()
    """Pairs of neighbours with a line between them that may not be crossed."""
    pushed: tuple[tuple[str, Cell], ...] = ()
    """Pieces that the mover pushes onto the goals, and where they start."""

    def check(self) -> None:
        """Raise ValueError where cells are outside of the board, or something stands in a wall."""
        if self.rows * self.columns > MOST_CELLS or min(self.rows, self.columns) < 1:
            raise ValueError(f"{self.rows} x {self.columns} cells are no board; it has at most {MOST_CELLS}")
        every = {(row, column) for row in range(self.rows) for column in range(self.columns)}
        pairs = {cell for pair in self.closed for cell in pair}
        outside = ({*self.starts.values(), *self.goals} | self.walls | pairs) - every
        if outside:
            raise ValueError(f"the cell {min(outside)} is outside of a board of {self.rows} x {self.columns}")
        inside = {*self.starts.values(), *self.goals} & self.walls
        if inside:
            raise ValueError(f"the cell {min(inside)} is a wall, and something stands in it")
        for pair in self.closed:
            cells = sorted(pair)
            if len(cells) != 2 or sum(abs(a - b) for a, b in zip(*cells, strict=True)) != 1:
                raise ValueError(f"the cells {cells} are not neighbours")

    @property
    def starts(self) -> dict[str, Cell]:
        """The cell in which each piece starts."""
        return {self.mover: self.start, **dict(self.pushed)}

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the pieces that must be at the goals at the end."""
        return tuple(name for name, _ in self.pushed) or (self.mover,)

    @cached_property
    def free(self) -> frozenset[Cell]:
        """The cells that may be entered."""
        every = {(row, column) for row in range(self.rows) for column in range(self.columns)}
        return frozenset(every - self.walls)

    @cached_property
    def plain(self) -> tuple[Cell, ...]:
        """Free cells with nothing on them at first."""
        return tuple(sorted(self.free - {*self.starts.values(), *self.goals}))

    def list_neighbours(self, cell: Cell) -> list[Cell]:
        """Return the cells that one legal step leads to."""
        row, column = cell
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [other for other in near if other in self.free and frozenset((cell, other)) not in self.closed]

    def count_steps(self, start: Cell, end: Cell, most: int | None = None) -> int | None:
        """Return the fewest legal steps from one cell to another; None where there is no way of at most ``most``."""
        steps, queue = {start: 0}, deque([start])
        while queue:
            at = queue.popleft()
            if at == end:
                return steps[at]
            if most is not None and steps[at] >= most:
                continue
            for other in self.list_neighbours(at):
                if other not in steps:
                    steps[other] = steps[at] + 1
                    queue.append(other)
        return None

    def list_sites(self) -> list[Site]:
        """Return what must stay: all cells where cells are walls, else what is between cells, and the goals."""
        cells = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        if not self.closed:
            return [(self.get_kind(cell), (cell,)) for cell in cells]
        sites: list[Site] = []
        for row, column in cells:
            for other in ((row, column + 1), (row + 1, column)):
                if other[0] < self.rows and other[1] < self.columns:
                    kind = WALL if frozenset(((row, column), other)) in self.closed else FLOOR
                    sites.append((kind, ((row, column), other)))
        return sites + [(GOAL, (goal,)) for goal in self.goals]

    def get_kind(self, cell: Cell) -> str:
        """Return what a cell looks like, without pieces on it."""
        return WALL if cell in self.walls else GOAL if cell in self.goals else FLOOR
