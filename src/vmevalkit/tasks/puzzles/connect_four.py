"""Connect Four: one disc that wins at once, or that cannot be stopped from winning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError

COLUMNS, ROWS = 7, 6
CELL, MARGIN, RADIUS = 60, 28, 26
GOALS = ("win", "win_among_decoys", "fork")


@dataclass(frozen=True, slots=True)
class ConnectFourParams:
    """Params of the puzzles."""

    goal: str = "win"
    """``win``: the opponent threatens nothing. ``win_among_decoys``: the opponent threatens to win, too, and a hole
    that a disc cannot reach yet would also complete four. ``fork``: no disc wins at once, but one wins next time,
    whatever the opponent does."""
    least_discs: int = 8

    def __post_init__(self) -> None:
        if self.goal not in GOALS or not 6 <= self.least_discs <= 24:
            raise UsageError(f"no position with {self}; goals are {', '.join(GOALS)}, least_discs is 6 to 24")


@dataclass(frozen=True, slots=True)
class ConnectFour:
    """A position of a game that goes on."""

    board: tuple[str, ...]
    """The letters of the discs in each column, from below: r for red, y for yellow."""
    colour: str
    """Whose turn it is: r or y."""
    moves: int
    """In how many own moves the player wins: 1 or 2."""


class ConnectFourTask(FillTask[ConnectFour, ConnectFourParams]):
    """Every best move is accepted."""

    name = "connect_four"
    title = "Connect Four"
    description = "Drop the winning disc"
    group = "deduction"
    puzzle_type = ConnectFour
    params_type = ConnectFourParams
    difficulties = {
        "easy": ConnectFourParams(), "medium": ConnectFourParams("win_among_decoys", 12),
        "hard": ConnectFourParams("fork", 10),
    }  # fmt: skip
    max_answers = COLUMNS

    def sample(self, rng: Random, params: ConnectFourParams) -> ConnectFour:
        board: tuple[str, ...] = ("",) * COLUMNS
        for turn in range(COLUMNS * ROWS):
            wins = _list_wins(board, colour := "ry"[turn % 2])
            if turn >= params.least_discs and _is_wanted(params.goal, board, colour, wins):
                return ConnectFour(board, colour, 2 if params.goal == "fork" else 1)
            free = [c for c in range(COLUMNS) if len(board[c]) < ROWS and c not in wins]
            if not free:
                break
            board = _drop(board, rng.choice(free), colour)
        raise Uncertified("the game ends without such a position")

    def check_puzzle(self, puzzle: ConnectFour) -> None:
        if len(puzzle.board) != COLUMNS or any(len(c) > ROWS or set(c) - set("ry") for c in puzzle.board):
            raise ValueError(f"no board: {puzzle}")
        lead = sum(discs.count("r") - discs.count("y") for discs in puzzle.board)
        if abs(lead) > 1 or puzzle.colour not in ("r", "y") or puzzle.moves not in (1, 2):
            raise ValueError(f"no position of a game: {puzzle}")

    def prompt(self, puzzle: ConnectFour) -> str:
        colour, other = _describe(puzzle.colour), _describe(_other(puzzle.colour))
        aim = (
            f"Add one {colour} disc so that four {colour} discs are side by side in a straight line: in a row, a "
            "column or a diagonal."
            if puzzle.moves == 1
            else f"No disc wins at once. Add one {colour} disc so that, wherever the next {other} disc goes, another "
            f"{colour} disc can then complete four in a straight line. Show only the first of these discs."
        )
        return (
            f"This is a game of Connect Four, and it is {colour}'s turn. {aim} A disc falls to the lowest empty hole "
            "of its column. The other discs stay as they are. Stop after this one disc. The camera does not move."
        )

    def size(self, puzzle: ConnectFour) -> tuple[int, int]:
        return 2 * MARGIN + CELL * COLUMNS, 2 * MARGIN + CELL * ROWS

    def ground(self, puzzle: ConnectFour, canvas: Canvas) -> None:
        canvas.rectangle(MARGIN - 4, MARGIN - 4, CELL * COLUMNS + 8, CELL * ROWS + 8, PALETTE.INK)
        for place in range(COLUMNS * ROWS):
            canvas.paste(_draw_hole(), MARGIN + CELL * (place % COLUMNS), MARGIN + CELL * (place // COLUMNS))

    def paint(self, canvas: Canvas, part: Part) -> None:
        colour = PALETTE.RED if part.look == "red" else PALETTE.YELLOW
        canvas.circle(part.x, part.y, RADIUS, fill=colour, stroke=PALETTE.INK, width=PALETTE.LINE)

    def cells(self, puzzle: ConnectFour) -> tuple[Part, ...]:
        return tuple(
            Part(f"c{column}r{row}", MARGIN + CELL * (column + 0.5), MARGIN + CELL * (ROWS - row - 0.5),
                 _describe(discs[row]) if row < len(discs) else "")
            for column, discs in enumerate(puzzle.board) for row in range(ROWS)
        )  # fmt: skip

    def contents(self, puzzle: ConnectFour) -> tuple[str, ...]:
        return ("red", "yellow")

    def certify(self, puzzle: ConnectFour) -> None:
        super().certify(puzzle)
        if any(_has_four(_list_discs(puzzle.board, colour)) for colour in "ry"):
            raise Uncertified("the game is over")
        if puzzle.moves == 2 and _list_wins(puzzle.board, puzzle.colour):
            raise Uncertified("a disc wins at once")

    def measure_difficulty(self, puzzle: ConnectFour) -> dict[str, float]:
        return {
            **super().measure_difficulty(puzzle),
            "own_moves_to_win": puzzle.moves,
            "discs": sum(map(len, puzzle.board)),
            "threats_of_the_opponent": len(_list_wins(puzzle.board, _other(puzzle.colour))),
            "holes_out_of_reach": _count_decoys(puzzle.board, puzzle.colour),
        }

    def solve(self, puzzle: ConnectFour) -> Iterator[Answer]:
        find = _list_wins if puzzle.moves == 1 else _list_forks
        for column in find(puzzle.board, puzzle.colour):
            yield {f"c{column}r{len(puzzle.board[column])}": _describe(puzzle.colour)}


@lru_cache
def _draw_hole() -> Any:
    cell = Canvas(CELL, CELL)
    cell.rectangle(0, 0, CELL, CELL, PALETTE.SHADE)
    cell.circle(CELL / 2, CELL / 2, RADIUS, fill=PALETTE.PAPER)
    return cell.frame()


def _describe(colour: str) -> str:
    return "red" if colour == "r" else "yellow"


def _other(colour: str) -> str:
    return "y" if colour == "r" else "r"


def _drop(board: tuple[str, ...], column: int, colour: str) -> tuple[str, ...]:
    return (*board[:column], board[column] + colour, *board[column + 1 :])


def _list_discs(board: tuple[str, ...], colour: str) -> int:
    """Return the holes of a colour as bits; a column has seven, the topmost one for no hole."""
    return sum(1 << (7 * c + r) for c, discs in enumerate(board) for r, disc in enumerate(discs) if disc == colour)


def _has_four(discs: int) -> bool:
    pairs = ((discs & discs >> step, step) for step in (1, 6, 7, 8))
    return any(pair & pair >> 2 * step for pair, step in pairs)


def _list_wins(board: tuple[str, ...], colour: str) -> list[int]:
    """Return the columns in which a disc completes four."""
    discs = _list_discs(board, colour)
    return [c for c in range(COLUMNS) if len(board[c]) < ROWS and _has_four(discs | 1 << (7 * c + len(board[c])))]


def _list_forks(board: tuple[str, ...], colour: str) -> list[int]:
    """Return the columns after which the next own disc wins, whatever the opponent does."""
    other, found = _other(colour), []
    for column in range(COLUMNS):
        after = _drop(board, column, colour)
        if len(board[column]) == ROWS or _list_wins(after, other):
            continue
        answers = [_drop(after, c, other) for c in range(COLUMNS) if len(after[c]) < ROWS]
        if answers and all(_list_wins(each, colour) for each in answers):
            found.append(column)
    return found


def _count_decoys(board: tuple[str, ...], colour: str) -> int:
    """Return the number of holes that would complete four, but are out of reach."""
    discs = _list_discs(board, colour)
    holes = [7 * c + r for c in range(COLUMNS) for r in range(len(board[c]) + 1, ROWS)]
    return sum(_has_four(discs | 1 << hole) for hole in holes)


def _is_wanted(goal: str, board: tuple[str, ...], colour: str, wins: list[int]) -> bool:
    if goal == "fork" or not wins:
        return goal == "fork" and not wins and bool(_list_forks(board, colour))
    threats = _list_wins(board, _other(colour))
    return not threats if goal == "win" else bool(threats and _count_decoys(board, colour))


TASK = ConnectFourTask()
