"""Tables with gaps: typed columns in which values are missing, and how they become columns without any.

A gap of a discrete column is one more level, the last. A continuous column with gaps is two columns: its values, where
the mean stands for NaN (no copy is made), and an indicator, discrete, which says where that is. So statistics of such a
table are counts and moments like any others: those of the rows that observe some columns are the cells in which these
are not missing.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit.data.column import Column, code_type, relabelled, type_column
from bnjit.data.complete import missing_values, take_rows
from bnjit.data.levels import as_labels
from bnjit.data.schema import Labels, Schema
from bnjit.data.source import Root, Source
from bnjit.data.table import Table
from bnjit.errors import ArgumentError, ColumnError

GapRule = Literal["refuse", "drop", "keep"]  # what reading does with a missing value

MISSING = ("bnjit", "missing")  # the level of a gap
INDICATOR = ("observed", "missing")  # levels of an indicator


class Gaps(NamedTuple):
    """Which columns have gaps, for a table that was made without them.

    Attributes
    ----------
    schema : Schema
        The columns as they were given.
    columns : tuple of int
        Those with gaps.
    indicators : dict
        The indicator of each continuous column with gaps, by position in the table without gaps.
    missing : tuple of int
        Missing values of every column.
    """

    schema: Schema
    columns: tuple[int, ...]
    indicators: dict[int, int]
    missing: tuple[int, ...]


def type_with_gaps(name: Hashable, raw: Any, as_discrete: bool) -> Column:
    """Type a raw column; a missing value is NaN, or the code after the last level."""
    missing = missing_values(raw)
    if not missing.any():
        return type_column(name, raw, as_discrete)
    if missing.all():
        raise ColumnError(f"column {name!r} has no values at all; drop it")
    if not as_discrete and _has_nan_alone(raw):
        return type_column(name, raw, as_discrete)
    observed = ~missing
    column = type_column(name, take_rows(raw, np.flatnonzero(observed)), as_discrete)
    if column.labels is None:
        values = np.full(len(missing), np.nan, column.values.dtype)
    else:
        values = np.full(len(missing), len(column.labels), code_type(len(column.labels) + 1))
    values[observed] = column.values
    return Column(values, column.labels)


def _has_nan_alone(raw: Any) -> bool:
    """Whether a raw column is a plain array of floating-point numbers, whose gaps are NaN as they are."""
    dtype = getattr(raw, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind == "f" and not np.ma.isMaskedArray(raw)


def where_missing(column: Column) -> NDArray[np.bool_]:
    """Where a typed column has a gap, bool[n]."""
    gaps: NDArray[np.bool_] = np.isnan(column.values) if column.labels is None else column.values == len(column.labels)
    return gaps


@dataclass(frozen=True)
class FillGaps:
    """From rows with gaps to rows without; see the module.

    names, labels : of the columns without gaps; width : columns with gaps and others, as they were given; filled :
    continuous columns with gaps; values : what stands in their gaps
    """

    names: tuple[Hashable, ...]
    labels: tuple[Labels, ...]
    width: int
    filled: tuple[int, ...]
    values: tuple[float, ...]

    def requires(self, columns: set[int]) -> set[int]:
        """Return the columns that some columns are made of."""
        return {j if j < self.width else self.filled[j - self.width] for j in columns}

    def __call__(self, first: int, rows: Table) -> Table:
        """Rows without gaps; columns that nobody asked for stay empty."""
        columns = [Column(column.values, labels) for column, labels in zip(rows.columns, self.labels, strict=False)]
        for j, value in zip(self.filled, self.values, strict=True):
            given = rows.columns[j].values
            columns[j] = Column(given, None, value)
            columns.append(Column(np.isnan(given).view(np.uint8), INDICATOR))
        return Table(self.names, columns, rows.n)


def fill_gaps(schema: Schema, missing: Sequence[int], means: Sequence[float]) -> tuple[FillGaps, Gaps] | None:
    """How to make columns without gaps, given the missing values of each and the mean of the others; None for none."""
    if not any(missing):
        return None
    gaps = tuple(j for j, number in enumerate(missing) if number)
    filled = tuple(j for j in gaps if not schema.discrete[j])
    labels = [
        own if own is None or j not in gaps else (*own, MISSING) for j, own in enumerate(schema.labels)
    ]  # fmt: skip
    names = (*schema.names, *((schema.names[j], INDICATOR[1]) for j in filled))
    N = len(schema.names)
    step = FillGaps(names, (*labels, *(INDICATOR for _ in filled)), N, filled, tuple(float(means[j]) for j in filled))
    as_given = Schema(schema.names, schema.labels)
    as_given.n = schema.n
    return step, Gaps(as_given, gaps, {j: N + i for i, j in enumerate(filled)}, tuple(int(m) for m in missing))


def without_gaps(table: Table) -> Table:
    """Return a table whose gaps are levels and indicators; itself if it has none."""
    masks = [where_missing(column) for column in table.columns]
    means = [0.0 if column.labels is not None or not mask.any() else _mean(column.values[~mask])
             for column, mask in zip(table.columns, masks, strict=True)]  # fmt: skip
    made = fill_gaps(table, [int(mask.sum()) for mask in masks], means)
    if made is None:
        return table
    if table.weights is not None:
        raise ArgumentError(
            'weights that are no whole numbers, or that add up to more rows than memory holds, go with missing="drop"; '
            "the table has gaps"
        )
    step, gaps = made
    filled = step(0, table)
    filled.gaps = gaps
    return filled


def _mean(values: NDArray[Any]) -> float:
    """Mean of some values, or 0 where they are infinite or too large to add up, which is said of them elsewhere."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(values.mean(dtype=np.float64))
    return mean if np.isfinite(mean) else 0.0


