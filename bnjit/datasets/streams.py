"""Read rows of delimited text, plain or compressed, in bounded memory; collect them as a DataFrame."""

import bz2
import gzip
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from bnjit.data.column import code_type
from bnjit.datasets.tuning import TEXT_BLOCK
from bnjit.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

READ_ERRORS = (OSError, EOFError, zlib.error, zipfile.BadZipFile, pa.ArrowException)


def member_of(archive: zipfile.ZipFile, file: str) -> str | None:
    """Name of a file in an archive, where it may be in a folder or decompressed; None if it is not there."""
    plain = file.removesuffix(".gz").removesuffix(".bz2")
    found = {PurePosixPath(name).name: name for name in archive.namelist()}
    return found.get(file, found.get(plain))


@contextmanager
def open_text(path: Path, file: str) -> Iterator[IO[bytes]]:
    """Open a file decompressed, by its extension; `file` is the member to take from a .zip archive."""
    with ExitStack() as stack:
        raw: Any = stack.enter_context(path.open("rb"))
        name = path.name
        if path.suffix == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(raw))
            name = member_of(archive, file) or file
            raw = stack.enter_context(archive.open(name))
        if name.endswith(".gz"):
            raw = stack.enter_context(gzip.open(raw))
        elif name.endswith(".bz2"):
            raw = stack.enter_context(bz2.open(raw))
        yield raw


def read_blocks(
    path: Path, file: str, names: Sequence[str], types: dict[str, pa.DataType], *, header: str | None = None,
    spaces: bool = False, missing: Sequence[str] = (),
) -> Iterator[pa.Table]:  # fmt: skip
    """Rows of a file, a block at a time.

    Parameters
    ----------
    path, file
        As `open_text` takes them.
    names : sequence of str
        All columns of the file.
    types : dict
        Columns to read, with the type of each.
    header : str, optional
        How the first line begins, if it is a header.
    spaces : bool
        Whether spaces separate the columns, rather than commas.
    missing : sequence of str
        Strings that stand for a missing value; by default no value may be missing.
    """
    read = pa.csv.ReadOptions(column_names=list(names), block_size=TEXT_BLOCK)
    convert = pa.csv.ConvertOptions(
        column_types=types, include_columns=list(types), null_values=list(missing), strings_can_be_null=bool(missing)
    )
    rows = 0
    try:
        with open_text(path, file) as text:
            if header is not None:
                _check_header(text.readline(), header)
            while block := text.read(TEXT_BLOCK):
                block += text.readline()
                if spaces:
                    block = _with_commas(block)
                table = pa.csv.read_csv(pa.BufferReader(block), read_options=read, convert_options=convert)
                check_finite(table)
                rows += table.num_rows
                yield table
    except (*READ_ERRORS, DataError) as error:
        raise DataError(
            f"cannot read {str(path)!r} after row {rows}: {error}; it should be {file} as published, with "
            f"{len(names)} columns; if it is damaged, delete it and get it again"
        ) from error
    if not rows:
        raise DataError(f"{str(path)!r} has no rows; delete it and get it again")


def _with_commas(block: bytes) -> bytes:
    """Turn each run of spaces or tabs between two values into a comma, faster than a regular expression does."""
    block = block.translate(bytes.maketrans(b"\t\r", b"  "))
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    return block.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ").replace(b" ", b",")


def _check_header(line: bytes, header: str) -> None:
    seen = line.decode("latin-1").strip()
    if not seen.startswith(header):
        raise DataError(f"its first line is {seen[:80]!r}, and not a header that begins with {header!r}")


def check_finite(table: pa.Table) -> None:
    """Raise if a number is infinite or NaN."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type) and not pc.all(pc.is_finite(column), min_count=0).as_py():
            raise DataError(f"column {name!r} has values that are no finite numbers")


def collect(tables: Iterable[pa.Table], discrete: Sequence[str], n_rows: int | None) -> "pd.DataFrame":
    """Make a DataFrame of the first rows of tables without missing values; discrete columns come first, as categories.

    Levels are strings in their natural order, whatever the order in which they come.
    """
    import pandas as pd

    from bnjit.network.sampling import as_categorical

    parts: dict[str, list[Any]] = {}
    levels: dict[str, dict[str, int]] = {name: {} for name in discrete}
    n = 0
    for whole in tables:
        table = whole if n_rows is None else whole.slice(0, n_rows - n)
        for name in table.column_names:
            column = table[name].combine_chunks()
            known = levels.get(name)
            values = _codes(column, known) if known is not None else column.cast(pa.float64()).to_numpy()
            parts.setdefault(name, []).append(values)
        n += table.num_rows
        if n == n_rows:
            break
    made: dict[str, Any] = {}
    for name in [*discrete, *(name for name in parts if name not in levels)]:
        values = np.concatenate(parts.pop(name))
        if name in levels:
            labels = sorted(levels[name], key=_natural)
            rank = np.empty(len(labels), code_type(len(labels)))
            rank[[levels[name][label] for label in labels]] = np.arange(len(labels))
            made[name] = as_categorical(rank[values], tuple(labels))
        else:
            made[name] = values
    return pd.DataFrame(made, copy=False)


def _codes(column: Any, known: dict[str, int]) -> Any:
    """Codes of a column of strings by first appearance in all tables; new levels are added to `known`."""
    encoded = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
    labels = encoded.dictionary.cast(pa.string()).to_pylist()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    seen = np.zeros(len(labels), bool)
    seen[codes] = True
    rank = np.array([known.setdefault(v, len(known)) if s else 0 for v, s in zip(labels, seen, strict=True)], np.int32)
    return rank[codes].astype(code_type(len(known)))


def _natural(label: str) -> tuple[int, str]:
    return (int(label), "") if label.isdecimal() and len(label) < 19 else (1 << 62, label)
