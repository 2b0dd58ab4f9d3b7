"""Pattern row: draw the arrow that is missing in a row that follows a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import perm
from random import Random

from vmevalkit.tasks.kit import PALETTE, Canvas, FillTask, Part, Uncertified, UsageError

CELL, MARGIN = 84, 26
COLOURS = {"red": PALETTE.RED, "blue": PALETTE.BLUE, "green": PALETTE.GREEN, "orange": PALETTE.ORANGE}
TURNS = ("up", "right", "down", "left")
ARROWS = tuple(f"{colour} {turn}" for colour in COLOURS for turn in TURNS)
_ARROW = ((0, -28), (24, -2), (9, -2), (9, 28), (-9, 28), (-9, -2), (-24, -2))


@dataclass(frozen=True, slots=True)
class PatternRowParams:
    """Params of the puzzles."""

    length: int = 4
    period: int = 1
    """Arrows after which colours repeat."""
    is_end_missing: bool = True

    def __post_init__(self) -> None:
        if not (4 <= self.length <= 7 and 1 <= self.period <= 3):
            raise UsageError(f"no row with {self}; length is 4 to 7, period 1 to 3")


@dataclass(frozen=True, slots=True)
class PatternRow:
    """Cells in rows, each with the name of its picture, at first and solved. Where both differ, the cell is blank."""

    rows: int
    columns: int
    start: tuple[str, ...]
    answer: tuple[str, ...]


class PatternRowTask(FillTask[PatternRow, PatternRowParams]):
    """All rules that explain the arrows shown give the same answer."""

    name = "pattern_row"
    title = "Pattern Row"
    description = "Draw the missing picture of a row that follows a rule"
    group = "deduction"
    puzzle_type = PatternRow
    params_type = PatternRowParams
    difficulties = {
        "easy": PatternRowParams(),
        "medium": PatternRowParams(5, 2),
        "hard": PatternRowParams(7, 3, is_end_missing=False),
    }

    def sample(self, rng: Random, params: PatternRowParams) -> PatternRow:
        colours = rng.sample(list(COLOURS), params.period)
        turn, step = rng.randrange(4), rng.randrange(1, 4)
        answer = _make_row(params.length, colours, turn, step)
        missing = params.length - 1 if params.is_end_missing else rng.randrange(params.length)
        start = tuple("" if place == missing else arrow for place, arrow in enumerate(answer))
        return PatternRow(1, params.length, start, answer)

    def capacity(self, params: PatternRowParams) -> int | None:
        """Return the number of colours, first turns and steps where the last arrow is missing; None elsewhere."""
        return 12 * perm(len(COLOURS), params.period) if params.is_end_missing else None

    def check_puzzle(self, puzzle: PatternRow) -> None:
        if not len(puzzle.start) == len(puzzle.answer) == puzzle.rows * puzzle.columns <= 64 or puzzle.rows < 1:
            raise ValueError("start and answer must have rows times columns cells, at most 64")

    def certify(self, puzzle: PatternRow) -> None:
        super().certify(puzzle)
        if puzzle.rows == 1 and set(puzzle.answer) <= set(ARROWS):
            others = {row for row in _list_rows(puzzle.columns) if _fits(row, puzzle.start)}
            if others != {puzzle.answer}:
                raise Uncertified(f"{len(others)} rows explain the arrows that are shown")

    def prompt(self, puzzle: PatternRow) -> str:
        return (
            "The arrows of the row turn by the same angle from each to the next, and their colours repeat. Draw the "
            "missing arrow in the empty cell, like the others. They stay as they are. Stop when the row is complete. "
            "The camera does not move."
        )

    def grid_shape(self, puzzle: PatternRow) -> tuple[int, int]:
        return puzzle.rows, puzzle.columns

    def size(self, puzzle: PatternRow) -> tuple[int, int]:
        return 2 * MARGIN + CELL * puzzle.columns, 2 * MARGIN + CELL * puzzle.rows

    def _middle(self, puzzle: PatternRow, place: int) -> tuple[float, float]:
        row, column = divmod(place, puzzle.columns)
        return MARGIN + CELL * (column + 0.5), MARGIN + CELL * (row + 0.5)

    def ground(self, puzzle: PatternRow, canvas: Canvas) -> None:
        canvas.rectangle(MARGIN - 2, MARGIN - 2, CELL * puzzle.columns + 4, CELL * puzzle.rows + 4, PALETTE.INK)
        for place in range(len(puzzle.start)):
            x, y = self._middle(puzzle, place)
            canvas.rectangle(x - CELL / 2 + 1, y - CELL / 2 + 1, CELL - 2, CELL - 2, PALETTE.PAPER)

    def paint(self, canvas: Canvas, part: Part) -> None:
        colour, _, turn = part.look.partition(" ")
        if turn not in TURNS or colour not in COLOURS:  # a picture of somebody else, known by its name alone
            canvas.text(part.look[:8], part.x, part.y, 16, fill=PALETTE.INK)
            return
        points: Sequence[tuple[float, float]] = _ARROW
        for _ in range(TURNS.index(turn)):
            points = [(-y, x) for x, y in points]
        canvas.polygon([(part.x + x, part.y + y) for x, y in points], COLOURS[colour], PALETTE.INK, PALETTE.LINE)

    def cells(self, puzzle: PatternRow) -> tuple[Part, ...]:
        pairs = enumerate(zip(puzzle.start, puzzle.answer, strict=True))
        return tuple(
            Part(f"c{place}", *self._middle(puzzle, place), before if before == after else "")
            for place, (before, after) in pairs
        )

    def contents(self, puzzle: PatternRow) -> tuple[str, ...]:
        return ARROWS if set(puzzle.answer) <= set(ARROWS) else tuple(dict.fromkeys(puzzle.answer))

    def measure_difficulty(self, puzzle: PatternRow) -> dict[str, float]:
        colours = {arrow.partition(" ")[0] for arrow in puzzle.answer}
        return {
            **super().measure_difficulty(puzzle),
            "colours": len(colours),
            "pictures_shown": sum(map(bool, puzzle.start)),
        }

    def solve(self, puzzle: PatternRow) -> Iterator[Mapping[str, str]]:
        pairs = enumerate(zip(puzzle.start, puzzle.answer, strict=True))
        yield {f"c{place}": after for place, (before, after) in pairs if before != after}


def _make_row(length: int, colours: Sequence[str], turn: int, step: int) -> tuple[str, ...]:
    return tuple(f"{colours[i % len(colours)]} {TURNS[(turn + i * step) % 4]}" for i in range(length))


def _list_rows(length: int) -> Iterator[tuple[str, ...]]:
    """Yield every row that follows a rule."""
    for period in (1, 2, 3):
        for colours in product(COLOURS, repeat=period):
            for turn, step in product(range(4), range(4)):
                yield _make_row(length, colours, turn, step)


def _fits(row: Sequence[str], shown: Sequence[str]) -> bool:
    return all(not arrow or arrow == other for arrow, other in zip(shown, row, strict=True))


TASK = PatternRowTask()
