"""Tower of Hanoi: bring all discs onto the marked peg."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MoveTask, Part, Piece, Uncertified, UsageError

WIDTH, HEIGHT, BASE, THICK, LIFT = 560, 360, 290, 28, 70
PEGS = (110, 280, 450)


@dataclass(frozen=True, slots=True)
class HanoiParams:
    """Params of the puzzles."""

    discs: int = 3
    least_moves: int = 4
    most_moves: int = 7

    def __post_init__(self) -> None:
        if not (2 <= self.discs <= 5 and 4 <= self.least_moves <= self.most_moves):
            raise UsageError(f"no Tower of Hanoi with {self}; discs are 2 to 5, moves at least 4")


@dataclass(frozen=True, slots=True)
class Hanoi:
    """Where the discs are at first, the largest first, and the peg they must go to."""

    pegs: tuple[int, ...]
    goal: int


class HanoiTask(MoveTask[Hanoi, HanoiParams]):
    """One disc moves at a time, never onto a smaller one."""

    name = "hanoi"
    title = "Tower of Hanoi"
    description = "Bring all discs onto the marked peg"
    group = "planning"
    puzzle_type = Hanoi
    video_seconds = 8.0
    params_type = HanoiParams
    difficulties = {"easy": HanoiParams(), "medium": HanoiParams(4, 6, 10), "hard": HanoiParams(5, 9, 14)}
    cell_px = 170.0
    tolerance = 0.08
    is_free_flight = True

    def sample(self, rng: Random, params: HanoiParams) -> Hanoi:
        return rng.choice(self.catalogue(params))

    def catalogue(self, params: HanoiParams) -> Sequence[Hanoi]:
        every = [Hanoi(pegs, goal) for pegs in product(range(3), repeat=params.discs) for goal in range(3)]
        return [p for p in every if params.least_moves <= _count_moves(p) <= params.most_moves]

    def check_puzzle(self, puzzle: Hanoi) -> None:
        if not (2 <= len(puzzle.pegs) <= 5 and {*puzzle.pegs, puzzle.goal} <= {0, 1, 2}):
            raise ValueError(f"no Tower of Hanoi: {puzzle}")

    def certify(self, puzzle: Hanoi) -> None:
        super().certify(puzzle)
        if len(self.path(puzzle)) - 1 != _count_moves(puzzle):
            raise Uncertified("the search and the formula disagree on the number of moves")

    def prompt(self, puzzle: Hanoi) -> str:
        return (
            "Move all discs onto the peg with the red mark. Move one disc at a time: lift the top disc of a peg and "
            "put it down on "
            "another peg, never on a smaller disc. Pegs and discs keep their sizes and colours. Stop when all discs "
            "are on "
            "the marked peg. The camera does not move."
        )

    def size(self, puzzle: Hanoi) -> tuple[int, int]:
        return WIDTH, HEIGHT

    def ground(self, puzzle: Hanoi, canvas: Canvas) -> None:
        canvas.rectangle(20, BASE, WIDTH - 40, 16, PALETTE.INK)
        for x in PEGS:
            canvas.rectangle(x - 5, BASE - 6 * THICK, 10, 6 * THICK, PALETTE.SHADE)
        x = PEGS[puzzle.goal]
        canvas.polygon([(x, BASE + 24), (x + 16, BASE + 50), (x - 16, BASE + 50)], PALETTE.RED)

    def paint(self, canvas: Canvas, part: Part) -> None:
        size = int(part.look)
        half, top = 26 + 11 * size, THICK / 2 - 3
        ends = [(part.x - half, part.y), (part.x + half, part.y)]
        canvas.line(ends, PALETTE.INK, 2 * top)
        canvas.line(ends, PALETTE.HUES[size], 2 * top - 5)

    def pieces(self, puzzle: Hanoi) -> tuple[Piece, ...]:
        n = len(puzzle.pegs)
        return tuple(Piece(f"disc{n - i}", str(n - i - 1)) for i in range(n))

    def places(self, puzzle: Hanoi, piece: Piece) -> Iterator[tuple[int, int]]:
        return ((peg, level) for peg in range(3) for level in range(len(puzzle.pegs)))

    def position(self, puzzle: Hanoi, piece: Piece, place: Any) -> tuple[float, float]:
        return PEGS[place[0]], BASE - THICK * (place[1] + 0.5)

    def route(self, puzzle: Hanoi, before: Part, after: Part, t: float) -> Part:
        up, across, down = before.y - LIFT, abs(after.x - before.x), after.y - LIFT
        way = t * (up + across + down)
        if way < up:
            return replace(before, y=before.y - way)
        if way < up + across:
            return replace(before, x=before.x + (after.x - before.x) * (way - up) / across, y=LIFT)
        return replace(after, y=LIFT + way - up - across)

    def start(self, puzzle: Hanoi) -> Arrangement:
        return tuple((peg, puzzle.pegs[:i].count(peg)) for i, peg in enumerate(puzzle.pegs))

    def is_possible(self, puzzle: Hanoi, at: Arrangement) -> bool:
        return at == tuple((peg, [other for other, _ in at[:i]].count(peg)) for i, (peg, _) in enumerate(at))

    def is_goal(self, puzzle: Hanoi, at: Arrangement) -> bool:
        return all(peg == puzzle.goal for peg, _ in at) and [level for _, level in at] == list(range(len(at)))

    def moves(self, puzzle: Hanoi, at: Arrangement) -> Iterator[Arrangement]:
        pegs = [peg for peg, _ in at]
        for disc, peg in enumerate(pegs):
            if peg in pegs[disc + 1 :]:
                continue  # a smaller disc is on it
            for to in range(3):
                if to != peg and to not in pegs[disc + 1 :]:
                    yield (*at[:disc], (to, pegs[:disc].count(to)), *at[disc + 1 :])


def _count_moves(puzzle: Hanoi) -> int:
    """Return the fewest moves: a disc that is not where it must go costs as many as all smaller discs, plus one."""
    goal, count = puzzle.goal, 0
    for disc, peg in enumerate(puzzle.pegs):
        if peg != goal:
            count += 2 ** (len(puzzle.pegs) - disc - 1)
            goal = 3 - peg - goal
    return count


TASK = HanoiTask()
