"""Cost and time of each model."""

from __future__ import annotations

from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import Section, TablePart
from vmevalkit.report.words import format_number


def make_costs(context: ReportContext) -> Section | None:
    jobs = context.videos.drop_duplicates("job")
    if not (jobs["cost_usd"].notna().any() or jobs["seconds"].notna().any()):
        return None
    texts, records = [], []
    for model in context.models:
        own = jobs[jobs["model"] == model]
        successes = int(
            context.scored[context.scored["model"] == model].groupby("job")["success"].max().fillna(False).sum()
        )
        costs, seconds = own["cost_usd"].dropna(), own["seconds"].dropna()
        total = float(costs.sum()) if len(costs) else None
        per_success = total / successes if total is not None and successes else None
        median = float(seconds.median()) if len(seconds) else None
        slow = float(seconds.quantile(0.9)) if len(seconds) else None
        texts.append(
            {
                "model": context.label(model),
                "runs": str(len(own)),
                "with a price": str(len(costs)),
                "total, USD": format_number(total, 2),
                "per success, USD": format_number(per_success, 2),
                "median time, s": format_number(median, 1),
                "90% within, s": format_number(slow, 1),
            }
        )
        records.append(
            {
                "model": model, "runs": len(own), "runs_with_price": len(costs), "total_usd": total,
                "usd_per_success": per_success, "successes": successes, "median_seconds": median, "p90_seconds": slow,
            }
        )  # fmt: skip
    note = "Prices are those of the catalogue at the time of the run. A run without a price is not counted as free."
    return Section(
        "costs", "Cost and time", [], [], [TablePart("costs", "Cost and time of each model", texts, records, note)]
    )
