"""Rows that count several times, typed and in memory."""

import numpy as np
from numpy.typing import NDArray

from bnjit.data.chunked.memory import free_memory
from bnjit.data.table import MAX_ROWS, Table

Weights = NDArray[np.float64]


def are_counts(values: Weights) -> bool:
    """Whether all weights are whole numbers."""
    return bool((values == np.floor(values)).all())


def repeated(table: Table, weights: Weights) -> Table:
    """Return a table whose rows count by their weights.

    Whole numbers repeat them, while memory holds that; the copies of a row stand together.
    """
    if are_counts(weights):
        n = float(weights.sum())
        if n < MAX_ROWS and n * (table.nbytes / max(1, table.n)) <= free_memory() // 2:
            return table.take(np.repeat(np.arange(table.n), weights.astype(np.int64)))
    weighted = table.take(np.arange(table.n))
    weighted.weights = weights
    return weighted
