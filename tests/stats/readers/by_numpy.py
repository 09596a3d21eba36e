"""Every kind of reader over rows that are known, and what plain NumPy makes of the same rows."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from bnjit.data import Column, Table, read_table
from bnjit.data.split import row_numbers
from bnjit.stats import Request, Store
from bnjit.stats.bootstrap import replicate_wholes, starts_of, weights_of
from bnjit.stats.readers.chunked import ChunkedReader
from bnjit.stats.readers.folds import Folds, FoldsInChunks
from bnjit.stats.readers.memory import MemoryReader
from bnjit.stats.readers.replicates import ReplicateReader
from bnjit.stats.readers.saved import SavedReader
from bnjit.stats.statistics import Statistics
from tests.stats.forms import in_chunks


class Case(NamedTuple):
    """A reader, the rows that it has, and whether it has triangles and may replace a column."""

    reader: Any
    rows: Table
    has_rows: bool = True


def mixed_columns(n=300, seed=7):
    """Codes of three discrete columns between three continuous ones, one of them far from zero."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.integers(0, 3, n), rng.integers(0, 2, n), rng.integers(0, 4, n)
    x, y, z = rng.normal(size=(3, n))
    return {
        "a": np.array(list("pqr"))[a], "x": x + a, "b": np.array(["no", "yes"])[b], "y": 1e4 + y * (1 + b),
        "c": np.array(list("klmn"))[c], "z": z - x,
    }  # fmt: skip


def continuous_columns(n=300, seed=8):
    rng = np.random.default_rng(seed)
    x, y, z = rng.normal(size=(3, n))
    return {"x": x, "y": 1e3 + y, "z": z - x}


def table_of(columns):
    return read_table(pa.table(columns))


def memory(columns):
    table = table_of(columns)
    return Case(MemoryReader(table), table)


def chunked(rows):
    def make(columns):
        arrow = pa.table(columns)
        source = in_chunks(lambda: arrow.to_batches(max_chunksize=29), rows)
        return Case(ChunkedReader(source, 1 << 24), table_of(columns))

    return make


def chunked_without_room(columns):
    """Rows are never brought to memory: triangles are made in a pass."""
    case = chunked(40)(columns)
    return case._replace(reader=ChunkedReader(case.reader.source, 1 << 24, rows_memory=0))


def saved(columns):
    table = table_of(columns)
    return Case(SavedReader(Statistics.collect(pa.table(columns), for_=3)), table, has_rows=False)


def outside_fold(fold):
    def make(columns):
        folds = Folds(table_of(columns), 3, seed=1)
        reader = folds.trains[fold].reader
        return Case(reader, reader.table)

    return make


def outside_fold_in_chunks(columns):
    arrow, table = pa.table(columns), table_of(columns)
    source = in_chunks(lambda: arrow.to_batches(max_chunksize=29), 37)
    folds = FoldsInChunks(Store(ChunkedReader(source, 1 << 24)), 3, seed=1)
    fold = (row_numbers(table.n, 1) * 3).astype(int)
    return Case(folds.trains[1].reader, table.take(fold != 1))


def replicate(columns):
    """Bootstrap replicates are of continuous columns alone."""
    table, start = table_of(continuous_columns()), starts_of(5, 1)[0]
    (whole,) = replicate_wholes(table, MemoryReader(table).whole, starts_of(5, 1))
    rows = table.take(np.repeat(np.arange(table.n), weights_of(table.n, start)))
    return Case(ReplicateReader(table, start, whole), rows)


READERS = {
    "memory": memory, "chunks of 1": chunked(1), "chunks of 37": chunked(37), "chunks of 1000": chunked(1000),
    "chunks without room": chunked_without_room, "saved": saved, "outside the first fold": outside_fold(0),
    "outside the last fold": outside_fold(2), "outside a fold in chunks": outside_fold_in_chunks,
    "replicate": replicate,
}  # fmt: skip


def keys_by_numpy(table, variables):
    """Keys of the cells of all rows: mixed-radix numbers, the first variable most significant."""
    keys = np.zeros(table.n, np.int64)
    for v in variables:
        keys = keys * table.levels[v] + table.columns[v].values
    return keys


def assert_cells_by_numpy(cells, table, variables, columns):
    """Assert that a table of Cells is what plain NumPy finds in the rows."""
    found = keys_by_numpy(table, variables)
    assert cells.variables == variables
    assert set(columns) <= set(cells.columns)
    cells = cells.narrow(columns)
    np.testing.assert_array_equal(cells.keys, np.unique(found))
    for cell, key in enumerate(cells.keys):
        rows = found == key
        assert cells.counts[cell] == rows.sum()
        if not columns:
            continue
        X = np.stack([table.columns[j].values[rows] for j in columns])
        mean = X.mean(axis=1)
        centred = X - mean[:, None]
        np.testing.assert_allclose(cells.means[cell], mean, rtol=1e-12, atol=1e-12)
        crosses = (centred @ centred.T)[np.tril_indices(len(columns))]
        np.testing.assert_allclose(cells.crosses[cell], crosses, rtol=1e-9, atol=1e-9)


def assert_triangles_by_numpy(made, table, request):
    """Assert that R'R has the cross-products of the rows about the shifts, cell by cell or as one."""
    found = keys_by_numpy(table, request.variables)
    groups = [np.isin(found, request.keys)] if request.as_one else [found == key for key in request.keys]
    assert len(made.triangles.counts) == len(groups)
    assert set(request.columns) <= set(made.columns)
    narrow = made.narrow(request.columns)
    for cell, rows in enumerate(groups):
        assert narrow.triangles.counts[cell] == rows.sum()
        X = np.stack([table.columns[j].values[rows] for j in request.columns], axis=1)
        design = np.column_stack([np.ones(len(X)), X - narrow.triangles.shifts[cell]])
        R = narrow.triangles.R[cell]
        np.testing.assert_allclose(R @ R.T, design.T @ design, rtol=1e-10, atol=1e-9)


def rows_in(table, variables, keys):
    return int(np.isin(keys_by_numpy(table, variables), keys).sum())


def count_reads(store: Store):
    """Count how often a store has its reader read; return the list that grows by one plan each time."""
    plans = []
    read = store.reader.read

    def counted(asked):
        plans.append([plan for _, plan in asked])
        return read(asked)

    store.reader.read = counted
    return plans


def replaced_rows(table, column, values):
    columns = list(table.columns)
    columns[column] = Column(values, None)
    return Table(table.names, columns)


def everything(table):
    return Request((), table.continuous)
