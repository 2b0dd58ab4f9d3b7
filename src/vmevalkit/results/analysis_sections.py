"""An analysis in sections of tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp
from typing import Any

from vmevalkit.results.analysis import ALL_MODELS, Analysis
from vmevalkit.results.cells import (
    Cell,
    interval_cell,
    make_records,
    number_cell,
    p_cell,
    percent_cell,
    rate_interval,
)
from vmevalkit.results.comparison import describe_pooled
from vmevalkit.results.formats import Texts
from vmevalkit.results.words import count, join_names, p_value, percent
from vmevalkit.stats.anova import Anova, Tukey
from vmevalkit.stats.breakdown import ParameterTrend
from vmevalkit.stats.records import Estimate, HypothesisTest

CONSERVATIVE = "conservative"
UNPAIRED = "conservative: ignores that models share questions, so it misses differences that the paired tests find"
_ITEMS = (
    "Every test counts one value for each model and question (samples and people are averaged first), and one value "
    "for each question where domains are compared. Conclude from the paired tests (repeated measures, Friedman, the "
    "mixed model) and from vmevalkit compare."
)


@dataclass(frozen=True, slots=True)
class Section:
    """One part of an analysis."""

    title: str
    """Heading."""
    rows: Texts = ()
    """Lines of a table, as text; cells know their numbers."""
    sentences: tuple[str, ...] = ()
    """What can be read from it, or why there is no table."""
    noun: str = "line"
    """What a line is, in the singular."""

    @property
    def records(self) -> list[dict[str, Any]]:
        """The lines with their numbers in full."""
        return make_records(self.rows)


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
        {
            "model": name,
            "rate": percent_cell(rate.value),
            "95% interval": rate_interval(rate),
            "questions": number_cell(rate.n, "d"),
        }
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
        shares = {
            f"{each.score} {each.label}": Cell(f"{each.count} ({percent(each.share.value)})", {"": each.count})
            for each in found.scores
        }
        rows.append({"model": name, **shares, "mean value": number_cell(found.mean, ".2f")})
    return Section("Score distribution", rows)


def _describe_variance(analysis: Analysis) -> Section:
    rows: list[dict[str, str]] = []
    reasons = []
    for title, anova in (
        ("one-way, models", analysis.anova_models),
        ("one-way, domains over questions", analysis.anova_domains),
        ("two-way", analysis.anova_two_way),
    ):
        rows += _variance_rows(title, anova, "" if anova is analysis.anova_domains else CONSERVATIVE)
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
            rows.append(_test_row(title, test, CONSERVATIVE if test is analysis.kruskal_models else ""))
    # Paired tests first: they are the ones to read.
    rows.sort(key=lambda row: row["note"] != "")
    remark = (UNPAIRED,) if any(row["note"] for row in rows) else ()
    return Section("Differences of models and domains", rows, (*reasons, *remark, _ITEMS))


def _variance_rows(title: str, anova: Anova, note: str) -> Iterator[dict[str, str]]:
    if anova.reason:
        return
    residual = next((term.df for name, term in anova.terms.items() if name == "residual"), 0)
    for name, term in anova.terms.items():
        if term.f is None:
            continue
        yield {
            "test": f"{title}: {name}",
            "statistic": Cell(
                f"F({term.df}, {residual}) = {term.f:.2f}", {"": term.f, "df": term.df, "df_residual": residual}
            ),
            "p": p_cell(term.p_value),
            "effect": Cell(
                "" if term.partial_eta_squared is None else f"partial eta2 {term.partial_eta_squared:.3f}",
                {"partial_eta_squared": term.partial_eta_squared},
            ),
            "note": note,
        }


def _test_row(title: str, test: HypothesisTest, note: str) -> dict[str, str]:
    none = Cell("", {"partial_eta_squared": None})
    df = ", ".join(f"{value:.4g}" for value in test.df)
    statistic = _statistic_cell(f"{test.statistic:.2f} (df {df})", test)
    return {"test": title, "statistic": statistic, "p": p_cell(test.p_value), "effect": none, "note": note}


def _statistic_cell(text: str, test: HypothesisTest) -> Cell:
    df, residual = (*test.df, None, None)[:2]
    return Cell(text, {"": test.statistic, "df": df, "df_residual": residual})


def _describe_tukey(title: str, tukey: Tukey, *notes: str) -> Section:
    if tukey.reason:
        return Section(title, (), (f"no comparison, since {tukey.reason}",))
    ordered = sorted(tukey.pairs.items(), key=lambda item: item[1].p_value)
    rows = [
        {
            "pair": f"{first} - {second}",
            "difference": number_cell(pair.difference, "+.2f"),
            "95% interval": interval_cell(pair.low, pair.high, "+.2f"),
            "corrected p": p_cell(pair.p_value),
        }
        for (first, second), pair in ordered
    ]
    return Section(title, rows, notes, "pair")


def _describe_effects(analysis: Analysis) -> Section:
    rows, reasons = [], []
    for (first, second), effect in analysis.effects.items():
        d, delta = effect.cohens_d, effect.cliffs_delta
        if d.value is None:
            reasons.append(f"no Cohen's d of {first} - {second}: {d.reason}")
        rows.append(
            {
                "pair": f"{first} - {second}",
                "Cohen's d": number_cell(d.value, "+.2f"),
                "95% interval": interval_cell(d.low, d.high, "+.2f"),
                "Cliff's delta": number_cell(delta.value, "+.2f"),
                "its interval": interval_cell(delta.low, delta.high, "+.2f", "cliffs_delta_"),
            }
        )
    if not rows:
        return Section("Effect sizes", (), ("one model: there is no pair to compare",))
    return Section("Effect sizes", rows, (*reasons[:3], f"the intervals are {UNPAIRED}"), "pair")


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
        statistic = _statistic_cell(f"F({df}) = {test.statistic:.2f}", test)
        rows.append({"term": name, "statistic": statistic, "p": p_cell(test.p_value)})
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
                "odds ratio": number_cell(exp(min(odds.log_odds, 50)), ".2f"),
                "95% interval": interval_cell(exp(max(odds.low, -50)), exp(min(odds.high, 50)), ".2f"),
                "corrected p": p_cell(corrected[str(name)].adjusted),
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
            "share": percent_cell(each.share),
            "loss of AUC when permuted": number_cell(each.drop, "+.3f"),
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
                "mean_success": number_cell(each.mean_success),
                "std_success": number_cell(each.std_success),
                "by chance": number_cell(each.sampling_std),
                "cv": number_cell(each.cv),
                "domain_range": number_cell(each.domain_range),
                "consistency_rank": number_cell(each.consistency_rank, "d"),
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
        classes = {title: percent_cell(share.value) for title, share in profile.classes.items()}
        failed = Cell(f"{profile.failed} of {profile.total}", {"": profile.failed, "videos": profile.total})
        rows.append({"model": name, "failed": failed, **classes})
    return Section("Failure classes", rows, ("shares of the failed videos",))


def _describe_tags(analysis: Analysis) -> Section:
    if not analysis.tags:
        return Section("Success by tag", (), ("these puzzles have no tags",))
    models = [name for name in analysis.tags if name != ALL_MODELS]
    rows = []
    for tag, rate in analysis.tags[ALL_MODELS].items():
        own = {
            name: percent_cell(each.value if (each := analysis.tags[name].get(tag)) else None) for name in models[:6]
        }
        rows.append(
            {
                "tag": str(tag),
                "questions": number_cell(rate.n, "d"),
                "rate": percent_cell(rate.value),
                "95% interval": rate_interval(rate),
                **own,
            }
        )
    return Section("Success by tag", rows, (), "tag")


def _describe_temporal(analysis: Analysis) -> Section:
    title = "Temporal metrics of successful videos"
    if not analysis.temporal:
        return Section(title, (), ("no successful video has temporal metrics; the rule scorer measures them",))
    rows = [
        {
            "metric": name,
            "share": percent_cell(each.kept.value, 1),
            "95% interval": rate_interval(each.kept),
            "mean": number_cell(each.mean.value),
            "questions": number_cell(each.kept.n, "d"),
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
                "rate": percent_cell(demand.rate.value),
                "95% interval": rate_interval(demand.rate),
                "state_space": number_cell(stated.state_space if stated else None, ".3g"),
                "constraint_types": number_cell(stated.constraint_types if stated else None, "d"),
                "solution_uniqueness": number_cell(stated.solution_uniqueness if stated else None, "g"),
                "visual_complexity": "-" if stated is None else stated.visual_complexity,
            }
        )
    found = [
        f"failure follows {name}: Spearman {each.value:+.2f}{_bracket(each)} over {count(each.n, 'domain')}"
        for name, each in analysis.demand.correlations.items()
        if each.low is not None  # two or three domains are in some order by chance
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
        yield Section(f"Success against puzzle parameters: {domain}", rows, tuple(sentences))


def _parameter_rows(name: str, trend: ParameterTrend) -> Iterator[dict[str, str]]:
    for each in trend.bins:
        value = f"{each.low:g}" if each.low == each.high else f"{each.low:g} to {each.high:g}"
        yield {
            "parameter": name,
            "value": value,
            "rate": percent_cell(each.rate.value),
            "95% interval": rate_interval(each.rate),
            "questions": number_cell(each.rate.n, "d"),
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
    rows = [{"model": str(name), "ability (logits)": number_cell(ability, "+.2f")} for name, ability in ordered]
    note = (
        f"difficulties of {count(len(found.difficulties), 'question')} spread by {_number(found.spread)} logits; the "
        f"data recover {percent(found.reliability)} of that variance"
    )
    return Section(title, rows, (note,))


def _name_variables(reason: str | None, first: str, second: str) -> str:
    """Return why there is no correlation, with the names of the variables."""
    return (reason or "").replace("the first variable", first).replace("the second variable", second)


def _bracket(estimate: Estimate) -> str:
    return "" if estimate.low is None else f" ({estimate.low:+.2f} to {estimate.high:+.2f})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
