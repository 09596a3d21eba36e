"""Collapse equal rows of a table's discrete columns into one with a weight, where that leaves far fewer to count."""

import itertools
from functools import partial

import numpy as np

from bnjit._jit import Ints32
from bnjit._threads import in_threads, thread_count
from bnjit.data import Table
from bnjit.kernels.collapse import distinct_rows
from bnjit.kernels.columns import Columns
from bnjit.kernels.tuning import KEYED_ROWS
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.counting import RowsToCount
from bnjit.stats.tuning import COLLAPSE_ROWS_PER_RANGE

PROBE = 4 * KEYED_ROWS  # rows that tell whether it is worth trying


def collapse(table: Table) -> RowsToCount | None:
    """Distinct rows of the discrete columns and how often each is there; None if that is most of the rows."""
    variables = np.flatnonzero(table.discrete)
    if table.n < PROBE or not len(variables):
        return None
    word = [0]
    size = table.levels[variables[0]]
    for v in variables[1:].tolist():
        size *= table.levels[v]
        full = size > MAX_CONFIGURATIONS
        word.append(word[-1] + full)
        size = table.levels[v] if full else size
    ranges = max(1, min(thread_count(), table.n // COLLAPSE_ROWS_PER_RANGE))
    bounds = [table.n * i // ranges for i in range(ranges + 1)]
    room = [np.empty((2, (b - a) // 2), np.int32) for a, b in itertools.pairwise(bounds)]
    arguments = table.view, variables.astype(np.int32), np.array(word)
    tasks = [partial(distinct_rows, *arguments, bounds[i], bounds[i + 1], PROBE, *room[i]) for i in range(ranges)]
    found = in_threads(tasks, table.n * len(variables))
    if min(found) < 0:
        return None
    where, weights = np.concatenate([part[:, :m] for part, m in zip(room, found, strict=True)], axis=1)
    return _take(table, where, weights)


def _take(table: Table, where: Ints32, weights: Ints32) -> RowsToCount:
    """Some rows of the discrete columns; the others have no values."""
    at = where.astype(np.intp)
    values = [c.values.take(at) if c.labels is not None else np.empty(0, np.uint8) for c in table.columns]
    address = np.array([v.__array_interface__["data"][0] for v in values], np.int64)
    view = Columns(address, table.view.kind, table.view.levels, table.view.scale, table.view.fill, len(where))
    return RowsToCount(view, np.ascontiguousarray(weights), tuple(values))
