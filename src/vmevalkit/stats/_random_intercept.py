"""Restricted maximum likelihood of a linear model with one random intercept, from sums over groups.

With V = I + theta * Z Z' every group of size m contributes I - theta / (1 + theta * m) * 1 1' to the inverse of V. So
X'V^-1 X needs only X'X and, for each distinct group size, the sum of outer products of the group sums of X. These are
computed once; the one-dimensional search over theta then does not depend on the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, pi

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize_scalar

from vmevalkit.stats._arrays import Floats, Integers

LOG_THETA = (-16.0, 12.0)


@dataclass(frozen=True, slots=True)
class _Sums:
    """What the likelihood needs of the data. The outcome is the last column beside the design."""

    products: Floats
    """Products of the columns over all rows."""
    by_size: Floats
    """For each distinct group size, products of the columns' group sums."""
    sizes: Floats
    """Distinct group sizes."""
    groups: Floats
    """Number of groups of each size."""
    rows: int
    """Number of rows."""


@dataclass(frozen=True, slots=True)
class RandomIntercept:
    """A fitted model."""

    coefficients: Floats
    """Fixed effects, in the order of the design's columns."""
    covariance: Floats
    """Covariance of the fixed effects."""
    group_variance: float
    """Variance of the random intercepts."""
    residual_variance: float
    """Variance of the residuals."""
    log_likelihood: float
    """Restricted log-likelihood at the optimum."""


def fit_random_intercept(y: Floats, cells: Integers, design: Floats, groups: Integers) -> RandomIntercept:
    """Return the fit of ``y ~ design[cells] + (1 | groups)``; ``design`` has one line for each kind of row."""
    sums = _collect(y, cells, design, groups)
    low, high = LOG_THETA
    best = minimize_scalar(
        lambda t: -_profile(sums, exp(t))[0], bounds=(low, high), method="bounded", options={"xatol": 1e-10}
    )
    theta = exp(float(best.x))
    if _profile(sums, 0.0)[0] >= -float(best.fun):  # the likelihood is highest without any variance between groups
        theta = 0.0
    likelihood, beta, inverse, variance = _profile(sums, theta)
    return RandomIntercept(beta, inverse * variance, theta * variance, variance, likelihood)


def _collect(y: Floats, cells: Integers, design: Floats, groups: Integers) -> _Sums:
    n_cells, n_groups = len(design), int(groups.max()) + 1
    per_cell = np.bincount(cells, minlength=n_cells)
    y_per_cell = np.bincount(cells, weights=y, minlength=n_cells)
    cross = design.T @ y_per_cell
    products = np.block(
        [[(design.T * per_cell) @ design, cross[:, None]], [cross[None, :], np.array([[float(y @ y)]])]]
    )
    table = sparse.coo_matrix((np.ones(len(y)), (groups, cells)), shape=(n_groups, n_cells)).tocsr()
    sums = np.hstack([table @ design, np.bincount(groups, weights=y, minlength=n_groups)[:, None]])
    size_of_group = np.bincount(groups, minlength=n_groups)
    sizes, kind, counts = np.unique(size_of_group, return_inverse=True, return_counts=True)
    by_size = np.stack([sums[kind == k].T @ sums[kind == k] for k in range(len(sizes))])
    return _Sums(products, by_size, sizes.astype(float), counts.astype(float), len(y))


def _profile(sums: _Sums, theta: float) -> tuple[float, Floats, Floats, float]:
    """Return the restricted log-likelihood at theta, the coefficients, their inverse information and the variance."""
    weights = theta / (1 + theta * sums.sizes)
    weighted = sums.products - np.tensordot(weights, sums.by_size, axes=1)
    information, cross = weighted[:-1, :-1], weighted[:-1, -1]
    factor = cho_factor(information)
    beta = cho_solve(factor, cross)
    df = sums.rows - len(beta)
    variance = float(weighted[-1, -1] - cross @ beta) / df
    log_v = float((sums.groups * np.log1p(theta * sums.sizes)).sum())
    log_information = 2 * float(np.log(np.diag(factor[0])).sum())
    likelihood = -0.5 * (df * (1 + log(2 * pi * variance)) + log_v + log_information)
    return likelihood, beta, cho_solve(factor, np.eye(len(beta))), variance
