from __future__ import annotations

from vmevalkit.core.records import Score
from vmevalkit.report.tables import rate, table


def score(value: int | None) -> Score:
    if value is None:
        return Score.unscored("RuleEvaluator", "1", "no film")
    return Score("RuleEvaluator", "1", value=value, solved=value >= 4, passed=value >= 4)


def test_unscored_films_are_counted_apart() -> None:
    found = rate([score(5), score(1), score(None)])
    assert (found.scored, found.unscored, found.passed) == (2, 1, 1)
    assert found.rate == 0.5
    assert found.mean_value == 3.0
    assert found.low < 0.5 < found.high


def test_nothing_scored_has_no_rate() -> None:
    found = rate([score(None)])
    assert found.rate is None
    assert found.mean_value is None


def test_the_published_rate_has_its_wilson_interval() -> None:
    """51 of 75: the interval is about 57% to 77%."""
    found = rate([score(5)] * 51 + [score(1)] * 24)
    assert (round(found.low, 3), round(found.high, 3)) == (0.568, 0.775)


def test_the_best_model_stands_first() -> None:
    rows = table(
        [("b", "maze", score(1)), ("a", "maze", score(5)), ("a", "rotation", score(2)), ("c", "maze", score(3))]
    )
    assert [row.model for row in rows] == ["a", "c", "b"]
    assert rows[0].by_domain["rotation"].passed == 0
    assert rows[1].by_domain["rotation"].scored == 0


def test_what_has_no_verdict_stands_beside_the_rate() -> None:
    found = rate([score(5), score(None)], not_scored=2, without_film=3)
    assert (found.rate, found.scored) == (1.0, 1)
    assert found.left_out == "1 unscored, 2 not scored yet, 3 without a film"
    assert rate([score(5)]).left_out == ""


def test_a_model_without_any_film_has_a_row() -> None:
    rows = table([("a", "maze", score(1))], [("a", "chess")], [("b", "maze"), ("b", "maze"), ("a", "maze")])
    assert [(row.model, row.overall.rate, row.overall.left_out) for row in rows] == [
        ("a", 0.0, "1 not scored yet, 1 without a film"),
        ("b", None, "2 without a film"),
    ]
    assert rows[0].by_domain["chess"].left_out == "1 not scored yet"
    assert rows[1].by_domain["chess"].left_out == ""
