"""The summary at the top of the page: what the data show, in sentences that keep the uncertainty."""

from __future__ import annotations

from vmevalkit.core.reference_baselines import REFERENCE_BASELINES
from vmevalkit.report.context import ReportContext
from vmevalkit.report.sections.scores import describe_process
from vmevalkit.report.words import format_interval
from vmevalkit.results.comparison import compare_models
from vmevalkit.results.selection import count_left_out
from vmevalkit.results.sentences import describe_comparison
from vmevalkit.results.summary import GroupRate
from vmevalkit.results.words import count, join_names, percent
from vmevalkit.stats.ranking import RankBands

ORACLE = "oracle"
"""The baseline that shows the reference solutions."""


def write_summary(context: ReportContext, bands: RankBands | None) -> list[str]:
    """Return the sentences of the summary."""
    lines = [_describe_size(context)]
    if not len(context.scored):
        return [*lines, "No video has a score that counts, so there is nothing to conclude."]
    lines += _describe_best(context)
    lines += _describe_ranks(context, bands)
    lines += _describe_top_pair(context)
    lines += _describe_oracle(context)
    lines += _describe_reference_baselines(context)
    return lines + describe_process(context)


def _describe_size(context: ReportContext) -> str:
    left_out = count_left_out(context.videos)
    jobs = context.videos["job"].nunique()
    text = (
        f"{count(jobs, 'run')} of {name_models(context)} on {count(context.videos['item'].nunique(), 'question')} in "
        f"{count(len(context.domains), 'domain')}; {count(context.scored['job'].nunique(), 'video')} scored by "
        f"{context.scorer}."
    )
    return f"{text} Left out of all rates: {left_out}." if left_out.total else text


def name_models(context: ReportContext) -> str:
    """Return the numbers of models and of embedded baselines, in words."""
    baselines = len(context.baselines & set(context.models))
    real = len(context.models) - baselines
    parts = [count(real, "model")] if real else []
    return " and ".join([*parts, count(baselines, "embedded baseline")] if baselines else parts)


def _describe_best(context: ReportContext) -> list[str]:
    """Return what the best models reach. Baselines compete only where there is nothing else."""
    known = [
        rate for rate in context.totals if rate.rate.value is not None and rate.group["model"] in context.real_models
    ]
    best = [rate for rate in known if rate.rate.value == known[0].rate.value]
    if not best:
        return []
    names, questions = join_names([rate.group["model"] for rate in best]), count(best[0].rate.n, "question")
    if len(known) == 1:
        return [f"{names} has a success rate of {_describe_rate(best[0])}, on {questions}."]
    verb = "has" if len(best) == 1 else "share"
    return [f"{names} {verb} the highest success rate, {_describe_rate(best[0])}, on {questions}."]


def _describe_ranks(context: ReportContext, bands: RankBands | None) -> list[str]:
    """Return which models may be the best. ``bands`` are of these models alone."""
    if bands is None or bands.reason:
        return []
    first = [name for name, band in bands.bands.items() if band.best == 1]
    of_models = " among the models" if set(context.real_models) < set(context.models) else ""
    if len(first) == 1:
        return [f"At the 5% level, corrected for all pairs, {first[0]} is ahead of every other model."]
    return [f"The data do not exclude rank 1{of_models} for {join_names(first)}."]


def _describe_rate(rate: GroupRate) -> str:
    return f"{percent(rate.rate.value)} (95% interval {format_interval(rate.rate.low, rate.rate.high)})"


def _describe_top_pair(context: ReportContext) -> list[str]:
    """Return the comparison of the two best models that are not baselines."""
    real = [name for name in context.models if name not in context.baselines]
    if len(real) < 2:
        return []
    [found] = compare_models(context.frame, real[0], real[1], scorer=context.scorer)
    # The first sentence names the experiment and the scorer; those of the domains have a table of their own.
    lines = [line for line in describe_comparison(found)[1:] if not line.startswith(("  ", "By domain"))]
    return [f"{real[0]} against {real[1]}: {' '.join(lines)}"]


def _describe_oracle(context: ReportContext) -> list[str]:
    for rate in context.totals:
        if rate.group["model"] == ORACLE and ORACLE not in context.real_models and rate.rate.value is not None:
            return [f"The reference solutions ({ORACLE}), what a perfect model gets, reach {_describe_rate(rate)}."]
    return []


def _describe_reference_baselines(context: ReportContext) -> list[str]:
    tricks = [
        rate for rate in context.totals if rate.group["model"] in REFERENCE_BASELINES and rate.rate.value is not None
    ]
    if not tricks:
        return ["No trick baseline was run, so the rates cannot be read against videos that show no reasoning."]
    rates = join_names([f"{rate.group['model']} {_describe_rate(rate)}" for rate in tricks])
    return [f"The trick baselines, whose videos show no reasoning, reach: {rates}."]
