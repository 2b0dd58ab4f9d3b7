"""An analysis in sections of tables and sentences, and as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from math import exp
from typing import Any

from vmevalkit.results.analysis import ALL_MODELS, Analysis
from vmevalkit.results.comparison import describe_pooled
from vmevalkit.results.formats import Texts, format_rows
from vmevalkit.results.words import count, join_names, p_value, percent
from vmevalkit.stats.anova import Anova, Tukey
from vmevalkit.stats.breakdown import ParameterTrend
from vmevalkit.stats.records import Estimate, HypothesisTest

UNPAIRED = "conservative: ignores that models share questions, so it misses differences that the paired tests find"
_ITEMS = (
    "Every test counts one value for each model and question (samples and people are averaged first), and one value "
    "for each question where domains are compared. Conclude from the paired tests (repeated measures, Friedman, the "
    "mixed model) and from vmevalkit compare."
)
MOST_ROWS = 24
"""Rows of a long list that are printed; the JSON has all."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of an analysis."""

    title: str
    """Heading."""
    rows: Texts = ()
    """Lines of a table, as text."""
    sentences: tuple[str, ...] = ()
    """What can be read from it, or why there is no table."""


def encode_analysis(analyses: Iterable[Analysis], name: str) -> str:
    """Return analyses as ``table`` or ``markdown`` text."""
    parts = []
    for analysis in analyses:
        for section in describe_analysis(analysis):
            heading = f"## {section.title}" if name == "markdown" else f"{section.title}\n{'-' * len(section.title)}"
            body = format_rows(section.rows, name)
            lines = "".join(f"- {sentence}\n" for sentence in section.sentences)
            gap = "\n" if name == "markdown" and body and lines else ""
            parts.append(f"{heading}\n{chr(10) if name == 'markdown' else ''}{body}{gap}{lines}")
    return "\n".join(parts)


def analysis_record(analysis: Analysis) -> dict[str, Any]:
    """Return every number of an analysis as plain JSON values."""
    record: dict[str, Any] = _plain(analysis)
    return record


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {
            " - ".join(map(str, key)) if isinstance(key, tuple) else str(key): _plain(v) for key, v in value.items()
        }
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value


def describe_analysis(analysis: Analysis) -> list[Section]:
    """Return the sections of an analysis, in the order of the specification."""
    return [
        _describe_data(analysis),
        _describe_distribution(analysis),
        _describe_variance(analysis),
        _describe_tukey("Tukey's comparison of models", analysis.tukey_models, UNPAIRED),
        _describe_tukey("Tukey's comparison of domains, over questions", analysis.tukey_domains),
        _describe_effects(analysis),
        _describe_mixed(analysis),
        _describe_logit(analysis),
        _describe_forest(analysis),
        _describe_consistency(analysis),
        _describe_failures(analysis),
        _describe_tags(analysis),
        _describe_temporal(analysis),
        _describe_demand(analysis),
        *_describe_parameters(analysis),
        _describe_rasch(analysis),
    ]


def _describe_data(analysis: Analysis) -> Section:
    rows = [
        {"model": name, "rate": percent(rate.value), "95% interval": _interval(rate), "questions": str(rate.n)}
        for name, rate in sorted(analysis.rates.items(), key=lambda item: -(item[1].value or 0.0))
    ]
    data = (
        f"{count(analysis.videos, 'scored video')} of {count(analysis.questions, 'question')} in "
        f"{join_names(analysis.domains)}"
    )
    sentences = [data, *describe_pooled(analysis.pooled)]
    if analysis.left_out.total:
        sentences.append(f"left out: {count(analysis.left_out.total, 'video')} ({analysis.left_out})")
    if analysis.baselines_left_out:
        names = join_names(analysis.baselines_left_out)
        sentences.append(f"the baselines {names} are not part of it; --include-baselines adds them")
    return Section(f"Scores of {analysis.scorer}", rows, tuple(sentences))


def _describe_distribution(analysis: Analysis) -> Section:
    rows = []
    for name, found in analysis.distribution.items():
        shares = {f"{each.score} {each.label}": f"{each.count} ({percent(each.share.value)})" for each in found.scores}
        rows.append({"model": name, **shares, "mean value": "-" if found.mean is None else f"{found.mean:.2f}"})
    return Section("Score distribution", rows)


