"""A comparison of two models in sentences: what was found, how surely, and what was not shown."""

from __future__ import annotations

from vmevalkit.results.comparison import BOOTSTRAP, SIGN_TEST, ModelComparison, choose_test, describe_pooled
from vmevalkit.results.words import count, join_names, p_value, percent, points
from vmevalkit.stats.comparison import PAIRED_T, PairedComparison
from vmevalkit.stats.intervals import wilson
from vmevalkit.stats.records import HypothesisTest

ALPHA = 0.05
FEW_QUESTIONS = 20
"""Below this number of questions the percentile bootstrap is too narrow, and the t interval is given as well."""


def describe_comparison(comparison: ModelComparison) -> list[str]:
    """Return the sentences about a comparison."""
    first, second, overall = comparison.first, comparison.second, comparison.overall
    where = join_names([repr(name) for name in comparison.experiments])
    lines = [f"{first} against {second} in {where}, by {comparison.scorer}. Success is a value of 4 or 5."]
    lines += describe_pooled(comparison.pooled)
    lines += _describe_questions(comparison)
    if not overall.common:
        return [*lines, f"No comparison: {overall.reason}."]
    lines.append(
        f"Success on these questions: {first} {percent(overall.mean_first, 1)}, {second} "
        f"{percent(overall.mean_second, 1)}."
    )
    lines += _describe_difference(overall)
    lines += _describe_test(overall, first, second)
    lines += _describe_detectable(overall)
    lines += _describe_equivalence(overall)
    return lines + _describe_domains(comparison)


def _describe_questions(comparison: ModelComparison) -> list[str]:
    overall, lines = comparison.overall, []
    verb = "has" if overall.common == 1 else "have"
    lines.append(f"{count(overall.common, 'question')} {verb} scores of both models.")
    lonely = [
        f"{count(number, 'question')} that only {model} has scores for"
        for number, model in ((overall.only_first, comparison.first), (overall.only_second, comparison.second))
        if number
    ]
    if lonely:
        lines.append(f"The models answered different questions. Left out: {join_names(lonely)}.")
    for model, left_out in (
        (comparison.first, comparison.left_out_first),
        (comparison.second, comparison.left_out_second),
    ):
        if left_out.total:
            lines.append(f"{model} has {count(left_out.total, 'video')} without a score that counts: {left_out}.")
    return lines


def _describe_difference(overall: PairedComparison) -> list[str]:
    value = f"Difference: {points(overall.difference.value)} percentage points"
    if overall.bootstrap.low is None:
        reason = overall.difference.reason or overall.bootstrap.reason
        return [f"{value}. No interval: {reason}."]
    lines = [
        f"{value}, 95% interval {_format_interval(overall.bootstrap.low, overall.bootstrap.high)} (bootstrap of whole "
        f"questions, {BOOTSTRAP:,} resamples)."
    ]
    if overall.common < FEW_QUESTIONS:
        lines.append(
            f"With {overall.common} questions the bootstrap interval tends to be too narrow; the t interval is "
            f"{_format_interval(overall.difference.low, overall.difference.high)}."
        )
    return lines


def _describe_test(overall: PairedComparison, first: str, second: str) -> list[str]:
    test = choose_test(overall)
    if test.p_value is None:
        return [f"No test: {test.reason}.", *_describe_agreement(overall)]
    lines = [f"{_name_test(overall, test)}: {p_value(test.p_value)}."]
    if test.p_value > ALPHA:
        return [
            *lines,
            "At the 5% level the scores do not show a difference. This does not show that the models are equal.",
        ]
    better, worse = (first, second) if (overall.difference.value or 0) > 0 else (second, first)
    return [*lines, f"At the 5% level {better} succeeds more often than {worse} on questions like these."]


def _name_test(overall: PairedComparison, test: HypothesisTest) -> str:
    if test.name == PAIRED_T:
        return "Paired t-test of the questions' success rates"
    if test.name == SIGN_TEST:
        return f"Sign test, since the difference is the same on all {overall.common} questions"
    fewer = int(test.statistic or 0)
    only = (test.n - fewer, fewer) if (overall.difference.value or 0) > 0 else (fewer, test.n - fewer)
    return (
        f"McNemar's exact test ({only[0]:,} questions solved by the first model only, {only[1]:,} by the second only)"
    )


def _describe_agreement(overall: PairedComparison) -> list[str]:
    """Return what follows where no question separates the models."""
    if overall.difference.value != 0:
        return []
    high = wilson(0, overall.common)[1]
    return [
        f"No question separates the models. Of questions like these, up to {percent(high)} may still separate them "
        "(upper bound of Wilson's 95% interval)."
    ]


def _describe_detectable(overall: PairedComparison) -> list[str]:
    found = overall.smallest_detectable
    if found.value is None:
        return []
    if found.value >= 1:
        return [
            f"{count(overall.common, 'question')} of this spread cannot show any difference with "
            f"{percent(found.power)} power. vmevalkit power says how many questions are needed."
        ]
    return [
        f"With {count(overall.common, 'question')} of this spread a true difference of "
        f"{points(found.value).lstrip('+')} percentage points or more is found with {percent(found.power)} power. A "
        "smaller one is often missed."
    ]


def _describe_equivalence(overall: PairedComparison) -> list[str]:
    found = overall.equivalence
    if found is None:
        return []
    margin = f"{100 * found.margin:g} percentage points"
    if found.low is None:
        return [f"Equivalence within {margin}: no test, since {found.reason}."]
    interval = f"the 90% interval {_format_interval(found.low, found.high)}"
    if found.is_equivalent:
        return [
            f"Equivalence (TOST): {interval} is inside {margin} either way, {p_value(found.p_value)}. If the margin "
            "was chosen before the scores were seen, the models are equivalent within it."
        ]
    return [f"Equivalence (TOST): not shown; {interval} is not inside {margin} either way."]


def _describe_domains(comparison: ModelComparison) -> list[str]:
    if comparison.family is None:
        return []
    lines = [
        f"By domain, with Holm's correction for {comparison.family.size} tests (they do not change the overall test):"
    ]
    for domain, each in comparison.domains.items():
        test = comparison.family.tests[domain]
        if not each.common:
            lines.append(f"  {domain}: {each.reason}")
            continue
        verdict = "no test" if test.adjusted is None else f"corrected {p_value(test.adjusted)}"
        shown = "a difference is shown" if test.is_rejected else "no difference is shown"
        lines.append(
            f"  {domain}: {percent(each.mean_first)} against {percent(each.mean_second)} on "
            f"{count(each.common, 'question')}, {points(each.difference.value)} points{_interval(each)}; {verdict}; "
            f"{shown}"
        )
    return lines


def _interval(each: PairedComparison) -> str:
    return "" if each.bootstrap.low is None else f" ({_format_interval(each.bootstrap.low, each.bootstrap.high)})"


def _format_interval(low: float | None, high: float | None) -> str:
    """Return an interval in percentage points, cut at the largest possible differences."""
    return f"{points(None if low is None else max(low, -1.0))} to {points(None if high is None else min(high, 1.0))}"
