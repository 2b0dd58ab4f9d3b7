"""Generating questions: they are planned in this process and drawn in several. A repeated call resumes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Exhausted, StoreError
from vmevalkit.core.jsonable import to_json
from vmevalkit.datasets.existing_questions import find_existing_questions
from vmevalkit.datasets.index import IndexEntry, write_index
from vmevalkit.datasets.param_overrides import override_params
from vmevalkit.jobs.executor import Executor, LocalExecutor
from vmevalkit.jobs.portable import Move, Output, PortableJob
from vmevalkit.jobs.result import JobFailure, JobResult
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, lock
from vmevalkit.store.fingerprint import compute_fingerprints
from vmevalkit.store.record_spool import SpooledRecords
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import (
    check_vacant,
    difficulty_of,
    question_id,
    write_question,
    write_solution,
)
from vmevalkit.tasks.planning import check_number, iterate_mixed_puzzles
from vmevalkit.tasks.task import AnyTask

MAX_GAPS = 4096
"""Puzzles of missing questions between existing ones that are kept in memory."""


@dataclass(frozen=True, slots=True)
class TaskRecipe:
    """What determines a dataset of one task: question i depends on this and on i alone."""

    task: AnyTask
    seed: int
    choices: tuple[Any, ...]
    """Params of the difficulties, in turn: question i has those of ``choices[i % len(choices)]``."""
    root: Path
    solutions: bool = False

    def params_of(self, index: int) -> Any:
        return self.choices[index % len(self.choices)]


@dataclass(frozen=True, slots=True)
class DrawJob:
    """One question to draw, or to add its solution video to. It can be sent to another process."""

    task: str
    index: int
    puzzle: Any
    solution_only: bool = False
    """The question exists and only its solution video is missing."""

    @property
    def id(self) -> str:
        return question_id(self.task, self.index)


@dataclass(frozen=True, slots=True)
class Generated:
    """The result for one task."""

    task: str
    asked: int
    drawn: int
    kept: int
    """Questions of the same recipe that existed already."""
    beyond: int
    """Questions of the same recipe with an index of ``asked`` or more: they stay, and are part of the dataset."""
    repaired: tuple[tuple[str, str], ...]
    """Ids of damaged questions that were drawn again, and the damage."""
    failures: tuple[tuple[str, JobFailure], ...]
    """Ids that could not be drawn, and why."""
    exhausted: str | None
    """Why there are fewer questions than asked for; None where there are as many."""
    fingerprint: str
    """Fingerprint of questions 0 to asked - 1: it depends on task, seed, params and number alone."""
    pixel_fingerprint: str


@dataclass(frozen=True, slots=True)
class GenerateSummary:
    """The result of a call of ``generate``."""

    tasks: tuple[Generated, ...]
    index: Path

    @property
    def failures(self) -> tuple[tuple[str, JobFailure], ...]:
        return tuple(failure for task in self.tasks for failure in task.failures)

    @property
    def problems(self) -> list[str]:
        """Why questions are missing: tasks that have fewer than asked for, and questions that could not be drawn."""
        too_few = [f"{task.task}: {task.exhausted}" for task in self.tasks if task.exhausted]
        return [*too_few, *(f"{name}: {failure.describe()}" for name, failure in self.failures)]


def generate(
    tasks: Sequence[str | AnyTask],
    n: int,
    *,
    seed: int = 42,
    difficulty: str | None = None,
    params: Mapping[str, Any] | None = None,
    out: Path | str = layout.QUESTIONS,
    solutions: bool = False,
    workers: int = 1,
    force: bool = False,
    verify: bool = False,
    executor: Executor | None = None,
    on_done: Callable[[int, int], None] | None = None,
) -> GenerateSummary:
    """Generate ``n`` questions of each task under ``out``, and the index of everything there.

    Existing questions of the same recipe (seed, params) are kept, missing and damaged ones are drawn. ``verify`` also
    compares the pixels of existing images with the recorded digests. Other questions of the task are refused
    (ConflictError) before anything is changed, unless ``force`` is set: then the task's folder holds exactly what was
    asked for. Questions made by hand are left alone, as long as their ids are not needed. Questions of the same recipe
    beyond ``n`` stay. ``difficulty`` may name several, separated by commas: question i has the one with the number
    i modulo their number. A task with fewer than ``n`` distinct questions makes those. ``params`` override single
    params of the preset. ``executor`` draws the questions, by default ``workers`` processes. ``on_done`` gets the
    numbers of existing and of requested questions.
    """
    executor = executor or LocalExecutor(workers)
    root = Path(out)
    chosen = list({task.name: task for task in (TASKS[t] if isinstance(t, str) else t for t in tasks)}.values())
    recipes = []
    for task in chosen:
        names = [name.strip() for name in difficulty.split(",")] if difficulty else [None]
        choices = tuple(override_params(task, name, params) for name in names)
        check_number(task, min(n, 1), choices[0])
        recipes.append(TaskRecipe(task, seed, choices, root, solutions))
    with ExitStack() as stack:
        for recipe in recipes:
            folder = root / layout.domain_folder(recipe.task.name)
            stack.enter_context(lock(folder))
            clean(folder)
            stack.callback(clean, folder)  # a worker may have been killed while it cleaned up
        plans = [_TaskPlan(recipe, n, force, verify) for recipe in recipes]
        _draw(plans, executor, on_done, n)
        made = tuple(plan.generated() for plan in plans)
        entries = [plan.entry(one) for plan, one in zip(plans, made, strict=True)]
        with lock(root, wait=True):
            clean(root)
            index = write_index(root, entries)
    return GenerateSummary(made, index)


class _TaskPlan:
    """The questions of one task: which exist, which are still to be drawn."""

    def __init__(self, recipe: TaskRecipe, n: int, force: bool, verify: bool) -> None:
        self.recipe, self._n = recipe, n
        self._existing = find_existing_questions(recipe.task, recipe.root, recipe.seed, recipe.choices, n)
        self._exhausted: str | None = None
        self._puzzles = self._plan_puzzles()
        self._gaps: dict[int, Any] | None = {}
        """Planned puzzles of missing questions before the last existing one; None where there are too many to keep."""
        self._planned = 0
        self._compare(verify)
        self._existing.make_room(n, force)
        self._records = self._existing.same
        self._drawn = 0
        self.kept = sum(index < n for index in self._records.list_numbers())
        self._failures: list[tuple[str, JobFailure]] = []

    def _plan_puzzles(self) -> Iterator[Any]:
        """Yield all puzzles, and keep why there are no more."""
        try:
            yield from iterate_mixed_puzzles(self.recipe.task, self.recipe.seed, self.recipe.choices)
        except Exhausted as error:
            self._exhausted = str(error)

    def _compare(self, verify: bool) -> None:
        """Plan as far as questions exist, and compare those with the planned ones."""
        last = max((index for index in self._existing.same.list_numbers() if index < self._n), default=-1)
        for index, puzzle in enumerate(islice(self._puzzles, last + 1)):
            self._existing.compare(index, self.recipe.task, puzzle, verify=verify)
            if self._gaps is not None and self._is_to_draw(index):
                self._gaps[index] = puzzle
                if len(self._gaps) > MAX_GAPS:
                    self._gaps = None
        self._planned = last + 1

    def draw_jobs(self) -> Iterator[DrawJob]:
        for index, puzzle in self._iterate_planned():
            if self._is_to_draw(index):
                yield DrawJob(self.recipe.task.name, index, puzzle, solution_only=index in self._records)

    def _iterate_planned(self) -> Iterator[tuple[int, Any]]:
        """Yield index and puzzle of every question that may have to be drawn."""
        if self._gaps is None:  # planning again costs less than keeping most puzzles of a large dataset
            yield from enumerate(islice(self._plan_puzzles(), self._n))
            return
        yield from self._gaps.items()
        yield from enumerate(islice(self._puzzles, self._n - self._planned), self._planned)

    def _is_to_draw(self, index: int) -> bool:
        """Whether a question, or only its solution video, is missing."""
        if index not in self._existing.same:
            return True
        return self.recipe.solutions and not self._solution_video(question_id(self.recipe.task.name, index)).is_file()

    def _solution_video(self, question: str) -> Path:
        return layout.question_folder(self.recipe.root, self.recipe.task.name, question) / layout.SOLUTION

    def collect(self, done: JobResult[DrawJob, dict[str, Any]]) -> None:
        if done.error is not None:
            self._failures.append((done.item.id, done.error))
        elif not done.item.solution_only:
            self._records.put(done.item.index, done.value or {})
            self._drawn += 1

    def entry(self, made: Generated) -> IndexEntry:
        """Return the task's part of the index: the records of all of its questions, and what they were made from."""
        recipe, pairs = self.recipe, SpooledRecords(self._records)
        fingerprints = (made.fingerprint, made.pixel_fingerprint)
        if made.beyond:
            fingerprints = compute_fingerprints(pairs)
        info = {
            "seed": recipe.seed,
            "params": to_json(recipe.choices[0] if len(recipe.choices) == 1 else recipe.choices),
            "difficulty": ",".join(difficulty_of(recipe.task, params) for params in recipe.choices),
            "version": recipe.task.version,
            "questions": len(pairs),
            "fingerprint": fingerprints[0],
            "pixel_fingerprint": fingerprints[1],
        }
        return recipe.task, SpooledRecords(self._records, self._existing.by_hand), info

    def generated(self) -> Generated:
        pairs, beyond = SpooledRecords(self._records), sum(index >= self._n for index in self._records.list_numbers())
        fingerprints = compute_fingerprints(islice(pairs, len(pairs) - beyond))
        return Generated(
            task=self.recipe.task.name,
            asked=self._n,
            drawn=self._drawn,
            kept=self.kept,
            beyond=beyond,
            repaired=tuple((folder.name, damage) for folder, damage in self._existing.damaged.items()),
            failures=tuple(self._failures),
            exhausted=self._exhausted,
            fingerprint=fingerprints[0],
            pixel_fingerprint=fingerprints[1],
        )


