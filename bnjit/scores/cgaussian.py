"""Local scores of continuous nodes from Cells: a regression on the continuous parents in each cell.

With no discrete parents there is one cell: a Gaussian network's score. Where moments cannot vouch for the digits of a
fit, that cell is fitted again from its rows by QR, so that a score does not depend on luck.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32
from bnjit.kernels.cgaussian import Rule, batch_cells, few_cells, score_cells
from bnjit.kernels.moments import Moments
from bnjit.kernels.regression import NEEDS_ROWS
from bnjit.scores.batch import Candidates, Indices, ParentSet, ParentSets, by_discrete_part
from bnjit.scores.rows import RowScorer, matching_cells, rule_of
from bnjit.stats import Cells, Request, Store
from bnjit.stats.cells import MAX_CONFIGURATIONS

FEW_COLUMNS = 40
MOST_SHARED = 2  # discrete parents up to which other nodes are likely to have the same ones
FEW_SETS, FEW_FITS = 3, 256  # that one thread does by itself
SMALL_TABLE = 1 << 23  # bytes: what stays in a processor's cache


class _Tables(NamedTuple):
    """Moments of the fitted rows and of the scored ones in the same cells."""

    columns: tuple[int, ...]
    train: Moments
    test: Moments
    cells: Indices  # which cells of the fitted rows they are


class FromCells:
    """Log-likelihood of the rows, or of test rows, under regressions fitted to the moments of each cell.

    The variance is RSS / (n - g - 1) in every cell (see rule_of for test rows). A cell with fewer than g + 2 rows, or
    with a residual deviation below the tolerance, makes the model impossible; so do test rows in a configuration that
    training never saw.
    """

    def __init__(self, store: Store, test: Store | None = None) -> None:
        self.store, self.test = store, test
        self._score_rows = RowScorer(store, test)

    def scores(self, node: int, sets: ParentSets) -> Floats:
        """Return the local score of `node` for every set of parents, float64[b]."""
        out = np.full(len(sets.sizes), -np.inf)
        groups = by_discrete_part(sets, self.store.table.discrete)
        groups = [g for g in groups if self.store.table.configurations(g.discrete) <= MAX_CONFIGURATIONS]
        # Counting is cheap, is done for the batch at once, and rules out most large sets before any moment.
        parts = []
        for group, (fewest, m) in zip(groups, self._count([g.discrete for g in groups]), strict=True):
            possible = group.some(np.flatnonzero(group.continuous.sizes + 1 < fewest))
            parts += [(part, self._request(node, part, m)) for part in self._affordable(possible, node, m)]
        for some in self._in_memory(parts):
            for part, tables in zip(some, self._tables([request for _, request in some]), strict=True):
                out[part[0].at] = self.score(node, part[0], tables)
        return out

    def _in_memory(self, parts: list[tuple[Candidates, Request]]) -> list[list[tuple[Candidates, Request]]]:
        """Divide parts so that the tables of each piece fit in memory together."""
        pieces: list[list[tuple[Candidates, Request]]] = [[]]
        used = 0
        for part, request in parts:
            c = len(request.columns)
            size = 8 * len(self.store.get([Request(request.variables)])[0].keys) * c * (c + 3) // 2
            if pieces[-1] and used + size > self.store.memory // 2:
                pieces.append([])
                used = 0
            pieces[-1].append((part, request))
            used += size
        return pieces

    def _count(self, sets: Sequence[ParentSet]) -> list[tuple[int, int]]:
        """Fewest fitted rows in a cell that is scored, and the number of cells, for sets of discrete parents."""
        requests = [Request(s) for s in sets]
        counted = self.store.get(requests)
        if self.test is None:
            return [(int(cells.counts.min()), len(cells.keys)) for cells in counted]
        self.test.get(requests)
        matching = [matching_cells(self.store, self.test, s) for s in sets]
        return [
            (0, 0) if at is None else (int(cells.counts[at].min()), len(cells.keys))
            for cells, at in zip(counted, matching, strict=True)
        ]

    def _fits(self, m: int, c: int) -> bool:
        """Whether tables of m cells and c columns fit in a part of the memory."""
        return 8 * m * c * (c + 3) // 2 <= self.store.memory // 4

    def _affordable(self, group: Candidates, node: int, m: int) -> list[Candidates]:
        """Split a group until the tables of each part fit in memory."""
        size = len(group.at)
        if size <= 1 or self._fits(m, len(self.store.table.continuous)) or self._fits(m, len(columns_of(node, group))):
            return [group] if size else []
        halves = group.some(np.arange(size // 2)), group.some(np.arange(size // 2, size))
        return [part for piece in halves for part in self._affordable(piece, node, m)]

    def _request(self, node: int, group: Candidates, m: int) -> Request:
        """Table for a group: of all columns, which serves nodes with the same discrete parents, or a narrow one."""
        everything = self.store.table.continuous
        cheap = (
            len(group.discrete) <= MOST_SHARED
            and len(everything) <= FEW_COLUMNS
            and 8 * m * len(everything) ** 2 // 2 <= SMALL_TABLE
        )
        wide = not group.discrete or ((len(group.at) > 1 or cheap) and self._fits(m, len(everything)))
        return Request(group.discrete, everything if wide else columns_of(node, group))

    def score(self, node: int, group: Candidates, tables: _Tables) -> Floats:
        """Scores of parent sets with the same discrete part, float64[b]."""
        position = np.zeros(len(self.store.table.names), np.int32)
        position[list(tables.columns)] = np.arange(len(tables.columns))
        y, parents, sizes = int(position[node]), position[group.continuous.members], group.continuous.sizes
        rule = rule_of(self.test, group.discrete)
        out, flagged = np.empty(len(sizes)), np.empty(len(sizes), np.int64)
        score = batch_cells if len(sizes) > FEW_SETS and len(sizes) * len(tables.cells) > FEW_FITS else few_cells
        score(tables.train, tables.test, y, parents, sizes, rule, out, flagged)
        doubtful = np.flatnonzero(flagged)
        if len(doubtful):
            out[doubtful] = self._with_rows(node, group.some(doubtful), tables, y, parents[doubtful], rule)
        return out

    def _with_rows(self, node: int, group: Candidates, tables: _Tables, y: int, parents: Ints32, rule: Rule) -> Floats:
        """Scores with those cells fitted from rows by QR where moments cannot vouch for all sets of the group."""
        sizes, m = group.continuous.sizes, len(tables.cells)
        values, flags = np.empty((len(sizes), m)), np.empty((len(sizes), m), np.int32)
        for i, size in enumerate(sizes.tolist()):
            score_cells(tables.train, tables.test, y, parents[i], size, rule, values[i], flags[i])
        cells = np.flatnonzero((flags == NEEDS_ROWS).any(axis=0))
        again = self._score_rows(node, group, tables.cells[cells], cells, by_cell=True).T
        # Only what a set itself needs, so that its score does not depend on the others of the batch.
        values[:, cells] = np.where(flags[:, cells] == NEEDS_ROWS, again, values[:, cells])
        return values.sum(axis=1)

    def _tables(self, requests: list[Request]) -> list[_Tables]:
        fitted = self.store.get(requests)
        if self.test is None:
            return [
                _Tables(cells.columns, cells.moments, cells.moments, np.arange(len(cells.keys))) for cells in fitted
            ]
        scored = self.test.get(requests)
        return [matched(ours, theirs) for ours, theirs in zip(fitted, scored, strict=True)]


def matched(fitted: Cells, scored: Cells) -> _Tables:
    """Moments of the fitted rows in the cells that have rows to score."""
    if fitted is scored:
        return _Tables(fitted.columns, fitted.moments, fitted.moments, np.arange(len(fitted.keys)))
    columns = tuple(j for j in fitted.columns if j in scored.columns)
    fitted, scored = fitted.narrow(columns), scored.narrow(columns)
    at = np.searchsorted(fitted.keys, scored.keys)
    train = fitted.moments
    if len(at) < len(fitted.keys):
        train = Moments(train.counts[at], train.means[at], train.lows[at], train.crosses[at])
    return _Tables(columns, train, scored.moments, at)


def columns_of(node: int, group: Candidates) -> tuple[int, ...]:
    """Continuous columns that a group needs, ascending."""
    sets = group.continuous
    return tuple(sorted({node, *sets.members[sets.inside()].tolist()}))
