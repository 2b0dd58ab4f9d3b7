"""Puzzles in which parts turn in place: the process matters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from vmevalkit.media.residual import Box
from vmevalkit.tasks.evidence import MotionLimits
from vmevalkit.tasks.kit.move_task import Arrangement, MoveTask, Piece
from vmevalkit.tasks.kit.scene import Part, PartKind, Scene

P = TypeVar("P")
K = TypeVar("K")


class TurnTask(MoveTask[P, K], Generic[P, K]):
    """Parts turn in place, step by step, until the goal is reached. The place of a piece is its number of steps.

    A puzzle file gives ``pieces``, ``centre``, ``start``, ``moves``, ``is_goal``, and how to draw them.
    """

    step_deg: ClassVar[float] = 90.0
    """Degrees of a step."""
    symmetry_deg: ClassVar[float] = 360.0
    """The smallest turn after which a part looks the same, where it is one for all."""
    cell_px = 1.0
    min_moves = 2
    tolerance = 0.15
    motion = MotionLimits(free_steps=0.45, max_steps=0.75, what="a part", unit="degrees", scale=90)

    @abstractmethod
    def centre(self, puzzle: P, piece: Piece) -> tuple[float, float]:
        """Return the point about which a piece turns, in pixels."""

    def symmetry(self, look: str) -> float:
        """Return the smallest turn after which a part of this look looks the same, in degrees."""
        return self.symmetry_deg

    def places(self, puzzle: P, piece: Piece) -> Iterable[int]:
        return range(round(self.symmetry(piece.look) / self.step_deg))

    def position(self, puzzle: P, piece: Piece, place: Any) -> tuple[float, float]:
        return self.centre(puzzle, piece)

    def angle(self, puzzle: P, piece: Piece, place: Any) -> float:
        """Return the angle of a piece, in degrees clockwise."""
        return float(place * self.step_deg % self.symmetry(piece.look))

    def make_part(self, puzzle: P, piece: Piece, place: Any) -> Part:
        return Part(piece.name, *self.centre(puzzle, piece), piece.look, self.angle(puzzle, piece, place))

    def make_kind(self, puzzle: P, piece: Piece) -> PartKind:
        return PartKind((piece.look,), turns=True, symmetry_deg=self.symmetry(piece.look))

    def measure_distance(self, one: Part, other: Part) -> float:
        return abs(self._find_turn(one, other)) / self.step_deg

    def _find_turn(self, before: Part, after: Part) -> float:
        """Return the shortest turn of a part from one angle to another, in degrees."""
        whole = self.symmetry(before.look)
        return (after.angle - before.angle + whole / 2) % whole - whole / 2

    def route(self, puzzle: P, before: Part, after: Part, t: float) -> Part:
        return replace(after, angle=(before.angle + t * self._find_turn(before, after)) % self.symmetry(after.look))

    def turn_each(self, puzzle: P, at: Arrangement, goal: Arrangement) -> tuple[Arrangement, ...]:
        """Return the shortest way to a goal where each piece turns by itself, one piece after another."""
        path = [at]
        for i, piece in enumerate(self.pieces(puzzle)):
            count = len(list(self.places(puzzle, piece)))
            steps = (goal[i] - at[i] + count // 2) % count - count // 2
            for _ in range(abs(steps)):
                last = path[-1]
                path.append((*last[:i], (last[i] + (1 if steps > 0 else -1)) % count, *last[i + 1 :]))
        return tuple(path)

    def deciding_boxes(self, puzzle: P, state: Scene) -> Sequence[Box]:
        return [self.part_box(puzzle, part) for part in state.parts]
