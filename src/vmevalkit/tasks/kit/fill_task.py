"""Puzzles in which blank cells get contents: only the final state matters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from vmevalkit.core.errors import Uncertified
from vmevalkit.media.residual import Box
from vmevalkit.tasks.kit.matching import FAINT
from vmevalkit.tasks.kit.picture_task import PictureTask
from vmevalkit.tasks.kit.question_pictures import PictureRecord, Pictures
from vmevalkit.tasks.kit.scene import Part, PartKind, Scene, Stage
from vmevalkit.tasks.kit.scene_task import PRESENT, SceneTask, check_damage
from vmevalkit.tasks.task import FINAL_STATE_MATTERS, CheckResult, Offer, StateTrajectory, Trace

P = TypeVar("P")
K = TypeVar("K")

_MAX_CELL = 2.4
"""A cell is at most this many times as large as its content."""

Answer = Mapping[str, str]
"""By the name of a cell, its look. Cells that are not named stay blank."""


_FAINT_MARK = " (faint)"


class FillTask(SceneTask[P, K], Generic[P, K]):
    """Blank cells get looks; cells that are not blank at first must stay as they are.

    A puzzle file gives ``cells``, ``contents``, ``solve``, and how to draw them.
    """

    tricks = FINAL_STATE_MATTERS
    offers = SceneTask.offers | {Offer.QUICK}
    max_answers: ClassVar[int] = 1
    """Answers that a puzzle may have. All of them are accepted."""

    @abstractmethod
    def cells(self, puzzle: P) -> tuple[Part, ...]:
        """Return all cells as they are at first; a blank one has an empty look."""

    @abstractmethod
    def contents(self, puzzle: P) -> tuple[str, ...]:
        """Return every look that a cell can have, without the empty one."""

    @abstractmethod
    def solve(self, puzzle: P) -> Iterator[Answer]:
        """Yield every answer: the looks of the cells that are filled."""

    def cell_contents(self, puzzle: P, cell: Part) -> tuple[str, ...]:
        """Return every look that one cell can have; by default, what all cells can have."""
        return self.contents(puzzle)

    def grid_shape(self, puzzle: P) -> tuple[int, int] | None:
        """Return rows and columns where the cells are those of one regular grid, row by row; None otherwise."""
        return None

    # -- what follows --------------------------------------------------------------------------------------------

    def calibrate(self, puzzle: P, pictures: Pictures) -> tuple[PictureTask, PictureRecord]:
        """Return the task that reads a question by its own pictures, and their record with the boxes of the cells.

        Raises UnreadablePictures with the reason where they cannot be read as this puzzle."""
        from vmevalkit.tasks.kit.fill_pictures import calibrate_cells

        return calibrate_cells(self, puzzle, self.grid_shape(puzzle), pictures)

    def answers(self, puzzle: P) -> tuple[Answer, ...]:
        """Return every answer, the one of the reference solution first."""
        return _list_answers(self, puzzle)

    def certify(self, puzzle: P) -> None:
        answers = self.answers(puzzle)
        if not 1 <= len(answers) <= self.max_answers:
            raise Uncertified(f"{len(answers)} answers instead of 1 to {self.max_answers}")
        if not answers[0]:
            raise Uncertified("nothing has to be filled in")

    def measure_difficulty(self, puzzle: P) -> dict[str, float]:
        return {"cells_to_fill": len(self.answers(puzzle)[0]), "answers": len(self.answers(puzzle))}

    def make_stage(self, puzzle: P) -> Stage:
        start = Scene(self.cells(puzzle))
        kinds = {part.name: PartKind(("", *self.cell_contents(puzzle, part))) for part in start.parts}
        return Stage(self.size(puzzle), lambda canvas: self.ground(puzzle, canvas), self.paint, start, kinds)

    def solution(self, puzzle: P, t: float) -> Scene:
        return self._fill(puzzle, self.answers(puzzle)[0], t)

    def accepted_states(self, puzzle: P) -> Sequence[Scene]:
        return [self._fill(puzzle, answer, 1.0) for answer in self.answers(puzzle)]

    def _fill(self, puzzle: P, answer: Answer, t: float) -> Scene:
        """Return the scene at a time at which the cells are filled one after another."""
        start = self.stage(puzzle).start
        changed = []
        for place, (name, look) in enumerate(answer.items()):
            share = min(max(t * len(answer) - place, 0.0), 1.0)
            cell = start.get(name)
            if share > 0 and cell is not None:
                changed.append(replace(cell, look=look, opacity=share))  # half of a single fill is no answer
        return start.change(*changed)

    def _read_cells(self, puzzle: P, state: Scene) -> dict[str, str]:
        """Return what is in each cell: a faint content is there, but is not an answer."""
        return {
            part.name: part.look if part.opacity > PRESENT else f"{part.look}{_FAINT_MARK}"
            for part in state.parts
            if part.look
        }

    def _given(self, puzzle: P) -> dict[str, str]:
        return {part.name: part.look for part in self.stage(puzzle).start.parts if part.look}

    def accepted(self, puzzle: P, state: Scene) -> bool:
        if state.extra or state.hidden:
            return False
        seen, given = self._read_cells(puzzle, state), self._given(puzzle)
        return any(seen == {**given, **answer} for answer in self.answers(puzzle))

    def progress(self, puzzle: P, state: Scene) -> float:
        seen, given = self._read_cells(puzzle, state), self._given(puzzle)
        damage = sum(seen.get(name) != look for name, look in given.items()) / max(1, len(given))
        best = 0.0
        for answer in self.answers(puzzle):
            right = sum(seen.get(name) == look for name, look in answer.items())
            # A right content that is only beginning to appear is neither right nor wrong.
            wrong = sum(1 for name in seen if name not in given and _get_look(seen[name]) != answer.get(name))
            best = max(best, (right - wrong) / len(answer))
        return min(max(best - damage, 0.0), 1.0)

    def is_intact(self, puzzle: P, state: Scene) -> bool:
        seen = self._read_cells(puzzle, state)
        return all(seen.get(name) == look or name in state.hidden for name, look in self._given(puzzle).items())

    def check(self, puzzle: P, trace: Trace[Scene]) -> CheckResult:
        def is_damaged(start: Part, now: Part | None) -> bool:
            return bool(start.look) and (now is None or now.look != start.look or now.opacity < FAINT)

        return CheckResult(tuple(check_damage(self.stage(puzzle), trace, is_damaged, "was changed")))

    def deciding_boxes(self, puzzle: P, state: Scene) -> Sequence[Box]:
        blank = [part for part in self.stage(puzzle).start.parts if not part.look]
        return [box for part in blank for box in self._list_content_boxes(puzzle, part)]

    def _list_content_boxes(self, puzzle: P, part: Part) -> Iterator[Box]:
        """Yield the box of each look that a cell has at first or in an answer; of any look if it is to stay blank."""
        looks = {answer[part.name] for answer in self.answers(puzzle) if part.name in answer}
        for look in sorted(looks) or [part.look]:
            yield self.part_box(puzzle, replace(part, look=look))

    def board_box(self, puzzle: P) -> Box:
        """Return the box of all that is drawn at first, with numbers and rules beside the cells."""
        frame = self.first_frame(puzzle)
        rows, columns = np.nonzero((frame != frame[0, 0]).any(axis=2))
        height, width = frame.shape[:2]
        return (
            float(columns.min() / width), float(rows.min() / height),
            float((columns.max() + 1) / width), float((rows.max() + 1) / height),
        )  # fmt: skip

    def highlight_boxes(self, puzzle: P) -> Sequence[Box]:
        """Return the boxes of what is in the cells, and of whole cells: they reach half the way to the next one."""
        parts = self.stage(puzzle).start.parts
        return [
            box for part in parts for box in (*self._list_content_boxes(puzzle, part), self._cell_box(puzzle, part))
        ]

    def explained_boxes(self, puzzle: P, state: Scene) -> Sequence[Box]:
        """Return the cells with numbers in another typeface."""
        return [self._cell_box(puzzle, part) for part in self.stage(puzzle).start.parts if part.name in state.rewritten]

    def _cell_box(self, puzzle: P, part: Part) -> Box:
        """Return the box of a whole cell."""
        parts, (width, height) = self.stage(puzzle).start.parts, self.size(puzzle)
        contents = self._list_content_boxes(puzzle, part)
        content = max(max((right - left) * width, (low - top) * height) for left, top, right, low in contents)
        gaps = [max(abs(part.x - other.x), abs(part.y - other.y)) for other in parts if other is not part]
        reach = min([*(gap / 2 for gap in gaps), _MAX_CELL / 2 * content])
        x, y = part.x, part.y
        return (x - reach) / width, (y - reach) / height, (x + reach) / width, (y + reach) / height

    def cheats(self, puzzle: P, rng: Random) -> dict[str, StateTrajectory[Scene]]:
        answer, kinds = self.answers(puzzle)[0], self.stage(puzzle).kinds
        name = rng.choice(list(answer))
        right = [dict(each) for each in self.answers(puzzle)]
        wrong = [look for look in kinds[name].looks if look and {**answer, name: look} not in right]

        def play(filled: Answer) -> Callable[[float], Scene]:
            return lambda t: self._fill(puzzle, filled, min(1.0, t / 0.7))

        solve = play(answer)
        cheats: dict[str, StateTrajectory[Scene]] = {}
        if wrong:
            mistaken = play({**answer, name: rng.choice(wrong)})
            cheats["wrong_fill"] = StateTrajectory(mistaken, "fail", "one cell is filled wrongly")
            cheats["corrected"] = StateTrajectory(
                lambda t: (mistaken if t < 0.75 else solve)(t), "pass", "a wrong cell is corrected"
            )
        others = {cell: look for cell, look in answer.items() if cell != name}
        blank = [part.name for part in self.stage(puzzle).start.parts if not part.look and part.name not in answer]
        places = [cell for cell in blank if {**others, cell: answer[name]} not in right]
        if places:
            moved = {**others, rng.choice(places): answer[name]}
            cheats["wrong_place"] = StateTrajectory(play(moved), "fail", "what belongs into one cell is in another")
        if blank:
            extra = rng.choice(blank)
            added = {**answer, extra: rng.choice([look for look in kinds[extra].looks if look])}
            if added not in right:
                cheats["one_too_many"] = StateTrajectory(play(added), "fail", "a cell is filled that must stay blank")
        if others and others not in right:
            cheats["one_missing"] = StateTrajectory(play(others), "fail", "one cell stays blank")

        def fade_short(t: float) -> Scene:
            scene = solve(t)
            part = scene.get(name)
            return scene.change(replace(part, opacity=min(part.opacity, 0.3))) if part and part.look else scene

        cheats["faint"] = StateTrajectory(fade_short, "fail", "one cell is filled by a third only")
        given = [part for part in self.stage(puzzle).start.parts if part.look]
        return cheats | dict(self.list_common_cheats(puzzle, rng, given, solve))


def _get_look(content: str) -> str:
    return content.removesuffix(_FAINT_MARK)


@lru_cache(maxsize=256)
def _list_answers(task: FillTask[Any, Any], puzzle: Any) -> tuple[Answer, ...]:
    return tuple(islice(task.solve(puzzle), task.max_answers + 1))
