"""Tell from the first bytes of a text file how it is written: its encoding, and what is between two values."""

import codecs
import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

from bnjit.errors import DataError

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
OLD_ENCODING = "cp1252"  # what Windows writes for the west of Europe; Latin-1 with more letters
# Marks that files may begin with; the first four bytes of UTF-32 begin like UTF-16.
_MARKS = {
    codecs.BOM_UTF8: "utf8", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip


class Dialect(NamedTuple):
    """How a text file holds a table.

    delimiter : between values; encoding : as Python names it; skipped : lines before the names
    names : of columns, where the file has no name for the first one (R's row names); else None
    """

    delimiter: str
    encoding: str
    skipped: int = 0
    names: tuple[str, ...] | None = None


def find_dialect(head: bytes, is_whole: bool, path: Path) -> Dialect:
    r"""Return the dialect of a file from its first bytes; an error if it is not clear, or not one that can be read.

    Examples
    --------
    >>> find_dialect(b"dose;group\n0,5;a\n1,5;b\n", True, Path("doses.csv"))
    Dialect(delimiter=';', encoding='utf8', skipped=0, names=None)
    """
    encoding = _encoding(head, is_whole)
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf8" else encoding)(errors="replace")
    text = decoder.decode(head, final=is_whole)
    if not text.strip():
        raise DataError(f"the file {str(path)!r} is empty; it must have a line of column names, and rows")
    said = re.match(r'"?sep=(.)"?\r?\n', text)  # Excel's own word for it
    if said:
        return Dialect(said[1], encoding, skipped=1)
    rows = {delimiter: _split(text, delimiter, is_whole) for delimiter in DELIMITERS}
    several = {delimiter: found for delimiter, found in rows.items() if found and len(found[0]) > 1}
    fitting = [d for d, found in several.items() if all(len(row) == len(found[0]) for row in found)]
    if len(fitting) > 1 and "\t" in fitting and ".tsv" in (suffix.lower() for suffix in path.suffixes):
        fitting = ["\t"]
    if len(fitting) > 1:
        raise DataError(
            f"every line of {str(path)!r} can be split by {' and by '.join(DELIMITERS[d] for d in fitting)}; say which "
            f"with pandas.read_csv(path, sep={fitting[0]!r}), and give the DataFrame"
        )
    if fitting:
        return Dialect(fitting[0], encoding)
    for delimiter, found in several.items():
        if len(found) > 1 and all(len(row) == len(found[0]) + 1 for row in found[1:]):
            return Dialect(delimiter, encoding, skipped=1, names=("", *found[0]))
    if not several:
        _reject_spaces(text, is_whole, path)
        return Dialect(",", encoding)
    # Rows differ in their number of values: the reader will find the first that does.
    agreement = {d: sum(len(row) == len(found[0]) for row in found) / len(found) for d, found in several.items()}
    return Dialect(max(agreement, key=agreement.__getitem__), encoding)


def _encoding(head: bytes, is_whole: bool) -> str:
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    even, odd = head[::2].count(0), head[1::2].count(0)
    if 3 * max(even, odd) > len(head[::2]) and min(even, odd) == 0:  # the other half of most Latin letters
        return "utf-16-be" if even else "utf-16-le"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=is_whole)
    except UnicodeDecodeError:
        return OLD_ENCODING
    return "utf8"


def _split(text: str, delimiter: str, is_whole: bool) -> list[list[str]]:
    """Rows of values, without empty lines and the last row if it may go on; none if quotes do not fit the delimiter."""
    rows = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            rows.append(row)  # noqa: PERF402  (those before an error are needed)
    except csv.Error as error:
        if is_whole or "unexpected end" not in str(error):
            return []
        rows.append([])
    if not is_whole and len(rows) > 1:
        rows.pop()
    return [row for row in rows if row]


def _reject_spaces(text: str, is_whole: bool, path: Path) -> None:
    """Raise if values seem to be separated by spaces."""
    lines = [line.split() for line in text.splitlines()[: None if is_whole else -1] if line.strip()]
    if len(lines) > 1 and len(lines[1]) > 1 and all(len(line) == len(lines[1]) for line in lines[2:]):
        missing = len(lines[1]) - len(lines[0])  # R's row names have no name
        if missing in (0, 1):
            raise DataError(
                f"the values in {str(path)!r} seem to be separated by spaces; read it with pandas.read_csv(path, "
                r"sep=r'\s+'), and give the DataFrame"
            )
