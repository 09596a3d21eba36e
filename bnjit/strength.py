"""How sure arcs are: learn from bootstrap replicates, and count what is found again and again."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, Never

from bnjit.errors import ArgumentError, DataError, as_count, check_count
from bnjit.options import (
    Algorithm,
    AlgorithmLike,
    BGe,
    HeldOut,
    LocalScore,
    MissingLike,
    Penalised,
    Score,
    ScoreLike,
    as_algorithm,
    as_score,
    check_estimator,
    gap_rule,
    name_of,
    refuse_misplaced,
)

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.data import Table
    from bnjit.data.gaps import GapRule
    from bnjit.data.source import Source
    from bnjit.progress import Progress
    from bnjit.result import Result
    from bnjit.scores.tables import Reading
    from bnjit.stats import Cells, Store

Edge = tuple[Hashable, Hashable, float]  # its ends, and what it counts

COPIES = 3  # of the rows, that a replicate takes at the most: drawn rows and what a search keeps about them


def arc_strength(
    data: Any,
    replicates: int = 200,
    score: ScoreLike = "bic",
    algorithm: AlgorithmLike = "hc",
    *,
    classes: bool = True,
    whitelist: Any = None,
    blacklist: Any = None,
    tiers: Sequence[Sequence[Hashable]] | None = None,
    max_parents: int | None = None,
    start: Any = None,
    estimator: str = "stats",
    missing: MissingLike = "error",
    max_iter: int | None = None,
    seed: int | None = None,
    n_threads: int | None = None,
    progress: bool | None = None,
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
    weights: Any = None,
    **misplaced: Never,
) -> "pd.DataFrame":
    """Learn from bootstrap replicates of a table: how often each arc is found, and in which direction.

    In a replicate every row counts as often as a number drawn from Poisson(1) says. Networks of continuous columns are
    learned from the means and cross-products of all replicates, collected in one pass; from others one replicate is
    drawn for each thread, and replicates are learned side by side. Out of core, each replicate of discrete or mixed
    columns is a search of its own, with as many passes over the file.

    Parameters
    ----------
    data, score, algorithm
        As in `bnjit.learn`; but test rows must be a share of the rows, and a score of your own, which scores one table,
        cannot be used.
    replicates : int
        How many to learn from.
    classes : bool
        Whether to count the edges of equivalence classes (CPDAGs), where an edge without direction is half an arc in
        each, or the arcs of the networks as they were learned.
    seed : int, optional
        Draws the replicates (and what else a search draws); without one they are the same in every call.
    progress : bool, optional
        Show how many replicates are done; by default only in a terminal or a notebook.
    whitelist, blacklist, tiers, max_parents, start, estimator, missing, max_iter
        As in `bnjit.learn`, for every replicate.
    n_threads, discrete, names, max_memory, out_of_core, weights
        As in `bnjit.learn`.
    **misplaced
        Nothing: an argument that belongs to a score or an algorithm is an error, which says where it belongs.

    Returns
    -------
    pandas.DataFrame
        A row for every ordered pair of columns: from, to; strength, the share of replicates with an edge between them;
        direction, the share of those edges that go this way (0 where there are none).

    Examples
    --------
    >>> import bnjit, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.normal(size=(2, 500))
    >>> strength = bnjit.arc_strength({"x": x, "y": y, "z": x + y + rng.normal(size=500)}, replicates=20)
    >>> strength[strength["direction"] > 0.5]
      from to  strength  direction
    1    x  z       1.0        1.0
    3    y  z       1.0        1.0
    """
    from bnjit._threads import side_by_side, threads
    from bnjit.api import learn
    from bnjit.progress import Progress
    from bnjit.scores.tables import reading_of
    from bnjit.search.related import warn_of_columns
    from bnjit.stats.relations import find_relations

    replicates = as_count("replicates", replicates, least=1)
    check_count("seed", seed, least=0)
    check_count("n_threads", n_threads, least=1)
    score, algorithm, gaps = as_score(score), as_algorithm(algorithm), gap_rule(missing)
    _check(score, algorithm, misplaced)
    check_estimator(estimator, score)
    search = partial(
        learn, score=score, algorithm=algorithm, whitelist=whitelist, blacklist=blacklist, tiers=tiers,
        max_parents=max_parents, start=start, estimator=estimator, max_iter=max_iter, seed=seed,
        progress=False, max_memory=max_memory, missing=missing if gaps == "keep" else "error",
    )  # fmt: skip
    reading = reading_of(discrete, names, max_memory, out_of_core, weights)
    with threads(n_threads), Progress("arc_strength", progress, "replicates", replicates) as shown:
        table, store = _read(data, reading, shown, gaps, max_memory)
        schema = table.as_given
        warn_of_columns(schema, find_relations(store) if table.gaps is None else (), score)
        make, together = _replicates(table, store.whole, replicates, score, estimator, seed, max_memory)
        with closing(side_by_side(lambda r: _edges(search, make(r), table.n, classes), replicates, together)) as graphs:
            found = _counted(graphs, schema.names, shown)
    return _as_frame(found, schema.names, replicates)


def _read(
    data: Any, reading: "Reading", shown: "Progress", gaps: "GapRule", max_memory: Any
) -> "tuple[Source | Table, Store]":
    """Rows to draw replicates from, and their statistics."""
    from bnjit.data import Table
    from bnjit.data.source import Source
    from bnjit.report.at_once import all_problems_at_once
    from bnjit.stats.opening import make_store, read_rows

    with all_problems_at_once(data, *reading, gaps):
        table = read_rows(data, *reading, shown.reading, gaps)
        if not isinstance(table, Source | Table):
            raise ArgumentError("data is Statistics, and replicates are drawn from rows; give the table itself")
        return table, make_store(table, max_memory)


def _counted(graphs: Iterable[list[Edge]], names: Sequence[Hashable], shown: "Progress") -> Any:
    """How often each arc was found, float64[N, N]."""
    import numpy as np

    at = {name: i for i, name in enumerate(names)}
    found = np.zeros((len(at), len(at)))
    for graph in graphs:
        for a, b, weight in graph:
            found[at[a], at[b]] += weight
        shown.advance()
    return found


def _edges(search: "Callable[[Any], Result]", replicate: Any, rows: int, classes: bool) -> list[Edge]:
    """Edges of the network that is learned from a replicate of so many rows, each with what it counts."""
    from bnjit.data.check import MIN_ROWS
    from bnjit.graph import cpdag

    if replicate.n < MIN_ROWS:
        raise DataError(f"data has {rows} rows, so few that a replicate drawn from them has {replicate.n}")
    result = search(replicate)
    if result.stopped_by == "Ctrl-C":  # which ends a search, but here there are others to come
        raise KeyboardInterrupt
    graph = cpdag(result.dag) if classes else result.dag
    return [(a, b, 0.5 if graph.has_edge(b, a) else 1.0) for a, b in graph.edges]


def _as_frame(found: Any, names: tuple[Hashable, ...], replicates: int) -> "pd.DataFrame":
    """Strengths and directions from how often each arc was found, float64[N, N]."""
    import numpy as np
    import pandas as pd

    i, j = np.nonzero(~np.eye(len(names), dtype=bool))
    either = found + found.T
    direction = np.divide(found, either, out=np.zeros(found.shape), where=either > 0)
    ends = [pd.Index(names, tupleize_cols=False)[k] for k in (i, j)]
    columns = {"from": ends[0], "to": ends[1], "strength": either[i, j] / replicates, "direction": direction[i, j]}
    return pd.DataFrame(columns)


def _check(score: Score | LocalScore, algorithm: Algorithm, misplaced: Mapping[str, Any]) -> None:
    """Raise for what cannot be done with replicates, and for arguments that belong elsewhere."""
    if "checkpoint" in misplaced:
        raise ArgumentError("checkpoint is of one search, and every replicate has its own; leave it out")
    refuse_misplaced("arc_strength", misplaced, score, algorithm)
    if not isinstance(score, Score):
        raise ArgumentError(
            f"score={name_of(score)!r} is a score of your own, which scores one table, and every replicate is another; "
            "use a score of bnjit"
        )
    if isinstance(score, HeldOut) and not isinstance(score.test, float):
        raise ArgumentError("test rows that are a table cannot be drawn with the rows of a replicate; give a share")


def _replicates(
    table: "Source | Table", whole: "Cells", replicates: int, score: Score | LocalScore, estimator: str,
    seed: int | None, max_memory: Any,
) -> "tuple[Callable[[int], Any], int]":  # fmt: skip
    """How to make a replicate, and how many may be there at a time.

    It is statistics where a search needs no more, or else drawn rows, in memory or in chunks.
    """
    from bnjit.data.chunked.memory import as_memory
    from bnjit.data.source import Root, Source
    from bnjit.stats import Store
    from bnjit.stats.bootstrap import Repeated, drawn_rows, replicate_sources, replicate_wholes, starts_of
    from bnjit.stats.readers.replicates import ReplicateReader

    starts = starts_of(seed, replicates)
    moments = (
        getattr(table, "weights", None) is None
        and table.gaps is None
        and not any(table.discrete)
        and estimator == "stats"
        and isinstance(score, Penalised | BGe)
    )
    if isinstance(table, Source):  # one pass at a time
        if moments and isinstance(table, Root):
            return replicate_sources(table, starts).__getitem__, 1
        return lambda r: Repeated(table, starts[r]), 1
    if moments:
        wholes = replicate_wholes(table, whole, starts)
        return lambda r: Store(ReplicateReader(table, starts[r], wholes[r])), replicates
    room = as_memory(max_memory) // max(1, COPIES * table.nbytes)
    return lambda r: drawn_rows(table, starts[r]), room
