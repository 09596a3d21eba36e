"""A covariance matrix and means that a user gives in place of rows: checked, and made into Cells of the empty set."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnjit._jit import Floats
from bnjit.data.check import LEAST_DEVIATION, MIN_ROWS, check_names, warn_of_constants
from bnjit.data.schema import listing
from bnjit.errors import ArgumentError, StatisticsError, as_count
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import Cells

ROUNDING = 1e-8  # by which correlations may be unequal, and their least eigenvalue below zero


class GivenMoments(NamedTuple):
    """Names of the columns, and the cell with all rows."""

    names: list[Hashable]
    whole: Cells


def given_moments(
    covariance: Any, means: Any, n: Any, names: Sequence[Hashable] | None, denominator: Any = None
) -> GivenMoments:
    """Check moments of n rows; see `Statistics.from_moments`."""
    n = as_count("n", n, least=MIN_ROWS)
    matrix, own = _matrix(covariance)
    if names is not None and own is not None and list(names) != own:
        raise ArgumentError(
            f"names={list(names)!r} are not those of the covariance, {listing(own)}; leave names out, or give an array"
        )
    names = own if names is None else list(names)
    c = len(matrix)
    names = [f"X{j + 1}" for j in range(c)] if names is None else names
    if len(names) != c:
        raise ArgumentError(f"names has {len(names)} entries, covariance has {c} columns; give one for each")
    check_names(names)
    _check_finite("covariance", matrix, names)
    _check_covariance(matrix, names)
    rows = n - 1 if denominator is None else as_count("denominator", denominator, least=1)
    if rows not in (n - 1, n):
        raise ArgumentError(f"denominator={rows} must be n - 1 = {n - 1} or n = {n}")
    centre = _means(means, names)
    constant = [names[j] for j in range(c) if np.sqrt(matrix[j, j]) <= LEAST_DEVIATION * abs(centre[j])]
    if constant:
        warn_of_constants(constant, "continuous")
    crosses = ((matrix + matrix.T) / 2.0)[np.tril_indices(c)] * rows
    moments = Moments(np.array([n]), centre[None], np.zeros((1, c)), crosses[None])
    return GivenMoments(names, Cells((), (), tuple(range(c)), np.zeros(1, np.int64), moments))


def _matrix(covariance: Any) -> tuple[Floats, list[Hashable] | None]:
    """A square matrix, and the names of a DataFrame's columns."""
    own: list[Hashable] | None = None
    if hasattr(covariance, "columns") and hasattr(covariance, "index"):
        own = list(covariance.columns)
        rows = list(covariance.index)
        if rows != own and rows != list(range(len(own))):
            raise ArgumentError(
                f"covariance has the columns {listing(own)} and the rows {listing(rows)}; give both the same names"
            )
    try:
        matrix = np.array(covariance, np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"covariance={type(covariance).__name__} must be a matrix of numbers: {error}") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise ArgumentError(f"covariance has the shape {matrix.shape}; it must be square, a row for each column")
    return matrix, own


def _means(means: Any, names: list[Hashable]) -> Floats:
    """Means in the order of the names; 0 where none are given."""
    if means is None:
        return np.zeros(len(names))
    keys = list(means.keys()) if hasattr(means, "keys") else names  # a Series, or a dict
    if set(keys) != set(names):
        odd = sorted(map(str, set(keys) ^ set(names)))
        raise ArgumentError(f"means and covariance have different names: {odd[0]!r} is only in one of them")
    try:
        centre = np.array([means[name] for name in names] if hasattr(means, "keys") else means, np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"means={type(means).__name__} must be numbers: {error}") from None
    if centre.shape != (len(names),):
        raise ArgumentError(f"means has the shape {centre.shape}; give one for each of the {len(names)} columns")
    _check_finite("means", centre, names)
    return centre


def _check_finite(what: str, values: Floats, names: list[Hashable]) -> None:
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        where = " and ".join(repr(names[j]) for j in dict.fromkeys(wrong[0].tolist()))
        raise ArgumentError(f"{what} of {where} is {values[tuple(wrong[0])]}; give finite numbers")


def _check_covariance(matrix: Floats, names: list[Hashable]) -> None:
    """Raise unless a matrix is symmetric and positive semi-definite, up to rounding, in units of each column."""
    variances = np.diag(matrix)
    if variances.min() < 0.0:
        j = int(np.argmin(variances))
        raise ArgumentError(f"covariance has the variance {variances[j]:g} of {names[j]!r}; variances are not negative")
    deviations = np.sqrt(variances)
    apart = np.abs(matrix - matrix.T) > ROUNDING * np.outer(deviations, deviations)
    if apart.any():
        i, j = np.argwhere(apart)[0].tolist()
        raise ArgumentError(
            f"covariance of {names[i]!r} and {names[j]!r} is {matrix[i, j]:g}, and {matrix[j, i]:g} the other way "
            "round; it must be symmetric"
        )
    varies = np.flatnonzero(deviations > 0.0)
    constant = np.flatnonzero(deviations == 0.0)
    if len(constant) and np.abs(matrix[constant]).max() > 0.0:
        j = int(constant[np.argmax(np.abs(matrix[constant]).max(axis=1))])
        raise ArgumentError(f"covariance of {names[j]!r} with others is not 0, but its variance is; it is not possible")
    if len(varies):
        own = deviations[varies]
        symmetric = (matrix + matrix.T)[np.ix_(varies, varies)] / 2.0
        least = float(np.linalg.eigvalsh(symmetric / own / own[:, None])[0])
        if least < -ROUNDING * len(varies):
            raise StatisticsError(
                f"covariance is not positive semi-definite: its correlations have the eigenvalue {least:g}, so that no "
                "rows have it; covariances of pairs of columns over different rows are a common cause: take the rows "
                "that have all columns"
            )
