"""Statistics of 100,000 scores: rates, comparisons, the bootstrap, and the mixed model beside statsmodels."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Claim, cpu_seconds, interleaved, report
from vmevalkit.stats.anova import kruskal_wallis, two_way_anova
from vmevalkit.stats.bootstrap import bootstrap_ci
from vmevalkit.stats.breakdown import success_by_level
from vmevalkit.stats.comparison import compare_paired
from vmevalkit.stats.logistic import conditional_logit
from vmevalkit.stats.mixed import mixed_model
from vmevalkit.stats.ranking import rank_bands

MODELS, DOMAINS, ROWS = 8, 5, 100_000


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of several models on the same questions."""

    score: NDArray[np.float64]
    """From 1 to 5."""
    model: NDArray[Any]
    """Model of each score."""
    domain: NDArray[Any]
    """Domain of each score."""
    question: NDArray[Any]
    """Question of each score."""

    @property
    def success(self) -> NDArray[np.float64]:
        """1 where the score is 4 or 5."""
        return (self.score >= 4).astype(np.float64)


def draw_scores(rows: int, seed: int = 0) -> Scores:
    """Return scores that depend on the model, the domain and the question."""
    rng = np.random.default_rng(seed)
    questions = rows // MODELS
    number = np.repeat(np.arange(questions), MODELS)
    model, domain = np.tile(np.arange(MODELS), questions), number % DOMAINS
    raw = 2 + 0.3 * model + 0.2 * domain + 0.1 * model * (domain == 1) + rng.normal(0, 0.8, questions)[number]
    score = np.clip(np.round(raw + rng.normal(0, 1, len(raw))), 1, 5)
    names = np.array([f"provider-model-{i}" for i in range(MODELS)]), np.array([f"domain_{i}" for i in range(DOMAINS)])
    labels = np.array([f"{i % DOMAINS}_{i:06d}" for i in range(questions)])
    return Scores(score, names[0][model], names[1][domain], labels[number])


def rates_and_comparisons() -> list[Claim]:
    data = draw_scores(ROWS)

    def rates() -> None:
        success_by_level(data.success, data.model, data.question)
        success_by_level(data.success, data.domain, data.question)

    def comparisons() -> None:
        parts = {name: data.model == name for name in np.unique(data.model)}
        for a, b in combinations(parts, 2):
            first, second = parts[a], parts[b]
            compare_paired(data.success[first], data.question[first], data.success[second], data.question[second])
        rank_bands(data.success, data.model, data.question)

    def tests() -> None:
        two_way_anova(data.score, data.model, data.domain)
        kruskal_wallis(data.score, data.model)

    def logit() -> None:
        conditional_logit(data.success, data.model, data.question)

    seconds = interleaved({"rates": rates, "comparisons": comparisons, "tests": tests, "logit": logit}, rounds=3)
    return [
        Claim("100,000 scores: rates by model and domain", seconds["rates"], 3, "s", at_least=False),
        Claim(
            "100,000 scores: all 28 paired comparisons and rank bands", seconds["comparisons"], 10, "s", at_least=False
        ),
        Claim("100,000 scores: two-way ANOVA and Kruskal-Wallis", seconds["tests"], 3, "s", at_least=False),
        Claim("100,000 scores: conditional logit", seconds["logit"], 10, "s", at_least=False),
    ]


def bootstrap() -> list[Claim]:
    """10,000 resamples of 450 and of 100,000 scores, beside a loop that draws 450 values 10,000 times."""
    few, many = draw_scores(450).score, draw_scores(ROWS).score

    def loop() -> None:
        rng = np.random.default_rng(0)
        np.percentile([rng.choice(few, len(few)).mean() for _ in range(10_000)], [2.5, 97.5])

    seconds = interleaved({"few": lambda: bootstrap_ci(few), "many": lambda: bootstrap_ci(many), "loop": loop})
    print(f"  (bootstrap of 10,000: n = 450 {1e3 * seconds['few']:.1f} ms, n = 100,000 {1e3 * seconds['many']:.1f} ms)")
    return [
        # Counting the values takes a few milliseconds at n = 100,000; the resampling itself does not grow.
        Claim("bootstrap: n = 100,000 beside n = 450", seconds["many"] / seconds["few"], 3, "times", at_least=False),
        Claim(
            "bootstrap: a loop of draws beside resampled counts, n = 450", seconds["loop"] / seconds["few"], 10, "times"
        ),
    ]


def mixed() -> list[Claim]:
    """The mixed model at 100,000 rows, once by each: statsmodels takes long enough to be timed by one call."""
    import pandas
    from statsmodels.formula.api import mixedlm

    data = draw_scores(ROWS)
    frame = pandas.DataFrame(
        {"score": data.score, "model": data.model, "domain": data.domain, "question": data.question}
    )
    fits: dict[str, Any] = {}

    def ours() -> None:
        fits["ours"] = mixed_model(data.score, data.model, data.domain, data.question)

    def theirs() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fits["theirs"] = mixedlm("score ~ model * domain", frame, groups=frame["question"]).fit()

    seconds = interleaved({"ours": ours}, rounds=3)["ours"]
    reference = cpu_seconds(theirs)
    variances = fits["ours"].question_variance, fits["theirs"].cov_re.iloc[0, 0]
    print(f"  (mixed model: {seconds:.2f} s, statsmodels {reference:.1f} s)")
    return [
        Claim("mixed model, 100,000 rows", seconds, 60, "s", at_least=False),
        Claim("mixed model: statsmodels beside ours", reference / seconds, 2, "times"),
        Claim(
            "mixed model: difference of the variances, relative", abs(variances[0] / variances[1] - 1), 0.01, "", False
        ),
    ]


def main() -> bool:
    return report("Statistics", [*rates_and_comparisons(), *bootstrap(), *mixed()])


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
