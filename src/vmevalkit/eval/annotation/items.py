"""The videos that people rate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from vmevalkit.core.errors import StoreError
from vmevalkit.core.records import Question, Run
from vmevalkit.store import layout
from vmevalkit.store.questions import load_question
from vmevalkit.store.runs import find_runs, question_of

VERSION = "1"
"""Version of the rubric: raise it when the same video may get another label."""


@dataclass(frozen=True, slots=True)
class AnnotationItem:
    """One video to rate."""

    token: str
    """The only name of the item that leaves the server: it tells nothing about the model."""
    question: Question
    video: Path
    model: str = ""
    sample: int = 0
    run_id: str | None = None
    video_digest: str | None = None
    puzzle_digest: str | None = None
    gold_value: int | None = None
    """The value that a gold item deserves; None for the video of a model."""

    @property
    def is_gold(self) -> bool:
        return self.gold_value is not None


def make_token(salt: str, *parts: object) -> str:
    """Return a name that cannot be guessed without the salt of the plan."""
    return sha256("\0".join([salt, *map(str, parts)]).encode()).hexdigest()[:20]


def find_items(experiment: str, outputs: Path, salt: str, models: Iterable[str] | None = None) -> list[AnnotationItem]:
    """Return every video of an experiment, or those of some models. Raises StoreError where there is none."""
    runs = find_runs(outputs, experiment, list(models) if models else None)
    items = [_make_item(run, salt) for run in runs if run.video is not None]
    if not items:
        raise StoreError(
            f"there are no videos in {layout.experiment_folder(outputs, experiment)}; generate some first: "
            f"vmevalkit run --experiment {experiment} --model MODEL"
        )
    return items


def _make_item(run: Run, salt: str) -> AnnotationItem:
    assert run.video is not None
    question = load_question(question_of(run))
    token = make_token(salt, run.model, run.domain, run.question_id, run.sample)
    return AnnotationItem(
        token, question, run.video, run.model, run.sample, run.run_id, run.video_digest, run.question_digest
    )
