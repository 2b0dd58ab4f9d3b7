"""Tic-tac-toe: one move that wins at once, or that cannot be stopped from winning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_grid

CELL, MARGIN = 104, 28
LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip
GOALS = ("win", "win_not_block", "fork")


@dataclass(frozen=True, slots=True)
class TicTacToeParams:
    """Params of the puzzles."""

    goal: str = "win"
    """``win``: the opponent threatens nothing. ``win_not_block``: the opponent threatens to win, too. ``fork``: no move
    wins at once, but one wins next time, whatever the opponent does."""

    def __post_init__(self) -> None:
        if self.goal not in GOALS:
            raise UsageError(f"no goal {self.goal!r}; choose one of {', '.join(GOALS)}")


@dataclass(frozen=True, slots=True)
class TicTacToe:
    """A position of a game that goes on."""

    board: str
    """Nine letters row by row: X, O or a dot."""
    mark: str
    """Whose turn it is."""
    moves: int
    """In how many own moves the player wins: 1 or 2."""


class TicTacToeTask(FillTask[TicTacToe, TicTacToeParams]):
    """Every best move is accepted."""

    name = "tic_tac_toe"
    title = "Tic-Tac-Toe"
    description = "Make the winning move"
    group = "deduction"
    puzzle_type = TicTacToe
    params_type = TicTacToeParams
    difficulties = {
        "easy": TicTacToeParams(),
        "medium": TicTacToeParams("win_not_block"),
        "hard": TicTacToeParams("fork"),
    }
    max_answers = 9

    def sample(self, rng: Random, params: TicTacToeParams) -> TicTacToe:
        return rng.choice(self.catalogue(params))

    def catalogue(self, params: TicTacToeParams) -> Sequence[TicTacToe]:
        return _list_positions(params.goal)

    def check_puzzle(self, puzzle: TicTacToe) -> None:
        counts = puzzle.board.count("X"), puzzle.board.count("O")
        if len(puzzle.board) != 9 or set(puzzle.board) - set("XO.") or puzzle.mark not in ("X", "O"):
            raise ValueError(f"no board: {puzzle}")
        if abs(counts[0] - counts[1]) > 1 or puzzle.moves not in (1, 2):
            raise ValueError(f"no position of a game: {puzzle}")

    def prompt(self, puzzle: TicTacToe) -> str:
        mark, other = _describe_mark(puzzle.mark), _describe_mark(_other(puzzle.mark))
        aim = (
            f"Add one {mark} on an empty square so that three of them are in a straight line: a row, a column or a "
            "diagonal."
            if puzzle.moves == 1
            else f"No move wins at once. Add one {mark} on an empty square so that, wherever the next {other} is "
            f"placed, a second {mark} can then complete three in a straight line: a row, a column or a diagonal. Show "
            "only the first of these moves."
        )
        return (
            f"This is a game of tic-tac-toe, and it is {puzzle.mark}'s turn. {aim} The marks that are there stay as "
            "they are. Stop after this one move. The camera does not move."
        )

    def size(self, puzzle: TicTacToe) -> tuple[int, int]:
        return (2 * MARGIN + 3 * CELL,) * 2

    def ground(self, puzzle: TicTacToe, canvas: Canvas) -> None:
        draw_grid(canvas, MARGIN, MARGIN, 3, 3, CELL)

    def paint(self, canvas: Canvas, part: Part) -> None:
        for width, colours in ((17, (PALETTE.INK, PALETTE.INK)), (11, (PALETTE.RED, PALETTE.BLUE))):
            if part.look == "O":
                canvas.circle(part.x, part.y, 31, stroke=colours[0], width=width)
            else:
                for side in (-1, 1):
                    ends = [(part.x - 27, part.y - 27 * side), (part.x + 27, part.y + 27 * side)]
                    canvas.line(ends, colours[1], width)

    def cells(self, puzzle: TicTacToe) -> tuple[Part, ...]:
        return tuple(
            Part(f"r{i // 3}c{i % 3}", MARGIN + CELL * (i % 3 + 0.5), MARGIN + CELL * (i // 3 + 0.5),
                 mark.replace(".", ""))
            for i, mark in enumerate(puzzle.board)
        )  # fmt: skip

    def contents(self, puzzle: TicTacToe) -> tuple[str, ...]:
        return ("O", "X")

    def certify(self, puzzle: TicTacToe) -> None:
        super().certify(puzzle)
        if any(_has_line(puzzle.board, mark) for mark in "XO"):
            raise Uncertified("the game is over")
        if puzzle.moves == 2 and _list_wins(puzzle.board, puzzle.mark):
            raise Uncertified("a move wins at once")

    def measure_difficulty(self, puzzle: TicTacToe) -> dict[str, float]:
        return {
            **super().measure_difficulty(puzzle),
            "own_moves_to_win": puzzle.moves,
            "free_squares": puzzle.board.count("."),
            "threats_of_the_opponent": len(_list_wins(puzzle.board, _other(puzzle.mark))),
        }

    def solve(self, puzzle: TicTacToe) -> Iterator[Answer]:
        find = _list_wins if puzzle.moves == 1 else _list_forks
        for place in find(puzzle.board, puzzle.mark):
            yield {f"r{place // 3}c{place % 3}": puzzle.mark}


def _describe_mark(mark: str) -> str:
    return "blue X" if mark == "X" else "red O"


def _other(mark: str) -> str:
    return "O" if mark == "X" else "X"


def _has_line(board: str, mark: str) -> bool:
    return any(all(board[i] == mark for i in line) for line in LINES)


def _put(board: str, place: int, mark: str) -> str:
    return board[:place] + mark + board[place + 1 :]


def _list_free(board: str) -> list[int]:
    return [place for place, mark in enumerate(board) if mark == "."]


def _list_wins(board: str, mark: str) -> list[int]:
    return [place for place in _list_free(board) if _has_line(_put(board, place, mark), mark)]


def _list_forks(board: str, mark: str) -> list[int]:
    """Return the moves after which the next own move wins, whatever the opponent does."""
    other, found = _other(mark), []
    for place in _list_free(board):
        after = _put(board, place, mark)
        answers = [_put(after, answer, other) for answer in _list_free(after)]
        if answers and all(_list_wins(each, mark) and not _has_line(each, other) for each in answers):
            found.append(place)
    return found


@lru_cache
def _list_positions(goal: str) -> tuple[TicTacToe, ...]:
    found = []
    for marks in product("XO.", repeat=9):
        board = "".join(marks)
        lead = board.count("X") - board.count("O")  # X begins
        if lead not in (0, 1) or any(_has_line(board, mark) for mark in "XO"):
            continue
        mark = "O" if lead else "X"
        wins, threats = _list_wins(board, mark), _list_wins(board, _other(mark))
        if goal == "fork":
            if not wins and _list_forks(board, mark):
                found.append(TicTacToe(board, mark, 2))
        elif wins and bool(threats) == (goal == "win_not_block"):
            found.append(TicTacToe(board, mark, 1))
    return tuple(found)


TASK = TicTacToeTask()
