"""One value a question, whichever models answered it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import Floats, Labels, as_floats, check_same_length, encode


@dataclass(frozen=True, slots=True)
class QuestionValues:
    """The value of each question over all models."""

    questions: tuple[Any, ...]
    """Question labels, sorted."""
    values: Floats
    """Mean of the models' values; where models answered different questions, adjusted for which of them did."""


def question_values(values: ArrayLike, models: Labels, questions: Labels) -> QuestionValues:
    """Return one value for each question: the mean over models.

    Questions are the units in which domains differ, and models share them, so domains are compared by these values.
    Where a question lacks models, its mean is adjusted by the models' effects in the additive model
    ``value ~ model + question``; with all models on all questions nothing is adjusted.
    """
    y = as_floats(values)
    check_same_length(y, models, "values and models")
    check_same_length(y, questions, "values and questions")
    model, question = encode(models), encode(questions)
    if not len(y):
        return QuestionValues((), y)

    def center(columns: Floats) -> Floats:
        """Return columns less their mean over each question."""
        sums = np.zeros((len(question.levels), columns.shape[1]))
        np.add.at(sums, question.codes, columns)
        centered: Floats = columns - (sums / question.counts[:, None])[question.codes]
        return centered

    effects = np.linalg.lstsq(center(np.eye(len(model.levels))[model.codes]), center(y[:, None])[:, 0], rcond=None)[0]
    effects -= effects.mean()
    sums = np.bincount(question.codes, weights=y - effects[model.codes], minlength=len(question.levels))
    return QuestionValues(question.levels, sums / question.counts)
