"""Puzzles in which pieces move by legal moves: the process matters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise, product
from math import hypot, inf
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from vmevalkit.core.errors import Uncertified
from vmevalkit.media.residual import Box
from vmevalkit.tasks.evidence import MotionLimits
from vmevalkit.tasks.kit.board_layout import BoardLayout
from vmevalkit.tasks.kit.legality import MoveFollower, check_moves
from vmevalkit.tasks.kit.picture_task import PictureTask
from vmevalkit.tasks.kit.question_pictures import PictureRecord, Pictures, UnreadablePictures
from vmevalkit.tasks.kit.scene import Part, PartKind, Scene, Stage
from vmevalkit.tasks.kit.scene_task import PRESENT, SceneTask
from vmevalkit.tasks.kit.search import find_path
from vmevalkit.tasks.task import PROCESS_MATTERS, CheckResult, StateTrajectory, Trace

P = TypeVar("P")
K = TypeVar("K")

Place = Hashable
"""Where a piece can be, in the puzzle's own terms, such as (row, column); None means that it was taken away."""
Arrangement = tuple[Any, ...]
"""The place of each piece, in the order of the pieces."""
REST_SHARE = 0.2
"""Share of the time of a move for which the pieces rest after it, in the reference solution."""
NEAR = 0.75
"""How far from a place, in steps, a piece may be to count as nearest to it, for progress."""
_MAX_CANDIDATES = 64
_SAMPLES = tuple(index / 10 for index in range(11))
_CLEARLY_ILLEGAL = 0.4
"""Share of a shortcut that no legal move explains."""
_CLEARLY_ASIDE, _HARDLY_ASIDE = 0.8, 0.25
"""How far from its way, in steps, a piece must be so that everybody sees it, and may be so that nobody does."""


_FIELD_MARGIN = 0.12
"""By which share of a part a field behind it may reach beyond it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that can be moved."""

    name: str
    look: str


