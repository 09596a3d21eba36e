"""Partitions agree on levels and types, or an error names the one that does not."""

from itertools import pairwise

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.data.dask.partitions import type_partition
from bnjit.data.dask.rows import DaskRows
from bnjit.errors import DataError
from tests.comparison import assert_same_search
from tests.data.dask.frames import CUTS, every_kind, in_partitions, of_parts
from tests.data.passes import assert_same_rows, read_again


def as_objects(part):
    return part.astype({"place": object})


def as_found(part):
    """Categories that each partition has of its own."""
    return part.astype({"place": "category"})


@pytest.mark.parametrize("change", [as_objects, as_found, lambda part: part])
def test_levels_of_partitions_are_put_together(change):
    frame = every_kind()
    frame["kind"] = frame["kind"].cat.remove_unused_categories()
    expected = bnjit.learn(frame, discrete=["dose"])
    rows = of_parts([change(frame.iloc[a:b]) for a, b in pairwise([*CUTS, 300])])
    ours = bnjit.learn(rows, discrete=["dose"])
    assert_same_search(ours, expected)
    labels = ours.fit().labels
    assert labels[2:5] == ((False, True), ("b", "a"), (1, 2, 3, 4, 5))
    order = ["south", "north", "east"] if change is as_found else ["east", "north", "south"]
    assert sorted(labels[0]) == sorted(order)
    if change is not as_found:
        assert labels[0] == tuple(order)


@pytest.mark.parametrize("known", [True, False])
def test_categories_known_and_unknown(tmp_path, known):
    frame = every_kind().drop(columns="dose").astype({"place": "category"})
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=70)
    rows = dd.read_parquet(tmp_path / "rows.parquet", split_row_groups=True)
    assert rows.npartitions == 5
    rows = rows.categorize() if known else rows
    assert rows["place"].cat.known == known
    result = bnjit.learn(rows)
    assert_same_search(result, bnjit.learn(rows.compute()))
    assert set(result.fit().labels[0]) == {"east", "north", "south"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": "warm"}, "column 'x' holds text in partition 3 of data and numbers in partition 0"),
        ({"place": 1.5}, "column 'place' holds numbers in partition 3 of data and text in partition 0"),
        ({"hot": 2.0}, "column 'hot' holds numbers in partition 3 of data and booleans in partition 0"),
        ({"kind": "a"}, "column 'kind' holds text in partition 3 of data and categories in partition 0"),
        ({"dose": "much"}, "column 'dose' holds text in partition 3 of data and numbers in partition 0"),
        ({"x": np.nan}, r"partition 3 of data \(counting from 0\): column 'x' has 49 missing \(NaN\) values"),
        ({"x": np.inf}, r"partition 3 of data \(counting from 0\): column 'x' has 49 infinite values"),
        ({"place": None}, r"partition 3 of data \(counting from 0\): column 'place'"),
        ({"x": pd.Timestamp("2020-01-01")}, "partition 3 .*: column 'x' has type datetime64"),
        ({"x": np.linspace(-1e200, 1e200, 49)}, r"partition 3 .*: column 'x' has values up to 1e\+200, too large"),
    ],
)
def test_bad_partitions_are_named(change, message):
    frame = every_kind()
    parts = [frame.iloc[a:b] for a, b in pairwise([0, 1, 50, 50, 99, 300])]
    parts[3] = parts[3].assign(**change)
    with pytest.raises(DataError, match=message):
        bnjit.learn(of_parts(parts), discrete=["dose"])


class Growing:
    """Partitions that are not the same when they are read again."""

    def __init__(self, folder, change):
        self.folder, self.change = folder, change

    def __call__(self, frame, partition_info=None):
        if partition_info is None or partition_info["number"] != 1:
            return frame
        again = (self.folder / "read").exists()
        (self.folder / "read").touch()
        return self.change(frame) if again else frame


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda part: part.iloc[1:], "partition 1 .* had 150 rows when it was first read and has 149 now"),
        (lambda part: part.assign(place="west"), "column 'place' has the level 'west' in partition 1"),
    ],
)
def test_data_must_stay_as_it_was(tmp_path, change, message):
    rows = in_partitions(every_kind(), (0, 150))
    with pytest.raises(DataError, match=message):
        bnjit.learn(rows.map_partitions(Growing(tmp_path, change), meta=rows._meta))


def test_partitions_have_the_rows_of_the_table():
    frame = every_kind()
    rows = read_again(DaskRows(in_partitions(frame), ["dose"]))
    assert_same_rows(rows, read_table(frame, ["dose"]))


def test_what_a_partition_must_hold():
    frame = every_kind()
    labels = read_table(frame, ["dose"]).labels
    some = type_partition(frame, list(frame), labels, [0, 1], 4)
    assert [len(column.values) for column in some.columns] == [300, 300, 0, 0, 0, 0]
    with pytest.raises(DataError, match=r"partition 4 of data .* is a list; it must be a pandas DataFrame"):
        type_partition([1, 2], list(frame), labels, [0], 4)
    with pytest.raises(DataError, match=r"partition 4 of data .* lacks the column 'x'; all partitions need all"):
        type_partition(frame.drop(columns="x"), list(frame), labels, [0, 1], 4)
    with pytest.raises(DataError, match=r"column 'place' changed its type in partition 4 of data"):
        type_partition(frame, list(frame), (None, *labels[1:]), [0], 4)