def _describe_variance(analysis: Analysis) -> Section:
    rows: list[dict[str, str]] = []
    reasons = []
    for title, anova in (
        ("one-way, models", analysis.anova_models),
        ("one-way, domains over questions", analysis.anova_domains),
        ("two-way", analysis.anova_two_way),
    ):
        rows += _variance_rows(title, anova, "" if anova is analysis.anova_domains else UNPAIRED)
        if anova.reason:
            reasons.append(f"{title}: no analysis, since {anova.reason}")
    for title, test in (
        ("Repeated measures, models on common questions", analysis.repeated_measures),
        ("Friedman, models on common questions", analysis.friedman.test),
        ("Kruskal-Wallis, models", analysis.kruskal_models),
        ("Kruskal-Wallis, domains over questions", analysis.kruskal_domains),
    ):
        if test.p_value is None:
            reasons.append(f"{title}: no test, since {test.reason}")
        else:
            rows.append(_test_row(title, test, UNPAIRED if test is analysis.kruskal_models else ""))
    # Paired tests first: they are the ones to read.
    rows.sort(key=lambda row: row["note"] != "")
    return Section("Differences of models and domains", rows, (*reasons, _ITEMS))


def _variance_rows(title: str, anova: Anova, note: str) -> Iterator[dict[str, str]]:
    if anova.reason:
        return
    residual = next((term.df for name, term in anova.terms.items() if name == "residual"), 0)
    for name, term in anova.terms.items():
        if term.f is None:
            continue
        yield {
            "test": f"{title}: {name}",
            "statistic": f"F({term.df}, {residual}) = {term.f:.2f}",
            "p": p_value(term.p_value),
            "effect": "" if term.partial_eta_squared is None else f"partial eta2 {term.partial_eta_squared:.3f}",
            "note": note,
        }


def _test_row(title: str, test: HypothesisTest, note: str) -> dict[str, str]:
    df = ", ".join(f"{value:.4g}" for value in test.df)
    statistic = f"{test.statistic:.2f} (df {df})"
    return {"test": title, "statistic": statistic, "p": p_value(test.p_value), "effect": "", "note": note}


def _describe_tukey(title: str, tukey: Tukey, *notes: str) -> Section:
    if tukey.reason:
        return Section(title, (), (f"no comparison, since {tukey.reason}",))
    ordered = sorted(tukey.pairs.items(), key=lambda item: item[1].p_value)
    rows = [
        {
            "pair": f"{first} - {second}",
            "difference": f"{pair.difference:+.2f}",
            "95% interval": f"{pair.low:+.2f} to {pair.high:+.2f}",
            "corrected p": p_value(pair.p_value),
        }
        for (first, second), pair in ordered
    ]
    return Section(title, rows[:MOST_ROWS], (*notes, *_say_more(len(rows), "pair")))


def _describe_effects(analysis: Analysis) -> Section:
    rows, reasons = [], []
    for (first, second), effect in analysis.effects.items():
        d, delta = effect.cohens_d, effect.cliffs_delta
        if d.value is None:
            reasons.append(f"no Cohen's d of {first} - {second}: {d.reason}")
        interval = "-" if d.low is None else f"{d.low:+.2f} to {d.high:+.2f}"
        rows.append(
            {
                "pair": f"{first} - {second}",
                "Cohen's d": "-" if d.value is None else f"{d.value:+.2f}",
                "95% interval": interval,
                "Cliff's delta": "-" if delta.value is None else f"{delta.value:+.2f}",
                "of it": "-" if delta.low is None else f"{delta.low:+.2f} to {delta.high:+.2f}",
            }
        )
    if not rows:
        return Section("Effect sizes", (), ("one model: there is no pair to compare",))
    notes = (f"the intervals are {UNPAIRED}", *_say_more(len(rows), "pair"))
    return Section("Effect sizes", rows[:MOST_ROWS], (*reasons[:3], *notes))


def _describe_mixed(analysis: Analysis) -> Section:
    title, found = "Mixed model: value ~ model * domain + (1 | question)", analysis.mixed
    if found.reason:
        return Section(title, (), (f"no fit, since {found.reason}",))
    rows, reasons = [], []
    for name, test in found.tests.items():
        if test.p_value is None or test.statistic is None:
            reasons.append(f"{name}: no test, since {test.reason}")
            continue
        df = ", ".join(f"{value:g}" for value in test.df)
        rows.append({"term": name, "statistic": f"F({df}) = {test.statistic:.2f}", "p": p_value(test.p_value)})
    share = f"questions explain {percent(found.intraclass_correlation)} of the variance that is left"
    return Section(title, rows, (*reasons, share))


