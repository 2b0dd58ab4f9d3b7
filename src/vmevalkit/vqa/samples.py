"""The result of one question, and the files that keep the results of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from vmevalkit.core.chat import CUT_OFF
from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import from_json, parse_json
from vmevalkit.store import vqa_layout
from vmevalkit.store.layout import natural_key

SampleStatus = Literal["correct", "wrong", "unparsed", "cut_off", "refused", "stage1_refused", "failed"]
"""unparsed: no letter can be read from the answer. cut_off: the answer ended at the token limit before a letter.
refused: the model refuses to answer. stage1_refused: the model refuses to draw, so the question was not asked. failed:
a stage could not be asked (an outage, a broken install, an unreadable image)."""
COUNTED: tuple[SampleStatus, ...] = ("correct", "wrong", "unparsed", "cut_off", "refused", "stage1_refused")
"""Statuses that count in the accuracy. A failed sample is not a wrong one: it is missing, and asked again."""


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
    finish_reason: str | None = None
    """Why the answer ended, as the server reports it; None where it does not."""
    rotation: int = 0
    """Number of the rotation of the options, in circular evaluation."""
    is_extracted: bool = False
    """Whether the letter was read by the extractor, because the rules could not read it."""

    @property
    def is_cut_off(self) -> bool:
        """Whether the answer ended at the token limit, be there a letter in it or not."""
        return self.finish_reason in CUT_OFF


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What a run asked: run.json."""

    label: str
    model: str
    model_args: str
    dataset: str
    wording: str
    tasks: dict[str, TaskRecord] = field(default_factory=dict)
    answerer: str = ""
    """Identity of the answering model: its id or checkpoint, its arguments, and a digest of its server's address."""
    drawer: str = ""
    """Identity of the model of stage 1, with the size of its images; empty without one."""
    generation: str = ""
    """Parameters of ``--gen-kwargs``."""
    arrangement: str = "original"
    """Order of the options."""
    extractor: str = ""
    """Identity of the extractor; empty without one."""

    @property
    def identity(self) -> tuple[str, ...]:
        """What all results under one label have in common."""
        return (self.model, self.dataset, self.wording, self.answerer, self.drawer, self.generation, self.arrangement,
                self.extractor)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One task of a run."""

    config: str
    question_type: str
    is_two_stage: bool
    questions: int
    """Number of questions that were asked for."""
    question_set: str = ""
    """Digest of the questions with their options and answers, in any order."""


def read_run(output: Path, label: str) -> RunRecord | None:
    """Return the record of a run; None where there is none."""
    path = vqa_layout.run_record(output, label)
    try:
        data = parse_json(path.read_bytes())
        tasks = {name: from_json(TaskRecord, task) for name, task in data.pop("tasks").items()}
        return RunRecord(**data, tasks=tasks)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{path} cannot be read ({error!r}); remove it and run the command again") from error


def read_samples(output: Path, label: str, task: str, config: str) -> list[SampleResult]:
    """Return the latest result of each question in a configuration, by question: answers arrive in any order.

    The rotations of circular evaluation are one result."""
    results: dict[str, dict[int, SampleResult]] = {}
    try:
        lines = vqa_layout.sample_log(output, label, task).read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    for line in lines:
        record = _parse(line)
        if record is not None and record.config == config:
            results.setdefault(record.question_id, {})[record.rotation] = record
    return [combine_rotations(list(results[name].values())) for name in sorted(results, key=natural_key)]


def combine_rotations(rows: list[SampleResult]) -> SampleResult:
    """Return one result for all rotations of a question: correct where all are; failed where one could not be asked."""
    rank = {status: place for place, status in enumerate(("failed", "wrong", *COUNTED[2:], "correct"))}
    worst = min(rows, key=lambda row: (rank[row.status], row.rotation))
    return worst if len(rows) == 1 else replace(worst, is_extracted=any(row.is_extracted for row in rows))


def _parse(line: bytes) -> SampleResult | None:
    """Return the result in a line; None for an empty line, or one that a crash cut off."""
    try:
        record = parse_json(line)
        answer = record["answer"]
        if answer.get("status") == "stage1_failed":  # older versions did not tell a refusal from an outage
            answer["status"] = "failed" if record.get("rejected") else "stage1_refused"
        return from_json(SampleResult, answer)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def count_statuses(samples: list[SampleResult]) -> Mapping[str, int]:
    """Return how many samples have each status."""
    counts: dict[str, Any] = dict.fromkeys((*COUNTED, "failed"), 0)
    for sample in samples:
        counts[sample.status] += 1
    return counts
