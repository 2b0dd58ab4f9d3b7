"""The state of jobs of a remote model, from its journal and its runs, and the next step of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from vmevalkit.core.errors import ConflictError, StoreError
from vmevalkit.core.records import Run
from vmevalkit.runs.job_specs import JobSpec, RetryPolicy
from vmevalkit.store import layout
from vmevalkit.store.atomic import file_digest, remove_folder
from vmevalkit.store.journal import JobKey, JournalEntry, read_entries
from vmevalkit.store.runs import Job, load_standalone_run

Step = Literal["keep", "poll", "reconcile", "order"]
"""keep: nothing to do. poll: poll the ticket. reconcile: find out whether it was ordered. order: send an order."""


def load_entries(folder: Path, job_specs: Sequence[JobSpec], *, force: bool = False) -> dict[Job, JournalEntry]:
    """Return the entry of each job from the journals in a model's folder.

    Open orders for other questions under the same ids raise a ConflictError. With ``force`` they are given up."""
    return select_entries(read_entries(layout.journals_of(folder)), folder, job_specs, force=force)


def select_entries(
    entries: Mapping[JobKey, JournalEntry], folder: Path, job_specs: Sequence[JobSpec], *, force: bool = False
) -> dict[Job, JournalEntry]:
    """Return the same from entries that were read before."""
    found = {}
    for job_spec in job_specs:
        entry = entries.get(job_spec.key, JournalEntry())
        if not has_same_input(entry, job_spec):
            if entry.status is None and not force:
                raise ConflictError(
                    f"{job_spec.job.model} has an open order for another question or prompt under the id "
                    f"{job_spec.question.id!r} in {folder}; use another --experiment, or --force to give it up"
                )
            entry = JournalEntry()
        found[job_spec.job] = entry
    return found


def has_same_input(entry: JournalEntry, job_spec: JobSpec) -> bool:
    """Whether the entry's order, if it has one, is for the job's question and prompt."""
    return entry.intent is None or entry.intent.input_digest == job_spec.input_digest


def remove_torn_runs(job_specs: Iterable[JobSpec], entries: Mapping[Job, JournalEntry]) -> None:
    """Remove run folders that a power cut left incomplete: the journal does not confirm that they are on the disk."""
    for job_spec in job_specs:
        entry = entries[job_spec.job]
        if entry.ticket is None or entry.status is not None:
            continue
        for folder in layout.subfolders(job_spec.folder):
            if not _is_intact(folder):
                remove_folder(folder)


def _is_intact(folder: Path) -> bool:
    """A folder without a record counts as intact: it is not a run, and does no harm."""
    if not (folder / layout.RUN_RECORD).exists():
        return True
    try:
        run = load_standalone_run(folder)
        return run.video is None or file_digest(run.video) == run.video_digest
    except StoreError:
        return False


def group_by_step(
    job_specs: Iterable[JobSpec], entries: Mapping[Job, JournalEntry], runs: Mapping[Job, Run], retry: RetryPolicy
) -> dict[Step, list[JobSpec]]:
    """Return the jobs by their next step."""
    steps: dict[Step, list[JobSpec]] = {"keep": [], "poll": [], "reconcile": [], "order": []}
    for job_spec in job_specs:
        steps[next_step(entries[job_spec.job], runs.get(job_spec.job), retry)].append(job_spec)
    return steps


def next_step(entry: JournalEntry, run: Run | None, retry: RetryPolicy) -> Step:
    """Return the next step of a job with this entry and, if it has one, this run."""
    if run is not None and run.status == "success":
        return "keep"
    if entry.status is None and entry.intent is not None:
        return "reconcile" if entry.ticket is None else "poll"
    if entry.status == "uncertain" and entry.ticket is None:
        return "reconcile"
    can_poll = entry.ticket is not None and not entry.is_closed and not retry.reorder
    if run is None:
        return "poll" if can_poll else "order"
    if run.status == "failed":
        return ("poll" if can_poll else "order") if retry.failed else "keep"
    is_retried = retry.refused if run.status == "refused" else retry.uncertain
    return "order" if is_retried else "keep"
