"""Read data whole, or look at it once if it has to come in chunks."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from bnjit.data import Table, read_table, type_columns
from bnjit.data.open import open_source
from bnjit.data.schema import Labels, Schema
from bnjit.data.source import Root, check_source
from bnjit.data.table import relabelled_table
from bnjit.progress import Watch
from bnjit.stats.chunked import look_at


def read_rows(
    data: Any, discrete: Iterable[Hashable], names: Sequence[Hashable] | None, max_memory: Any = None,
    out_of_core: bool | None = None, watch: Watch | None = None,
) -> Schema:  # fmt: skip
    """Make a table to learn from of data that fits in memory, and a source of what does not."""
    if isinstance(data, Schema):
        return data
    discrete = discrete if isinstance(discrete, str) or not isinstance(discrete, Iterable) else list(discrete)
    source = open_source(data, discrete, names, max_memory, out_of_core)
    if source is None:
        return read_table(data, discrete, names)
    source.watch = watch
    look_at(source)
    check_source(source)
    return source


def read_test_rows(
    data: Any, discrete: Iterable[Hashable], names: Sequence[Hashable] | None, max_memory: Any = None,
    out_of_core: bool | None = None, what: str = "test_data",
) -> Schema:  # fmt: skip
    """Make a table or a source of test rows, which may be few and all alike; `what` names them in messages."""
    if isinstance(data, Schema):
        return data
    source = open_source(data, discrete, names, max_memory, out_of_core)
    if source is None:
        return type_columns(data, discrete, names, what)
    look_at(source)
    return source


def relabelled_rows(rows: Schema, names: Sequence[Hashable], labels: Sequence[Labels]) -> Schema:
    """Return the same rows with some columns, and with more levels than they have."""
    if isinstance(rows, Root):
        rows.relabel(names, labels)
        return rows
    if isinstance(rows, Table):
        return relabelled_table(rows, names, labels)
    return rows.relabelled(names, labels)  # type: ignore[attr-defined]  # statistics
