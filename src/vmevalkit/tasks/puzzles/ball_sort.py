"""Ball sort: move balls from tube to tube until each colour is in a tube of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MoveTask, Part, Piece, Uncertified, UsageError

TUBE, BALL, MARGIN, LIFT, TOP = 84, 46, 34, 40, 78
NAMES = ("red", "blue", "green", "orange", "purple")


@dataclass(frozen=True, slots=True)
class BallParams:
    """Params of the puzzles."""

    colours: int = 2
    empty: int = 1
    """Tubes without balls."""
    least_moves: int = 4
    most_moves: int = 6
    detours: int = 0
    """Moves, at least, that only put a ball aside."""

    def __post_init__(self) -> None:
        if not (2 <= self.colours <= 4 and 1 <= self.empty <= 2 and 4 <= self.least_moves <= self.most_moves):
            raise UsageError(f"no ball sort with {self}; colours are 2 to 4, empty 1 or 2, moves at least 4")


@dataclass(frozen=True, slots=True)
class Tubes:
    """The colours in each tube, from its bottom to its top. There are as many balls of a colour as a tube holds."""

    tubes: tuple[tuple[int, ...], ...]
    depth: int


class BallSortTask(MoveTask[Tubes, BallParams]):
    """Only the top ball of a tube can be taken, and it goes into an empty tube or onto a ball of its colour."""

    name = "ball_sort"
    title = "Ball Sort"
    description = "Move balls from tube to tube until each colour is in a tube of its own"
    group = "planning"
    puzzle_type = Tubes
    params_type = BallParams
    difficulties = {
        "easy": BallParams(3, 2, 4, 6),
        "medium": BallParams(3, 2, 7, 9, 1),
        "hard": BallParams(3, 1, 8, 12, 2),
    }
    video_seconds = 7.0
    cell_px = 150.0
    tolerance = 0.12
    is_free_flight = True
    depth = 3

    def sample(self, rng: Random, params: BallParams) -> Tubes:
        hues = rng.sample(range(len(NAMES)), params.colours)
        balls = [hue for hue in hues for _ in range(self.depth)]
        rng.shuffle(balls)
        full = [tuple(balls[i * self.depth : (i + 1) * self.depth]) for i in range(params.colours)]
        tubes = [*full, *[()] * params.empty]
        rng.shuffle(tubes)
        puzzle = Tubes(tuple(tubes), self.depth)
        least = self.estimate(puzzle, self.start(puzzle))
        if not params.least_moves - 3 - params.detours <= least <= params.most_moves - params.detours:
            raise Uncertified("too short or too long")
        moves = len(self.path(puzzle)) - 1
        if not params.least_moves <= moves <= params.most_moves or moves - least < params.detours:
            raise Uncertified("too short or too long, or no ball must be put aside")
        return puzzle

    def measure_difficulty(self, puzzle: Tubes) -> dict[str, float]:
        detours = len(self.path(puzzle)) - 1 - self.estimate(puzzle, self.start(puzzle))
        return super().measure_difficulty(puzzle) | {"detours": detours}

    def check_puzzle(self, puzzle: Tubes) -> None:
        balls = [ball for tube in puzzle.tubes for ball in tube]
        is_whole = all(balls.count(ball) == puzzle.depth and 0 <= ball < len(NAMES) for ball in balls)
        if not is_whole or any(len(tube) > puzzle.depth for tube in puzzle.tubes):
            raise ValueError(f"no ball sort: {puzzle}")

    def prompt(self, puzzle: Tubes) -> str:
        hues = sorted({ball for tube in puzzle.tubes for ball in tube})
        names = ", ".join(NAMES[hue] for hue in hues[:-1]) + f" and {NAMES[hues[-1]]}"
        return (
            f"Sort the {names} balls: all balls of one colour must end in one tube, without other balls in it. Move "
            "one ball at a time: lift the top ball of a tube and drop it into an empty tube or onto a ball of its own "
            f"colour. A tube holds {puzzle.depth} balls. Tubes stay where they are, and balls keep their colours. Stop "
            "when the balls are sorted. The camera does not move."
        )

    def size(self, puzzle: Tubes) -> tuple[int, int]:
        return 2 * MARGIN + TUBE * len(puzzle.tubes), TOP + BALL * puzzle.depth + 2 * MARGIN

    def ground(self, puzzle: Tubes, canvas: Canvas) -> None:
        bottom = TOP + 14 + BALL * puzzle.depth
        for index in range(len(puzzle.tubes)):
            x, half = MARGIN + TUBE * (index + 0.5), BALL / 2 + 5
            glass = [(x - half, TOP), (x - half, bottom - 8), (x - half + 12, bottom + 6), (x + half - 12, bottom + 6),
                     (x + half, bottom - 8), (x + half, TOP)]  # fmt: skip
            canvas.polygon(glass, PALETTE.BOARD)
            canvas.line(glass, PALETTE.INK, 5)

    def paint(self, canvas: Canvas, part: Part) -> None:
        hue = PALETTE.HUES[int(part.look)]
        canvas.circle(part.x, part.y, BALL / 2 - 3, fill=hue, stroke=PALETTE.INK, width=PALETTE.LINE)

    def pieces(self, puzzle: Tubes) -> tuple[Piece, ...]:
        balls = [ball for tube in puzzle.tubes for ball in tube]
        return tuple(Piece(f"ball{index}", str(ball)) for index, ball in enumerate(balls))

    def places(self, puzzle: Tubes, piece: Piece) -> Iterator[tuple[int, int]]:
        return ((tube, level) for tube in range(len(puzzle.tubes)) for level in range(puzzle.depth))

    def position(self, puzzle: Tubes, piece: Piece, place: Any) -> tuple[float, float]:
        return MARGIN + TUBE * (place[0] + 0.5), TOP + 14 + BALL * (puzzle.depth - place[1] - 0.5)

    def route(self, puzzle: Tubes, before: Part, after: Part, t: float) -> Part:
        up, across, down = before.y - LIFT, abs(after.x - before.x), after.y - LIFT
        way = t * (up + across + down)
        if way < up:
            return replace(before, y=before.y - way)
        if way < up + across:
            return replace(before, x=before.x + (after.x - before.x) * (way - up) / across, y=LIFT)
        return replace(after, y=LIFT + way - up - across)

    def start(self, puzzle: Tubes) -> Arrangement:
        return tuple((index, level) for index, tube in enumerate(puzzle.tubes) for level in range(len(tube)))

    def is_goal(self, puzzle: Tubes, at: Arrangement) -> bool:
        return self.estimate(puzzle, at) == 0

    def estimate(self, puzzle: Tubes, at: Arrangement) -> int:
        """Return how many balls are not at the bottom of a tube, with balls of their colour alone below them."""
        longest: dict[int, int] = {}
        for tube in self._fill_tubes(puzzle, at):
            if tube:
                run = next((level for level, (ball, _) in enumerate(tube) if ball != tube[0][0]), len(tube))
                longest[tube[0][0]] = max(run, longest.get(tube[0][0], 0))
        return len(at) - sum(longest.values())

    def moves(self, puzzle: Tubes, at: Arrangement) -> Iterator[Arrangement]:
        tubes = self._fill_tubes(puzzle, at)
        for tube in filter(None, tubes):
            ball, place = tube[-1]
            for index, other in enumerate(tubes):
                if other is not tube and len(other) < puzzle.depth and (not other or other[-1][0] == ball):
                    yield (*at[:place], (index, len(other)), *at[place + 1 :])

    def _fill_tubes(self, puzzle: Tubes, at: Arrangement) -> list[list[tuple[int, int]]]:
        """Return the colour and the number of each ball in each tube, from its bottom to its top."""
        tubes: list[list[tuple[int, int]]] = [[] for _ in puzzle.tubes]
        balls = [ball for tube in puzzle.tubes for ball in tube]
        for place in sorted(range(len(at)), key=lambda each: at[each][1]):
            tubes[at[place][0]].append((balls[place], place))
        return tubes


TASK = BallSortTask()