def _describe_logit(analysis: Analysis) -> Section:
    title, found = "Logistic model of success with question effects", analysis.logit
    if found.reason:
        return Section(title, (), (f"no fit, since {found.reason}",))
    rows, reasons = [], []
    corrected = analysis.logit_family.tests if analysis.logit_family else {}
    for name, odds in found.odds.items():
        if odds.log_odds is None or odds.low is None or odds.high is None:
            reasons.append(f"{name}: no odds, since {odds.reason}")
            continue
        rows.append(
            {
                "model": f"{name} against {found.reference}",
                "odds ratio": f"{exp(min(odds.log_odds, 50)):.2f}",
                "95% interval": f"{exp(max(odds.low, -50)):.2f} to {exp(min(odds.high, 50)):.2f}",
                "corrected p": p_value(corrected[str(name)].adjusted),
            }
        )
    note = (
        f"{count(found.questions, 'question')} on which models differ; {found.questions_left_out} that all passed or "
        f"all failed say nothing"
    )
    whole = f"all models are equal: {p_value(found.test.p_value)} ({found.test.name})"
    return Section(title, rows, (*reasons, whole, f"{note}; p is corrected for all lines (Holm)"))


def _describe_forest(analysis: Analysis) -> Section:
    title, found = "Random forest of success", analysis.forest
    if found.reason:
        return Section(title, (), (f"no forest, since {found.reason}",))
    rows = [
        {
            "feature": name,
            "share": percent(each.share),
            "loss of AUC when permuted": f"{each.drop:+.3f}",
        }
        for name, each in found.importance.items()
    ]
    note = (
        f"on questions that the trees did not see: AUC {found.auc:.2f} (0.50 is chance), {percent(found.accuracy)} "
        f"right; always guessing the more frequent outcome gives {percent(found.majority)}"
    )
    return Section(title, rows, (f"{found.trees:,} trees; {note}",))


def _describe_consistency(analysis: Analysis) -> Section:
    rows = []
    for name, each in sorted(analysis.consistency.items(), key=lambda item: item[1].consistency_rank or 0):
        rows.append(
            {
                "model": name,
                "mean_success": f"{each.mean_success:.3f}",
                "std_success": _number(each.std_success),
                "by chance": _number(each.sampling_std),
                "cv": _number(each.cv),
                "domain_range": _number(each.domain_range),
                "consistency_rank": str(each.consistency_rank or "-"),
            }
        )
    reasons = dict.fromkeys(each.reason for each in analysis.consistency.values() if each.reason)
    note = ("by chance: the std_success that equal domains would show",) if len(analysis.domains) > 1 else ()
    return Section("Consistency over domains", rows, (*reasons, *note))


def _describe_failures(analysis: Analysis) -> Section:
    if not analysis.failures:
        return Section("Failure classes", (), (f"{analysis.scorer} names no failure modes",))
    rows = []
    for name, profile in analysis.failures.items():
        classes = {title: percent(share.value) for title, share in profile.classes.items()}
        rows.append({"model": name, "failed": f"{profile.failed} of {profile.total}", **classes})
    return Section("Failure classes", rows, ("shares of the failed videos",))


def _describe_tags(analysis: Analysis) -> Section:
    if not analysis.tags:
        return Section("Success by tag", (), ("these puzzles have no tags",))
    models = [name for name in analysis.tags if name != ALL_MODELS]
    rows = []
    for tag, rate in analysis.tags[ALL_MODELS].items():
        own = {name: percent(each.value) if (each := analysis.tags[name].get(tag)) else "-" for name in models[:6]}
        rows.append(
            {
                "tag": str(tag),
                "questions": str(rate.n),
                "rate": percent(rate.value),
                "95% interval": _interval(rate),
                **own,
            }
        )
    return Section("Success by tag", rows[:MOST_ROWS], _say_more(len(rows), "tag"))


