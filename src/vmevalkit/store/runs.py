"""Run folders: one attempt of one model at one question, complete in itself.

The place of a run folder names its experiment, model, domain and question (see ``layout``). ``metadata.json`` repeats
these names for readers; they are not read back.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, get_args

from vmevalkit import __version__
from vmevalkit.core.errors import InvalidRecord, StoreError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.core.records import Question, Run, RunStatus
from vmevalkit.core.secrets import find_secrets, redact, redact_values
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, new_folder, os_errors
from vmevalkit.store.foreign_file import join_inside, read_foreign_file, refuse_link_out
from vmevalkit.store.questions import list_question_files
from vmevalkit.store.records import read_record, record_bytes

_VIDEO, _QUESTION = "video", "question"
_CACHED_QUESTIONS = 64
_MOST = 1e12
"""Seconds or dollars of one run."""
_numbers = count()
_log = logging.getLogger(__name__)
_RUN_FIELDS = tuple(field.name for field in fields(Run))


@dataclass(frozen=True, slots=True)
class Job:
    """Identity of a job: one model, one question and one sample in an experiment. It does not depend on the time."""

    experiment: str
    model: str
    domain: str
    question_id: str
    sample: int = 0

    @classmethod
    def of(cls, run: Run) -> Job:
        return cls(run.experiment, run.model, run.domain, run.question_id, run.sample)

    def folder(self, outputs: Path) -> Path:
        return layout.job_folder(outputs, self.experiment, self.model, self.domain, self.question_id)


@dataclass(frozen=True, slots=True)
class PendingRun:
    """A run folder that is being filled. It is hidden until it is complete."""

    run_id: str
    staging: Path
    """Where the folder is now."""
    target: Path
    """Where the folder will be."""
    secrets: Sequence[str] = ()

    def publish(self) -> None:
        """Rename the folder to its target: for a run that a RunStager began."""
        staging, target = str(self.staging), str(self.target)
        with os_errors(self.target):
            try:
                os.rename(staging, target)  # noqa: PTH104  - here strings cost a third of paths
            except FileNotFoundError:
                self.target.parent.mkdir(parents=True, exist_ok=True)
                os.rename(staging, target)  # noqa: PTH104

    @property
    def video(self) -> Path:
        """Where the model writes its video."""
        return self.staging / _VIDEO / f"{self.target.parent.name}.mp4"

    def finish(self, run: Run, extra: Mapping[str, Any] | None = None) -> Run:
        """Write the record, the last file of the folder, with ``extra`` keys for its readers. Secrets are removed.

        Returns the run with its final paths."""
        video = None if run.video is None else self.target / _VIDEO / run.video.name
        error = None if run.error is None else redact(run.error, self.secrets)
        final = replace(run, run_id=self.run_id, folder=self.target, video=video, error=error)
        record = {**_to_record(final), **redact_values(extra or {}, self.secrets)}
        _write(f"{self.staging}/{layout.RUN_RECORD}", record_bytes(record))
        return final


@contextmanager
def new_run(outputs: Path, job: Job, question: Question) -> Iterator[PendingRun]:
    """Yield a run folder that contains the question. It appears, complete and on the disk, when the block ends."""
    with new_run_in(job.folder(outputs), job, question) as pending:
        yield pending


@contextmanager
def new_run_in(folder: Path, job: Job, question: Question, run_id: str | None = None) -> Iterator[PendingRun]:
    """Yield the same in any folder, and under a given name."""
    clean(folder)
    run_id = run_id or find_free_run_id(folder, job.model, job.question_id, job.sample)
    with new_folder(folder / run_id, durable=True) as staging:
        pending = PendingRun(run_id, staging, folder / run_id, find_secrets())
        yield _add_question(pending, _read_question_files(question))


class RunStager:
    """Fills many run folders in a scratch folder, for a caller that syncs them to the disk together.

    Each appears at its place when it is published. The caller removes the scratch folder.
    """

    def __init__(self, scratch: Path) -> None:
        self._scratch, self._secrets = scratch, find_secrets()
        self._files: dict[Path, list[tuple[str, bytes]]] = {}
        """Files of the latest questions: samples of a question come close together."""

    def stage_run(self, folder: Path, job: Job, question: Question, run_id: str | None = None) -> PendingRun:
        run_id = run_id or find_free_run_id(folder, job.model, job.question_id, job.sample)
        staging = self._scratch / f"run-{next(_numbers)}"
        with os_errors(staging):
            os.mkdir(staging)  # noqa: PTH102
            pending = PendingRun(run_id, staging, folder / run_id, self._secrets)
            return _add_question(pending, self._cached_files(question))

    def _cached_files(self, question: Question) -> list[tuple[str, bytes]]:
        files = self._files.get(question.folder)
        if files is None:
            if len(self._files) == _CACHED_QUESTIONS:
                del self._files[next(iter(self._files))]
            files = self._files[question.folder] = _read_question_files(question)
        return files


def find_runs(outputs: Path | str, experiment: str, models: list[str] | None = None) -> list[Run]:
    """Return the effective run of each job of an experiment."""
    return list(iter_runs(outputs, experiment, models))


def iter_runs(outputs: Path | str, experiment: str, models: list[str] | None = None) -> Iterator[Run]:
    """Yield the same one by one: an experiment may have more runs than fit in memory.

    A run whose record is damaged is reported and left out."""
    for folder in _iter_job_folders(outputs, experiment, models):
        yield from select_effective_runs(_iter_job_runs(folder, leave_out_invalid=True))


def select_effective_runs(runs: Iterable[Run]) -> list[Run]:
    """Return one run of each job: the latest with a video, else the latest. ``runs`` are sorted by age."""
    best: dict[Job, Run] = {}
    for run in runs:
        other = best.get(Job.of(run))
        if other is None or run.status == "success" or other.status != "success":
            best[Job.of(run)] = run
    return list(best.values())


def load_all_runs(outputs: Path | str, experiment: str, models: list[str] | None = None) -> list[Run]:
    """Return every run of an experiment, sorted by model, domain and question, then by age."""
    return [run for folder in _iter_job_folders(outputs, experiment, models) for run in load_job_runs(folder)]


def _iter_job_folders(outputs: Path | str, experiment: str, models: list[str] | None) -> Iterator[Path]:
    place = layout.experiment_folder(Path(outputs), experiment)
    wanted = None if models is None else {layout.folder_name(model) for model in models}
    for model in layout.subfolders(place):
        if wanted is not None and model.name not in wanted:
            continue
        for domain in layout.subfolders(model):
            for job in layout.subfolders(domain):
                for folder in (model, domain, job):  # a link may lead to another experiment
                    refuse_link_out(folder, place, place.parent)
                yield job


def load_job_runs(job_folder: Path) -> list[Run]:
    """Return the runs of one model at one question, the oldest first. A folder without a record is skipped."""
    return list(_iter_job_runs(job_folder))


def _iter_job_runs(job_folder: Path, *, leave_out_invalid: bool = False) -> Iterator[Run]:
    folders = [(folder, read_record(folder / layout.RUN_RECORD)) for folder in layout.subfolders(job_folder)]
    records = [(str(record.get("created_at", "")), folder, record) for folder, record in folders if record is not None]
    if not records:
        return
    names, experiment = _names_of_place(job_folder), job_folder.parents[2]
    records.sort(key=lambda row: (row[0], row[1].name))
    for _, folder, record in records:
        refuse_link_out(folder, experiment, experiment.parent)
        try:
            yield _from_record(record, folder, names)
        except InvalidRecord as error:
            if not leave_out_invalid:
                raise
            _log.warning("left out: %s", error)


def load_run(folder: Path | str) -> Run:
    """Return the run in a folder of an experiment. Raises StoreError where it is unfinished, or elsewhere."""
    place = Path(folder)
    return _from_record(_require_record(place), place, _names_of_place(place.absolute().parent))


def load_standalone_run(folder: Path | str) -> Run:
    """Return the run in a folder outside experiments, such as InferenceRunner writes. Its record has all names."""
    place = Path(folder)
    return _from_record(_require_record(place), place)


def question_of(run: Run) -> Path:
    """Return the folder of the question as the run used it."""
    return question_in(run.folder)


def question_in(run_folder: Path) -> Path:
    """Return the same for a run that is known by its folder."""
    return run_folder / _QUESTION


def find_free_run_id(folder: Path, model: str, question_id: str, sample: int = 0) -> str:
    """Return a run id of the form model_question_date_time, with a number where that is taken in ``folder``."""
    stem = f"{layout.folder_name(model)}_{layout.folder_name(question_id)}_{datetime.now(UTC):%Y%m%d_%H%M%S}"
    if sample:
        stem += f"_sample{sample}"
    run_id, number = stem, 1
    while os.path.exists(f"{folder}/{run_id}"):  # noqa: PTH110
        number += 1
        run_id = f"{stem}-{number}"
    return run_id


def _add_question(pending: PendingRun, files: Iterable[tuple[str, bytes]]) -> PendingRun:
    place = f"{pending.staging}/{_QUESTION}"
    os.mkdir(f"{pending.staging}/{_VIDEO}")  # noqa: PTH102
    os.mkdir(place)  # noqa: PTH102
    for name, content in files:
        _write(f"{place}/{name}", content)
    return pending


def _read_question_files(question: Question) -> list[tuple[str, bytes]]:
    """Return the files of a question that a run keeps: all but the solution's video."""
    files = {path.name: read_foreign_file(question.folder, path.name) for path in list_question_files(question)}
    names = {"id": question.id, "domain": question.domain, "prompt": question.prompt}
    if not names.items() <= question.metadata.items():  # a question made by hand may be named by its folder only
        files[layout.QUESTION_RECORD] = record_bytes({**question.metadata, **names})
    return list(files.items())


