"""Run folders: one try of one model at one question, complete in itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from vmevalkit import __version__
from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.core.records import Question, Run
from vmevalkit.core.secrets import redacted, secrets
from vmevalkit.store import layout
from vmevalkit.store.commit import clean, new_folder, storing
from vmevalkit.store.records import read_record, record_bytes, record_text

_VIDEO, _QUESTION = "video", "question"
_REMEMBERED = 64
_numbers = count()
_RUN_FIELDS = tuple(field.name for field in fields(Run))


@dataclass(frozen=True, slots=True)
class Job:
    """What a run is a try at. Whether it is done depends on this alone, never on the clock."""

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
    """A run folder being filled; nobody sees it yet."""

    run_id: str
    aside: Path
    target: Path
    secrets: Sequence[str] = ()

    def publish(self) -> None:
        """Let it appear; for a run that was begun on the shelf."""
        aside, target = str(self.aside), str(self.target)
        with storing(self.target):
            try:
                os.rename(aside, target)  # noqa: PTH104  - here strings cost a third of paths
            except FileNotFoundError:
                self.target.parent.mkdir(parents=True, exist_ok=True)
                os.rename(aside, target)  # noqa: PTH104

    @property
    def video(self) -> Path:
        """Where the model is to write its film."""
        return self.aside / _VIDEO / f"{self.target.parent.name}.mp4"

    def finish(self, run: Run, more: Mapping[str, Any] | None = None) -> Run:
        """Write the record, which is the last file of the folder, with ``more`` for its readers. Secrets do not get
        into it. Returns the run as it will lie."""
        video = None if run.video is None else self.target / _VIDEO / run.video.name
        error = None if run.error is None else redacted(run.error, self.secrets)
        final = replace(run, run_id=self.run_id, folder=self.target, video=video, error=error)
        text = redacted(record_text({**_as_record(final), **(more or {})}), self.secrets)
        _write(f"{self.aside}/{layout.RUN_RECORD}", text.encode())
        return final


@contextmanager
def new_run(outputs: Path, job: Job, question: Question) -> Iterator[PendingRun]:
    """A run folder with the question in it. It appears, whole and on the disk, when the block ends."""
    with new_run_in(job.folder(outputs), job, question) as pending:
        yield pending


@contextmanager
def new_run_in(folder: Path, job: Job, question: Question, run_id: str | None = None) -> Iterator[PendingRun]:
    """The same in any folder, and under a name of one's own."""
    clean(folder)
    run_id = run_id or _vacant(job, folder)
    with new_folder(folder / run_id, durable=True) as aside:
        yield _filled(PendingRun(run_id, aside, folder / run_id, secrets()), _question_files(question))


class Shelf:
    """For many runs that ``flush`` will bring to the disk at once: each is filled in a scratch folder that somebody
    else cleans up, and appears when it is published."""

    def __init__(self, scratch: Path) -> None:
        self._scratch, self._secrets = scratch, secrets()
        self._files: dict[Path, list[tuple[str, bytes]]] = {}
        """Of the latest questions: samples of a question come close together."""

    def run(self, folder: Path, job: Job, question: Question, run_id: str | None = None) -> PendingRun:
        run_id = run_id or _vacant(job, folder)
        aside = self._scratch / f"run-{next(_numbers)}"
        with storing(aside):
            os.mkdir(aside)  # noqa: PTH102
            pending = PendingRun(run_id, aside, folder / run_id, self._secrets)
            return _filled(pending, self._files_of(question))

    def _files_of(self, question: Question) -> list[tuple[str, bytes]]:
        files = self._files.get(question.folder)
        if files is None:
            if len(self._files) == _REMEMBERED:
                del self._files[next(iter(self._files))]
            files = self._files[question.folder] = _question_files(question)
        return files


def find_runs(outputs: Path | str, experiment: str, models: list[str] | None = None) -> list[Run]:
    """The run that counts for each job of an experiment."""
    return counting(all_runs(outputs, experiment, models))


