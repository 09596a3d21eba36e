"""Local scores from available rows: the average over the rows that observe a node and its parents, for all rows."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_ranges
from bnjit.kernels.complete_counts import CountedSets, keep_complete
from bnjit.kernels.discrete import Tables, batch_loglik
from bnjit.kernels.families import join_nodes
from bnjit.scores.node_score import NodeScore
from bnjit.scores.tuning import CELLS_WORTH_THREADS, READ_TOGETHER
from bnjit.stats import Request, SetBatch, Store, cells_for
from bnjit.stats.available import AvailableRows, Observed
from bnjit.stats.cache import Recent
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.counting import Counts
from bnjit.stats.parent_sets import Batch, Indices
from bnjit.stats.store import fitting

Part = tuple[Observed, Indices]  # of a batch: columns with gaps that its rows observe, and places in the batch
MakeScore = Callable[[Store, Store | None], NodeScore]


class GapPrice:
    """What a parent with gaps costs: as much as another choice of rows may gain by chance.

    The average log-likelihood of a node over m rows, a share s of which lacks a new parent, changes by a deviation of
    sqrt(v s / ((1 - s) m)) or so when these are left out, where v is the variance of a row's log-density, about 1/2 (a
    normal density has just that). The largest of N^2 such changes is about sqrt(2 log N^2) deviations.
    """

    def __init__(self, rows: AvailableRows) -> None:
        shares = np.array(rows.gaps.missing) / rows.gaps.schema.n  # of replicates, those of the table itself
        self._prices: Floats = np.sqrt(2.0 * math.log(max(2, len(shares))) * shares / (1.0 - shares))

    def __call__(self, batch: Batch, rows: Floats) -> Floats:
        """Prices of parent sets in units of n, given the rows that observe each with its node, float64[b]."""
        each = np.where(batch.sets.inside(), self._prices[batch.sets.members], 0.0).sum(axis=1)
        priced: Floats = each / np.sqrt(np.maximum(rows, 1))
        return priced


class FromAvailable:
    """An ordinary score on the rows that observe a node and its parents, divided by these and times all rows.

    Parameters
    ----------
    rows, test : AvailableRows
        Fitted rows, and test rows if there are any.
    make : callable
        Makes the score for a store of fitted rows and one of test rows.
    price : GapPrice, optional
        What parents with gaps cost.
    """

    def __init__(
        self, rows: AvailableRows, test: AvailableRows | None, make: MakeScore, price: GapPrice | None = None
    ) -> None:
        self._rows, self._test, self._make, self._price = rows, test, make, price
        self._scores: Recent[Observed, NodeScore] = Recent(rows.most_stores, lambda _: 1)

    def _score_of(self, observed: Observed) -> NodeScore:
        found = self._scores.recall(observed)
        if found is None:
            test = None if self._test is None else self._test.store_of(observed)
            found = self._make(self._rows.store_of(observed), test)
            self._scores.remember(observed, found)
        return found

    def _scored_rows(self, observed: Observed) -> float:
        """Rows that are scored, 0 if none can be fitted."""
        fitted = self._rows.store_of(observed).n
        return fitted if self._test is None or not fitted else self._test.store_of(observed).n

    def _divided(self, batch: Batch) -> list[Part]:
        """Parts of a batch that have rows, by the columns with gaps that these observe."""
        parts = self._rows.divide(batch)
        for rows in (self._rows, self._test):
            if rows is not None:
                rows.count_rows([observed for observed, _ in parts])
        return [(observed, at) for observed, at in parts if self._scored_rows(observed)]

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts that the scores will ask for."""
        parts = self._divided(batch)
        return [pair for observed, at in parts for pair in self._score_of(observed).counts_needed(batch.take(at))]

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out = np.full(batch.size, -np.inf)
        parts = self._divided(batch)
        if len(parts) > 1:
            self._share_tables(batch)
        n = (self._test or self._rows).n
        for piece in self._read_together(batch, parts):
            for observed, at in piece:
                some, rows = batch.take(at), self._scored_rows(observed)
                out[at] = self._score_of(observed).local_scores(some) * (n / rows)
                if self._price is not None:
                    out[at] -= n * self._price(some, np.full(len(at), float(rows)))
        return out

    def _share_tables(self, batch: Batch) -> None:
        """Have one table made for all parts that share a node and discrete parents, where its cells are few."""
        for rows in (self._rows, self._test):
            if rows is not None and not rows.base.in_passes:
                rows.share_tables(batch)

    def _read_together(self, batch: Batch, parts: Sequence[Part]) -> Iterator[Sequence[Part]]:
        """Divide parts so that their tables fit in memory together; when a piece comes, they have been read.

        Where rows come in passes, one pass reads the tables of a piece. Otherwise each part reads its own.
        """
        if not self._rows.base.in_passes:
            yield parts
            return
        asked = [self._tables_needed(batch, part) for part in parts]
        while parts:
            number = fitting(asked, READ_TOGETHER)
            if number > 1:  # a part alone reads its own tables, in pieces if they are many
                cells_for([pair for some in asked[:number] for pair in some])
            yield parts[:number]
            parts, asked = parts[number:], asked[number:]

    def _tables_needed(self, batch: Batch, part: Part) -> Sequence[tuple[Store, Request]]:
        """Return the tables that a part of a batch is scored from."""
        observed, at = part
        score = self._score_of(observed)
        return score.tables_needed(batch.take(at)) if hasattr(score, "tables_needed") else []