class CountGaps(NamedTuple):
    """Asks for the missing values of every column, and for the means of the others."""

    def start(self) -> "GapsCounted":
        """Begin, with no row seen."""
        return GapsCounted()


class GapsCounted:
    """Missing values, int64[N], and sums of the others about the first of them, of the rows seen."""

    def __init__(self) -> None:
        self.missing: NDArray[np.int64] = np.zeros(0, np.int64)
        self.seen: NDArray[np.int64] = np.zeros(0, np.int64)
        self.means: NDArray[np.float64] = np.zeros(0)

    @property
    def nbytes(self) -> int:
        """Memory that they take."""
        return self.missing.nbytes + self.seen.nbytes + self.means.nbytes

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Look at a chunk of the root."""
        N = len(chunk.columns)
        one = GapsCounted()
        one.missing, one.seen, one.means = np.zeros(N, np.int64), np.zeros(N, np.int64), np.zeros(N)
        for j, column in enumerate(chunk.columns):
            gaps = where_missing(column)
            one.missing[j] = gaps.sum()
            one.seen[j] = len(gaps) - one.missing[j]
            if column.labels is None and one.seen[j]:
                one.means[j] = _mean(column.values[~gaps])
        self._add(one)

    def _add(self, other: "GapsCounted") -> None:
        if not len(self.missing):
            self.missing, self.seen, self.means = other.missing.copy(), other.seen.copy(), other.means.copy()
        elif len(other.missing):
            seen = self.seen + other.seen
            self.means += (other.means - self.means) * (other.seen / np.maximum(seen, 1))
            self.missing, self.seen = self.missing + other.missing, seen

    def finish(self) -> None:
        """Nothing is kept but the numbers."""

    def merged(self, others: Sequence["GapsCounted"]) -> "GapsCounted":
        """Return the numbers of these rows and of those that follow."""
        out = GapsCounted()
        for one in (self, *others):
            out._add(one)
        return out


class WithoutGaps(Source):
    """A source whose gaps are levels and indicators."""

    def __init__(self, base: Root, step: FillGaps, gaps: Gaps) -> None:
        super().__init__(step.names, step.labels)
        self._base, self.n, self.constants, self.steps, self.gaps = base, base.n, base.constants, (step,), gaps


def source_without_gaps(source: Root) -> Source:
    """Return a source whose gaps are levels and indicators; itself if it has none. Takes one pass."""
    (found,) = source.run_pass([CountGaps()], range(len(source.names)))
    assert isinstance(found, GapsCounted)
    empty = np.flatnonzero((found.seen == 0) & (found.missing > 0)).tolist()
    if empty:
        raise ColumnError(f"column {source.names[empty[0]]!r} has no values at all; drop it")
    made = fill_gaps(source, found.missing.tolist(), found.means.tolist())
    return source if made is None else WithoutGaps(source, *made)


def type_part_with_gaps(name: Hashable, raw: Any, as_discrete: bool) -> Column:
    """Type a part of a raw pandas column, which may be nothing but gaps there."""
    import pandas as pd

    if not len(raw) or not raw.isna().all():
        return type_with_gaps(name, raw, as_discrete)
    if isinstance(raw.dtype, pd.CategoricalDtype):
        return only_gaps(len(raw), tuple(as_labels(raw.cat.categories.tolist())))
    return only_gaps(len(raw), ())


def only_gaps(n: int, labels: Labels) -> Column:
    """A column of n gaps; without any levels, it may be of any kind."""
    if labels is None:
        return Column(np.full(n, np.nan), None)
    return Column(np.full(n, len(labels), code_type(len(labels) + 1)), labels)


def aligned_gaps(table: Table, other: Table, labels: Sequence[Labels]) -> tuple[Table, Table]:
    """Two tables whose gaps are levels and indicators, with the gaps of both columns and with these levels.

    labels : levels of the columns as they were given, which include those of both
    """
    names = table.as_given.names
    columns = [columns_of(one, names, labels) for one in (table, other)]
    masks = [[where_missing(column) for column in some] for some in columns]
    missing = [int(a.sum()) + int(b.sum()) for a, b in zip(*masks, strict=True)]
    made = []
    for one, some, own in zip((table, other), columns, masks, strict=True):
        given = Table(names, some, one.n)
        means = [
            0.0 if c.labels is not None or m.all() else _mean(c.values[~m]) for c, m in zip(some, own, strict=True)
        ]
        step = fill_gaps(given, missing, means)
        if step is None:
            made.append(given)
            continue
        made.append(step[0](0, given))
        made[-1].gaps = step[1]._replace(missing=tuple(int(m.sum()) for m in own))
    return made[0], made[1]


def columns_of(table: Table, names: Sequence[Hashable], labels: Sequence[Labels]) -> list[Column]:
    """Columns as they were given, gaps included, with other levels."""
    given, found = table.as_given, []
    for name, own in zip(names, labels, strict=True):
        j = given.index(name)
        values = table.columns[j].values
        if own is None:
            found.append(Column(values, None))
        else:
            found.append(relabelled(Column(values, given.labels[j]), own))
    return found
