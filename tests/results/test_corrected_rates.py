"""In simulation the corrected rates hold the true one, with good, poor and useless judges, wherever not refused."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pytest

from vmevalkit.results.agreement import correct_by_others, correct_by_own_labels
from vmevalkit.stats.records import Estimate

JUDGES = {"good": (0.95, 0.95), "poor": (0.75, 0.7), "useless": (0.5, 0.5)}
WANTED = 0.93


@dataclass
class Coverage:
    held: int = 0
    estimated: int = 0
    refused: int = 0

    def add(self, estimate: Estimate, truth: float) -> None:
        if estimate.value is None or estimate.low is None or estimate.high is None:
            self.refused += 1
            return
        self.estimated += 1
        self.held += estimate.low <= truth <= estimate.high

    def check(self, slack: float = 2.0) -> None:
        """The share of intervals that hold the truth is 93% or more, within the error of the simulation."""
        if self.estimated < 50:
            return  # nearly always refused
        share = self.held / self.estimated
        assert share >= WANTED - slack * sqrt(WANTED * (1 - WANTED) / self.estimated), self


def simulate(rng: np.random.Generator, videos: int, rate: float, judge: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the truth and the judge's labels of some videos."""
    sensitivity, specificity = JUDGES[judge]
    truth = rng.random(videos) < rate
    return truth, np.where(truth, rng.random(videos) < sensitivity, rng.random(videos) >= specificity)


def cover_own_labels(judge: str, rate: float, videos: int, labelled: int, runs: int) -> Coverage:
    rng, coverage = np.random.default_rng([1, videos, labelled, int(100 * rate)]), Coverage()
    for _ in range(runs):
        truth, labels = simulate(rng, videos, rate, judge)
        chosen = np.zeros(videos, bool)
        chosen[rng.choice(videos, labelled, replace=False)] = True
        coverage.add(correct_by_own_labels(labels.astype(float), chosen, truth[chosen].astype(float)), rate)
    return coverage


def cover_others(judge: str, rate: float, videos: int, labelled: int, runs: int) -> Coverage:
    rng, coverage = np.random.default_rng([2, videos, labelled, int(100 * rate)]), Coverage()
    for _ in range(runs):
        _, labels = simulate(rng, videos, rate, judge)
        truth, seen = simulate(rng, labelled, 0.4, judge)
        coverage.add(
            correct_by_others(
                int(labels.sum()), videos, int(seen[truth].sum()), int(truth.sum()), int((~seen[~truth]).sum()),
                int((~truth).sum()),
            ),
            rate,
        )  # fmt: skip
    return coverage


CASES = [(75, 15), (75, 30), (300, 60), (300, 150)]
"""Videos of a model, and how many of them, or of other models' videos, have a label of the reference."""


@pytest.mark.parametrize("judge", JUDGES)
def test_corrected_rates_hold_the_truth(judge: str) -> None:
    for rate, (videos, labelled) in ((0.3, (75, 30)), (0.6, (300, 60))):
        cover_own_labels(judge, rate, videos, labelled, 250).check(slack=3.0)
        cover_others(judge, rate, videos, labelled, 250).check(slack=3.0)


def test_a_useless_judge_is_refused_and_a_good_one_is_not() -> None:
    assert cover_others("useless", 0.3, 300, 150, 200).refused > 180
    assert cover_others("good", 0.3, 300, 150, 200).refused == 0


@pytest.mark.nightly
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("rate", [0.05, 0.15, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_corrected_rates_hold_the_truth_everywhere(judge: str, rate: float, case: tuple[int, int]) -> None:
    cover_own_labels(judge, rate, *case, runs=4000).check()
    cover_others(judge, rate, *case, runs=4000).check()