def _describe_temporal(analysis: Analysis) -> Section:
    title = "Temporal metrics of successful videos"
    if not analysis.temporal:
        return Section(title, (), ("no successful video has temporal metrics; the rule scorer measures them",))
    rows = [
        {
            "metric": name,
            "share": percent(each.kept.value, 1),
            "95% interval": _interval(each.kept),
            "mean": "-" if each.mean.value is None else f"{each.mean.value:.3f}",
            "questions": str(each.kept.n),
        }
        for name, each in analysis.temporal.items()
    ]
    return Section(title, rows, ("share: videos whose metric is 0.9 or more",))


def _describe_demand(analysis: Analysis) -> Section:
    rows = []
    for name, demand in analysis.demand.domains.items():
        stated = demand.complexity
        rows.append(
            {
                "rank": str(demand.rank),
                "domain": name,
                "rate": percent(demand.rate.value),
                "95% interval": _interval(demand.rate),
                "state_space": "-" if stated is None else f"{stated.state_space:.3g}",
                "constraint_types": "-" if stated is None else str(stated.constraint_types),
                "solution_uniqueness": "-" if stated is None else f"{stated.solution_uniqueness:g}",
                "visual_complexity": "-" if stated is None else stated.visual_complexity,
            }
        )
    found = [
        f"failure follows {name}: Spearman {each.value:+.2f}{_bracket(each)} over {count(each.n, 'domain')}"
        for name, each in analysis.demand.correlations.items()
        if each.value is not None
    ]
    missing = dict.fromkeys(
        _name_variables(each.reason, name, "the failure rate")
        for name, each in analysis.demand.correlations.items()
        if each.reason
    )
    reasons = [f"no correlation with the stated complexity, since {reason}" for reason in missing]
    return Section("Domain complexity and demand, the least demanding first", rows, (*found, *reasons))


def _describe_parameters(analysis: Analysis) -> Iterator[Section]:
    if not analysis.parameters:
        reason = "no parameter of these puzzles differs between questions of a domain"
        yield Section("Success against puzzle parameters", (), (reason,))
    for domain, trends in analysis.parameters.items():
        rows = [row for name, trend in trends.items() for row in _parameter_rows(name, trend)]
        sentences = [_describe_trend(name, trend) for name, trend in trends.items()]
        yield Section(f"Success against puzzle parameters: {domain}", rows[:MOST_ROWS], tuple(sentences))


def _parameter_rows(name: str, trend: ParameterTrend) -> Iterator[dict[str, str]]:
    for each in trend.bins:
        value = f"{each.low:g}" if each.low == each.high else f"{each.low:g} to {each.high:g}"
        yield {
            "parameter": name,
            "value": value,
            "rate": percent(each.rate.value),
            "95% interval": _interval(each.rate),
            "questions": str(each.rate.n),
        }


def _describe_trend(name: str, trend: ParameterTrend) -> str:
    if trend.trend.value is None:
        return f"{name}: no trend, since {_name_variables(trend.trend.reason, name, 'the success rate')}"
    return f"{name}: Spearman {trend.trend.value:+.2f}{_bracket(trend.trend)}"


def _describe_rasch(analysis: Analysis) -> Section:
    title, found = "Rasch difficulty of questions", analysis.rasch
    if found.reason:
        return Section(title, (), (f"refused, since {found.reason}",))
    ordered = sorted(found.abilities.items(), key=lambda item: -item[1])
    rows = [{"model": str(name), "ability (logits)": f"{ability:+.2f}"} for name, ability in ordered]
    note = (
        f"difficulties of {count(len(found.difficulties), 'question')} spread by {_number(found.spread)} logits; the "
        f"data recover {percent(found.reliability)} of that variance"
    )
    return Section(title, rows, (note,))


def _name_variables(reason: str | None, first: str, second: str) -> str:
    """Return why there is no correlation, with the names of the variables."""
    return (reason or "").replace("the first variable", first).replace("the second variable", second)


def _say_more(rows: int, what: str) -> tuple[str, ...]:
    return (f"{count(rows - MOST_ROWS, f'more {what}')} in the JSON",) if rows > MOST_ROWS else ()


def _interval(estimate: Estimate) -> str:
    return "-" if estimate.low is None else f"{percent(estimate.low)} to {percent(estimate.high)}"


def _bracket(estimate: Estimate) -> str:
    return "" if estimate.low is None else f" ({estimate.low:+.2f} to {estimate.high:+.2f})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