def _draw(plans: Sequence[_TaskPlan], executor: Executor, on_done: Callable[[int, int], None] | None, n: int) -> None:
    by_task = {plan.recipe.task.name: plan for plan in plans}
    finished, total = sum(plan.kept for plan in plans), n * len(plans)

    def collect(_: int, done: JobResult[DrawJob, dict[str, Any]]) -> None:
        nonlocal finished
        if done.error is not None and done.error.is_a(StoreError):
            raise StoreError(done.error.message)  # on a full disk every further question fails too
        by_task[done.item.task].collect(done)
        finished += not done.item.solution_only
        if on_done:
            on_done(finished, total)

    if on_done:
        on_done(finished, total)
    drawer = Drawer({plan.recipe.task.name: plan.recipe for plan in plans})
    jobs = chain.from_iterable(plan.draw_jobs() for plan in plans)
    with_videos = any(plan.recipe.solutions for plan in plans)  # they take seconds: keep the planning process free
    executor.map(drawer, jobs, collect, use_main_process=not with_videos)


@dataclass(frozen=True, slots=True)
class Drawer(PortableJob[DrawJob, dict[str, Any]]):
    """Draws and writes one question, and returns its record. It can be sent to another process with its tasks."""

    recipes: Mapping[str, TaskRecipe]

    def list_inputs(self, item: DrawJob) -> Iterable[Path]:
        return ()

    def move_item(self, item: DrawJob, to: Move) -> DrawJob:
        return item

    def move_function(self, to: Move) -> Drawer:
        return Drawer({name: replace(recipe, root=to(recipe.root)) for name, recipe in self.recipes.items()})

    def move_value(self, value: dict[str, Any], to: Move) -> dict[str, Any]:
        return value

    def list_outputs(self, item: DrawJob, value: dict[str, Any]) -> Sequence[Path]:
        folder = layout.question_folder(self.recipes[item.task].root, item.task, item.id)
        return [folder / layout.SOLUTION if item.solution_only else folder]

    def publish(self, item: DrawJob, outputs: Sequence[Output]) -> None:
        if not item.solution_only:
            recipe = self.recipes[item.task]
            check_vacant(recipe.task, item.puzzle, item.id, recipe.root)
        PortableJob.publish(self, item, outputs)

    def __call__(self, job: DrawJob) -> dict[str, Any]:
        recipe = self.recipes[job.task]
        if job.solution_only:
            write_solution(recipe.task, job.puzzle, job.id, recipe.root)
            return {}
        return write_question(
            recipe.task,
            job.puzzle,
            job.id,
            recipe.root,
            difficulty=difficulty_of(recipe.task, recipe.params_of(job.index)),
            seed=recipe.seed,
            index=job.index,
            params=recipe.params_of(job.index),
            solution=recipe.solutions,
        )
