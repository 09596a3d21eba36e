"""What users call: the whole flow, from a table to a network or a score, on one page."""

import os
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from bnjit.errors import ArgumentError, as_number, check_count

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.data.schema import Schema
    from bnjit.network import Network
    from bnjit.progress import Watch
    from bnjit.result import Result
    from bnjit.search import Search

ALGORITHMS = ("hc", "tabu", "boss", "ges")


def learn(
    data: Any,
    score: str = "bic",
    method: str = "stats",
    algorithm: str = "hc",
    *,
    start: Any = None,
    whitelist: Any = None,
    blacklist: Any = None,
    tiers: Sequence[Sequence[Hashable]] | None = None,
    max_parents: int | None = None,
    max_iter: int | None = None,
    tabu: int = 10,
    max_tabu: int | None = None,
    restarts: int = 0,
    perturb: int | None = None,
    exchange: bool = False,
    test_fraction: float = 0.25,
    test_data: Any = None,
    folds: int = 10,
    one_se: bool = False,
    sparse: str = "reject",
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    seed: int | None = None,
    n_threads: int | None = None,
    progress: bool | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
    checkpoint: "str | os.PathLike[str] | None" = None,
) -> "Result":
    """Learn the structure of a Bayesian network from a table by greedy search.

    Parameters
    ----------
    data : DataFrame, pyarrow Table, NumPy array, dict of columns, path, or function
        The table: pandas or polars; a CSV, Parquet or Arrow IPC file, or a folder of Parquet files; or a function that
        returns an iterable of pyarrow.RecordBatches, the same ones in every call; or a dask.dataframe, whose rows stay
        where its workers are; or `bnjit.Statistics`. Strings, booleans and categories are discrete; numbers are
        continuous unless `discrete` names them.
    score : {"bic", "aic", "ebic", "loglik", "bde", "bds", "k2", "bge", "pred", "cv"}
        What to maximise; see `bnjit.score`.
    method : {"stats", "qr", "1p", "2p"}
        How continuous nodes are estimated: from sufficient statistics, or from rows as in the paper. The scores, and
        so the network, are the same.
    algorithm : {"hc", "tabu", "boss", "ges"}
        Hill climbing; tabu search; order search, which after a climb moves every node to its best place in the order
        of the nodes until none moves (Andrews et al. 2023); greedy equivalence search, from class to class of
        equivalent graphs (Chickering 2002, with the turns of Hauser and Buehlmann 2012). The last two take longer and
        find better networks. "ges" is for columns of one kind, a score that equivalent graphs share, and no
        whitelist, blacklist or tiers.
    start : graph, optional
        Where to start, the empty graph by default. Graphs are networkx.DiGraphs, lists of arcs or model strings.
    whitelist, blacklist : graph, optional
        Arcs that must, and must not, be in the network. The whitelist wins.
    tiers : sequence of sequences of columns, optional
        An ordered partition of the columns; no arc goes from a later tier to an earlier one.
    max_parents : int, optional
        The most parents that a node may have.
    max_iter : int, optional
        The most moves to make, not counting the random ones of restarts.
    tabu : int
        How many graphs tabu search remembers, and does not visit again.
    max_tabu : int, optional
        How many moves that do not improve the score it makes without finding a better graph than the best; as many as
        `tabu` by default.
    restarts : int
        How often to perturb the best network by `perturb` random moves and search again.
    perturb : int, optional
        Random moves of a restart: 1 by default; in order search two nodes in five are moved, and at least 4.
    exchange : bool
        Whether to exchange parents where no single arc improves the score, and to search on: one for another, or all
        discrete parents of a continuous node for up to three others (if there are at most 14 to choose from). Takes
        about as long again, and finds what is hidden behind discrete parents that matter only together. Not for "ges".
    test_fraction, test_data
        The test rows of score "pred"; see `bnjit.score`.
    folds : int
        Folds of score "cv"; see `bnjit.score`.
    one_se : bool
        With score "cv", prune the network that was found by the one-standard-error rule: node by node, parents are
        dropped, the least sure first, while the held-out likelihood of the folds loses no more than the standard error
        of that loss (the standard deviation of its k parts times the square root of k). Every arc that is left gains
        more than that. `Result.score` is that of the pruned network.
    sparse : {"reject", "pool"}
        What becomes of configurations of discrete parents with too few rows for a regression; see `bnjit.score`.
    discrete : iterable of column names
        Numeric columns to treat as discrete.
    names : sequence, optional
        Column names of a plain NumPy array.
    seed : int, optional
        Draws test rows, folds and perturbations; without one they are the same in every call.
    n_threads : int, optional
        Threads to use, all by default. Never changes the result.
    progress : bool, optional
        Show a progress bar; by default only in a terminal or a notebook.
    max_memory : int or str, optional
        Bytes, or a text like "2GB", that the rows of a file may take in memory; half of the free memory by default. A
        Parquet file, a folder of them or an Arrow IPC file that would take more is read in chunks, as often as the
        search needs statistics; see `Result.passes`. So are the batches of a function.
    out_of_core : bool, optional
        True reads any such file in chunks, False none.
    checkpoint : path, optional
        A file that keeps the local scores, written every few seconds and at the end. The same call after a crash or
        Ctrl-C finds them there and goes on. The file is small and is not removed.

    Returns
    -------
    Result
        The best network seen, also when max_iter or Ctrl-C stopped the search; then `interrupted` is True.

    Examples
    --------
    >>> import bnjit, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=1000)
    >>> table = {"x": x, "y": 2 * x + rng.normal(size=1000), "z": rng.normal(size=1000)}
    >>> result = bnjit.learn(table)
    >>> list(result.dag.edges)
    [('x', 'y')]
    """
    from bnjit._jit import threads
    from bnjit.progress import Progress
    from bnjit.scores import make_scorer
    from bnjit.search import Search, State
    from bnjit.search.checkpoint import Remembering
    from bnjit.search.constraints import make_constraints
    from bnjit.search.prune import prune
    from bnjit.stats import Store

    check_count("max_parents", max_parents, least=0)
    run = _algorithm(algorithm, score, method, tabu, max_tabu, restarts, perturb, exchange, seed)
    check_count("max_iter", max_iter, least=0)
    check_count("n_threads", n_threads, least=1)
    check_count("folds", folds, least=2)
    if not isinstance(one_se, bool):
        raise ArgumentError(f"one_se={one_se!r} must be True or False")
    if one_se and score != "cv":
        raise ArgumentError(f'one_se=True is for score="cv", which has folds; with score={score!r} leave it out')
    began = time.perf_counter()
    with threads(n_threads), Progress(algorithm, progress) as shown:
        table, test = _tables(
            data, score, method, sparse, test_data, test_fraction, seed, discrete, names, max_memory, out_of_core,
            shown.reading,
        )  # fmt: skip
        constraints = make_constraints(
            table.names, table.discrete, start=start, whitelist=whitelist, blacklist=blacklist, tiers=tiers,
            max_parents=max_parents,
        )  # fmt: skip
        seconds = {"read": time.perf_counter() - began}
        known = data if isinstance(data, Store) else table
        scorer = make_scorer(known, score, method, test, sparse, folds, seed, max_memory)
        seconds["statistics"] = time.perf_counter() - began - seconds["read"]
        if checkpoint is not None:
            used: dict[str, Any] = {"score": score, "method": method, "sparse": sparse}
            if score == "cv":
                used |= {"folds": folds, "seed": seed or 0}
            if test is not None:
                used |= {"test_fraction": test_fraction, "seed": seed or 0, "test_rows": test.n}
            scorer = Remembering(scorer, Path(checkpoint), used)
        try:
            search = Search(State(scorer, constraints), max_iter, shown)
            search.run(run)
            if one_se:
                search.run(prune)
        finally:
            if isinstance(scorer, Remembering):
                scorer.save()
    seconds["search"] = time.perf_counter() - began - sum(seconds.values())
    return _result(table, search, seconds, {"score": score, "method": method, "algorithm": algorithm})


