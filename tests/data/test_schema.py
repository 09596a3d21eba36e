"""Names, kinds and levels of columns."""

import pytest

from bnjit.data.schema import Schema, aligned_labels, listing
from bnjit.errors import DataError


def test_kinds_and_levels_follow_from_labels():
    schema = Schema(["a", "x", "b"], [("p", "q"), None, (1, 2, 3)])
    schema.n = 7
    assert schema.discrete == (True, False, True)
    assert schema.continuous == (1,)
    assert schema.levels == (2, 0, 3)
    assert schema.configurations([0, 2]) == 6
    assert schema.configurations([]) == 1
    assert schema.index("b") == 2
    assert repr(schema) == "Schema(7 rows, 2 discrete and 1 continuous columns)"
    assert not schema.constants
    with pytest.raises(DataError, match="there is no column 'c'; the columns are 'a', 'x', 'b'"):
        schema.index("c")


def test_levels_of_two_tables_are_put_together():
    mine = Schema(["a", "x"], [("p", "q"), None])
    assert aligned_labels(mine, Schema(["x", "more", "a"], [None, None, ("r", "q")]), "test_data") == [
        ("p", "q", "r"),
        None,
    ]
    for other, message in (
        (Schema(["a"], [("p",)]), "test_data lacks the column 'x'"),
        (Schema(["a", "x"], [None, None]), "'a' is discrete in data and continuous in test_data"),
        (Schema(["a", "x"], [("p",), ("p",)]), "'x' is continuous in data and discrete in test_data"),
        (Schema(["a", "x"], [("r", "s"), None]), "'a' has no level in common in data and test_data"),
    ):
        with pytest.raises(DataError, match=message):
            aligned_labels(mine, other, "test_data")


def test_long_listings_are_cut():
    assert listing(["a", 2]) == "'a', 2"
    assert listing(list(range(13))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ... (13 in all)"
