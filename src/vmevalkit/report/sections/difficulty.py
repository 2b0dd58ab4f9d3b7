"""Success by difficulty, by tag and by parameter of the puzzle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vmevalkit.report.charts import IntervalRow, draw_intervals, draw_lines
from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import FigurePart, Section, TablePart
from vmevalkit.report.words import format_interval, format_number
from vmevalkit.results.columns import expand
from vmevalkit.results.selection import list_names
from vmevalkit.results.words import count, percent
from vmevalkit.stats.breakdown import ParameterTrend, success_by_level, success_by_parameter, success_by_tag
from vmevalkit.stats.records import Estimate

if TYPE_CHECKING:
    import pandas as pd

LEVELS = ("trivial", "easy", "medium", "hard", "extreme")
"""Order of usual names of difficulties; others follow in natural order."""
MOST_TAGS = 24
"""Tags in the figure; the table has all."""
MOST_MODELS = 8
"""Models in a figure of lines."""


def make_difficulty(context: ReportContext) -> Section | None:
    pooled = context.scored[context.scored["model"].isin(context.real_models)]
    if not len(pooled):
        return None
    figures, tables = [], []
    levels = sorted(list_names(pooled, "difficulty"), key=_order_level)
    if len(levels) > 1:
        figures.append(_draw_levels(context, levels))
    tags = success_by_tag(pooled["success"].to_numpy(float), list(pooled["tags"]), pooled["item"].to_numpy())
    if len({rate.value for rate in tags.values()}) > 1:
        figures.append(_draw_tags(tags))
    if len(tags) > 1:
        tables.append(_tabulate_tags(tags))
    trends = _compute_trends(pooled)
    if trends:
        tables.append(_tabulate_trends(trends))
    if not figures and not tables:
        return None
    pool = count(len(context.real_models), "baseline" if set(context.real_models) <= context.baselines else "model")
    text = f"Tags and parameters are pooled over {pool}. A video counts once under each of its tags."
    return Section("difficulty", "Difficulty, tags and parameters", [text], figures, tables)


def _order_level(name: str) -> tuple[int, str]:
    return (LEVELS.index(name), "") if name in LEVELS else (len(LEVELS), name)


def _draw_levels(context: ReportContext, levels: list[str]) -> FigurePart:
    lines = {}
    for model in context.models[:MOST_MODELS]:
        own = context.scored[(context.scored["model"] == model) & context.scored["difficulty"].notna()]
        rates = success_by_level(
            own["success"].to_numpy(float), own["difficulty"].to_numpy(str), own["item"].to_numpy()
        )  # fmt: skip
        lines[context.label(model)] = [_row(level, rates.get(level)) for level in levels]
    more = len(context.models) - MOST_MODELS
    rest = f" The best {MOST_MODELS} of {len(context.models)} models." if more > 0 else ""
    muted = frozenset(context.label(model) for model in context.muted)
    return FigurePart(
        "difficulty",
        "Success by difficulty",
        f"Success rates with 95% intervals over questions.{rest}",
        "; ".join(
            f"{name}: " + ", ".join(f"{row.label} {percent(row.value)}" for row in rows) for name, rows in lines.items()
        ),
        draw_lines(lines, levels, muted, "success rate"),
    )


def _row(label: str, rate: Estimate | None) -> IntervalRow:
    return IntervalRow(label, None, None, None) if rate is None else IntervalRow(label, rate.value, rate.low, rate.high)


def _draw_tags(tags: dict[str, Estimate]) -> FigurePart:
    frequent = sorted(tags, key=lambda tag: -tags[tag].n)[:MOST_TAGS]
    rows = [_row(f"{tag} ({tags[tag].n})", tags[tag]) for tag in frequent]
    rows.sort(key=lambda row: -(row.value or 0.0))
    rest = f" The {MOST_TAGS} most frequent of {len(tags)} tags." if len(tags) > MOST_TAGS else ""
    return FigurePart(
        "tags",
        "Success by tag",
        f"Success rates with 95% intervals. The number of questions is in parentheses.{rest}",
        ", ".join(f"{row.label}: {percent(row.value)}" for row in rows),
        draw_intervals(rows, "success rate"),
    )


def _tabulate_tags(tags: dict[str, Estimate]) -> TablePart:
    texts = [
        {
            "tag": tag, "success": percent(rate.value), "95% interval": format_interval(rate.low, rate.high),
            "questions": str(rate.n),
        }
        for tag, rate in tags.items()
    ]  # fmt: skip
    records = [
        {"tag": tag, "success": rate.value, "low": rate.low, "high": rate.high, "questions": rate.n}
        for tag, rate in tags.items()
    ]
    return TablePart("tags", "Success by tag", texts, records, is_long=True)


def _compute_trends(pooled: pd.DataFrame) -> dict[tuple[str, str], ParameterTrend]:
    """Return success against every parameter that varies over the questions of a domain."""
    trends = {}
    for domain, own in pooled.groupby("domain", sort=True):
        table = expand(own, "params")
        for name in [column for column in table.columns if column.startswith("params.")]:
            numbers = table[name].map(lambda cell: float(cell) if _is_number(cell) else None).dropna()
            if numbers.nunique() < 2:
                continue
            rows = table.loc[numbers.index]
            trends[str(domain), name.removeprefix("params.")] = success_by_parameter(
                rows["success"].to_numpy(float), numbers.to_numpy(float), rows["item"].to_numpy(), max_bins=4
            )
    return trends


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and cell == cell


def _tabulate_trends(trends: dict[tuple[str, str], ParameterTrend]) -> TablePart:
    texts, records = [], []
    for (domain, name), found in trends.items():
        bins = "; ".join(
            f"{each.low:g}: {percent(each.rate.value)}" if each.low == each.high
            else f"{each.low:g}–{each.high:g}: {percent(each.rate.value)}"
            for each in found.bins
        )  # fmt: skip
        texts.append(
            {
                "domain": domain,
                "parameter": name,
                "success in ranges": bins,
                "rank correlation": format_number(found.trend.value, 2),
                "95% interval": "–" if found.trend.low is None or found.trend.high is None
                else f"{found.trend.low:.2f} to {found.trend.high:.2f}",
                "questions": str(found.questions),
            }
        )  # fmt: skip
        records += [
            {
                "domain": domain, "parameter": name, "low_of_range": each.low, "high_of_range": each.high,
                "success": each.rate.value, "low": each.rate.low, "high": each.rate.high, "questions": each.rate.n,
            }
            for each in found.bins
        ]  # fmt: skip
    note = (
        "Spearman's correlation of the parameter with the questions' success rates. Many parameters are looked at, so "
        "some intervals exclude 0 by chance."
    )
    return TablePart("parameters", "Success by parameter of the puzzle", texts, records, note, is_long=True)