def counting(runs: Iterable[Run]) -> list[Run]:
    """Of the runs of each job, in the order of their age, the one that counts: the latest film, else the latest
    failure."""
    best: dict[Job, Run] = {}
    for run in runs:
        other = best.get(Job.of(run))
        if other is None or run.status == "success" or other.status != "success":
            best[Job.of(run)] = run
    return list(best.values())


def all_runs(outputs: Path | str, experiment: str, models: list[str] | None = None) -> list[Run]:
    """Every run of an experiment, by model, domain and question, then by age."""
    place = layout.experiment_folder(Path(outputs), experiment)
    wanted = None if models is None else {layout.folder_name(model) for model in models}
    runs: list[Run] = []
    for model in layout.subfolders(place):
        if wanted is not None and model.name not in wanted:
            continue
        for domain in layout.subfolders(model):
            for job in layout.subfolders(domain):
                runs.extend(runs_of(job))
    return runs


def runs_of(job_folder: Path) -> list[Run]:
    """The runs of one model at one question, the oldest first. A folder without a record does not count."""
    dated = []
    for folder in layout.subfolders(job_folder):
        record = read_record(folder / layout.RUN_RECORD)
        if record is not None:
            dated.append((str(record.get("created_at", "")), folder.name, _from_record(record, folder)))
    return [run for _, _, run in sorted(dated, key=lambda row: row[:2])]


def load_run(folder: Path | str) -> Run:
    place = Path(folder)
    record = read_record(place / layout.RUN_RECORD)
    if record is None:
        raise StoreError(f"{place} is not a finished run: it has no {layout.RUN_RECORD}")
    return _from_record(record, place)


def question_of(run: Run) -> Path:
    """The folder of the question as the run met it."""
    return run.folder / _QUESTION


def _vacant(job: Job, folder: Path) -> str:
    """A run id of the shape model_question_date_time; a number follows where that second is taken."""
    stem = f"{layout.folder_name(job.model)}_{layout.folder_name(job.question_id)}_{datetime.now(UTC):%Y%m%d_%H%M%S}"
    if job.sample:
        stem += f"_sample{job.sample}"
    run_id, again = stem, 1
    while os.path.exists(f"{folder}/{run_id}"):  # noqa: PTH110
        again += 1
        run_id = f"{stem}-{again}"
    return run_id


def _filled(pending: PendingRun, files: Iterable[tuple[str, bytes]]) -> PendingRun:
    place = f"{pending.aside}/{_QUESTION}"
    os.mkdir(f"{pending.aside}/{_VIDEO}")  # noqa: PTH102
    os.mkdir(place)  # noqa: PTH102
    for name, content in files:
        _write(f"{place}/{name}", content)
    return pending


def _question_files(question: Question) -> list[tuple[str, bytes]]:
    """What a run keeps of its question: all but the solution's film."""
    with storing(question.folder):
        paths = [path for path in question.folder.iterdir() if path.is_file() and not path.name.startswith(".")]
        files = {path.name: path.read_bytes() for path in paths if path.name != layout.SOLUTION}
    named = {"id": question.id, "domain": question.domain, "prompt": question.prompt}
    if not named.items() <= question.metadata.items():  # by hand, the folder's name may be all that names it
        files[layout.QUESTION_RECORD] = record_bytes({**question.metadata, **named})
    return list(files.items())


def _write(target: str, content: bytes) -> None:
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def _as_record(run: Run) -> dict[str, Any]:
    """The run without its place, so that the folder can be moved."""
    record = {name: to_json(getattr(run, name)) for name in _RUN_FIELDS if name != "folder"}
    record["video"] = None if run.video is None else f"{_VIDEO}/{run.video.name}"
    return {**record, "created_at": datetime.now(UTC).isoformat(), "vmevalkit_version": __version__}


def _from_record(record: dict[str, Any], folder: Path) -> Run:
    known = {name: record[name] for name in _RUN_FIELDS if name in record}
    known["folder"] = folder
    known["video"] = folder / str(record["video"]) if record.get("video") else None
    try:
        return from_json(Run, known)
    except (TypeError, ValueError, KeyError) as error:
        raise StoreError(f"{folder / layout.RUN_RECORD} is no record of a run ({error}); remove its folder") from error
