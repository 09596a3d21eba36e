"""How sure arcs are: learn from bootstrap replicates, and count what is found again and again."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from bnjit.errors import ArgumentError, DataError, as_count, as_number, check_count

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from bnjit.data.schema import Schema

COPIES = 3  # of the rows, that a replicate takes at the most: drawn rows and what a search keeps about them


def arc_strength(
    data: Any,
    replicates: int = 200,
    score: str = "bic",
    method: str = "stats",
    algorithm: str = "hc",
    *,
    classes: bool = True,
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    seed: int | None = None,
    n_threads: int | None = None,
    progress: bool | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
    **arguments: Any,
) -> "pd.DataFrame":
    """Learn from bootstrap replicates of a table: how often each arc is found, and in which direction.

    In a replicate every row counts as often as a number drawn from Poisson(1) says. Networks of continuous columns are
    learned from the means and cross-products of all replicates, collected in one pass; from others one replicate is
    drawn for each thread, and replicates are learned side by side. Out of core, each replicate of discrete or mixed
    columns is a search of its own, with as many passes over the file.

    Parameters
    ----------
    data, score, method, algorithm, discrete, names, n_threads, max_memory, out_of_core
        As in `bnjit.learn`.
    replicates : int
        How many to learn from.
    classes : bool
        Whether to count the edges of equivalence classes (CPDAGs), where an edge without direction is half an arc in
        each, or the arcs of the networks as they were learned.
    seed : int, optional
        Draws the replicates (and what else a search draws); without one they are the same in every call.
    progress : bool, optional
        Show how many replicates are done; by default only in a terminal or a notebook.
    **arguments
        More of `bnjit.learn`: blacklist, tiers, restarts, sparse, ...

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
    import numpy as np
    import pandas as pd

    from bnjit._jit import side_by_side, threads
    from bnjit.api import learn
    from bnjit.data.check import MIN_ROWS
    from bnjit.graph import cpdag
    from bnjit.progress import Progress
    from bnjit.stats.reading import read_rows

    replicates = as_count("replicates", replicates, least=1)
    check_count("seed", seed, least=0)
    check_count("n_threads", n_threads, least=1)
    for name, why in _REFUSED.items():
        if name in arguments:
            raise ArgumentError(f"{name} {why}")
    arguments |= {"seed": seed, "progress": False, "max_memory": max_memory}

    def edges(replicate: Any) -> list[tuple[Hashable, Hashable, float]]:
        """Edges of a replicate's network, each with what it counts."""
        if replicate.n < MIN_ROWS:
            raise DataError(f"data has {table.n} rows, so few that a replicate drawn from them has {replicate.n}")
        result = learn(replicate, score, method, algorithm, **arguments)
        if result.stopped_by == "Ctrl-C":  # which ends a search, but here there are others to come
            raise KeyboardInterrupt
        graph = cpdag(result.dag) if classes else result.dag
        return [(a, b, 0.5 if graph.has_edge(b, a) else 1.0) for a, b in graph.edges]

    with threads(n_threads), Progress("arc_strength", progress, "replicates", replicates) as shown:
        table = read_rows(data, discrete, names, max_memory, out_of_core, shown.reading)
        at = {name: i for i, name in enumerate(table.names)}
        N = len(at)
        found = np.zeros((N, N))
        make, together = _replicates(table, replicates, score, method, seed, max_memory)
        with closing(side_by_side(lambda r: edges(make(r)), replicates, together)) as graphs:
            for graph in graphs:
                for a, b, weight in graph:
                    found[at[a], at[b]] += weight
                shown.advance()
    i, j = np.nonzero(~np.eye(N, dtype=bool))
    either = found + found.T
    direction = np.divide(found, either, out=np.zeros((N, N)), where=either > 0)
    ends = [pd.Index(table.names, tupleize_cols=False)[k] for k in (i, j)]
    columns = {"from": ends[0], "to": ends[1], "strength": either[i, j] / replicates, "direction": direction[i, j]}
    return pd.DataFrame(columns)


_REFUSED = {
    "test_data": "cannot be drawn with the rows of a replicate; use test_fraction",
    "checkpoint": "is of one search, and every replicate has its own; leave it out",
}