def _algorithm(
    algorithm: str, score: str, method: str, tabu: int, max_tabu: int | None, restarts: int, perturb: int | None,
    exchange: bool, seed: int | None,
) -> "Callable[[Search], None]":  # fmt: skip
    """Choose the search, once: restarts wrap a climb."""
    from bnjit.search import hill_climbing, random_restarts, tabu_search
    from bnjit.search.exchange import with_exchanges

    if algorithm not in ALGORITHMS:
        raise ArgumentError(f"algorithm={algorithm!r} is not known; the algorithms are {', '.join(ALGORITHMS)}")
    check_count("tabu", tabu, least=1)
    check_count("max_tabu", max_tabu, least=0)
    check_count("restarts", restarts, least=0)
    check_count("perturb", perturb, least=1)
    if not isinstance(exchange, bool):
        raise ArgumentError(f"exchange={exchange!r} must be True or False")
    if algorithm == "boss":
        order = partial(_order_search, score=score, method=method, restarts=restarts, perturb=perturb, seed=seed)
        return partial(with_exchanges, algorithm=order, known={}, from_best=True) if exchange else order
    if algorithm == "ges":
        if restarts:
            raise ArgumentError(f'restarts={restarts} is for hc, tabu and boss; with algorithm="ges" leave it out')
        if exchange:
            raise ArgumentError('exchange=True is for hc, tabu and boss; with algorithm="ges" leave it out')
        return partial(_equivalence_search, score=score, method=method)
    climb: Callable[[Search], None] = hill_climbing
    if algorithm == "tabu":
        climb = partial(tabu_search, tabu=tabu, max_tabu=tabu if max_tabu is None else max_tabu)
    if exchange:
        climb = partial(with_exchanges, algorithm=climb, known={}, from_best=algorithm == "tabu")
    if restarts:
        return partial(random_restarts, algorithm=climb, restarts=restarts, perturb=perturb or 1, seed=seed)
    return climb


