"""CSV files as people have them are read right, or one message says what to do."""

import bz2
import gzip
import lzma
import zipfile
from io import StringIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.data.csvfile import read_csv
from bnjit.errors import BnjitWarning, DataError

FRAME = pd.DataFrame({"x": [0.5, -1.25, 1234.5, 3.0], "k": [1, 2, 3, 5], "g": ["a", "b, c", "a", "d;e|f"]})


def read(tmp_path, content, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    table = read_table(path)
    return {
        name: column.values.tolist() if column.labels is None else [column.labels[c] for c in column.values]
        for name, column in zip(table.names, table.columns, strict=True)
    }


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "T.CSV"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(delimiter, name, tmp_path):
    assert read(tmp_path, FRAME.to_csv(index=False, sep=delimiter), name) == FRAME.to_dict("list")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_decimal_commas(delimiter, tmp_path):
    assert read(tmp_path, FRAME.to_csv(index=False, sep=delimiter, decimal=",")) == FRAME.to_dict("list")


def test_decimal_commas_after_many_rows(tmp_path):
    content = "x;y\n" + "1;2\n" * 50_000 + "1,5;1.234,5\n;-0,25\n7;3\n"
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(DataError, match="column 'x' has 1 missing value, the first in row 50001"):
        read_table(path)
    path.write_text(content.replace("\n;", "\n2;"))
    x, y = read_table(path).columns
    assert x.values[-4:].tolist() == [1, 1.5, 2, 7]
    assert y.values[-4:].tolist() == [2, 1234.5, -0.25, 3]


def test_decimal_commas_after_many_missing_values(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n" + ";2\n" * 2000 + "1,5;inf\n-2,5;1,5\n")
    x, y = read_csv(path).columns
    assert (x.type, y.type) == (pa.float64(), pa.float64())
    assert x.null_count == 2000
    assert x[2000:].to_pylist() == [1.5, -2.5]
    assert y[2000:].to_pylist() == [np.inf, 1.5]


def test_one_column_tells_what_commas_are_for(tmp_path):
    assert read(tmp_path, "x\ty\n1,234\t0,5\n2,345\t2\n") == {"x": [1.234, 2.345], "y": [0.5, 2]}


def test_in_a_file_with_semicolons_a_comma_is_for_decimals(tmp_path):
    assert read(tmp_path, "x;y\n1,234;1\n2,345;2\n") == {"x": [1.234, 2.345], "y": [1, 2]}


@pytest.mark.parametrize(
    ("content", "way"),
    [
        ("x\ty\n1,234\t1\n2,345\t2\n", r"decimal=','\) or thousands=','"),
        ('x,y\n"1,5",1\n"2,25",2\n', r"decimal=','\)"),
        ('x,y\n"1,234,567",1\n"7.5",2\n', r"thousands=','\)"),
        ('x,y\n"1,234",0.5\n"7,005",2\n', r"thousands=','\)"),
        ("x;y\n1,5;1.234\n2,5;2.345\n", r"decimal=','\)"),  # points for decimals, too, or for thousands
        ("x;y\n1,234,567;1\n2;2\n", r"thousands=','\)"),
    ],
)
def test_commas_that_may_mean_two_things(content, way, tmp_path):
    words = r"column 'x' of '.*t.csv' has numbers with commas, such as '1,.*; say what they mean with pandas.read_csv"
    with pytest.raises(DataError, match=rf"{words}\(path, sep='.*', {way}, and give the DataFrame"):
        read(tmp_path, content)


def test_text_with_commas_stays_text(tmp_path):
    assert read(tmp_path, "x;y\n1,5;1\nunknown;2\n1,5;3\n") == {"x": ["1,5", "unknown", "1,5"], "y": [1, 2, 3]}


def test_two_delimiters_fit(tmp_path):
    content = "a,b;c\n1,2;3\n4,5;6\n"
    with pytest.raises(DataError, match=r"t.csv' can be split by commas and by semicolons; say which with pandas"):
        read(tmp_path, content)
    with pytest.raises(DataError, match=r"t.csv' can be split by commas and by tabs"):
        read(tmp_path, content.replace(";", "\t"))
    with_tabs = content.replace(";", "\t").replace("4,5", "4,?")
    assert read(tmp_path, with_tabs, "t.tsv") == {"a,b": ["1,2", "4,?"], "c": [3, 6]}


def test_delimiters_within_quotes_do_not_count(tmp_path):
    content = '"a;b","c;d"\n"1;2","x;y"\n"3;4","z;y"\n'
    assert read(tmp_path, content) == {"a;b": ["1;2", "3;4"], "c;d": ["x;y", "z;y"]}


def test_excel_says_what_is_between_values(tmp_path):
    assert read(tmp_path, "sep=;\r\na;b\r\n1,5;x,y\r\n2,5;z\r\n") == {"a": [1.5, 2.5], "b": ["x,y", "z"]}


def test_values_separated_by_spaces(tmp_path):
    for content in ("a b\n1 2\n3 4\n", '"a" "b"\n"1" 1 2\n"2" 3 4\n'):
        with pytest.raises(DataError, match=r"t.txt' seem to be separated by spaces; .*sep=r'\\s\+'"):
            read(tmp_path, content, "t.txt")


def test_line_breaks_within_quotes(tmp_path):
    content = "a,b\n" + '"one\nlong level, with a comma",1.5\nshort,2\n' * 40_000  # more than a block of the reader
    found = read(tmp_path, content)
    assert found["a"] == ["one\nlong level, with a comma", "short"] * 40_000
    assert read(tmp_path, 'a,b\r\n"x\r\ny",1\r\nz,2\r\n') == {"a": ["x\r\ny", "z"], "b": [1, 2]}


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff", "  \n"])
def test_an_empty_file(content, tmp_path):
    with pytest.raises(DataError, match=r"the file '.*t.csv' is empty"):
        read(tmp_path, content)


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a;b\n\n"])
def test_a_header_and_no_rows(content, tmp_path):
    with pytest.raises(DataError, match=r"the file '.*t.csv' has a line of column names and no rows"):
        read(tmp_path, content)


def test_rows_with_different_numbers_of_values(tmp_path):
    for bad, got, way in (
        ("1;2;3", "3 values", "on_bad_lines='skip'"),
        ("1", "1 value", r"sep=';'\), which fills short lines up with gaps; skipfooter="),
    ):
        with pytest.raises(DataError, match=rf"line 4 of '.*t.csv' has {got} and the first line.* has 2, .*{way}"):
            read(tmp_path, f"a;b\n1;2\n3;4\n{bad}\n5;6\n")
    with pytest.raises(DataError, match=r"line 2 of '.*t.csv' has 3 values and the first line.* has 1, .*skiprows"):
        read(tmp_path, "A title\na,b,c\n1,2,3\n")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("A title\n\n\na,b,c\n1,2,3\n", 4),
        ("\r\nA title\r\n\r\na,b,c\r\n1,2,3\r\n", 4),
        ('a;b\n\n"x\ny";2\n\n3;4;5\n', 6),
        ('"sep=;"\na;b\n\n1;2\n3\n', 5),
    ],
)
def test_lines_are_counted_as_an_editor_does(content, line, tmp_path):
    for encoding in ("utf-8", "utf-16"):
        with pytest.raises(DataError, match=rf"^line {line} of '.*t.csv' has "):
            read(tmp_path, content.encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings(encoding, tmp_path):
    assert read(tmp_path, "größe,b\nüber,1\nunter,2\n".encode(encoding)) == {"größe": ["über", "unter"], "b": [1, 2]}


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_latin_1_comes_with_a_word(encoding, tmp_path):
    early = "größe,b\nüber,1\nunter,2\n"
    late = "a,b\n" + "unter,1\n" * 20_000 + "über,2\n"
    for content in (early, late):
        with pytest.warns(BnjitWarning, match=r"t.csv' is not in UTF-8; it was read as Windows-1252"):
            found = read(tmp_path, content.encode(encoding))
        assert next(iter(found)) in ("größe", "a")
        assert "über" in next(iter(found.values()))


def test_no_encoding_fits(tmp_path):
    with pytest.raises(DataError, match=r"t.csv': it is neither in UTF-8 nor in Windows-1252; convert it to UTF-8"):
        read(tmp_path, b"a,b\n\x81\x8d,1\nx,2\n")


def test_row_numbers_that_pandas_wrote_are_no_variable(tmp_path):
    days = pd.date_range("2024-01-01", periods=4)
    for index in ([0, 1, 2, 3], [1, 2, 3, 4], [7, 2, 3, 9], list("wxyz"), days, days + pd.Timedelta("7h")):
        frame = FRAME.set_axis(index)
        with pytest.warns(BnjitWarning, match=r"first column of '.*t.csv' has no name .* from .* to .*left out"):
            assert read(tmp_path, frame.to_csv()) == FRAME.to_dict("list")
    twice = pd.read_csv(StringIO(FRAME.to_csv())).to_csv()
    with pytest.warns(BnjitWarning, match="left out") as warned:
        assert read(tmp_path, twice) == FRAME.to_dict("list")
    assert len(warned) == 2


def test_other_columns_without_a_name_stay(tmp_path):
    with pytest.warns(BnjitWarning, match="^'' has no name"):
        assert read(tmp_path, ",b\n1,2\n1,3\n") == {"": [1, 1], "b": [2, 3]}
    with pytest.warns(BnjitWarning, match="^'' has no name"):
        assert read(tmp_path, "a,\n1,2\n2,3\n") == {"a": [1, 2], "": [2, 3]}
    assert read(tmp_path, "a,b,\n1,2,\n2,3,\n") == {"a": [1, 2], "b": [2, 3]}  # but not one without values


def test_row_names_of_r(tmp_path):
    for first in ('"","x","g"', '"x","g"'):  # write.csv, and write.table with sep = ","
        with pytest.warns(BnjitWarning, match="from Mazda to Fiat: .* row names, and left out"):
            found = read(tmp_path, f'{first}\n"Mazda",1.5,"a"\n"Fiat",2,"b"\n')
        assert found == {"x": [1.5, 2], "g": ["a", "b"]}


def test_a_row_in_place_of_names(tmp_path):
    for content in ("5.1,3.5,setosa\n4.9,3,setosa\n5,3,other\n", "1,0,2\n3,4,5\n6,7,8\n"):
        with pytest.warns(BnjitWarning, match=r"first line of .* was read as the names of columns, .*header=None"):
            assert len(read(tmp_path, content)) == 3
    assert list(read(tmp_path, "country,2019,2020\nFR,1,2\nDE,3,4\n")) == ["country", "2019", "2020"]


MARKERS = ["", "NA", "NaN", "nan", "null", "NULL", "N/A", "n/a", "#N/A", "None", "<NA>", "#NA", "-nan", "1.#IND"]


@pytest.mark.parametrize("marker", MARKERS)
def test_markers_of_missing_values(marker, tmp_path):
    content = f"x,g\n1.5,a\n{marker},b\n2,{marker}\n"
    assert pd.read_csv(StringIO(content)).isna().sum().tolist() == [1, 1]
    with pytest.raises(DataError, match="column 'x' has 1 missing value, the first in row 1 "):
        read(tmp_path, content)
    with pytest.raises(DataError, match="column 'g' has 1 missing value, the first in row 2 "):
        read(tmp_path, content.replace(f"\n{marker},", "\n7,"))


def compressed(suffix, content, path):
    if suffix == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("folder/", "")
            archive.writestr("__MACOSX/._t.csv", "resources of a Mac")
            archive.writestr("folder/inner.csv", content)
    elif suffix in ("gz", "bz2", "xz"):
        path.write_bytes({"gz": gzip, "bz2": bz2, "xz": lzma}[suffix].compress(content))
    else:
        with pa.CompressedOutputStream(str(path), {"zst": "zstd", "lz4": "lz4"}[suffix]) as stream:
            stream.write(content)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst", "lz4", "zip"])
def test_compressed_files(suffix, encoding, tmp_path):
    frame = pd.DataFrame({"x": np.arange(30_000) / 4, "g": ["ä", "b", "c"] * 10_000})
    compressed(suffix, frame.to_csv(index=False, sep=";", decimal=",").encode(encoding), tmp_path / f"t.csv.{suffix}")
    table = read_table(tmp_path / f"t.csv.{suffix}")
    assert table.names == ("x", "g")
    np.testing.assert_array_equal(table.columns[0].values, frame["x"])
    assert table.columns[1].labels == ("b", "c", "ä")


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst", "lz4", "zip"])
def test_damaged_compressed_files(suffix, tmp_path):
    path = tmp_path / f"t.csv.{suffix}"
    compressed(suffix, FRAME.to_csv(index=False).encode() * 500, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=rf"t.csv.{suffix}"):
        read_table(path)
    path.write_bytes(whole[:110] + bytes(40) + whole[150:])
    with pytest.raises(DataError, match=rf"t.csv.{suffix}"):
        read_table(path)


def test_archives_with_anything_else(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "x,y\n1,2\n")
        archive.writestr("b.csv", "x,y\n1,2\n")
    with pytest.raises(
        DataError, match=r"the archive '.*t.zip' holds 'a.csv', 'b.csv', and must hold one .csv.*unpack it"
    ):
        read_table(path)
    for content, is_read in ((b"x,y\n1,2\n", True), (b"PK\x03\x04", False)):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("t.csv.zip", content)  # called like the archive
        if is_read:
            assert read_csv(path).to_pydict() == {"x": [1], "y": [2]}
        else:
            with pytest.raises(DataError, match=r"holds 't.csv.zip', and must hold one .csv"):
                read_csv(path)
    with zipfile.ZipFile(tmp_path / "t.csv", "w") as archive:
        archive.writestr("[Content_Types].xml", "")
    with pytest.raises(DataError, match=r"t.csv' is an Excel file; give pandas.read_excel\(path\)"):
        read_table(tmp_path / "t.csv")


def test_learn_reads_what_people_have(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + 0.1 * rng.normal(size=300), "g": rng.choice(["a", "b"], 300)})
    expected = bnjit.learn(frame, progress=False)
    path = tmp_path / "t.csv"
    frame.to_csv(path, sep=";", decimal=",", encoding="utf-16")
    with pytest.warns(BnjitWarning, match="left out"):
        found = bnjit.learn(path, progress=False)
    assert set(found.dag.edges) == set(expected.dag.edges)
    assert found.score == pytest.approx(expected.score)


def test_blanks_after_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a, b, group\n1.5, 2, red\n2.5, 4, blue\n3.5, , NA\n")
    table = read_csv(path)
    assert table.column_names == ["a", "b", "group"]
    assert table.to_pydict() == {"a": [1.5, 2.5, 3.5], "b": [2, 4, None], "group": ["red", "blue", None]}
    path.write_text("a,group\n1.5, red\n2.5,red\n")  # blanks that may be meant
    assert read_csv(path).to_pydict()["group"] == [" red", "red"]