def _replicates(
    table: "Schema", replicates: int, score: str, method: str, seed: int | None, max_memory: Any
) -> "tuple[Callable[[int], Any], int]":  # fmt: skip
    """How to make a replicate, and how many may be there at a time.

    It is statistics where a search needs no more, or else drawn rows, in memory or in chunks.
    """
    from bnjit.data import Table
    from bnjit.data.chunked.memory import as_memory
    from bnjit.data.source import Root
    from bnjit.scores.scorer import PENALISED, make_store
    from bnjit.stats.bootstrap import Repeated, drawn_rows, replicate_sources, replicate_stores, starts_of

    if not isinstance(table, Root | Table):
        raise ArgumentError("data is Statistics, and replicates are drawn from rows; give the table itself")
    starts = starts_of(seed, replicates)
    store = make_store(table, max_memory)  # which rejects columns that are constant in all rows
    moments = not any(table.discrete) and method == "stats" and score in (*PENALISED, "bge")
    if isinstance(table, Root):  # one pass at a time
        return (replicate_sources(table, starts).__getitem__ if moments else lambda r: Repeated(table, starts[r])), 1
    if moments:
        return replicate_stores(store, starts).__getitem__, replicates
    room = as_memory(max_memory) // max(1, COPIES * table.nbytes)
    return lambda r: drawn_rows(table, starts[r]), room


def strength_threshold(strength: "pd.DataFrame") -> float:
    """Strength above which arcs are significant, from the strengths themselves (Scutari and Nagarajan 2013).

    Were everything certain, strengths would be 0 and 1, and their distribution function t between these, for some t.
    The t for which that is closest in L1 to the observed distribution function is the median of its values along
    (0, 1); the threshold is the t-quantile of the strengths. bnlearn looks for t numerically, and where it ends just
    above the best one its threshold is the next larger strength.

    Examples
    --------
    >>> import pandas as pd
    >>> strength_threshold(pd.DataFrame({"strength": [0.05, 0.1, 0.9, 1.0]}))
    0.1
    """
    import numpy as np

    values = np.sort(strength["strength"].to_numpy(float))
    if not len(values):
        return 0.0
    steps = np.concatenate([[0.0], values, [1.0]])
    widths = np.diff(steps)  # the distribution function is k / n along the k-th of these
    k = int(np.searchsorted(np.cumsum(widths), 0.5 * widths.sum()))
    return float(steps[k])


def averaged_network(strength: "pd.DataFrame", threshold: float | None = None) -> "nx.DiGraph":
    """Network of the arcs that most replicates agree on.

    Parameters
    ----------
    strength : pandas.DataFrame
        From `bnjit.arc_strength`.
    threshold : float, optional
        Pairs with a strength above it are joined, and those that all replicates join; by default it follows from the
        strengths (Scutari and Nagarajan 2013).

    Returns
    -------
    networkx.DiGraph
        A DAG with all these pairs. Arcs go in the more frequent direction, by column order where both are as frequent.
        The surest come first, and one that would close a cycle with them is turned. (bnlearn leaves such an arc out,
        and an edge without direction where both are as frequent.)

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("x", "y", 0.9, 0.8), ("y", "x", 0.9, 0.2), ("x", "z", 0.1, 1), ("z", "x", 0.1, 0)]
    >>> rows += [("y", "z", 0.0, 0.0), ("z", "y", 0.0, 0.0)]
    >>> strength = pd.DataFrame(rows, columns=["from", "to", "strength", "direction"])
    >>> list(averaged_network(strength).edges)
    [('x', 'y')]
    """
    import networkx as nx

    missing = {"from", "to", "strength", "direction"} - set(strength.columns)
    if missing:
        raise ArgumentError(f"strength lacks the column {min(missing)!r}; it is what bnjit.arc_strength returns")
    least = strength_threshold(strength) if threshold is None else as_number("threshold", threshold)
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(dict.fromkeys([*strength["from"], *strength["to"]]))
    joined = (strength["strength"] > least) | (strength["strength"] == 1.0)
    strong = strength[joined & (strength["direction"] >= 0.5)]
    sure = (strong["strength"] * strong["direction"]).sort_values(ascending=False, kind="stable")
    for a, b in strong.loc[sure.index, ["from", "to"]].itertuples(index=False):
        if not graph.has_edge(b, a):
            graph.add_edge(*((b, a) if nx.has_path(graph, b, a) else (a, b)))
    return graph
