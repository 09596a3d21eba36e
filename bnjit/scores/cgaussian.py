"""Local scores of continuous nodes from Cells: a regression on the continuous parents in each cell.

With no discrete parents there is one cell: a Gaussian network's score. Where moments do not give a regression
accurately, `stats.regressions` fits it again.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64
from bnjit._simd import SIMD_WIDTH
from bnjit._threads import in_ranges, in_threads
from bnjit.kernels.gaussian import CellMoments, loglik_sets
from bnjit.kernels.moments import Moments
from bnjit.kernels.moments_small import MOST_COLUMNS
from bnjit.scores.tuning import (
    CACHED_TABLE,
    FEW_COLUMNS,
    FEW_FITS,
    FEW_SETS,
    MOST_SHARED_PARENTS,
    SHARING_NODES,
    VALUES_PER_FIT,
)
from bnjit.stats import Cells, Request, Store, cells_for
from bnjit.stats.cell_scores import UNSUPPORTED, CellScore, CellSets, Likelihood, Scored
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.left_out import left_out
from bnjit.stats.parent_sets import Batch, Candidates, Indices, ParentSet, ParentSets, by_discrete_part
from bnjit.stats.regressions import Doubtful, Refits
from bnjit.stats.residual_views import NodeSets, View

ANY_ROWS = 1 << 62  # rows of a cell that are enough for any number of parents


class _Tables(NamedTuple):
    """Moments of the fitted rows and of the scored ones in the same cells."""

    columns: tuple[int, ...]
    train: Moments
    test: Moments
    cells: Indices  # which cells of the fitted rows they are
    keys: Ints64  # of the cells

    def as_cells(self) -> tuple[Cells, Cells]:
        """Return them as Cells whose variables nobody asks for."""
        train = Cells((), (), self.columns, self.keys, self.train)
        return train, train if self.test is self.train else train._replace(moments=self.test)


class Part(NamedTuple):
    """Parent sets that are scored from one table, of which request, and how many cells it has."""

    number: int  # of the NodeSets
    node: int
    view: View
    group: Candidates
    request: Request
    m: int

    def asked(self) -> list[tuple[Store, Request]]:
        """Return what must be there to score it."""
        return [(store, self.request) for store in self.view.stores]


class FromCells:
    """Log-likelihood of the rows, or of test rows, under regressions fitted to the moments of each cell.

    The variance is RSS / (n - g - 1) in every cell (see Likelihood.rule for test rows). A cell with fewer than g + 2
    rows, or with a residual deviation below the tolerance, makes the model impossible; so do test rows in a
    configuration that training never saw. Another CellScore may score a cell in another way, and leave some out.
    """

    def __init__(
        self, store: Store, test: Store | None = None, cells: CellScore | None = None, refits: Refits | None = None
    ) -> None:
        self.store, self.test, self.schema = store, test, store.schema
        self.refits = Refits(store, test, cells) if refits is None else refits
        self.cells = self.refits.cells
        self._stores = self.refits.base.stores
        self._positions: dict[ParentSet, Ints32] = {}  # of the columns of a table among them
        self._rows_known: dict[ParentSet, tuple[int, int]] = {}  # what _rows_in says of sets of discrete parents
        self._compared: dict[int, tuple[ParentSets, Floats]] = {}  # sets of a node that had all columns, last scored

    @property
    def is_quick(self) -> bool:
        """Whether estimating is as fast as remembering: all columns are continuous, and the rows score themselves."""
        return self.test is None and isinstance(self.cells, Likelihood) and not any(self.schema.discrete)

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts of the discrete parents, which rule out most large sets before any moment."""
        groups = self._groups(batch.sets)
        return [(store, Request(group.discrete)) for group in groups if group.discrete for store in self._stores]

    def tables_needed(self, batch: Batch) -> list[tuple[Store, Request]]:
        """Return the tables that scoring will ask for first, given counts: for others to have them read together."""
        return [pair for part in self.parts(self.refits.divide(batch)) for pair in part.asked()]

    def _groups(self, sets: ParentSets) -> list[Candidates]:
        groups = by_discrete_part(sets, self.schema.discrete)
        return [group for group in groups if self.schema.configurations(group.discrete) <= MAX_CONFIGURATIONS]

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out = np.full(len(batch.nodes), -np.inf)
        todo = self._from_whole(batch, out) if self.is_quick else self.refits.divide(batch)
        self._finish(todo, out)
        self.compare(batch, out)
        return out

    def _finish(self, todo: Sequence[NodeSets], out: Floats) -> None:
        """Score sets, and fit again what is doubtful."""
        while todo:
            todo = self.refits.fit_again(self._from_moments(todo, out), out)

    def compare(self, batch: Batch, out: Floats) -> None:
        """Remember how sets of nodes compare that have been scored with all columns."""
        if not self.is_quick and len(self.schema.continuous) > SIMD_WIDTH:
            for node, part in batch.by_node():
                if part.stop - part.start >= len(self.schema.continuous):
                    self._compared[node] = batch.take(part).sets, out[part].copy()

    def _from_whole(self, batch: Batch, out: Floats) -> list[NodeSets]:
        """Score from the moments of all rows, in one call for all nodes; return what they do not give accurately."""
        moments = self.store.whole.moments
        whole = CellMoments(moments.counts[0].item(), moments.means[0], moments.crosses[0])
        threaded = len(batch.nodes) > FEW_FITS
        in_ranges(loglik_sets, len(batch.nodes), whole, batch.nodes, *batch.sets, out, threaded=threaded)
        for node in self.refits.nodes_by_residuals:
            out[batch.nodes == node] = np.nan
        left = np.isnan(out).nonzero()[0]
        divided = self.refits.divide(batch.take(left)) if len(left) else []
        return [some._replace(at=left[some.at]) for some in divided]

    def _from_moments(self, todo: Sequence[NodeSets], out: Floats) -> list[tuple[NodeSets, list[Doubtful]]]:
        """Score what moments give accurately, and return what is doubtful."""
        parts = self.parts(todo)
        doubtful: dict[int, list[Doubtful]] = {}
        for some in self.in_memory(parts):
            for number, marked in self._score_piece(some, out):
                doubtful.setdefault(number, []).append(marked)
        return [(todo[number], found) for number, found in doubtful.items()]

    def _score_piece(self, some: Sequence[Part], out: Floats) -> list[tuple[int, Doubtful]]:
        """Score parts whose tables fit in memory together, which nobody holds when the next are made."""
        found = iter(cells_for([pair for part in some for pair in part.asked()]))
        tables = [_matched([next(found) for _ in part.view.stores]) for part in some]
        doubtful = []
        for part, own, scored in zip(some, tables, self._score_all(some, tables), strict=True):
            out[part.group.at] = scored.sums
            marked = self._doubtful(part, own, scored)
            if marked is not None:
                doubtful.append((part.number, marked))
        return doubtful

    def parts(
        self, todo: Sequence[NodeSets], rows_in: Callable[[list[ParentSet]], list[tuple[int, int]]] | None = None
    ) -> list[Part]:
        """Divide sets by their discrete part, without those that counts rule out, into what a table serves.

        rows_in : says for sets of discrete parents how many rows the fewest have that a cell is fitted to, and how many
        cells there are; by default from what is counted in the stores
        """
        divided = [(number, group) for number, some in enumerate(todo) for group in self._groups(some.sets)]
        counted = iter((rows_in or self._rows_in)([group.discrete for _, group in divided]))
        nodes = Counter(group.discrete for _, group in divided if len(group.discrete) > MOST_SHARED_PARENTS)
        shared = {discrete for discrete, sharing in nodes.items() if sharing >= SHARING_NODES}
        parts = []
        for number, group in divided:
            node, view, at, _ = todo[number]
            fewest, m = next(counted)
            sizes = group.continuous.sizes
            most = group.continuous.members.shape[1]
            possible = group if most + 1 < fewest else group.some(np.flatnonzero(sizes + 1 < fewest))
            for some in self._affordable(possible, node, m):
                request = self._request(node, view, some, m, group.discrete in shared)
                placed = Candidates(some.discrete, at[some.at], some.continuous)
                parts.append(Part(number, node, view, placed, request, m))
        parts.sort(key=lambda part: part.request.variables)  # nodes that share a table have it at the same time
        return parts

    def _rows_in(self, sets: list[ParentSet]) -> list[tuple[int, int]]:
        """Fewest fitted rows in a cell that is scored, and the number of cells, for sets of discrete parents."""
        known = self._rows_known
        known[()] = ANY_ROWS if self.cells.lenient else math.ceil(self.store.n), 1
        new = [discrete for discrete in dict.fromkeys(sets) if discrete not in known]
        counted = iter(cells_for([(store, Request(discrete)) for discrete in new for store in self._stores]))
        for discrete in new:
            known[discrete] = self._fewest_rows([next(counted) for _ in self._stores])
        return [known[discrete] for discrete in sets]

    def _fewest_rows(self, counted: Sequence[Cells]) -> tuple[int, int]:
        """Fewest fitted rows in a cell that is scored, and the number of cells."""
        fitted, scored = counted[0], counted[-1]
        if self.cells.lenient:
            return ANY_ROWS, len(fitted.keys)
        if self.test is None:
            return fitted.moments.counts.min().item(), len(fitted.keys)
        at = matching_cells(fitted, scored)
        return (0, 0) if at is None else (fitted.moments.counts[at].min().item(), len(fitted.keys))

    def in_memory(self, parts: Sequence[Part], copies: int = 1) -> Iterator[list[Part]]:
        """Divide parts so that the tables of each piece, each so many times, fit in memory together."""
        piece: list[Part] = []
        sizes: dict[tuple[Store, Request], int] = {}
        for part in parts:
            key = store, request = part.view.store.made_from(part.request)
            size = 0 if key in sizes else copies * store.size(request, part.m if store is part.view.store else None)
            if piece and size and sum(sizes.values()) + size > store.memory // 2:
                yield piece
                piece, sizes = [], {}
            piece.append(part)
            sizes.setdefault(key, size)
        if piece:
            yield piece

    def _affordable(self, group: Candidates, node: int, m: int) -> list[Candidates]:
        """Split a group until the tables of each part fit in memory."""
        size = len(group.at)
        if (
            m <= self.store.most_wide_cells
            or size <= 1
            or m <= self.store.most_cells_with(len(group.columns_with(node)))
        ):
            return [group] if size else []
        halves = group.some(np.arange(size // 2)), group.some(np.arange(size // 2, size))
        return [part for half in halves for part in self._affordable(half, node, m)]

    def _request(self, node: int, view: View, group: Candidates, m: int, is_shared: bool) -> Request:
        """Table for a group: of all columns, which serves nodes with the same discrete parents, or a narrow one.

        is_shared : whether so many nodes of this batch have these many discrete parents that one table costs less
        """
        observed = self.schema.observed
        everything = self.schema.continuous if observed is None else observed
        cheap = (
            len(everything) == len(self.schema.continuous)  # or other nodes observe other columns
            and view.depth == 0  # residuals are of use to one node alone
            and len(everything) <= FEW_COLUMNS
            and (
                is_shared
                or (len(group.discrete) <= MOST_SHARED_PARENTS and 8 * m * len(everything) ** 2 // 2 <= CACHED_TABLE)
            )
        )
        wide = not group.discrete or ((len(group.at) > 1 or cheap) and m <= view.store.most_wide_cells)
        if wide:
            return Request(group.discrete, everything)
        needed = group.columns_with(node)
        few = len(needed) <= MOST_COLUMNS
        if few and not view.store.in_passes:
            return Request(group.discrete, needed)
        # Columns come in eights at one price: the likely next parents go along, so that the next move finds them there.
        spare = MOST_COLUMNS - len(needed) if few and len(needed) < MOST_COLUMNS else -len(needed) % SIMD_WIDTH
        if m > view.store.most_cells_with(len(needed) + spare):
            return Request(group.discrete, needed)
        likely = [v for v in self._likely(node) if v not in needed]
        return Request(group.discrete, tuple(sorted((*needed, *likely[:spare]))))

    def _likely(self, node: int) -> list[int]:
        """Continuous columns by the best score of a set with them, if a batch compared them as parents of a node."""
        if node not in self._compared:
            return []
        sets, scores = self._compared[node]
        best = np.full(len(self.schema.names), -np.inf)
        inside = sets.inside()
        np.maximum.at(best, sets.members[inside], np.broadcast_to(scores[:, None], inside.shape)[inside])
        return sorted(self.schema.continuous, key=lambda v: -best[v])

    def places(self, columns: tuple[int, ...]) -> Ints32:
        """Places of columns in a table of some of them, int32[N]."""
        position = self._positions.get(columns)
        if position is None:
            position = self._positions[columns] = np.zeros(len(self.schema.names), np.int32)
            position[list(columns)] = np.arange(len(columns))
        return position

    def _score_all(self, parts: Sequence[Part], tables: Sequence[_Tables]) -> list[Scored]:
        """Sums over the cells that moments give accurately: threads over parts, or inside one that is large."""
        tasks, fits = [], []
        for part, own in zip(parts, tables, strict=True):
            place, group = self.places(own.columns), part.group
            parents, sizes = place[group.continuous.members], group.continuous.sizes
            residual = part.view.depth > 0
            sets = CellSets(int(place[part.node]), parents, sizes, own.columns, bool(group.discrete), residual)
            tasks.append(partial(self.cells.from_moments, own.train, own.test, sets))
            fits.append(len(sizes) * len(own.cells) if len(sizes) > FEW_SETS else 0)
        scored: dict[int, Scored] = {}
        for i in (i for i, number in enumerate(fits) if number > FEW_FITS):
            scored[i] = tasks[i](threaded=True)
        rest = [i for i in range(len(tasks)) if i not in scored]
        work = sum(len(parts[i].group.at) * len(tables[i].cells) for i in rest)
        made = in_threads([partial(tasks[i], threaded=False) for i in rest], work * VALUES_PER_FIT)
        scored.update(zip(rest, made, strict=True))
        return [scored[i] for i in range(len(tasks))]

    def _doubtful(self, part: Part, tables: _Tables, scored: Scored) -> Doubtful | None:
        """Return the cells that moments do not give accurately, if there are any."""
        _, flagged, marks = scored
        if not np.count_nonzero(flagged):
            return None
        if self.cells.leaves_out:
            unsupported = marks == UNSUPPORTED
            # A table of residuals is of no use to cells that are scored as one: their residuals are of several fits.
            at_hand = None if part.view.depth > 0 else tables.as_cells()
            self.refits.left_out += left_out(part.node, part.group, unsupported, tables.keys, at_hand)
            marks = np.where(unsupported, 0, marks)
            flagged = marks.sum(axis=1)
        doubtful = np.flatnonzero(flagged)
        return Doubtful(part.group.some(doubtful), marks[doubtful], tables.cells) if len(doubtful) else None


def matching_cells(fitted: Cells, scored: Cells) -> Indices | None:
    """For each cell of the scored rows, the fitted cell of the same configuration; None if one is missing."""
    at = np.searchsorted(fitted.keys, scored.keys)
    return at if np.array_equal(fitted.keys[np.minimum(at, len(fitted.keys) - 1)], scored.keys) else None


def _matched(found: Sequence[Cells]) -> _Tables:
    """Moments of the fitted rows in the cells that have rows to score."""
    fitted, scored = found[0], found[-1]
    if fitted is scored:
        return _Tables(fitted.columns, fitted.moments, fitted.moments, np.arange(len(fitted.keys)), fitted.keys)
    columns = tuple(j for j in fitted.columns if j in scored.columns)
    fitted, scored = fitted.narrow(columns), scored.narrow(columns)
    at = np.minimum(np.searchsorted(fitted.keys, scored.keys), len(fitted.keys) - 1)
    train = fitted.moments
    if not np.array_equal(fitted.keys, scored.keys):
        seen = fitted.keys[at] == scored.keys  # others have no fitted rows
        train = Moments(
            np.where(seen, train.counts[at], 0), train.means[at], train.mean_corrections[at], train.crosses[at]
        )
    return _Tables(columns, train, scored.moments, at, scored.keys)
