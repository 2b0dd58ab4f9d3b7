"""Line maze: go to the red mark through a maze whose walls are lines between cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from vmevalkit.tasks.kit import (
    PALETTE,
    Arrangement,
    BoardLayout,
    Canvas,
    MoveTask,
    Part,
    Piece,
    Uncertified,
    UsageError,
)

CELL, MARGIN, WALL_PX = 64, 32, 6


@dataclass(frozen=True, slots=True)
class LineMazeParams:
    """Params of the puzzles."""

    rows: int = 4
    columns: int = 4
    least_moves: int = 5
    most_moves: int = 10

    def __post_init__(self) -> None:
        if not (3 <= self.rows <= 8 and 3 <= self.columns <= 8 and 4 <= self.least_moves <= self.most_moves):
            raise UsageError(f"no line maze with {self}; rows and columns are 3 to 8, moves at least 4")


@dataclass(frozen=True, slots=True)
class LineMaze:
    """A maze with walls between cells. Cells are (row, column)."""

    rows: int
    columns: int
    closed: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
    """Pairs of neighbours with a wall between them. The border is closed."""
    start: tuple[int, int]
    goal: tuple[int, int]


class LineMazeTask(MoveTask[LineMaze, LineMazeParams]):
    """The player goes from cell to cell; there is one way."""

    name = "line_maze"
    title = "Line Maze"
    description = "Go through a maze whose walls are lines"
    group = "planning"
    puzzle_type = LineMaze
    params_type = LineMazeParams
    difficulties = {
        "easy": LineMazeParams(),
        "medium": LineMazeParams(5, 5, 8, 16),
        "hard": LineMazeParams(6, 6, 12, 24),
    }
    cell_px = CELL

    def sample(self, rng: Random, params: LineMazeParams) -> LineMaze:
        cells = [(row, column) for row in range(params.rows) for column in range(params.columns)]
        pairs = [(a, b) for a in cells for b in ((a[0], a[1] + 1), (a[0] + 1, a[1])) if b in cells]
        trail, reached, opened = [cells[0]], {cells[0]}, set()
        while trail:
            fresh = [p for p in pairs if trail[-1] in p and len(reached & set(p)) == 1]
            if not fresh:
                trail.pop()
                continue
            pair = rng.choice(fresh)
            opened.add(pair)
            trail.append(pair[1] if pair[0] in reached else pair[0])
            reached.add(trail[-1])
        start, goal = rng.sample(cells, 2)
        puzzle = LineMaze(params.rows, params.columns, tuple(p for p in pairs if p not in opened), start, goal)
        if not params.least_moves <= len(self.path(puzzle)) - 1 <= params.most_moves:
            raise Uncertified("too short or too long")
        return puzzle

    def check_puzzle(self, puzzle: LineMaze) -> None:
        self.board(puzzle).check()

    def board(self, puzzle: LineMaze) -> BoardLayout:
        closed = frozenset(frozenset(pair) for pair in puzzle.closed)
        return BoardLayout(puzzle.rows, puzzle.columns, "player", puzzle.start, (puzzle.goal,), closed=closed)

    def prompt(self, puzzle: LineMaze) -> str:
        return (
            "Move the green player step by step through the maze to the red mark. The player moves up, down, left or "
            "right by one cell at a time and cannot cross the dark walls. Walls and mark stay as they are. Stop when "
            "the player is on the mark. The camera does not move."
        )

    def size(self, puzzle: LineMaze) -> tuple[int, int]:
        return 2 * MARGIN + CELL * puzzle.columns, 2 * MARGIN + CELL * puzzle.rows

    def ground(self, puzzle: LineMaze, canvas: Canvas) -> None:
        right, bottom = MARGIN + CELL * puzzle.columns, MARGIN + CELL * puzzle.rows
        canvas.rectangle(MARGIN, MARGIN, right - MARGIN, bottom - MARGIN, PALETTE.BOARD)
        border = [(MARGIN, MARGIN), (right, MARGIN), (right, bottom), (MARGIN, bottom), (MARGIN, MARGIN)]
        canvas.line(border, PALETTE.INK, WALL_PX)
        reach = CELL / 2
        for (row, column), (_, other) in puzzle.closed:
            x, y = MARGIN + CELL * (column + 1), MARGIN + CELL * (row + 1)
            if other != column:
                canvas.line([(x, y - CELL / 2 - reach), (x, y - CELL / 2 + reach)], PALETTE.INK, WALL_PX)
            else:
                canvas.line([(x - CELL / 2 - reach, y), (x - CELL / 2 + reach, y)], PALETTE.INK, WALL_PX)
        goal_x, goal_y = self.position(puzzle, Piece("player", "player"), puzzle.goal)
        canvas.rectangle(goal_x - 14, goal_y - 14, 28, 28, PALETTE.RED)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.circle(part.x, part.y, 18, fill=PALETTE.GREEN, stroke=PALETTE.INK, width=PALETTE.LINE)

    def pieces(self, puzzle: LineMaze) -> tuple[Piece, ...]:
        return (Piece("player", "player"),)

    def places(self, puzzle: LineMaze, piece: Piece) -> Iterator[tuple[int, int]]:
        return ((row, column) for row in range(puzzle.rows) for column in range(puzzle.columns))

    def position(self, puzzle: LineMaze, piece: Piece, place: Any) -> tuple[float, float]:
        return MARGIN + CELL * (place[1] + 0.5), MARGIN + CELL * (place[0] + 0.5)

    def start(self, puzzle: LineMaze) -> Arrangement:
        return (puzzle.start,)

    def is_goal(self, puzzle: LineMaze, at: Arrangement) -> bool:
        return at[0] == puzzle.goal  # type: ignore[no-any-return]

    def moves(self, puzzle: LineMaze, at: Arrangement) -> Iterator[Arrangement]:
        return ((cell,) for cell in self.board(puzzle).list_neighbours(at[0]))


TASK = LineMazeTask()
