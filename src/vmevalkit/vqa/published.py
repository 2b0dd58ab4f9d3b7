"""The verification table: published accuracies beside ours. A row says "not run here" until somebody runs it."""

from __future__ import annotations

from dataclasses import dataclass

from vmevalkit.stats.records import Estimate
from vmevalkit.vqa.results import CHANCE, OVERALL, Results
from vmevalkit.vqa.samples import RunRecord
from vmevalkit.vqa.task_file import OFFICIAL_WORDING

SOURCE = "arXiv 2505.23764 and the leaderboard of MMSI-Bench, read on 2026-11-15"
TOLERANCE = 0.03


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A published accuracy over all 1,000 questions."""

    name: str
    accuracy: float
    models: tuple[str, ...] = ()
    """Identities of the models that would reproduce it, at their vendors' own services; empty where none can."""
    depends_on_prompt: bool = True


PUBLISHED = (
    PublishedRow("human", 0.972),
    PublishedRow("Gemini-3-pro", 0.492, ("gemini-3-pro@gemini", "gemini-3-pro-preview@gemini")),
    PublishedRow("GPT-5", 0.419, ("gpt-5@openai", "gpt-5-2025-08-07@openai")),
    PublishedRow("o3", 0.410, ("o3@openai", "o3-2025-04-16@openai")),
    PublishedRow("GPT-4.5", 0.403, ("gpt-4.5-preview@openai", "gpt-4.5-preview-2025-02-27@openai")),
    PublishedRow("random choice", CHANCE, ("random@0",), depends_on_prompt=False),
    PublishedRow(
        "GPT-4o without images (blind)", 0.227,
        tuple(f"blind {name}@openai" for name in ("gpt-4o", "gpt-4o-2024-05-13", "gpt-4o-2024-08-06",
              "gpt-4o-2024-11-20")),
    ),
)  # fmt: skip
QUESTION_COUNTS = {
    "Positional Relationship (Cam.–Cam.)": 93, "Positional Relationship (Cam.–Obj.)": 86,
    "Positional Relationship (Cam.–Reg.)": 83, "Positional Relationship (Obj.–Obj.)": 94,
    "Positional Relationship (Obj.–Reg.)": 85, "Positional Relationship (Reg.–Reg.)": 81,
    "Attribute (Meas.)": 64, "Attribute (Appr.)": 66, "Motion (Cam.)": 74, "Motion (Obj.)": 76, "MSR": 198,
}  # fmt: skip
"""Questions of each type in the dataset."""


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
    runs = [run for run in (results.runs if results else ()) if run.answerer in row.models and is_whole_dataset(run)]
    runs.sort(key=lambda run: run.wording != OFFICIAL_WORDING)
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
    if ours.n < sum(QUESTION_COUNTS.values()):
        return VerificationRow(row.name, row.accuracy, ours, difference, f"{ours.n} of 1,000 questions answered")
    if row.depends_on_prompt and (runs[0].wording, runs[0].arrangement) != (OFFICIAL_WORDING, "original"):
        return VerificationRow(row.name, row.accuracy, ours, difference, f"another prompt ({runs[0].wording})")
    is_inside = ours.low is not None and ours.high is not None and ours.low <= row.accuracy <= ours.high
    status = "reproduced" if is_inside or abs(difference) <= TOLERANCE else "differs"
    return VerificationRow(row.name, row.accuracy, ours, difference, status)


def is_whole_dataset(run: RunRecord) -> bool:
    """Return whether a run asked all 1,000 questions of the dataset directly, from Hugging Face or from a copy.

    A copy is known by its number of questions of each type, and each type must be asked as one set of questions."""
    direct = [task for task in run.tasks.values() if not task.is_two_stage]
    sets = {(task.question_type, task.question_set) for task in direct}
    asked = {task.question_type: task.questions for task in direct}
    return asked == QUESTION_COUNTS and len(sets) == len(asked)
