"""The states track: which scenes a program shows, frame by frame, whether they are legal, and whether they answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from math import ceil
from random import Random
from typing import Any

import cv2

from vmevalkit.audit.attack.program import Operation, Value
from vmevalkit.audit.kinds.part_pictures import find_free_place
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.kit.fill_task import FillTask
from vmevalkit.tasks.kit.move_task import MoveTask
from vmevalkit.tasks.kit.scene import Part, Scene
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.kit.search import find_path
from vmevalkit.tasks.task import AnyTask

MOST_FRAMES = 90
"""Longer videos are not made: an attack lives from many short ones."""
_SURELY_AWAY, _PERHAPS_AWAY = 0.7, 0.25
"""Steps from where it should be beyond which a part is surely, or perhaps, at a place where it must not be."""
_SURELY_THERE, _SURELY_ABSENT = 0.85, 0.3
"""Opacity of a content from which on everybody sees it, and up to which nobody takes it for an answer."""
_NOTHING = 0.08
_SAME_LEVELS = 24
"""Levels by which two pictures of the same scene may differ."""
_WHOLE = 0.95
_MOST_REACHABLE = 4000
_FEWEST_OF_CHEAT = 16
"""Frames in which a trick video surely shows what is wrong with it."""


class TooLong(Exception):
    """The program makes a video that is longer than wanted."""


@dataclass(frozen=True, slots=True)
class TrueState:
    """What is there at one time, seen or not."""

    state: Any
    legal: bool | None = True
    """Whether legal moves alone lead here, from the last frame; None where that may be disputed."""
    answer: bool | None = False
    """Whether it is an accepted answer; None where it is nearly one."""


class StateBuilder(ABC):
    """Builds the scenes of a program, operation by operation."""

    def __init__(self, task: AnyTask, puzzle: Any, fps: float) -> None:
        self.task, self.puzzle, self.fps = task, puzzle, fps
        self.steps: list[TrueState] = []
        self.must_fail = False
        """Whether the way itself is a cheat, known by construction."""
        self._is_stuck = False

    @property
    @abstractmethod
    def offers(self) -> set[str]:
        """What the scene offers to operations."""

    def apply(self, operation: Operation) -> None:
        """Add the frames of an operation of the states track."""
        if not self.steps:
            self.add(self.make_rest())
        if operation.name == "rest":
            self.hold(float(operation.params["s"]))
        elif operation.name == "cheat":
            self._play_cheat(operation.params)
        elif not self._is_stuck:
            self.change(operation)
        if len(self.steps) > 2 * MOST_FRAMES:
            raise TooLong

    @abstractmethod
    def change(self, operation: Operation) -> None: ...

    @abstractmethod
    def make_rest(self) -> TrueState:
        """Return the scene as it is now."""

    def add(self, step: TrueState) -> None:
        self.steps.append(step)

    def hold(self, seconds: float) -> None:
        """Show the last scene for some time."""
        last = self.steps[-1]
        for _ in range(round(seconds * self.fps)):
            self.add(last)

    def _play_cheat(self, params: Mapping[str, Value]) -> None:
        """Play one of the task's own trick videos; only at the start, and nothing follows it but rests."""
        if len(self.steps) > 1 and self.steps[-1].state is not self.steps[0].state:
            return
        cheats = self.task.cheats(self.puzzle, rng_for("attack", self.task.name, params["pick"]))
        names = sorted(name for name, cheat in cheats.items() if cheat.expected != "n/a")
        if not names:
            return
        cheat = cheats[names[int(params["pick"]) % len(names)]]
        count = max(4, round(float(params["s"]) * self.fps))
        is_way = self.task.motion is not None
        fails = cheat.expected == "fail"
        self.must_fail = self.must_fail or (fails and is_way and count >= _FEWEST_OF_CHEAT)
        for k in range(1, count + 1):
            state = cheat.state_at(k / count)
            near = [cheat.state_at(min(max(t, 0.0), 1.0)) for t in ((k - 1) / count, k / count + 0.04)]
            answers = {self.task.accepted(self.puzzle, each) for each in (state, *near)}
            answer = None if len(answers) > 1 else answers.pop()
            if fails and not is_way and answer and k == count:
                answer = None  # the cheat knows better what is wrong with its end
            self.add(TrueState(state, None if fails and is_way else True, answer))
        self._is_stuck = True


