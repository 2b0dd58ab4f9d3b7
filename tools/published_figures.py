"""Compute docs/PUBLISHED_FIGURES.md: which published numbers follow from the published counts, and which do not.

``python tools/published_figures.py`` writes the page; a test fails while the page differs from what this computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations, product
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vmevalkit.stats.anova import one_way_anova, tukey_hsd
from vmevalkit.stats.bootstrap import bootstrap_ci
from vmevalkit.stats.comparison import mcnemar_exact
from vmevalkit.stats.consistency import consistency_of_rates
from vmevalkit.stats.distribution import score_distribution
from vmevalkit.stats.effect import cohens_d
from vmevalkit.stats.intervals import wilson

PAGE = Path(__file__).parent.parent / "docs" / "PUBLISHED_FIGURES.md"

QUESTIONS = 15
"""Questions in each domain."""
DOMAINS = ("sudoku", "raven", "maze", "chess", "rotation")
MODELS = {
    "Sora-2": (51, 3.853),
    "Veo 3.0": (35, 2.960),
    "Veo 3.1": (26, 2.480),
    "Runway Gen4-Turbo": (18, 2.160),
    "WAN 2.2": (8, 1.573),
    "Luma Ray-2": (1, 1.080),
}
"""Successes of 75 and mean score of each model."""
PER_MODEL = QUESTIONS * len(DOMAINS)
BY_DOMAIN = {"Sora-2": (14, 11, 13, 11, 2), "Veo 3.0": (15, 9, 8, 0, 3), "Luma Ray-2": (1, 0, 0, 0, 0)}
"""Successes by domain, where published. One success in all places Luma's in one domain; which one does not matter."""
DOMAIN_PERCENT = {"sudoku": 56.67, "raven": 42.22, "maze": 32.22, "chess": 12.22, "rotation": 11.11}
SCORE_COUNTS = (248, 60, 3, 14, 125)
CONSISTENCY = {
    "Sora-2": (0.680, 0.369, 0.543, 0.800),
    "Veo 3.0": (0.467, 0.408, 0.874, 1.000),
    "Luma Ray-2": (0.013, 0.026, 2.000, 0.067),
}
"""Published mean_success, std_success, cv and domain_range."""
FAILURE_PERCENT = {
    "Static Repetition": 31.2,
    "Incorrect Termination": 28.7,
    "Partial Execution": 22.1,
    "Complete Misunderstanding": 18.0,
}
TEMPORAL_PERCENT = {
    "consistency": 73.2,
    "demonstration_clarity": 68.4,
    "final_accuracy": 91.7,
    "resolution_stability": 98.9,
    "temporal_smoothness": 85.3,
    "object_persistence": 79.6,
}
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Line:
    """One published number beside what follows from the counts."""

    what: str
    """What the number is."""
    published: str
    """The number as published."""
    computed: str
    """What the published counts give."""
    verdict: str
    """``follows``, ``does not follow`` or ``cannot be checked``, with a remark where it helps."""


def successes(passed: int, n: int) -> Floats:
    """Return ``n`` outcomes of which ``passed`` are 1."""
    return np.repeat([1.0, 0.0], [passed, n - passed])


def agreement(published: float, computed: float, decimals: int) -> str:
    """Return whether the published number is the computed one, rounded."""
    return "follows" if abs(published - computed) <= 0.5001 * 10**-decimals else "does not follow"


