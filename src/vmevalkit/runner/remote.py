"""Models behind services: what is left to do of their jobs, through the dispatcher."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from random import Random
from uuid import uuid4

from vmevalkit.core.errors import Occupied, StoreError
from vmevalkit.core.jsonable import digest, from_json
from vmevalkit.core.records import Run
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.course import Check, Counter, ticket_record
from vmevalkit.jobs.dispatch import Dispatch
from vmevalkit.jobs.limits import Gate, Limits
from vmevalkit.jobs.order import Order, Outcome
from vmevalkit.jobs.reconcile import claimed, matches, unanswered
from vmevalkit.jobs.tally import Board
from vmevalkit.models.model import ModelSpec, RemoteModel, Ticket
from vmevalkit.runner.delivery import Delivery
from vmevalkit.runner.errands import Again, Errand
from vmevalkit.runner.interrupts import stopping
from vmevalkit.runner.standing import Step, next_step
from vmevalkit.store import layout
from vmevalkit.store.commit import clean, file_digest, remove_folder, scratch_folder
from vmevalkit.store.journal import Entry, Intent, Journal, entries_in, read_entries
from vmevalkit.store.runs import Job, load_run

UNCERTAIN = (
    "a film may have been ordered and paid for, and the provider's list does not tell; look there, then use "
    "--resubmit-uncertain to order it again"
)


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done with one remote model."""

    model: RemoteModel
    outputs: Path
    folder: Path
    """The model's, in the experiment."""
    steps: dict[Step, list[Errand]]
    there: Mapping[Job, Run]
    """Runs of earlier calls."""
    again: Again
    usd: float | None
    """The price of a film, where it is known or assumed."""
    part: str | None = None
    """Names the journal of this part of divided work."""


@dataclass(slots=True)
class Filmed:
    """What came of the tasks."""

    runs: dict[Job, Run] = field(default_factory=dict)
    left: int = 0
    """Jobs that the budget did not allow."""


def entries_of(folder: Path, errands: Sequence[Errand], *, force: bool = False) -> dict[Job, Entry]:
    """What the journals say of the jobs. Open orders for other questions under the same ids are refused; with ``force``
    they are forgotten."""
    known = read_entries(layout.journals_of(folder))
    found = {}
    for errand in errands:
        entry = known.get(errand.name, Entry())
        if _is_open(entry) and not _is_about(entry, errand) and not force:
            raise Occupied(
                f"{errand.job.model} has an open order for another question or prompt under the id "
                f"{errand.question.id!r} in {folder}; use another --experiment, or --force to give it up"
            )
        found[errand.job] = entry if _is_about(entry, errand) else Entry()
    return found


def _is_open(entry: Entry) -> bool:
    return entry.intent is not None and entry.status is None


def _is_about(entry: Entry, errand: Errand) -> bool:
    return entry.intent is None or entry.intent.asked == errand.asked


def mend(errands: Iterable[Errand], entries: dict[Job, Entry]) -> None:
    """Remove what a power cut left of folders that were not known to be on the disk."""
    for errand in errands:
        entry = entries[errand.job]
        if entry.ticket is None or entry.status is not None:
            continue
        for folder in layout.subfolders(errand.folder):
            if not _whole(folder):
                remove_folder(folder)


def _whole(folder: Path) -> bool:
    """A folder without a record does not count, and does no harm."""
    if not (folder / layout.RUN_RECORD).exists():
        return True
    try:
        run = load_run(folder)
        return run.video is None or file_digest(run.video) == run.video_digest
    except StoreError:
        return False


def steps_of(
    errands: Iterable[Errand], entries: dict[Job, Entry], runs: dict[Job, Run], again: Again
) -> dict[Step, list[Errand]]:
    steps: dict[Step, list[Errand]] = {"keep": [], "poll": [], "reconcile": [], "order": []}
    for errand in errands:
        steps[next_step(entries[errand.job], runs.get(errand.job), again)].append(errand)
    return steps


async def film_remotely(
    tasks: Sequence[Task],
    limits: Callable[[ModelSpec], Limits],
    budget: Budget,
    board: Board,
    check: Check | None,
    on_settled: Callable[[], None],
) -> Filmed:
    """Do all tasks at once. Raises KeyboardInterrupt after an interrupt, once what had to be finished is finished."""
    gates: dict[str, Gate] = {}
    filmed = Filmed()
    with ExitStack() as stack:
        desks = []
        for task in tasks:
            spec = task.model.spec
            gate = gates.setdefault(spec.provider, Gate(limits(spec), Random()))
            clean(task.folder)
            scratch = stack.enter_context(scratch_folder(task.folder / "films"))
            desks.append(_Desk(task, gate, budget, board, check, scratch))

        def stop_all() -> None:
            for desk in desks:
                desk.stop()

        for desk in desks:
            desk.dispatch.on_settled, desk.dispatch.on_failure = on_settled, stop_all
        try:
            with stopping(stop_all) as interrupt:
                ends = await asyncio.gather(*(desk.work() for desk in desks), return_exceptions=True)
        except asyncio.CancelledError:
            if interrupt.pressed:
                raise KeyboardInterrupt from None
            raise
        finally:
            await asyncio.gather(*(desk.close() for desk in desks), return_exceptions=True)
        for desk in desks:
            filmed.runs.update(desk.delivery.runs)
            filmed.left += len(desk.dispatch.left)
        errors = [end for end in ends if isinstance(end, BaseException)]
        for error in sorted(errors, key=lambda error: not isinstance(error, StoreError)):
            raise error
    if interrupt.pressed:
        raise KeyboardInterrupt
    return filmed