class TimeBuilder(StateBuilder):
    """Any task: scenes come from the reference solution at times from 0 to 1."""

    def __init__(self, task: AnyTask, puzzle: Any, fps: float) -> None:
        super().__init__(task, puzzle, fps)
        self._t = 0.0

    @property
    def offers(self) -> set[str]:
        if self.task.motion is None:
            return set()
        # A part that moves over a scene that stands still has a path; a camera has none.
        return {"process", "paths"} if self.task.anchored else {"process"}

    def make_rest(self) -> TrueState:
        return self._at(self._t)

    def _at(self, t: float) -> TrueState:
        t = round(t, 4)
        return TrueState(_solve(self.task, self.puzzle, t), True, _judge_time(self.task, self.puzzle, t))

    def change(self, operation: Operation) -> None:
        share = float(operation.params.get("share", 1.0))
        if operation.name in ("solve", "jump"):
            end = 1.0 if share >= _WHOLE else self._t + share * (1 - self._t)
        elif operation.name == "undo":
            end = self._t * (1 - share)
        else:
            return
        way = end - self._t
        if operation.name == "jump":
            frames = 1
        else:
            frames = max(1, ceil(abs(way) * 1.6 / float(operation.params["pace"]) * self.fps))
        if frames > 2 * MOST_FRAMES:
            raise TooLong
        for k in range(1, frames + 1):
            step = self._at(self._t + way * k / frames)
            # A task's solution may not be legal backwards: pipes and cameras have a direction.
            is_sure = operation.name != "undo" or self.task.motion is None
            self.add(step if is_sure else replace(step, legal=None))
        self._t = end


@lru_cache(maxsize=4096)
def _solve(task: AnyTask, puzzle: Any, t: float) -> Any:
    return task.solution(puzzle, t)


@lru_cache(maxsize=4096)
def _judge_time(task: AnyTask, puzzle: Any, t: float) -> bool | None:
    """Return whether the reference solution has arrived at a time; None where it nearly has.

    Tasks accept what is nearly done. It surely is done where the picture is that of the end."""
    near = (_solve(task, puzzle, round(min(max(at, 0.0), 1.0), 4)) for at in (t - 0.02, t, t + 0.02))
    if not any(task.accepted(puzzle, state) for state in near):
        return False
    off = cv2.absdiff(task.draw(puzzle, _solve(task, puzzle, t)), task.final_frame(puzzle))
    return True if int(off.max()) <= _SAME_LEVELS else None


