"""Items: one value for each model and question. Every hypothesis test is made from items and from nothing else.

Several samples of a model on a question, and several people who label one video, are not independent. A test that
counted each of them would find differences where there are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vmevalkit.results.selection import SCORED
from vmevalkit.stats.adjustment import question_values
from vmevalkit.stats.anova import kruskal_wallis
from vmevalkit.stats.records import HypothesisTest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Items:
    """Columns of items: each pair of model and question occurs once."""

    model: NDArray[Any]
    domain: NDArray[Any]
    question: NDArray[Any]
    value: NDArray[np.float64]
    """Mean value from 1 to 5 over the samples."""
    success: NDArray[np.float64]
    """Share of the samples that succeed."""


@dataclass(frozen=True, slots=True)
class DomainItems:
    """One value for each question over all models: what domains are compared by, since models share questions."""

    domain: NDArray[Any]
    value: NDArray[np.float64]
    """Mean value, adjusted for which models answered the question."""


def make_items(videos: pd.DataFrame) -> Items:
    """Return the items of the scored videos among rows of ``select_scorer``."""
    scored = videos[videos["state"] == SCORED]
    means = (
        scored.astype({"model": str, "domain": str})
        .groupby(["model", "domain", "item"], sort=True)[["value", "success"]]
        .mean()
        .reset_index()
    )
    return Items(
        means["model"].to_numpy(str),
        means["domain"].to_numpy(str),
        means["item"].to_numpy(),
        means["value"].to_numpy(float),
        means["success"].to_numpy(float).clip(0.0, 1.0),
    )


def make_domain_items(items: Items) -> DomainItems:
    """Return one value for each question."""
    found = question_values(items.value, items.model, items.question)
    domain_of = dict(zip(items.question.tolist(), items.domain.tolist(), strict=True))
    return DomainItems(np.array([domain_of[question] for question in found.questions], dtype=str), found.values)


def compare_domains(items: Items) -> HypothesisTest:
    """Return the rank test of whether domains differ, over questions."""
    found = make_domain_items(items)
    return kruskal_wallis(found.value, found.domain)
