"""Statistics: Cells of a table as an object, to update, merge, save and learn from without any row."""

import itertools
import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from bnjit.data.schema import Labels, Schema, aligned_labels
from bnjit.data.table import Table
from bnjit.errors import ArgumentError, StatisticsError, as_count
from bnjit.graph import parent_sets
from bnjit.kernels.moments import Moments
from bnjit.options import MissingLike, gap_rule
from bnjit.stats.cells import MAX_CONFIGURATIONS, Cells, add
from bnjit.stats.files import DAMAGED, not_a_file, pack, read_arrays, unpack, write_arrays
from bnjit.stats.gaps import joined_gaps, missing_last, with_gaps_of, with_indicators
from bnjit.stats.requests import Request
from bnjit.stats.triangles import CellTriangles

VERSION = 2


class Statistics(Schema):
    """Counts, means and cross-products of a table: what `bnjit.learn`, `score` and `fit` need in place of its rows.

    Gaussian networks need the table of no discrete column, which is always there. A node with discrete parents, or
    that is discrete, needs the table of these columns together, or one of more columns; `sets` says which there are. A
    request beyond them raises StatisticsError, which says what is missing. So does a regression that moments do
    not give accurately: it needs rows.

    Statistics of several tables with the same columns can be merged: hospitals, days or shards need not share a row.
    With missing="available" they keep every pattern of gaps, and can be learned from by that rule; columns may have
    gaps in some of the tables alone.

    Examples
    --------
    >>> import bnjit, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> def day(n=200):
    ...     x = rng.normal(size=n)
    ...     return {"x": x, "y": 2 * x + rng.normal(size=n)}
    >>> statistics = bnjit.Statistics.collect(day()).merge(bnjit.Statistics.collect(day())).update(day())
    >>> statistics
    Statistics(600 rows, 0 discrete and 2 continuous columns)
    >>> list(bnjit.learn(statistics).dag.edges)
    [('x', 'y')]
    """

    def __init__(self, names: Sequence[Hashable], labels: Sequence[Labels], tables: Iterable[Cells]) -> None:
        super().__init__(names, labels)
        self._tables = {cells.variables: cells for cells in tables}
        self.n = self.whole.counts[0].item()

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self

    @property
    def triangles(self) -> list[CellTriangles]:
        """None: statistics of a table have moments alone."""
        return []

    @property
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return self._tables[()]

    @property
    def tables(self) -> list[Cells]:
        """All Cells, those of the empty set first."""
        return list(self._tables.values())

    @property
    def sets(self) -> list[tuple[Hashable, ...]]:
        """Discrete columns of each table that there is; those of fewer columns follow from it."""
        return [tuple(self.names[v] for v in variables) for variables in self._tables]

    @property
    def nbytes(self) -> int:
        """Memory that the tables take."""
        return sum(cells.nbytes for cells in self._tables.values())

    @classmethod
    def collect(
        cls, data: Any, for_: Any = 2, *, discrete: Iterable[Hashable] = (), names: Sequence[Hashable] | None = None,
        max_memory: int | str | None = None, out_of_core: bool | None = None, missing: MissingLike = "error",
        weights: Any = None,
    ) -> "Statistics":  # fmt: skip
        """Collect the statistics of a table.

        Parameters
        ----------
        data
            The table, as in `bnjit.learn`.
        for_ : int, or graph
            Tables to collect: of all sets of up to so many discrete columns, or those that scoring and fitting a graph
            need (a networkx.DiGraph, a list of arcs or a model string). Learning with up to k discrete parents needs
            sets of k discrete columns for continuous nodes, and of k + 1 for discrete ones.
        discrete, names, max_memory, out_of_core, missing, weights
            As in `bnjit.learn`.
        """
        from bnjit.stats.opening import read_rows

        table = read_rows(data, discrete, names, max_memory, out_of_core, weights, gaps=gap_rule(missing))
        if isinstance(table, Statistics):
            raise ArgumentError("data is Statistics already; give a table")
        return cls._of(table, with_indicators(table, _sets_for(table, for_)), max_memory, constants=False)

    @classmethod
    def from_moments(
        cls, covariance: Any, means: Any = None, n: int | None = None, names: Sequence[Hashable] | None = None, *,
        denominator: int | None = None,
    ) -> "Statistics":  # fmt: skip
        """Make statistics of continuous columns from their covariance matrix, for those who have no rows.

        What is learned, scored and fitted is what rows with these moments give. Nothing depends on the means but the
        intercepts of fitted networks. A regression of columns that are all but linear combinations of others needs
        rows, and is an error.

        Parameters
        ----------
        covariance : array or DataFrame
            Covariances of the columns: finite, symmetric and positive semi-definite, up to rounding.
        means : array, Series or dict, optional
            Means of the columns, 0 by default.
        n : int
            Rows that the covariances are of, at least 2.
        names : sequence, optional
            Column names of a plain array; X1, X2, ... by default. A DataFrame brings its own.
        denominator : int, optional
            What sums of products were divided by: n - 1 by default, as `numpy.cov` and `DataFrame.cov` do, or n.

        Examples
        --------
        >>> import bnjit
        >>> covariance = [[1.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 1.0]]
        >>> statistics = bnjit.Statistics.from_moments(covariance, n=20_000_000, names=["x", "y", "z"])
        >>> statistics
        Statistics(20,000,000 rows, 0 discrete and 3 continuous columns)
        >>> list(bnjit.learn(statistics).dag.edges)
        [('x', 'y')]
        """
        from bnjit.stats.given_moments import given_moments

        given = given_moments(covariance, means, n, names, denominator)
        return cls(given.names, [None] * len(given.names), [given.whole])

    @classmethod
    def _of(cls, rows: Schema, sets: Sequence[tuple[int, ...]], max_memory: Any, constants: bool) -> "Statistics":
        from bnjit.stats.opening import make_store

        store = make_store(rows, max_memory, constants, kept=not isinstance(rows, Table))
        everything = tuple(rows.continuous)
        found = store.get([Request(s, everything) for s in sets])
        exact = [cells.narrow(everything) for cells in found]
        made = cls(rows.names, rows.labels, [store.whole, *exact])
        made.factors = store.reader.factors() if everything else None
        made.gaps = rows.gaps
        return made

    def update(self, more_rows: Any, *, discrete: Iterable[Hashable] = (), names: Sequence[Hashable] | None = None,
               max_memory: int | str | None = None, out_of_core: bool | None = None,
               missing: MissingLike = "error", weights: Any = None) -> "Statistics":  # fmt: skip
        """Return the statistics of these rows and more, which may have new levels."""
        from bnjit.stats.opening import read_test_rows

        numbers = [name for name, labels in zip(self.names, self.labels, strict=True) if _are_numbers(labels)]
        table = read_test_rows(more_rows, [*discrete, *numbers], names, max_memory, out_of_core, weights,
                               "more_rows", gap_rule(missing))  # fmt: skip
        _same_names(self.as_given, table.as_given, "more_rows")
        N = len(self.as_given.names)
        sets = [_translated(self, table, tuple(v for v in variables if v < N)) for variables in self._tables]
        wanted = with_indicators(table, [s for s in dict.fromkeys(sets) if s])
        return self.merge(Statistics._of(table, wanted, max_memory, True))

    def merge(self, other: "Statistics") -> "Statistics":
        """Return the statistics of the rows of both; levels may differ, the sets must not."""
        if not isinstance(other, Statistics):
            raise ArgumentError(f"other is a {type(other).__name__}; merge takes Statistics, update takes rows")
        _same_names(self.as_given, other.as_given, "other")
        if self.gaps is not None or other.gaps is not None:
            both = [with_gaps_of(one, another) for one, another in ((self, other), (other, self))]
            if both[0] is not self or both[1] is not other:
                return both[0].merge(both[1])
        labels = [missing_last(own) for own in aligned_labels(self, other, "other")]
        mine, theirs = self.relabelled(self.names, labels), other.relabelled(self.names, labels)
        if set(mine._tables) != set(theirs._tables):
            missing = set(mine._tables) ^ set(theirs._tables)
            shown = ", ".join(str(self.names[v]) for v in min(missing))
            raise StatisticsError(f"only one of the two has the table of ({shown}); collect both with the same for_")
        together = Statistics(self.names, labels, [add([mine._tables[v], theirs._tables[v]]) for v in mine._tables])
        if mine.factors is not None and theirs.factors is not None:
            together.factors = np.maximum(mine.factors, theirs.factors)
        together.gaps = joined_gaps(together, self.gaps, other.gaps)
        return together

    def relabelled(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> "Statistics":
        """Return the same statistics with columns in another order, and with more levels."""
        at = [self.index(name) for name in names]
        out = Statistics(names, labels, [_rekeyed(cells, self, at, labels) for cells in self._tables.values()])
        out.factors = None if self.factors is None else self.factors[at]
        out.gaps = self.gaps
        return out

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the statistics to a file (NumPy's npz, no pickle), in one piece or not at all."""
        write_arrays(path, VERSION, *pack(self, self.tables), compress=True)

    @classmethod
    def load(cls, path: "str | os.PathLike[str]") -> "Statistics":
        """Read statistics from a file; one that is damaged, or is something else, raises FileFormatError."""
        header, arrays = read_arrays(path, VERSION, "bnjit.Statistics")
        try:
            schema, tables, _ = unpack(header, arrays)
        except DAMAGED as error:
            raise not_a_file(path, "bnjit.Statistics") from error
        loaded = cls(schema.names, schema.labels, tables)
        loaded.factors, loaded.gaps = schema.factors, schema.gaps
        return loaded


def _are_numbers(labels: Labels) -> bool:
    return bool(labels) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in labels or ())


def _same_names(ours: Schema, theirs: Schema, what: str) -> None:
    if set(ours.names) != set(theirs.names):
        odd = sorted(map(str, set(ours.names) ^ set(theirs.names)))
        raise StatisticsError(f"{what} has other columns than these statistics: {odd[0]!r} is only in one of them")


def _translated(ours: Schema, theirs: Schema, variables: tuple[int, ...]) -> tuple[int, ...]:
    """Return the places that columns have in another schema."""
    return tuple(sorted(theirs.index(ours.names[v]) for v in variables))


def _sets_for(table: Schema, for_: Any) -> list[tuple[int, ...]]:
    """Sets of discrete columns to collect."""
    given = table.as_given
    discrete = [v for v, is_discrete in enumerate(given.discrete) if is_discrete]
    if isinstance(for_, int | np.integer) and not isinstance(for_, bool):
        most = min(as_count("for_", for_, least=0), len(discrete))
        sets = list(itertools.combinations(discrete, most)) if most else []
    else:
        families = [(*parents, j) for j, parents in enumerate(parent_sets(for_, given.names, given.discrete))]
        sets = [tuple(sorted(v for v in family if given.discrete[v])) for family in families]
    for s in sets:
        if table.configurations(s) > MAX_CONFIGURATIONS:
            raise StatisticsError(f"{len(s)} discrete columns have more than 2^62 configurations; ask for fewer")
    return [s for s in dict.fromkeys(sets) if s]


def _rekeyed(cells: Cells, old: Schema, at: list[int], labels: Sequence[Labels]) -> Cells:
    """Cells with columns at other places and levels with other codes; at[new] = old."""
    place = {was: now for now, was in enumerate(at)}
    variables = tuple(sorted(place[v] for v in cells.variables))
    codes, keys = cells.codes(), np.zeros(len(cells.keys), np.int64)
    for v in variables:
        own, mine = old.labels[at[v]] or (), {label: code for code, label in enumerate(labels[v] or ())}
        mapping = np.array([mine[label] for label in own], np.int64)
        keys = keys * len(mine) + mapping[codes[:, cells.variables.index(at[v])]]
    order = np.argsort(keys, kind="stable")
    columns = sorted(range(len(cells.columns)), key=lambda i: place[cells.columns[i]])
    low, high = np.tril_indices(len(columns))
    a, b = np.array(columns, np.int64)[low], np.array(columns, np.int64)[high]
    packed = np.maximum(a, b) * (np.maximum(a, b) + 1) // 2 + np.minimum(a, b)
    counts, means, corrections, crosses = cells.moments
    moments = Moments(
        counts[order], np.ascontiguousarray(means[order][:, columns]),
        np.ascontiguousarray(corrections[order][:, columns]),
        np.ascontiguousarray(crosses[order][:, packed]),
    )  # fmt: skip
    levels = tuple(len(labels[v] or ()) for v in variables)
    return Cells(variables, levels, tuple(place[cells.columns[i]] for i in columns), keys[order], moments)
