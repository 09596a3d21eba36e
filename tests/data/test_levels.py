"""Levels are the same whether rows come at once, in batches or in parts, and identifiers are told from them."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.data.chunked.encoder import Encoder
from bnjit.data.column import type_column
from bnjit.data.dask.partitions import find_levels, merge_findings
from bnjit.data.levels import Levels, codes_if_distinct, identifier_message, sort_labels
from bnjit.errors import DataError
from tests.data.dask.frames import frames_between

LABELS = st.lists(st.sampled_from(["a", "b", "B", "\u00e9", "", "10", "9"]), min_size=1, max_size=30)


def found_in(batches, keeps_order):
    """Levels of batches of labels."""
    levels = Levels(keeps_order)
    for batch in batches:
        levels.add_rows(levels.add(batch))
    return levels


@given(rows=LABELS, cut=st.integers(0, 30), keeps_order=st.booleans())
def test_batches_and_parts_have_the_levels_of_the_whole(rows, cut, keeps_order):
    expected = tuple(dict.fromkeys(rows)) if keeps_order else tuple(sorted(set(rows)))
    is_identifier = len(set(rows)) == len(rows) >= 3
    head, tail = rows[:cut], rows[cut:]
    first, second = found_in([head], keeps_order), found_in([tail], keeps_order)
    before = pickle.dumps(first)
    for levels in (
        found_in([rows], keeps_order),
        found_in([head, tail], keeps_order),
        found_in([[row] for row in rows], keeps_order),
        first.merged([second]),
        first.merged([]).merged([second, found_in([], keeps_order)]),
        pickle.loads(pickle.dumps(first)).merged([second]),
    ):
        assert levels.in_order() == expected
        assert levels.rows == len(rows)
        assert levels.is_identifier == is_identifier
    assert pickle.dumps(first) == before


@given(rows=LABELS, cut=st.integers(0, 30))
def test_memory_batches_and_partitions_find_the_same_levels(rows, cut):
    expected = type_column("x", pa.array(rows), as_discrete=False)
    encoder = Encoder("x", pa.string(), as_discrete=False)
    for first, batch in ((0, rows[:cut]), (len(rows[:cut]), rows[cut:])):
        encoder.values(pa.array(batch, pa.string()), "batch", first)
    encoder.fix_levels()
    assert encoder.labels == expected.labels
    values = encoder.values(pa.array(rows), "batch", 0)
    assert values.dtype == expected.values.dtype
    np.testing.assert_array_equal(values, expected.values)
    parts = [
        find_levels(part, ["x"], frozenset(), number)[1]
        for number, part in enumerate(frames_between({"x": rows}, [0, cut, len(rows)]))
    ]
    (merged,) = merge_findings(["x"], parts)
    assert merged.labels == expected.labels
    assert merged.levels.is_identifier == encoder.is_identifier == (len(set(rows)) == len(rows) >= 3)


def test_missing_labels_have_no_code():
    levels = Levels(keeps_order=True)
    assert levels.add(["p", None, "q", "p"]).tolist() == [0, -1, 1, 0]
    assert levels.labels == ("p", "q")


def test_codes_that_differ_and_labels_in_order():
    assert codes_if_distinct(np.array([2, 0, 1], np.uint8), 3).tolist() == [0, 1, 2]
    assert codes_if_distinct(np.array([2, 0, 2], np.uint8), 3) is None
    assert codes_if_distinct(np.array([2, 0, 1], np.uint8), 2) is None
    labels, position = sort_labels([10, -1, 3])
    assert labels == (-1, 3, 10)
    assert position.tolist() == [2, 0, 1]


EARLY = "column 'visits' is discrete and different in each of its first 8 rows, like an identifier"


def test_an_identifier_is_given_up_early_in_batches():
    """The name of the column stays as it is, whatever words the message has."""
    encoder = Encoder("visits", pa.string(), as_discrete=False, identifier_rows=8)
    rows = pa.array([f"visit {i}" for i in range(12)])
    encoder.values(rows.slice(0, 4), "batch 0", 0)
    with pytest.raises(DataError, match=EARLY):
        encoder.values(rows.slice(4, 4), "batch 1", 4)


def test_an_identifier_is_given_up_early_in_partitions():
    rows = {"visits": [f"visit {i}" for i in range(12)]}
    parts = [
        find_levels(part, ["visits"], frozenset(), number)[1]
        for number, part in enumerate(frames_between(rows, [0, 4, 8, 12]))
    ]
    assert merge_findings(["visits"], parts[:1], identifier_rows=8)[0].levels.is_identifier
    with pytest.raises(DataError, match=EARLY):
        merge_findings(["visits"], parts[:2], identifier_rows=8)


def test_a_level_that_comes_twice_is_no_identifier():
    encoder = Encoder("visits", pa.string(), as_discrete=False, identifier_rows=4)
    encoder.values(pa.array(["a", "b", "a"]), "batch 0", 0)
    encoder.values(pa.array(["c", "d", "e"]), "batch 1", 3)
    encoder.fix_levels()
    assert not encoder.is_identifier


def test_the_message_says_whether_there_are_more_rows():
    assert "each of its 1,200 rows" in identifier_message("visits", 1200)
    assert "column 'visits' is discrete and different in each of its first 1,200 rows" in identifier_message(
        "visits", 1200, has_more=True
    )
