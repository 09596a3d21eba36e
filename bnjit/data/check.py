"""Checks of names, rows and values: an error names the column, what was seen and what to do."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit.data.schema import Schema, listing
from bnjit.errors import ArgumentError, ColumnError, DataError, warn

MIN_ROWS = 2  # to learn from
NOT_SUPPORTED = 'missing="em", "available" or "drop" says what to do with them'


def check_names(names: list[Hashable]) -> None:
    """Raise for names that columns cannot have."""
    if not names:
        raise DataError("data has no columns")
    for name in names:
        if not isinstance(name, Hashable) or name is None or str(name) == "nan":
            raise ColumnError(f"a column is named {name!r}; names are strings or numbers")
    repeated = sorted(str(name) for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise ColumnError(f"duplicate column names: {listing(repeated)}; rename them")


def check_no_names(names: Sequence[Hashable] | None) -> None:
    """Raise for names that are given beside those of a table."""
    if names is not None:
        raise ArgumentError("names is for a plain NumPy array; other tables bring their column names")


def declared_names(discrete: Iterable[Hashable], names: list[Hashable]) -> set[Hashable]:
    """Columns that `discrete` names, which must be there."""
    if isinstance(discrete, str):
        discrete = (discrete,)
    if not isinstance(discrete, Iterable):
        raise ArgumentError(f"discrete={discrete!r} must be a list of column names")
    discrete = list(discrete)
    unknown = [name for name in discrete if name not in names]
    if unknown:
        raise ArgumentError(f"discrete names the column {unknown[0]!r}; the columns are {listing(names)}")
    return {name for name in names if name in discrete}


def check_rows(schema: Schema) -> None:
    """Raise where there are too few rows to learn from."""
    if schema.n < MIN_ROWS:
        raise DataError(f"data has {schema.n} row{'s' if schema.n != 1 else ''}; at least {MIN_ROWS} are needed")


def warn_of_single_levels(schema: Schema) -> None:
    """Warn of discrete columns that are constant."""
    single = [name for name, levels in zip(schema.names, schema.levels, strict=True) if levels == 1]
    if single:
        warn_of_constants(single, "discrete")


def warn_of_constants(names: Sequence[Hashable], kind: str) -> None:
    """Warn of columns of some kind that have one value each."""
    warn(
        f"{kind} column{'s' if len(names) > 1 else ''} with one {'level' if kind == 'discrete' else 'value'}: "
        f"{listing(names)}; nothing can depend on a constant: it stays without arcs and adds 0 to the score"
    )


def reject_missing(name: Hashable, missing: NDArray[np.bool_], what: str = "missing") -> None:
    """Raise for missing values, given where they are, with their number and the first row."""
    if missing.any():
        raise ColumnError(_unusable_values(name, what, missing, NOT_SUPPORTED))


def reject_not_finite(name: Hashable, values: NDArray[Any]) -> None:
    """Raise for NaN or infinite values, with their number and the first row."""
    reject_missing(name, np.isnan(values), "missing (NaN)")
    infinite = np.isinf(values)
    if infinite.any():
        remedy = "they cannot be modelled: drop those rows or impute the values"
        raise ColumnError(_unusable_values(name, "infinite", infinite, remedy))


def _unusable_values(name: Hashable, what: str, where: NDArray[np.bool_], remedy: str) -> str:
    count = int(where.sum())
    return (
        f"column {name!r} has {count:,} {what} value{'s' if count != 1 else ''}, the first in row "
        f"{int(np.argmax(where))} (counting from 0); {remedy}"
    )


LEAST_DEVIATION = 1e-12  # of a column, relative to its mean: with less, rounding is all that there is


def is_constant(name: Hashable, values: NDArray[Any], mean: float, variance: float) -> bool:
    """Whether a continuous column is constant, up to rounding; an error if its values cannot be modelled.

    A value that is not finite shows in the mean and the variance, so that only a doubtful column is read again.
    """
    if not (np.isfinite(mean) and np.isfinite(variance)):
        reject_not_finite(name, values)
        raise ColumnError(f"column {name!r} has values up to {np.abs(values).max():g}, too large to square: rescale it")
    return float(np.sqrt(max(variance, 0.0))) <= LEAST_DEVIATION * abs(mean)
