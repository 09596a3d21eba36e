"""Tables that memory does not hold are refused before they are made, with their size."""

import numpy as np
import pytest

from bnjit import DataError
from bnjit.stats.cells import table_bytes
from bnjit.stats.collect import TableTask, check_memory, check_size, membership
from bnjit.stats.tuning import SMALL_BYTES
from tests.strategies import to_table


def test_refused_with_size_and_columns():
    rng = np.random.default_rng(0)
    table = to_table({"g": (rng.integers(0, 5, 50).tolist(), 5), "x": rng.normal(size=50).tolist()})
    found = membership(table, (0,))
    copies = SMALL_BYTES // 100
    check_memory([TableTask(table, (1,), found)], [1], [slice(0, 1)], free=0)  # small tables are made without asking
    check_memory([TableTask(table, (1,), found)], [copies], [slice(0, 1)], free=1 << 62)
    with pytest.raises(
        DataError, match=r"would take [\d.]+ GB, and 0.0 GB are free; the largest has 5 .*'g' and 1 cont"
    ):
        check_memory([TableTask(table, (1,), found)], [copies], [slice(0, 1)], free=1000)


def test_copies_count_while_they_are_there():
    """Of tables that are filled after each other, one has its copies at a time."""
    table = to_table({"g": ([0, 1, 2, 3], 4), "x": [1.0, 2.0, 3.0, 5.0]})
    one = TableTask(table, (1,), membership(table, (0,)))
    copies = SMALL_BYTES // table_bytes(4, 1)
    free = SMALL_BYTES + 10 * table_bytes(4, 1)
    check_memory([one] * 3, [copies] * 3, [slice(i, i + 1) for i in range(3)], free)
    with pytest.raises(DataError, match=r"and 0\.3 GB are free"):
        check_memory([one] * 3, [copies] * 3, [slice(0, 2), slice(2, 3)], free)


def test_size_alone():
    table = to_table({"g": ([0, 1, 2, 0], 3), "x": [1.0, 2.0, 3.0, 5.0]})
    check_size(table, SMALL_BYTES, (0,), 3, 1, free=0)
    with pytest.raises(DataError, match=r"would take 9,000.0 GB"):
        check_size(table, 9_000_000_000_000, (0,), 3, 1)
