"""Run models on questions: one run folder for each job, finished or failed, and never the same job twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from vmevalkit.core.records import Run
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.course import Check
from vmevalkit.jobs.pool import check_workers
from vmevalkit.jobs.tally import Board
from vmevalkit.media.wholeness import whole_film
from vmevalkit.models.model import ModelSpec, RemoteModel
from vmevalkit.runner.errands import Again, Errand, Shard, in_order, limited, runs_there
from vmevalkit.runner.interrupts import wait_for
from vmevalkit.runner.local import film_here
from vmevalkit.runner.plan import Money, Pace, Plan, make_plan
from vmevalkit.runner.remote import Task, entries_of, film_remotely, mend, steps_of
from vmevalkit.runner.wishes import Wishes
from vmevalkit.store import layout
from vmevalkit.store.commit import lock
from vmevalkit.store.runs import Job
from vmevalkit.store.shards import shard_lock


@dataclass(frozen=True, slots=True)
class Summary:
    """What a call of ``run`` did."""

    runs: tuple[Run, ...]
    """The run that counts for each job that was asked for."""
    made: int
    kept: int
    """Jobs that were finished, or had failed, in an earlier call."""
    not_applicable: tuple[tuple[str, str], ...] = ()
    """Model and question where a baseline has nothing to film: its trick is another task's."""
    unordered: int = 0
    """Jobs that the budget did not allow."""
    budget: Budget | None = None
    """What was spent by the experiment, where anything is charged."""

    @property
    def failed(self) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.status != "success")


def run(
    models: Sequence[str],
    questions: Path | str = layout.QUESTIONS,
    experiment: str = "first",
    outputs: Path | str = layout.OUTPUTS,
    *,
    domains: Sequence[str] | None = None,
    samples: int = 1,
    seconds: float | None = None,
    wishes: Wishes | None = None,
    workers: int = 1,
    retry_failed: bool = False,
    again: Again | None = None,
    force: bool = False,
    shard: Shard | None = None,
    limit: int | None = None,
    money: Money | None = None,
    pace: Pace | None = None,
    catalogue: Mapping[str, ModelSpec] | None = None,
    check: Check | None = whole_film,
    board: Board | None = None,
    on_done: Callable[[int, int], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Summary:
    """Every model on every question, ``samples`` times.

    A job is (experiment, model, question, sample): one that has a film is not done again, one that failed only with
    ``retry_failed`` (``again`` names further cases). Films of other questions under the same ids are refused (Occupied)
    before anything is run, unless ``force`` is set, which removes them. A job that fails leaves a run folder that says
    why. ``shard`` is a part of the jobs, ``limit`` the most of each model that are begun. ``check`` looks at each film
    that arrives from a provider. ``board`` is kept up to date for whoever watches, ``on_done`` is told how many jobs of
    how many are finished, and ``tell`` what a model has no place for.
    """
    check_workers(workers)
    wishes = wishes or Wishes()
    wishes = wishes if seconds is None else replace(wishes, seconds=seconds)
    again = again or Again()
    again = replace(again, failed=again.failed or retry_failed)
    money, pace, board = money or Money(), pace or Pace(), Board() if board is None else board
    plan = make_plan(
        models, questions, experiment, outputs,
        domains=domains, samples=samples, wishes=wishes, shard=shard, catalogue=catalogue,
    )  # fmt: skip
    remote = _load(plan, wishes, tell)
    prices = {name: money.price(model.spec, wishes) for name, model in remote.items()}

    def tick() -> None:
        if on_done:
            on_done(board.finished, board.total)

    with ExitStack() as locks:
        for folder in (layout.model_folder(Path(outputs), experiment, model) for model in plan.specs):
            locks.enter_context(shard_lock(folder, *shard) if shard else lock(folder))
        work = _left_to_do(plan, remote, prices, again, limit, force=force, shard=shard)
        board.budget = money.budget(layout.experiment_folder(Path(outputs), experiment), shard) if remote else None
        _fill(board, plan, work)
        tick()
        made = _film(work.here, workers, board, tick)
        unordered = 0
        if board.budget is not None:
            filmed = wait_for(film_remotely(work.tasks, pace.limits, board.budget, board, check, tick))
            made.update(filmed.runs)
            unordered = filmed.left
    counted = in_order(plan.errands, {**work.runs, **made})
    return Summary(counted, len(made), len(counted) - len(made), plan.idle, unordered, board.budget)


@dataclass(frozen=True, slots=True)
class _Work:
    """What is there, and what is to be done."""

    runs: dict[Job, Run]
    here: list[Errand]
    tasks: list[Task]


def _left_to_do(
    plan: Plan,
    remote: Mapping[str, RemoteModel],
    prices: Mapping[str, float | None],
    again: Again,
    limit: int | None,
    *,
    force: bool,
    shard: Shard | None,
) -> _Work:
    errands = {name: plan.of(name) for name in remote}
    folders = {name: plan.folder(name) for name in remote}
    entries = {name: entries_of(folders[name], errands[name], force=force) for name in remote}
    for name, known in entries.items():
        mend(errands[name], known)
    runs = runs_there(plan.errands, force=force)
    here = [errand for errand in plan.errands if errand.job.model not in remote and _is_open(errand, runs, again)]
    part = f"{shard[0]}-of-{shard[1]}" if shard else None
    tasks = []
    for name, model in remote.items():
        steps = steps_of(errands[name], entries[name], runs, again)
        steps["order"] = limited(steps["order"], limit)
        tasks.append(Task(model, plan.outputs, folders[name], steps, runs, again, prices[name], part))
    return _Work(runs, limited(here, limit), tasks)


def _load(plan: Plan, wishes: Wishes, tell: Callable[[str], None] | None) -> dict[str, RemoteModel]:
    """The remote models of the plan. All are loaded before anything is ordered, so that what is missing is said now."""
    from vmevalkit.models.catalogue import load

    remote: dict[str, RemoteModel] = {}
    for name, spec in plan.specs.items():
        if spec is None:
            continue
        model = load(spec)
        if hasattr(model, "submit"):
            remote[name] = cast(RemoteModel, model)
        unmet = wishes.unmet(spec)
        if tell and unmet:
            tell(f"{name}: {'; '.join(unmet)}")
    return remote


def _is_open(errand: Errand, runs: Mapping[Job, Run], again: Again) -> bool:
    there = runs.get(errand.job)
    return there is None or (there.status != "success" and again.failed)


def _fill(board: Board, plan: Plan, work: _Work) -> None:
    """Count each job where it is at the start. Those beyond the limit are no part of this call."""
    begun = {errand.job for errand in work.here}
    remote = {task.model.spec.name for task in work.tasks}
    for errand in plan.errands:
        tally = board.of(errand.job.model)
        if errand.job in begun:
            tally.waiting += 1
        elif errand.job.model not in remote and errand.job in work.runs:
            tally.kept += 1
    for task in work.tasks:
        tally = board.of(task.model.spec.name)
        tally.kept = len(task.steps["keep"])
        tally.waiting = sum(len(errands) for step, errands in task.steps.items() if step != "keep")


def _film(errands: Iterable[Errand], workers: int, board: Board, tick: Callable[[], None]) -> dict[Job, Run]:
    """The jobs of baselines and models on this machine."""
    made: dict[Job, Run] = {}

    def take(run: Run) -> None:
        made[Job.of(run)] = run
        board.of(run.model).move("waiting", run.status)
        tick()

    film_here(list(errands), workers, take)
    return made