class LevelsFromAvailable:
    """Maximised log-likelihood of discrete nodes, from counts of the rows that observe a node and its parents."""

    def __init__(self, rows: AvailableRows, price: GapPrice | None = None) -> None:
        self._store, self._n, self._price = rows.base, rows.n, price
        schema = rows.gaps.schema
        self._levels = np.array(schema.levels, np.int64)
        self._declared = np.array(rows.base.schema.levels[: len(schema.names)], np.int64)

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return the counts of all families."""
        return [(self._store, request) for sets, *_ in self._families(batch) for request in sets.requests()]

    def _families(self, batch: Batch) -> list[tuple[SetBatch, Indices, Tables]]:
        """Families that can be counted, node by node: sets, places in the batch, and strides and q without counts."""
        b, w = batch.sets.members.shape
        members, declared = np.empty((b, w + 1), np.int32), np.empty(b)
        strides, q = np.empty(b, np.int64), np.empty(b, np.int64)
        join_nodes(self._declared, batch.nodes, *batch.sets, members, declared, strides, q)
        possible = (declared > 0.0) & (declared <= MAX_CONFIGURATIONS)
        join_nodes(self._levels, batch.nodes, *batch.sets, members, declared, strides, q)
        families, nothing = [], np.empty(0, np.int64)
        for node, part in batch.by_node():
            at = part.start + np.flatnonzero(possible[part])
            if len(at):
                sets = SetBatch(node, members[at], batch.sets.sizes[at] + 1)
                families.append((sets, at, Tables(nothing, nothing, nothing, nothing, strides[at], q[at])))
        return families

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out = np.full(batch.size, -np.inf)
        families = self._families(batch)
        counted = self._store.count([sets for sets, *_ in families])
        for (sets, at, tables), counts in zip(families, counted, strict=True):
            complete, rows = self._complete(sets, counts)
            scores, r = np.empty(len(at)), int(self._levels[sets.node])
            threaded = len(complete.keys) >= CELLS_WORTH_THREADS
            in_ranges(batch_loglik, len(at), Tables(*complete, *tables[4:]), r, scores, threaded=threaded)
            out[at] = np.where(rows > 0, scores * (self._n / np.maximum(rows, 1)), -np.inf)
            if self._price is not None:
                out[at] -= self._n * self._price(batch.take(at), rows.astype(np.float64))
        return out

    def _complete(self, sets: SetBatch, counts: Counts) -> tuple[Counts, Ints64]:
        """Counts of rows without gaps, and how many rows there are, int64[b]."""
        b = len(sets.sizes)
        starts, ends, rows = (np.empty(b, np.int64) for _ in range(3))
        keys, kept = np.empty_like(counts.keys), np.empty_like(counts.counts)
        given = CountedSets(sets.members, sets.sizes, *counts)
        keep_complete(given, self._levels, self._declared, starts, ends, keys, kept, rows)
        return Counts(starts, ends, keys, kept), rows
