"""No procedure finds a difference more often than it says where there is none."""

from __future__ import annotations

from math import sqrt
from random import Random
from typing import Any

import pytest
from made_frames import make_rows
from null_experiments import DESIGNS, measure_false_findings

from vmevalkit.results.analysis import Analysis, analyze
from vmevalkit.results.analysis_sections import describe_analysis
from vmevalkit.results.columns import make_frame
from vmevalkit.results.comparison import compare_models

MOST = 0.07
"""Largest false positive rate at a level of 5%."""


def check(rates: dict[str, float], experiments: int, most: float, errors: float) -> None:
    slack = errors * sqrt(most * (1 - most) / experiments)
    assert {name: rate for name, rate in rates.items() if rate > most + slack} == {}


def test_differences_are_not_found_where_there_are_none() -> None:
    experiments = 40
    check(measure_false_findings(DESIGNS["8 samples"], experiments, 7), experiments, MOST, 3.0)


@pytest.mark.nightly
@pytest.mark.parametrize("design", list(DESIGNS))
def test_false_positive_rates_of_two_thousand_experiments(design: str) -> None:
    check(measure_false_findings(DESIGNS[design], 2000, 26), 2000, MOST, 0.0)


def draw_rows(seed: int = 2) -> list[dict[str, Any]]:
    rng = Random(seed)
    return make_rows(
        {
            model: {f"d{k}": [rng.choice([1, 2, 3, 4, 5]) for _ in range(12)] for k in range(2)}
            for model in ("a", "b", "c")
        }
    )


def list_tests(found: Analysis) -> dict[str, Any]:
    """Return every test of an analysis, as printed."""
    titles = ("Differences", "Tukey", "Effect", "Mixed", "Logistic", "Rasch")
    return {each.title: each for each in describe_analysis(found) if each.title.startswith(titles)}


def test_copies_of_samples_change_no_test() -> None:
    rows = draw_rows()
    copies = [row | {"sample": sample} for sample in range(8) for row in rows]
    once, eight = (analyze(make_frame(each), "RuleEvaluator", trees=10) for each in (rows, copies))
    assert len(list_tests(once)) == 7
    assert list_tests(eight) == list_tests(once)
    first, second = (compare_models(make_frame(each), "a", "b")[0] for each in (rows, copies))
    assert (second.overall, second.domains, second.family) == (first.overall, first.domains, first.family)


def test_people_who_agree_change_no_test() -> None:
    rows = [row | {"scorer": "HumanEvaluator", "failure_mode": None} for row in draw_rows()]
    copies = [row | {"annotator": name} for name in ("ann", "bob", "cyd") for row in rows]
    alone, three = (
        analyze(make_frame(each), "HumanEvaluator", trees=10)
        for each in ([row | {"annotator": "ann"} for row in rows], copies)
    )
    assert (three.videos, three.rates) == (alone.videos, alone.rates)
    assert list_tests(three) == list_tests(alone)


def test_unpaired_tests_are_marked_and_stand_after_paired_ones() -> None:
    found = list_tests(analyze(make_frame(draw_rows()), "RuleEvaluator", trees=10))
    rows = found["Differences of models and domains"].rows
    assert [row["test"] for row in rows if not row["note"]] == [
        "one-way, domains over questions: domain",
        "Repeated measures, models on common questions",
        "Friedman, models on common questions",
        "Kruskal-Wallis, domains over questions",
    ]
    assert all(row["note"].startswith("conservative") for row in rows[4:]) and len(rows) == 8
    assert "two-way: domain" not in {row["test"] for row in rows}
