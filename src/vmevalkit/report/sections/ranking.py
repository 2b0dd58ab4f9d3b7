"""The ranking: success of each model with its interval and the ranks that the data do not exclude (Figure 1)."""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.report.charts import NARROW, IntervalRow, draw_intervals
from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import FigurePart, Section, TablePart
from vmevalkit.report.words import format_interval, format_number
from vmevalkit.results.items import make_items
from vmevalkit.results.notes import describe_common
from vmevalkit.results.words import count, percent
from vmevalkit.stats.ranking import RankBand, RankBands, rank_bands

_MOST_NARROW = 18
"""Letters of a name in a narrow figure."""


def compute_bands(context: ReportContext, *, without_baselines: bool = False) -> RankBands:
    """Return the rank bands of all models with scores; trick baselines are among them, unless they are left out."""
    scored = context.scored
    items = make_items(scored[scored["model"].isin(context.real_models)] if without_baselines else scored)
    return rank_bands(items.success, items.model, items.question)


def make_ranking(context: ReportContext) -> Section | None:
    if not len(context.scored):
        return None
    bands = compute_bands(context)
    rows = [
        IntervalRow(
            context.label(rate.group["model"]),
            rate.rate.value,
            rate.rate.low,
            rate.rate.high,
            _describe_band(bands.bands.get(rate.group["model"])),
            rate.group["model"] in context.muted,
        )
        for rate in context.totals
    ]
    words = ", ".join(f"{row.label} {percent(row.value)}" for row in rows)
    return Section(
        "ranking",
        "Ranking",
        _describe_ranking(bands),
        [
            FigurePart(
                "ranking",
                "Figure 1. Success rate of each model",
                "Points are success rates (a value of 4 or 5), lines 95% intervals over questions. The ranks at the "
                "right are those that the data do not exclude, each pair compared on the questions that both have, "
                "with Holm's correction. Hollow grey points are trick baselines; they show what a video without "
                "reasoning gets.",
                f"Success rates: {words}.",
                draw_intervals(rows, "success rate"),
                draw_intervals([replace(row, label=_shorten(row.label), note="") for row in rows], "", NARROW),
            )
        ],
        [_make_table(context, bands)],
    )


def _shorten(label: str) -> str:
    """Return a label for a narrow screen; a hollow point already says that it is a baseline."""
    name = label.removesuffix(" (baseline)")
    return name if len(name) <= _MOST_NARROW else f"{name[: _MOST_NARROW - 1]}…"


def _describe_ranking(bands: RankBands) -> list[str]:
    if bands.reason:
        return [f"There are no ranks: {bands.reason}."]
    left_out = ""
    if bands.questions_left_out:
        left_out = (
            f" {count(bands.questions_left_out, 'question')} lack a score of some model: two models are compared on "
            "the questions that both have, and the rates of models on different questions are not comparable."
        )
    return [
        f"Ranks are bands: 1–3 means that the data exclude none of the ranks 1, 2 and 3. All bands hold the true ranks "
        f"together with a chance of {percent(1 - bands.alpha)}. They are from "
        f"{describe_common(bands)}.{left_out}"
    ]


def _describe_band(band: RankBand | None) -> str:
    if band is None:
        return ""
    return f"rank {band.best}" if band.best == band.worst else f"rank {band.best}–{band.worst}"


def _make_table(context: ReportContext, bands: RankBands) -> TablePart:
    texts, records = [], []
    for rate in context.totals:
        model = rate.group["model"]
        band = bands.bands.get(model)
        passed = context.scored[context.scored["model"] == model]["passed"]
        share = float(passed.dropna().astype(float).mean()) if passed.notna().any() else None
        texts.append(
            {
                "model": context.label(model),
                "rank": _describe_band(band).removeprefix("rank ") or "–",
                "success": percent(rate.rate.value),
                "95% interval": format_interval(rate.rate.low, rate.rate.high),
                "questions": str(rate.rate.n),
                "videos": str(rate.videos),
                "mean value": format_number(rate.value.value, 2),
                "first in resamples": "–" if band is None else percent(band.share_first),
                "left out": str(rate.left_out) or "–",
            }
        )
        records.append(
            {
                "model": model, "is_baseline": model in context.baselines,
                "rank_best": band and band.best, "rank_worst": band and band.worst,
                "success": rate.rate.value, "low": rate.rate.low, "high": rate.rate.high, "questions": rate.rate.n,
                "videos": rate.videos, "passed": share, "mean_value": rate.value.value,
                "mean_value_low": rate.value.low, "mean_value_high": rate.value.high,
                "share_first": band and band.share_first, "left_out": rate.left_out.total,
                "lowest_of_attempted": rate.attempted.lowest, "highest_of_attempted": rate.attempted.highest,
            }
        )  # fmt: skip
    note = (
        "A success is a value of 4 or 5. Intervals have the error of questions: several videos of one question do not "
        "count as several questions. Videos that are left out count neither way."
    )
    return TablePart("ranking", "Success of each model", texts, records, note)
