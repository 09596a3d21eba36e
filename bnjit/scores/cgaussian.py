"""Local scores of continuous nodes from Cells: a regression on the continuous parents in each cell.

With no discrete parents there is one cell: a Gaussian network's score. Where moments cannot vouch for the digits of a
fit, that cell is fitted again from its rows by QR, so that a score does not depend on luck.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32
from bnjit._simd import SIMD_WIDTH
from bnjit.kernels.cgaussian import Marks, batch_cells, batch_cells_serial
from bnjit.kernels.moments import Moments
from bnjit.kernels.moments_small import MOST_COLUMNS
from bnjit.scores.batch import Candidates, Indices, ParentSet, ParentSets, Steps, by_discrete_part, together
from bnjit.scores.residuals import Essential, essential, without
from bnjit.scores.rows import RowScorer, matching_cells, rule_of
from bnjit.stats import Cells, Request, Store, Want
from bnjit.stats.cells import MAX_CONFIGURATIONS

FEW_COLUMNS = 40
MOST_SHARED = 2  # discrete parents up to which other nodes are likely to have the same ones
FEW_SETS, FEW_FITS = 3, 256  # that one thread does by itself
SMALL_TABLE = 1 << 23  # bytes: what stays in a processor's cache
MANY_ROWS = 3  # times all rows: so many that a node fitted again by QR are worth a column of residuals
DEEPEST = 3  # residuals of residuals of residuals


class _Tables(NamedTuple):
    """Moments of the fitted rows and of the scored ones in the same cells."""

    columns: tuple[int, ...]
    train: Moments
    test: Moments
    cells: Indices  # which cells of the fitted rows they are


class _Part(NamedTuple):
    """Parent sets that are scored from one table, what that is, and how many cells it has."""

    group: Candidates
    request: Request
    m: int


class _Doubtful(NamedTuple):
    """Parent sets with cells that moments cannot vouch for: marks, uint8[b, m], and which fitted cells these m are."""

    group: Candidates
    marks: Marks
    cells: Indices


class FromCells:
    """Log-likelihood of the rows, or of test rows, under regressions fitted to the moments of each cell.

    The variance is RSS / (n - g - 1) in every cell (see rule_of for test rows). A cell with fewer than g + 2 rows, or
    with a residual deviation below the tolerance, makes the model impossible; so do test rows in a configuration that
    training never saw. With `lenient`, cells with too few rows are left out of the sum instead.
    """

    def __init__(
        self, store: Store, test: Store | None = None, lenient: bool = False, outer: "FromCells | None" = None
    ) -> None:
        self.store, self.test, self.lenient = store, test, lenient
        self.depth: int = 0 if outer is None else outer.depth + 1
        self._in_chunks = store.in_chunks or (test is not None and test.in_chunks)
        # From the rows as they were given, also where the node is residuals: only there may a parent be dropped.
        self._score_rows: RowScorer = RowScorer(store, test, lenient) if outer is None else outer._score_rows
        # Once a node's residuals are used, they are for all sets with these parents: the score of a set then does not
        # depend on what else is asked.
        self._by_residuals: dict[int, tuple[Essential, FromCells]] = {}
        self._fitted_again: dict[int, int] = {}  # rows, by node
        self._positions: dict[ParentSet, Ints32] = {}  # of the columns of a table among them
        self._likely: dict[int, list[int]] = {}  # continuous columns by the best score of a set with them, by node

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b], in steps."""
        if node not in self._by_residuals:
            return (yield from self._steps(node, sets))
        out = np.empty(len(sets.sizes))
        parents, scorer = self._by_residuals[node]
        inside = parents.within(sets)
        both = [(np.flatnonzero(inside), scorer.steps), (np.flatnonzero(~inside), self._steps)]
        both = [(which, steps) for which, steps in both if len(which)]
        made = yield from together([steps(node, sets.take(which)) for which, steps in both])
        for (which, _), values in zip(both, made, strict=True):
            out[which] = values
        return out

    def _wants(self, requests: Sequence[Request]) -> list[Want]:
        return [Want(store, requests) for store in (self.store, self.test) if store is not None]

    def _steps(self, node: int, sets: ParentSets) -> Steps:
        out = np.full(len(sets.sizes), -np.inf)
        groups = by_discrete_part(sets, self.store.table.discrete)
        groups = [g for g in groups if self.store.table.configurations(g.discrete) <= MAX_CONFIGURATIONS]
        # Counting is cheap, is done for the batch at once, and rules out most large sets before any moment.
        if self._in_chunks:
            yield self._wants([Request(g.discrete) for g in groups])
        parts: list[_Part] = []
        for group, (fewest, m) in zip(groups, self._count([g.discrete for g in groups]), strict=True):
            sizes = group.continuous.sizes
            possible = group if sizes.max() + 1 < fewest else group.some(np.flatnonzero(sizes + 1 < fewest))
            parts += [_Part(part, self._request(node, part, m), m) for part in self._affordable(possible, node, m)]
        doubtful: list[_Doubtful] = []
        for some in self._in_memory(parts):
            requests = [part.request for part in some]
            if self._in_chunks:
                yield self._wants(requests)
            for (group, _, _), tables in zip(some, self._tables(requests), strict=True):
                out[group.at], found = self._score(node, group, tables)
                doubtful += found
        if doubtful:
            yield from self._settle(node, sets, doubtful, out)
        self._remember_likely(node, sets, out)
        return out

    def _remember_likely(self, node: int, sets: ParentSets, scores: Floats) -> None:
        """Rank the continuous columns by what they promise as parents, where a batch compares them."""
        if not SIMD_WIDTH < len(self.store.table.continuous) <= len(sets.sizes):
            return
        best = np.full(len(self.store.table.names), -np.inf)
        inside = sets.inside()
        np.maximum.at(best, sets.members[inside], np.broadcast_to(scores[:, None], inside.shape)[inside])
        self._likely[node] = sorted(self.store.table.continuous, key=lambda v: -best[v])

    def _settle(
        self, node: int, sets: ParentSets, doubtful: list[_Doubtful], out: Floats
    ) -> Generator[list[Want], None, None]:
        """Score what moments cannot vouch for: by residuals if it is much, else cell by cell from rows by QR."""
        at = np.concatenate([found.group.at for found in doubtful])
        rows = sum(int((found.marks @ self._counts(found)).sum()) for found in doubtful)
        self._fitted_again[node] = rows = rows + self._fitted_again.get(node, 0)
        if rows >= MANY_ROWS * self.store.n and self.depth < DEEPEST:
            parents = essential(sets.take(at), self.store.table.discrete)
            if parents.continuous:
                self._fitted_again[node] = 0
                yield self._wants([parents.request(node)])
                self._by_residuals[node] = parents, self._without(node, parents)
                out[at] = yield from self._by_residuals[node][1].steps(node, sets.take(at))
                return
        if self._in_chunks:
            yield self._wants_of_rows(node, doubtful)
        self._add_rows(node, doubtful, out)

    def _wants_of_rows(self, node: int, doubtful: list[_Doubtful]) -> list[Want]:
        wants = []
        for group, marks, cells in doubtful:
            some = np.flatnonzero(marks.any(axis=0))
            needed = columns_of(node, group)
            wants.append(Want(self._score_rows.store, rows=[(group.discrete, cells[some], needed)]))
            if self._score_rows.test is not None:
                wants.append(Want(self._score_rows.test, rows=[(group.discrete, some, needed)]))
        return wants

    def _add_rows(self, node: int, doubtful: list[_Doubtful], out: Floats) -> None:
        """Add the scores of doubtful cells, fitted from their rows."""
        for group, marks, cells in doubtful:
            some = np.flatnonzero(marks.any(axis=0))
            again = self._score_rows(node, group, cells[some], some).T
            # Only what a set itself needs, so that its score does not depend on the others of the batch.
            out[group.at] += np.where(marks[:, some] > 0, again, 0.0).sum(axis=1)

    def _counts(self, found: _Doubtful) -> Indices:
        """Fitted rows of the cells of doubtful sets."""
        return self.store.get([Request(found.group.discrete)])[0].counts[found.cells]

    def _without(self, node: int, parents: Essential) -> "FromCells":
        """Scores by residuals of a node."""
        return FromCells(*without(self.store, self.test, node, parents), self.lenient, outer=self)

    def _in_memory(self, parts: list[_Part]) -> list[list[_Part]]:
        """Divide parts so that the tables of each piece fit in memory together."""
        pieces: list[list[_Part]] = [[]]
        used = 0
        for part in parts:
            c = len(part.request.columns)
            size = 8 * part.m * c * (c + 3) // 2
            if pieces[-1] and used + size > self.store.memory // 2:
                pieces.append([])
                used = 0
            pieces[-1].append(part)
            used += size
        return pieces

    def _count(self, sets: Sequence[ParentSet]) -> list[tuple[int, int]]:
        """Fewest fitted rows in a cell that is scored, and the number of cells, for sets of discrete parents."""
        requests = [Request(s) for s in sets]
        counted = self.store.get(requests)
        if self.lenient:
            return [(self.store.n + 1, len(cells.keys)) for cells in counted]
        if self.test is None:
            return [(int(cells.counts.min()), len(cells.keys)) for cells in counted]
        self.test.get(requests)
        matching = [matching_cells(self.store, self.test, s) for s in sets]
        return [
            (0, 0) if at is None else (int(cells.counts[at].min()), len(cells.keys))
            for cells, at in zip(counted, matching, strict=True)
        ]

    def _affordable(self, group: Candidates, node: int, m: int) -> list[Candidates]:
        """Split a group until the tables of each part fit in memory."""
        size = len(group.at)
        if (
            size <= 1
            or self.store.holds(m, len(self.store.table.continuous))
            or self.store.holds(m, len(columns_of(node, group)))
        ):
            return [group] if size else []
        halves = group.some(np.arange(size // 2)), group.some(np.arange(size // 2, size))
        return [part for piece in halves for part in self._affordable(piece, node, m)]

    def _request(self, node: int, group: Candidates, m: int) -> Request:
        """Table for a group: of all columns, which serves nodes with the same discrete parents, or a narrow one."""
        everything = self.store.table.continuous
        cheap = (
            self.depth == 0  # residuals are of use to one node alone
            and len(group.discrete) <= MOST_SHARED
            and len(everything) <= FEW_COLUMNS
            and 8 * m * len(everything) ** 2 // 2 <= SMALL_TABLE
        )
        wide = not group.discrete or ((len(group.at) > 1 or cheap) and self.store.holds(m, len(everything)))
        if wide:
            return Request(group.discrete, everything)
        needed = columns_of(node, group)
        if len(needed) <= MOST_COLUMNS:
            return Request(group.discrete, needed)
        # Columns come in eights at one price: the likely next parents go along, so that the next move finds them there.
        likely = [v for v in self._likely.get(node, ()) if v not in needed]
        return Request(group.discrete, tuple(sorted((*needed, *likely[: -len(needed) % SIMD_WIDTH]))))

    def _score(self, node: int, group: Candidates, tables: _Tables) -> tuple[Floats, list[_Doubtful]]:
        """Sums of what moments vouch for, float64[b], and what they do not vouch for, if anything."""
        position = self._positions.get(tables.columns)
        if position is None:
            position = self._positions[tables.columns] = np.zeros(len(self.store.table.names), np.int32)
            position[list(tables.columns)] = np.arange(len(tables.columns))
        parents, sizes = position[group.continuous.members], group.continuous.sizes
        b, m = len(sizes), len(tables.cells)
        out, flagged, marks = np.empty(b), np.empty(b, np.int64), np.zeros((b, m), np.uint8)
        score = batch_cells if b > FEW_SETS and b * m > FEW_FITS else batch_cells_serial
        rule = rule_of(self.test, group.discrete, self.lenient)._replace(residual=self.depth > 0)
        score(tables.train, tables.test, int(position[node]), parents, sizes, rule, out, flagged, marks)
        if not flagged.any():
            return out, []
        doubtful = np.flatnonzero(flagged)
        return out, [_Doubtful(group.some(doubtful), marks[doubtful], tables.cells)]

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
    at = np.minimum(np.searchsorted(fitted.keys, scored.keys), len(fitted.keys) - 1)
    train = fitted.moments
    if not np.array_equal(fitted.keys, scored.keys):
        seen = fitted.keys[at] == scored.keys  # others have no fitted rows
        train = Moments(
            np.where(seen, train.counts[at], 0), train.means[at], train.mean_corrections[at], train.crosses[at]
        )
    return _Tables(columns, train, scored.moments, at)


def columns_of(node: int, group: Candidates) -> tuple[int, ...]:
    """Continuous columns that a group needs, ascending."""
    sets = group.continuous
    return tuple(sorted({node, *sets.members[sets.inside()].tolist()}))
