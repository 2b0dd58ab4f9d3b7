"""Trials kept on disk: an audit takes hours, and an interrupted one resumes.

A trial is reused only where the same code would make the same video and score it: each is stored under a digest of the
source, the data files and the versions of the libraries that it came from. A change in one task keeps the trials of
the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from inspect import getfile
from pathlib import Path
from typing import Any

import vmevalkit
from vmevalkit.audit.audit import Trial, TrialSpec, run_trials
from vmevalkit.core.jsonable import dumps, from_json, parse_json
from vmevalkit.core.scorer import Scorer
from vmevalkit.jobs.executor import Executor
from vmevalkit.store.atomic import os_errors

_PACKAGES = ("audit", "audit/kinds", "baselines", "core", "eval", "media", "tasks", "tasks/kit", "tasks/pictures")
"""The packages whose code decides what a trial says, beside the task's own folder."""
_LIBRARIES = ("numpy", "opencv-python-headless", "av", "matplotlib")
"""The libraries that draw, encode, decode and read videos."""


def run_remaining_trials(
    specs: Sequence[TrialSpec],
    scorer: Scorer,
    trial_cache: Path,
    workers: int = 1,
    on_trial: Callable[[Trial], None] = lambda _: None,
    executor: Executor | None = None,
) -> list[Trial]:
    """Run the trials that the cache does not have, and add each to it when it is finished."""
    keys = {spec.trial_id: _key(spec, scorer) for spec in specs}
    cached = read_trials(trial_cache)
    found = {spec.trial_id: _parse_trial(cached.get(keys[spec.trial_id])) for spec in specs}
    trials = {trial_id: trial for trial_id, trial in found.items() if trial is not None}
    with os_errors(trial_cache):
        trial_cache.parent.mkdir(parents=True, exist_ok=True)
        file = trial_cache.open("a", encoding="utf-8")
    with file:

        def store(trial: Trial) -> None:
            # An error is not stored: the machine may have caused it, such as a full disk.
            if trial.score is not None:
                with os_errors(trial_cache):
                    file.write("\n" + dumps({"key": keys[trial.trial_id], "trial": trial}))
                    file.flush()
            on_trial(trial)

        for trial in trials.values():
            on_trial(trial)
        remaining = [spec for spec in specs if spec.trial_id not in trials]
        trials |= {trial.trial_id: trial for trial in run_trials(remaining, scorer, workers, store, executor)}
    return [trials[spec.trial_id] for spec in specs]


def _key(spec: TrialSpec, scorer: Scorer) -> str:
    return f"{scorer.evaluator} {spec.seed} {spec.trial_id} {source_digest(type(spec.task))}"


@cache
def source_digest(task: type) -> str:
    """Return a digest of the code, the data files and the libraries that a trial of this task depends on."""
    package = Path(vmevalkit.__file__).parent
    folders = [*(package / name for name in _PACKAGES), Path(getfile(task)).parent]
    digest = sha256(library_versions().encode())
    for path in (path for folder in folders for path in sorted(folder.glob("*"))):
        if path.is_file() and path.suffix not in (".pyc", ".md"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def library_versions() -> str:
    """Return the names and versions of the libraries that decide what a trial says."""
    return " ".join(f"{name}=={version(name)}" for name in _LIBRARIES)


def read_trials(trial_cache: Path) -> dict[str, Any]:
    """Return the trials by key, as JSON. A line that was cut off by a kill, or is no trial, is skipped."""
    found: dict[str, Any] = {}
    if trial_cache.exists():
        with trial_cache.open("rb") as file:
            for line in file:
                try:
                    entry = parse_json(line)
                    found[str(entry["key"])] = entry["trial"]
                except (ValueError, TypeError, KeyError):
                    continue
    return found


def _parse_trial(data: Any) -> Trial | None:
    """Return a trial of the cache; None where it has none, or a damaged one."""
    try:
        return None if data is None else from_json(Trial, data)
    except (ValueError, TypeError, KeyError):
        return None
