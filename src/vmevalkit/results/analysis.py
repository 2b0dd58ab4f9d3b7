"""The specification's analysis of an experiment: every statistic of one scorer's scores, as records.

What a statistic cannot say about these scores is a sentence in its ``reason``; nothing is raised for few models, one
domain, or scores that are all equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from vmevalkit.core.errors import StoreError
from vmevalkit.results.comparison import find_pooled
from vmevalkit.results.items import Items, make_domain_items, make_items
from vmevalkit.results.selection import (
    SCORED,
    LeftOut,
    count_left_out,
    leave_out_baselines,
    list_names,
    require_name,
    select_scorer,
)
from vmevalkit.stats.anova import (
    Anova,
    Friedman,
    Tukey,
    friedman,
    kruskal_wallis,
    one_way_anova,
    repeated_measures_anova,
    tukey_hsd,
    two_way_anova,
)
from vmevalkit.stats.breakdown import ParameterTrend, success_by_level, success_by_parameter, success_by_tag
from vmevalkit.stats.complexity import DemandRanking, DomainComplexity, demand_ranking
from vmevalkit.stats.consistency import Consistency, model_consistency
from vmevalkit.stats.distribution import ScoreDistribution, score_distribution
from vmevalkit.stats.effect import CohensD, cliffs_delta, cohens_d
from vmevalkit.stats.failures import FailureProfile, failure_profile, failure_profiles
from vmevalkit.stats.forest import Forest, success_forest
from vmevalkit.stats.logistic import ConditionalLogit, conditional_logit
from vmevalkit.stats.mixed import MixedModel, mixed_model
from vmevalkit.stats.multiplicity import HolmFamily, holm
from vmevalkit.stats.rasch import Rasch, rasch
from vmevalkit.stats.records import Estimate, HypothesisTest, MissingPackage
from vmevalkit.stats.temporal import TEMPORAL_METRICS, TemporalShare, temporal_shares

if TYPE_CHECKING:
    import pandas as pd

ALL_MODELS = "all models"
DOMAINS_SHARE = "models share questions, so domains are tested with one value a question"
_ELEMENTS = ("num_objects", "num_voxels", "num_squares", "num_given")
"""Params of puzzles that count what is visible."""


@dataclass(frozen=True, slots=True)
class EffectSize:
    """How far two models are apart."""

    cohens_d: CohensD
    """Difference of mean values over the pooled standard deviation."""
    cliffs_delta: Estimate
    """Chance that the first has the larger value, less the chance that it has the smaller one."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """Every statistic of one scorer's scores."""

    scorer: str
    """The scorer."""
    models: tuple[str, ...]
    """The models that are analysed, in natural order."""
    domains: tuple[str, ...]
    """The domains, in natural order."""
    questions: int
    """Number of questions with a score."""
    videos: int
    """Number of scored videos."""
    left_out: LeftOut
    """Videos without a score that counts."""
    pooled: Mapping[str, tuple[str, ...]]
    """Models with scores in several experiments, which are pooled, and these experiments."""
    baselines_left_out: tuple[str, ...]
    """Embedded baselines that are not part of the analysis."""
    rates: Mapping[str, Estimate]
    """Success rate of each model."""
    distribution: Mapping[str, ScoreDistribution]
    """Scores from 1 to 5 of each model, and of all."""
    consistency: Mapping[str, Consistency]
    """Spread of each model's success rates over domains."""
    failures: Mapping[str, FailureProfile]
    """Failure classes of each model, and of all; empty where the scorer names no failure modes."""
    tags: Mapping[str, Mapping[str, Estimate]]
    """Success rate by tag, of all models and of each."""
    anova_models: Anova
    """One-way analysis of variance of items by model. Like all tests of models that are not paired it ignores that
    models share questions, and is conservative."""
    anova_domains: Anova
    """The same by domain, with one value a question."""
    anova_two_way: Anova
    """Model, domain and their interaction over items; domains are not tested here, since models share questions."""
    tukey_models: Tukey
    """All pairs of models, not paired."""
    tukey_domains: Tukey
    """All pairs of domains, with one value a question."""
    kruskal_models: HypothesisTest
    """Rank test by model, not paired."""
    kruskal_domains: HypothesisTest
    """Rank test by domain, with one value a question."""
    friedman: Friedman
    """Rank test of models on their common questions."""
    repeated_measures: HypothesisTest
    """F test of models with question effects on their common questions."""
    effects: Mapping[tuple[str, str], EffectSize]
    """Effect size of each pair of models."""
    mixed: MixedModel
    """``value ~ model * domain + (1 | question)``."""
    logit: ConditionalLogit
    """Success of models with question effects."""
    logit_family: HolmFamily | None
    """Its odds, corrected together; None where there is no fit."""
    forest: Forest
    """Random forest of success on the specification's four features."""
    demand: DemandRanking
    """Domains by demand, beside the complexity that their tasks state."""
    parameters: Mapping[str, Mapping[str, ParameterTrend]]
    """Success against each numeric parameter of the puzzles, by domain."""
    rasch: Rasch
    """Difficulty of each question."""
    temporal: Mapping[str, TemporalShare]
    """The six temporal metrics over successful videos; empty where the scorer does not measure them."""


