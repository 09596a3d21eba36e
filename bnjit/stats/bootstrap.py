"""Bootstrap replicates of a table: every row counts as often as a random number says, drawn from Poisson(1).

A row's weight in a replicate depends on the seed, the replicate and the row's number alone. The weighted means and
cross-products of continuous columns are collected for all replicates in one pass over the rows.
"""

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats
from bnjit._simd import LANES
from bnjit.data import Table
from bnjit.data.split import seed_state
from bnjit.kernels.bootstrap import Words, multiply_columns, weigh_replicates, weigh_rows
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import Cells
from bnjit.stats.collect import Membership, make_cells
from bnjit.stats.store import MEMORY, SHARE, Store

BLOCK, BLOCK_BYTES = 8192, 1 << 26  # rows at a time, and the most that their products take
# Distribution function of Poisson(1), up to what random numbers of 53 bits can tell apart.
BELOW = np.cumsum([math.exp(-1.0) / math.factorial(k) for k in range(18)])


def starts_of(seed: int | None, replicates: int) -> Words:
    """Where the random numbers of each replicate begin, uint64[R]; the first replicates are the same for any number."""
    base = 0 if seed is None else int(seed)
    return np.array([seed_state((base << 32) + replicate + 1) for replicate in range(replicates)], np.uint64)


def weights_of(n: int, start: np.uint64) -> NDArray[np.int64]:
    """How often each of n rows is drawn in a replicate."""
    weights = np.empty(n)
    weigh_rows(start, 0, BELOW, weights)
    return weights.astype(np.int64)


def drawn_rows(table: Table, start: np.uint64) -> Table:
    """Return the rows of a replicate, each as often as it is drawn."""
    return table.take(np.repeat(np.arange(table.n), weights_of(table.n, start)))


def replicate_stores(store: Store, starts: Words) -> list["Store"]:
    """Stores of the replicates of a table of continuous columns, from one pass over its rows. O(R n c^2 / 2)."""
    table, c = store.table, len(store.table.continuous)
    mean, sd = store.whole.means[0], np.sqrt(np.diag(store.whole.covariance()))
    w = 1 + c + c * (c + 1) // 2
    block = max(LANES, min(BLOCK, BLOCK_BYTES // (8 * w)))  # by columns alone: sums are made block by block
    sums, products, weights = np.zeros((w, len(starts))), np.ones((w, block)), np.empty((len(starts), block))
    for first in range(0, table.n, block):
        last = min(first + block, table.n)
        if last - first < block:
            products, weights = np.ones((w, last - first)), np.empty((len(starts), last - first))
        Z = np.stack([table.columns[j].values[first:last] for j in table.continuous]).astype(np.float64)
        multiply_columns((Z - mean[:, None]) / sd[:, None], products)
        weigh_replicates(starts, first, BELOW, weights)
        sums += products @ weights.T
    return [_Replicate(table, start, _whole(table, row, mean, sd)) for start, row in zip(starts, sums.T, strict=True)]


def _whole(table: Table, sums: Floats, mean: Floats, sd: Floats) -> Cells:
    """Cells of one cell from weighted sums of standardised columns and of their products."""
    n, c = sums[0], len(mean)
    shift = sums[1 : 1 + c] / max(n, 1.0)
    i, j = np.tril_indices(c)
    cross = (sums[1 + c :] - n * shift[i] * shift[j]) * sd[i] * sd[j]
    moments = Moments(np.array([int(n)]), (mean + shift * sd)[None], np.zeros((1, c)), cross[None])
    return make_cells(table, (), table.continuous, np.zeros(1, np.int64), moments)


class _Replicate(Store):
    """A store that knows its moments, and draws the rows of its replicate only if some fit needs them."""

    def __init__(self, table: Table, start: np.uint64, whole: Cells) -> None:
        self._start(table, max(MEMORY, int(SHARE * table.nbytes)))
        self._rows_of, self._seen, self.n = (table, start), whole, int(whole.counts[0])
        self._drawn: Membership | None = None

    @cached_property
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return self._seen

    def members(self, variables: tuple[int, ...]) -> Membership:
        """Return the cell of every row; the first time, draw the rows."""
        if self._drawn is None:
            drawn = Store(drawn_rows(*self._rows_of))
            self.table, self._members, self._drawn = drawn.table, drawn._members, drawn.members(variables)
        return self._drawn
