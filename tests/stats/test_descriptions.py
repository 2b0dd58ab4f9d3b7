"""Consistency, score distribution, failure classes, tags, parameters and the demand ranking."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from vmevalkit.eval import temporal as eval_temporal
from vmevalkit.stats.breakdown import success_by_level, success_by_parameter, success_by_tag
from vmevalkit.stats.complexity import DomainComplexity, demand_ranking
from vmevalkit.stats.consistency import model_consistency
from vmevalkit.stats.distribution import score_distribution
from vmevalkit.stats.failures import CLASS_OF_MODE, FAILURE_CLASSES, failure_class, failure_profile, failure_profiles
from vmevalkit.stats.intervals import wilson
from vmevalkit.stats.temporal import TEMPORAL_METRICS, temporal_shares


def outcomes(counts: dict[str, dict[str, int]], size: int = 15) -> tuple[list[int], list[str], list[str], list[str]]:
    rows = [
        (int(i < passed), model, domain, f"{domain}_{i}")
        for model, domains in counts.items()
        for domain, passed in domains.items()
        for i in range(size)
    ]
    success, models, domains, questions = (list(column) for column in zip(*rows, strict=True))
    return success, models, domains, questions


SORA = {"sudoku": 14, "raven": 11, "maze": 13, "rotation": 2, "chess": 11}
VEO = {"sudoku": 15, "raven": 9, "maze": 8, "rotation": 3, "chess": 0}
LUMA = {"sudoku": 1, "raven": 0, "maze": 0, "rotation": 0, "chess": 0}


def test_consistency_of_published_counts() -> None:
    found = model_consistency(*outcomes({"sora": SORA, "veo": VEO, "luma": LUMA}))
    assert found["sora"].mean_success == pytest.approx(0.68)
    assert found["sora"].std_success == pytest.approx(np.std([14, 11, 13, 2, 11]) / 15)
    assert found["sora"].domain_range == pytest.approx(0.8)
    assert found["veo"].domain_range == 1
    assert (found["luma"].std_success, found["luma"].cv) == pytest.approx((0.0267, 2.0), abs=1e-4)
    assert [found[model].consistency_rank for model in ("luma", "sora", "veo")] == [1, 2, 3]


def test_spread_by_chance_matches_simulation() -> None:
    rng = np.random.default_rng(0)
    draws = rng.binomial(15, 0.4, (20_000, 5)) / 15
    found = model_consistency(*outcomes({"m": dict.fromkeys("abcde", 6)}))["m"]
    assert found.std_success == 0
    assert found.sampling_std == pytest.approx(np.sqrt(draws.var(axis=1).mean()), rel=0.02)


def test_consistency_reasons() -> None:
    assert model_consistency([1, 0], ["m"] * 2, ["d"] * 2, [0, 1])["m"].reason.startswith("one domain")
    nothing = model_consistency([0, 0], ["m"] * 2, ["d", "e"], [0, 1])["m"]
    assert (nothing.std_success, nothing.cv) == (0, None)
    assert nothing.reason == "cv is undefined where nothing passed"


def test_published_score_distribution() -> None:
    found = score_distribution(np.repeat([1, 2, 3, 4, 5], [248, 60, 3, 14, 125]))
    shares = [entry.share.value for entry in found.scores]
    assert shares == pytest.approx([0.5511, 0.1333, 0.0067, 0.0311, 0.2778], abs=5e-5)
    assert found.success.value == pytest.approx(0.3089, abs=5e-5)
    assert [entry.label for entry in found.scores][0::4] == ["Complete Failure", "Perfect Success"]
    assert (found.success.low, found.success.high) == wilson(139, 450)
    assert score_distribution([]).reason == "there are no scores"
    with pytest.raises(ValueError, match=r"scores\[1\] is 0, not one of 1, 2, 3, 4, 5"):
        score_distribution([1, 0])


def test_every_failure_mode_has_one_of_four_classes() -> None:
    assert set(CLASS_OF_MODE.values()) == set(FAILURE_CLASSES)
    assert failure_class("none") is None
    assert failure_class("not_shown") == "Incorrect Termination"
    with pytest.raises(ValueError, match="unknown failure mode 'sttaic'; known are none, static"):
        failure_class("sttaic")


def test_failure_profile() -> None:
    modes = ["none"] * 5 + ["static"] * 4 + ["illegal_process", "incorrect_termination", "partial", "scene_broken"]
    profile = failure_profile(modes)
    shares = {name: share.value for name, share in profile.classes.items()}
    assert shares == dict(zip(FAILURE_CLASSES, (0.5, 0.25, 0.125, 0.125), strict=True))
    assert (profile.failed, profile.total, profile.modes["static"]) == (8, 13, 4)
    by_model = failure_profiles([*modes, "none"], ["a"] * 13 + ["b"])
    assert by_model["a"] == profile
    assert by_model["b"].classes["Partial Execution"].reason == "no video failed"


def test_success_by_tag_counts_a_sample_under_each_tag() -> None:
    tags = [["fork", "queen"], ["fork", "fork"], [], ["queen"]]
    found = success_by_tag([1, 0, 1, 1], tags, ["a", "b", "c", "d"])
    assert {tag: (rate.value, rate.n) for tag, rate in found.items()} == {"fork": (0.5, 2), "queen": (1.0, 2)}


def test_success_by_level_counts_questions() -> None:
    found = success_by_level([1, 0, 1, 1], ["x", "x", "y", "y"], ["a", "a", "b", "c"])
    assert {level: (rate.value, rate.n) for level, rate in found.items()} == {"x": (0.5, 1), "y": (1.0, 2)}


def test_success_against_a_parameter() -> None:
    rng = np.random.default_rng(0)
    length = np.repeat(rng.integers(3, 40, 200), 3)
    success = (rng.random(600) < 1 / (1 + np.exp((length - 20) / 4))).astype(float)
    found = success_by_parameter(success, length, np.repeat(np.arange(200), 3), max_bins=5)
    assert len(found.bins) == 5
    assert sum(bin_.rate.n for bin_ in found.bins) == 200
    assert all(low.high < high.low for low, high in zip(found.bins, found.bins[1:], strict=False))
    rates = [bin_.rate.value for bin_ in found.bins]
    assert rates == sorted(rates, reverse=True)
    means = success.reshape(200, 3).mean(axis=1)
    assert found.trend.value == pytest.approx(stats.spearmanr(length[::3], means).statistic, abs=1e-12)
    assert found.trend.high < 0


def test_few_values_are_bins_of_their_own() -> None:
    found = success_by_parameter([1, 0, 1, 0], [4, 4, 6, 9], ["a", "b", "c", "d"])
    assert [(bin_.low, bin_.high) for bin_ in found.bins] == [(4, 4), (6, 6), (9, 9)]
    with pytest.raises(ValueError, match="several values of the parameter"):
        success_by_parameter([1, 0], [4, 5], ["a", "a"])
    constant = success_by_parameter([1, 0], [4, 4], ["a", "b"])
    assert constant.trend.reason == "all values of the first variable are equal"


def test_demand_ranking() -> None:
    success, _, domains, questions = outcomes({"sora": SORA, "veo": VEO})
    stated = {
        "sudoku": DomainComplexity(3**9, 2, 1.0, "low"),
        "chess": DomainComplexity(10**15, 6, 0.8, "high"),
        "rotation": DomainComplexity(360**2, 3, 1.0, "extreme"),
        "maze": DomainComplexity(10**6, 2, 1.0, "medium"),
    }
    found = demand_ranking(success, domains, questions, stated)
    assert list(found.domains) == ["sudoku", "maze", "raven", "chess", "rotation"]
    assert [line.rank for line in found.domains.values()] == [1, 2, 3, 4, 5]
    assert found.domains["chess"].rate.n == 15
    assert found.domains["raven"].complexity is None
    assert found.correlations["visual_complexity"].value == pytest.approx(1.0)
    assert found.correlations["state_space"].n == 4
    assert stated["chess"].log10_state_space == pytest.approx(15)


@pytest.mark.parametrize(
    ("values", "message"),
    [((0, 1, 1.0, "low"), "state_space"), ((9, 1, 1.5, "low"), "uniqueness"), ((9, 1, 1.0, "huge"), "visual")],
)
def test_impossible_complexity(values: tuple[int, int, float, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DomainComplexity(*values)


def test_temporal_shares_count_videos_that_keep_a_metric() -> None:
    found = temporal_shares({"consistency": [1.0, 0.95, 0.5, 1.0]}, ["a", "a", "b", "c"])["consistency"]
    assert found.kept.value == pytest.approx(2 / 3)
    assert found.mean.value == pytest.approx((0.975 + 0.5 + 1.0) / 3)
    assert found.kept.n == 3
    empty = temporal_shares({"consistency": []}, [])["consistency"]
    assert empty.kept.value is None and empty.kept.reason


def test_the_scorer_and_the_statistics_name_the_same_metrics() -> None:
    assert eval_temporal.TEMPORAL_METRICS == TEMPORAL_METRICS