class MoveBuilder(StateBuilder):
    """Pieces of the kit that move or turn."""

    task: MoveTask[Any, Any]

    def __init__(self, task: MoveTask[Any, Any], puzzle: Any, fps: float) -> None:
        super().__init__(task, puzzle, fps)
        self._at = task.start(puzzle)
        self._history = [self._at]
        self._is_tainted = False

    @property
    def offers(self) -> set[str]:
        return {"process", "moves", "parts", "paths"}

    def make_rest(self) -> TrueState:
        scene = Scene(self.task.lay_out(self.puzzle, self._at))
        return TrueState(scene, self._judge_way(True), self.task.is_goal(self.puzzle, self._at))

    def _judge_way(self, legal: bool | None) -> bool | None:
        """Return whether the scene is legal, where an earlier move was not: what is seen then may be disputed."""
        return legal if not self._is_tainted or legal is False else None

    def change(self, operation: Operation) -> None:
        params = operation.params
        pick, pace = int(params.get("pick", 0)), float(params.get("pace", 0.5))
        if operation.name == "solve":
            path = self._find_path()
            moves = len(path) - 1
            share = float(params["share"])
            for after in path[1 : 1 + (moves if share >= _WHOLE else max(1, round(share * moves)))]:
                self._move(after, pace)
        elif operation.name == "jump":
            path = self._find_path()
            if len(path) > 1:
                moves = max(1, round(float(params["share"]) * (len(path) - 1)))
                self._go_to(path[moves])
                self.add(replace(self.make_rest(), legal=self._judge_way(True if moves < 2 else None)))
        elif operation.name == "wander":
            rng = Random(pick)
            for _ in range(int(params["moves"])):
                options = [at for at in dict.fromkeys(self.task.moves(self.puzzle, self._at)) if at != self._at]
                if options:
                    self._move(rng.choice(options), pace)
        elif operation.name == "undo":
            count = max(1, round(float(params["share"]) * (len(self._history) - 1)))
            for before in self._history[-2 : -2 - count : -1]:
                self._take_back(before, pace)
        elif operation.name == "merge_moves":
            self._merge(int(params["moves"]), pace)
        elif operation.name == "break_rule":
            self._break_rule(pick, float(params["s"]), params["returns"] == "yes", pace)

    def _find_path(self) -> Sequence[Any]:
        path = find_path(
            self._at, lambda at: self.task.moves(self.puzzle, at), lambda at: self.task.is_goal(self.puzzle, at)
        )
        return path or (self._at,)

    def _go_to(self, at: Any) -> None:
        self._at = at
        self._history.append(at)

    def _move(self, after: Any, pace: float, legal: bool | None = True) -> None:
        """Move to an arrangement; ``legal`` is about what lies clearly beyond the start of the move."""
        before = self._at
        length = self._measure(before, after)
        frames = self._count_frames(length, pace)
        for k in range(1, frames):
            scene = self.task.move_between(self.puzzle, before, after, k / frames)
            gone, left = length * k / frames, length * (1 - k / frames)
            self.add(TrueState(scene, self._judge_way(self._soften(legal, gone)), self._judge_answer(
                before, after, gone, left)))  # fmt: skip
        self._go_to(after)
        rest = self.make_rest()
        self.add(rest if legal else replace(rest, legal=self._soften(legal, length)))

    def _judge_answer(self, before: Any, after: Any, gone: float, left: float) -> bool | None:
        is_goal = self.task.is_goal
        near, tolerance = (before, gone) if gone < left else (after, left), self.task.tolerance
        if near[1] < 0.4 * tolerance:
            return is_goal(self.puzzle, near[0])
        return None if is_goal(self.puzzle, before) or is_goal(self.puzzle, after) else False

    @staticmethod
    def _soften(legal: bool | None, gone: float) -> bool | None:
        if legal is not False:
            return legal
        return False if gone > _SURELY_AWAY else None if gone > _PERHAPS_AWAY else True

    def _count_frames(self, length: float, pace: float) -> int:
        assert self.task.motion is not None
        frames = max(1, ceil(length / (pace * self.task.motion.free_steps)))
        if frames > MOST_FRAMES:
            raise TooLong
        return frames

    def _measure(self, before: Any, after: Any) -> float:
        """Return the length of the longest way of a part, in steps."""
        scenes = [self.task.move_between(self.puzzle, before, after, k / 8) for k in range(9)]
        lengths = [0.0]
        for part in scenes[0].parts:
            way = [each for scene in scenes if (each := scene.get(part.name)) is not None]
            lengths.append(sum(self.task.measure_distance(a, b) for a, b in pairwise(way)))
        return max(lengths)

    def _take_back(self, before: Any, pace: float) -> None:
        """Play the last move backwards, where that is legal or surely is not."""
        is_legal = before in set(self.task.moves(self.puzzle, self._at))
        if is_legal:
            self._move(before, pace)
            return
        is_far = before not in _list_near(self.task, self.puzzle, self._at)
        self._move(before, pace, False if is_far else None)
        self._is_tainted = True

    def _merge(self, moves: int, pace: float) -> None:
        path = self._find_path()
        if len(path) <= 2:
            return
        target = path[min(moves, len(path) - 1)]
        part = (self._at, *path[1 : min(moves, len(path) - 1) + 1])
        is_clear = not self.task.may_move_together and self.task.is_shortcut(self.puzzle, part)
        before, length = self._at, self._measure(self._at, target)
        frames = self._count_frames(length, pace)
        for k in range(1, frames):
            scene = self.task.move_between(self.puzzle, before, target, k / frames)
            is_middle = 0.3 < k / frames < 0.7
            self.add(TrueState(scene, False if is_clear and is_middle and length > 2 else None, None))
        self._go_to(target)
        self._is_tainted = True
        self.add(self.make_rest())

    def _break_rule(self, pick: int, seconds: float, returns: bool, pace: float) -> None:
        stops = self._list_unreachable()
        if not stops:
            return
        at = stops[pick % len(stops)]
        here = self._at
        self._move(at, pace, legal=False)
        there = replace(self.make_rest(), legal=False)
        self.steps[-1] = there
        for _ in range(round(seconds * self.fps)):
            self.add(there)
        if returns:
            length = self._measure(at, here)
            frames = self._count_frames(length, pace)
            for k in range(1, frames):
                scene = self.task.move_between(self.puzzle, at, here, k / frames)
                self.add(TrueState(scene, self._soften(False, length * (1 - k / frames)), None))
            self._at = here
            self.add(self.make_rest())
        else:
            self._is_stuck = True

    def _list_unreachable(self) -> list[Any]:
        """Return arrangements one or two steps away that no legal moves lead to."""
        reachable = _list_reachable(self.task, self.puzzle)
        if reachable is None:
            return []
        found = []
        for number, piece in enumerate(self.task.pieces(self.puzzle)):
            if self._at[number] is None:
                continue
            here = self.task.make_part(self.puzzle, piece, self._at[number])
            for place in self.task.places(self.puzzle, piece):
                at = (*self._at[:number], place, *self._at[number + 1 :])
                if place is None or at in reachable or any(place == other for other in self._at):
                    continue
                there = self.task.make_part(self.puzzle, piece, place)
                if 0.9 <= self.task.measure_distance(here, there) <= 2.5:
                    found.append(at)
        return found


