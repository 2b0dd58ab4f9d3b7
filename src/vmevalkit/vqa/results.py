"""Results of all runs in an output folder: accuracy with intervals, direct against Visual CoT, published numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.errors import StoreError
from vmevalkit.stats.comparison import PairedComparison, compare_paired, pair_questions
from vmevalkit.stats.intervals import newcombe_paired
from vmevalkit.stats.rates import success_rate
from vmevalkit.stats.records import Estimate, missing_estimate
from vmevalkit.store import vqa_layout
from vmevalkit.vqa.samples import COUNTED, RunRecord, SampleResult, TaskRecord, count_statuses, read_run, read_samples
from vmevalkit.vqa.task_file import name_category
from vmevalkit.vqa.task_files.mmsi import CATEGORIES, LETTERS

CHANCE = 1 / len(LETTERS)
OVERALL = "overall"
BLIND = "blind"
"""The model without images: see ``models``."""
TWO_STAGE_SUFFIX = "_visual_cot"
NEWCOMBE_PAIRED = "Newcombe, paired"
CONFIDENCE = 0.95


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
    """Share of answers without a letter, those that were cut off included."""
    stage1_refusal_rate: float | None
    """None for a direct task."""
    usd: float | None
    chance: float
    """The accuracy of answers by chance: of circular evaluation, that of all rotations together."""
    cut_off: int
    """Answers that ended at the token limit, with a letter or without."""
    extracted: int
    """Answers whose letter was read by the extractor."""
    missing: int
    """Questions without a result."""

    @property
    def mode(self) -> str:
        return "Visual CoT" if self.is_two_stage else "direct"


@dataclass(frozen=True, slots=True)
class ModeComparison:
    """Visual CoT against direct, of one model, paired by question."""

    label: str
    """The run of both."""
    category: str
    comparison: PairedComparison
    """First is Visual CoT, second is direct: a difference above 0 means that the visualization helps."""
    difference: Estimate
    """The difference with Newcombe's paired interval: within -1 to 1, and defined where no question differs."""


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


def find_blind(results: Results, task: TaskResult) -> Estimate | None:
    """Return the accuracy of the same model without images, in the same words, on the same questions; None where there
    is no such run."""
    runs = {run.label: run for run in results.runs}
    run = runs[task.label]
    wanted = _question_sets(run, task)
    for other in results.tasks:
        blind = runs[other.label]
        is_same = blind.model == BLIND and blind.answerer == f"blind {run.answerer}" and blind.dataset == run.dataset
        is_same &= (blind.wording, blind.arrangement) == (run.wording, run.arrangement) and not other.is_two_stage
        if is_same and "" not in wanted and _question_sets(blind, other) == wanted:
            return other.accuracy
    return None


def _question_sets(run: RunRecord, task: TaskResult) -> set[str]:
    """Return the digests of the questions of a task, or of all tasks of its mode."""
    if task.task != OVERALL:
        return {run.tasks[task.task].question_set}
    return {record.question_set for record in run.tasks.values() if record.is_two_stage == task.is_two_stage}


def _summarise_run(run: RunRecord, samples: dict[tuple[str, str], list[SampleResult]]) -> list[TaskResult]:
    results = []
    for is_two_stage in (False, True):
        names = [name for name, task in run.tasks.items() if task.is_two_stage == is_two_stage]
        for name in sorted(names, key=_order_of):
            task = run.tasks[name]
            rows = samples[run.label, name]
            results.append(_summarise(run, name, name_category(task.question_type), is_two_stage, task.questions, rows))
        if len(names) > 1:
            rows = [row for name in names for row in samples[run.label, name]]
            total = _count_questions([run.tasks[name] for name in names])
            results.append(_summarise(run, OVERALL, OVERALL, is_two_stage, total, rows))
    return results


def _count_questions(tasks: Sequence[TaskRecord]) -> int:
    """Return the number of questions of tasks: those of one type are the same, however many tasks ask them."""
    kinds = {task.question_type for task in tasks}
    return sum(max(task.questions for task in tasks if task.question_type == kind) for kind in kinds)


def _summarise(
    run: RunRecord, task: str, category: str, is_two_stage: bool, questions: int, rows: Sequence[SampleResult]
) -> TaskResult:
    counted = [row for row in rows if row.status in COUNTED]
    counts = count_statuses(list(rows))
    prices = [row.usd for row in rows if row.usd is not None]
    unread = counts["unparsed"] + counts["cut_off"]
    return TaskResult(
        run.label, task, category, is_two_stage, questions, dict(counts),
        success_rate([float(row.status == "correct") for row in counted], [row.question_id for row in counted]),
        unread / len(counted) if counted else None,
        counts["stage1_refused"] / len(counted) if is_two_stage and counted else None,
        sum(prices) if prices else None,
        CHANCE ** (len(LETTERS) if run.arrangement == "circular" else 1),
        sum(row.is_cut_off for row in rows),
        sum(row.is_extracted for row in rows),
        questions - len({row.question_id for row in counted}),
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
            comparisons.append(_compare(run.label, name_category(run.tasks[drawn].question_type), first, second))
        if len(pairs) > 1:
            comparisons.append(_compare(run.label, OVERALL, *together))
    return comparisons


def _compare(
    label: str, category: str, first: Sequence[SampleResult], second: Sequence[SampleResult]
) -> ModeComparison:
    return ModeComparison(label, category, compare_samples(first, second), estimate_difference(first, second))


def compare_samples(first: Sequence[SampleResult], second: Sequence[SampleResult]) -> PairedComparison:
    """Return the paired comparison of two lists of samples, by question."""
    return compare_paired(*_to_arrays(first), *_to_arrays(second))


def estimate_difference(first: Sequence[SampleResult], second: Sequence[SampleResult]) -> Estimate:
    """Return the difference of two accuracies on their common questions, with Newcombe's paired interval."""
    pairs = pair_questions(*_to_arrays(first), *_to_arrays(second))
    n = len(pairs.first)
    if n == 0:
        return missing_estimate("the two have no question in common", NEWCOMBE_PAIRED, 0, CONFIDENCE)
    low, high = newcombe_paired(pairs.first, pairs.second, CONFIDENCE)
    return Estimate(float(pairs.differences.mean()), low, high, n, NEWCOMBE_PAIRED, CONFIDENCE)


def _to_arrays(rows: Sequence[SampleResult]) -> tuple[list[float], list[str]]:
    counted = [row for row in rows if row.status in COUNTED]
    return [float(row.status == "correct") for row in counted], [row.question_id for row in counted]


def _order_of(task: str) -> int:
    """Return the place of a task in tables: by the order of the categories."""
    name = task.replace(TWO_STAGE_SUFFIX, "").removeprefix("mmsi_").split("-")[-1]
    categories = list(CATEGORIES.values())
    return categories.index(name) if name in categories else len(categories)
