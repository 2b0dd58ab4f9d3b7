"""Cognitive groups: success of each model in planning, deduction and perception."""

from __future__ import annotations

from vmevalkit.report.charts import draw_heatmap
from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import FigurePart, Section, TablePart
from vmevalkit.report.words import format_short_interval
from vmevalkit.results.selection import list_names
from vmevalkit.results.summary import GroupRate, summarize
from vmevalkit.results.words import join_names, percent


def make_groups(context: ReportContext) -> Section | None:
    """Return success by group; None where the questions are of fewer than two groups."""
    names = list_names(context.scored, "group")
    if len(names) < 2:
        return None
    cells = {
        (rate.group["model"], rate.group["group"]): rate
        for rate in summarize(context.frame, ["model", "group"], [context.scorer])
    }
    members = {name: list_names(context.scored[context.scored["group"] == name], "domain") for name in names}
    grid = [[_get_rate(cells, model, name) for name in names] for model in context.models]
    counts = [[cells[model, name].rate.n if (model, name) in cells else None for name in names]
              for model in context.models]  # fmt: skip
    figure = FigurePart(
        "model_group",
        "Success of each model in each cognitive group",
        "Share of successes among scored videos of all domains of a group, and the number n of questions. Intervals "
        "are in the table.",
        "; ".join(
            f"{model}: " + ", ".join(f"{name} {percent(value)}" for name, value in zip(names, line, strict=True))
            for model, line in zip(context.models, grid, strict=True)
        ),
        draw_heatmap(
            grid,
            [context.label(model) for model in context.models],
            names,
            unit="success rate",
            counts=counts,
            muted=context.muted_labels,
        ),
    )
    domains = "; ".join(f"{name}: {join_names(members[name])}" for name in names)
    text = f"A domain belongs to the group of the ability that it asks for. {domains}."
    return Section("groups", "Cognitive groups", [text], [figure], [_tabulate(context, names, cells)])


def _get_rate(cells: dict[tuple[str, str], GroupRate], model: str, name: str) -> float | None:
    rate = cells.get((model, name))
    return None if rate is None else rate.rate.value


def _tabulate(context: ReportContext, names: list[str], cells: dict[tuple[str, str], GroupRate]) -> TablePart:
    texts, records = [], []
    for model in context.models:
        line = {"model": context.label(model)}
        for name in names:
            rate = cells.get((model, name))
            line[name] = "–"
            if rate is None:
                continue
            if rate.rate.value is not None:
                line[name] = f"{percent(rate.rate.value)} ({format_short_interval(rate.rate.low, rate.rate.high)})"
            records.append(
                {
                    "model": model, "group": name, "success": rate.rate.value, "low": rate.rate.low,
                    "high": rate.rate.high, "questions": rate.rate.n, "videos": rate.videos,
                    "left_out": rate.left_out.total,
                }
            )  # fmt: skip
        texts.append(line)
    return TablePart("model_group", "Success with 95% intervals, by model and cognitive group", texts, records)
