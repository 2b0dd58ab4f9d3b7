"""Grid maze: go to the red mark through a maze whose walls are cells."""

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

CELL, MARGIN = 48, 28


@dataclass(frozen=True, slots=True)
class GridMazeParams:
    """Params of the puzzles. Rows and columns count the cells that are walls, too."""

    rows: int = 7
    columns: int = 7
    least_moves: int = 6
    most_moves: int = 14

    def __post_init__(self) -> None:
        odd = self.rows % 2 and self.columns % 2 and 5 <= self.rows <= 15 and 5 <= self.columns <= 15
        if not (odd and 4 <= self.least_moves <= self.most_moves):
            raise UsageError(f"no grid maze with {self}; rows and columns are odd, 5 to 15, moves at least 4")


@dataclass(frozen=True, slots=True)
class GridMaze:
    """A maze of cells. Cells are (row, column)."""

    rows: int
    columns: int
    walls: tuple[tuple[int, int], ...]
    start: tuple[int, int]
    goal: tuple[int, int]


class GridMazeTask(MoveTask[GridMaze, GridMazeParams]):
    """The player goes from cell to cell."""

    name = "grid_maze"
    title = "Grid Maze"
    description = "Go through a maze whose walls are cells"
    group = "planning"
    puzzle_type = GridMaze
    params_type = GridMazeParams
    difficulties = {
        "easy": GridMazeParams(),
        "medium": GridMazeParams(9, 9, 10, 18),
        "hard": GridMazeParams(11, 11, 14, 26),
    }
    cell_px = CELL

    def sample(self, rng: Random, params: GridMazeParams) -> GridMaze:
        rooms = [(row, column) for row in range(1, params.rows, 2) for column in range(1, params.columns, 2)]
        free = {rng.choice(rooms)}
        trail = list(free)
        while trail:
            row, column = trail[-1]
            ways = [(row + 2 * dr, column + 2 * dc, row + dr, column + dc) for dr, dc in _STEPS]
            fresh = [way for way in ways if way[:2] in rooms and way[:2] not in free]
            if not fresh:
                trail.pop()
                continue
            to_row, to_column, through_row, through_column = rng.choice(fresh)
            free |= {(to_row, to_column), (through_row, through_column)}
            trail.append((to_row, to_column))
        cells = [(row, column) for row in range(params.rows) for column in range(params.columns)]
        start, goal = rng.sample(rooms, 2)
        puzzle = GridMaze(params.rows, params.columns, tuple(c for c in cells if c not in free), start, goal)
        if not params.least_moves <= len(self.path(puzzle)) - 1 <= params.most_moves:
            raise Uncertified("too short or too long")
        return puzzle

    def check_puzzle(self, puzzle: GridMaze) -> None:
        self.board(puzzle).check()

    def board(self, puzzle: GridMaze) -> BoardLayout:
        return BoardLayout(puzzle.rows, puzzle.columns, "player", puzzle.start, (puzzle.goal,), frozenset(puzzle.walls))

    def prompt(self, puzzle: GridMaze) -> str:
        return (
            "Move the green player step by step through the maze to the red mark. The player moves up, down, left or "
            "right by one cell at a time and cannot enter the dark cells. The maze and the mark stay as they are. Stop "
            "when the player is on the mark. The camera does not move."
        )

    def size(self, puzzle: GridMaze) -> tuple[int, int]:
        return 2 * MARGIN + CELL * puzzle.columns, 2 * MARGIN + CELL * puzzle.rows

    def ground(self, puzzle: GridMaze, canvas: Canvas) -> None:
        wide, high = CELL * puzzle.columns, CELL * puzzle.rows
        canvas.rectangle(MARGIN - 8, MARGIN - 8, wide + 16, high + 16, PALETTE.INK)
        for row in range(puzzle.rows):
            for column in range(puzzle.columns):
                fill = PALETTE.INK if (row, column) in puzzle.walls else PALETTE.BOARD
                canvas.rectangle(MARGIN + CELL * column + 1, MARGIN + CELL * row + 1, CELL - 2, CELL - 2, fill)
        goal_x, goal_y = self.position(puzzle, Piece("player", "player"), puzzle.goal)
        canvas.rectangle(goal_x - 14, goal_y - 14, 28, 28, PALETTE.RED)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.circle(part.x, part.y, 16, fill=PALETTE.GREEN, stroke=PALETTE.INK, width=PALETTE.LINE)

    def pieces(self, puzzle: GridMaze) -> tuple[Piece, ...]:
        return (Piece("player", "player"),)

    def places(self, puzzle: GridMaze, piece: Piece) -> Iterator[tuple[int, int]]:
        return ((row, column) for row in range(puzzle.rows) for column in range(puzzle.columns))

    def position(self, puzzle: GridMaze, piece: Piece, place: Any) -> tuple[float, float]:
        return MARGIN + CELL * (place[1] + 0.5), MARGIN + CELL * (place[0] + 0.5)

    def start(self, puzzle: GridMaze) -> Arrangement:
        return (puzzle.start,)

    def is_goal(self, puzzle: GridMaze, at: Arrangement) -> bool:
        return at[0] == puzzle.goal  # type: ignore[no-any-return]

    def moves(self, puzzle: GridMaze, at: Arrangement) -> Iterator[Arrangement]:
        return ((cell,) for cell in self.board(puzzle).list_neighbours(at[0]))


_STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
TASK = GridMazeTask()