def _order_search(search: "Search", score: str, method: str, **arguments: Any) -> None:
    from bnjit.search.local import local_scores
    from bnjit.search.order import order_search

    order_search(search, local_scores(search.state.scorer, score, method), **arguments)


def _equivalence_search(search: "Search", score: str, method: str) -> None:
    from bnjit.search.ges import equivalence_search
    from bnjit.search.local import local_scores

    equivalence_search(search, local_scores(search.state.scorer, score, method))


def _tables(
    data: Any, score: str, method: str, sparse: str, test_data: Any, test_fraction: float, seed: int | None,
    discrete: Iterable[Hashable], names: Sequence[Hashable] | None, max_memory: Any, out_of_core: bool | None,
    watch: "Watch | None" = None,
) -> "tuple[Schema, Schema | None]":  # fmt: skip
    """Read the table, and the test rows that score "pred" needs."""
    from bnjit.data import Table
    from bnjit.data.schema import aligned_labels
    from bnjit.data.source import Source, split_source
    from bnjit.data.split import split_rows
    from bnjit.scores.scorer import check_names
    from bnjit.stats import Store
    from bnjit.stats.reading import read_rows, read_test_rows, relabelled_rows

    check_names(score, method, sparse)
    check_count("seed", seed, least=0)
    if isinstance(data, Store):
        table: Schema = data.table
    else:
        table = read_rows(data, discrete, names, max_memory, out_of_core, watch)
    if test_data is None:
        if score != "pred":
            return table, None
        if isinstance(table, Source):
            return split_source(table, test_fraction, seed)
        if not isinstance(table, Table):
            raise ArgumentError('score="pred" cannot split Statistics into training and test rows; give test_data')
        return split_rows(table, test_fraction, seed)
    if score != "pred":
        raise ArgumentError(f'test_data is for score="pred"; with score={score!r} leave it out')
    test = read_test_rows(test_data, discrete, names, max_memory, out_of_core)
    labels = aligned_labels(table, test, "test_data")
    return relabelled_rows(table, table.names, labels), relabelled_rows(test, table.names, labels)