class _Desk:
    """One model at work."""

    def __init__(
        self, task: Task, gate: Gate, budget: Budget, board: Board, check: Check | None, scratch: Path
    ) -> None:
        self._task, self._scratch, self._numbers = task, scratch, count()
        self._tally = board.of(task.model.spec.name)
        self._journal = Journal(task.folder, task.part)
        self.delivery = Delivery(task.model.spec, task.outputs, scratch)
        counter = Counter(task.model, self._journal, gate, budget, check)
        self.dispatch: Dispatch[Errand] = Dispatch(counter, self._tally, self.delivery.commit)
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True
        self.dispatch.stop()

    async def work(self) -> None:
        steps = self._task.steps
        unsettled = [errand for errand in steps["keep"] if self._is_unsettled(errand)]
        await asyncio.gather(*(self._journal.settle(e.name, "success", closed=False) for e in unsettled))
        found, doubtful = await self._looked_up(steps["reconcile"])
        repeated = doubtful if self._task.again.uncertain else []
        if not repeated:
            await self._give_up([(errand, UNCERTAIN) for errand in doubtful if not self._is_known(errand)])
        polled = (self._order(errand, self._ticket(errand)) for errand in steps["poll"])
        ordered = (self._order(errand) for errand in chain(repeated, steps["order"]))
        await self.dispatch.run(chain(polled, found, ordered))
        lost = {order.job: (order.item, why) for order, why in self.dispatch.lost}
        if lost and not self._stopped:
            found, doubtful = await self._looked_up([errand for errand, _ in lost.values()])
            await self.dispatch.run(found)
            await self._give_up([(errand, f"{lost[errand.name][1]}; {UNCERTAIN}") for errand in doubtful])

    async def close(self) -> None:
        await self.dispatch.close()
        await self._journal.close()
        await self._task.model.close()

    async def _looked_up(self, errands: Sequence[Errand]) -> tuple[list[Order[Errand]], list[Errand]]:
        """Orders that the provider's list shows beyond doubt, and the errands that it does not show."""
        if not errands:
            return [], []
        intents = {errand.job: self._intent(errand) for errand in errands}
        listed = await self.dispatch.listed(min(intent.time for intent in intents.values()))
        if listed is None:
            return [], list(errands)
        ours, others = self._entries()
        matched = matches(
            list(intents.values()),
            unanswered(ours),
            {intent.prompt for intent in unanswered(others)},
            listed,
            claimed([*ours, *others]),
        )
        found, doubtful = [], []
        for errand in errands:
            order = matched.get(errand.name)
            if order is None:
                doubtful.append(errand)
                continue
            ticket = Ticket(order.id)
            await self._journal.ticket(errand.name, ticket_record(ticket))
            found.append(self._order(errand, ticket))
        return found, doubtful

    def _entries(self) -> tuple[list[Entry], list[Entry]]:
        """What is known of the jobs of this call, and of all others. Other processes may be at work on those, so their
        journals are read now: whatever the provider's list showed before has its intent there."""
        names = {errand.name for errands in self._task.steps.values() for errand in errands}
        ours = [entry for name, entry in self._journal.entries.items() if name in names]
        beside = read_entries(layout.journals_of(self._task.folder))
        others = [entry for name, entry in beside.items() if name not in names]
        return ours, [*others, *entries_in(self._task.outputs, self._task.folder, self._is_listed_with)]

    def _is_listed_with(self, model: str) -> bool:
        """Whether the list that this model's provider gives may show orders of the other one, as far as is known."""
        from vmevalkit.models.catalogue import MODELS

        if model not in MODELS:
            return True
        spec, other = self._task.model.spec, MODELS[model]
        return (other.provider, other.vendor_id) == (spec.provider, spec.vendor_id)

    def _is_unsettled(self, errand: Errand) -> bool:
        """Whether there is a film that the journal does not know of: the process died in between."""
        entry = self._entry(errand)
        return entry.ticket is not None and entry.status is None

    def _is_known(self, errand: Errand) -> bool:
        """Whether an earlier call has recorded that the job is uncertain."""
        known = self._entry(errand).status == "uncertain" and errand.job in self._task.there
        if known:
            self._tally.move("waiting", "kept")
        return known

    async def _give_up(self, doubtful: Sequence[tuple[Errand, str]]) -> None:
        outcomes = [Outcome(self._order(errand), "uncertain", why) for errand, why in doubtful]
        await asyncio.gather(*(self.dispatch.settle(outcome) for outcome in outcomes))
        self._tally.waiting -= len(outcomes)
        self._tally.uncertain += len(outcomes)

    def _order(self, errand: Errand, ticket: Ticket | None = None) -> Order[Errand]:
        spec, entry = self._task.model.spec, self._entry(errand)
        unanswered_key = entry.intent.key if entry.intent is not None and entry.ticket is None else None
        request = errand.wishes.request(spec, errand.question, errand.job.sample)
        return Order(
            job=errand.name,
            request=request,
            asked=errand.asked,
            film=self._scratch / f"{next(self._numbers)}.mp4",
            item=errand,
            key=unanswered_key or uuid4().hex,
            usd=self._task.usd,
            ticket=ticket,
            alike=digest([errand.asked, request.seconds, request.size, request.seed, dict(request.parameters)]),
        )

    def _entry(self, errand: Errand) -> Entry:
        entry = self._journal.entry(errand.name)
        return entry if _is_about(entry, errand) else Entry()

    def _intent(self, errand: Errand) -> Intent:
        intent = self._entry(errand).intent
        assert intent is not None, f"{errand.job} is open without an intent"
        return intent

    def _ticket(self, errand: Errand) -> Ticket:
        return from_json(Ticket, self._entry(errand).ticket)
