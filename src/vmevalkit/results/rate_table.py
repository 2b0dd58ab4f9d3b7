"""The table of rates that commands print: its lines as numbers, as text, and the notes below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmevalkit.results.notes import describe_table
from vmevalkit.results.selection import leave_out_baselines, list_names, require_name
from vmevalkit.results.summary import ALL, GroupRate, check_groups, summarize
from vmevalkit.results.words import join_names, percent
from vmevalkit.store import layout

if TYPE_CHECKING:
    import pandas as pd

NARROW = 0.05
"""Intervals narrower than this are shown with one more digit."""


@dataclass(frozen=True, slots=True)
class RateTable:
    """Rates of groups, ready to print or to export."""

    by: tuple[str, ...]
    """What the lines are grouped by."""
    rates: tuple[GroupRate, ...]
    """One for each line."""
    notes: tuple[str, ...]
    """What can and cannot be read from the table."""
    has_several_scorers: bool
    """Whether the lines name their scorer."""

    @property
    def records(self) -> list[dict[str, Any]]:
        """The lines as numbers, for files."""
        return [{**_names(self, rate), **_numbers(rate)} for rate in self.rates]

    @property
    def texts(self) -> list[dict[str, str]]:
        """The lines as text, for readers."""
        return [{**_names(self, rate), **_texts(rate)} for rate in self.rates]


def make_rate_table(
    frame: pd.DataFrame,
    by: Sequence[str] | None = None,
    scorer: str | None = None,
    outputs: Path | str = layout.OUTPUTS,
    evaluations: Path | str = layout.EVALUATIONS,
    with_commands: bool = True,
) -> RateTable:
    """Return the rates of a tidy table.

    Without ``by`` they are those of each model in each domain and in all domains. The folders are named in the commands
    that the notes recommend; ``with_commands`` is False where there are no runs that a command could find.
    """
    if scorer is not None:
        require_name(frame, "scorer", scorer)
    scorers = list_names(frame, "scorer") if scorer is None else [scorer]
    groups = _default_groups(frame) if by is None else _separate_experiments(frame, check_groups(by))
    baselines: list[str] = []
    whole = frame
    if "model" not in groups and "family" not in groups:
        frame, baselines = leave_out_baselines(frame)
    rates = summarize(frame, groups, scorers)
    if by is None and frame["domain"].nunique() > 1:
        rates = _add_totals(summarize(frame, groups[:-1], scorers), groups, rates)
    notes = describe_table(whole, scorers, (Path(outputs), Path(evaluations)) if with_commands else None)
    if "model" not in groups and frame["model"].nunique() > 1:
        notes.insert(0, f"each line pools {frame['model'].nunique()} models")
    if baselines:
        notes.insert(0, f"the lines are without the baselines {join_names(baselines)}; --by model shows them")
    if by is not None and "experiment" not in by and "experiment" in groups:
        notes.insert(0, "the experiments are kept apart: they may differ in prompts, settings and questions")
    if "tag" in groups:
        notes.insert(0, "a video counts once under each of its tags, so the lines overlap")
    return RateTable(tuple(groups), tuple(rates), tuple(notes), len(scorers) > 1)


def _default_groups(frame: pd.DataFrame) -> list[str]:
    several = len(list_names(frame, "experiment")) > 1
    return ["experiment", "model", "domain"] if several else ["model", "domain"]


def _separate_experiments(frame: pd.DataFrame, groups: list[str]) -> list[str]:
    """Return the groups with the experiment first where there are several: they are never pooled."""
    several = len(list_names(frame, "experiment")) > 1
    return ["experiment", *groups] if several and "experiment" not in groups else groups


def _add_totals(totals: list[GroupRate], groups: list[str], rates: list[GroupRate]) -> list[GroupRate]:
    """Return the rates with a line for all domains after those of each model."""
    lines: list[GroupRate] = []
    for total in totals:
        lines += [rate for rate in rates if rate.scorer == total.scorer and total.group.items() <= rate.group.items()]
        lines.append(replace(total, group={name: total.group.get(name, ALL) for name in groups}))
    return lines


def _names(table: RateTable, rate: GroupRate) -> dict[str, str]:
    return {**({"scorer": rate.scorer} if table.has_several_scorers else {}), **rate.group}


def _numbers(rate: GroupRate) -> dict[str, Any]:
    return {
        "rate": rate.rate.value,
        "low": rate.rate.low,
        "high": rate.rate.high,
        "questions": rate.rate.n,
        "videos": rate.videos,
        "mean_value": rate.value.value,
        "mean_value_low": rate.value.low,
        "mean_value_high": rate.value.high,
        "unscored": rate.left_out.unscored,
        "outdated": rate.left_out.outdated,
        "not_scored": rate.left_out.not_scored,
        "without_video": rate.left_out.without_video,
        "attempted": rate.attempted.total,
        "lowest_of_attempted": rate.attempted.lowest,
        "highest_of_attempted": rate.attempted.highest,
    }


def _texts(rate: GroupRate) -> dict[str, str]:
    low, high = rate.rate.low, rate.rate.high
    digits = 1 if low is not None and high is not None and high - low < NARROW else 0
    return {
        "share" if "failure_mode" in rate.group else "rate": percent(rate.rate.value, digits),
        "95% interval": "-" if low is None else f"{percent(low, digits)} to {percent(high, digits)}",
        "questions": str(rate.rate.n),
        "videos": str(rate.videos),
        "mean value": "-" if rate.value.value is None else f"{rate.value.value:.2f}",
        "left out": str(rate.left_out),
    }