def _result(table: "Schema", search: "Search", seconds: dict[str, float], arguments: dict[str, Any]) -> "Result":
    """Put names back."""
    from bnjit.graph import make_dag
    from bnjit.result import Result

    names = table.names
    arcs = [(names[i], names[j]) for j in range(len(names)) for i in range(len(names)) if search.best[i, j]]
    rows = [
        (step.move.name, *(names[v] if v >= 0 else None for v in step.move[1:3]), step.move.delta, *step[1:])
        for step in search.steps
    ]
    if search.stopped_by is not None:
        rows.append((f"stopped by {search.stopped_by}", None, None, 0.0, search.best_score, "stop", search.seconds))
    return Result(
        make_dag(names, table.discrete, arcs), search.best_score, rows, search.state.n_local_scores, seconds,
        search.stopped_by, arguments, search.state.scorer.store,
    )  # fmt: skip


def fit(
    dag: Any,
    data: Any,
    *,
    prior_rows: float = 0.0,
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    n_threads: int | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
) -> "Network":
    """Fit the parameters of a Bayesian network with a given structure.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, model string, or Result
        The structure.
    data : DataFrame, pyarrow Table, NumPy array, dict of columns, or path
        The table, as in `bnjit.learn`. `Result.fit` fits from the statistics of the search, without reading it again.
    prior_rows : float
        Imaginary rows for Bayesian smoothing; 0 is maximum likelihood (with unbiased variances, as in the scores).
    discrete, names, n_threads, max_memory, out_of_core
        As in `bnjit.learn`.

    Returns
    -------
    Network
        Configurations that were never observed, or in too few rows, have no parameters; see `bnjit.Network`.

    Examples
    --------
    >>> import bnjit
    >>> table = {"rain": ["no", "no", "yes", "yes", "no", "yes"], "level": [1.0, 1.5, 3.5, 4.0, 0.5, 3.0]}
    >>> bnjit.fit([("rain", "level")], table).parameters("level")
      rain  intercept   sd
    0   no        1.0  0.5
    1  yes        3.5  0.5
    """
    from bnjit._jit import threads
    from bnjit.graph import parent_sets
    from bnjit.network import fit_network
    from bnjit.result import Result
    from bnjit.scores.scorer import make_store
    from bnjit.stats.reading import read_rows

    prior_rows = as_number("prior_rows", prior_rows)
    check_count("n_threads", n_threads, least=1)
    with threads(n_threads):
        table = read_rows(data, discrete, names, max_memory, out_of_core)
        parents = parent_sets(dag.dag if isinstance(dag, Result) else dag, table.names, table.discrete)
        return fit_network(make_store(table, max_memory), parents, prior_rows)


@overload
def score(
    dag: Any, data: Any, score: str = ..., by_node: Literal[False] = ..., test_data: Any = ..., *,
    method: str = ..., folds: int = ..., sparse: str = ..., discrete: Iterable[Hashable] = ...,
    names: Sequence[Hashable] | None = ...,
    test_fraction: float = ..., seed: int | None = ..., n_threads: int | None = ...,
    max_memory: int | str | None = ..., out_of_core: bool | None = ...,
) -> float: ...  # fmt: skip


@overload
def score(
    dag: Any, data: Any, score: str = ..., *, by_node: Literal[True], test_data: Any = ...,
    method: str = ..., folds: int = ..., sparse: str = ..., discrete: Iterable[Hashable] = ...,
    names: Sequence[Hashable] | None = ...,
    test_fraction: float = ..., seed: int | None = ..., n_threads: int | None = ...,
    max_memory: int | str | None = ..., out_of_core: bool | None = ...,
) -> "pd.Series[float]": ...  # fmt: skip