def analyze(
    frame: pd.DataFrame,
    scorer: str,
    *,
    complexity: Mapping[str, DomainComplexity] | None = None,
    include_baselines: bool = False,
    trees: int = 1000,
) -> Analysis:
    """Return the analysis of one scorer's scores in a tidy table.

    The embedded baselines are left out where other models have scores, unless ``include_baselines`` is set.
    ``complexity`` is what the tasks state about their domains. Raises StoreError where no video has a score.
    """
    require_name(frame, "scorer", scorer)
    videos = select_scorer(frame, scorer)
    baselines: list[str] = []
    if not include_baselines:
        others, left_out = leave_out_baselines(videos)
        if (others["state"] == SCORED).any():  # else all that there is to analyse are baselines
            videos, baselines = others, left_out
    scored = videos[videos["state"] == SCORED]
    if not len(scored):
        raise StoreError(f"no video has a score of {scorer} that counts, so there is nothing to analyse; score first")
    data, items = _Scores.take(scored), make_items(scored)
    by_domain = make_domain_items(items)
    models = tuple(list_names(scored, "model"))
    logit = conditional_logit(items.success, items.model, items.question)
    return Analysis(
        scorer=scorer,
        models=models,
        domains=tuple(list_names(scored, "domain")),
        questions=int(scored["item"].nunique()),
        videos=len(scored),
        left_out=count_left_out(videos),
        pooled=find_pooled(videos),
        baselines_left_out=tuple(baselines),
        rates=success_by_level(data.success, data.model, data.item),
        distribution=_distribute(data, models),
        consistency=model_consistency(data.success, data.model, data.domain, data.item),
        failures=_profile_failures(scored),
        tags=_rate_tags(data, scored, models),
        anova_models=one_way_anova(items.value, items.model, "model"),
        anova_domains=one_way_anova(by_domain.value, by_domain.domain, "domain"),
        anova_two_way=compare_two_way(items),
        tukey_models=tukey_hsd(items.value, items.model),
        tukey_domains=tukey_hsd(by_domain.value, by_domain.domain),
        kruskal_models=kruskal_wallis(items.value, items.model),
        kruskal_domains=kruskal_wallis(by_domain.value, by_domain.domain),
        friedman=friedman(items.value, items.model, items.question),
        repeated_measures=repeated_measures_anova(items.value, items.model, items.question),
        effects=_measure_effects(items, models),
        mixed=mixed_model(items.value, items.model, items.domain, items.question),
        logit=logit,
        logit_family=correct_odds(logit),
        forest=_grow_forest(data, scored, trees),
        demand=demand_ranking(items.success, items.domain, items.question, complexity),
        parameters=_find_trends(scored),
        rasch=rasch(items.success, items.model, items.question),
        temporal=_share_temporal(scored[scored["success"] > 0.5]),
    )


@dataclass(frozen=True, slots=True)
class _Scores:
    """Columns of the scored videos, for rates and descriptions; tests take items."""

    value: Any
    success: Any
    model: Any
    domain: Any
    item: Any

    @classmethod
    def take(cls, scored: pd.DataFrame) -> _Scores:
        return cls(
            scored["value"].to_numpy(float),
            scored["success"].to_numpy(float),
            scored["model"].to_numpy(str),
            scored["domain"].to_numpy(str),
            scored["item"].to_numpy(),
        )


