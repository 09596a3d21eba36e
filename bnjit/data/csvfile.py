"""Read CSV files as people have them: any delimiter and encoding, compressed, with row names and decimal commas."""

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from bnjit.data.arrow import is_text
from bnjit.data.dialect import DELIMITERS, OLD_ENCODING, Dialect, find_dialect
from bnjit.data.schema import listing
from bnjit.data.tuning import HEAD_BYTES
from bnjit.errors import DataError, warn

# What pandas reads as missing.
MISSING = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
]  # fmt: skip
# Numbers with a comma for decimals and points, apostrophes or spaces for thousands; and with a comma for thousands.
_GROUPS = ".' \u00a0\u202f"
_DECIMAL_COMMA = rf"^-?(\d+|\d{{1,3}}([{_GROUPS}]\d{{3}})+)(,\d+)?([eE][+-]?\d+)?$|^-?(?i:inf)$"
_THOUSANDS_COMMA = r"^-?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?$"
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)


def read_csv(path: Path) -> pa.Table:
    """Read a text file with a line of names and a line for each row; an error or a warning for what is not clear.

    Row numbers and row names, which have no name of their own, are left out with a warning.
    """
    with _opened(path) as stream:
        head = stream.read(HEAD_BYTES)
    dialect = find_dialect(head, len(head) < HEAD_BYTES, path)
    table = _parse(path, dialect)
    if dialect.encoding == "utf8" and any(pa.types.is_binary(kind) for kind in table.schema.types):
        dialect = dialect._replace(encoding=OLD_ENCODING)  # after the first bytes there is something that is not UTF-8
        table = _parse(path, dialect)
    if dialect.encoding == OLD_ENCODING:
        warn(
            f"{str(path)!r} is not in UTF-8; it was read as Windows-1252 (Latin-1). If names or levels look wrong, "
            "convert the file to UTF-8"
        )
    if table.num_rows == 0:
        raise _no_rows(path)
    table = _without_blanks(table)
    _warn_of_values_as_names(table.column_names, path)
    return _with_numbers(_without_row_names(table, path), dialect.delimiter, path)


def _without_blanks(table: pa.Table) -> pa.Table:
    """Names and texts without blanks around them, if a name has some: people write `a, b, c`."""
    names = [name.strip() for name in table.column_names]
    if names == table.column_names or len(set(names)) < len(names):
        return table
    return pa.table([_trimmed(column) if is_text(column.type) else column for column in table.columns], names=names)


def _trimmed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts without blanks around them; numbers, if that is what is left."""
    texts = pc.utf8_trim_whitespace(column)
    texts = pc.if_else(pc.is_in(texts, pa.array(MISSING, texts.type)), None, texts)
    for kind in (pa.int64(), pa.float64()):
        with suppress(pa.ArrowInvalid):
            return texts.cast(kind)
    return texts


def _no_rows(path: Path) -> DataError:
    return DataError(f"the file {str(path)!r} has a line of column names and no rows; give one with rows")


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file to read it, with what it holds decompressed; its first bytes say how, whatever its name is."""
    with path.open("rb") as file:
        start = file.read(6)
    try:
        if start.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(path) as archive, archive.open(_only_member(archive, path)) as stream:
                yield stream
            return
        for mark, opener in _OPENERS.items():
            if start.startswith(mark):
                with opener(path) as stream:
                    yield stream
                return
        with pa.OSFile(str(path)) as stream:
            yield stream
    except Exception as error:
        if not isinstance(error, _DAMAGE) and type(error).__name__ != "LZMAError":  # not every Python has lzma
            raise
        raise DataError(f"cannot read {str(path)!r}: {error}") from error


def _open_xz(path: Path) -> Any:
    import lzma

    return lzma.open(path)


def _arrow_opener(compression: str) -> Callable[[Path], Any]:
    return lambda path: pa.input_stream(str(path), compression=compression)


_OPENERS: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": _arrow_opener("gzip"), b"(\xb5/\xfd": _arrow_opener("zstd"), b"\x04\x22M\x18": _arrow_opener("lz4"),
    b"BZh": _arrow_opener("bz2"), b"\xfd7zXZ\x00": _open_xz,
}  # fmt: skip


def _only_member(archive: zipfile.ZipFile, path: Path) -> str:
    """Name of the only file in an archive, which must be a CSV file."""
    names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if "[Content_Types].xml" in names:
        raise DataError(f"{str(path)!r} is an Excel file; give pandas.read_excel(path)")
    if len(names) != 1 or not _is_text_file(archive, names[0]):
        raise DataError(
            f"the archive {str(path)!r} holds {listing(names) or 'no files'}, and must hold one .csv, .tsv or .txt "
            "file; unpack it, and give the path of one"
        )
    return names[0]


def _is_text_file(archive: zipfile.ZipFile, name: str) -> bool:
    """Whether a file in an archive is one that can be read, by its name; some are called like the archive itself."""
    own = Path(name).with_suffix("") if name.lower().endswith(".zip") else Path(name)
    with archive.open(name) as member:
        return own.suffix.lower() in (".csv", ".tsv", ".txt") and member.read(4) != b"PK\x03\x04"