@lru_cache(maxsize=64)
def _list_reachable(task: MoveTask[Any, Any], puzzle: Any) -> frozenset[Any] | None:
    """Return all arrangements that legal moves lead to; None where there are too many to list."""
    seen = set(islice(_walk(task, puzzle, task.start(puzzle)), _MOST_REACHABLE))
    return None if len(seen) >= _MOST_REACHABLE else frozenset(seen)


@lru_cache(maxsize=256)
def _list_near(task: MoveTask[Any, Any], puzzle: Any, at: Any) -> frozenset[Any]:
    """Return what four legal moves lead to, at least."""
    return frozenset(islice(_walk(task, puzzle, at), 400))


def _walk(task: MoveTask[Any, Any], puzzle: Any, start: Any) -> Iterator[Any]:
    seen, edge = {start}, [start]
    yield start
    while edge:
        edge = [after for at in edge for after in dict.fromkeys(task.moves(puzzle, at)) if after not in seen]
        edge = list(dict.fromkeys(edge))
        seen.update(edge)
        yield from edge


Contents = dict[str, tuple[str, float]]
"""By the name of a cell, its look and opacity."""


class FillBuilder(StateBuilder):
    """Cells of the kit that get contents."""

    task: FillTask[Any, Any]

    def __init__(self, task: FillTask[Any, Any], puzzle: Any, fps: float) -> None:
        super().__init__(task, puzzle, fps)
        self._start = task.stage(puzzle).start
        self._blank = [part.name for part in self._start.parts if not part.look]
        self._now: Contents = {}

    @property
    def offers(self) -> set[str]:
        return {"fills", "parts", "cells"}

    def make_rest(self) -> TrueState:
        return self._show(self._now)

    def _show(self, contents: Contents) -> TrueState:
        parts = [replace(part, look=contents[part.name][0], opacity=contents[part.name][1])
                 for part in self._start.parts if part.name in contents]  # fmt: skip
        return TrueState(self._start.change(*parts), True, self._judge(contents))

    def _judge(self, contents: Contents) -> bool | None:
        results = {self._compare(contents, answer) for answer in self.task.answers(self.puzzle)}
        return True if True in results else None if None in results else False

    def _compare(self, contents: Contents, answer: Mapping[str, str]) -> bool | None:
        result: bool | None = True
        for name in self._blank:
            look, opacity = contents.get(name, ("", 0.0))
            wanted = answer.get(name, "")
            if look == wanted and look:
                fits: bool | None = True if opacity >= _SURELY_THERE else False if opacity <= _SURELY_ABSENT else None
            elif wanted:
                fits = False
            else:
                fits = True if opacity <= _NOTHING else False if opacity >= _SURELY_ABSENT else None
            if fits is False:
                return False
            result = None if fits is None else result
        return result

    def change(self, operation: Operation) -> None:
        params, rng = operation.params, Random(int(operation.params.get("pick", 0)))
        if operation.name in ("solve", "jump"):
            self._fill(params, rng, operation.name == "jump")
        elif operation.name == "undo":
            filled = list(self._now)
            for name in filled[len(filled) - max(1, round(float(params["share"]) * len(filled))) :]:
                self._set(name, "", 1.0)
        elif operation.name == "fill_wrong":
            name = rng.choice(self._blank)
            right = {answer.get(name, "") for answer in self.task.answers(self.puzzle)}
            looks = [look for look in self.task.contents(self.puzzle) if look not in right]
            if looks:
                self._set(name, looks[int(params["look"]) % len(looks)], 1.0)
        elif operation.name in ("empty", "fade_content") and self._now:
            name = rng.choice(sorted(self._now))
            if operation.name == "empty":
                self._set(name, "", 1.0)
            else:
                self._set(name, self._now[name][0], float(params["opacity"]))
        elif operation.name == "flicker":
            shown = ("", *self.task.contents(self.puzzle))
            for _ in range(max(2, round(float(params["s"]) * self.fps))):
                self._now = {name: (look, 1.0) for name in self._blank if (look := rng.choice(shown))}
                self.add(self.make_rest())

    def _set(self, name: str, look: str, opacity: float) -> None:
        if look and opacity > 0:
            self._now[name] = look, opacity
        else:
            self._now.pop(name, None)
        self.add(self.make_rest())

    def _fill(self, params: Mapping[str, Value], rng: Random, at_once: bool) -> None:
        answers = self.task.answers(self.puzzle)
        answer = answers[int(params.get("pick", 0)) % len(answers)]
        todo = [name for name in self._blank if self._now.get(name, ("", 1.0)) != (answer.get(name, ""), 1.0)]
        rng.shuffle(todo)
        share = float(params["share"])
        todo = todo[: len(todo) if share >= _WHOLE else max(1, round(share * len(todo)))]
        if at_once:
            for name in todo:
                self._now[name] = answer.get(name, ""), 1.0
            self._now = {name: content for name, content in self._now.items() if content[0]}
            self.add(self.make_rest())
            return
        frames = max(1, round(0.9 / float(params["pace"])))
        for name in todo:
            look = answer.get(name, "")
            if not look:
                self._set(name, "", 1.0)
                continue
            for k in range(1, frames + 1):
                self._set(name, look, min(1.0, k / frames))


