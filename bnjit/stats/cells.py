"""Cells: what a set of discrete variables says about the rows, and all that a score needs of them.

For each *observed* configuration of the variables: the number of rows, the means of some continuous columns, and
their centred cross-products. Cells are additive over rows and nested over variables.
"""

import itertools
from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import VALUES_PER_THREAD, in_threads
from bnjit.errors import StatisticsError
from bnjit.kernels.combine import combine, leave_out, merge, merge_at
from bnjit.kernels.moments import Moments
from bnjit.stats.tuning import JOINED_APART, JOINED_AT_LEAST

MAX_CONFIGURATIONS = 1 << 62  # declared ones, so that keys are int64


class Cells(NamedTuple):
    """Statistics per cell; m cells, c continuous columns, w = c (c + 1) / 2.

    Attributes
    ----------
    variables : tuple of int
        Discrete variables, ascending; empty for one cell with all rows.
    levels : tuple of int
        Their declared levels.
    columns : tuple of int
        Continuous columns, ascending; empty for counts alone.
    keys : int64[m]
        Configurations as mixed-radix numbers, the first variable most significant, ascending.
    moments : Moments
        counts, rows of each cell; means of the columns, and mean_corrections, their rounding; crosses, their centred
        cross-products, lower triangle row by row: sum (x_i - mean_i) (x_j - mean_j).
    """

    variables: tuple[int, ...]
    levels: tuple[int, ...]
    columns: tuple[int, ...]
    keys: Ints64
    moments: Moments

    @property
    def counts(self) -> Ints64:
        """Rows of each cell, int64[m]."""
        return self.moments.counts

    @property
    def means(self) -> Floats:
        """Means of the columns, float64[m, c]."""
        return self.moments.means

    @property
    def crosses(self) -> Floats:
        """Centred cross-products of the columns, float64[m, w]."""
        return self.moments.crosses

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return self.keys.nbytes + sum(array.nbytes for array in self.moments)

    def codes(self) -> Ints64:
        """Codes of each cell's configuration, int64[m, d]."""
        digits = np.empty((len(self.keys), len(self.variables)), np.int64)
        rest = self.keys
        for v in reversed(range(len(self.levels))):
            rest, digits[:, v] = np.divmod(rest, self.levels[v])
        return digits

    def narrow(self, columns: Sequence[int]) -> "Cells":
        """Return the same cells with some of the columns."""
        if tuple(columns) == self.columns:
            return self
        at = [self.columns.index(j) for j in columns]
        packed = [i * (i + 1) // 2 + j for p, i in enumerate(at) for j in at[: p + 1]]
        # np.take keeps rows contiguous, where indexing by a list does not: kernels are compiled for one layout.
        means, corrections = np.take(self.means, at, 1), np.take(self.moments.mean_corrections, at, 1)
        moments = Moments(self.counts, means, corrections, np.take(self.crosses, packed, 1))
        return self._replace(columns=tuple(columns), moments=moments)

    def scaled(self, scale: Floats) -> "Cells":
        """Return the same cells with columns multiplied by powers of two, float64[N]."""
        if not self.columns:
            return self
        own = scale[list(self.columns)]
        low, high = _lower(len(own))
        counts, means, corrections, crosses = self.moments
        return self._replace(moments=Moments(counts, means * own, corrections * own, crosses * own[low] * own[high]))

    def covariance(self, cell: int = 0) -> Floats:
        """Unbiased covariance matrix of the columns in one cell, float64[c, c]."""
        c = len(self.columns)
        matrix = np.empty((c, c))
        lower = np.tril_indices(c)
        matrix[lower] = matrix.T[lower] = self.crosses[cell] / (self.counts[cell] - 1)
        return matrix


@cache
def _lower(c: int) -> tuple[Any, Any]:
    """Rows and columns of the entries of a lower triangle."""
    return np.tril_indices(c)


@cache
def squares_of(c: int) -> Ints64:
    """Where the squares of c columns are among their cross-products."""
    i = np.arange(c)
    return i * (i + 3) // 2


def table_bytes(m: int, c: int) -> int:
    """Memory of a table of m cells and c columns."""
    return 8 * m * (1 + 2 * c + c * (c + 1) // 2)


def no_moments(m: int, c: int, counts: Any = np.int64) -> Moments:
    """Zeros for m cells and c columns; counts : their type, float64 for sums of weights."""
    return Moments(np.zeros(m, counts), np.zeros((m, c)), np.zeros((m, c)), np.zeros((m, c * (c + 1) // 2)))


def _work(cells: Moments) -> int:
    """What joining cells takes, in values to read; there is something to do for each, however few columns it has."""
    return JOINED_AT_LEAST * cells.counts.size + cells.crosses.size


def join(order: Ints64, starts: Ints64, cells: Moments, out: Moments) -> None:
    """Join groups of cells (see kernels.combine), threads over ranges of groups."""
    m, work = len(starts) - 1, _work(cells)
    if work < VALUES_PER_THREAD:
        combine(order, starts, cells, 0, m, out)
        return
    bounds = [m * part // JOINED_APART for part in range(JOINED_APART + 1)]
    tasks = [partial(combine, order, starts, cells, a, b, out) for a, b in itertools.pairwise(bounds) if a < b]
    in_threads(tasks, work)


def join_all(cells: Cells, which: Ints64) -> Cells:
    """Some of the cells as one, of no variable; a cell without rows may have any moments."""
    out = no_moments(1, len(cells.columns), cells.counts.dtype)
    which = which[cells.counts[which] > 0]
    join(which, np.array([0, len(which)]), cells.moments, out)
    return Cells((), (), cells.columns, np.zeros(1, np.int64), out)


def join_tables(tables: Sequence[Moments]) -> Moments:
    """Sum of tables with the same cells, in the first of them; threads over ranges of cells."""

    def join_range(first: int, last: int) -> None:
        for table in tables[1:]:
            merge(tables[0], table, first, last)

    m, work = len(tables[0].counts), len(tables) * _work(tables[0])
    if len(tables) > 1 and work < VALUES_PER_THREAD:
        join_range(0, m)  # a call for each of several ranges would take longer than what it does
    elif len(tables) > 1:
        bounds = [m * part // JOINED_APART for part in range(JOINED_APART + 1)]
        in_threads([partial(join_range, a, b) for a, b in itertools.pairwise(bounds) if a < b], work)
    return tables[0]


def _grouped(like: Cells, keys: Ints64, moments: Moments) -> Cells:
    """Join the cells that have equal keys."""
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    starts = _starts(ascending)
    out = no_moments(len(starts) - 1, len(like.columns), moments.counts.dtype)
    join(order, starts, moments, out)
    return like._replace(keys=ascending[starts[:-1]], moments=out)


def _starts(ascending: Ints64) -> Ints64:
    """Where each of some ascending keys begins, and where the last one ends."""
    n = len(ascending)
    fresh = np.empty(n + 1, bool)
    fresh[0] = fresh[n] = True
    np.not_equal(ascending[1:], ascending[:-1], out=fresh[1:n])
    return fresh.nonzero()[0]


def join_by_key(cells: Cells) -> Cells:
    """Cells in ascending order of their keys, of which several may be equal: these become one."""
    if len(cells.keys) < 2 or (np.diff(cells.keys) > 0).all():
        return cells
    return _grouped(cells, cells.keys, cells.moments)


def add(parts: Sequence[Cells]) -> Cells:
    """Cells of all rows from Cells of disjoint parts of them: chunks, files, folds, machines."""
    if len(parts) == 1:
        return parts[0]
    return _grouped(parts[0], np.concatenate([p.keys for p in parts]), _stacked(parts))


def _stacked(parts: Sequence[Cells]) -> Moments:
    """Moments of the cells of several parts, one part after the other."""
    if any(p[:3] != parts[0][:3] for p in parts):
        raise StatisticsError("cells of different variables, levels or columns cannot be added")
    return Moments(*(np.concatenate(arrays) for arrays in zip(*(p.moments for p in parts), strict=True)))


def add_to(total: Cells, part: Cells) -> Cells:
    """Cells of the rows of both, in the memory of `total` if it has all the cells; do not use that again."""
    if total[:3] != part[:3]:
        raise StatisticsError("cells of different variables, levels or columns cannot be added")
    if np.array_equal(total.keys, part.keys):
        return total._replace(moments=join_tables([total.moments, part.moments]))
    at = np.searchsorted(total.keys, part.keys)
    fresh = at == len(total.keys)
    fresh[~fresh] = total.keys[at[~fresh]] != part.keys[~fresh]
    if fresh.any():
        total = _with_cells(total, at[fresh], part.keys[fresh])
        at = np.searchsorted(total.keys, part.keys)

    def merge_range(first: int, last: int) -> None:
        merge_at(total.moments, at, part.moments, first, last)

    bounds = [len(at) * i // JOINED_APART for i in range(JOINED_APART + 1)]
    tasks = [partial(merge_range, a, b) for a, b in itertools.pairwise(bounds) if a < b]
    in_threads(tasks, 2 * _work(part.moments))
    return total


def _with_cells(cells: Cells, before: Ints64, fresh: Ints64) -> Cells:
    """Cells with more of them, without rows; before : which of the cells follows each, in ascending order."""
    m = len(cells.keys) + len(fresh)
    new = before + np.arange(len(fresh))
    old = np.ones(m, bool)
    old[new] = False
    keys = np.empty(m, np.int64)
    keys[old], keys[new] = cells.keys, fresh
    wider = no_moments(m, len(cells.columns), cells.counts.dtype)
    for array, source in zip(wider, cells.moments, strict=True):
        array[old] = source
    return cells._replace(keys=keys, moments=wider)


def roll_up(cells: Cells, variables: Sequence[int]) -> Cells:
    """Cells of a subset of the variables, without touching a row."""
    keep = [cells.variables.index(v) for v in variables]
    levels = tuple(cells.levels[v] for v in keep)
    keys = np.zeros(len(cells.keys), np.int64)
    codes = cells.codes()
    for v in keep:
        keys = keys * cells.levels[v] + codes[:, v]
    like = cells._replace(variables=tuple(variables), levels=levels)
    return _grouped(like, keys, cells.moments)


def leave_one_out(parts: Sequence[Cells]) -> list[Cells]:
    """Cells of all parts but one, for each of them: the training rows of every fold, with no digit lost."""
    if len(parts) < 2:
        raise StatisticsError(f"leaving one out needs at least 2 parts, not {len(parts)}")
    like, stacked = parts[0], _stacked(parts)
    k, c = len(parts), len(like.columns)
    keys, group = np.unique(np.concatenate([p.keys for p in parts]), return_inverse=True)
    m = len(keys)
    at = np.full((m, k), -1, np.int64)
    at[group, np.repeat(np.arange(k), [len(p.keys) for p in parts])] = np.arange(len(group))
    out = no_moments(k * m, c, stacked.counts.dtype)
    bounds = [m * part // JOINED_APART for part in range(JOINED_APART + 1)]
    total = stacked.counts.dtype
    tasks = [
        partial(leave_out, stacked, at, a, b, no_moments(1, c, total), out)
        for a, b in itertools.pairwise(bounds) if a < b
    ]  # fmt: skip
    in_threads(tasks, 4 * _work(out))
    left = []
    for part in range(k):
        seen = out.counts[part * m : (part + 1) * m] > 0
        which = slice(part * m, (part + 1) * m) if seen.all() else part * m + np.flatnonzero(seen)
        moments = Moments(out.counts[which], out.means[which], out.mean_corrections[which], out.crosses[which])
        left.append(like._replace(keys=keys[seen], moments=moments))
    return left
