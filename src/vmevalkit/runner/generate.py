"""Make questions: plan them in this process, draw them in several, and go on where an earlier call stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import to_json
from vmevalkit.jobs.done import Done, Failure
from vmevalkit.jobs.pool import check_workers, map_jobs
from vmevalkit.runner.index import Entry, write_index
from vmevalkit.runner.knobs import turned
from vmevalkit.runner.stock import take_stock
from vmevalkit.store import layout
from vmevalkit.store.commit import clean, lock
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import (
    difficulty_of,
    fingerprint,
    pixel_fingerprint,
    question_id,
    write_question,
    write_solution,
)
from vmevalkit.tasks.planning import check_number, puzzles
from vmevalkit.tasks.task import AnyTask


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a dataset of one task is made from. Question i follows from this and i."""

    task: AnyTask
    seed: int
    knobs: Any
    difficulty: str
    root: Path
    solutions: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """One question to be drawn, or to be given its film. It can be sent to another process."""

    task: str
    index: int
    puzzle: Any
    film_only: bool = False
    """The question is there, and wants its solution film."""

    @property
    def id(self) -> str:
        return question_id(self.task, self.index)


@dataclass(frozen=True, slots=True)
class Generated:
    """What became of one task."""

    task: str
    asked: int
    drawn: int
    kept: int
    """Questions of the same recipe that were there already."""
    beyond: int
    """Questions of the same recipe with an index of ``asked`` or more: they stay, and are part of the dataset."""
    failures: tuple[tuple[str, Failure], ...]
    """Ids that could not be drawn, and why."""
    fingerprint: str
    """Of questions 0 to asked - 1: it depends on task, seed, knobs and number alone."""
    pixel_fingerprint: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What a call of ``generate`` did."""

    tasks: tuple[Generated, ...]
    index: Path

    @property
    def failures(self) -> tuple[tuple[str, Failure], ...]:
        return tuple(failure for task in self.tasks for failure in task.failures)


def generate(
    tasks: Sequence[str | AnyTask],
    n: int,
    *,
    seed: int = 42,
    difficulty: str | None = None,
    knobs: Mapping[str, Any] | None = None,
    out: Path | str = layout.QUESTIONS,
    solutions: bool = False,
    workers: int = 1,
    force: bool = False,
    on_done: Callable[[int, int], None] | None = None,
) -> Summary:
    """``n`` questions of each task under ``out``, and the index of all that lie there.

    Questions of the same recipe (seed, knobs) are kept, missing ones are drawn. Other questions of the task are refused
    (Occupied) before anything is written, unless ``force`` is set, which makes the task's folder hold exactly what is
    asked for; questions made by hand are left alone either way, as long as their ids are not needed. More questions
    than ``n`` of the same recipe stay. ``knobs`` turn single knobs of the preset. ``on_done`` is told how many
    questions of how many are there.
    """
    check_workers(workers)
    root = Path(out)
    chosen = list({task.name: task for task in (TASKS[t] if isinstance(t, str) else t for t in tasks)}.values())
    recipes = []
    for task in chosen:
        values = turned(task, difficulty, knobs)
        check_number(task, n, values)
        recipes.append(Recipe(task, seed, values, difficulty_of(task, values), root, solutions))
    with ExitStack() as stack:
        for recipe in recipes:
            folder = root / layout.domain_folder(recipe.task.name)
            stack.enter_context(lock(folder))
            clean(folder)
            stack.callback(clean, folder)  # a worker may have been ended in the middle of tidying up
        plans = [_Plan(recipe, n, force) for recipe in recipes]
        _draw(plans, workers, on_done, n)
        made = tuple(plan.generated() for plan in plans)
        entries = [plan.entry(one) for plan, one in zip(plans, made, strict=True)]
        with lock(root, wait=True):
            clean(root)
            index = write_index(root, entries)
    return Summary(made, index)


class _Plan:
    """The way of one task from what is there to what is asked for."""

    def __init__(self, recipe: Recipe, n: int, force: bool) -> None:
        self.recipe, self._n = recipe, n
        self._stock = take_stock(recipe.task, recipe.root, recipe.seed, recipe.knobs, n)
        self._coming = puzzles(recipe.task, recipe.seed, recipe.knobs)
        self._looked_at = self._compare()
        self._stock.clear(n, force)
        self.kept = sum(index < n for index in self._stock.same)
        self._drawn: dict[int, dict[str, Any]] = {}
        self._failures: list[tuple[str, Failure]] = []

    def _compare(self) -> list[Any]:
        """Plan as far as questions are there, and see whether they are the planned ones."""
        last = max((index for index in self._stock.same if index < self._n), default=-1)
        planned = list(islice(self._coming, last + 1))
        for index, puzzle in enumerate(planned):
            self._stock.check(index, puzzle, self.recipe.task.prompt(puzzle))
        return planned

    def orders(self) -> Iterator[Order]:
        coming = chain(self._looked_at, self._coming)
        for index, puzzle in enumerate(islice(coming, self._n)):
            order = Order(self.recipe.task.name, index, puzzle, film_only=index in self._stock.same)
            if not order.film_only or (self.recipe.solutions and not self._film(order.id).is_file()):
                yield order

    def _film(self, question: str) -> Path:
        return layout.question_folder(self.recipe.root, self.recipe.task.name, question) / layout.SOLUTION

    def take(self, done: Done[Order, dict[str, Any]]) -> None:
        if done.error is not None:
            self._failures.append((done.item.id, done.error))
        elif not done.item.film_only:
            self._drawn[done.item.index] = done.value or {}

    def _pairs(self) -> list[dict[str, Any]]:
        """The records of all questions of the recipe that are there now, by index."""
        return [pair for _, pair in sorted({**self._stock.same, **self._drawn}.items())]

    def entry(self, made: Generated) -> Entry:
        """For the index: all that lies in the folder, and what it was made from."""
        recipe, pairs = self.recipe, self._pairs()
        info = {
            "seed": recipe.seed,
            "knobs": to_json(recipe.knobs),
            "difficulty": recipe.difficulty,
            "version": recipe.task.version,
            "questions": len(pairs),
            "fingerprint": fingerprint(pairs) if made.beyond else made.fingerprint,
            "pixel_fingerprint": pixel_fingerprint(pairs) if made.beyond else made.pixel_fingerprint,
        }
        return recipe.task, pairs + self._stock.by_hand, info

    def generated(self) -> Generated:
        pairs = self._pairs()
        asked = [pair for pair in pairs if pair["index"] < self._n]
        return Generated(
            task=self.recipe.task.name,
            asked=self._n,
            drawn=len(self._drawn),
            kept=self.kept,
            beyond=len(pairs) - len(asked),
            failures=tuple(self._failures),
            fingerprint=fingerprint(asked),
            pixel_fingerprint=pixel_fingerprint(asked),
        )


def _draw(plans: Sequence[_Plan], workers: int, on_done: Callable[[int, int], None] | None, n: int) -> None:
    by_task = {plan.recipe.task.name: plan for plan in plans}
    there, total = sum(plan.kept for plan in plans), n * len(plans)

    def take(done: Done[Order, dict[str, Any]]) -> None:
        nonlocal there
        if done.error is not None and done.error.is_a(StoreError):
            raise StoreError(done.error.message)  # the next question would fare no better on a full disk
        by_task[done.item.task].take(done)
        there += not done.item.film_only
        if on_done:
            on_done(there, total)

    if on_done:
        on_done(there, total)
    drawer = Drawer({plan.recipe.task.name: plan.recipe for plan in plans})
    orders = chain.from_iterable(plan.orders() for plan in plans)
    films = any(plan.recipe.solutions for plan in plans)  # they take seconds: this process should not be held up
    map_jobs(drawer, orders, workers, take, lend_a_hand=not films)


@dataclass(frozen=True, slots=True)
class Drawer:
    """Draws and writes one question; returns its record. It can be sent to another process, and brings its tasks."""

    recipes: Mapping[str, Recipe]

    def __call__(self, order: Order) -> dict[str, Any]:
        recipe = self.recipes[order.task]
        if order.film_only:
            write_solution(recipe.task, order.puzzle, order.id, recipe.root)
            return {}
        return write_question(
            recipe.task,
            order.puzzle,
            order.id,
            recipe.root,
            difficulty=recipe.difficulty,
            seed=recipe.seed,
            index=order.index,
            knobs=recipe.knobs,
            solution=recipe.solutions,
        )