def make_builder(task: AnyTask, puzzle: Any, fps: float) -> StateBuilder:
    """Return what builds the scenes of a puzzle."""
    if isinstance(task, MoveTask):
        return MoveBuilder(task, puzzle, fps)
    if isinstance(task, FillTask):
        return FillBuilder(task, puzzle, fps)
    return TimeBuilder(task, puzzle, fps)


def change_parts(task: AnyTask, puzzle: Any, step: TrueState, seconds: float, total_s: float,
                 operations: Sequence[Operation]) -> TrueState:  # fmt: skip
    """Return a step with the twins, and without the parts, that operations ask for at this time."""
    if not isinstance(task, SceneTask):
        return step
    for operation in operations:
        begin = float(operation.params["at"]) * total_s
        if not begin <= seconds < begin + float(operation.params["s"]):
            continue
        scene: Scene = step.state
        drawn = [part for part in scene.parts if part.look]
        if not drawn:
            continue
        part = drawn[int(operation.params["pick"]) % len(drawn)]
        if operation.name == "vanish":
            gone = scene.change(replace(part, look="")) if isinstance(task, FillTask) else scene.change(
                without=[part.name])  # fmt: skip
            step = TrueState(gone, None if step.legal else step.legal, False)
        else:
            place = find_free_place(task, puzzle, 24.0)
            if place is None:
                continue
            twin = replace(part, name="+twin", x=place[0], y=place[1])
            step = TrueState(scene.change(extra=(twin,)), False, False)
    return step


def list_drawn(state: Any) -> list[Part]:
    """Return the parts of a kit scene that are drawn; nothing for other states."""
    return [part for part in (*state.parts, *state.extra) if part.look] if isinstance(state, Scene) else []
