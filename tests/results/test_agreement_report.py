"""Rules, judges and people against each other, on tables made from values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from results.made_frames import make_rows
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.results.agreement import (
    ALL,
    AgreementReport,
    correct_by_own_labels,
    measure_agreement,
    require_scorers,
)
from vmevalkit.results.agreement_text import format_number, format_share, make_tables, write_markdown
from vmevalkit.results.columns import make_frame
from vmevalkit.results.summary import summarize
from vmevalkit.stats.records import missing_estimate

Rows = list[dict[str, Any]]
GOOD, BAD = 5, 1


def rules(values: dict[str, list[int | None]], solved: dict[str, list[bool]] | None = None) -> Rows:
    rows = make_rows({model: {"maze": own} for model, own in values.items()})
    for row in rows:
        row["passed"] = row["success"]
        row["solved"] = row["success"]
    if solved:
        for model, flags in solved.items():
            own = [row for row in rows if row["model"] == model]
            for row, flag in zip(own, flags, strict=True):
                row["solved"] = flag
    return rows


def judge(values: dict[str, list[int | None]], name: str = "GPT4OEvaluator") -> Rows:
    """Labels of a judge of final frames: it says only whether the final state is right."""
    rows = make_rows({model: {"maze": own} for model, own in values.items()}, scorer=name)
    for row in rows:
        row["passed"], row["solved"] = None, row["success"]
    return rows


def person(name: str, values: dict[str, list[int | None]], queue: str | None = "sample") -> Rows:
    rows = make_rows({model: {"maze": own} for model, own in values.items()}, scorer="HumanEvaluator")
    for row in rows:
        row["annotator"], row["queue"] = name, queue
        row["passed"] = row["solved"] = None
    return [row for row in rows if row["value"] is not None]


def measure(*tables: Rows, reference: str | None = None) -> AgreementReport:
    return measure_agreement(make_frame(row for table in tables for row in table), reference)


def test_two_scorers_are_compared_by_domain() -> None:
    report = measure(judge({"m": [5, 5, 1, 1]}), judge({"m": [5, 1, 1, 1]}, "Judge-b-final_frame"))
    by_domain = {pair.domain: pair for pair in report.pairs}
    assert set(by_domain) == {ALL, "maze"}
    assert by_domain["maze"].percent.value == 0.75
    assert by_domain["maze"].kappa.value == pytest.approx(0.5)
    assert by_domain["maze"].videos == 4


def test_a_judge_of_final_frames_is_compared_on_the_final_state() -> None:
    # Two mazes were solved through a wall: the rules fail them, and a final frame cannot show it.
    by_rules = rules({"m": [5, 2, 2, 1]}, {"m": [True, True, True, False]})
    report = measure(by_rules, judge({"m": [5, 5, 5, 1]}))
    assert report.reference == "RuleEvaluator"
    [pair, *_] = report.pairs
    assert (pair.aspect, pair.percent.value) == ("solved", 1.0)
    [accuracy, *_] = report.accuracies
    assert (accuracy.sensitivity.value, accuracy.specificity.value) == (1.0, 1.0)


def test_people_are_the_reference_and_the_majority_counts() -> None:
    people = [
        person("ann", {"m": [5, 5, 1, 1]}),
        person("bob", {"m": [4, 1, 1, 1]}),
        person("cyd", {"m": [5, 5, 2, 5]}),
    ]
    report = measure(judge({"m": [5, 5, 1, 5]}), *people)
    assert report.reference == "HumanEvaluator"
    [accuracy, *_] = report.accuracies
    assert (accuracy.sensitivity.n, accuracy.specificity.n) == (2, 2)
    assert (accuracy.sensitivity.value, accuracy.specificity.value) == (1.0, 0.5)
    assert report.people[0].people == 3
    assert report.people[0].alpha.n == 4


def test_a_tie_of_people_counts_by_halves() -> None:
    report = measure(judge({"m": [5, 5]}), person("ann", {"m": [5, 5]}), person("bob", {"m": [1, 5]}))
    assert (report.pairs[0].videos, report.pairs[0].percent.value) == (2, 0.75)
    [rate] = report.rates
    assert rate.corrected.value == 0.75
    assert any("people are divided on 1 video" in note for note in report.notes)


def test_chosen_videos_are_in_no_number() -> None:
    report = measure(judge({"m": [5, 5, 1]}), person("ann", {"m": [1, 1, 5]}, queue="disagreement"))
    assert (report.pairs, report.accuracies, report.people) == ((), (), ())
    assert any("3 labels of people are on videos that were chosen" in note for note in report.notes)


def test_the_random_sample_survives_labels_of_the_queue() -> None:
    """One person labels a random half, another the videos on which scorers differ: the estimates are as without him."""
    rng = np.random.default_rng(3)
    truth = rng.random(200) < 0.5
    judged = np.where(rng.random(200) < 0.86, truth, ~truth)
    by_judge = judge({"m": [GOOD if flag else BAD for flag in judged]})
    sample = person("ann", {"m": [(GOOD if flag else BAD) if i % 2 else None for i, flag in enumerate(truth)]})
    wrong = [BAD if flag else GOOD for flag in truth]
    queue = person(
        "bob", {"m": [value if judged[i] != truth[i] else None for i, value in enumerate(wrong)]}, "disagreement"
    )
    alone, both = measure(by_judge, sample), measure(by_judge, sample, queue)
    assert (both.accuracies, both.rates, both.pairs) == (alone.accuracies, alone.rates, alone.pairs)
    assert both.rates[0].reference_videos == 100
    assert both.people == ()


def test_the_rate_of_people_leaves_out_chosen_videos_and_counts_ties_by_halves() -> None:
    rows = [
        *person("ann", {"m": [5, 5, 1, 1]}),
        *person("bob", {"m": [1, 5, 1, 1]}),
        *person("cyd", {"m": [5, 5, 5, 5]}, queue="disagreement"),
    ]
    [rate] = summarize(make_frame(rows), ["model"])
    assert (rate.rate.value, rate.videos) == (0.375, 4)
    rows = [*person("ann", {"m": [5, None]}), *person("cyd", {"m": [None, 1]}, queue="disagreement")]
    [rate] = summarize(make_frame(rows), ["model"])
    assert (rate.rate.value, rate.videos, rate.left_out.not_scored) == (1.0, 1, 1)


def test_two_people_who_are_often_divided_do_not_bias_the_corrected_rate() -> None:
    """Videos differ in how likely a person is to pass them; dropping ties left out the middle and shifted the rate."""
    held, runs, labelled = 0, 300, 120
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        chance = rng.choice([0.05, 0.5, 0.6], size=400)
        judged = (rng.random(400) < chance).astype(float)
        people = (rng.random((2, labelled)) < chance[:labelled]).mean(axis=0)
        found = correct_by_own_labels(judged, np.arange(400) < labelled, people)
        assert found.low is not None and found.high is not None
        held += found.low <= 1.15 / 3 <= found.high
    assert held >= 0.93 * runs


def test_rates_are_corrected_by_a_random_part_of_the_models_own_videos() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.5
    lenient = truth | (rng.random(300) < 0.5)  # it passes half of the failures
    labelled = [GOOD if truth[i] else BAD if i % 3 == 0 else None for i in range(300)]
    labelled = [value if i % 3 == 0 else None for i, value in enumerate(labelled)]
    values = [GOOD if flag else BAD for flag in lenient]
    report = measure(judge({"m": values}), person("ann", {"m": labelled}))
    [rate] = report.rates
    assert rate.raw.value == pytest.approx(lenient.mean())
    assert rate.corrected.method == "prediction-powered, power-tuned"
    assert rate.corrected.low is not None
    assert rate.corrected.high is not None
    assert rate.corrected.low <= 0.5 <= rate.corrected.high
    assert rate.raw.low is not None
    assert rate.raw.low > 0.6


def test_rates_are_corrected_by_the_errors_on_other_models_where_rules_are_the_reference() -> None:
    rng = np.random.default_rng(1)
    truth = {name: rng.random(200) < share for name, share in (("a", 0.3), ("b", 0.6), ("c", 0.5))}
    seen = {name: np.where(flags, rng.random(200) < 0.9, rng.random(200) < 0.3) for name, flags in truth.items()}
    report = measure(
        rules({name: [GOOD if flag else BAD for flag in flags] for name, flags in truth.items()}),
        judge({name: [GOOD if flag else BAD for flag in flags] for name, flags in seen.items()}),
    )
    for rate in report.rates:
        assert rate.corrected.method.startswith("Rogan-Gladen")
        assert rate.corrected.low is not None
        assert rate.corrected.high is not None
        assert rate.corrected.low <= truth[rate.model].mean() <= rate.corrected.high


def test_a_judge_that_knows_nothing_is_refused_with_the_reason() -> None:
    rng = np.random.default_rng(2)
    values = {name: [GOOD if flag else BAD for flag in rng.random(60) < 0.5] for name in ("a", "b")}
    noise = {name: [GOOD if flag else BAD for flag in rng.random(60) < 0.5] for name in ("a", "b")}
    report = measure(rules(values), judge(noise))
    assert all(rate.corrected.value is None and rate.corrected.reason for rate in report.rates)
    tables = dict(make_tables(report))
    lines = next(lines for title, lines in tables.items() if title.startswith("Success rates"))
    assert lines[0]["corrected"] == "-"
    assert lines[0]["how"].startswith("refused: ")


def test_trick_baselines_do_not_flatter_a_judge() -> None:
    report = measure(rules({"m": [5, 1, 1, 1], "static": [1] * 4}), judge({"m": [5, 5, 5, 5], "static": [1] * 4}))
    [accuracy, *_] = report.accuracies
    assert (accuracy.specificity.n, accuracy.specificity.value) == (3, 0.0)
    assert {rate.model for rate in report.rates} == {"m", "static"}


def test_what_cannot_be_compared() -> None:
    report = measure(rules({"m": [5, 1]}))
    assert report.reference is None
    with pytest.raises(UsageError, match="labels of two scorers"):
        require_scorers(report)
    with pytest.raises(UnknownName, match="with labels in this experiment"):
        measure(rules({"m": [5, 1]}), judge({"m": [5, 1]}), reference="people")
    assert measure(rules({"m": [5, 1]}), judge({"m": [5, 1]}), reference="GPT4OEvaluator").reference == "GPT4OEvaluator"


def test_unscored_and_outdated_scores_are_no_labels() -> None:
    rows = judge({"m": [5, None, 1]})
    rows[0]["is_current"] = False
    report = measure(rules({"m": [5, 5, 1]}), rows)
    assert report.pairs[0].videos == 1


def test_tables_as_text() -> None:
    report = measure(rules({"m": [5, 5, 1, 1]}), judge({"m": [5, 5, 1, 5]}))
    text = "\n".join(write_markdown(lines) for _, lines in make_tables(report))
    assert "| RuleEvaluator | GPT4OEvaluator | all | solved | 4 | 75% (30-95%) |" in text
    assert format_share(missing_estimate("none", "Wilson")) == "-"
    assert format_share(missing_estimate("one", "Wilson", value=0.5)) == "50%"
    assert format_number(missing_estimate("one", "x", value=0.5)) == "0.50"


def test_the_report_has_the_tables_of_corrected_rates() -> None:
    from vmevalkit.report.sections.corrected_rates import make_correction_tables

    frame = make_frame([*rules({"m": [5, 1], "n": [5, 1]}), *judge({"m": [5, 1], "n": [5, 5]})])
    tables, _ = make_correction_tables(frame)
    assert [table.name for table in tables] == ["judge_errors", "corrected_rates"]
    assert tables[0].records[0]["sensitivity"] == 1.0
    assert len(tables[1].texts) == len(tables[1].records) == 2
    assert make_correction_tables(make_frame(rules({"m": [5, 1]}))) == ([], ())


def test_outcome_is_compared_with_outcome_and_process_with_process() -> None:
    """Six mazes solved through walls: people call the answer right and the moves wrong, as the rules do."""
    by_rules = rules({"m": [2] * 6}, {"m": [True] * 6})
    people = person("ann", {"m": [2] * 6})
    for row in by_rules:
        row |= {"passed": False, "process": 0.4}
    for row in people:
        row |= {"solved": True, "passed": False, "process": 0.0}
    report = measure(by_rules, people)
    assert {pair.aspect: pair.percent.value for pair in report.pairs} == {"success": 1.0, "solved": 1.0, "process": 1.0}
    [rate] = report.rates
    assert (rate.raw.value, rate.corrected.value) == (0.0, 0.0)


def test_people_who_were_asked_about_the_final_state_alone_do_not_correct_the_process() -> None:
    report = measure(rules({"m": [2] * 6}, {"m": [True] * 6}), person("ann", {"m": [5] * 6}))
    [pair, *_] = report.pairs
    assert (pair.aspect, pair.percent.value) == ("solved", 1.0)
