"""Split rows at random into training and test rows, or folds, reproducibly and whatever the chunks they come in."""

import numpy as np
from numpy.typing import NDArray

from bnjit.data.table import Table
from bnjit.errors import DataError


def row_numbers(n: int, seed: int | None, first: int = 0) -> NDArray[np.float64]:
    """A uniform random number for each row first ... first + n - 1: a hash (splitmix64) of seed and row number.

    A row's number depends on nothing else, so that tables read whole or in chunks are split alike.
    """
    state = _mixed(np.arange(first, first + n, dtype=np.uint64) + seed_state(seed))
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def seed_state(seed: int | None) -> np.uint64:
    """What is added to row numbers, for a seed."""
    return np.uint64(_mixed(np.array([0 if seed is None else int(seed) % 2**64], np.uint64))[0])


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Splitmix64's finaliser, on arrays, where arithmetic wraps."""
    state = (state + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def split_rows(table: Table, share: float, seed: int | None) -> tuple[Table, Table]:
    """Training and test rows; each row is a test row with probability `share`."""
    test = row_numbers(table.n, seed) < share
    if not 2 <= test.sum() <= table.n - 2:
        raise DataError(f"{table.n} rows are too few to keep {share:.0%} of them for testing; give test rows")
    return table.take(~test), table.take(test)
