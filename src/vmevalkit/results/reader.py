"""The runs, scores and questions of one experiment, read through its cache and matched."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.errors import InvalidRecord, StoreError
from vmevalkit.core.records import Run, Score
from vmevalkit.results.cache import EntryCache, cache_file, decode_entry
from vmevalkit.results.entries import Entry, read_question_entry, read_run_entry, read_score_entry
from vmevalkit.results.scan import JobPlace, RunFile, ScoreFile, file_signature, find_run_files, find_score_files
from vmevalkit.results.verdicts import ScoreState, match_run
from vmevalkit.store import layout
from vmevalkit.store.questions import load_question, question_digest
from vmevalkit.store.runs import Job, question_of, select_effective_runs
from vmevalkit.store.scores import Scored

JobKey = tuple[JobPlace, int]
"""A job of an experiment: model, domain and question, and the sample."""

_UNKNOWN = Score("", "")
"""Whether a score counts does not depend on its verdict."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FoundRun:
    """The effective run of a job."""

    file: RunFile
    """Its record."""
    content: bytes
    """What was read from the record, as JSON."""

    @property
    def entry(self) -> Entry:
        """What was read from the record."""
        return decode_entry(self.content)

    @property
    def video(self) -> str | None:
        """Path of the video; None where the run has none."""
        name = self.entry.get("video")
        return f"{self.file.folder}/{name}" if name else None

    def as_run(self, experiment: str) -> Run:
        """Return the run as the store has it, with what matters for matching scores."""
        place, folder, entry = self.file.place, Path(self.file.folder), self.entry
        return Run(
            experiment, place.model, place.question, place.domain, entry["sample"], self.file.run_id, entry["status"],
            folder, folder / entry["video"] if entry.get("video") else None,
            question_digest=entry.get("question_digest"), video_digest=entry.get("video_digest"),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoundScore:
    """A score, and the run whose video it is on."""

    file: ScoreFile
    """The score file."""
    entry: Entry
    """What was read from the file."""
    state: ScoreState
    """Whether the score counts."""
    run: FoundRun | None
    """None for a video made elsewhere, and where the run was removed."""


class ExperimentReader:
    """Reads one experiment. Files that did not change since the last call come from the cache."""

    def __init__(self, experiment: str, outputs: Path, evaluations: Path) -> None:
        self._experiment, self._outputs, self._evaluations = experiment, outputs, evaluations
        self._cache = EntryCache(cache_file(evaluations, experiment))
        self._questions: dict[tuple[str, str, str | None], Entry] = {}
        self._digests: dict[Path, str | None] = {}

    @property
    def read_count(self) -> int:
        """Number of files that were read so far because the cache did not have them."""
        return self._cache.read_count

    def save_cache(self) -> None:
        """Write the cache where something changed. Call it once everything was read."""
        self._cache.save()

    def read_runs(self) -> dict[JobKey, FoundRun]:
        """Return the effective run of each job."""
        found: dict[JobKey, list[FoundRun]] = defaultdict(list)
        for file in find_run_files(self._outputs, self._experiment):
            try:
                content = self._cache.get_content(f"run/{file.key}", file.signature, read_run_entry, file.folder)
            except InvalidRecord as error:
                _log.warning("%s", error)
                continue
            found[file.place, decode_entry(content)["sample"]].append(FoundRun(file, content))
        return {job: runs[0] if len(runs) == 1 else self._choose(runs) for job, runs in found.items()}

    def read_scores(self, runs: dict[JobKey, FoundRun]) -> Iterator[FoundScore]:
        """Yield every score with its run."""
        for file in find_score_files(self._evaluations, self._experiment):
            try:
                entry = self._cache.get(f"score/{file.key}", file.signature, read_score_entry, file.path)
            except InvalidRecord as error:
                _log.warning("%s", error)
                continue
            run = runs.get((file.place, file.sample))
            if run is not None and _has_same_digests(entry, run):
                yield FoundScore(file, entry, "current", run)
            else:
                yield FoundScore(file, entry, *self._match(file, entry, run))

    def read_question_of_run(self, run: FoundRun) -> Entry | None:
        """Return difficulty, params and tags of a run's puzzle; None where the run folder has no such record.

        All runs of a puzzle have the same question, so that of one run is read."""
        place, digest = run.file.place, run.entry.get("question_digest")
        known = self._questions.get((place.domain, place.question, digest))
        return known or self._read_question(place, digest, question_of(run.as_run(self._experiment)))

    def read_question_of_score(self, score: FoundScore) -> Entry | None:
        """Return the same for the score of a video made elsewhere."""
        place, digest = score.file.place, score.entry["puzzle_digest"]
        known = self._questions.get((place.domain, place.question, digest))
        folder = None if known else self.find_question_of_score(score)
        return known if folder is None else self._read_question(place, digest, folder)

    def find_question_of_score(self, score: FoundScore) -> Path | None:
        """Return the folder of the question that the score of a video made elsewhere names; None where there is another
        question. A file of others may name any folder of this machine, but not know the digest of what it contains."""
        name, digest = score.entry["question_folder"], score.entry["puzzle_digest"]
        folder = Path(score.file.path).parent / name if name else None
        if folder is not None and folder not in self._digests:
            try:
                self._digests[folder] = question_digest(load_question(folder))
            except StoreError:
                self._digests[folder] = None
        return folder if folder is not None and digest and self._digests[folder] == digest else None

    def _read_question(self, place: JobPlace, digest: str | None, folder: Path) -> Entry | None:
        signature = file_signature(str(folder / layout.QUESTION_RECORD))
        if signature is None:
            return None
        name = f"question/{place.domain}/{place.question}/{digest}"
        entry = self._cache.get(name, signature, read_question_entry, str(folder))
        self._questions[place.domain, place.question, digest] = entry
        return entry

    def _choose(self, runs: list[FoundRun]) -> FoundRun:
        """Return the effective one of several runs of a job."""
        runs = sorted(runs, key=lambda run: (str(run.entry.get("created_at", "")), run.file.run_id))
        [effective] = select_effective_runs(run.as_run(self._experiment) for run in runs)
        return next(run for run in runs if run.file.run_id == effective.run_id)

    def _match(self, file: ScoreFile, entry: Entry, run: FoundRun | None) -> tuple[ScoreState, FoundRun | None]:
        place = file.place
        scored = Scored(
            self._experiment, place.model, place.domain, place.question, file.evaluator, _UNKNOWN, file.sample,
            entry["run_id"], entry["video_digest"], entry["puzzle_digest"],
        )  # fmt: skip
        known = {} if run is None else {Job.of(each): each for each in [run.as_run(self._experiment)]}
        state, matched = match_run(scored, known)
        return state, None if matched is None else run


def _has_same_digests(score: Entry, run: FoundRun) -> bool:
    """Whether video and puzzle agree. It is the usual case, and saves making two records of the store to compare."""
    entry = run.entry
    digests = (entry.get("video_digest"), entry.get("question_digest"))
    return None not in digests and bool(entry.get("video")) and digests == (
        score["video_digest"], score["puzzle_digest"],
    )  # fmt: skip