def score(
    dag: Any,
    data: Any,
    score: str = "bic",
    by_node: bool = False,
    test_data: Any = None,
    *,
    method: str = "stats",
    folds: int = 10,
    sparse: str = "reject",
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    test_fraction: float = 0.25,
    seed: int | None = None,
    n_threads: int | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
) -> "float | pd.Series[float]":
    """Score a Bayesian network's structure on a table; higher is better.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, or model string
        The structure. Columns that it does not mention are nodes without parents.
    data : DataFrame, pyarrow Table, NumPy array, dict of columns, path, or function
        The table: pandas or polars; a CSV, Parquet or Arrow IPC file, or a folder of Parquet files; or a function that
        returns an iterable of pyarrow.RecordBatches, the same ones in every call; or a dask.dataframe, whose rows stay
        where its workers are; or `bnjit.Statistics`. Strings, booleans and categories are discrete; numbers are
        continuous unless `discrete` names them.
    score : {"bic", "aic", "ebic", "loglik", "bde", "bds", "k2", "bge", "pred", "cv"}
        bde, bds and k2 need discrete columns, bge continuous ones. "pred" is the log-likelihood of test rows
        under the parameters of training rows; "cv" is that of each fold of the rows under those of the other folds.
        Signs and definitions are bnlearn's: a log-likelihood, less a penalty.
    by_node : bool
        Return the local scores instead of their sum.
    test_data : like data, optional
        Test rows for "pred"; `data` is then all training rows. By default `test_fraction` of the rows of `data`,
        drawn at random by `seed`, are the test rows.
    method : {"stats", "qr", "1p", "2p"}
        How continuous nodes are estimated: from sufficient statistics, or from rows as in the paper. The score is
        the same.
    folds : int
        How many folds "cv" divides the rows into; each row is in one drawn at random by `seed`.
    sparse : {"reject", "pool"}
        What becomes of configurations of a continuous node's discrete parents with too few rows for a regression (at
        most one more than continuous parents), or with test rows alone: they make the structure impossible, as in
        bnlearn; or they share one regression on the continuous parents, fitted to all rows, which counts as one
        configuration in the penalty. With "pool" a node may also be constant in a configuration.
    discrete : iterable of column names
        Numeric columns to treat as discrete.
    names : sequence, optional
        Column names of a plain NumPy array.
    test_fraction : float
        Share of the rows to test on, for "pred" without `test_data`.
    seed : int, optional
        Draws the test rows or folds; without one they are the same in every call.
    n_threads : int, optional
        Threads to use, all by default. Never changes the result.
    max_memory, out_of_core
        As in `bnjit.learn`.

    Returns
    -------
    float, or pandas.Series by node
        -inf marks a structure that the data cannot support: a configuration with too few rows, a singular regression.

    Examples
    --------
    >>> import bnjit
    >>> table = {"rain": ["no", "no", "yes", "yes", "no", "yes"], "level": [1.0, 1.5, 3.5, 4.0, 0.5, 3.0]}
    >>> round(bnjit.score([("rain", "level")], table, score="loglik"), 4)
    -7.5136
    >>> round(bnjit.score("[rain][level]", table, score="loglik"), 4)
    -14.3624
    """
    from bnjit._jit import threads
    from bnjit.graph import parent_sets
    from bnjit.scores import make_scorer

    check_count("n_threads", n_threads, least=1)
    check_count("folds", folds, least=2)
    with threads(n_threads):
        table, test = _tables(
            data, score, method, sparse, test_data, test_fraction, seed, discrete, names, max_memory, out_of_core
        )
        parents = parent_sets(dag, table.names, table.discrete)
        scorer = make_scorer(table, score, method, test, sparse, folds, seed, max_memory)
        local = scorer.local_scores_of(list(enumerate(parents)))
    if not by_node:
        return float(sum(local))
    import pandas as pd

    return pd.Series(local, index=pd.Index(table.names, tupleize_cols=False), name=score)
