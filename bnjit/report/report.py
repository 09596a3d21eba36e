"""Report: what stands in the way of learning from a table, in words and as DataFrames."""

import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnjit.data.chunked.memory import as_memory
from bnjit.errors import ArgumentError
from bnjit.report.batches import Rows
from bnjit.report.column import ColumnSummary
from bnjit.report.findings import (
    HINT,
    SEVERITIES,
    find_in_columns,
    is_discrete,
    kind_in_words,
    level_count,
)
from bnjit.report.remedies import plan_remedies, stops
from bnjit.report.summary import TableSummary
from bnjit.report.table_findings import complete_in_words, find_in_table
from bnjit.report.tuning import LABELS_KEPT, SHOWN_LABELS

if TYPE_CHECKING:
    import pandas as pd

VALUE_BYTES = 16  # that a value of a prepared table takes, about


class Report:
    """What `bnjit.check` found in a table.

    Attributes
    ----------
    n_rows, n_columns : int
        Size of the table.
    complete_rows : int
        Rows that would remain if those with gaps were left out.
    duplicated_rows : int
        Rows that repeat one before them, among the first four million.
    remedies : list of str
        What `prepared` does, a sentence for each.
    """

    def __init__(
        self, rows: Rows, declared: Sequence[bool], summary: TableSummary, max_memory: Any = None, index: Any = None
    ) -> None:
        self._rows, self._declared, self._summary = rows, list(declared), summary
        self._max_memory, self._index = max_memory, index
        names = rows.names
        in_columns = find_in_columns(names, summary.columns, declared)
        found = [*in_columns, *find_in_table(names, summary, declared, in_columns)]
        order = {severity: i for i, severity in enumerate(SEVERITIES)}
        self.findings = sorted(found, key=lambda one: order[one.severity])
        self._plan, self.remedies = plan_remedies(names, summary.columns, declared, in_columns)
        self.n_rows, self.n_columns = summary.n, len(names)
        self.complete_rows, self.duplicated_rows = summary.complete_rows, summary.duplicated_rows

    @property
    def names(self) -> list[Hashable]:
        """Names of the columns, as the table has them."""
        return self._rows.names

    @property
    def stops_learning(self) -> bool:
        """Whether `bnjit.learn` would stop with an error."""
        return bool(stops(self.findings))

    @property
    def complete_in_words(self) -> str:
        """Complete rows, and the few columns that cost most of them."""
        return complete_in_words(self.names, self._summary)

    @property
    def columns(self) -> "pd.DataFrame":
        """A row for each column: its kind, levels or range, share missing, what stands in the way, remedy, hint."""
        import pandas as pd

        rows = []
        for j, (name, column, is_declared) in enumerate(
            zip(self.names, self._summary.columns, self._declared, strict=True)
        ):
            found = [one for one in self.findings if one.position == j]
            real, hints = ([one for one in found if (one.severity == HINT) == is_hint] for is_hint in (False, True))
            rows.append(
                {
                    "column": name,
                    "kind": kind_in_words(column, is_declared),
                    "values": values_in_words(column, is_declared),
                    "missing": column.missing / max(1, column.n),
                    "problem": "; ".join(one.problem for one in real),
                    "remedy": "; ".join(one.remedy for one in real),
                    "hint": "; ".join(f"{one.detail}: {one.remedy}" for one in hints),
                }
            )
        return pd.DataFrame(rows, columns=["column", "kind", "values", "missing", "problem", "remedy", "hint"])

    @property
    def problems(self) -> "pd.DataFrame":
        """A row for everything that was found, what stops learning first; for the whole table the column is empty."""
        import pandas as pd

        fields = ["column", "problem", "severity", "detail", "remedy"]
        found = [one if one.position is not None else one._replace(column="") for one in self.findings]
        made = pd.DataFrame({field: [getattr(one, field) for one in found] for field in fields}, dtype=object)
        return made[fields]

    def prepared(self, path: "str | os.PathLike[str] | None" = None) -> Any:
        """Return the table with the remedies applied; missing values stay, for `missing=` of `bnjit.learn`.

        Constants, empty columns, identifiers, row numbers and types that cannot be used are dropped; dates are split
        into year, month, weekday and hour where they vary; infinite values become missing; names become unique. The
        table itself stays as it is; `remedies` lists what is done.

        Parameters
        ----------
        path : path, optional
            Write the prepared table here (.parquet or .csv) instead. A file that is larger than memory, or a function
            of record batches, is written to .parquet batch by batch.

        Returns
        -------
        pandas.DataFrame, dask.dataframe, or None
            A dask.dataframe if the table is one; None with a path.

        Examples
        --------
        >>> import bnjit
        >>> table = {"id": ["r1", "r2", "r3", "r4"], "x": [1.5, 2.0, 4.5, 3.0], "unit": ["cm"] * 4}
        >>> report = bnjit.check(table)
        >>> report.prepared().columns.tolist()
        ['x']
        >>> report.remedies[0]
        'dropped `id`, which has 4 values, all different, like an identifier'
        """
        from bnjit.report.preparing import (
            prepare_batches,
            prepare_columns,
            prepare_partition,
            write_batches,
            write_frame,
        )

        target = None if path is None else Path(path)
        rows = self._rows
        if rows.frame is not None:
            if target is not None:
                raise ArgumentError("path is for tables that are not on Dask; use report.prepared().to_parquet(path)")
            meta = prepare_partition(rows.frame._meta, rows.names, self._plan)
            return rows.frame.map_partitions(prepare_partition, rows.names, self._plan, meta=meta)
        if rows.batches is not None:
            if target is not None and target.suffix.lower() != ".csv":
                return write_batches(prepare_batches(rows.batches, self._plan), target)
            self._check_memory()
            import pyarrow as pa

            frame = pa.Table.from_batches(prepare_batches(rows.batches, self._plan)).to_pandas()
        else:
            assert rows.memory is not None
            frame = prepare_columns(rows.memory(), self._plan, self._index)
        return frame if target is None else write_frame(frame, target)

    def _check_memory(self) -> None:
        size, memory = self.n_rows * self.n_columns * VALUE_BYTES, as_memory(self._max_memory)
        if size > memory:
            raise ArgumentError(
                f"the prepared table would take about {size / 1e9:.2g} GB, and max_memory is {memory / 1e9:.2g} GB; "
                'report.prepared("prepared.parquet") writes it batch by batch'
            )

    def __repr__(self) -> str:
        from bnjit.report.text import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from bnjit.report.text import as_html

        return as_html(self)


def values_in_words(column: ColumnSummary, is_declared: bool) -> str:
    """Levels or range of a column."""
    numbers = column.numbers
    if is_discrete(column, is_declared):
        labels = list(column.labels)
        if column.kind == "text" and len(labels) < LABELS_KEPT:
            labels.sort(key=str)
        shown = ", ".join(str(label) for label in labels[:SHOWN_LABELS])
        more = ", ..." if len(labels) > SHOWN_LABELS else ""
        count = level_count(column)
        return f"{count} level{'' if count == '1' else 's'}: {shown}{more}"
    if column.dates is not None:
        return str(column.dates)
    if numbers.n:
        return f"{numbers.least:g} to {numbers.most:g}"
    return column.type
