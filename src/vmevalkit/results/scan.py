"""The score files and run records of an experiment, found with size and time but not read.

A signature tells whether a file is the one that was read before. Its inode is part of it, since scores and records are
replaced by a rename: two files of the same size and time still differ in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vmevalkit.store import layout
from vmevalkit.store.foreign_file import refuse_link_out

Signature = tuple[int, int, int]
"""Time of the last change in nanoseconds, size in bytes, inode."""

_SAMPLE = re.compile(r"sample_([0-9]+)")
_TASK = "_task"


class JobPlace(NamedTuple):
    """Model, domain and question that a folder's place names."""

    model: str
    """Name of the model."""
    domain: str
    """Name of the domain, such as ``maze``."""
    question: str
    """Id of the question."""


@dataclass(frozen=True, slots=True)
class ScoreFile:
    """A score file and what its place says."""

    key: str
    """Path below the experiment's folder of scores."""
    path: str
    """Path of the file."""
    signature: Signature
    """Changes with the content."""
    place: JobPlace
    """Model, domain and question."""
    sample: int
    """0 for the first video of a question."""
    evaluator: str
    """Name of the scorer's files, such as ``RuleEvaluator``."""
    annotator: str | None
    """The person who judged; None for a scorer."""


@dataclass(frozen=True, slots=True)
class RunFile:
    """The record of a run and what its place says."""

    key: str
    """Path below the experiment's folder of outputs."""
    folder: str
    """Path of the run folder."""
    signature: Signature
    """Changes with the content."""
    place: JobPlace
    """Model, domain and question."""
    run_id: str
    """Name of the run folder."""


def file_signature(path: str) -> Signature | None:
    """Return the signature of a file; None where there is no file."""
    try:
        found = os.stat(path)  # noqa: PTH116  - here strings cost a third of paths
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def find_score_files(evaluations: Path, experiment: str) -> Iterator[ScoreFile]:
    """Yield every score file of an experiment, in no particular order."""
    root = str(layout.experiment_folder(evaluations, experiment))
    for job, place in _find_jobs(root):
        yield from _find_files(job, job[len(root) + 1 :], place, 0, None)


def find_run_files(outputs: Path, experiment: str) -> Iterator[RunFile]:
    """Yield the record of every finished run of an experiment, in no particular order."""
    root = str(layout.experiment_folder(outputs, experiment))
    for job, place in _find_jobs(root):
        key = job[len(root) + 1 :]
        for name in _folders(job, root):
            signature = file_signature(f"{job}/{name}/{layout.RUN_RECORD}")
            if signature is not None:
                yield RunFile(f"{key}/{name}", f"{job}/{name}", signature, place, name)


def list_experiments(outputs: Path, evaluations: Path) -> list[str]:
    """Return the names of all experiments that have runs or scores, in natural order."""
    names = {*_folders(str(outputs)), *_folders(str(evaluations))}
    return [layout.name_of(name) for name in sorted(names, key=layout.natural_key)]


def _find_jobs(root: str) -> Iterator[tuple[str, JobPlace]]:
    """Yield the folder of each model and question below an experiment's folder."""
    for model in _folders(root, root):
        for domain in _folders(f"{root}/{model}", root):
            if not domain.endswith(_TASK):
                continue
            names = layout.name_of(model), layout.domain_of(domain)
            for question in _folders(f"{root}/{model}/{domain}", root):
                yield f"{root}/{model}/{domain}/{question}", JobPlace(*names, layout.name_of(question))


def _find_files(folder: str, key: str, place: JobPlace, sample: int, annotated: str | None) -> Iterator[ScoreFile]:
    """Yield the score files in a folder, in the folders of samples and in those of annotated scorers."""
    for entry in _entries(folder):
        name = entry.name
        if layout.is_score_file(name):
            signature = file_signature(entry.path)
            if signature is None:
                continue  # removed a moment ago
            stem = layout.name_of(name[:-5])
            evaluator, annotator = (stem, None) if annotated is None else (annotated, stem)
            yield ScoreFile(f"{key}/{name}", entry.path, signature, place, sample, evaluator, annotator)
        elif annotated is None and entry.is_dir():
            match = _SAMPLE.fullmatch(name)
            inner = (int(match[1]), None) if match else (sample, layout.name_of(name))
            yield from _find_files(entry.path, f"{key}/{name}", place, *inner)


def _folders(folder: str, experiment: str | None = None) -> list[str]:
    """Return the names of the folders in a folder. Raises StoreError for a link that leads out of the experiment's
    folder, and of those of other experiments beside it."""
    folders = [entry for entry in _entries(folder) if entry.is_dir()]
    for entry in folders:
        if experiment is not None and entry.is_symlink():
            refuse_link_out(Path(entry.path), Path(experiment), Path(experiment).parent)
    return [entry.name for entry in folders]


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return the visible entries of a folder; none where it does not exist."""
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if not entry.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return []
