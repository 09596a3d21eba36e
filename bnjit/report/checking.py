"""Check a table: one pass over its rows, wherever they are, and a report."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from bnjit.data.check import declared_names
from bnjit.data.chunked.memory import as_memory
from bnjit.errors import ArgumentError
from bnjit.progress import Progress
from bnjit.report.batches import find_rows, sum_up_rows
from bnjit.report.report import Report


def check(
    data: Any,
    *,
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
    progress: bool | None = None,
) -> Report:
    """Look for everything that stands in the way of learning from a table, or misleads it, in one pass.

    A column that cannot be used is never an error here, but a line of the report.

    Parameters
    ----------
    data : DataFrame, pyarrow Table, NumPy array, dict of columns, path, or function
        The table, as in `bnjit.learn`; rows of a dask.dataframe stay where its workers are.
    discrete, names, max_memory, out_of_core
        As in `bnjit.learn`.
    progress : bool, optional
        Show a progress bar; by default only in a terminal or a notebook.

    Returns
    -------
    Report
        `columns` and `problems` are DataFrames; `prepared()` is the table with remedies applied.

    Examples
    --------
    >>> import bnjit
    >>> table = {"mass": [3.5, None, 4.5, 5.0], "island": ["A", "B", "A", "B"], "site": ["x"] * 4}
    >>> report = bnjit.check(table)
    >>> report.problems[["column", "problem", "severity"]]
      column          problem severity
    0   mass          missing    error
    1   site         constant  warning
    2         incomplete rows  warning
    >>> report.complete_rows
    3
    """
    discrete = discrete if isinstance(discrete, str) or not isinstance(discrete, Iterable) else list(discrete)
    if max_memory is not None:
        as_memory(max_memory)
    if out_of_core is not None and not isinstance(out_of_core, bool):
        raise ArgumentError(f"out_of_core={out_of_core!r} must be True, False or None")
    with Progress("check", progress) as shown:
        rows = find_rows(data, names, max_memory, out_of_core)
        known = declared_names(discrete, rows.names)
        summary = sum_up_rows(rows, discrete, shown.reading)
        summary.finish()
    index = getattr(data, "index", None) if type(data).__module__.partition(".")[0] == "pandas" else None
    return Report(rows, [name in known for name in rows.names], summary, max_memory, index)
