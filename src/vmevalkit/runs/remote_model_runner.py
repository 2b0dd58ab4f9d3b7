"""The runs of one model behind a service: polls, reconciles and orders what is left to do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from uuid import uuid4

from vmevalkit.core.errors import Blocked
from vmevalkit.core.jsonable import digest, from_json
from vmevalkit.core.records import Run
from vmevalkit.core.remote import Ticket
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.dispatch import Dispatcher
from vmevalkit.jobs.limits import RateLimiter
from vmevalkit.jobs.order import Order, Outcome
from vmevalkit.jobs.progress import Progress
from vmevalkit.jobs.reconcile import list_claimed_ids, list_unanswered_intents, match_intents
from vmevalkit.jobs.remote_job import Check, ProviderContext, make_ticket_record
from vmevalkit.models.model import RemoteVideoModel
from vmevalkit.runs.job_specs import JobSpec, RetryPolicy
from vmevalkit.runs.job_state import Step, has_same_input
from vmevalkit.runs.run_writer import RunWriter
from vmevalkit.store import layout
from vmevalkit.store.journal import Intent, Journal, JournalEntry, read_entries, read_other_entries
from vmevalkit.store.runs import Job

UNCERTAIN = (
    "a video may have been ordered and charged, and the provider's list does not show it; check your account there, "
    "then use --resubmit-uncertain to order it again"
)


@dataclass(frozen=True, slots=True)
class RemoteBatch:
    """The jobs of one remote model."""

    model: RemoteVideoModel
    outputs: Path
    folder: Path
    """The model's folder in the experiment."""
    steps: dict[Step, list[JobSpec]]
    """The jobs by their next step."""
    earlier_runs: Mapping[Job, Run]
    retry: RetryPolicy
    usd: float | None
    """The price of a video, where it is known or assumed."""
    part: str | None = None
    """The name of this shard's journal."""