def rate_lines() -> list[Line]:
    """Return success rates, domain means, score shares and ranks."""
    lines = []
    for model, (passed, _) in MODELS.items():
        low, high = wilson(passed, PER_MODEL)
        computed = f"{passed / PER_MODEL:.1%} ({low:.1%} to {high:.1%})"
        published = {"Sora-2": 68.0, "Veo 3.0": 46.7, "Veo 3.1": 34.7, "Runway Gen4-Turbo": 24.0, "WAN 2.2": 10.7}
        value = published.get(model, 1.3)
        lines.append(Line(f"{model}: success", f"{value}%", computed, agreement(value, 100 * passed / PER_MODEL, 1)))
    for domain, passed in domain_counts().items():
        low, high = wilson(passed, QUESTIONS * len(MODELS))
        rate = passed / (QUESTIONS * len(MODELS))
        value = DOMAIN_PERCENT[domain]
        computed = f"{passed} of 90, {rate:.2%} ({low:.1%} to {high:.1%})"
        lines.append(Line(f"{domain}: mean success", f"{value}%", computed, agreement(value, 100 * rate, 2)))
    found = score_distribution(scores())
    for entry, value in zip(found.scores, (55.11, 13.33, 0.67, 3.11, 27.78), strict=True):
        share = 100 * (entry.share.value or 0.0)
        lines.append(
            Line(f"score {entry.score}, {entry.label}", f"{value}%", f"{share:.2f}%", agreement(value, share, 2))
        )
    total = sum(passed for passed, _ in MODELS.values())
    lines.append(
        Line("success overall", "30.89%", f"{total} of 450, {total / 450:.2%}", agreement(30.89, total / 4.5, 2))
    )
    points = sum(round(mean * PER_MODEL) for _, mean in MODELS.values())
    same = points == int(scores().sum())
    remark = f"{points} points by models, {int(scores().sum())} by score counts"
    lines.append(
        Line("mean scores and score counts", "3.853 to 1.080", remark, "follows" if same else "does not follow")
    )
    return lines


def domain_counts() -> dict[str, int]:
    """Return the successes of each domain over six models."""
    return {domain: round(percent / 100 * QUESTIONS * len(MODELS)) for domain, percent in DOMAIN_PERCENT.items()}


def scores() -> Floats:
    """Return the 450 scores, in no order of models."""
    return np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], SCORE_COUNTS)


def score_squares() -> tuple[float, float]:
    """Return the sums of squares between and within models. Both follow from the means and the pooled counts."""
    every = scores()
    total = float(((every - every.mean()) ** 2).sum())
    means = np.array([round(mean * PER_MODEL) / PER_MODEL for _, mean in MODELS.values()])
    between = PER_MODEL * float(((means - every.mean()) ** 2).sum())
    return between, total - between


def model_f() -> tuple[float, float]:
    """Return F of models from successes and from scores."""
    values = np.concatenate([successes(passed, PER_MODEL) for passed, _ in MODELS.values()])
    f = one_way_anova(values, np.repeat(list(MODELS), PER_MODEL)).terms["group"].f
    between, within = score_squares()
    assert f is not None
    return f, (between / 5) / (within / 444)


def domain_f() -> tuple[float, float]:
    """Return F of domains from successes, and the largest F that any assignment of the scores to domains gives."""
    counts = domain_counts()
    size = QUESTIONS * len(MODELS)
    values = np.concatenate([successes(passed, size) for passed in counts.values()])
    f = one_way_anova(values, np.repeat(list(counts), size)).terms["group"].f
    assert f is not None
    every = scores()
    total = float(((every - every.mean()) ** 2).sum())
    passed, failed = np.array(list(counts.values())), size - np.array(list(counts.values()))
    # A sum of squares is convex, so it is largest at a corner: each kind of score fills domains one after the other.
    between = 0.0
    for fours, twos, threes in product(corners(14, passed), corners(60, failed), corners(3, failed)):
        means = (5 * passed - fours + failed + twos + 2 * threes) / size
        between = max(between, size * float(((means - every.mean()) ** 2).sum()))
    return f, (between / 4) / ((total - between) / 445)


