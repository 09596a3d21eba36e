"""Batches have the columns of the first one, and functions make batches."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnjit
from bnjit.data.chunked.batches import BatchFunction, check_schema
from bnjit.errors import DataError

FIRST = pa.schema({"x": pa.float64(), "g": pa.string()})


def test_text_is_text_however_it_is_stored():
    check_schema(pa.schema({"g": pa.large_string(), "x": pa.float64()}), "b", FIRST, "a")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"x": pa.float64()}, "b lacks the column 'g', which a has"),
        ({"x": pa.float64(), "g": pa.string(), "h": pa.int8()}, "a lacks the column 'h', which b has"),
        ({"x": pa.string(), "g": pa.string()}, "column 'x' is text in b and double in a; give it one type"),
        (
            {"x": pa.float64(), "g": pa.dictionary(pa.int8(), pa.string())},
            "column 'g' is categories of text in b and text in a",
        ),
    ],
)
def test_columns_that_do_not_agree(other, message):
    with pytest.raises(DataError, match=message):
        check_schema(pa.schema(other), "b", FIRST, "a")


def test_functions():
    table = pa.table({"x": [1.0, 2.0, 3.0], "g": ["a", "b", "a"]})
    for made in (lambda: [table], table.to_batches, lambda: iter(table.to_batches())):
        batches = BatchFunction(made)
        assert [(where, batch.num_rows) for where, batch in batches.read(["g"], 2)] == [
            ("record batch 0", 2),
            ("record batch 0", 1),
        ]
    for made, message in (
        (lambda: 3, "must return an iterable of record batches"),
        (lambda: [3], "made a int"),
        (list, "made no record batch"),
    ):
        with pytest.raises(DataError, match=message):
            BatchFunction(made)
    other = BatchFunction(lambda: [table, table.select(["x"])])
    with pytest.raises(DataError, match="record batch 1 lacks the column 'g', which record batch 0 has"):
        list(other.read(["x"], 10))


def test_a_batch_without_values_has_the_type_of_the_others():
    full, empty = pa.table({"x": [1.0, 2.0], "g": ["a", "b"]}), pa.table({"x": pa.nulls(3), "g": pa.nulls(3)})
    for parts in ([full, empty], [empty, full]):
        batches = BatchFunction(lambda parts=parts: parts)
        assert batches.schema == full.schema
        read = [batch for _, batch in batches.read(["x", "g"], 10)]
        assert pa.Table.from_batches(read) == pa.concat_tables(parts, promote_options="default")
    nothing = BatchFunction(lambda: [empty])
    assert nothing.schema == empty.schema


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_file_without_values_has_the_type_of_the_others(tmp_path, order):
    x = np.random.default_rng(1).normal(size=40)
    full = pa.table({"x": x, "g": np.where(x > 0, "u", "v"), "y": x[::-1]})
    empty = full.set_column(0, "x", pa.nulls(40)).set_column(1, "g", pa.nulls(40))
    for name, part in zip(order, (full, empty), strict=True):
        pq.write_table(part, tmp_path / f"{name}.parquet")
    table = pa.concat_tables([full, empty] if order == "ab" else [empty, full], promote_options="default")
    expected = bnjit.learn(table, missing="available")
    for out_of_core in (False, True):
        found = bnjit.learn(tmp_path, missing="available", out_of_core=out_of_core)
        assert list(found.dag.edges) == list(expected.dag.edges)
        assert found.score == pytest.approx(expected.score, rel=1e-12)
