"""Available rows: for every node and its parents, the rows in which none of them is missing."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bnjit.data.schema import listing
from bnjit.errors import DataError
from bnjit.stats.cache import Recent
from bnjit.stats.cells import MAX_CONFIGURATIONS, table_bytes
from bnjit.stats.collect import at_a_time
from bnjit.stats.parent_sets import Batch, Indices, by_discrete_part
from bnjit.stats.readers.observed import ObservedReader
from bnjit.stats.requests import Request
from bnjit.stats.store import Store, cells_for, in_own_units
from bnjit.stats.tuning import MOST_OBSERVED_STORES, OBSERVED_STORE_BYTES, OBSERVED_STORES_PART, ROLL_UP_FACTOR

Observed = tuple[int, ...]  # columns with gaps, ascending


class AvailableRows:
    """Stores of the rows that observe some columns, from one store of a table with gaps.

    Parameters
    ----------
    base : Store
        Statistics of the table whose gaps are levels and indicators.

    Attributes
    ----------
    n : int
        All rows.
    most_stores : int
        Sets of columns whose statistics are kept.
    """

    def __init__(self, base: Store) -> None:
        assert base.schema.gaps is not None
        self.base, self.gaps, self.n = base, base.schema.gaps, base.n
        memory = base.memory if base.reader.budget is None else base.reader.budget.memory
        self.most_stores = max(MOST_OBSERVED_STORES, memory // (OBSERVED_STORES_PART * OBSERVED_STORE_BYTES))
        self._stores: Recent[Observed, Store] = Recent(self.most_stores, lambda _: 1)
        self._has_gaps = np.zeros(len(self.gaps.schema.names), bool)
        self._has_gaps[list(self.gaps.columns)] = True

    def collect_patterns(self) -> None:
        """Make the table of all patterns of gaps, if they are few: what is asked of continuous columns follows."""
        indicators = tuple(self.gaps.indicators.values())
        if not indicators or any(self.gaps.schema.discrete) or self.base.schema.configurations(indicators) > 1 << 62:
            return
        (counted,) = self.base.get([Request(indicators)])
        c = len(self.base.schema.continuous)
        if len(counted.keys) * ROLL_UP_FACTOR < self.n and len(counted.keys) <= self.base.most_cells_with(c):
            self.base.get([Request(indicators, self.base.schema.continuous)])

    def observed_by(self, columns: Iterable[int]) -> Observed:
        """Return those columns that have gaps."""
        return tuple(sorted(v for v in columns if self._has_gaps[v]))

    def store_of(self, observed: Observed) -> Store:
        """Return the statistics of the rows that observe some columns with gaps."""
        found = self._stores.recall(observed)
        if found is None:
            found = Store(ObservedReader(self.base, observed))
            self._stores.remember(observed, found)
        return found

    def store_with(self, columns: Iterable[int]) -> Store:
        """Return the statistics of the rows that observe some columns, of which there must be some."""
        columns = list(columns)
        store = self.store_of(self.observed_by(columns))
        if not store.n:
            names = listing([self.gaps.schema.names[v] for v in columns if self._has_gaps[v]])
            raise DataError(f"no row has values of all of {names}, so that nothing is known of them together")
        return store

    def divide(self, batch: Batch) -> list[tuple[Observed, Indices]]:
        """Divide a batch by the columns with gaps among each node and its parents."""
        masks = self.masks(batch)
        packed = np.packbits(masks, axis=1)
        _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
        return [
            (tuple(np.flatnonzero(masks[at]).tolist()), np.flatnonzero(which == i))
            for i, at in enumerate(first.tolist())
        ]

    def masks(self, batch: Batch) -> NDArray[np.bool_]:
        """Columns with gaps among each node and its parents, bool[b, N]."""
        masks = np.zeros((batch.size, len(self._has_gaps)), bool)
        inside = batch.sets.inside()
        masks[np.nonzero(inside)[0], batch.sets.members[inside]] = True
        masks[np.arange(batch.size), batch.nodes] = True
        masks &= self._has_gaps
        return masks

    def count_rows(self, some: Sequence[Observed]) -> None:
        """Count the rows that observe each of some sets of columns, in one pass where rows come in passes."""
        self._release_oldest()
        new = [observed for observed in some if observed not in self._stores]
        cells_for([(self.base, Request(self.marks_of(observed))) for observed in new if observed])

    def _release_oldest(self) -> None:
        """Let stores forget what they keep, those used longest ago first, until all together keep what one may."""
        most = self.base.memory // (2 if self.base.reader.budget is None else 1)
        used = sum(store.cache.nbytes for store in self._stores.values())
        for store in self._stores.values():
            if used <= most:
                return
            used -= store.cache.nbytes
            store.cache.release()

    def share_tables(self, batch: Batch) -> None:
        """Make a table with all marks of gaps for continuous nodes whose parent sets observe different columns.

        The rows that observe any of these columns are cells of it. It is made where adding up its cells costs less than
        reading rows for each choice of columns.
        """
        given, base = self.gaps.schema, self.base
        if not any(given.discrete):  # the table of all patterns, if they are few, has everything
            return
        asked: dict[Observed, set[int]] = {}
        for node, part in batch.by_node():
            for group in by_discrete_part(batch.take(part).sets, given.discrete):
                columns = group.columns_with(node)
                own = self.marks_of(self.observed_by((node,)))
                marks = self.marks_of(self.observed_by((*columns, *group.discrete)))
                if len(group.at) > 1 and len(marks) > len(own):
                    asked.setdefault(tuple(sorted({*group.discrete, *marks})), set()).update(columns)
        possible = [v for v in asked if base.schema.configurations(v) <= MAX_CONFIGURATIONS]
        counted = base.get([Request(variables) for variables in possible])
        tables, sizes = [], []
        for cells in counted:
            m, columns = len(cells.keys), base.schema.continuous
            if m > base.most_wide_cells:
                columns = tuple(sorted(asked[cells.variables]))
            if m * ROLL_UP_FACTOR < self.n and m <= base.most_cells_with(len(columns)):
                tables.append(Request(cells.variables, columns))
                sizes.append(table_bytes(m, len(columns)))
        for some in at_a_time(sizes, base.memory // 4):
            base.get(tables[some])

    def marks_of(self, observed: Observed) -> Observed:
        """Return the discrete columns that say where some columns have gaps: themselves, or their indicators."""
        indicators = self.gaps.indicators
        return tuple(sorted(indicators.get(v, v) for v in observed))


def stores_of_families(store: Store, parents: Sequence[tuple[int, ...]]) -> list[Store]:
    """Statistics that each column is fitted from, given its parents: the rows that observe all of them."""
    store = in_own_units(store)
    if store.schema.gaps is None:
        return [store] * len(parents)
    rows = AvailableRows(store)
    observed = [rows.observed_by((node, *own)) for node, own in enumerate(parents)]
    rows.count_rows(observed)
    return [rows.store_with((node, *own)) for node, own in enumerate(parents)]
