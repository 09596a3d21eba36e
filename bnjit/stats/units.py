"""Units of continuous columns: everything is computed in units near each column's deviation, which are powers of two.

Multiplying by a power of two loses no digit, so that a column in metres and the same one in units of 2^-40 metres give
the same bits. Rules that say when a regression is singular compare with fixed numbers, as bnlearn's do; in these units
they are judged by the column itself, not by the unit that somebody chose. A density in a column's own units is one in
ours, times the factor, for each row: only scores that are shown need that.
"""

import numpy as np

from bnjit._jit import Floats
from bnjit.stats.cells import Cells
from bnjit.stats.store import Store


def factors_of(whole: Cells, N: int) -> Floats:
    """What values are multiplied by, float64[N], given the moments of all rows: 1 for discrete and constant columns."""
    factors = np.ones(N)
    n = int(whole.counts[0])
    for i, j in enumerate(whole.columns):
        variance = float(whole.crosses[0, i * (i + 3) // 2]) / max(1, n - 1)
        if 0.0 < variance < np.inf:
            factors[j] = np.ldexp(1.0, -int(np.frexp(np.sqrt(variance))[1]))
    return factors


def in_own_units(store: Store, like: Store | None = None) -> Store:
    """Return a store of the same rows in units of its own columns, or of those of another store."""
    schema = store.schema
    if schema.scale is not None or not schema.continuous:
        return store
    return store.scaled(factors_of(store.whole, len(schema.names)) if like is None else scale_of(like))


def scale_of(store: Store) -> Floats:
    """What the values of a store's columns are multiplied by, float64[N]."""
    scale = store.schema.scale
    return np.ones(len(store.schema.names)) if scale is None else scale


def log_factors(store: Store) -> Floats:
    """Logarithms of what columns are multiplied by: what a row's log-density in their own units is larger by."""
    return (np.frexp(scale_of(store))[1] - 1) * np.log(2.0)
