"""Statistics: Cells of a table as an object, to update, merge, save and learn from without any row."""

import itertools
import json
import os
import zipfile
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bnjit.data.schema import Labels, Schema, aligned_labels
from bnjit.data.table import Table
from bnjit.errors import ArgumentError, FileFormatError, StatisticsError, as_count
from bnjit.graph import parent_sets
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import MAX_CONFIGURATIONS, Cells, add, roll_up
from bnjit.stats.chunked import ChunkedStore
from bnjit.stats.collect import Membership
from bnjit.stats.distant import DistantStore
from bnjit.stats.reading import read_rows, read_test_rows
from bnjit.stats.store import Compute, Indices, Request, Store
from bnjit.stats.triangles import CellTriangles

VERSION = 1
ARRAYS = ("keys", "counts", "means", "lows", "crosses")
MEMORY = 1 << 30  # bytes for what is rolled up


class Statistics(Schema):
    """Counts, means and cross-products of a table: what `bnjit.learn`, `score` and `fit` need in place of its rows.

    Gaussian networks need the table of no discrete column, which is always there. A node with discrete parents, or
    that is discrete, needs the table of these columns together, or one of more columns; `sets` says which there are. A
    request beyond them raises StatisticsError, which says what is missing. So does a regression whose digits moments
    cannot vouch for: it needs rows.

    Statistics of several tables with the same columns can be merged: hospitals, days or shards need not share a row.

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
        self.n = int(self.whole.counts[0])

    @property
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return self._tables[()]

    @property
    def tables(self) -> list[Cells]:
        """All Cells."""
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
        max_memory: int | str | None = None, out_of_core: bool | None = None,
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
        discrete, names, max_memory, out_of_core
            As in `bnjit.learn`.
        """
        table = read_rows(data, discrete, names, max_memory, out_of_core)
        if isinstance(table, Statistics):
            raise ArgumentError("data is Statistics already; give a table")
        return cls._of(table, _sets_for(table, for_), max_memory, constants=False)

    @classmethod
    def _of(cls, table: Schema, sets: Sequence[tuple[int, ...]], max_memory: Any, constants: bool) -> "Statistics":
        from bnjit.data.chunked.memory import as_memory

        if isinstance(table, Table):
            store = Store(table, memory=1, constants=constants)
        else:
            assert not isinstance(table, Statistics)
            store = ChunkedStore(table, as_memory(max_memory), constants)  # type: ignore[arg-type]
        everything = tuple(table.continuous)
        found = store.get([Request(s, everything) for s in sets])
        exact = [cells.narrow(everything) for cells in found]
        return cls(table.names, table.labels, [store.whole, *exact])

    def update(self, more_rows: Any, *, discrete: Iterable[Hashable] = (), names: Sequence[Hashable] | None = None,
               max_memory: int | str | None = None, out_of_core: bool | None = None) -> "Statistics":  # fmt: skip
        """Return the statistics of these rows and more, which may have new levels."""
        numbers = [name for name, labels in zip(self.names, self.labels, strict=True) if _are_numbers(labels)]
        table = read_test_rows(more_rows, [*discrete, *numbers], names, max_memory, out_of_core, "more_rows")
        _same_names(self, table, "more_rows")
        return self.merge(
            Statistics._of(table, [_translated(self, table, v) for v in self._tables if v], max_memory, True)
        )

    def merge(self, other: "Statistics") -> "Statistics":
        """Return the statistics of the rows of both; levels may differ, the sets must not."""
        if not isinstance(other, Statistics):
            raise ArgumentError(f"other is a {type(other).__name__}; merge takes Statistics, update takes rows")
        _same_names(self, other, "other")
        labels = aligned_labels(self, other, "other")
        mine, theirs = self.relabelled(self.names, labels), other.relabelled(self.names, labels)
        if set(mine._tables) != set(theirs._tables):
            missing = set(mine._tables) ^ set(theirs._tables)
            shown = ", ".join(str(self.names[v]) for v in min(missing))
            raise StatisticsError(f"only one of the two has the table of ({shown}); collect both with the same for_")
        return Statistics(self.names, labels, [add([mine._tables[v], theirs._tables[v]]) for v in mine._tables])

    def relabelled(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> "Statistics":
        """Return the same statistics with columns in another order, and with more levels."""
        at = [self.index(name) for name in names]
        return Statistics(names, labels, [_rekeyed(cells, self, at, labels) for cells in self._tables.values()])

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the statistics to a file (NumPy's npz, no pickle), in one piece or not at all."""
        for name in self.names:
            if not isinstance(name, str):
                raise ArgumentError(f"column {name!r} is not named by a text, and a file could not keep it")
        for labels in self.labels:
            for label in labels or ():
                if not isinstance(label, str | bool | int | float):
                    raise ArgumentError(f"the level {label!r} is neither text nor a number; a file could not keep it")
        header = {
            "names": list(self.names),
            "labels": [None if labels is None else list(labels) for labels in self.labels],
            "sets": [list(variables) for variables in self._tables],
        }
        arrays: dict[str, Any] = {"version": np.int64(VERSION), "header": np.array(json.dumps(header))}
        for i, cells in enumerate(self._tables.values()):
            for name, values in zip(ARRAYS, (cells.keys, *cells.moments), strict=True):
                arrays[f"{name}{i}"] = values
        target = Path(path)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            with part.open("wb") as file:
                np.savez_compressed(file, **arrays)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: "str | os.PathLike[str]") -> "Statistics":
        """Read statistics from a file; one that is damaged, or is something else, raises FileFormatError."""
        wrong = f"{str(path)!r} is no file of bnjit.Statistics, or is damaged"
        try:
            with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            version, header = int(arrays["version"]), json.loads(str(arrays["header"]))
            if version != VERSION:
                raise FileFormatError(f"{str(path)!r} has version {version}, and this bnjit reads {VERSION}")
            return cls(*_checked(header, arrays))
        except FileFormatError:
            raise
        except FileNotFoundError:
            raise ArgumentError(f"there is no file {str(path)!r}") from None
        except (OSError, ValueError, TypeError, AttributeError, LookupError, EOFError,
                zipfile.BadZipFile, MemoryError, OverflowError) as error:  # fmt: skip
            raise FileFormatError(wrong) from error


def _are_numbers(labels: Labels) -> bool:
    return bool(labels) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in labels or ())


