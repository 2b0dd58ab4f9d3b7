"""The verification table: published accuracies beside ours. A row says "not run here" until somebody runs it."""

from __future__ import annotations

from dataclasses import dataclass

from vmevalkit.stats.records import Estimate
from vmevalkit.vqa.results import CHANCE, OVERALL, Results
from vmevalkit.vqa.samples import RunRecord
from vmevalkit.vqa.task_files.mmsi import CATEGORIES

SOURCE = "arXiv 2505.23764 and the leaderboard of MMSI-Bench, read on 2026-11-15"
DATASET = "RunsenXu/MMSI-Bench"
TOLERANCE = 0.03


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A published accuracy over all 1,000 questions."""

    name: str
    accuracy: float
    models: tuple[str, ...] = ()
    """Models of ours that would reproduce it, by the start of their labels; empty where none can."""


PUBLISHED = (
    PublishedRow("human", 0.972),
    PublishedRow("Gemini-3-pro", 0.492, ("gemini-3-pro",)),
    PublishedRow("GPT-5", 0.419, ("gpt-5",)),
    PublishedRow("o3", 0.410, ("o3",)),
    PublishedRow("GPT-4.5", 0.403, ("gpt-4.5",)),
    PublishedRow("random choice", CHANCE, ("random",)),
    PublishedRow("GPT-4o without images (blind)", 0.227, ("blind-gpt-4o",)),
)


@dataclass(frozen=True, slots=True)
class VerificationRow:
    """One published accuracy, and ours."""

    name: str
    published: float
    ours: Estimate | None
    difference: float | None
    status: str


def verify_published(results: Results | None) -> list[VerificationRow]:
    """Return the verification table. Only a run on the whole dataset is compared; a synthetic one says nothing."""
    return [_verify(row, results) for row in PUBLISHED]


def _verify(row: PublishedRow, results: Results | None) -> VerificationRow:
    if not row.models:
        return VerificationRow(row.name, row.accuracy, None, None, "not a model")
    runs = [run for run in (results.runs if results else ()) if _is_whole_dataset(run) and _matches(row, run.label)]
    if results is None or not runs:
        return VerificationRow(row.name, row.accuracy, None, None, "not run here")
    ours = next(
        task.accuracy
        for task in results.tasks
        if task.label == runs[0].label and task.task == OVERALL and not task.is_two_stage
    )
    if ours.value is None:
        return VerificationRow(row.name, row.accuracy, None, None, "not run here")
    difference = ours.value - row.accuracy
    is_inside = ours.low is not None and ours.high is not None and ours.low <= row.accuracy <= ours.high
    status = "reproduced" if is_inside or abs(difference) <= TOLERANCE else "differs"
    return VerificationRow(row.name, row.accuracy, ours, difference, status)


def _matches(row: PublishedRow, label: str) -> bool:
    return any(label == name or label.startswith((f"{name}-", f"{name}/", f"{name}@")) for name in row.models)


def _is_whole_dataset(run: RunRecord) -> bool:
    """Whether a run asked all eleven question types of the real dataset directly, 1,000 questions."""
    asked = {task.question_type: task.questions for task in run.tasks.values() if not task.is_two_stage}
    return run.dataset == DATASET and set(asked) == set(CATEGORIES) and sum(asked.values()) == 1000
