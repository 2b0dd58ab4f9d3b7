"""Comparisons of two models in sentences, also where there is little to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pytest
from made_frames import make_rows, make_scores

from vmevalkit.core.errors import StoreError, UnknownName, UsageError
from vmevalkit.results.columns import make_frame
from vmevalkit.results.comparison import choose_test, compare_models
from vmevalkit.results.sentences import describe_comparison
from vmevalkit.stats.comparison import compare_paired

FIRST = [5] * 14 + [1] * 6
SECOND = [5] * 4 + [1] * 16


def tell(frame: pd.DataFrame, margin: float | None = None) -> str:
    [found] = compare_models(frame, "a", "b", margin=margin)
    return "\n".join(describe_comparison(found))


def tell_values(a: Sequence[int | None], b: Sequence[int | None], margin: float | None = None) -> str:
    return tell(make_scores({"a": {"maze": a}, "b": {"maze": b}}), margin)


def test_a_difference_that_is_shown() -> None:
    lines = tell_values(FIRST, SECOND).splitlines()
    expected = compare_paired([value >= 4 for value in FIRST], range(20), [value >= 4 for value in SECOND], range(20))
    assert expected.bootstrap.low is not None and expected.bootstrap.high is not None
    assert lines[:3] == [
        "a against b in 'first', by RuleEvaluator. Success is a value of 4 or 5.",
        "20 questions have scores of both models.",
        "Success on these questions: a 70.0%, b 20.0%.",
    ]
    assert lines[3] == (
        f"Difference: +50.0 percentage points, 95% interval +{100 * expected.bootstrap.low:.1f} to "
        f"+{100 * expected.bootstrap.high:.1f} (bootstrap of whole questions, 10,000 resamples)."
    )
    assert lines[4].endswith("(10 questions solved by the first model only, 0 by the second only): p = 0.002.")
    assert lines[5] == "At the 5% level a succeeds more often than b on questions like these."
    assert expected.smallest_detectable.value is not None
    assert f"a true difference of {100 * expected.smallest_detectable.value:.1f} percentage points" in lines[6]
    assert len(lines) == 7


def test_the_better_model_may_be_the_second() -> None:
    text = tell_values(SECOND, FIRST)
    assert "(0 questions solved by the first model only, 10 by the second only)" in text
    assert "b succeeds more often than a" in text
    assert "Difference: -50.0 percentage points" in text


def test_no_difference_is_never_called_equal() -> None:
    text = tell_values([5, 5, 1, 1] * 6, [5, 1, 5, 1] * 6)
    assert "the scores do not show a difference. This does not show that the models are equal." in text


def test_equivalence_needs_a_declared_margin() -> None:
    same = [5, 1] * 200
    other = same.copy()
    other[0], other[1] = 1, 5
    assert "Equivalence" not in tell_values(same, other)
    text = tell_values(same, other, 0.1)
    assert "is inside 10 percentage points either way, p < 0.001. If the margin was chosen before" in text
    assert "Equivalence (TOST): not shown; the 90% interval" in tell_values(FIRST, SECOND, 0.1)
    for margin in (0.0, 1.0, -0.1):
        with pytest.raises(UsageError, match="the margin is"):
            tell_values(FIRST, SECOND, margin)


def test_different_questions_are_compared_on_the_common_ones() -> None:
    frame = make_scores({"a": {"maze": [5] * 12, "chess": [5] * 3}, "b": {"maze": [1] * 10, "sudoku": [1]}})
    text = tell(frame)
    assert "10 questions have scores of both models." in text
    assert (
        "The models answered different questions. Left out: 5 questions that only a has scores for and 1 question that "
        "only b has scores for." in text
    )
    assert "chess: the two models have no question in common" in text
    assert "with Holm's correction for 3 tests" in text  # domains without a test stay in the family


def test_the_same_id_of_another_puzzle_is_another_question() -> None:
    rows = make_rows({"a": {"maze": [5, 5]}}) + make_rows({"b": {"maze": [1, 1]}}, experiment="second")
    assert "2 questions have scores of both models" in tell(make_frame(rows))
    rows[-1]["puzzle_digest"] = "another"
    assert "1 question has scores of both models" in tell(make_frame(rows))


@pytest.mark.parametrize(
    ("a", "b", "sentences"),
    [
        ([5] * 8, [5] * 8, ["No test: the two models agree on every question.", "up to 32% may still separate them"]),
        ([1] * 8, [1] * 8, ["No interval: the difference is 0 on every one of 8 questions."]),
        ([5] * 8, [1] * 8, ["No interval: the difference is 1 on every one of 8 questions.", "p = 0.008"]),
        ([5, 1], [1, 1], ["2 questions of this spread cannot show any difference with 80% power."]),
        ([5], [1], ["a paired comparison needs two common questions or more, there are 1", "p = 1.000"]),
        ([None], [1], ["No comparison: the two models have no question in common.", "1 video without a score"]),
    ],
    ids=["all pass", "all fail", "always better", "two questions", "one question", "unscored"],
)
def test_little_data_gets_a_sentence(a: list[int | None], b: list[int | None], sentences: list[str]) -> None:
    text = tell_values(a, b, 0.1)
    for sentence in sentences:
        assert sentence in text
    assert "nan" not in text and "None" not in text


def test_several_samples_are_compared_by_item_means() -> None:
    values: Mapping[str, Mapping[str, list[int]]] = {"a": {"maze": FIRST}, "b": {"maze": SECOND}}
    rows = [row for sample in range(2) for row in make_rows(values, sample=sample)]
    rows[0] |= {"value": 1, "success": False}
    text = tell(make_frame(rows))
    assert "20 questions have scores of both models." in text
    assert "Paired t-test of the questions' success rates: p" in text
    halves = {"a": {"maze": [5] * 6}, "b": {"maze": [1] * 6}}
    constant = [*make_rows(halves), *make_rows({"a": {"maze": [1] * 6}, "b": {"maze": [1] * 6}}, sample=1)]
    assert "Sign test, since the difference is the same on all 6 questions: p = 0.031." in tell(make_frame(constant))


def test_domains_are_corrected_together() -> None:
    frame = make_scores({"a": {"maze": [5] * 6, "chess": [5] * 6}, "b": {"maze": [1] * 6, "chess": [5, 5, 5, 1, 1, 1]}})
    [found] = compare_models(frame, "a", "b")
    assert found.family is not None
    single = {domain: choose_test(each).p_value for domain, each in found.domains.items()}
    assert single == {"chess": 0.25, "maze": 0.03125}
    assert {domain: test.adjusted for domain, test in found.family.tests.items()} == {"chess": 0.25, "maze": 0.0625}
    text = "\n".join(describe_comparison(found))
    assert "maze: 100% against 0% on 6 questions, +100.0 points; corrected p = 0.062; no difference is shown" in text


def test_each_scorer_is_compared_separately() -> None:
    rows = make_rows({"a": {"maze": FIRST}, "b": {"maze": SECOND}})
    rows += make_rows({"a": {"maze": SECOND}, "b": {"maze": FIRST}}, scorer="Judge")
    frame = make_frame(rows)
    judge, rules = compare_models(frame, "a", "b")
    assert (judge.scorer, judge.overall.difference.value) == ("Judge", pytest.approx(-0.5))
    assert (rules.scorer, rules.overall.difference.value) == ("RuleEvaluator", pytest.approx(0.5))
    assert [found.scorer for found in compare_models(frame, "a", "b", scorer="Judge")] == ["Judge"]


def test_wrong_names_are_refused() -> None:
    frame = make_scores({"oracle": {"maze": [5]}, "static": {"maze": [1]}})
    with pytest.raises(UnknownName, match="no model 'statik' in the results of first; did you mean 'static'"):
        compare_models(frame, "oracle", "statik")
    with pytest.raises(UsageError, match="'oracle' is given twice"):
        compare_models(frame, "oracle", "oracle")
    with pytest.raises(UnknownName, match="no scorer"):
        compare_models(frame, "oracle", "static", scorer="Judge")
    frame["scorer"] = pd.Series([None, None], dtype="string")
    with pytest.raises(StoreError, match="no video is scored; score first: vmevalkit score --experiment first"):
        compare_models(frame, "oracle", "static")