def corners(amount: int, room: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return every way to fill domains one after the other until the amount is spent."""
    found = set()
    for order in permutations(range(len(room))):
        left, filled = amount, [0] * len(room)
        for place in order:
            filled[place] = min(left, int(room[place]))
            left -= filled[place]
        found.add(tuple(filled))
    return [np.array(each) for each in sorted(found)]


def effect_sizes() -> tuple[float, float, float]:
    """Return d of Sora-2 against Veo 3.0: from successes, and the least and the largest that the scores allow."""
    d = cohens_d(successes(51, PER_MODEL), successes(35, PER_MODEL)).value
    assert d is not None
    spreads = [
        sqrt((first + second) / (2 * PER_MODEL - 2))
        for (fours, threes, first), (more_fours, more_threes, second) in product(
            possible_scores(51, 289), possible_scores(35, 222)
        )
        if fours + more_fours <= SCORE_COUNTS[3] and threes + more_threes <= SCORE_COUNTS[2]
    ]
    difference = (289 - 222) / PER_MODEL
    return d, difference / max(spreads), difference / min(spreads)


def possible_scores(passed: int, points: int) -> list[tuple[int, int, float]]:
    """Return (fours, threes, sum of squared deviations) of all scores of a model with these successes and points."""
    failed, found = PER_MODEL - passed, []
    for fours, threes in product(range(min(passed, SCORE_COUNTS[3]) + 1), range(SCORE_COUNTS[2] + 1)):
        twos = points - (5 * passed - fours) - failed - 2 * threes
        if 0 <= twos <= min(failed - threes, SCORE_COUNTS[1]):
            squares = 25 * (passed - fours) + 16 * fours + 9 * threes + 4 * twos + (failed - threes - twos)
            found.append((fours, threes, squares - points**2 / PER_MODEL))
    return found


def paired_p_values() -> tuple[float, float]:
    """Return the smallest and the largest p-value of McNemar's test that Sora-2's and Veo 3.0's counts allow."""
    pairs = list(zip(BY_DOMAIN["Sora-2"], BY_DOMAIN["Veo 3.0"], strict=True))
    found = []
    for only_first in (sum(max(a - b, 0) for a, b in pairs), sum(min(a, QUESTIONS - b) for a, b in pairs)):
        p = mcnemar_exact(only_first, only_first - 16).p_value
        assert p is not None
        found.append(p)
    return found[0], found[1]


def significance_lines() -> list[Line]:
    """Return tests and effect sizes."""
    f_success, f_score = model_f()
    domain_success, domain_most = domain_f()
    d_success, d_least, d_most = effect_sizes()
    smallest_p, largest_p = paired_p_values()
    counts = domain_counts()
    values = np.concatenate([successes(passed, 90) for passed in counts.values()])
    tukey = tukey_hsd(values, np.repeat(list(counts), 90)).pairs
    unclear = {f"{a} and {b}": pair.p_value for (a, b), pair in tukey.items() if pair.p_value > 0.001}
    listed = ", ".join(f"{pair} p = {p:.2g}" for pair, p in sorted(unclear.items(), key=lambda item: -item[1]))
    return [
        Line(
            "F of models, (5, 444)",
            "87.23",
            f"{f_success:.2f} from successes, {f_score:.2f} from scores",
            "does not follow; p < .001 does",
        ),
        Line(
            "F of domains, (4, 445)",
            "52.14",
            f"{domain_success:.2f} from successes; from scores at most {domain_most:.2f}",
            "does not follow; p < .001 does" if domain_most < 52.135 else "cannot be checked; p < .001 follows",
        ),
        Line(
            "degrees of freedom of the interaction",
            "(20, 429)",
            "(20, 420): 450 scores less 30 combinations",
            "does not follow",
        ),
        Line("F of the interaction", "3.47", "successes by domain are published for two models", "cannot be checked"),
        Line(
            "Cohen's d, Sora-2 against Veo 3.0",
            "1.47",
            f"{d_success:.2f} from successes; {d_least:.2f} to {d_most:.2f} from scores with these means and counts",
            "does not follow",
        ),
        Line(
            "Sora-2 against Veo 3.0, paired",
            "p < .001",
            f"p between {smallest_p:.2g} and {largest_p:.2g} (McNemar), by which questions both solved",
            "cannot be checked",
        ),
        Line(
            "sudoku > raven > maze > chess > rotation, Tukey",
            "p < .001",
            f"from successes, above .001: {listed}",
            "does not follow",
        ),
    ]


def interval_lines() -> list[Line]:
    """Return the two published intervals of 51 of 75."""
    low, high = wilson(51, PER_MODEL)
    boot_low, boot_high = bootstrap_ci(successes(51, PER_MODEL))
    error = sqrt(0.68 * 0.32 / PER_MODEL)
    return [
        Line(
            "95% interval of 51 of 75",
            "±5.2%",
            f"{low:.1%} to {high:.1%} (Wilson); one standard error is {error:.1%}",
            "does not follow",
        ),
        Line(
            "bootstrap interval of 51 of 75",
            "63.8% to 72.2%",
            f"{boot_low:.1%} to {boot_high:.1%}",
            "does not follow",
        ),
    ]


def consistency_lines() -> list[Line]:
    """Return the consistency of the models whose counts by domain are known."""
    rates = {model: [count / QUESTIONS for count in counts] for model, counts in BY_DOMAIN.items()}
    found = consistency_of_rates(rates, {model: [QUESTIONS] * len(DOMAINS) for model in rates})
    lines = []
    for model, (mean, std, cv, spread) in CONSISTENCY.items():
        record = found[model]
        other = float(np.std(rates[model], ddof=1))
        std_value, cv_value, range_value = record.std_success or 0.0, record.cv or 0.0, record.domain_range or 0.0
        # .0267 is published as .026: cut off, not rounded.
        is_same = min(abs(std - std_value), abs(std - other)) < 0.001
        lines += [
            Line(
                f"{model}: mean_success",
                f"{mean:.3f}",
                f"{record.mean_success:.3f}",
                agreement(mean, record.mean_success, 3),
            ),
            Line(
                f"{model}: std_success",
                f"{std:.3f}",
                f"{std_value:.3f} (divisor 5), {other:.3f} (divisor 4)",
                "follows" if is_same else "does not follow",
            ),
            Line(f"{model}: cv", f"{cv:.3f}", f"{cv_value:.3f}", agreement(cv, cv_value, 3)),
            Line(f"{model}: domain_range", f"{spread:.3f}", f"{range_value:.3f}", agreement(spread, range_value, 3)),
        ]
    order = sorted(found, key=lambda model: found[model].std_success or 0.0)
    published = ["Luma Ray-2", "Sora-2", "Veo 3.0"]
    lines.append(
        Line(
            "order of consistency_rank",
            ", ".join(published),
            ", ".join(order),
            "follows" if order == published else "does not follow",
        )
    )
    return lines


def is_share(percent: float, n: int) -> bool:
    """Return whether some count of ``n`` rounds to the percentage at one decimal."""
    return any(abs(100 * count / n - percent) <= 0.05 + 1e-9 for count in range(n + 1))


def share_lines() -> list[Line]:
    """Return percentages of counts: some cannot be a share of the number of videos that is given."""
    lines = []
    for name, percent, n in [
        *((name, percent, 311) for name, percent in FAILURE_PERCENT.items()),
        *((name, percent, 139) for name, percent in TEMPORAL_PERCENT.items()),
    ]:
        near = sorted({int(percent * n / 100), int(percent * n / 100) + 1})
        nearest = ", ".join(f"{count} of {n} is {100 * count / n:.2f}%" for count in near)
        possible = is_share(percent, n)
        lines.append(Line(name, f"{percent}%", nearest, "possible" if possible else f"not a share of {n} videos"))
    return lines


SECTIONS = (
    ("Rates, domain means, score shares", "Intervals in brackets are Wilson's, 95%.", rate_lines),
    (
        "Tests and effect sizes",
        "Scores by model follow from the mean scores and the pooled score counts as far as F needs them: the sum of "
        "squares between models comes from the means, and the rest of the total is within models.",
        significance_lines,
    ),
    ("Intervals", "", interval_lines),
    (
        "Consistency",
        "`std_success` uses the number of domains as divisor, as Luma's published value does.",
        consistency_lines,
    ),
    (
        "Percentages of a number of videos",
        "The failure classes are given for 311 failed videos and the temporal metrics for 139 successful ones. Those "
        "that no count gives may be means of a measurement; as shares of videos they do not follow.",
        share_lines,
    ),
)


def build_page() -> str:
    """Return the page."""
    parts = [
        "# Published figures",
        "The VMEvalKit paper, whose tasks and names this package implements, reports six models on 75 questions (15 in "
        "each of five domains); a success is a score of 4 or 5. This page recomputes each figure from the published "
        "counts. `python tools/published_figures.py` writes it, and a test compares it with what the code computes.",
    ]
    for title, text, make in SECTIONS:
        rows = "\n".join(f"| {line.what} | {line.published} | {line.computed} | {line.verdict} |" for line in make())
        table = f"| figure | published | from the counts | verdict |\n|---|---|---|---|\n{rows}"
        parts += [f"## {title}", *([text] if text else []), table]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(build_page(), "utf-8")
