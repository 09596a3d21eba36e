"""Columns get the type that their values ask for."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit.data import Column, read_table
from bnjit.data.column import is_identifier, relabelled, type_column


def test_dictionaries_that_repeat_or_miss_a_value():
    codes = pa.array([0, 1, 2, 0], pa.int8())
    table = read_table(pa.table({"x": pa.DictionaryArray.from_arrays(codes, ["p", "q", "p"])}))
    assert table.columns[0].labels == ("p", "q")
    assert table.columns[0].values.tolist() == [0, 1, 0, 0]
    with pytest.raises(bnjit.DataError, match="'x' has 1 missing value, the first in row 1"):
        read_table(pa.table({"x": pa.DictionaryArray.from_arrays(codes, ["p", None, "q"])}))


@pytest.mark.parametrize(("levels", "dtype"), [(2, np.uint8), (256, np.uint8), (257, np.uint16), (70_000, np.uint32)])
def test_smallest_codes(levels, dtype):
    labels = [f"{i:06d}" for i in range(levels)]
    column = pd.Categorical(labels + labels[:1])
    table = read_table(pd.DataFrame({"x": column, "y": pd.Series(column).astype(str)}))
    for column in table.columns:
        assert column.values.dtype == dtype
        assert [column.labels[c] for c in column.values[-3:]] == [*labels[-2:], labels[0]]


def test_small_integers_are_float32_without_loss():
    table = read_table({"x": np.array([1, -300, 7], np.int16), "y": np.array([1, 2**40, 3])})
    assert table.columns[0].values.dtype == np.float32
    assert table.columns[0].values.tolist() == [1, -300, 7]
    assert table.columns[1].values.tolist() == [1, 2**40, 3]


def test_odd_but_usable_columns():
    n = np.array([0, 1, 2, 1, 0, 2])
    for values in (
        n.astype(">i4"),
        n.astype(np.longdouble),
        pd.arrays.SparseArray(n),
        pd.Series(n, dtype="Sparse[int]"),
    ):
        table = read_table({"x": values}, discrete=["x"])
        assert table.columns[0].values.tolist() == n.tolist()
        assert table.levels == (3,)
    assert read_table({"x": np.array([0.0, -0.0, 1.0] * 3)}, discrete=["x"]).levels == (2,)
    table = read_table({"x": pd.Categorical(["p", "q", "p", "q"], categories=["q", "p", "r"])})
    assert table.columns[0].labels == ("q", "p", "r")
    assert read_table({"x": pd.Series([1.5, 0.0, 2.0], dtype="Sparse[float]")}).columns[0].values.tolist() == [
        1.5,
        0,
        2,
    ]
    assert read_table({3: [1.0, 2.0], "a": [2.0, 1.0]}).names == (3, "a")


def test_zeros_of_both_signs_are_one_level_in_every_container():
    values = np.array([0.0, -0.0, 1.5, -0.0, 1.5, 0.0])
    parts = pa.chunked_array([values[:2], values[2:]])
    for raw in (values, pd.Series(values), pa.array(values), parts, values.tolist()):
        column = type_column("x", raw, as_discrete=True)
        assert column.labels == (0.0, 1.5)
        assert column.values.tolist() == [0, 0, 1, 0, 1, 0]


def test_identifiers_are_known_by_their_rows():
    labels = ("a", "b", "c", "never")
    assert is_identifier(Column(np.array([2, 0, 1], np.uint8), labels))
    assert not is_identifier(Column(np.array([2, 0, 2], np.uint8), labels))
    assert not is_identifier(Column(np.array([1, 0], np.uint8), labels))  # too few rows to say
    assert not is_identifier(Column(np.array([1.0, 2.0, 3.0]), None))


def test_other_labels_keep_the_rows():
    column = type_column("x", pa.array(["b", "a", "b"]), as_discrete=False)
    other = relabelled(column, ("c", "b", "a"))
    assert other.values.tolist() == [1, 2, 1]
    assert relabelled(column, ("a", "b")) is column
    with pytest.raises(KeyError, match="a"):
        relabelled(column, ("b", "c"))


def broken_dictionary(indices):
    """A dictionary array whose indices point where there is no entry, as a damaged file or a foreign library has."""
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(["a", "b"]), safe=False)


@pytest.mark.parametrize("indices", [[0, 1, 2, 0], [0, 1, -1, 0], [0, 1, 127, 0]])
def test_indices_outside_a_dictionary(indices):
    table = pa.table({"g": broken_dictionary(indices), "x": [1.0, 2.0, 3.0, 4.0]})
    for data, options in ((table, {}), (table.to_batches, {"out_of_core": True})):
        with pytest.raises(bnjit.DataError, match=r"column 'g' is damaged.*but there are 2"):
            bnjit.learn(data, **options)


def test_indices_outside_one_of_several_dictionaries():
    whole = pa.array(["x", "y", "x"]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    chunked = pa.chunked_array([whole, broken_dictionary([0, 3, 1])])
    with pytest.raises(bnjit.DataError, match="column 'g' is damaged"):
        bnjit.learn(pa.table({"g": chunked, "x": np.arange(6.0)}))


def test_codes_outside_the_categories_of_pandas():
    codes = pd.Categorical.from_codes(np.array([0, 1, 100, 1], np.int8), ["a", "b"], validate=False)
    with pytest.raises(bnjit.DataError, match="column 'g' is damaged"):
        bnjit.learn(pd.DataFrame({"g": codes, "x": np.arange(4.0)}))


def test_text_that_is_not_text():
    bad = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"\xffa")]
    )
    table = pa.table({"g": bad, "x": [1.0, 2.0]})
    for data in (table, table.to_batches):
        with pytest.raises(bnjit.DataError, match=r"'g'.*a text is not in UTF-8"):
            bnjit.learn(data)


def test_intervals_and_dates_are_levels_by_their_text():
    cut = pd.Series(pd.cut([1.0, 3.0, 3.0, 12.0], [0, 2, 10, 100]))
    dates = pd.Series(pd.to_datetime(["2024-01-02", "2024-01-01", "2024-01-02", "2024-01-02"]))
    assert type_column("c", cut, False).labels == ("(0, 2]", "(2, 10]", "(10, 100]")
    for same in (cut.astype("interval"), cut.astype(object)):
        column = type_column("c", same, False)
        assert column.labels == ("(0, 2]", "(2, 10]", "(10, 100]")  # in the order of the numbers
        assert column.values.tolist() == [0, 1, 1, 2]
    assert type_column("d", dates.astype("category"), False).labels == ("2024-01-01 00:00:00", "2024-01-02 00:00:00")
    assert type_column("n", pd.Series([2, 1, 2]).astype("category"), False).labels == (1, 2)


def test_categories_that_read_the_same():
    class Named:
        def __str__(self):
            return "one"

    column = pd.Series(pd.Categorical.from_codes([0, 1], [Named(), Named()]))
    with pytest.raises(bnjit.DataError, match="column 'c' has categories that differ, and read the same"):
        type_column("c", column, False)
