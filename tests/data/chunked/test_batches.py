"""Batches have the columns of the first one, and functions make batches."""

import pyarrow as pa
import pytest

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
