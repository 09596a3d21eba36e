"""Batches of a column become codes or numbers, and an error where they do not fit."""

import numpy as np
import pyarrow as pa
import pytest

from bnjit.data.chunked.encoder import Encoder
from bnjit.errors import DataError


def fixed(kind, *batches, as_discrete=True):
    """An encoder that has seen batches."""
    encoder = Encoder("x", kind, as_discrete)
    first = 0
    for number, batch in enumerate(batches):
        encoder.values(batch, f"batch {number}", first)
        first += len(batch)
    encoder.fix_levels()
    return encoder


def test_text_is_sorted_and_categories_are_not():
    text = fixed(pa.string(), pa.array(["mid", "low"]), pa.array(["high", "low"]))
    assert text.labels == ("high", "low", "mid")
    assert text.values(pa.array(["low", "mid"], pa.large_string()), "again", 0).tolist() == [1, 2]
    kind = pa.dictionary(pa.int8(), pa.string())
    categories = fixed(kind, pa.array(["mid", "low"]).dictionary_encode(), pa.array(["high"]).dictionary_encode())
    assert categories.labels == ("mid", "low", "high")
    repeated = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), ["low", "mid", "low"])
    assert categories.values(repeated, "again", 0).tolist() == [1, 0, 1]


def test_numbers_and_booleans():
    numbers = fixed(pa.float32(), pa.array([-0.0, 2.5, 0.0], pa.float32()))
    assert numbers.labels == (0.0, 2.5)
    assert numbers.values(pa.array([2.5, -0.0], pa.float32()), "again", 0).tolist() == [1, 0]
    assert fixed(pa.int64(), pa.array([3, -1])).labels == (-1, 3)
    flags = fixed(pa.bool_(), pa.array([True, True]))
    assert flags.labels == (False, True)
    assert flags.values(pa.array([True, False]), "again", 0).tolist() == [1, 0]
    free = fixed(pa.float64(), pa.array([0.5, 1.5]), as_discrete=False)
    assert free.labels is None
    assert free.values(pa.array([0.5]), "again", 0).tolist() == [0.5]


@pytest.mark.parametrize("levels", [256, 257, 65_537])
def test_codes_have_the_smallest_type(levels):
    rows = pa.array([f"{i:06d}" for i in range(levels)] * 2)
    encoder = fixed(pa.string(), rows)
    values = encoder.values(rows, "again", 0)
    assert values.dtype == encoder.dtype == np.min_scalar_type(levels - 1)
    np.testing.assert_array_equal(values, np.tile(np.arange(levels), 2))


def test_levels_may_be_declared_later():
    encoder = fixed(pa.string(), pa.array(["b", "a"]))
    encoder.relabel(("c", "b", "a"))
    assert encoder.values(pa.array(["a", "b"]), "again", 0).tolist() == [2, 1]


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (pa.array(["a", None]), r"'x' has missing values in here, the first in row 11 \(counting from 0\); "
         'missing="em", "available" or "drop" says what to do with them'),
        (pa.array([1.5]), "'x' is double in here and text elsewhere"),
        (pa.array(["a", "c"]), "'x' has the level 'c', which was not there before, in here, the first in row 11"),
    ],
)  # fmt: skip
def test_batches_that_do_not_fit(batch, message):
    encoder = fixed(pa.string(), pa.array(["b", "a"]))
    with pytest.raises(DataError, match=message):
        encoder.values(batch, "here", 10)


def test_labels_that_are_none():
    kind = pa.dictionary(pa.int64(), pa.string())
    encoder = Encoder("x", kind, as_discrete=False)
    gap = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    with pytest.raises(DataError, match="'x' has missing values in here, the first in row 1"):
        encoder.values(gap, "here", 0)
    lists = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([[1], [2]]))
    with pytest.raises(DataError, match=r"'x' has categories of type list<.*> in here; convert them"):
        Encoder("x", lists.type, as_discrete=False).values(lists, "here", 0)
    with pytest.raises(DataError, match=r"here: column 'x' has 1 infinite value"):
        Encoder("x", pa.float64(), as_discrete=True).values(pa.array([1.0, np.inf]), "here", 0)
