"""Pipe network: turn pieces of pipe until water from the source reaches all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, radians, sin
from random import Random

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, Part, Piece, TurnTask, Uncertified, UsageError

CELL, MARGIN, REACH = 84, 28, 40
"""Side of a square, margin around the board, and length of an arm of a piece, in pixels."""
SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Up, right, down, left: bit 0 to 3 of a piece's openings."""
SHAPES = {"end": 1, "straight": 5, "corner": 3, "tee": 7, "cross": 15}
"""Openings of each shape before it is turned."""
PERIODS = {"straight": 2, "cross": 1}
"""Quarter turns after which a shape looks the same, where they are not four."""
MOST_ANSWERS = 8


@dataclass(frozen=True, slots=True)
class PipeNetworkParams:
    """Params of the puzzles."""

    side: int = 3  # pieces in each row and column
    turned: int = 4  # pieces that are turned away from the answer

    def __post_init__(self) -> None:
        if not (3 <= self.side <= 6 and 2 <= self.turned <= self.side**2 - 1):
            raise UsageError(f"no pipe network with {self}; side is 3 to 6, turned is at least 2 and leaves one piece")


@dataclass(frozen=True, slots=True)
class PipeNetwork:
    """Pieces of pipe on a square board, row by row."""

    side: int
    shapes: tuple[str, ...]
    start: tuple[int, ...]
    """By how many quarter turns each piece is turned at first, clockwise."""
    source: int
    """The piece into which water flows."""


class PipeNetworkTask(TurnTask[PipeNetwork, PipeNetworkParams]):
    """A piece turns by quarters; every network that joins all pieces is right."""

    name = "pipe_network"
    title = "Pipe Network"
    description = "Turn pieces of pipe until water reaches all of them"
    group = "deduction"
    puzzle_type = PipeNetwork
    video_seconds = 9.0
    params_type = PipeNetworkParams
    difficulties = {"easy": PipeNetworkParams(), "medium": PipeNetworkParams(4, 6), "hard": PipeNetworkParams(5, 8)}
    may_move_together = True
    min_moves = 3

    def sample(self, rng: Random, params: PipeNetworkParams) -> PipeNetwork:
        source = rng.randrange(params.side**2)
        shapes, places = zip(*map(_find_shape, _grow_tree(rng, params.side, source)), strict=True)
        can_turn, start = [i for i, shape in enumerate(shapes) if shape != "cross"], list(places)
        for i in rng.sample(can_turn, min(params.turned, len(can_turn))):
            start[i] = (start[i] + rng.randrange(1, _period(shapes[i]))) % _period(shapes[i])
        return PipeNetwork(params.side, shapes, tuple(start), source)

    def certify(self, puzzle: PipeNetwork) -> None:
        if len(_list_answers(puzzle.side, puzzle.shapes)) > MOST_ANSWERS:
            raise Uncertified(f"more than {MOST_ANSWERS} networks join all pieces")
        super().certify(puzzle)

    def check_puzzle(self, puzzle: PipeNetwork) -> None:
        count = puzzle.side**2
        if not (len(puzzle.shapes) == len(puzzle.start) == count <= 36 and {*puzzle.shapes} <= {*SHAPES}):
            raise ValueError(f"pieces and board do not fit each other: {puzzle}")

    def measure_difficulty(self, puzzle: PipeNetwork) -> dict[str, float]:
        return super().measure_difficulty(puzzle) | {"answers": len(_list_answers(puzzle.side, puzzle.shapes))}

    def prompt(self, puzzle: PipeNetwork) -> str:
        return (
            "Water flows into the piece of pipe on the green square. Turn pieces in place, by quarter turns, until all "
            "pieces are joined to one network, so that water reaches every piece and no opening is left. Pieces keep "
            "their places, shapes and colours; nothing else changes. Stop when it is done. The camera does not move."
        )

    def size(self, puzzle: PipeNetwork) -> tuple[int, int]:
        return (2 * MARGIN + CELL * puzzle.side,) * 2

    def ground(self, puzzle: PipeNetwork, canvas: Canvas) -> None:
        for index in range(puzzle.side**2):
            x, y = (round(at - CELL / 2) + 1 for at in self.centre(puzzle, Piece(str(index), "")))
            colour = PALETTE.GREEN if index == puzzle.source else PALETTE.BOARD
            canvas.rectangle(x, y, CELL - 2, CELL - 2, colour)
        span = CELL * puzzle.side
        for line in range(puzzle.side + 1):
            canvas.rectangle(MARGIN + CELL * line - 1, MARGIN - 1, 2, span + 2, PALETTE.SHADE)
            canvas.rectangle(MARGIN - 1, MARGIN + CELL * line - 1, span + 2, 2, PALETTE.SHADE)

    def paint(self, canvas: Canvas, part: Part) -> None:
        arms = [radians(part.angle + 90 * turn) for turn in range(4) if SHAPES[part.look] >> turn & 1]
        knob = 8 if part.look == "end" else 0
        for half, colour in ((13, PALETTE.INK), (9, PALETTE.BLUE)):
            canvas.circle(part.x, part.y, half + knob, colour)
            for way in arms:
                across, down = cos(way), sin(way)
                sides = ((-half, 0), (-half, REACH), (half, REACH), (half, 0))
                canvas.polygon(
                    [(part.x + s * across + out * down, part.y + s * down - out * across) for s, out in sides], colour
                )

    def symmetry(self, look: str) -> float:
        return 90.0 * _period(look)

    def pieces(self, puzzle: PipeNetwork) -> tuple[Piece, ...]:
        return tuple(Piece(str(index), shape) for index, shape in enumerate(puzzle.shapes))

    def centre(self, puzzle: PipeNetwork, piece: Piece) -> tuple[float, float]:
        row, column = divmod(int(piece.name), puzzle.side)
        return MARGIN + CELL * (column + 0.5), MARGIN + CELL * (row + 0.5)

    def start(self, puzzle: PipeNetwork) -> Arrangement:
        return puzzle.start

    def is_goal(self, puzzle: PipeNetwork, at: Arrangement) -> bool:
        return at in _list_answers(puzzle.side, puzzle.shapes)

    def moves(self, puzzle: PipeNetwork, at: Arrangement) -> Iterator[Arrangement]:
        for i, shape in enumerate(puzzle.shapes):
            for turned in {(at[i] + 1) % _period(shape), (at[i] - 1) % _period(shape)} - {at[i]}:
                yield (*at[:i], turned, *at[i + 1 :])

    def find_path(self, puzzle: PipeNetwork, at: Arrangement) -> tuple[Arrangement, ...] | None:
        answers = _list_answers(puzzle.side, puzzle.shapes)
        return min((self.turn_each(puzzle, at, answer) for answer in answers), key=len, default=None)


