"""The experiment against others: another prompt on the same questions, or the same task on fresh questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import Section, TablePart
from vmevalkit.report.words import format_interval, format_points
from vmevalkit.results.selection import ITEM, SCORED, list_names, select_scorer
from vmevalkit.results.summary import summarize
from vmevalkit.results.words import join_names, percent, points
from vmevalkit.stats.comparison import compare_paired
from vmevalkit.stats.independent import independent_difference

if TYPE_CHECKING:
    import pandas as pd

EMPTY = "empty"
"""The prompt variant that is a control: the model gets the first frame and no words."""


def make_variants(context: ReportContext) -> Section | None:
    tables = [_tabulate_own(context)] if context.videos["prompt_variant"].nunique() > 1 else []
    paragraphs: list[str] = []
    for number, other in enumerate(context.others):
        if context.scorer not in list_names(other, "scorer"):
            name = list_names(other, "experiment")[0]
            paragraphs.append(f"{name} has no scores of {context.scorer}, so it is not compared.")
            continue
        sentence, table = _compare(context, other, number)
        paragraphs.append(sentence)
        tables.append(table)
    if not tables and not paragraphs:
        return None
    return Section("variants", "Other prompts and fresh questions", paragraphs, [], tables)


def _tabulate_own(context: ReportContext) -> TablePart:
    rates = summarize(context.frame, ["model", "prompt_variant"], [context.scorer])
    texts = [
        {
            "model": context.label(rate.group["model"]), "prompt": rate.group["prompt_variant"],
            "success": percent(rate.rate.value), "95% interval": format_interval(rate.rate.low, rate.rate.high),
            "questions": str(rate.rate.n),
        }
        for rate in rates
    ]  # fmt: skip
    records = [
        {
            **rate.group,
            "success": rate.rate.value,
            "low": rate.rate.low,
            "high": rate.rate.high,
            "questions": rate.rate.n,
        }
        for rate in rates
    ]
    return TablePart("prompt_variants", "Success by variant of the prompt", texts, records)


def _compare(context: ReportContext, other: pd.DataFrame, number: int) -> tuple[str, TablePart]:
    """Return a sentence on another experiment, and the difference of each model that both have."""
    name = list_names(other, "experiment")[0]
    theirs = select_scorer(other, context.scorer)
    theirs = theirs[theirs["state"] == SCORED]
    ours, theirs = _with_keys(context.scored), _with_keys(theirs)
    is_paired = bool(set(ours["key"]) & set(theirs["key"]))
    texts, records = [], []
    for model in context.models:
        a, b = ours[ours["model"] == model], theirs[theirs["model"] == model]
        if not len(b) or not len(a):
            continue
        values = (
            a["success"].to_numpy(float),
            a["key"].to_numpy(str),
            b["success"].to_numpy(float),
            b["key"].to_numpy(str),
        )
        if is_paired:
            found = compare_paired(*values)
            mean_a, mean_b, n = found.mean_first, found.mean_second, found.common
            value, low, high = found.difference.value, found.bootstrap.low, found.bootstrap.high
        else:
            difference = independent_difference(*values)
            mean_a, mean_b = float(values[0].mean()), float(values[2].mean())
            value, low, high, n = difference.value, difference.low, difference.high, difference.n
        texts.append(
            {
                "model": context.label(model), context.experiment: percent(mean_a), name: percent(mean_b),
                "difference, points": points(value), "95% interval, points": format_points(low, high),
                "questions": str(n),
            }
        )  # fmt: skip
        records.append(
            {
                "model": model, "success": mean_a, "success_other": mean_b, "difference": value, "low": low,
                "high": high, "questions": n, "is_paired": is_paired,
            }
        )  # fmt: skip
    title = f"{context.experiment} less {name}"
    return _describe(context, other, name, is_paired), TablePart(f"against_{number + 1}", title, texts, records)


def _with_keys(scored: pd.DataFrame) -> pd.DataFrame:
    return scored.assign(key=scored[ITEM].astype("string").fillna("").agg("\n".join, axis=1) if len(scored) else "")


def _describe(context: ReportContext, other: pd.DataFrame, name: str, is_paired: bool) -> str:
    own, theirs = (join_names(list_names(frame, "prompt_variant") or ["default"]) for frame in (context.frame, other))
    if not is_paired:
        return (
            f"{name} has other questions of the same kind. A model that has seen the questions of {context.experiment} "
            "before would do better there; the difference is between independent samples (Newcombe's interval)."
        )
    text = (
        f"{name} has the same questions with the prompt {theirs!r} in place of {own!r}; differences are paired by "
        "question."
    )
    if EMPTY in (own, theirs):
        text += " The empty prompt is a control: success without words is not understanding of the prompt."
    return text
