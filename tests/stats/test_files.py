"""Files of statistics: what was saved comes back, and anything else is refused."""

import json

import numpy as np
import pytest

from bnjit import Statistics
from bnjit.data.schema import Schema
from bnjit.errors import ArgumentError, FileFormatError
from bnjit.stats import TriangleRequest
from bnjit.stats.files import DAMAGED, check_savable, pack, read_arrays, unpack, write_arrays
from bnjit.stats.triangles import add_rows, no_triangles
from tests.comparison import assert_same_cells
from tests.stats.rows import collect, mixed_rows
from tests.stats.test_statistics import rows


def test_hostile_files(tmp_path):
    path = tmp_path / "kept.npz"
    Statistics.collect(rows(100, 1)).save(path)
    whole = path.read_bytes()
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(str(arrays["header"]))
    with pytest.raises(ArgumentError, match="there is no file"):
        Statistics.load(tmp_path / "nothing.npz")
    for content in (b"", b"hello", whole[: len(whole) // 2], whole[:-10]):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(FileFormatError):
            Statistics.load(tmp_path / "bad")
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(FileFormatError):
        Statistics.load(tmp_path / "array.npy")
    infinite = arrays["means1"].copy()
    infinite[0, 0] = np.inf
    whole_table = header["tables"][0]
    wrong_tables = [[whole_table, table] for table in ([[99], []], [[1], []], [[0, 0], []], [["0"], []], [[0], [99]])]
    wrong_tables += [[[[], []]], [[[0], []]]]
    changes = [
        *({"header": np.array(json.dumps({**header, "tables": tables}))} for tables in wrong_tables),
        {"version": np.int64(7)},
        {"version": np.array("one")},
        {"header": np.array("{")},
        {"header": np.array("[]")},
        {"header": np.array(json.dumps({**header, "names": ["a"]}))},
        {"keys1": arrays["keys1"][::-1]},
        {"keys1": arrays["keys1"] + 10**9},
        {"keys1": arrays["keys1"].astype(np.float64)},
        {"counts1": -arrays["counts1"]},
        {"counts1": arrays["counts1"] + 1},
        {"means1": infinite},
        {"means1": arrays["means1"][:, :1]},
        {"crosses1": -arrays["crosses1"]},
        {"crosses1": np.array([object()])},
    ]
    for change in changes:
        np.savez(tmp_path / "hostile.npz", **{**arrays, **change})
        with pytest.raises(FileFormatError):
            Statistics.load(tmp_path / "hostile.npz")
    del arrays["mean_corrections1"]
    np.savez(tmp_path / "hostile.npz", **arrays)
    with pytest.raises(FileFormatError):
        Statistics.load(tmp_path / "hostile.npz")


@pytest.mark.parametrize("compress", [False, True])
def test_arrays_and_header_come_back(tmp_path, compress):
    path = tmp_path / "kept"
    arrays = {"a": np.arange(5), "b": np.array([[1.5, -np.inf]]), "empty": np.empty((0, 3))}
    header = {"names": ["x", "ü"], "nested": [1, None, {"y": 2.5}]}
    for _ in range(2):  # the second time over the first
        write_arrays(path, 3, header, arrays, compress)
    found, again = read_arrays(path, 3, "something")
    assert found == header
    assert set(again) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(again[name], array)
        assert again[name].dtype == array.dtype
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    with pytest.raises(FileFormatError, match="has version 3, and this bnjit reads 4"):
        read_arrays(path, 4, "something")


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "kept"
    write_arrays(path, 1, {}, {"a": np.arange(3)}, compress=False)
    with pytest.raises(TypeError):
        write_arrays(path, 1, {"no": object()}, {"a": np.arange(4)}, compress=False)
    assert read_arrays(path, 1, "something")[1]["a"].tolist() == [0, 1, 2]
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]


def packed():
    """Statistics with tables and triangles, as they are packed."""
    table = mixed_rows(80)
    request = TriangleRequest((0,), np.array([1, 3]), (2, 4), 80)
    made = no_triangles(request)
    add_rows(table, request, made)
    tables = [collect(table, (), table.continuous), collect(table, (0, 1), (2, 4)), collect(table, (1,), ())]
    return (Schema(table.names, table.labels), tables, [made]), pack(table, tables, [made])


def test_tables_and_triangles_come_back():
    (schema, tables, triangles), (header, arrays) = packed()
    again, cells, made = unpack(json.loads(json.dumps(header)), arrays)
    assert (again.names, again.labels) == (schema.names, schema.labels)
    for ours, theirs in zip(cells, tables, strict=True):
        assert_same_cells(ours, theirs, rel=0)
        np.testing.assert_array_equal(ours.moments.mean_corrections, theirs.moments.mean_corrections)
    ((ours, theirs),) = zip(made, triangles, strict=True)
    assert (ours.variables, ours.columns) == (theirs.variables, theirs.columns)
    for a, b in zip((ours.keys, *ours.triangles), (theirs.keys, *theirs.triangles), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("triangle_keys0", lambda a: a[::-1]), ("triangle_keys0", lambda a: a + 5), ("triangle_keys0", lambda a: a[:0]),
        ("triangle_counts0", lambda a: 0 * a), ("triangle_counts0", lambda a: a.astype(float)),
        ("triangle_shifts0", lambda a: a[:, :1]), ("triangle_R0", lambda a: a * np.inf),
        ("triangle_R0", lambda a: a[:, :2]), ("triangle_R0", lambda a: a.astype(np.float32)),
    ],
)  # fmt: skip
def test_hostile_triangles(name, change):
    _, (header, arrays) = packed()
    with np.errstate(invalid="ignore"):
        wrong = {**arrays, name: change(arrays[name])}
    with pytest.raises(DAMAGED):
        unpack(header, wrong)


def test_what_a_file_cannot_keep():
    with pytest.raises(ArgumentError, match="column 3 is not named by a text"):
        check_savable([3], [None])
    with pytest.raises(ArgumentError, match=r"the level \(1, 2\) is neither text nor a number"):
        check_savable(["x"], [("a", (1, 2))])
    check_savable(["x", "y"], [("a", True, 2, 2.5), None])
