"""From what a user gives to a store: read data whole, or look at it once if it has to come in chunks."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from bnjit.data import Table, read_table, type_columns
from bnjit.data.chunked.memory import as_memory
from bnjit.data.gaps import CountGaps, GapRule, source_without_gaps, without_gaps
from bnjit.data.open import open_source
from bnjit.data.repeat import repeated
from bnjit.data.schema import Labels, Schema
from bnjit.data.source import Root, Source, check_source
from bnjit.data.table import relabelled_table
from bnjit.data.weighted_source import RepeatedRows
from bnjit.data.weights import is_array, split_weights, weight_column
from bnjit.errors import ArgumentError, DataError
from bnjit.progress import Watch
from bnjit.stats.first_passes import FirstPass, Whole
from bnjit.stats.readers.chunked import ChunkedReader
from bnjit.stats.readers.saved import SavedReader
from bnjit.stats.readers.weighted import read_memory
from bnjit.stats.statistics import Statistics
from bnjit.stats.store import Store, check_columns

Rows = Table | Source | Statistics


def read_rows(
    data: Any, discrete: Iterable[Hashable], names: Sequence[Hashable] | None, max_memory: Any = None,
    out_of_core: bool | None = None, weights: Any = None, watch: Watch | None = None, gaps: GapRule = "refuse",
) -> Rows:  # fmt: skip
    """Make a table to learn from of data that fits in memory, and a source of what does not.

    weights : how often each row counts, a column or an array; gaps : what becomes of missing values, see `data/gaps.py`
    """
    if weights is not None and isinstance(data, Table | Source | Statistics):
        raise ArgumentError("weights say how rows are read, and these have been read; give them there")
    if isinstance(data, Statistics) and gaps == "drop":
        raise ArgumentError('missing="drop" leaves out rows, and data is Statistics; give it to Statistics.collect')
    if isinstance(data, Statistics) and data.gaps is not None and gaps == "refuse":
        raise ArgumentError(
            'these Statistics are of a table with gaps; missing="available" uses the rows that have what is needed'
        )
    if isinstance(data, Table | Source | Statistics):
        return data
    discrete = discrete if isinstance(discrete, str) or not isinstance(discrete, Iterable) else list(discrete)
    source = open_source(data, discrete, names, max_memory, out_of_core, gaps=gaps)
    if source is None:
        if weights is None:
            return read_table(data, discrete, names, gaps)
        raw, own = split_weights(data, names, discrete, weights, gaps)
        return read_table(dict(raw), discrete, None, gaps, own)
    source.watch = watch
    rows = look_at(source, gaps) if weights is None else _look_at_weighted(source, weights, discrete, gaps)
    check_source(source)
    return rows


def read_test_rows(
    data: Any, discrete: Iterable[Hashable], names: Sequence[Hashable] | None, max_memory: Any = None,
    out_of_core: bool | None = None, weights: Any = None, what: str = "test", gaps: GapRule = "refuse",
) -> Rows:  # fmt: skip
    """Make a table or a source of test rows, which may be few and all alike; `what` names them in messages."""
    if isinstance(data, Table | Source | Statistics):
        return data
    source = open_source(data, discrete, names, max_memory, out_of_core, gaps=gaps)
    if source is not None:
        return look_at(source, gaps) if weights is None else _look_at_weighted(source, weights, list(discrete), gaps)
    own = None
    if weights is not None:
        raw, own = split_weights(data, names, list(discrete), weights, gaps, what)
        data, names = dict(raw), None
    table = type_columns(data, discrete, names, what, gaps=gaps)
    table = table if own is None else repeated(table, own)
    return without_gaps(table) if gaps == "keep" else table


def _look_at_weighted(source: Root, weights: Any, discrete: Sequence[Hashable], gaps: GapRule) -> RepeatedRows:
    """Read a source for the first time, its weights, and the Cells of the empty set of the rows that count."""
    if is_array(weights):
        raise ArgumentError("weights of rows that come in chunks, or from a cluster, are a column of theirs; name it")
    if gaps == "keep":
        raise ArgumentError(
            'weights of rows with gaps that come in chunks, or from a cluster, go with missing="drop" or "error"; '
            "others need the rows in memory (out_of_core=False)"
        )
    column = weight_column(weights, source.names, discrete, "data")
    if source.first_pass(FirstPass()).nbytes == 0:
        raise DataError("data has 0 rows; give at least one")
    rows = RepeatedRows(source, column)
    (found,) = source.run_pass([FirstPass(rows.steps)], range(len(source.names)))
    assert isinstance(found, Whole)
    assert found.cells is not None  # some row counts
    rows.whole, source.factors = found.cells, found.some.factors(found.cells, len(rows.names))
    return rows


def look_at(source: Root, gaps: GapRule = "refuse") -> Source:
    """Read a source for the first time: its levels, and the Cells of the empty set, checked chunk by chunk.

    Gaps that are kept take a pass to count them, and one more to see the columns without them.
    """
    rows: Source = source
    if gaps == "keep":
        source.first_pass(CountGaps())
        rows = source_without_gaps(source) if source.n else source
        found = source.run_pass([FirstPass(rows.steps)], range(len(source.names)))[0] if source.n else Whole()
    else:
        found = source.first_pass(FirstPass())
    assert isinstance(found, Whole)
    if found.cells is None:
        raise DataError("data has 0 rows; give at least one")
    rows.whole, source.factors = found.cells, found.some.factors(found.cells, len(rows.names))
    return rows


def relabelled_rows(rows: Schema, names: Sequence[Hashable], labels: Sequence[Labels]) -> Schema:
    """Return the same rows with some columns, and with more levels than they have."""
    if isinstance(rows, Root | RepeatedRows):
        rows.relabel(names, labels)
        return rows
    if isinstance(rows, Table):
        return relabelled_table(rows, names, labels)
    assert isinstance(rows, Statistics)
    return rows.relabelled(names, labels)


def make_store(rows: Schema, max_memory: int | str | None = None, constants: bool = False, kept: bool = True) -> Store:
    """Statistics of rows in memory, of rows that come in chunks and may use `max_memory` bytes, or saved ones.

    constants : whether continuous columns may be constant, as test rows may be; kept : whether tables are kept for
    the next request
    """
    if isinstance(rows, Statistics):
        return Store(SavedReader(rows))
    if isinstance(rows, Source):
        store = Store(ChunkedReader(rows, as_memory(max_memory)))
    else:
        assert isinstance(rows, Table)
        store = Store(read_memory(rows, None if kept else 1))
    check_columns(store, constants or rows.constants)
    return store
