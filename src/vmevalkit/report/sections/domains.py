"""Domains: how difficult each is (Figure 2), and each model in each domain (Figure 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vmevalkit.report.charts import IntervalRow, draw_bars, draw_heatmap
from vmevalkit.report.context import ReportContext
from vmevalkit.report.section import FigurePart, Section, TablePart
from vmevalkit.report.words import format_interval, format_number, format_short_interval
from vmevalkit.results.items import compare_domains, make_items
from vmevalkit.results.sentences import ALPHA
from vmevalkit.results.summary import GroupRate, summarize
from vmevalkit.results.words import count, join_names, p_value, percent
from vmevalkit.stats.consistency import model_consistency
from vmevalkit.stats.rates import success_rate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_COLUMNS = 16
"""Domains that a figure shows side by side."""


def make_domains(context: ReportContext) -> Section | None:
    if not len(context.scored):
        return None
    cells = {
        (rate.group["model"], rate.group["domain"]): rate
        for rate in summarize(context.frame, ["model", "domain"], [context.scorer])
    }
    difficulty = _compute_difficulty(context)
    grid = [[_value(cells.get((model, domain))) for domain in context.domains] for model in context.models]
    counts = [[_count(cells.get((model, domain))) for domain in context.domains] for model in context.models]
    figures = [_draw_difficulty(context, difficulty)] if len(context.domains) > 1 else []
    figures.append(
        FigurePart(
            "model_domain",
            "Figure 3. Success of each model in each domain",
            "Share of successes among scored videos, and the number n of questions. A dash means that no video is "
            "scored. Intervals are in the table.",
            "; ".join(
                f"{model}: "
                + ", ".join(f"{domain} {percent(value)}" for domain, value in zip(context.domains, line, strict=True))
                for model, line in zip(context.models, grid, strict=True)
            ),
            _draw_cells(context, grid, counts),
        )
    )
    tables = [_tabulate_cells(context, cells)]
    if len(context.domains) > 1:
        tables.append(_tabulate_consistency(context))
    return Section("domains", "Domains", _describe(context, difficulty), figures, tables)


def _draw_cells(context: ReportContext, grid: list[list[float | None]], counts: list[list[int | None]]) -> Figure:
    """Draw models below each other, or many domains: their names and numbers would overlap side by side."""
    models = [context.label(model) for model in context.models]
    if len(context.domains) <= MOST_COLUMNS:
        return draw_heatmap(
            grid, models, context.domains, unit="success rate", counts=counts, muted=context.muted_labels
        )
    turned = [list(line) for line in zip(*grid, strict=True)]
    numbers = [list(line) for line in zip(*counts, strict=True)]
    return draw_heatmap(
        turned, context.domains, models, unit="success rate", counts=numbers, muted=context.muted_labels
    )


def _value(rate: GroupRate | None) -> float | None:
    return None if rate is None else rate.rate.value


def _count(rate: GroupRate | None) -> int | None:
    return None if rate is None else rate.rate.n


def _compute_difficulty(context: ReportContext) -> list[IntervalRow]:
    """Return success in each domain, pooled over the models that are not baselines; the hardest last."""
    pooled = context.scored[context.scored["model"].isin(context.real_models)]
    rows = []
    for domain in context.domains:
        own = pooled[pooled["domain"] == domain]
        rate = success_rate(own["success"].to_numpy(float), own["item"].to_numpy())
        rows.append(IntervalRow(domain, rate.value, rate.low, rate.high))
    return sorted(rows, key=lambda row: -1.0 if row.value is None else -row.value)


def _name_pool(context: ReportContext) -> str:
    if set(context.real_models) <= context.baselines:
        return f"all {count(len(context.models), 'baseline')}"
    return count(len(context.real_models), "model") + (", without baselines" if context.baselines else "")


def _draw_difficulty(context: ReportContext, rows: list[IntervalRow]) -> FigurePart:
    return FigurePart(
        "domain_difficulty",
        "Figure 2. Difficulty of the domains",
        f"Success pooled over {_name_pool(context)}. The line on a bar is the 95% interval over questions.",
        ", ".join(f"{row.label} {percent(row.value)}" for row in rows),
        draw_bars(rows, "success rate and 95% interval"),
    )


def _describe(context: ReportContext, rows: list[IntervalRow]) -> list[str]:
    known = [row for row in rows if row.value is not None and row.low is not None and row.high is not None]
    if len(known) < 2:
        return []
    best, worst = known[0], known[-1]
    easiest = [row for row in known if row.value == best.value]
    hardest = [row for row in known if row.value == worst.value]
    if best.value == worst.value:
        return [f"Pooled over {_name_pool(context)}, success is {percent(best.value)} in every domain."]
    text = (
        f"Pooled over {_name_pool(context)}, success is highest in {join_names([row.label for row in easiest])} "
        f"({percent(best.value)}, {format_interval(best.low, best.high)}) and lowest in "
        f"{join_names([row.label for row in hardest])} ({percent(worst.value)}, "
        f"{format_interval(worst.low, worst.high)})."
    )
    test = compare_domains(make_items(context.scored[context.scored["model"].isin(context.real_models)]))
    if test.p_value is None or test.p_value > ALPHA:
        why = f"no test, since {test.reason}" if test.p_value is None else p_value(test.p_value)
        text += f" The scores do not show that the domains differ (Kruskal-Wallis over questions: {why})."
    return [text]


def _tabulate_cells(context: ReportContext, cells: dict[tuple[str, str], GroupRate]) -> TablePart:
    texts, records = [], []
    for model in context.models:
        line = {"model": context.label(model)}
        for domain in context.domains:
            rate = cells.get((model, domain))
            known = rate is not None and rate.rate.value is not None
            line[domain] = (
                f"{percent(rate.rate.value)} ({format_short_interval(rate.rate.low, rate.rate.high)})"
                if rate and known
                else "–"
            )
            if rate is not None:
                records.append(
                    {
                        "model": model, "domain": domain, "success": rate.rate.value, "low": rate.rate.low,
                        "high": rate.rate.high, "questions": rate.rate.n, "videos": rate.videos,
                        "mean_value": rate.value.value, "left_out": rate.left_out.total,
                    }
                )  # fmt: skip
        texts.append(line)
    if len(context.domains) > MOST_COLUMNS:
        texts = [{"domain": domain, **{line["model"]: line[domain] for line in texts}} for domain in context.domains]
    return TablePart("model_domain", "Success with 95% intervals, by model and domain", texts, records)


def _tabulate_consistency(context: ReportContext) -> TablePart:
    scored = context.scored
    found = model_consistency(
        scored["success"].to_numpy(float), scored["model"].to_numpy(str), scored["domain"].to_numpy(str),
        scored["item"].to_numpy(),
    )  # fmt: skip
    texts, records = [], []
    for model in context.models:
        each = found.get(model)
        if each is None:
            continue
        texts.append(
            {
                "model": context.label(model),
                "mean of domains": percent(each.mean_success),
                "standard deviation": percent(each.std_success),
                "by chance alone": percent(each.sampling_std),
                "range": percent(each.domain_range),
                "coefficient of variation": format_number(each.cv, 2),
            }
        )
        records.append(
            {
                "model": model, "mean_success": each.mean_success, "std_success": each.std_success,
                "sampling_std": each.sampling_std, "domain_range": each.domain_range, "cv": each.cv,
            }
        )  # fmt: skip
    note = "'By chance alone' is the deviation that domains of equal difficulty would show with so few questions."
    return TablePart("consistency", "Consistency over domains", texts, records, note, is_long=True)
