"""The result of one question, and the files that keep the results of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import from_json
from vmevalkit.store import vqa_layout
from vmevalkit.store.layout import natural_key

SampleStatus = Literal["correct", "wrong", "unparsed", "refused", "stage1_failed", "failed"]
"""unparsed: no letter can be read from the answer. refused: the model refuses to answer. stage1_failed: there is no
visualization, so the question was not asked. failed: there is no answer, for a reason that may pass."""
COUNTED: tuple[SampleStatus, ...] = ("correct", "wrong", "unparsed", "refused", "stage1_failed")
"""Statuses that count in the accuracy. A failed sample is not a wrong one: it is left out, and asked again."""


@dataclass(frozen=True, slots=True)
class SampleResult:
    """The result of one question. All fields are JSON values."""

    question_id: str
    category: str
    status: SampleStatus
    expected: str
    """The letter of the correct option."""
    predicted: str | None = None
    """The letter that was read from the response."""
    response: str = ""
    """The answer as it was received."""
    error: str | None = None
    """Why there is no visualization or no answer."""
    config: str = ""
    """Digest of the models, prompts and parameters: results of another configuration are not mixed with these."""
    generation_prompt: str | None = None
    """What stage 1 was asked; None for a direct question."""
    visualization: str | None = None
    """The file of stage 1's image."""
    visualization_text: str = ""
    model: str = ""
    """The model's id as the server reports it."""
    answered_at: str = ""
    usd: float | None = None
    """The price of both stages, as far as it is known."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What a run asked: run.json."""

    label: str
    model: str
    model_args: str
    dataset: str
    wording: str
    tasks: dict[str, TaskRecord] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One task of a run."""

    config: str
    question_type: str
    is_two_stage: bool
    questions: int
    """Number of questions that were asked for."""


def read_run(output: Path, label: str) -> RunRecord | None:
    """Return the record of a run; None where there is none."""
    path = vqa_layout.run_record(output, label)
    try:
        data = json.loads(path.read_text("utf-8"))
        tasks = {name: from_json(TaskRecord, task) for name, task in data.pop("tasks").items()}
        return RunRecord(**data, tasks=tasks)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StoreError(f"{path} cannot be read ({error!r}); remove it and run the command again") from error


def read_samples(output: Path, label: str, task: str, config: str) -> list[SampleResult]:
    """Return the latest result of each question in a configuration, by question: answers arrive in any order."""
    results: dict[str, SampleResult] = {}
    try:
        lines = vqa_layout.sample_log(output, label, task).read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    for line in lines:
        record = _parse(line)
        if record is not None and record.config == config:
            results[record.question_id] = record
    return [results[name] for name in sorted(results, key=natural_key)]


def _parse(line: bytes) -> SampleResult | None:
    """Return the result in a line; None for an empty line, or one that a crash cut off."""
    try:
        return from_json(SampleResult, json.loads(line)["answer"])
    except (ValueError, TypeError, KeyError):
        return None


def count_statuses(samples: list[SampleResult]) -> Mapping[str, int]:
    """Return how many samples have each status."""
    counts: dict[str, Any] = dict.fromkeys((*COUNTED, "failed"), 0)
    for sample in samples:
        counts[sample.status] += 1
    return counts
