"""Control panel: turn dials until all rules on a card are fulfilled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import cos, radians, sin
from random import Random

from vmevalkit.tasks.kit import (
    PALETTE,
    Arrangement,
    Canvas,
    MotionLimits,
    Part,
    Piece,
    TurnTask,
    Uncertified,
    UsageError,
)

SPACE, CARD, Y, FACE = 190, 84, 200, 58
NUMBERS = 8
"""The numbers of a dial are 0 to 7, 45 degrees apart."""
COLOURS = (PALETTE.RED, PALETTE.BLUE, PALETTE.GREEN, PALETTE.ORANGE)
KINDS = ("numbers", "differences", "sums")
Rule = tuple[int, int, int, int]
"""(dial, sign, other dial, number): the dial's number plus sign times the other's is the number; the other is -1 where
there is none."""


@dataclass(frozen=True, slots=True)
class ControlPanelParams:
    """Params of the puzzles."""

    dials: int = 3  # two to four
    rules: str = "numbers"
    """``numbers``: the card has the number of each dial; ``differences``: of one, and how the others differ from it;
    ``sums``: of none, so that they follow from a sum and differences."""
    is_rotated: bool = False
    """Whether the scale of each dial begins elsewhere, not at the top."""

    def __post_init__(self) -> None:
        if not 2 <= self.dials <= len(COLOURS) or self.rules not in KINDS:
            raise UsageError(f"no control panel with {self}; dials are 2 to 4, rules are {', '.join(KINDS)}")


@dataclass(frozen=True, slots=True)
class ControlPanel:
    """Dials in a row, and the card."""

    start: tuple[int, ...]
    """The number to which each dial points at first."""
    scales: tuple[int, ...]
    """Where the 0 of each dial is, in steps clockwise from the top."""
    rules: tuple[Rule, ...]


class ControlPanelTask(TurnTask[ControlPanel, ControlPanelParams]):
    """Dials turn in either direction, number by number."""

    name = "control_panel"
    title = "Control Panel"
    description = "Turn dials until all rules on a card are fulfilled"
    group = "deduction"
    puzzle_type = ControlPanel
    video_seconds = 6.0
    params_type = ControlPanelParams
    difficulties = {
        "easy": ControlPanelParams(),
        "medium": ControlPanelParams(3, "differences", True),
        "hard": ControlPanelParams(4, "sums", True),
    }
    step_deg = 45.0
    tolerance = 0.25
    min_moves = 4
    may_move_together = True
    motion = MotionLimits(free_steps=0.8, max_steps=1.6, what="a dial", unit="degrees", scale=45)

    def sample(self, rng: Random, params: ControlPanelParams) -> ControlPanel:
        n = params.dials
        goal = [rng.randrange(NUMBERS) for _ in range(n)]
        start = [rng.randrange(NUMBERS) for _ in range(n)]
        scales = [rng.randrange(NUMBERS) if params.is_rotated else 0 for _ in range(n)]
        order = rng.sample(range(n), n) if params.is_rotated else list(range(n))
        rules: list[Rule] = []
        for index, dial in enumerate(order):
            other = order[index - 1]
            if params.rules == "numbers" or (index == 0 and params.rules == "differences"):
                rules.append((dial, 1, -1, goal[dial]))
            else:  # the first rule of sums joins the first dial and the last one
                sign = 1 if index == 0 or (params.rules == "sums" and rng.random() < 0.3) else -1
                rules.append((dial, sign, other, goal[dial] + sign * goal[other]))
        if params.is_rotated:
            rng.shuffle(rules)
        return ControlPanel(tuple(start), tuple(scales), tuple(rules))

    def certify(self, puzzle: ControlPanel) -> None:
        if len(_list_answers(puzzle)) != 1:
            raise Uncertified("the rules leave several answers")
        super().certify(puzzle)

    def check_puzzle(self, puzzle: ControlPanel) -> None:
        dials = range(len(puzzle.start))
        known = all(dial in dials and (other in dials or other == -1) for dial, _, other, _ in puzzle.rules)
        if len(puzzle.scales) != len(dials) or not 2 <= len(dials) <= len(COLOURS) or not known:
            raise ValueError(f"dials and rules do not fit each other: {puzzle}")

    def prompt(self, puzzle: ControlPanel) -> str:
        return (
            "Each dial points to a number from 0 to 7. Turn dials in place, in either direction, until every rule on "
            "the card at the top holds. On the card, a disc stands for the number to which the dial of its colour "
            "points. The card and the numbers stay as they are, and nothing else changes. Stop when all rules hold. "
            "The camera does not move."
        )

    def size(self, puzzle: ControlPanel) -> tuple[int, int]:
        return 30 + SPACE * len(puzzle.start), Y + 106

    def ground(self, puzzle: ControlPanel, canvas: Canvas) -> None:
        canvas.rectangle(20, 18, SPACE * len(puzzle.start) - 10, CARD - 24, PALETTE.BOARD)
        for index, (dial, sign, other, number) in enumerate(puzzle.rules):
            x, y = 15 + SPACE * (index + 0.5), 18 + (CARD - 24) / 2
            marks: list[str | int] = [dial, "=", str(number).replace("-", "\N{MINUS SIGN}")]
            if other >= 0:
                marks[1:1] = ["+" if sign > 0 else "\N{MINUS SIGN}", other]
            for place, mark in enumerate(marks):
                at = x + 32 * (place - (len(marks) - 1) / 2)
                if isinstance(mark, int):
                    canvas.circle(at, y, 12, COLOURS[mark], PALETTE.INK, 2)
                else:
                    canvas.text(mark, at, y, 26, PALETTE.INK)
        for piece, scale in zip(self.pieces(puzzle), puzzle.scales, strict=True):
            x, y = self.centre(puzzle, piece)
            canvas.circle(x, y, FACE, PALETTE.BOARD, PALETTE.INK, PALETTE.LINE)
            for number in range(NUMBERS):
                turn = radians(45 * (number + scale))
                canvas.text(str(number), x + 78 * sin(turn), y - 78 * cos(turn), 22, PALETTE.INK)

    def paint(self, canvas: Canvas, part: Part) -> None:
        dx, dy = sin(radians(part.angle)), -cos(radians(part.angle))
        outline = [(-17, -24), (0, -34), (17, -24), (9, 30), (0, 52), (-9, 30)]
        corners = [(part.x + out * dx - side * dy, part.y + out * dy + side * dx) for side, out in outline]
        canvas.polygon(corners, COLOURS[int(part.look)], PALETTE.INK, 2)
        canvas.line([(part.x + 22 * dx, part.y + 22 * dy), (part.x + 42 * dx, part.y + 42 * dy)], PALETTE.PAPER, 4)

    def pieces(self, puzzle: ControlPanel) -> tuple[Piece, ...]:
        return tuple(Piece(f"dial{index}", str(index)) for index in range(len(puzzle.start)))

    def centre(self, puzzle: ControlPanel, piece: Piece) -> tuple[float, float]:
        return 15 + SPACE * (int(piece.look) + 0.5), Y

    def angle(self, puzzle: ControlPanel, piece: Piece, place: int) -> float:
        return 45.0 * ((place + puzzle.scales[int(piece.look)]) % NUMBERS)

    def start(self, puzzle: ControlPanel) -> Arrangement:
        return puzzle.start

    def is_goal(self, puzzle: ControlPanel, at: Arrangement) -> bool:
        return at in _list_answers(puzzle)

    def moves(self, puzzle: ControlPanel, at: Arrangement) -> Iterator[Arrangement]:
        return ((*at[:i], (at[i] + step) % NUMBERS, *at[i + 1 :]) for i in range(len(at)) for step in (1, -1))

    def find_path(self, puzzle: ControlPanel, at: Arrangement) -> tuple[Arrangement, ...]:
        return self.turn_each(puzzle, at, _list_answers(puzzle)[0])


@lru_cache(maxsize=256)
def _list_answers(puzzle: ControlPanel) -> tuple[Arrangement, ...]:
    """Return all arrangements for which every rule holds, dial by dial."""
    answers: list[Arrangement] = [()]
    for dial in range(len(puzzle.start)):
        known = [rule for rule in puzzle.rules if max(rule[0], rule[2]) == dial]
        longer = ((*answer, number) for answer in answers for number in range(NUMBERS))
        answers = [
            each
            for each in longer
            if all(each[one] + (sign * each[two] if two >= 0 else 0) == number for one, sign, two, number in known)
        ]
    return tuple(answers)


TASK = ControlPanelTask()