class MoveTask(SceneTask[P, K], Generic[P, K]):
    """Pieces move from place to place until the goal is reached, and every move must be legal and visible.

    A puzzle file gives ``pieces``, ``start``, ``moves``, ``is_goal``, ``places`` and ``position``, and how to draw
    them.
    """

    tricks = PROCESS_MATTERS
    motion = MotionLimits(free_steps=0.85, max_steps=2.6, what="a piece", unit="cells")
    may_have_trails = True
    cell_px: ClassVar[float]
    """Length of a step, in pixels of the drawn picture."""
    min_moves: ClassVar[int] = 4
    """Moves that a puzzle needs at least: a cut must not look like a few quick moves."""
    tolerance: ClassVar[float] = 0.4
    """How far from a place, in steps, a piece may be and still be there."""
    is_free_flight: ClassVar[bool] = False
    """Whether a piece may be anywhere while it moves: it is lifted, not pushed."""
    may_move_together: ClassVar[bool] = False
    """Whether pieces may move at the same time by moves that do not concern each other."""

    @abstractmethod
    def pieces(self, puzzle: P) -> tuple[Piece, ...]:
        """Return all pieces in drawing order."""

    @abstractmethod
    def start(self, puzzle: P) -> Arrangement: ...

    @abstractmethod
    def moves(self, puzzle: P, at: Arrangement) -> Iterable[Arrangement]:
        """Return what one legal move leads to."""

    @abstractmethod
    def is_goal(self, puzzle: P, at: Arrangement) -> bool: ...

    @abstractmethod
    def places(self, puzzle: P, piece: Piece) -> Iterable[Place]:
        """Return every place where the piece could be drawn, legal or not, and None where it can be taken away."""

    @abstractmethod
    def position(self, puzzle: P, piece: Piece, place: Any) -> tuple[float, float]:
        """Return the middle of a piece at a place, in pixels."""

    def estimate(self, puzzle: P, at: Arrangement) -> int:
        """Return a number of moves that the way to the goal has at least: the search is as much faster as it is
        close."""
        return 0

    def is_possible(self, puzzle: P, at: Arrangement) -> bool:
        """Return whether pieces could be arranged like this at all, such as the hands of a clock; by default always."""
        return True

    def find_path(self, puzzle: P, at: Arrangement) -> tuple[Arrangement, ...] | None:
        """Return a shortest solution from an arrangement; None where there is none. By default it is searched for; a
        puzzle with too many arrangements to search says how it is solved."""
        return find_path(
            at,
            lambda each: self.moves(puzzle, each),
            lambda each: self.is_goal(puzzle, each),
            lambda each: self.estimate(puzzle, each),
        )

    def board(self, puzzle: P) -> BoardLayout | None:
        """Return the board where pieces move on cells, so that pictures made by others can be read; None otherwise.

        The places of all pieces are then (row, column)."""
        return None

    def calibrate(self, puzzle: P, pictures: Pictures) -> tuple[PictureTask, PictureRecord]:
        """Return the task that reads a question by its own pictures, and their record with the box of the board.

        Raises UnreadablePictures with the reason where they cannot be read as this puzzle."""
        from vmevalkit.tasks.kit.board_pictures import calibrate_board

        layout = self.board(puzzle)
        if layout is None:
            raise UnreadablePictures(f"rules of {self.name} read only the pictures that it draws itself")
        return calibrate_board(self, puzzle, layout, pictures)

    def route(self, puzzle: P, before: Part, after: Part, t: float) -> Part:
        """Return a piece on its way, from 0 to 1; by default it moves straight."""
        return replace(after, x=before.x + t * (after.x - before.x), y=before.y + t * (after.y - before.y))

    # -- arrangements and scenes ---------------------------------------------------------------------------------

    def make_part(self, puzzle: P, piece: Piece, place: Any) -> Part:
        """Return a piece at a place as a part of the scene."""
        return Part(piece.name, *self.position(puzzle, piece, place), piece.look)

    def make_kind(self, puzzle: P, piece: Piece) -> PartKind:
        return PartKind(tuple(dict.fromkeys((piece.look, *(other.look for other in self.pieces(puzzle))))), moves=True)

    def measure_distance(self, one: Part, other: Part) -> float:
        """Return how far two positions of a piece are from each other, in steps."""
        return hypot(one.x - other.x, one.y - other.y) / self.cell_px

    def lay_out(self, puzzle: P, at: Arrangement) -> tuple[Part, ...]:
        """Return the parts of an arrangement."""
        return _lay_out(self, puzzle, at)

    def make_stage(self, puzzle: P) -> Stage:
        start = Scene(self.lay_out(puzzle, self.start(puzzle)))
        kinds = {piece.name: self.make_kind(puzzle, piece) for piece in self.pieces(puzzle)}
        return Stage(self.size(puzzle), lambda canvas: self.ground(puzzle, canvas), self.paint, start, kinds)

    def move_between(self, puzzle: P, before: Arrangement, after: Arrangement, t: float) -> Scene:
        """Return the scene during a move."""
        ends = {part.name: part for part in self.lay_out(puzzle, after)}
        parts = []
        for part in self.lay_out(puzzle, before):
            end = ends.get(part.name)
            if end is None:
                parts += [part] if t < 1 else []  # it is taken away as the move ends
            else:
                parts.append(part if t <= 0 or end == part else end if t >= 1 else self.route(puzzle, part, end, t))
        return Scene(tuple(parts))

    def play(self, puzzle: P, path: Sequence[Arrangement], t: float, rest: float = REST_SHARE) -> Scene:
        """Return the scene at a time of a sequence of moves."""
        position = min(max(t, 0.0), 1.0) * (len(path) - 1)
        index = min(int(position), len(path) - 2)
        return self.move_between(puzzle, path[index], path[index + 1], min((position - index) / (1 - rest), 1.0))

    def path(self, puzzle: P) -> tuple[Arrangement, ...]:
        """Return a shortest solution. Raises Uncertified where there is none."""
        path = _find_path(self, puzzle, self.start(puzzle))
        if path is None:
            raise Uncertified("no moves lead to the goal")
        return path

    def candidates(
        self, puzzle: P, state: Scene, tolerance: float | None = None, lifted: str = ""
    ) -> Iterator[Arrangement]:
        """Yield the arrangements that a scene may show: each piece is at a place that is near enough; one that is
        lifted may come down anywhere."""
        reach = self.tolerance if tolerance is None else tolerance
        options: list[list[Any]] = []
        for piece in self.pieces(puzzle):
            part = state.get(piece.name)
            if part is None:
                options.append([None] if None in set(self.places(puzzle, piece)) else [])
                continue
            most = inf if piece.name == lifted else reach
            near = [
                (distance, index, place)
                for index, (place, other) in enumerate(_list_places(self, puzzle, piece))
                if (distance := self.measure_distance(part, other)) <= most
            ]
            options.append([place for _, _, place in sorted(near)])
        yield from (at for at in islice(product(*options), _MAX_CANDIDATES) if self.is_possible(puzzle, at))

    # -- the contract --------------------------------------------------------------------------------------------

    def certify(self, puzzle: P) -> None:
        moves = len(self.path(puzzle)) - 1
        if moves < self.min_moves:
            raise Uncertified(f"solved in {moves} moves; at least {self.min_moves} are wanted")

    def measure_difficulty(self, puzzle: P) -> dict[str, float]:
        path = self.path(puzzle)
        choices = [len(set(self.moves(puzzle, at))) for at in path[:-1]]
        return {"moves": len(path) - 1, "choices_per_move": round(sum(choices) / len(choices), 2)}

    def solution(self, puzzle: P, t: float) -> Scene:
        return self.play(puzzle, self.path(puzzle), t)

    def accepted(self, puzzle: P, state: Scene) -> bool:
        if state.extra or state.hidden or any(part.opacity < PRESENT for part in state.parts):
            return False
        return any(self.is_goal(puzzle, at) for at in self.candidates(puzzle, state))

    def progress(self, puzzle: P, state: Scene) -> float:
        left = self._count_moves_left(puzzle, state)
        damage = len(state.extra) / len(self.pieces(puzzle))
        return min(max(1 - left / (len(self.path(puzzle)) - 1) - damage, 0.0), 1.0)

    def _count_moves_left(self, puzzle: P, state: Scene) -> float:
        """Return the fewest moves to the goal; a move that is not finished counts as not made."""
        resting = next(self.candidates(puzzle, state), None)
        if resting is not None:
            return self._measure_path(puzzle, resting)
        follower = MoveFollower(self, puzzle)
        away = [part.name for part in state.parts if not self._is_at_place(puzzle, part)]
        lifted = ("", *(away or (part.name for part in state.parts)))
        before = dict.fromkeys(at for name in lifted for at in self.candidates(puzzle, state, NEAR, name))
        moving = [(at, after) for at in before for after in follower.list_shown_moves(at, state)]
        if moving:
            return min(max(self._measure_path(puzzle, at) for at in ends) for ends in moving)
        return min((self._measure_path(puzzle, at) for at in self.candidates(puzzle, state, NEAR)), default=inf)

    def _is_at_place(self, puzzle: P, part: Part) -> bool:
        piece = next(piece for piece in self.pieces(puzzle) if piece.name == part.name)
        places = _list_places(self, puzzle, piece)
        return any(self.measure_distance(part, other) <= self.tolerance for _, other in places)

    def _measure_path(self, puzzle: P, at: Arrangement) -> float:
        path = _find_path(self, puzzle, at)
        return inf if path is None else len(path) - 1

    def check(self, puzzle: P, trace: Trace[Scene]) -> CheckResult:
        return check_moves(self, puzzle, trace)

    def moving_parts(self, puzzle: P, state: Scene) -> Mapping[Hashable, Any]:
        return {part.name: part for part in state.parts if part.name not in state.hidden}

    def count_steps(self, puzzle: P, part: Hashable, before: Any, after: Any) -> float:
        return self.measure_distance(before, after)

    def deciding_boxes(self, puzzle: P, state: Scene) -> Sequence[Box]:
        return [self.part_box(puzzle, part) for part in state.parts]

    def field_boxes(self, puzzle: P, state: Scene) -> Sequence[Box]:
        boxes = [self.part_box(puzzle, part) for part in state.parts if part.name not in state.hidden]
        return boxes + [_grow(box, _FIELD_MARGIN) for box in boxes]

    # -- trick videos --------------------------------------------------------------------------------------------

    def is_shortcut(self, puzzle: P, path: Sequence[Arrangement]) -> bool:
        """Return whether going straight from the first to the last arrangement clearly differs from the moves, and from
        all other legal ones: a slanted way over open cells may be taken for steps around its corners."""
        follower = MoveFollower(self, puzzle)
        seen = [follower.see(self.move_between(puzzle, path[0], path[-1], index / 24)) for index in range(25)]
        if seen.count(False) < _CLEARLY_ILLEGAL * len(seen):
            return False
        layouts = [{part.name: part for part in self.lay_out(puzzle, at)} for at in path]
        moved = [name for name in layouts[0] if layouts[0][name] != layouts[-1].get(name)]
        if any(name not in layout for name in moved for layout in layouts):
            return True
        if self._follows_moves(puzzle, layouts, moved):
            return False
        lengths = []
        for name in moved:
            steps = [(one[name], two[name]) for one, two in pairwise(layouts) if one[name] != two[name]]
            way = [self.route(puzzle, one, two, t) for one, two in steps for t in _SAMPLES]
            straight = [self.route(puzzle, layouts[0][name], layouts[-1][name], t) for t in _SAMPLES]
            if max(min(self.measure_distance(at, other) for other in way) for at in straight) > _CLEARLY_ASIDE:
                return True
            lengths.append(sum(self.measure_distance(one, two) for one, two in steps))
        return bool(lengths) and max(lengths) - min(lengths) > 1

    def _follows_moves(self, puzzle: P, layouts: Sequence[Mapping[str, Part]], moved: Sequence[str]) -> bool:
        """Return whether going straight shows what the moves show: the hands of a clock turn together anyway."""
        way = [{name: self.route(puzzle, one[name], two[name], t) for name in moved}
               for one, two in pairwise(layouts) for t in _SAMPLES]  # fmt: skip
        straight = [{name: self.route(puzzle, layouts[0][name], layouts[-1][name], t) for name in moved}
                    for t in _SAMPLES]  # fmt: skip
        return all(
            any(max(self.measure_distance(at[name], other[name]) for name in moved) <= _HARDLY_ASIDE for other in way)
            for at in straight
        )

    def cheats(self, puzzle: P, rng: Random) -> dict[str, StateTrajectory[Scene]]:
        path = self.path(puzzle)
        cheats = {
            "stops_short": StateTrajectory(
                lambda t: self.play(puzzle, path[:-1], t / 0.9), "fail", "the last move is missing"
            )
        }
        if self.may_move_together or self.is_shortcut(puzzle, path):
            cheats["all_at_once"] = StateTrajectory(
                lambda t: self.move_between(puzzle, path[0], path[-1], min(max(2 * t - 0.4, 0.0), 1.0)),
                "pass" if self.may_move_together else "fail",
                "all pieces go to their final places at the same time",
            )
        if not self.may_move_together and self.is_shortcut(puzzle, path[:-1]):
            cheats["skips_moves"] = StateTrajectory(
                lambda t: self.play(puzzle, (path[0], *path[-2:]), t), "fail", "all moves but the last happen at once"
            )
        wrong = [at for at in self.moves(puzzle, path[-2]) if not self.is_goal(puzzle, at) and at != path[-3]]
        if wrong:
            astray = (*path[:-1], rng.choice(wrong))
            cheats["wrong_end"] = StateTrajectory(
                lambda t: self.play(puzzle, astray, t), "fail", "the last move is another one"
            )
        aside = [at for at in self.moves(puzzle, path[1]) if at not in path and path[1] in set(self.moves(puzzle, at))]
        if aside and len(path) < 8:
            detour = (*path[:2], rng.choice(aside), *path[1:])
            cheats["detour"] = StateTrajectory(
                lambda t: self.play(puzzle, detour, t), "pass", "a move is made and taken back"
            )
        back = (*path, *path[-2::-1])
        cheats["returns"] = StateTrajectory(
            lambda t: self.play(puzzle, back, t), "fail", "the goal is reached and left again"
        )
        end = self.solution(puzzle, 1.0)
        start = [part for part in self.stage(puzzle).start.parts if end.get(part.name) is not None]
        return cheats | dict(
            self.list_common_cheats(puzzle, rng, start, lambda t: self.solution(puzzle, min(1.0, t / 0.85)))
        )


@lru_cache(maxsize=4096)
def _lay_out(task: MoveTask[Any, Any], puzzle: Any, at: Arrangement) -> tuple[Part, ...]:
    pairs = zip(task.pieces(puzzle), at, strict=True)
    return tuple(task.make_part(puzzle, piece, place) for piece, place in pairs if place is not None)


@lru_cache(maxsize=512)
def _list_places(task: MoveTask[Any, Any], puzzle: Any, piece: Piece) -> tuple[tuple[Any, Part], ...]:
    places = [place for place in task.places(puzzle, piece) if place is not None]
    return tuple((place, task.make_part(puzzle, piece, place)) for place in places)


@lru_cache(maxsize=4096)
def _find_path(task: MoveTask[Any, Any], puzzle: Any, start: Arrangement) -> tuple[Arrangement, ...] | None:
    return task.find_path(puzzle, start)


def _grow(box: Box, share: float) -> Box:
    left, top, right, bottom = box
    across, down = share * (right - left), share * (bottom - top)
    return left - across, top - down, right + across, bottom + down
