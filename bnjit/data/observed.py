"""Rows of a source that observe some columns with gaps, with the columns as they were given."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from bnjit.data.schema import Labels
from bnjit.data.source import Source
from bnjit.data.table import Table


@dataclass(frozen=True)
class _Observed:
    """From rows whose gaps are levels and indicators to those that observe some columns.

    names, labels : of the columns as they were given; marks : discrete columns that say where gaps are; levels : that
    each of them has in rows without
    """

    names: tuple[Hashable, ...]
    labels: tuple[Labels, ...]
    marks: tuple[int, ...]
    levels: tuple[int, ...]

    def requires(self, columns: set[int]) -> set[int]:
        """Return the columns that some columns are made of."""
        return {*columns, *self.marks}

    def __call__(self, first: int, rows: Table) -> Table:
        """Rows without these gaps; columns that nobody asked for stay empty."""
        there = np.ones(rows.n, bool)
        for v, levels in zip(self.marks, self.levels, strict=True):
            there &= rows.columns[v].values < levels
        columns = [column._replace(labels=own) for column, own in zip(rows.columns, self.labels, strict=False)]
        scale = None if rows.scale is None else rows.scale[: len(self.names)]
        return Table(self.names, columns, rows.n, scale).take(there)


class ObservedRows(Source):
    """Rows of a source whose gaps are levels and indicators that observe some columns.

    Parameters
    ----------
    base : Source
        All rows.
    marks : tuple of int
        Discrete columns of it that say where these columns have gaps.
    n : int
        How many rows observe them.
    """

    copies = True

    def __init__(self, base: Source, marks: Sequence[int], n: int) -> None:
        given = base.as_given
        super().__init__(given.names, given.labels)
        # An indicator has one level without a gap; a discrete column has its own, and the gap comes after them.
        levels = tuple(given.levels[v] if v < len(given.names) else 1 for v in marks)
        self._base, self.n = base, n
        self.steps = (*base.steps, _Observed(given.names, given.labels, tuple(marks), levels))