def _write(target: str, content: bytes) -> None:
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def _to_record(run: Run) -> dict[str, Any]:
    """Return the run as JSON, without its absolute paths, so that the folder can be moved."""
    record = {name: to_json(getattr(run, name)) for name in _RUN_FIELDS if name != "folder"}
    record["video"] = None if run.video is None else f"{_VIDEO}/{run.video.name}"
    return {**record, "created_at": datetime.now(UTC).isoformat(), "vmevalkit_version": __version__}


def _names_of_place(job_folder: Path) -> dict[str, str]:
    names = layout.parse_job_folder(job_folder)
    return dict(zip(("experiment", "model", "domain", "question_id"), names, strict=True))


def _require_record(folder: Path) -> dict[str, Any]:
    record = read_record(folder / layout.RUN_RECORD)
    if record is None:
        raise StoreError(f"{folder} is not a finished run: it has no {layout.RUN_RECORD}")
    return record


def _from_record(record: dict[str, Any], folder: Path, names: Mapping[str, str] | None = None) -> Run:
    """Return the run of a record. ``names`` of its place take precedence: the folder may be a copy, or renamed."""
    values = {name: record[name] for name in _RUN_FIELDS if name in record}
    values |= names or {}
    values["folder"] = folder
    try:
        values["video"] = join_inside(folder, str(record["video"])) if record.get("video") else None
        check_run_record(record)
        run = from_json(Run, values)
    except (TypeError, ValueError, KeyError) as error:
        raise InvalidRecord(
            f"{folder / layout.RUN_RECORD} is not the record of a run ({error}); repair it, or move it elsewhere"
        ) from error
    refuse_links_of_run(folder, run.video)
    return run


def check_run_record(record: Mapping[str, Any]) -> None:
    """Raise ValueError where the record of a run contradicts itself."""
    status, sample = record.get("status"), record.get("sample", 0)
    if status not in get_args(RunStatus):
        raise ValueError(f"the status is {status!r}")
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 0:
        raise ValueError(f"the sample is {sample!r}")
    if bool(record.get("video")) != (status == "success"):
        raise ValueError(f"the status is {status} and the video is {record.get('video')!r}")
    for name in ("cost_usd", "seconds"):
        number = record.get(name)
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        if number is not None and not (is_number and 0 <= number < _MOST):
            raise ValueError(f"{name} is {number!r}")


def refuse_links_of_run(folder: Path, video: Path | None) -> None:
    """Raise StoreError where the folder of a run, or what is in it, is a link that leads out of it."""
    links = (folder / _QUESTION, folder / _VIDEO, *([] if video is None else [video]))
    for path in links:
        refuse_link_out(path, folder)