def _distribute(data: _Scores, models: Sequence[str]) -> dict[str, ScoreDistribution]:
    whole = np.ceil(data.value - 0.5)  # the mean of several people, to the nearest value; a half goes down
    own = {name: score_distribution(whole[data.model == name]) for name in models}
    return {ALL_MODELS: score_distribution(whole), **own}


def compare_two_way(items: Items) -> Anova:
    """Return the two-way analysis without a test of domains, which would count each question once for every model."""
    found = two_way_anova(items.value, items.model, items.domain)
    if "domain" not in found.terms:
        return found
    untested = replace(found.terms["domain"], f=None, p_value=None, partial_eta_squared=None, reason=DOMAINS_SHARE)
    return replace(found, terms={**found.terms, "domain": untested})


def correct_odds(logit: ConditionalLogit) -> HolmFamily | None:
    return None if logit.reason else holm({str(name): odds.p_value for name, odds in logit.odds.items()})


def _profile_failures(scored: pd.DataFrame) -> dict[str, FailureProfile]:
    known = scored[scored["failure_mode"].notna()]
    if not len(known):
        return {}
    modes = known["failure_mode"].tolist()
    return {ALL_MODELS: failure_profile(modes), **failure_profiles(modes, known["model"].tolist())}


def _rate_tags(data: _Scores, scored: pd.DataFrame, models: Sequence[str]) -> dict[str, dict[str, Estimate]]:
    tags = [list(own) for own in scored["tags"]]
    if not any(tags):
        return {}
    found = {ALL_MODELS: success_by_tag(data.success, tags, data.item)}
    for name in models:
        own = data.model == name
        found[name] = success_by_tag(
            data.success[own], [tag for tag, mine in zip(tags, own, strict=True) if mine], data.item[own]
        )
    return found


def _measure_effects(data: Items, models: Sequence[str]) -> dict[tuple[str, str], EffectSize]:
    values = {name: data.value[data.model == name] for name in models}
    return {
        (first, second): EffectSize(
            cohens_d(values[first], values[second]), cliffs_delta(values[first], values[second])
        )
        for first, second in combinations(models, 2)
    }


def _grow_forest(data: _Scores, scored: pd.DataFrame, trees: int) -> Forest:
    features = {
        "model_family": scored["family"].fillna(scored["model"]).to_numpy(str),
        "domain_type": data.domain,
        "task_complexity": scored["difficulty"].fillna("unknown").to_numpy(str),
        "visual_elements": [count_visual_elements(params) for params in scored["params"]],
    }
    try:
        return success_forest(features, (data.success > 0.5).astype(float), data.item, trees=trees)
    except MissingPackage as error:
        return Forest({}, None, None, None, len(data.value), int(scored["item"].nunique()), trees, str(error))


def count_visual_elements(params: Mapping[str, Any] | None) -> float:
    """Return how many things a puzzle shows, from its params: objects, voxels, squares, given digits, or cells of a
    grid; 0 where the params do not say."""
    own = params or {}
    for name in _ELEMENTS:
        if isinstance(own.get(name), int | float):
            return float(own[name])
    side = own.get("grid_n")
    return float(side) ** 2 if isinstance(side, int | float) else 0.0


def _find_trends(scored: pd.DataFrame) -> dict[str, dict[str, ParameterTrend]]:
    """Return success against each parameter that is a number and differs between the questions of a domain."""
    found: dict[str, dict[str, ParameterTrend]] = {}
    for domain in list_names(scored, "domain"):
        own = scored[scored["domain"] == domain]
        cells = [params or {} for params in own["params"]]
        names = sorted({name for cell in cells for name, value in cell.items() if _is_number(value)})
        for name in names:
            has = [_is_number(cell.get(name)) for cell in cells]
            numbers = [float(cell[name]) for cell, known in zip(cells, has, strict=True) if known]
            if len(set(numbers)) < 2:
                continue
            rows = own[has]
            found.setdefault(domain, {})[name] = success_by_parameter(
                rows["success"].to_numpy(float), numbers, rows["item"].to_numpy()
            )
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _share_temporal(successful: pd.DataFrame) -> dict[str, TemporalShare]:
    measured = successful[[TEMPORAL_METRICS[0] in (cell or {}) for cell in successful["metrics"]]]
    if not len(measured):
        return {}
    values = {name: [float(cell[name]) for cell in measured["metrics"]] for name in TEMPORAL_METRICS}
    return temporal_shares(values, measured["item"].to_numpy())
