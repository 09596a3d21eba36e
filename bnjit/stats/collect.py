"""Collect Cells from the rows of a Table: means and cross-products, and which cell each row is in."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64
from bnjit._simd import SIMD_WIDTH
from bnjit._threads import in_threads
from bnjit.data import Table
from bnjit.data.chunked.memory import free_memory
from bnjit.data.schema import Schema, listing
from bnjit.errors import DataError
from bnjit.kernels.cells import add_by_cell
from bnjit.kernels.configurations import Numbering, append_keys, find_cells, rank_dense, rank_sparse
from bnjit.kernels.moments import Moments, add_all
from bnjit.kernels.moments_small import MOST_COLUMNS, add_up_to_three
from bnjit.stats.cells import Cells, join_tables, no_moments, table_bytes
from bnjit.stats.tuning import (
    DENSE_CONFIGURATIONS,
    FEWEST_PER_CELL,
    FILLED_SHARE,
    LEAST_RANGES,
    MOST_RANGES,
    ORDERED_BYTES,
    ORDERED_PER_CELL,
    ORDERED_ROWS,
    ORDERED_SHARE,
    RANGE_BYTES,
    RANGES_PER_BATCH,
    ROWS_PER_JOINED_CELL,
    ROWS_PER_RANGE,
    SMALL_BYTES,
)

NOTHING = np.empty(0, np.int32)
VECTOR_BYTES = 8 * SIMD_WIDTH


class Membership(NamedTuple):
    """Which cell each row is in.

    variables : the discrete variables; keys : int64[m], ascending; ids : int32[n], empty where all rows are one cell,
    or where `rank`, int32[all configurations], says the cell of each
    """

    variables: tuple[int, ...]
    keys: Ints64
    ids: Ints32
    rank: Ints32 = NOTHING

    @property
    def numbering(self) -> Numbering:
        """What kernels take."""
        return Numbering(np.array(self.variables, np.int32), self.rank, self.ids)


ONE_CELL = Membership((), np.zeros(1, np.int64), NOTHING)


def padded(sets: Iterable[Sequence[int]]) -> tuple[Ints32, Ints64]:
    """Sets as a matrix, int32[b, longest], and their sizes, int64[b], as kernels take them."""
    sets = list(sets)
    sizes = [len(s) for s in sets]
    members = np.zeros((len(sets), max([1, *sizes])), np.int32)
    for i, s in enumerate(sets):
        members[i, : len(s)] = s
    return members, np.array(sizes, np.int64)


def dense_limit(n: int) -> int:
    """Declared configurations of the largest table of them all that is worth filling."""
    return max(DENSE_CONFIGURATIONS, 4 * n)


def membership(table: Table, variables: tuple[int, ...], dense: int | None = None) -> Membership:
    """Find the cell of every row, numbering only the observed ones; `dense` is in place of `dense_limit`."""
    if not variables:
        return ONE_CELL
    ids = np.empty(table.n, np.int32)
    keys = np.zeros(table.n, np.int64)
    append_keys(table.view, np.array(variables, np.int32), keys)
    declared = table.configurations(variables)
    is_dense = declared <= (dense_limit(table.n) if dense is None else dense)
    observed = rank_dense(keys, declared, ids) if is_dense else rank_sparse(keys, ids)
    return Membership(variables, observed, ids)


def ranked(table: Table, variables: tuple[int, ...], keys: Ints64, others: int = 0) -> Membership | None:
    """Cells of rows by a table of all configurations, given the observed ones; None if they are too many for one.

    With others=1 the keys are those of some rows, numbered from 1 on; the other rows are in cell 0.
    """
    declared = table.configurations(variables)
    if declared > dense_limit(table.n):
        return None
    rank = np.zeros(declared, np.int32)
    rank[keys] = np.arange(len(keys)) + others
    return Membership(variables, keys, NOTHING, rank)


def cells_of_rows(table: Table, variables: tuple[int, ...], keys: Ints64) -> Ints32:
    """Cell of every row, int32[n], given the observed ones; empty where all rows are one cell."""
    found = ranked(table, variables, keys) if variables else ONE_CELL
    if found is None:
        return membership(table, variables).ids
    ids = np.empty(table.n if variables else 0, np.int32)
    find_cells(table.view, found.numbering, 0, len(ids), ids)
    return ids


def collect_cells(
    table: Table, columns: tuple[int, ...], found: Membership, ordered: tuple[int, int] = ORDERED_ROWS
) -> Cells:
    """Counts, means and cross-products of `columns` in every cell."""
    return collect_batch([TableTask(table, columns, found)], ordered=ordered)[0]


class Scratch:
    """Buffers that threads take and give back: new memory costs about as much as what is done in it."""

    def __init__(self) -> None:
        self._spare: list[Floats] = []

    @contextmanager
    def take(self, size: int) -> Iterator[Floats]:
        """Lend a buffer of some size."""
        try:
            buffer = self._spare.pop()
        except IndexError:
            buffer = np.empty(0)
        if len(buffer) < size:
            # Vectors that begin where lines of the cache do are written and read in one step.
            room = np.empty(size + SIMD_WIDTH)
            first = -room.ctypes.data % VECTOR_BYTES // room.itemsize
            buffer = room[first : first + size]
        yield buffer[:size]
        self._spare.append(buffer)


class TableTask(NamedTuple):
    """Cells to collect: of which rows, with which columns, and the cells that the rows are in."""

    table: Table
    columns: tuple[int, ...]
    found: Membership

    @property
    def values(self) -> int:
        """Values to read."""
        return self.table.n * len(self.columns)


def collect_batch(
    asked: Sequence[TableTask], scratch: Scratch | None = None, ordered: tuple[int, int] = ORDERED_ROWS
) -> list[Cells]:
    """Cells of several sets of variables, each with columns of its own; threads over them and over ranges of rows.

    ordered : rows that are put in order of their cells at a time, at the least and at the most

    Ranges are combined in a fixed order, and depend on the shape of the data and of the batch alone: the number of
    threads changes no digit.
    """
    scratch = scratch or Scratch()
    shapes = [(len(one.found.keys), len(one.columns)) for one in asked]
    divided = [_ranges(one.table.n, m, c, len(asked)) for one, (m, c) in zip(asked, shapes, strict=True)]
    made: list[Cells] = []
    sizes = [ranges * table_bytes(m, c) for (m, c), ranges in zip(shapes, divided, strict=True)]
    rows = sum({id(one.table): one.table.nbytes for one in asked}.values())
    pieces = list(at_a_time(sizes, max(RANGE_BYTES, int(FILLED_SHARE * rows))))
    check_memory(asked, divided, pieces)
    for some in pieces:
        parts, tasks = [], []
        for one, (m, c), ranges in zip(asked[some], shapes[some], divided[some], strict=True):
            part = [no_moments(m, c) for _ in range(ranges)]
            collect = partial(_collect_range, *one, scratch, ordered, ranges)
            tasks += [partial(collect, i, part[i]) for i in range(ranges)]
            parts.append(part)
        in_threads(tasks, sum(one.values for one in asked[some]))
        made += [
            make_cells(table, found.variables, columns, found.keys, join_tables(part))
            for (table, columns, found), part in zip(asked[some], parts, strict=True)
        ]
    return made


def at_a_time(sizes: Sequence[int], most: int) -> Iterator[slice]:
    """Divide tables, given their bytes, into those whose sum is at most so much; each slice has one at least."""
    first = used = 0
    for i, size in enumerate(sizes):
        if used + size > most and i > first:
            yield slice(first, i)
            first, used = i, 0
        used += size
    yield slice(first, len(sizes))


def _ranges(n: int, m: int, c: int, tables: int) -> int:
    """Ranges of rows that a table is collected from, which depend on the shape of the data alone."""
    ranges = MOST_RANGES
    if m > 1:
        ranges = min(-(-RANGES_PER_BATCH // tables), max(LEAST_RANGES, RANGE_BYTES // table_bytes(m, c)))
    return max(1, min(ranges, n // max(ROWS_PER_RANGE, ROWS_PER_JOINED_CELL * m)))


def check_memory(
    asked: Sequence[TableTask], copies: Sequence[int], pieces: Sequence[slice], free: int | None = None
) -> None:
    """Raise before tables are made that memory does not hold.

    copies : of each table, while those of its piece are filled; pieces : tables that are filled at a time
    """
    sizes = [table_bytes(len(one.found.keys), len(one.columns)) for one in asked]
    beside = [(times - 1) * size for times, size in zip(copies, sizes, strict=True)]
    if asked:
        table, columns, found = asked[int(np.argmax(sizes))]
        size = sum(sizes) + max(sum(beside[some]) for some in pieces)
        check_size(table, size, found.variables, len(found.keys), len(columns), free)


def check_size(
    table: Schema, size: int, variables: tuple[int, ...], cells: int, columns: int, free: int | None = None
) -> None:
    """Raise if so many bytes are not free; the rest describes the largest table; free : by default, as it is."""
    if size <= SMALL_BYTES:
        return
    free = free_memory() if free is None else free
    if size > free:
        raise DataError(
            f"tables of configurations would take {size / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free; the "
            f"largest has {cells:,} configurations of {listing([table.names[v] for v in variables])} and {columns} "
            "continuous columns: allow fewer parents (max_parents), or give columns fewer levels"
        )


def _collect_range(
    table: Table, columns: tuple[int, ...], found: Membership, scratch: Scratch, ordered: tuple[int, int], ranges: int,
    number: int, out: Moments,
) -> None:  # fmt: skip
    """Statistics of some of the rows."""
    first, last = table.n * number // ranges, table.n * (number + 1) // ranges
    which = np.array(columns, np.int32)
    if 0 < len(columns) <= MOST_COLUMNS:
        add_up_to_three(table.view, which, found.numbering, first, last, out)
    elif len(found.keys) == 1:
        add_all(table.view, which, first, last, 0, out)
    else:
        m, width = len(found.keys), -(-len(columns) // SIMD_WIDTH) * SIMD_WIDTH
        rows = max(ordered[0], min(ordered[1], ORDERED_PER_CELL * m), FEWEST_PER_CELL * m)
        rows = max(1, min(rows, last - first))
        room = (ORDERED_BYTES if table.has_copies else max(ORDERED_BYTES, int(ORDERED_SHARE * table.nbytes))) // 8
        with scratch.take(min((rows + 1) * width, room)) as Z:
            add_by_cell(table.view, which, found.numbering, first, last, rows, Z, out)


def make_cells(
    table: Schema, variables: tuple[int, ...], columns: tuple[int, ...], keys: Ints64, moments: Moments
) -> Cells:
    """Cells with the declared levels of their variables."""
    return Cells(variables, tuple(table.levels[v] for v in variables), columns, keys, moments)
