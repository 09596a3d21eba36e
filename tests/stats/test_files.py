"""Files of statistics: what was saved comes back, and anything else is refused."""

import json

import numpy as np
import pytest

from bnjit import Statistics
from bnjit.errors import ArgumentError, FileFormatError
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