def _parse(path: Path, dialect: Dialect) -> pa.Table:
    """Read all rows; if that fails, once more for line breaks within quotes, and for the number of the bad row."""
    try:
        return _arrow_table(path, dialect, careful=False)
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):  # a single line that does not end
            raise _no_rows(path) from error
        if "CSV pars" not in str(error):
            raise
    try:
        return _arrow_table(path, dialect, careful=True)
    except pa.ArrowInvalid as error:
        found = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", str(error))
        if found is None:
            raise
        row, expected, got = found.groups()
        line = f"line {_line_of(int(row), path, dialect)}" if row else "a line"
        read = f"pandas.read_csv(path, sep={dialect.delimiter!r}"
        if expected == "1":  # a title above the names is one value
            remedy = f"{read}, skiprows=...)"
        elif int(got) > int(expected):
            remedy = f"{read}, on_bad_lines='skip')"
        else:
            remedy = f"{read}), which fills short lines up with gaps; skipfooter=... leaves out notes below the table"
        raise DataError(
            f"{line} of {str(path)!r} has {got} value{'s' if got != '1' else ''} and the first line, which must be the "
            f"names of columns, has {expected}, separated by "
            f"{DELIMITERS.get(dialect.delimiter, repr(dialect.delimiter))}; mend the file, or give {remedy}"
        ) from error


def _line_of(row: int, path: Path, dialect: Dialect) -> int:
    """Line where a row begins, given its number by Arrow, which counts neither blank lines nor breaks within quotes."""
    begin = seen = 0
    with _opened(path) as stream, suppress(csv.Error):
        text = io.TextIOWrapper(stream, dialect.encoding, errors="replace", newline="")
        for _ in range(dialect.skipped):
            text.readline()
        lines = csv.reader(text, delimiter=dialect.delimiter)
        for values in lines:
            seen += bool(values)
            if seen == row:
                return dialect.skipped + begin + 1
            begin = lines.line_num
    return dialect.skipped + row


def _arrow_table(path: Path, dialect: Dialect, careful: bool) -> pa.Table:
    from pyarrow import csv as arrow_csv

    with _opened(path) as stream:
        try:
            return arrow_csv.read_csv(
                stream,
                arrow_csv.ReadOptions(
                    use_threads=not careful, encoding=dialect.encoding, skip_rows=dialect.skipped,
                    column_names=dialect.names,
                ),
                arrow_csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=careful),
                arrow_csv.ConvertOptions(null_values=MISSING, strings_can_be_null=True),
            )  # fmt: skip
        except UnicodeDecodeError as error:
            tried = "Windows-1252" if dialect.encoding == OLD_ENCODING else dialect.encoding
            raise DataError(
                f"cannot read {str(path)!r}: it is neither in UTF-8 nor in {tried}; convert it to UTF-8, or "
                "give pandas.read_csv(path, encoding=...)"
            ) from error


def _warn_of_values_as_names(names: list[str], path: Path) -> None:
    """Warn if the first line looks like a row: decimal numbers, or nothing but numbers."""
    numbers = [name for name in names if re.fullmatch(r"-?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?", name)]
    if len(numbers) == len(names) or any(re.search("[.,]", name) for name in numbers):
        warn(
            f"the first line of {str(path)!r} was read as the names of columns, and is {listing(names)}; if it is a "
            "row, give pandas.read_csv(path, header=None)"
        )


def _without_row_names(table: pa.Table, path: Path) -> pa.Table:
    """Leave out unnamed columns without values, and those at the front that are different in each row."""
    kept = [
        i for i, field in enumerate(table.schema) if not (_has_no_name(field.name) and pa.types.is_null(field.type))
    ]
    while len(kept) > 1 and _has_no_name(table.schema[kept[0]].name):
        column = table.column(kept[0])
        if len(column.unique()) < len(column):
            break
        warn(
            f"the first column of {str(path)!r} has no name and a different value in each row, from {column[0]} to "
            f"{column[-1]}: it was taken for row numbers or row names, and left out"
        )
        kept = kept[1:]
    return table.select(kept)


def _has_no_name(name: str) -> bool:
    return re.fullmatch(r"|Unnamed: \d+", name) is not None  # pandas names an index so that was written and read


def _with_numbers(table: pa.Table, delimiter: str, path: Path) -> pa.Table:
    """Turn texts like 1.234,5 into numbers; an error where it is not clear which number they are."""
    found = {}  # by position, the first number with a comma, and whether commas can be for decimals and for thousands
    for i, column in enumerate(table.columns):
        if is_text(column.type):
            decimals, thousands = _all_match(column, _DECIMAL_COMMA), _all_match(column, _THOUSANDS_COMMA)
            commas = column.filter(pc.match_substring(column, ",")) if decimals or thousands else []
            if len(commas):
                found[i] = commas[0].as_py(), decimals, thousands
    points = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    is_clear = delimiter == ";" or any(decimals and not thousands for _, decimals, thousands in found.values())
    for i, (seen, decimals, thousands) in found.items():
        name, column = table.column_names[i], table.column(i)
        if not decimals or not is_clear or delimiter == "," or points:
            also = f", and {points[0]!r} has decimal points" if points else ""
            if thousands:
                way = "thousands=',')" if points or not decimals else "decimal=',') or thousands=','"
            else:
                way = "decimal=',')"
            raise DataError(
                f"column {name!r} of {str(path)!r} has numbers with commas, such as {seen!r}{also}; say what they mean "
                f"with pandas.read_csv(path, sep={delimiter!r}, {way}, and give the DataFrame"
            )
        plain = pc.replace_substring(pc.replace_substring_regex(column, f"[{_GROUPS}]", ""), ",", ".")
        table = table.set_column(i, name, plain.cast(pa.float64()))
    return table


def _all_match(column: pa.ChunkedArray, pattern: str) -> bool:
    """Whether all values match; the first thousand tell of most columns that they do not."""
    parts = (column[:1000], column)
    return all(pc.all(pc.match_substring_regex(part, pattern), min_count=0).as_py() for part in parts)
