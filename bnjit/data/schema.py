"""Schema: names, kinds and levels of columns, without rows."""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnjit.errors import DataError

if TYPE_CHECKING:
    from bnjit.data.gaps import Gaps

Labels = tuple[Hashable, ...] | None


class Schema:
    """What columns are called and which levels they have, whether their rows are in memory or come in chunks.

    Attributes
    ----------
    names : tuple
        Column names, in column order.
    labels : tuple
        Levels of each discrete column, None for continuous ones.
    discrete : tuple of bool
        Whether each column is discrete.
    continuous : tuple of int
        Positions of the continuous columns.
    levels : tuple of int
        Declared levels of each discrete column, observed or not; 0 for continuous columns.
    n : int
        Rows.
    constants : bool
        Whether continuous columns may be constant, as they may be in a part of the rows.
    scale : float64[N], optional
        What values of continuous columns are multiplied by when they are read, powers of two; None for 1.
    factors : float64[N], optional
        What they should be multiplied by to be in units of their own, if that is known; see `stats/units.py`.
    gaps : Gaps, optional
        Which of the columns as they were given have gaps, where these are levels and indicators; see `gaps.py`.
    observed : tuple of int, optional
        Continuous columns of which each row has a value; None for all.
    """

    n: int
    constants = False
    scale: NDArray[np.float64] | None = None
    factors: NDArray[np.float64] | None = None
    gaps: "Gaps | None" = None
    observed: tuple[int, ...] | None = None

    def __init__(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        self.names, self.labels = tuple(names), tuple(labels)
        self.discrete = tuple(labels is not None for labels in self.labels)
        self.continuous = tuple(j for j, labels in enumerate(self.labels) if labels is None)
        self.levels = tuple(0 if labels is None else len(labels) for labels in self.labels)

    def __repr__(self) -> str:
        d = sum(self.discrete)
        kinds = f"{d} discrete and {len(self.names) - d} continuous columns"
        return f"{type(self).__name__}({self.n:,} rows, {kinds})"

    @property
    def nbytes(self) -> int:
        """Memory that the columns take, or would take."""
        raise NotImplementedError

    def configurations(self, variables: Iterable[int]) -> int:
        """Declared configurations of some discrete columns, observed or not."""
        return math.prod(self.levels[v] for v in variables)

    @property
    def as_given(self) -> "Schema":
        """The columns as they were given, before gaps became levels and indicators."""
        return self if self.gaps is None else self.gaps.schema

    def index(self, name: Hashable) -> int:
        """Position of a column."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DataError(f"there is no column {name!r}; the columns are {listing(self.names)}") from None


def aligned_labels(schema: Schema, other: Schema, what: str) -> list[Labels]:
    """Levels that two tables have together, in the order of the first one's columns.

    `what` names the second in messages; columns that it has beyond those of the first are left out.
    """
    together: list[Labels] = []
    for name, mine in zip(schema.names, schema.labels, strict=True):
        if name not in other.names:
            raise DataError(f"{what} lacks the column {name!r}; it needs every column of data")
        yours = other.labels[other.index(name)]
        if (mine is None) != (yours is None):
            kinds = ("continuous", "discrete")
            raise DataError(
                f"column {name!r} is {kinds[mine is not None]} in data and {kinds[yours is not None]} in {what}; "
                "give both the same type"
            )
        if mine is None or yours is None:
            together.append(None)
            continue
        labels = tuple(dict.fromkeys((*mine, *yours)))
        if len(labels) == len(mine) + len(yours) and yours:
            raise DataError(
                f"column {name!r} has no level in common in data and {what} ({mine[0]!r} ... and {yours[0]!r} ...); "
                "give both the same labels"
            )
        together.append(labels)
    return together


def listing(names: Sequence[Hashable], most: int = 12) -> str:
    """Names for a message: all of them, or the first few.

    >>> listing(["a", "b", "c"], most=2)
    "'a', 'b', ... (3 in all)"
    """
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"
