"""Split rows at random into training and test rows, or folds, reproducibly and whatever the chunks they come in."""

import numpy as np
from numpy.typing import NDArray

from bnjit.data.table import Table
from bnjit.errors import DataError
from bnjit.kernels.splitmix import draw_bits, draw_shares


def row_numbers(n: int, seed: int | None, first: int = 0) -> NDArray[np.float64]:
    """A uniform random number for each row first ... first + n - 1: a hash (splitmix64) of seed and row number.

    A row's number depends on nothing else, so that tables read whole or in chunks are split alike.
    """
    out = np.empty(n)
    draw_shares(seed_state(seed), first, out)
    return out


def seed_state(seed: int | None) -> np.uint64:
    """What is added to row numbers, for a seed."""
    return np.uint64(draw_bits(np.uint64(0), np.uint64(0 if seed is None else int(seed) % 2**64)))


def split_rows(table: Table, share: float, seed: int | None) -> tuple[Table, Table]:
    """Training and test rows; each row is a test row with probability `share`."""
    test = row_numbers(table.n, seed) < share
    if not 2 <= test.sum() <= table.n - 2:
        raise DataError(f"{table.n} rows are too few to keep {share:.0%} of them for testing; give test rows")
    return table.take(~test), table.take(test)
