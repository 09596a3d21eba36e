"""Measurements saved in a CSV file line by line, so that a finished one is never lost or repeated."""

import csv
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnjit.errors import FileFormatError

if TYPE_CHECKING:
    import pandas as pd

# What identifies a measurement: those of different machines, versions or settings are different measurements.
SETTINGS = ("seed", "threads", "code", "machine")
KEY = ("experiment", "data", "n", "sample", "run", "estimator", "knowledge", "parents", "source", *SETTINGS)
NUMBERS = ("n", "sample", "run", "parents", "rows", "discrete", "continuous", "seconds", "arcs", "shd",
           "n_local_scores", "score", "load")  # fmt: skip
COLUMNS = (
    *KEY, "rows", "discrete", "continuous", "seconds", "arcs", "shd", "n_local_scores", "score", "load", "scale",
    "version", "finished",
)  # fmt: skip

Key = tuple[str, ...]


class Log:
    """Measurements of a file, by key.

    A last line without a line end was cut off while it was written, and is dropped. Lines with a wrong number of fields
    are ignored.

    Parameters
    ----------
    path : Path
        The file; it need not be there yet.

    Attributes
    ----------
    rows : dict
        From key to measurement; of two with the same key the first counts.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[Key, dict[str, str]] = {}
        text = self._whole_lines()
        if not text:
            self._append(COLUMNS)
            return
        lines = csv.reader(text.splitlines())
        header = next(lines)
        if tuple(header) != COLUMNS:
            raise FileFormatError(
                f"{str(path)!r} has other columns than measurements have ({', '.join(header[:4])}, ...): it is from "
                "another version of bnjit; move it away, or choose another folder"
            )
        for line in lines:
            if len(line) == len(COLUMNS):
                row = dict(zip(COLUMNS, line, strict=True))
                self.rows.setdefault(key_of(row), row)

    def _whole_lines(self) -> str:
        """Text of the file up to its last line end, after cutting off the rest."""
        if not self.path.exists():
            return ""
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        return whole.decode("utf-8", errors="replace")

    def _append(self, values: Iterable[str]) -> None:
        """Write a line, and return when it is on the disk."""
        with self.path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(values)
            file.flush()
            os.fsync(file.fileno())

    def add(self, measured: Mapping[str, Any]) -> None:
        """Save a measurement."""
        row = {name: text_of(measured.get(name)) for name in COLUMNS}
        self._append(row.values())
        self.rows.setdefault(key_of(row), row)

    def frame(self, keys: Iterable[Key]) -> "pd.DataFrame":
        """Measurements with these keys, in this order, as far as they are there; numbers are numbers."""
        import pandas as pd

        frame = pd.DataFrame([self.rows[key] for key in keys if key in self.rows], columns=list(COLUMNS))
        for name in NUMBERS:
            frame[name] = pd.to_numeric(frame[name])
        return frame.assign(knowledge=frame["knowledge"] == "yes")

    def count_others(self, settings: Mapping[str, Any]) -> int:
        """How many measurements were made with other settings: seed, threads, code or machine."""
        mine = [text_of(settings[name]) for name in SETTINGS]
        return sum([row[name] for name in SETTINGS] != mine for row in self.rows.values())


def key_of(row: Mapping[str, Any]) -> Key:
    """Key of a measurement."""
    return tuple(text_of(row[name]) for name in KEY)


def text_of(value: Any) -> str:
    """A value as the file has it; floats with all their digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(float(value)) if isinstance(value, float) else str(value)
