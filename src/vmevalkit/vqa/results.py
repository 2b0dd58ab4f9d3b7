"""Results of all runs in an output folder: accuracy with intervals, direct against Visual CoT, published numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.errors import StoreError
from vmevalkit.stats.comparison import PairedComparison, compare_paired
from vmevalkit.stats.rates import success_rate
from vmevalkit.stats.records import Estimate
from vmevalkit.store import vqa_layout
from vmevalkit.vqa.samples import COUNTED, RunRecord, SampleResult, count_statuses, read_run, read_samples
from vmevalkit.vqa.task_files.mmsi import CATEGORIES, LETTERS

CHANCE = 1 / len(LETTERS)
OVERALL = "overall"
BLIND = "blind"
"""The model without images: see ``models``."""
TWO_STAGE_SUFFIX = "_visual_cot"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of one run on one task, or on all its direct or all its two-stage tasks together."""

    label: str
    task: str
    """``overall`` for all tasks of one mode together."""
    category: str
    is_two_stage: bool
    questions: int
    """Number of questions that were asked for."""
    counts: dict[str, int]
    """How many samples have each status."""
    accuracy: Estimate
    """Correct answers over all samples that count: an unparsed one is not correct, a failed one does not count."""
    unparsed_rate: float | None
    stage1_failure_rate: float | None
    """None for a direct task."""
    usd: float | None

    @property
    def mode(self) -> str:
        return "Visual CoT" if self.is_two_stage else "direct"

    @property
    def missing(self) -> int:
        """Questions without a result."""
        return self.questions - sum(self.counts[status] for status in COUNTED)


@dataclass(frozen=True, slots=True)
class ModeComparison:
    """Visual CoT against direct, of one model, paired by question."""

    label: str
    """The run of the Visual CoT tasks."""
    direct_label: str
    category: str
    comparison: PairedComparison
    """First is Visual CoT, second is direct: a difference above 0 means that the visualization helps."""


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that the files of an output folder say."""

    output: Path
    runs: tuple[RunRecord, ...]
    tasks: tuple[TaskResult, ...]
    """Of each run: its tasks, then the direct and the two-stage tasks together."""
    comparisons: tuple[ModeComparison, ...]
    samples: dict[tuple[str, str], list[SampleResult]]
    """By label and task."""


def load_results(output: Path) -> Results:
    """Return the results of all runs in a folder. Only files are read."""
    runs = [run for label in vqa_layout.list_labels(output) if (run := read_run(output, label)) is not None]
    if not runs:
        raise StoreError(f"{output} has no results of the image-question track; run vmevalkit vqa first")
    samples = {
        (run.label, name): read_samples(output, run.label, name, task.config)
        for run in runs
        for name, task in run.tasks.items()
    }
    tasks = [result for run in runs for result in _summarise_run(run, samples)]
    return Results(output, tuple(runs), tuple(tasks), tuple(_compare_modes(runs, samples)), samples)


def find_blind(results: Results, category: str) -> Estimate | None:
    """Return the accuracy of a run without images on a category; None where there is no such run."""
    found = [
        task.accuracy
        for run in results.runs
        for task in results.tasks
        if run.model == BLIND and task.label == run.label and task.category == category
    ]
    return found[0] if found else None


def _summarise_run(run: RunRecord, samples: dict[tuple[str, str], list[SampleResult]]) -> list[TaskResult]:
    results = []
    for is_two_stage in (False, True):
        names = [name for name, task in run.tasks.items() if task.is_two_stage == is_two_stage]
        for name in sorted(names, key=_order_of):
            task = run.tasks[name]
            rows = samples[run.label, name]
            results.append(
                _summarise(run.label, name, CATEGORIES[task.question_type], is_two_stage, task.questions, rows)
            )
        if len(names) > 1:
            rows = [row for name in names for row in samples[run.label, name]]
            total = sum(run.tasks[name].questions for name in names)
            results.append(_summarise(run.label, OVERALL, OVERALL, is_two_stage, total, rows))
    return results


def _summarise(
    label: str, task: str, category: str, is_two_stage: bool, questions: int, rows: Sequence[SampleResult]
) -> TaskResult:
    counted = [row for row in rows if row.status in COUNTED]
    counts = count_statuses(list(rows))
    drawn = len(rows)
    prices = [row.usd for row in rows if row.usd is not None]
    return TaskResult(
        label, task, category, is_two_stage, questions, dict(counts),
        success_rate([float(row.status == "correct") for row in counted]),
        counts["unparsed"] / len(counted) if counted else None,
        counts["stage1_failed"] / drawn if is_two_stage and drawn else None,
        sum(prices) if prices else None,
    )  # fmt: skip


def _compare_modes(
    runs: Sequence[RunRecord], samples: dict[tuple[str, str], list[SampleResult]]
) -> list[ModeComparison]:
    """Return the comparisons of each run that has two-stage tasks with its own direct tasks.

    A two-stage model asks its own answering model directly, so both modes are in one run."""
    comparisons = []
    for run in runs:
        pairs = [(name, name.replace(TWO_STAGE_SUFFIX, "")) for name, task in run.tasks.items() if task.is_two_stage]
        pairs = sorted([pair for pair in pairs if pair[1] in run.tasks], key=lambda pair: _order_of(pair[0]))
        together: tuple[list[SampleResult], list[SampleResult]] = ([], [])
        for drawn, direct in pairs:
            first, second = samples[run.label, drawn], samples[run.label, direct]
            together[0].extend(first)
            together[1].extend(second)
            category = CATEGORIES[run.tasks[drawn].question_type]
            comparisons.append(ModeComparison(run.label, run.label, category, compare_samples(first, second)))
        if len(pairs) > 1:
            comparisons.append(ModeComparison(run.label, run.label, OVERALL, compare_samples(*together)))
    return comparisons


def compare_samples(first: Sequence[SampleResult], second: Sequence[SampleResult]) -> PairedComparison:
    """Return the paired comparison of two lists of samples, by question."""
    one, other = ([row for row in rows if row.status in COUNTED] for rows in (first, second))
    return compare_paired(
        [float(row.status == "correct") for row in one],
        [row.question_id for row in one],
        [float(row.status == "correct") for row in other],
        [row.question_id for row in other],
    )


def _order_of(task: str) -> int:
    """Return the place of a task in tables: by the order of the categories."""
    name = task.replace(TWO_STAGE_SUFFIX, "").removeprefix("mmsi_").split("-")[-1]
    categories = list(CATEGORIES.values())
    return categories.index(name) if name in categories else len(categories)
