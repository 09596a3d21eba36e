"""Splits of rows depend on the seed and on the row's number, and on nothing else."""

import numpy as np
import pytest

from bnjit.data import read_table
from bnjit.data.split import row_numbers, seed_state, split_rows
from bnjit.errors import DataError


def test_split_is_reproducible_and_independent_of_chunks():
    numbers = row_numbers(1000, 3)
    np.testing.assert_array_equal(numbers[400:], row_numbers(600, 3, first=400))
    assert 0.0 <= numbers.min() < 0.01
    assert 0.99 < numbers.max() < 1.0
    assert abs(numbers.mean() - 0.5) < 0.03
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.1
    assert not np.array_equal(numbers, row_numbers(1000, 4))
    table = read_table({"x": np.arange(1000.0)})
    train, test = split_rows(table, 0.25, 3)
    assert 200 < test.n < 300
    values = np.concatenate([train.columns[0].values, test.columns[0].values])
    assert sorted(values) == list(range(1000))


def test_seeds_are_all_different():
    seeds = [0, 1, 2**24, 2**40, 2**63, 20240131]
    first = {tuple(row_numbers(5, seed)) for seed in seeds}
    assert len(first) == len(seeds)


def test_a_seed_is_its_state():
    assert seed_state(None) == seed_state(0)
    assert seed_state(3) == seed_state(3 + 2**64)
    assert seed_state(3) != seed_state(4)


def test_too_few_rows_to_split():
    table = read_table({"x": [1.0, 2.0, 4.0]})
    with pytest.raises(DataError, match="3 rows are too few to keep 25% of them for testing"):
        split_rows(table, 0.25, 1)