def _same_names(ours: Schema, theirs: Schema, what: str) -> None:
    if set(ours.names) != set(theirs.names):
        odd = sorted(map(str, set(ours.names) ^ set(theirs.names)))
        raise StatisticsError(f"{what} has other columns than these statistics: {odd[0]!r} is only in one of them")


def _translated(ours: Schema, theirs: Schema, variables: tuple[int, ...]) -> tuple[int, ...]:
    """Return the places that columns have in another layout."""
    return tuple(sorted(theirs.index(ours.names[v]) for v in variables))


def _sets_for(table: Schema, for_: Any) -> list[tuple[int, ...]]:
    """Sets of discrete columns to collect."""
    discrete = [v for v, is_discrete in enumerate(table.discrete) if is_discrete]
    if isinstance(for_, int | np.integer) and not isinstance(for_, bool):
        most = min(as_count("for_", for_, least=0), len(discrete))
        sets = list(itertools.combinations(discrete, most)) if most else []
    else:
        families = [(*parents, j) for j, parents in enumerate(parent_sets(for_, table.names, table.discrete))]
        sets = [tuple(sorted(v for v in family if table.discrete[v])) for family in families]
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
    counts, means, lows, crosses = cells.moments
    moments = Moments(
        counts[order], np.ascontiguousarray(means[order][:, columns]), np.ascontiguousarray(lows[order][:, columns]),
        np.ascontiguousarray(crosses[order][:, packed]),
    )  # fmt: skip
    levels = tuple(len(labels[v] or ()) for v in variables)
    return Cells(variables, levels, tuple(place[cells.columns[i]] for i in columns), keys[order], moments)


def _need(condition: Any) -> None:
    if not condition:
        raise ValueError


