"""Two models on the questions that both have scores for: overall, and in each domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.results.items import make_items
from vmevalkit.results.selection import SCORED, LeftOut, count_left_out, list_names, require_name, select_scorer
from vmevalkit.results.words import join_names
from vmevalkit.stats.comparison import PairedComparison, compare_paired, mcnemar_exact
from vmevalkit.stats.multiplicity import HolmFamily, holm
from vmevalkit.stats.records import HypothesisTest

if TYPE_CHECKING:
    import pandas as pd

BOOTSTRAP = 10_000
"""Number of bootstrap resamples."""
SIGN_TEST = "sign test, exact"


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Success of two models by one scorer, first minus second."""

    first: str
    """Name of the first model."""
    second: str
    """Name of the second model."""
    scorer: str
    """Name of the scorer's files."""
    experiments: tuple[str, ...]
    """The experiments that the scores are from."""
    pooled: Mapping[str, tuple[str, ...]]
    """Models with scores in several experiments, which are pooled, and these experiments."""
    overall: PairedComparison
    """All common questions."""
    domains: dict[str, PairedComparison]
    """The common questions of each domain; one that only one model has scores for is included."""
    family: HolmFamily | None
    """The tests of the domains, corrected together; None where there is one domain."""
    left_out_first: LeftOut
    """Videos of the first model without a score that counts."""
    left_out_second: LeftOut
    """Videos of the second model without a score that counts."""


def compare_models(
    frame: pd.DataFrame, first: str, second: str, *, margin: float | None = None, scorer: str | None = None
) -> list[ModelComparison]:
    """Return the comparison of two models, for each scorer separately.

    ``margin`` is the largest difference of success rates that does not matter, such as 0.1. It must be chosen before
    the scores are seen.
    """
    if first == second:
        raise UsageError(f"{first!r} is given twice; name two different models")
    if margin is not None and not 0 < margin < 1:
        raise UsageError(f"the margin is {margin:g}; it is a difference of success rates, above 0 and below 1")
    for name in (first, second):
        require_name(frame, "model", name)
    if scorer is not None:
        require_name(frame, "scorer", scorer)
    scorers = list_names(frame, "scorer") if scorer is None else [scorer]
    if not scorers:
        experiment = list_names(frame, "experiment")[0]
        raise StoreError(f"no video is scored; score first: vmevalkit score --experiment {experiment}")
    return [_compare(frame, first, second, margin, name) for name in scorers]


def choose_test(comparison: PairedComparison) -> HypothesisTest:
    """Return the test that decides: McNemar's for one video a question, else the paired t-test.

    Differences without any spread, which have no t-test, are compared by their signs."""
    mcnemar, t_test, value = comparison.mcnemar, comparison.t_test, comparison.difference.value
    if mcnemar.p_value is not None or not mcnemar.n:
        return mcnemar
    if t_test.p_value is None and value:
        return replace(mcnemar_exact(comparison.common, 0), name=SIGN_TEST)
    return t_test


def find_pooled(videos: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return the models with scored videos in several experiments, and these experiments."""
    scored = videos[videos["state"] == SCORED]
    found = {
        name: tuple(list_names(scored[scored["model"] == name], "experiment")) for name in list_names(scored, "model")
    }
    return {name: experiments for name, experiments in found.items() if len(experiments) > 1}


def describe_pooled(pooled: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return a sentence for each model whose experiments are pooled."""
    return [
        f"{name} has scores in {join_names([repr(each) for each in experiments])}, which are pooled: videos of one "
        "question count as samples of it, whatever the prompt and the settings were. Name one experiment to "
        "separate them."
        for name, experiments in pooled.items()
    ]


def _compare(frame: pd.DataFrame, first: str, second: str, margin: float | None, scorer: str) -> ModelComparison:
    import pandas as pd

    videos = select_scorer(frame, scorer)
    sides = [videos[videos["model"] == name] for name in (first, second)]
    domains = sorted({domain for side in sides for domain in list_names(side, "domain")})
    by_domain = {
        domain: _compare_sides([side[side["domain"] == domain] for side in sides], margin) for domain in domains
    }
    p_values = {domain: choose_test(each).p_value for domain, each in by_domain.items()}
    return ModelComparison(
        first,
        second,
        scorer,
        tuple(list_names(frame, "experiment")),
        find_pooled(pd.concat(sides)),
        _compare_sides(sides, margin),
        by_domain,
        holm(p_values) if len(domains) > 1 else None,
        count_left_out(sides[0]),
        count_left_out(sides[1]),
    )


def _compare_sides(sides: Sequence[pd.DataFrame], margin: float | None) -> PairedComparison:
    a, b = (make_items(side) for side in sides)
    return compare_paired(a.success, a.question, b.success, b.question, margin=margin, n_bootstrap=BOOTSTRAP)
