"""Whether a video shows legal moves alone: all arrangements that it may be in are followed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from vmevalkit.core.records import Finding
from vmevalkit.tasks.evidence import find_spans
from vmevalkit.tasks.kit.scene import Part, Scene
from vmevalkit.tasks.task import CheckResult, Trace, readable

if TYPE_CHECKING:
    from vmevalkit.tasks.kit.move_task import Arrangement, MoveTask

MOVES_PER_READING = 2
"""Moves that may be made from one reading to the next: a video of 8 frames a second shows no more."""
MAX_FOLLOWED = 200
"""Arrangements that are followed at once."""
ROUTE_SAMPLES = 12
ON_ROUTE = 0.45
"""How far from its route, in steps, a moving piece may be."""
TOGETHER = 0.5
"""By which share of a move the pieces that move together may be apart."""


def check_moves(task: MoveTask[Any, Any], puzzle: Any, trace: Trace[Scene]) -> CheckResult:
    """Return the findings on the legality of the moves."""
    read = readable(trace)
    follower = MoveFollower(task, puzzle)
    legal = [(seconds, follower.see(scene)) for seconds, scene in read]
    findings = []
    if spans := find_spans(legal, lambda is_legal: not is_legal):
        start_s = spans[0].start_s
        findings.append(
            Finding("illegal_move", True, f"No legal move leads to what is seen at {start_s:.2f} s.", start_s)
        )
    if spans := find_spans(read, lambda scene: bool(scene.extra)):
        start_s = spans[0].start_s
        findings.append(Finding("second_piece", True, f"A piece is there twice at {start_s:.2f} s.", start_s))
    readable_share = len(read) / max(1, len(trace))
    return CheckResult(tuple(findings), {"readable_share": readable_share, "moves_seen": float(follower.moves)})


class MoveFollower:
    """Follows all arrangements that the frames of a video may show."""

    def __init__(self, task: MoveTask[Any, Any], puzzle: Any) -> None:
        self._task, self._puzzle = task, puzzle
        looks: dict[str, list[str]] = {}
        for piece in task.pieces(puzzle):
            looks.setdefault(piece.look, []).append(piece.name)
        self._alike = [names for names in looks.values() if len(names) > 1]
        self._at: set[Arrangement] = {task.start(puzzle)}
        self._last: Scene | None = None
        self._was_legal = True
        self._was_hidden = False
        self.moves = 0
        """Readings in which the arrangement was another one than before."""

    def see(self, scene: Scene) -> bool:
        """Return whether legal moves lead from the last legal arrangement to this scene."""
        if scene is self._last:
            return self._was_legal
        self._last = scene
        found = self._list_possible(scene)
        self._was_legal = bool(found)
        if found:
            self.moves += found.isdisjoint(self._at)
            self._at = found
        self._was_hidden = bool(scene.hidden)
        return self._was_legal

    def _list_possible(self, scene: Scene) -> set[Arrangement]:
        moves = self._task.moves
        reached, edge = set(self._at), set(self._at)
        found = {at for at in reached if self._explains(at, scene)}
        if self._task.may_move_together:
            return found or {at for each in self._at if (at := self._catch_up(each, scene)) is not None}
        depth = MOVES_PER_READING
        if self._task.is_free_flight and not (self._was_hidden or scene.hidden):
            depth = 1  # a lifted piece that flies over places must be seen at each place where it is put down
        for _ in range(depth):
            if found or len(reached) > MAX_FOLLOWED:
                break
            edge = {after for at in edge for after in moves(self._puzzle, at)} - reached
            reached |= edge
            found |= {at for at in edge if self._explains(at, scene)}
        if scene.hidden and len(found) <= MAX_FOLLOWED:
            # A piece that is taken while it cannot be seen leaves no sign: it may be gone, or not yet.
            found |= {after for at in found for after in moves(self._puzzle, at) if self._is_at_rest(after, scene)}
        return found

    def _is_at_rest(self, at: Arrangement, scene: Scene) -> bool:
        """Return whether all pieces that are seen are at their places."""
        return self._list_away(at, self._name_alike(at, scene)) == []

    def _explains(self, at: Arrangement, scene: Scene) -> bool:
        """Return whether a scene shows an arrangement, or a move that begins there."""
        scene = self._name_alike(at, scene)
        away = self._list_away(at, scene)
        if away is None:
            return False
        if not self._task.may_move_together:
            return not away or any(self._list_moves(at, scene, away))
        moves = list(self._task.moves(self._puzzle, at)) if away else []
        return all(any(self._is_on_way(at, after, scene, [name]) for after in moves) for name in away)

    def list_shown_moves(self, at: Arrangement, scene: Scene) -> Iterator[Arrangement]:
        """Yield where the moves lead that begin at an arrangement and that a scene may show."""
        scene = self._name_alike(at, scene)
        return self._list_moves(at, scene, self._list_away(at, scene) or ())

    def _list_moves(self, at: Arrangement, scene: Scene, away: Sequence[str]) -> Iterator[Arrangement]:
        groups = [[name] for name in away] if self._task.may_move_together else [away]
        names = [piece.name for piece in self._task.pieces(self._puzzle)]
        for after in self._task.moves(self._puzzle, at) if away else ():
            moved = {name for name, one, other in zip(names, at, after, strict=True) if one != other}
            if any(moved.issuperset(group) and self._is_on_way(at, after, scene, group) for group in groups):
                yield after

    def _name_alike(self, at: Arrangement, scene: Scene) -> Scene:
        """Return the scene with new names for pieces of one look, which nobody can tell apart: each is named after the
        piece whose place in the arrangement is the nearest."""
        if not self._alike:
            return scene
        expected = {part.name: part for part in self._task.lay_out(self._puzzle, at)}
        hidden, named = set(scene.hidden), {}
        for names in self._alike:
            hidden_here = [name for name in names if name in hidden]
            hidden.difference_update(hidden_here)
            pairs = sorted(
                (self._task.measure_distance(seen, expected[name]), name, seen.name)
                for seen in scene.parts
                for name in names
                if seen.name in names and seen.name not in hidden_here and name in expected
            )
            new: dict[str, str] = {}
            for _, name, seen_name in pairs:
                if seen_name not in new and name not in new.values():
                    new[seen_name] = name
            free = sorted((name for name in names if name not in new.values()), key=lambda name: name not in expected)
            rest = [p.name for p in scene.parts if p.name in names and p.name not in new and p.name not in hidden_here]
            new.update(zip([*rest, *hidden_here], free, strict=False))
            hidden.update(new[name] for name in hidden_here)
            named.update(new)
        parts = tuple(replace(part, name=named.get(part.name, part.name)) for part in scene.parts)
        return replace(scene, parts=parts, hidden=tuple(sorted(hidden))) if named else scene

    def _catch_up(self, at: Arrangement, scene: Scene) -> Arrangement | None:
        """Return the arrangement that several pieces reach together, each by a few moves of its own; None where none
        explains the scene."""
        names = [piece.name for piece in self._task.pieces(self._puzzle)]
        for _ in range(MOVES_PER_READING * len(names)):
            if self._explains(at, scene):
                return at
            nearer = self._find_nearer(names, at, scene)
            if nearer is None:
                return None
            at = nearer
        return None

    def _find_nearer(self, names: Sequence[str], at: Arrangement, scene: Scene) -> Arrangement | None:
        """Return what a move of one piece leads to that brings it nearer to where it is seen."""
        before = {part.name: part for part in self._task.lay_out(self._puzzle, at)}
        for after in self._task.moves(self._puzzle, at):
            moved = [name for name, one, other in zip(names, at, after, strict=True) if one != other]
            if len(moved) != 1 or (seen := scene.get(moved[0])) is None:
                continue
            start, end = before[moved[0]], {part.name: part for part in self._task.lay_out(self._puzzle, after)}
            distance = self._task.measure_distance
            if distance(seen, end[moved[0]]) < distance(seen, start) - self._task.tolerance:
                return after
        return None

    def _list_away(self, at: Arrangement, scene: Scene) -> list[str] | None:
        """Return the pieces that are not at their places; None where something is wrong in any case."""
        expected = {part.name: part for part in self._task.lay_out(self._puzzle, at)}
        away = []
        for piece in self._task.pieces(self._puzzle):
            if piece.name in scene.hidden:
                continue
            seen, place = scene.get(piece.name), expected.get(piece.name)
            if seen is None or place is None:
                away += [] if seen is place else [piece.name]
            elif seen.look != place.look:
                return None
            elif self._task.measure_distance(seen, place) > self._task.tolerance:
                away.append(piece.name)
        return away

    def _is_on_way(self, at: Arrangement, after: Arrangement, scene: Scene, away: Sequence[str]) -> bool:
        starts = {part.name: part for part in self._task.lay_out(self._puzzle, at)}
        ends = {part.name: part for part in self._task.lay_out(self._puzzle, after)}
        shares = []
        if all(ends.get(name) is None for name in away) and not all(scene.get(name) is None for name in away):
            return False  # a piece is carried off while the one that takes it still rests
        for name in away:
            start, end, seen = starts.get(name), ends.get(name), scene.get(name)
            if start == end:
                return False
            if seen is None or start is None or end is None:
                if end is not None and seen is None:
                    return False  # it is gone and must not be
                continue
            if self._task.is_free_flight:
                continue
            share = self._find_share(start, end, seen)
            if share is None:
                return False
            shares.append(share)
        return not shares or max(shares) - min(shares) <= TOGETHER

    def _find_share(self, start: Part, end: Part, seen: Part) -> float | None:
        """Return how far a piece is on its way; None where it is not on it."""
        task = self._task
        samples = [index / ROUTE_SAMPLES for index in range(ROUTE_SAMPLES + 1)]
        route = [start, *(task.route(self._puzzle, start, end, t) for t in samples[1:-1]), end]
        distances = [task.measure_distance(seen, part) for part in route]
        least = min(distances)
        spacing = max(task.measure_distance(one, two) for one, two in pairwise(route))
        return samples[distances.index(least)] if least <= ON_ROUTE + spacing / 2 else None
