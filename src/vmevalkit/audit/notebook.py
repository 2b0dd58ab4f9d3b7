"""Trials kept on disk: an audit takes hours, and what is done is not done again after an interruption.

A trial is taken up again only where the same code would make the same film and score it: each is kept under a digest of
the source that it came from. A task's trials outlive a change in another task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from inspect import getfile
from json import JSONDecodeError, loads
from pathlib import Path
from typing import Any

import vmevalkit
from vmevalkit.audit.audit import Job, Trial, examine
from vmevalkit.audit.scorers import Scorer
from vmevalkit.core.jsonable import dumps, from_json
from vmevalkit.store.commit import storing

_ROOMS = ("audit", "baselines", "core", "eval", "media", "tasks")
"""Where the code lies that decides what a trial says, beside the task's own folder."""


def examine_the_rest(
    jobs: Sequence[Job],
    scorer: Scorer,
    notebook: Path,
    workers: int = 1,
    on_trial: Callable[[Trial], None] = lambda _: None,
) -> list[Trial]:
    """As ``examine``, but jobs that the notebook has are taken from it, and each of the others is noted when done."""
    keys = {job.recipe: _key(job, scorer) for job in jobs}
    noted = {entry["key"]: entry["trial"] for entry in _entries(notebook)}
    trials = {job.recipe: from_json(Trial, noted[key]) for job in jobs if (key := keys[job.recipe]) in noted}
    with storing(notebook):
        notebook.parent.mkdir(parents=True, exist_ok=True)
        file = notebook.open("a", encoding="utf-8")
    with file:

        def note(trial: Trial) -> None:
            # An error is not noted: it may have been the machine's, such as a full disk.
            if trial.score is not None:
                with storing(notebook):
                    file.write("\n" + dumps({"key": keys[trial.recipe], "trial": trial}))
                    file.flush()
            on_trial(trial)

        for trial in trials.values():
            on_trial(trial)
        rest = [job for job in jobs if job.recipe not in trials]
        trials |= {trial.recipe: trial for trial in examine(rest, scorer, workers, note)}
    return [trials[job.recipe] for job in jobs]


def _key(job: Job, scorer: Scorer) -> str:
    return f"{scorer.__name__} {job.seed} {job.recipe} {source_digest(type(job.task))}"


@cache
def source_digest(task: type) -> str:
    """A digest of the code that a trial of this task depends on."""
    package = Path(vmevalkit.__file__).parent
    folders = [*(package / room for room in _ROOMS), Path(getfile(task)).parent]
    digest = sha256()
    for path in (path for folder in folders for path in sorted(folder.glob("*.py"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _entries(notebook: Path) -> Iterator[dict[str, Any]]:
    """Every line; one that a kill cut off is passed over."""
    if not notebook.exists():
        return
    with notebook.open(encoding="utf-8") as file:
        for line in file:
            try:
                yield loads(line)
            except JSONDecodeError:
                continue
