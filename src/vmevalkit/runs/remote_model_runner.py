"""The runs of one model behind a service: polls, reconciles and orders what is left to do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, count
from pathlib import Path
from uuid import uuid4

from vmevalkit.core.errors import Blocked
from vmevalkit.core.jsonable import digest, from_json
from vmevalkit.core.records import Run
from vmevalkit.core.remote import ProviderJob, Ticket
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.dispatch import Dispatcher
from vmevalkit.jobs.limits import RateLimiter
from vmevalkit.jobs.order import Order, Outcome
from vmevalkit.jobs.progress import Progress
from vmevalkit.jobs.reconcile import (
    CLOCK_TOLERANCE,
    find_never_ordered,
    list_candidates,
    list_claimed_ids,
    list_unanswered_intents,
    match_intents,
    match_videos,
)
from vmevalkit.jobs.remote_job import Check, ProviderContext, make_ticket_record
from vmevalkit.models.model import RemoteVideoModel
from vmevalkit.runs.first_frame_matcher import FirstFrameMatcher
from vmevalkit.runs.job_specs import JobSpec, RetryPolicy
from vmevalkit.runs.job_state import Step, has_same_input
from vmevalkit.runs.run_writer import RunWriter
from vmevalkit.store import layout
from vmevalkit.store.journal import Intent, JobKey, Journal, JournalEntry, read_entries, read_other_entries
from vmevalkit.store.runs import Job

UNCERTAIN = (
    "a video may have been ordered and charged, and the provider's list does not show which it is; look it up in your "
    "account there: vmevalkit claim JOB ORDER_ID takes it, --resubmit-uncertain orders it again"
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
        self._is_stopped, self._budget = False, budget
        self._unsent: set[JobKey] = set()
        """Jobs whose intents became no order, by the list that was read last."""

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
        uncertain, unsent = await self._void_unsent_orders(uncertain)
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
        await self.dispatcher.run(chain(polled, found, unsent, ordered))
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
        earliest = min(intent.time for intent in intents.values())
        listed = await self.dispatcher.list_provider_jobs(earliest - CLOCK_TOLERANCE)
        if listed is None:
            return [], list(job_specs)
        ours, others = self._split_entries()
        lost, of_ours, of_others = (
            list(intents.values()),
            list_unanswered_intents(ours),
            list_unanswered_intents(others),
        )
        claimed = list_claimed_ids([*ours, *others])
        matches = match_intents(lost, of_ours, {intent.prompt for intent in of_others}, listed, claimed)
        lost = [intent for intent in lost if intent.job not in matches]
        if lost:
            candidates = list_candidates(lost, listed, claimed | {job.id for job in matches.values()})
            wanted = [job_spec for job_spec in job_specs if job_spec.key not in matches]
            shown = await self._find_shown_inputs(candidates, wanted)
            taken = {intent.input_digest for intent in of_others}
            matches |= match_videos(lost, of_ours, taken, candidates, shown)
        lost = [intent for intent in lost if intent.job not in matches]
        claimed |= {job.id for job in matches.values()}
        complete_until = datetime.now(UTC) - timedelta(seconds=self._rate_limiter.limits.list_lag_s)
        self._unsent = {
            intent.job for intent in find_never_ordered(lost, listed, [*ours, *others], claimed, complete_until)
        }
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

    async def _void_unsent_orders(self, uncertain: Sequence[JobSpec]) -> tuple[list[JobSpec], list[Order[JobSpec]]]:
        """Return the jobs that stay uncertain, and the orders of those that the provider never got: they are sent now,
        with the same idempotency key."""
        orders = []
        for job_spec in uncertain:
            if job_spec.key in self._unsent:
                orders.append(self._make_order(job_spec))
                self._budget.release(self._require_intent(job_spec).usd)
                self._journal.record_void(job_spec.key)
        return [job_spec for job_spec in uncertain if job_spec.key not in self._unsent], orders

    async def _find_shown_inputs(
        self, candidates: Sequence[ProviderJob], job_specs: Sequence[JobSpec]
    ) -> dict[str, str]:
        """Return, by the id of each order, the input of the question that its video begins with, where it is clear.

        Polling and downloading an order that was paid for costs nothing. The videos are waited for."""
        questions = {job_spec.input_digest: job_spec for job_spec in job_specs}
        matcher = FirstFrameMatcher({name: job_spec.question.first_frame for name, job_spec in questions.items()})
        slots = asyncio.Semaphore(self._rate_limiter.limits.in_flight)

        async def find(candidate: ProviderJob) -> str | None:
            async with slots:
                if self._is_stopped:
                    return None
                order = replace(self._make_order(job_specs[0], Ticket(candidate.id)), usd=None)
                outcome = await self.dispatcher.fetch_video(order)
                if outcome is None or outcome.status != "success":
                    return None
                found = await asyncio.to_thread(matcher.find, order.video_path)
                order.video_path.unlink(missing_ok=True)
                return found

        names = await asyncio.gather(*map(find, candidates))
        return {job.id: name for job, name in zip(candidates, names, strict=True) if name is not None}

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
                # Not the seed: samples of a question are interchangeable.
                [job_spec.input_digest, request.seconds, request.size, dict(request.parameters)]
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
