"""Checked arrays: values that are numbers, labels as codes, means by question."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Labels = Sequence[Hashable] | NDArray[Any]


def check_confidence(confidence: float, name: str = "confidence") -> float:
    """Return the confidence, or raise where it is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"{name} must be between 0 and 1, not {confidence}")
    return float(confidence)


def as_floats(values: ArrayLike, name: str = "values") -> Floats:
    """Return the values as a vector of finite numbers."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    if not np.isfinite(array).all():
        place = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{place}] is {array[place]}: leave unscored samples out before calling")
    return array


def as_successes(values: ArrayLike, name: str = "successes") -> Floats:
    """Return the values as a vector of 0 and 1."""
    array = as_floats(values, name)
    wrong = np.flatnonzero((array != 0) & (array != 1))
    if wrong.size:
        raise ValueError(f"{name}[{wrong[0]}] is {array[wrong[0]]:g}, not 0 or 1")
    return array


def as_shares(values: ArrayLike, name: str = "successes") -> Floats:
    """Return the values as a vector of shares between 0 and 1, such as the share of people who call a video solved."""
    array = as_floats(values, name)
    wrong = np.flatnonzero((array < 0) | (array > 1))
    if wrong.size:
        raise ValueError(f"{name}[{wrong[0]}] is {array[wrong[0]]:g}, not between 0 and 1")
    return array


def check_same_length(first: Sequence[Any] | NDArray[Any], second: Sequence[Any] | NDArray[Any], names: str) -> None:
    """Raise where two sequences differ in length."""
    if len(first) != len(second):
        raise ValueError(f"{names} must have the same length, not {len(first)} and {len(second)}")


@dataclass(frozen=True, slots=True)
class Coded:
    """Labels as integer codes into their sorted levels."""

    levels: tuple[Any, ...]
    """Distinct labels, sorted."""
    codes: Integers
    """Index into ``levels`` for each entry."""

    @property
    def counts(self) -> Integers:
        """Number of entries of each level."""
        return np.bincount(self.codes, minlength=len(self.levels)).astype(np.int64)


def encode(labels: Labels) -> Coded:
    """Return the labels as codes. Labels of one call must be comparable with each other."""
    array = np.asarray(labels)
    if array.ndim != 1:  # tuples become rows of a matrix
        array = np.empty(len(labels), dtype=object)
        array[:] = list(labels)
    try:
        levels, codes = np.unique(array, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"labels of several types cannot be sorted: {error}") from error
    return Coded(tuple(levels.tolist()), codes.astype(np.int64).reshape(-1))


@dataclass(frozen=True, slots=True)
class ItemMeans:
    """Mean value of each question."""

    questions: tuple[Any, ...]
    """Question labels, sorted."""
    means: Floats
    """Mean over the samples of each question."""
    counts: Integers
    """Number of samples of each question."""


def item_means(values: ArrayLike, questions: Labels) -> ItemMeans:
    """Return the mean value of each question."""
    array = as_floats(values)
    check_same_length(array, questions, "values and questions")
    coded = encode(questions)
    counts = coded.counts
    sums = np.bincount(coded.codes, weights=array, minlength=len(coded.levels))
    return ItemMeans(coded.levels, sums / np.maximum(counts, 1), counts)
