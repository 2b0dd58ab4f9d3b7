"""Which jobs a call is about, and what is there of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.errors import Occupied, StoreError, UsageError
from vmevalkit.core.jsonable import digest
from vmevalkit.core.records import Question, Run
from vmevalkit.models.model import ModelSpec
from vmevalkit.runner.prompts import VARIANTS
from vmevalkit.runner.wishes import Wishes
from vmevalkit.store.commit import remove_folder
from vmevalkit.store.journal import JobName
from vmevalkit.store.questions import load_questions, question_digest
from vmevalkit.store.runs import Job, counting, runs_of

Shard = tuple[int, int]
"""Part i of n, from 1 to n."""


@dataclass(frozen=True, slots=True)
class Errand:
    """One job with all that is needed to do it. It can be sent to another process."""

    job: Job
    question: Question
    outputs: Path
    question_digest: str
    asked: str
    """Digest of the question and of the way of asking it."""
    wishes: Wishes
    spec: ModelSpec | None = None
    """None for a baseline."""
    place: Path | None = None
    """Where the run folder goes, if not where the job's runs lie."""
    run_id: str | None = None
    """The name of the run folder, if it is not made from the clock. Then it names the job as well."""

    @property
    def folder(self) -> Path:
        return self.job.folder(self.outputs) if self.place is None else self.place

    @property
    def name(self) -> JobName:
        return self.job.domain, self.run_id or self.job.question_id, self.job.sample


@dataclass(frozen=True, slots=True)
class Again:
    """What is done once more although it was done before."""

    failed: bool = False
    refused: bool = False
    """By the content policy: to ask again seldom helps."""
    uncertain: bool = False
    """Orders whose answers were lost: a film may have been paid for already."""
    anew: bool = False
    """Order again even where an earlier order may still bring its film."""


def questions_in(root: Path | str, domains: Sequence[str] | None) -> list[Question]:
    asked = load_questions(root, domains)
    if not asked:
        raise StoreError(f"there are no questions in {root}; make some first: vmevalkit generate --out {root}")
    return asked


def errands_of(
    specs: Mapping[str, ModelSpec | None],
    questions: Sequence[Question],
    experiment: str,
    outputs: Path,
    samples: int,
    wishes: Wishes,
    shard: Shard | None = None,
) -> list[Errand]:
    """Model by model, question by question, sample by sample. With a shard, every n-th job of each model."""
    if samples < 1:
        raise UsageError(f"{samples} samples were asked for; ask for at least 1")
    part, parts = shard or (1, 1)
    if not 1 <= part <= parts:
        raise UsageError(f"--shard {part}/{parts} is no part of a whole; count from 1/{parts} to {parts}/{parts}")
    variant = VARIANTS[wishes.prompt_variant]
    digests = [question_digest(question) for question in questions]
    named = [(q, name, digest([name, variant(q.prompt)])) for q, name in zip(questions, digests, strict=True)]
    return [
        Errand(job, question, outputs, name, asked, wishes, spec)
        for model, spec in specs.items()
        for number, (question, name, asked) in enumerate(named)
        for sample in range(samples)
        if (number * samples + sample) % parts == part - 1
        for job in (Job(experiment, model, question.domain, question.id, sample),)
    ]


def runs_there(errands: Sequence[Errand], *, force: bool = False) -> dict[Job, Run]:
    """The run that counts for each of the jobs, where there is one. Runs of other questions under the same ids, or of
    other prompts, are refused, or removed with ``force``."""
    folders = {errand.job.folder(errand.outputs): errand for errand in errands}
    found = [(run, errand) for folder, errand in folders.items() for run in runs_of(folder)]
    strangers = [(run, errand) for run, errand in found if _differs(run, errand)]
    if strangers and not force:
        run, errand = strangers[0]
        same = run.question_digest == errand.question_digest
        films = f"films made with the prompt variant {run.prompt_variant!r}" if same else "films of other questions"
        raise Occupied(
            f"the experiment {run.experiment!r} holds {films} ({run.folder}) and was left as it is; "
            "use another --experiment, or --force to remove them"
        )
    for run, _ in strangers:
        remove_folder(run.folder)
    wanted = {errand.job for errand in errands}
    kept = counting(run for run, errand in found if not _differs(run, errand))
    return {job: run for run in kept if (job := Job.of(run)) in wanted}


def in_order(errands: Sequence[Errand], runs: Mapping[Job, Run]) -> tuple[Run, ...]:
    return tuple(runs[errand.job] for errand in errands if errand.job in runs)


def limited(errands: Iterable[Errand], limit: int | None) -> list[Errand]:
    """At most so many of each model."""
    if limit is None:
        return list(errands)
    if limit < 1:
        raise UsageError(f"--limit {limit} leaves nothing to do; ask for at least 1")
    taken: dict[str, int] = {}
    chosen = []
    for errand in errands:
        model = errand.job.model
        if taken.setdefault(model, 0) < limit:
            taken[model] += 1
            chosen.append(errand)
    return chosen


def _differs(run: Run, errand: Errand) -> bool:
    return run.question_digest != errand.question_digest or run.prompt_variant != errand.wishes.prompt_variant
