"""Measurements saved in a CSV file line by line, so that a finished one is never lost or repeated."""

import csv
import io
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnjit.errors import FileFormatError

if TYPE_CHECKING:
    import pandas as pd

# What identifies a measurement: those of different machines, versions or settings are different measurements.
SETTINGS = ("seed", "code", "machine")
KEY = ("experiment", "data", "n", "sample", "run", "estimator", "knowledge", "parents", "threads", "source", *SETTINGS)
# A learned network depends neither on the machine nor on the number of threads, its time does.
UNTIMED, ONLY_TIMED = "accuracy", ("threads", "machine")
NUMBERS = ("n", "sample", "run", "parents", "threads", "rows", "discrete", "continuous", "cpu_seconds", "wall_seconds",
           "arcs", "shd", "n_local_scores", "score", "true_score", "impossible", "load")  # fmt: skip
COLUMNS = (
    *KEY, "rows", "discrete", "continuous", "cpu_seconds", "wall_seconds", "arcs", "shd", "n_local_scores", "score",
    "true_score", "impossible", "differences", "load", "scale", "version", "finished",
)  # fmt: skip

Key = tuple[str, ...]


class Log:
    """Measurements of a file, by key.

    Several processes may add to a file at once: every measurement is one write of a whole line at the end. A last line
    without a line end was cut off while it was written; it is ignored, and so are lines with a wrong number of fields.

    Parameters
    ----------
    path : Path
        The file; it need not be there yet.
    also : sequence of Path
        Further files whose measurements count as well; they are only read.
    code : str
        Version of the code that learns: measurements of accuracy in the further files count as if it had made them.

    Attributes
    ----------
    rows : dict
        From key to measurement; of two with the same key the first counts.
    """

    def __init__(self, path: Path, also: Sequence[Path] = (), code: str = "") -> None:
        self.path = path
        self.rows: dict[Key, dict[str, str]] = {}
        content = path.read_bytes() if path.exists() else b""
        if b"\n" not in content:
            if content:
                path.write_bytes(b"")  # not even a header
            self._append(COLUMNS)  # several processes may do that at once: a header in the middle is skipped
        elif not content.endswith(b"\n"):
            self._write("\n")  # so that the next measurement begins a line of its own
        self._read(path)
        for file in also:
            self._read(file, code)

    def _read(self, path: Path, code: str = "") -> None:
        if not path.is_file():
            raise FileFormatError(f"there is no file {str(path)!r}; name a file measurements.csv of another folder")
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = [next(csv.reader([line]), []) for line in text[: text.rfind("\n") + 1].splitlines()]
        if not lines or tuple(lines[0]) != COLUMNS:
            header = lines[0] if lines else []
            raise FileFormatError(
                f"{str(path)!r} has other columns than measurements have ({', '.join(header[:4])}, ...): it is from "
                "another version of bnjit; move it away, or choose another folder"
            )
        for line in lines[1:]:
            if len(line) == len(COLUMNS) and tuple(line) != COLUMNS:
                row = dict(zip(COLUMNS, line, strict=True))
                taken = {**row, "code": code} if code and row["experiment"] == UNTIMED else row
                self.rows.setdefault(key_of(taken), row)

    def _append(self, values: Iterable[str]) -> None:
        """Write a line, and return when it is on the disk."""
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(values)
        self._write(line.getvalue())

    def _write(self, text: str) -> None:
        with self.path.open("ab", buffering=0) as file:
            file.write(text.encode("utf-8"))
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

    def untimed(self, data: str, common: Mapping[str, Any]) -> list[Key]:
        """Keys of all measurements of accuracy on a data set, in the order of the file, with these columns."""
        wanted = {"experiment": UNTIMED, "data": data, **{name: text_of(value) for name, value in common.items()}}
        at = {KEY.index(name): value for name, value in wanted.items()}
        return [key for key in self.rows if all(key[i] == value for i, value in at.items())]

    def times(self, seed: int, experiments: Collection[str]) -> list[Key]:
        """Keys of the times of some experiments, each those by the code and the machine that measured it last."""
        last: dict[str, tuple[str, tuple[str, str]]] = {}
        timed = [(key, row) for key, row in self.rows.items()
                 if row["experiment"] in experiments and row["seed"] == text_of(seed)]  # fmt: skip
        for _, row in timed:
            made = row["finished"], (row["code"], row["machine"])
            last[row["experiment"]] = max(made, last.get(row["experiment"], made))
        return [key for key, row in timed if last[row["experiment"]][1] == (row["code"], row["machine"])]

    def count_others(self, used: Iterable[Key]) -> int:
        """How many measurements were not used."""
        return len(self.rows.keys() - set(used))


def key_of(row: Mapping[str, Any]) -> Key:
    """Key of a measurement."""
    left_out = ONLY_TIMED if row["experiment"] == UNTIMED else ()
    return tuple("" if name in left_out else text_of(row[name]) for name in KEY)


def text_of(value: Any) -> str:
    """A value as the file has it; floats with all their digits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(float(value)) if isinstance(value, float) else str(value)
