"""Means of what the scorers measured, by model: the metrics that were measured in several domains."""

from __future__ import annotations

from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import Section, TablePart
from vmevalkit.report.words import format_number
from vmevalkit.results.columns import expand
from vmevalkit.stats.rates import mean_score


def make_measurements(context: ReportContext) -> Section | None:
    if not len(context.scored):
        return None
    table = expand(context.scored, "metrics")
    names = [column for column in table.columns if column.startswith("metrics.")]
    records = []
    shared: dict[str, dict[str, str]] = {}
    for name in names:
        numbers = table[name].map(lambda cell: float(cell) if isinstance(cell, int | float) else None).dropna()
        is_shared = table.loc[numbers.index, "domain"].nunique() > 1 or len(context.domains) == 1
        for model in context.models:
            own = table.loc[numbers.index][table.loc[numbers.index, "model"] == model]
            if not len(own):
                continue
            mean = mean_score(numbers.loc[own.index].to_numpy(float), own["item"].to_numpy())
            short = name.removeprefix("metrics.")
            records.append(
                {
                    "model": model, "metric": short, "mean": mean.value, "low": mean.low, "high": mean.high,
                    "questions": mean.n,
                }
            )  # fmt: skip
            if is_shared:
                shared.setdefault(short, {})[context.label(model)] = format_number(mean.value, 3)
    if not records:
        return None
    labels = [context.label(model) for model in context.models]
    texts = [
        {"metric": name.replace("_", " "), **{label: cells.get(label, "–") for label in labels}}
        for name, cells in sorted(shared.items())
    ] or [{"metric": "none is measured in several domains"}]
    note = (
        "Means over questions of the metrics that several domains have; the CSV file has those of single domains too, "
        "with t intervals. The pages of the tasks describe them."
    )
    return Section(
        "measurements", "Measurements", [], [],
        [TablePart("measurements", "Means of the scorer's metrics", texts, records, note, is_long=True)],
    )  # fmt: skip