class RemoteModelRunner:
    """Runs one batch."""

    def __init__(
        self,
        batch: RemoteBatch,
        rate_limiter: RateLimiter,
        budget: Budget,
        progress: Progress,
        check: Check | None,
        scratch: Path,
    ) -> None:
        self._batch, self._scratch, self._numbers = batch, scratch, count()
        self._rate_limiter, self._model_progress = rate_limiter, progress.of(batch.model.spec.name)
        self._model_progress.get_pause_s = rate_limiter.get_pause_s
        self._journal = Journal(batch.folder, batch.part)
        self.writer = RunWriter(batch.model.spec, batch.outputs, scratch)
        context = ProviderContext(batch.model, self._journal, rate_limiter, budget, check)
        self.dispatcher: Dispatcher[JobSpec] = Dispatcher(context, self._model_progress, self.writer.write)
        self._is_stopped = False

    def stop(self) -> None:
        self._is_stopped = True
        self.dispatcher.stop()

    async def run(self) -> None:
        """Return when no job is left, or where the provider accepts no call of this account."""
        try:
            await self._run_steps()
        except Blocked as error:
            self._rate_limiter.block = error

    async def _run_steps(self) -> None:
        steps = self._batch.steps
        unsettled = [job_spec for job_spec in steps["keep"] if self._is_unsettled(job_spec)]
        await asyncio.gather(
            *(self._journal.record_settled(job_spec.key, "success", is_closed=False) for job_spec in unsettled)
        )
        found, uncertain = await self._find_lost_orders(steps["reconcile"])
        resubmitted = uncertain if self._batch.retry.uncertain else []
        if not resubmitted:
            unrecorded = [job_spec for job_spec in uncertain if not self._is_recorded_uncertain(job_spec)]
            self._model_progress.waiting -= len(uncertain) - len(unrecorded)
            self._model_progress.kept += len(uncertain) - len(unrecorded)
            await asyncio.gather(
                *(
                    self._journal.record_settled(job_spec.key, "uncertain", is_closed=False)
                    for job_spec in uncertain
                    if job_spec not in unrecorded and self._entry(job_spec).status != "uncertain"
                )
            )
            await self._settle_uncertain([(job_spec, UNCERTAIN) for job_spec in unrecorded])
        polled = (self._make_order(job_spec, self._load_ticket(job_spec)) for job_spec in steps["poll"])
        ordered = (self._make_order(job_spec) for job_spec in chain(resubmitted, steps["order"]))
        await self.dispatcher.run(chain(polled, found, ordered))
        lost = {order.job: (order.payload, error) for order, error in self.dispatcher.lost_orders}
        if lost and not self._is_stopped:
            found, uncertain = await self._find_lost_orders([job_spec for job_spec, _ in lost.values()])
            await self.dispatcher.run(found)
            errors = [f"{lost[job_spec.key][1]}; {UNCERTAIN}" for job_spec in uncertain]
            await self._settle_uncertain(list(zip(uncertain, errors, strict=True)))

    async def close(self) -> None:
        await self.dispatcher.close()
        await self._journal.close()
        await self._batch.model.close()

    async def _find_lost_orders(self, job_specs: Sequence[JobSpec]) -> tuple[list[Order[JobSpec]], list[JobSpec]]:
        """Return the orders that the provider's list shows unambiguously, and the jobs without such an order."""
        if not job_specs:
            return [], []
        intents = {job_spec.job: self._require_intent(job_spec) for job_spec in job_specs}
        listed = await self.dispatcher.list_provider_jobs(min(intent.time for intent in intents.values()))
        if listed is None:
            return [], list(job_specs)
        ours, others = self._split_entries()
        matches = match_intents(
            list(intents.values()),
            list_unanswered_intents(ours),
            {intent.prompt for intent in list_unanswered_intents(others)},
            listed,
            list_claimed_ids([*ours, *others]),
        )
        found, uncertain = [], []
        for job_spec in job_specs:
            provider_job = matches.get(job_spec.key)
            if provider_job is None:
                uncertain.append(job_spec)
                continue
            ticket = Ticket(provider_job.id)
            await self._journal.record_ticket(job_spec.key, make_ticket_record(ticket))
            found.append(self._make_order(job_spec, ticket))
        return found, uncertain

    def _split_entries(self) -> tuple[list[JournalEntry], list[JournalEntry]]:
        """Return the entries of this call's jobs, and those of all others.

        Other processes may be working on the others, so their journals are read now: every order that the provider's
        list showed before has its intent there."""
        keys = {job_spec.key for job_specs in self._batch.steps.values() for job_spec in job_specs}
        ours = [entry for key, entry in self._journal.entries.items() if key in keys]
        of_model = read_entries(layout.journals_of(self._batch.folder))
        others = [entry for key, entry in of_model.items() if key not in keys]
        return ours, [*others, *read_other_entries(self._batch.outputs, self._batch.folder, self._may_share_list)]

    def _may_share_list(self, model: str) -> bool:
        """Whether the list of this model's provider may contain orders of the other model."""
        from vmevalkit.models.catalogue import MODELS

        if model not in MODELS:
            return True
        spec, other = self._batch.model.spec, MODELS[model]
        return (other.provider, other.vendor_id) == (spec.provider, spec.vendor_id)

    def _is_unsettled(self, job_spec: JobSpec) -> bool:
        """Whether the journal does not know of the job's video: the process died in between."""
        entry = self._entry(job_spec)
        return entry.ticket is not None and entry.status is None

    def _is_recorded_uncertain(self, job_spec: JobSpec) -> bool:
        """Whether an earlier call has recorded that the job is uncertain."""
        run = self._batch.earlier_runs.get(job_spec.job)
        return run is not None and run.status == "uncertain"

    async def _settle_uncertain(self, uncertain: Sequence[tuple[JobSpec, str]]) -> None:
        outcomes = [Outcome(self._make_order(job_spec), "uncertain", error) for job_spec, error in uncertain]
        await asyncio.gather(*(self.dispatcher.settle(outcome) for outcome in outcomes))
        self._model_progress.waiting -= len(outcomes)
        self._model_progress.uncertain += len(outcomes)

    def _make_order(self, job_spec: JobSpec, ticket: Ticket | None = None) -> Order[JobSpec]:
        spec, entry = self._batch.model.spec, self._entry(job_spec)
        unanswered_key = entry.intent.idempotency_key if entry.intent is not None and entry.ticket is None else None
        request = job_spec.params.request(spec, job_spec.question, job_spec.job.sample)
        return Order(
            job=job_spec.key,
            request=request,
            input_digest=job_spec.input_digest,
            video_path=self._scratch / f"{next(self._numbers)}.mp4",
            payload=job_spec,
            idempotency_key=unanswered_key or uuid4().hex,
            usd=self._batch.usd,
            ticket=ticket,
            request_digest=digest(
                [job_spec.input_digest, request.seconds, request.size, request.seed, dict(request.parameters)]
            ),
        )

    def _entry(self, job_spec: JobSpec) -> JournalEntry:
        entry = self._journal.entry(job_spec.key)
        return entry if has_same_input(entry, job_spec) else JournalEntry()

    def _require_intent(self, job_spec: JobSpec) -> Intent:
        intent = self._entry(job_spec).intent
        assert intent is not None, f"{job_spec.job} is open without an intent"
        return intent

    def _load_ticket(self, job_spec: JobSpec) -> Ticket:
        return from_json(Ticket, self._entry(job_spec).ticket)
