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


def write_summary(context: ReportContext, bands: RankBands | None) -> list[str]:
    """Return the sentences of the summary."""
    lines = [_describe_size(context)]
    if not len(context.scored):
        return [*lines, "No video has a score that counts, so there is nothing to conclude."]
    lines += _describe_best(context, bands)
    lines += _describe_top_pair(context)
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


def _describe_best(context: ReportContext, bands: RankBands | None) -> list[str]:
    known = [rate for rate in context.totals if rate.rate.value is not None]
    best = [rate for rate in known if rate.rate.value == known[0].rate.value] if known else []
    if not best:
        return []
    names = join_names([rate.group["model"] for rate in best])
    lines = [
        f"{names} {'has' if len(best) == 1 else 'share'} the highest success rate, {_describe_rate(best[0])}, on "
        f"{count(best[0].rate.n, 'question')}."
    ]
    if bands is not None and not bands.reason:
        first = [name for name, band in bands.bands.items() if band.best == 1]
        if len(first) == 1:
            lines.append(f"At the 5% level, corrected for all pairs, {first[0]} is ahead of every other model.")
        else:
            lines.append(f"The data do not exclude rank 1 for {join_names(first)}.")
    return lines


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


def _describe_reference_baselines(context: ReportContext) -> list[str]:
    tricks = [
        rate for rate in context.totals if rate.group["model"] in REFERENCE_BASELINES and rate.rate.value is not None
    ]
    if not tricks:
        return ["No trick baseline was run, so the rates cannot be read against videos that show no reasoning."]
    rates = join_names([f"{rate.group['model']} {_describe_rate(rate)}" for rate in tricks])
    return [f"The trick baselines, whose videos show no reasoning, reach: {rates}."]
