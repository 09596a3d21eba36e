"""A file that bnjit does not read is refused with the way to read it."""

import pyarrow as pa
import pyarrow.feather
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.errors import DataError


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("t.xlsx", "give pandas.read_excel(path)"),
        ("t.XLS", "give pandas.read_excel(path)"),
        ("t.ods", "give pandas.read_excel(path)"),
        ("t.sav", "give pandas.read_spss(path)"),
        ("t.dta", "give pandas.read_stata(path)"),
        ("t.sas7bdat", "give pandas.read_sas(path)"),
        ("t.json", "give pandas.read_json(path)"),
        ("t.json.gz", "give pandas.read_json(path)"),
        ("t.jsonl", "give pandas.read_json(path, lines=True)"),
        ("t.rds", "write the table in R, with write.csv(table, file, row.names = FALSE), and give that"),
    ],
)
def test_the_way_out(name, way, tmp_path):
    (tmp_path / name).write_bytes(b"anything")
    for read in (read_table, bnjit.learn):
        with pytest.raises(DataError) as raised:
            read(tmp_path / name)
        assert repr(name) in str(raised.value)
        assert str(raised.value).endswith(way)


def test_unknown_names(tmp_path):
    (tmp_path / "t.what").write_bytes(b"anything")
    with pytest.raises(DataError, match=r"cannot tell what 't.what' is; the name must end in .csv"):
        read_table(tmp_path / "t.what")


@pytest.mark.filterwarnings("ignore:Feather V1:DeprecationWarning")
def test_feather_of_version_1(tmp_path):
    path = tmp_path / "t.feather"
    pyarrow.feather.write_feather(pa.table({"x": [1.0, 2.0]}), path, version=1)
    for options in ({}, {"out_of_core": True}):
        with pytest.raises(DataError, match=r"Feather file of version 1; give pyarrow.feather.read_table\(path\)"):
            bnjit.learn(path, progress=False, **options)