def _checked(header: Any, arrays: dict[str, Any]) -> tuple[list[str], list[Labels], list[Cells]]:
    """Contents of a file, if they are what statistics can be; anything else raises."""
    names, lists, sets = header["names"], header["labels"], header["sets"]
    _need(len(names) == len(lists) == len(set(names)) > 0)
    _need(all(isinstance(name, str) for name in names))
    labels: list[Labels] = [None if own is None else tuple(own) for own in lists]
    for own in labels:
        _need(own is None or (len(set(own)) == len(own) and all(isinstance(v, str | bool | int | float) for v in own)))
    layout = Schema(names, labels)
    c, n = len(layout.continuous), int(arrays["counts0"].sum())
    _need(sets[0] == [])
    tables = []
    for i, members in enumerate(sets):
        variables = tuple(members)
        _need(all(isinstance(v, int) and 0 <= v < len(names) and layout.discrete[v] for v in variables))
        _need(list(variables) == sorted(set(variables)))
        keys, counts, means, lows, crosses = (arrays[f"{name}{i}"] for name in ARRAYS)
        m = len(keys)
        _need(keys.dtype == counts.dtype == np.int64)
        _need(all(array.dtype == np.float64 and np.isfinite(array).all() for array in (means, lows, crosses)))
        _need(keys.shape == counts.shape == (m,))
        _need(means.shape == lows.shape == (m, c))
        _need(crosses.shape == (m, c * (c + 1) // 2))
        _need(m > 0)
        _need(counts.min() > 0)
        _need(counts.sum() == n)
        _need(keys[0] >= 0)
        _need(np.all(np.diff(keys) > 0))
        _need(keys[-1] < layout.configurations(variables) <= MAX_CONFIGURATIONS)
        squares = [j * (j + 3) // 2 for j in range(c)]
        _need((crosses[:, squares] >= 0.0).all())
        levels = tuple(layout.levels[v] for v in variables)
        tables.append(Cells(variables, levels, layout.continuous, keys, Moments(counts, means, lows, crosses)))
    return names, labels, tables


class StatisticsStore(DistantStore):
    """Answers requests from Statistics alone."""

    def __init__(self, statistics: Statistics) -> None:
        self._start(statistics, statistics.nbytes + MEMORY)
        for cells in statistics.tables:
            if cells.variables:
                self._remember(cells)

    @property
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return self.table.whole

    def _read(self, to_count: list[tuple[int, ...]], to_collect: list[Request]) -> dict[Request, Cells]:
        """Roll up from tables that were forgotten since, if there are any that serve."""
        answers: dict[Request, Cells] = {}
        for request in [*map(Request, to_count), *to_collect]:
            larger = [cells for cells in self.table.tables if set(request.variables) <= set(cells.variables)]
            if not larger:
                raise self._no_table(request.variables)
            smallest = min(larger, key=lambda cells: len(cells.keys))
            answers[request] = roll_up(smallest.narrow(request.columns), request.variables)
            self._remember(answers[request])
        return answers

    def _no_table(self, variables: tuple[int, ...]) -> StatisticsError:
        shown = ", ".join(repr(self.table.names[v]) for v in variables)
        return StatisticsError(
            f"these statistics have no table of {shown} together; collect them with for_={len(variables)} or more, or "
            f"with a graph that needs it, or allow fewer parents (max_parents={max(0, len(variables) - 1)})"
        )

    def _no_rows(self) -> StatisticsError:
        return StatisticsError(
            "a column is all but a linear combination of others, and statistics do not have the digits to say what is "
            "left of it; give the rows, or drop such columns"
        )

    def members(self, variables: tuple[int, ...]) -> Membership:
        """Refuse: there are no rows."""
        raise self._no_rows()

    def rows(self, variables: tuple[int, ...], cells: Indices) -> tuple[Table, Membership, Indices]:
        """Refuse: there are no rows."""
        raise self._no_rows()

    def triangles(self, variables: tuple[int, ...], cells: Indices, columns: tuple[int, ...]) -> CellTriangles:
        """Refuse: there are no rows."""
        raise self._no_rows()

    def replaced(self, j: int, variables: tuple[int, ...], columns: tuple[int, ...], compute: Compute) -> Store:
        """Refuse: there are no rows."""
        raise self._no_rows()
