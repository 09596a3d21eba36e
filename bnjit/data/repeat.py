"""Rows that count several times, typed and in memory."""

import numpy as np
from numpy.typing import NDArray

from bnjit.data.chunked.memory import free_memory
from bnjit.data.table import MAX_ROWS, Table
from bnjit.errors import ArgumentError, DataError

Weights = NDArray[np.float64]


def are_counts(values: Weights) -> bool:
    """Whether all weights are whole numbers."""
    return bool((values == np.floor(values)).all())


def repeated(table: Table, weights: Weights) -> Table:
    """Return a table with each row as often as it counts, a whole number; they stand together."""
    if not are_counts(weights):
        raise ArgumentError("weights must be whole numbers")
    n = int(weights.sum())
    needed, free = n * (table.nbytes // max(1, table.n)), free_memory()
    if n > MAX_ROWS or needed > free:
        raise DataError(
            f"the weights add up to {n:,} rows, which would take {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are "
            "free; divide the weights by a common factor that leaves them as they are, or give a file in chunks "
            "(out_of_core=True)"
        )
    return table.take(np.repeat(np.arange(table.n), weights.astype(np.int64)))