def _period(shape: str) -> int:
    return PERIODS.get(shape, 4)


def _turn(openings: int, quarters: int) -> int:
    return (openings << quarters | openings >> (4 - quarters)) & 15


def _find_shape(openings: int) -> tuple[str, int]:
    """Return the shape with these openings, and how it is turned."""
    return next((s, turn) for s in SHAPES for turn in range(_period(s)) if _turn(SHAPES[s], turn) == openings)


def _grow_tree(rng: Random, side: int, root: int) -> list[int]:
    """Return the openings of a random network without loops."""
    openings, reached = [0] * side**2, [root]
    while len(reached) < side**2:
        at, turn = rng.choice(reached), rng.randrange(4)
        row, column = at // side + SIDES[turn][0], at % side + SIDES[turn][1]
        to = row * side + column
        if 0 <= row < side and 0 <= column < side and to not in reached:
            openings[at] |= 1 << turn
            openings[to] |= 1 << (turn + 2) % 4
            reached.append(to)
    return openings


@lru_cache(maxsize=256)
def _list_answers(side: int, shapes: tuple[str, ...]) -> tuple[Arrangement, ...]:
    """Return the arrangements that join all pieces, at most one more than are wanted."""
    answers: list[Arrangement] = []

    def fill(places: tuple[int, ...], openings: tuple[int, ...]) -> None:
        at = len(places)
        if at == side**2:
            answers.extend([places] if len(_flood(side, openings)) == at else [])
            return
        wanted = (openings[at - side] >> 2 & 1 if at >= side else 0) | (openings[at - 1] << 2 & 8 if at % side else 0)
        closed = 2 * (at % side == side - 1) | 4 * (at >= side * (side - 1))
        for place in range(_period(shapes[at])):
            each = _turn(SHAPES[shapes[at]], place)
            if each & 9 == wanted and not each & closed and len(answers) <= MOST_ANSWERS:
                fill((*places, place), (*openings, each))

    fill((), ())
    return tuple(answers)


def _flood(side: int, openings: Sequence[int]) -> set[int]:
    """Return the pieces that water from the first one reaches, where all openings meet."""
    reached, queue = {0}, [0]
    while queue:
        at = queue.pop()
        joined = {at + SIDES[turn][0] * side + SIDES[turn][1] for turn in range(4) if openings[at] >> turn & 1}
        queue += joined - reached
        reached |= joined
    return reached


TASK = PipeNetworkTask()
