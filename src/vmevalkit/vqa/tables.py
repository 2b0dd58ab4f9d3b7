"""Results as text: a Markdown table for people, JSON for programs."""

from __future__ import annotations

from typing import Any

from vmevalkit.core.jsonable import to_json
from vmevalkit.stats.records import Estimate
from vmevalkit.vqa.published import SOURCE, VerificationRow, verify_published
from vmevalkit.vqa.results import CHANCE, ModeComparison, Results, TaskResult, find_blind


def format_estimate(estimate: Estimate) -> str:
    """Return an accuracy with its interval, in percent."""
    if estimate.value is None:
        return "-"
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.1f}"
    return f"{100 * estimate.value:.1f} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def format_rate(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f}"


def write_markdown(results: Results) -> str:
    """Return the tables of a results.md."""
    lines = [
        "# Results",
        "",
        "Accuracy in percent, with 95% Wilson intervals. Answers that are unparsed, cut off at the token limit or",
        "refused, and refusals to draw in stage 1, count as not correct. Questions that could not be asked are",
        "missing: they are left out. Blind is the same model without the images, on the same questions.",
        "",
        "| model | mode | task | accuracy | n | unparsed % | cut off | refused | stage 1 refused % | extracted "
        "| missing | chance | blind |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        *(_format_task(task, find_blind(results, task)) for task in results.tasks),
    ]
    if results.comparisons:
        lines += [
            "",
            "## Visual CoT against direct, paired by question",
            "",
            "| model | category | direct | Visual CoT | difference | p (McNemar, exact) | n |",
            "|---|---|---|---|---|---|---|",
            *(_format_comparison(comparison) for comparison in results.comparisons),
        ]
    rows = verify_published(results)
    lines += ["", "## Published accuracies", "", *format_verification(rows)]
    return "\n".join(lines) + "\n"


def format_verification(rows: list[VerificationRow]) -> list[str]:
    """Return the lines of the verification table."""
    lines = ["| model | published % | ours % | difference | status |", "|---|---|---|---|---|"]
    for row in rows:
        ours = "-" if row.ours is None else format_estimate(row.ours)
        difference = "-" if row.difference is None else f"{100 * row.difference:+.1f}"
        lines.append(f"| {row.name} | {100 * row.published:.1f} | {ours} | {difference} | {row.status} |")
    return [*lines, "", f"Published: {SOURCE}."]


def _format_task(task: TaskResult, blind: Estimate | None) -> str:
    return (
        f"| {task.label} | {task.mode} | {task.task} | {format_estimate(task.accuracy)} | {task.accuracy.n} | "
        f"{format_rate(task.unparsed_rate)} | {task.cut_off} | {task.counts['refused']} | "
        f"{format_rate(task.stage1_refusal_rate)} | {task.extracted} | {task.missing} | "
        f"{100 * task.chance:.3g} | {'-' if blind is None else format_estimate(blind)} |"
    )


def _format_comparison(row: ModeComparison) -> str:
    paired = row.comparison
    p = paired.mcnemar.p_value
    return (
        f"| {row.label} | {row.category} | {format_rate(paired.mean_second)} | {format_rate(paired.mean_first)} | "
        f"{format_estimate(row.difference)} | {'-' if p is None else f'{p:.3g}'} | {paired.common} |"
    )


def make_json(results: Results) -> dict[str, Any]:
    """Return the results as plain values."""
    return {
        "chance": CHANCE,
        "runs": [to_json(run) for run in results.runs],
        "tasks": [{**to_json(task), "mode": task.mode} for task in results.tasks],
        "visual_cot_minus_direct": [to_json(row) for row in results.comparisons],
        "published": [to_json(row) for row in verify_published(results)],
    }
