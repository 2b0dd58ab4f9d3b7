from __future__ import annotations

from random import Random
from typing import Any

import orjson
import pandas as pd
import pytest
from made_frames import Values, make_rows, make_scores

from vmevalkit.core.errors import StoreError, UnknownName
from vmevalkit.results.analysis import ALL_MODELS, analyze, count_visual_elements
from vmevalkit.results.analysis_text import analysis_record, describe_analysis, encode_analysis
from vmevalkit.results.columns import make_frame
from vmevalkit.stats.anova import one_way_anova
from vmevalkit.stats.complexity import DomainComplexity
from vmevalkit.stats.temporal import TEMPORAL_METRICS

Frame = pd.DataFrame
SCORER = "RuleEvaluator"


def draw_values(rates: dict[str, float], domains: int = 3, questions: int = 12, seed: int = 1) -> dict[str, Any]:
    rng = Random(seed)
    return {
        model: {f"d{k}": [5 if rng.random() < rate else rng.choice([1, 2, 3]) for _ in range(questions)]
                for k in range(domains)}
        for model, rate in rates.items()
    }  # fmt: skip


def enrich(rows: list[dict[str, Any]]) -> Frame:
    for index, row in enumerate(rows):
        row["params"] = {"grid_n": 3 + int(row["question"][-1]) % 3, "name": "x"}
        row["tags"] = ["odd" if index % 2 else "even"]
        row["family"], row["difficulty"] = row["model"], "easy"
        row["metrics"] = dict.fromkeys(TEMPORAL_METRICS, 1.0 if index % 4 else 0.5)
    return make_frame(rows)


def test_an_analysis_has_every_statistic_of_the_specification() -> None:
    pytest.importorskip("sklearn")
    frame = enrich(make_rows(draw_values({"a": 0.8, "b": 0.5, "c": 0.2, "static": 0.0})))
    stated = {f"d{k}": DomainComplexity(10**k, k + 1, 1.0, "low") for k in range(3)}
    found = analyze(frame, SCORER, complexity=stated, trees=20)
    assert found.models == ("a", "b", "c") and found.baselines_left_out == ("static",)
    assert (found.videos, found.questions) == (108, 36)
    own = frame[frame["model"] != "static"]
    assert found.anova_models == one_way_anova(own["value"].to_numpy(float), own["model"].to_numpy(str), "model")
    assert found.anova_two_way.terms["model:domain"].df == 4
    assert set(found.tukey_models.pairs) == set(found.effects) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert set(found.mixed.tests) == {"model", "domain", "model:domain"}
    assert found.logit.odds.keys() == {"b", "c"} and found.friedman.test.p_value is not None
    assert found.forest.importance.keys() == {"model_family", "domain_type", "task_complexity", "visual_elements"}
    assert found.distribution[ALL_MODELS].n == 108 and found.failures[ALL_MODELS].total == 108
    assert set(found.tags[ALL_MODELS]) == {"even", "odd"}
    assert found.parameters["d0"]["grid_n"].questions == 12
    assert "10 models" in str(found.rasch.reason)
    assert found.demand.domains["d0"].complexity == stated["d0"]
    assert set(found.temporal) == set(TEMPORAL_METRICS)
    assert 0 < found.temporal["consistency"].kept.value < 1  # type: ignore[operator]

    titles = [section.title for section in describe_analysis(found)]
    assert len(titles) == len(set(titles)) == 18
    for name in ("table", "markdown"):
        text = encode_analysis([found], name)
        assert all(title in text for title in titles)
    record = orjson.loads(orjson.dumps(analysis_record(found)))
    assert record["tukey_models"]["pairs"]["a - b"]["difference"] > 0
    assert record["effects"]["a - b"]["cohens_d"]["n"] == [36, 36]


def equal(value: int, models: int = 2, questions: int = 4) -> Frame:
    return make_scores({f"m{k}": {"maze": [value] * questions, "chess": [value] * questions} for k in range(models)})


def unbalanced() -> Frame:
    values: dict[str, dict[str, Values]] = {"a": {"maze": [5, 1, 3], "chess": [1]}, "b": {"chess": [2, 5]}}
    return make_scores(values)


DEGENERATE: dict[str, Frame] = {
    "one model": make_scores({"a": {"maze": [5, 1, 2], "chess": [1, 4, 2]}}),
    "one domain": make_scores({"a": {"maze": [5, 1, 2]}, "b": {"maze": [1, 1, 4]}}),
    "all pass": equal(5),
    "all fail": equal(1),
    "two questions": make_scores({"a": {"maze": [5, 1]}, "b": {"maze": [1, 4]}}),
    "one question": make_scores({"a": {"maze": [5]}, "b": {"maze": [1]}}),
    "unbalanced": unbalanced(),
    "unscored": make_scores({"a": {"maze": [5, None, 3]}, "b": {"maze": [None, 1, None]}}),
    "only baselines": make_scores({"static": {"maze": [1, 1]}, "noise": {"maze": [1, 1]}}),
    "no common question": make_frame(
        [*make_rows({"a": {"maze": [5, 1]}}), *make_rows({"b": {"chess": [5, 1]}})]
    ),
    "mixed scorers": make_frame(
        [*make_rows({"a": {"maze": [5, 1]}}), *make_rows({"a": {"maze": [4, 4]}}, scorer="Judge")]
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", list(DEGENERATE))
def test_what_scores_cannot_say_is_a_sentence(case: str) -> None:
    found = analyze(DEGENERATE[case], SCORER, trees=10)
    text = encode_analysis([found], "table")
    assert "nan" not in text.lower().replace("explanation", "") and "None" not in text
    assert "since" in text, "something is refused with the reason"
    orjson.dumps(analysis_record(found))


def test_nothing_scored_is_an_error_with_a_remedy() -> None:
    frame = make_scores({"a": {"maze": [None, None]}})
    with pytest.raises(StoreError, match="nothing to analyse"):
        analyze(frame, SCORER)
    with pytest.raises(UnknownName, match="RuleEvaluator"):
        analyze(frame, "RuleEvaluater")


def test_a_scorer_without_failure_modes_says_so() -> None:
    frame = make_scores({"a": {"maze": [5, 1]}, "b": {"maze": [1, 4]}}).assign(failure_mode=pd.NA)
    text = encode_analysis([analyze(frame, SCORER, trees=10)], "table")
    assert "RuleEvaluator names no failure modes" in text


def test_baselines_can_be_analysed_too() -> None:
    frame = make_scores({"a": {"maze": [5, 1]}, "static": {"maze": [1, 1]}})
    assert analyze(frame, SCORER, include_baselines=True, trees=10).models == ("a", "static")


@pytest.mark.parametrize(
    ("params", "elements"),
    [({"num_objects": 6, "grid_n": 3}, 6.0), ({"grid_n": 4}, 16.0), ({"voxels": [8, 9]}, 0.0), ({}, 0.0), (None, 0.0)],
)
def test_visual_elements_are_counted_from_params(params: dict[str, Any] | None, elements: float) -> None:
    assert count_visual_elements(params) == elements
