"""What users call: the whole flow, from a table to a network or a score, on one page."""

import os
import time
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Never, overload

from bnjit.errors import ArgumentError, as_number, check_count
from bnjit.options import (
    EM,
    AlgorithmLike,
    MissingLike,
    ScoreLike,
    as_algorithm,
    as_missing,
    as_score,
    check_estimator,
    gap_rule,
    name_of,
    refuse_misplaced,
)
from bnjit.progress import Progress

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network import Network
    from bnjit.result import Result


def learn(
    data: Any,
    score: ScoreLike = "bic",
    algorithm: AlgorithmLike = "hc",
    *,
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
    checkpoint: "str | os.PathLike[str] | None" = None,
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
    weights: Any = None,
    **misplaced: Never,
) -> "Result":
    """Learn the structure of a Bayesian network from a table by greedy search.

    Parameters
    ----------
    data : DataFrame, pyarrow Table, NumPy array, dict of columns, path, or function
        The table: pandas or polars; a CSV, Parquet or Arrow IPC file, or a folder of Parquet files; or a function that
        returns an iterable of pyarrow.RecordBatches, the same ones in every call; or a dask.dataframe, whose rows stay
        where its workers are; or `bnjit.Statistics`. Strings, booleans and categories are discrete; numbers are
        continuous unless `discrete` names them.
    score : str or Score
        What to maximise, a name or an object with arguments of its own. For any columns "bic"
        `bnjit.BIC(sparse, penalty)`, "aic" `bnjit.AIC(sparse)`, "ebic" `bnjit.EBIC(gamma, sparse)`, "loglik"
        `bnjit.LogLik(sparse)`, "marginal" `bnjit.MarginalLikelihood(imaginary_rows, degrees_of_freedom)`, "pred"
        `bnjit.HeldOut(test, density, sparse)`, "cv" `bnjit.CrossValidation(folds, one_se, density, sparse)`; for
        discrete ones "bde" `bnjit.BDe(imaginary_rows)`, "bds" `bnjit.BDs(imaginary_rows)`, "k2" `bnjit.K2()`,
        "qnml" `bnjit.QNML()`, "fnml" `bnjit.FNML()`; for continuous ones "bge"
        `bnjit.BGe(imaginary_rows, degrees_of_freedom)`. Or an object of your own; see `bnjit.LocalScore`.
    algorithm : str or Algorithm
        How to search, a name or an object: "hc" `bnjit.HillClimbing(restarts, perturb, exchange, until_repeated)`;
        "tabu" `bnjit.Tabu(length, patience, restarts, perturb, exchange, until_repeated)`; "boss"
        `bnjit.Boss(restarts, perturb, exchange)`, order search, and "ges" `bnjit.GES()`, greedy equivalence search,
        which take longer and find better networks; "exact" `bnjit.Exact()`, the best network there is, for up to 25
        columns or so; "thorough" `bnjit.Thorough(restarts, seconds)`, all of these in turn, for the best one known. All
        restarts are made unless `until_repeated` is True; `Result.n_restarts` says how many it were.
    whitelist, blacklist : graph, optional
        Arcs that must, and must not, be in the network. The whitelist wins.
    tiers : sequence of sequences of columns, optional
        An ordered partition of the columns; no arc goes from a later tier to an earlier one.
    max_parents : int, optional
        The most parents that a node may have.
    start : graph, optional
        Where to start, the empty graph by default; arcs that the blacklist or the tiers forbid are left out, with a
        warning. Graphs are networkx.DiGraphs, lists of arcs or model strings.
    estimator : {"stats", "qr", "1p", "2p"}
        How continuous nodes are estimated: from sufficient statistics, or from rows as in the paper. The scores, and
        so the network, are the same.
    missing : str or rule
        What becomes of missing values: "error" `bnjit.RejectMissing()` refuses them; "drop" `bnjit.DropRows()` leaves
        out every row that has one; "available" `bnjit.Available(penalty)` scores each node from the rows that have it
        and its parents; "em" `bnjit.EM(iterations, sweeps)`, structural EM, fills gaps from the network, and learns it
        again.
    max_iter : int, optional
        The most moves to make, not counting the random ones of restarts.
    seed : int, optional
        Draws test rows, folds and perturbations; without one they are the same in every call.
    n_threads : int, optional
        Threads to use, all by default. Never changes the result.
    progress : bool, optional
        Show a progress bar; by default only in a terminal or a notebook.
    checkpoint : path, optional
        A file that keeps the local scores, written every few seconds and at the end. The same call after a crash,
        Ctrl-C or SIGTERM finds them there and goes on. The file is small and is not removed.
    discrete : iterable of column names
        Numeric columns to treat as discrete.
    names : sequence, optional
        Column names of a plain NumPy array.
    max_memory : int or str, optional
        Bytes, or a text like "2GB", that the rows of a file may take in memory; half of the free memory by default. A
        Parquet file, a folder of them or an Arrow IPC file that would take more is read in chunks, as often as the
        search needs statistics; see `Result.passes`. So are the batches of a function.
    out_of_core : bool, optional
        True reads any such file in chunks, False none.
    weights : column name or array, optional
        How often each row counts: a column, which then is no node, or an array. Whole numbers give, digit for digit,
        what a table gives in which each row stands so often. Others are importance weights: n, of which BIC takes the
        logarithm, is their sum; divide them by their mean if it is to be the number of rows. Rows of weight 0 are left
        out. See docs/weights.md.
    **misplaced
        Nothing: an argument that belongs to a score or an algorithm is an error, which says where it belongs.

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
    >>> list(bnjit.learn(table, bnjit.EBIC(gamma=1.0), bnjit.Tabu(length=20, restarts=2)).dag.edges)
    [('x', 'y')]
    """
    from bnjit._threads import threads
    from bnjit.learning import Learning
    from bnjit.report.at_once import all_problems_at_once
    from bnjit.result import make_result
    from bnjit.scores.tables import read_tables, reading_of
    from bnjit.search.algorithms import make_searches
    from bnjit.search.constraints import make_constraints
    from bnjit.stats import Store
    from bnjit.structural_em import learn_rows

    score, algorithm, rule, gaps = as_score(score), as_algorithm(algorithm), as_missing(missing), gap_rule(missing)
    refuse_misplaced("learn", misplaced, score, algorithm)
    make_searches(algorithm, score, estimator, seed)  # raises for what does not go together
    for name, value, least in (("max_parents", max_parents, 0), ("max_iter", max_iter, 0), ("n_threads", n_threads, 1)):
        check_count(name, value, least)
    reading = reading_of(discrete, names, max_memory, out_of_core, weights)
    began = time.perf_counter()
    with threads(n_threads), Progress(algorithm.name, progress) as shown:
        with all_problems_at_once(data, *reading, gaps):
            table, test = read_tables(data, score, seed, reading, shown.reading, gaps)
        schema = table.as_given
        constraints = make_constraints(
            schema.names, schema.discrete, start=start, whitelist=whitelist, blacklist=blacklist, tiers=tiers,
            max_parents=max_parents,
        )  # fmt: skip
        learning = Learning(
            score, algorithm, estimator, seed, max_iter, max_memory, checkpoint, rule, constraints, shown,
            warns=not (table.constants or isinstance(data, Store)),  # replicates, whose table has been spoken of
        )  # fmt: skip
        seconds = {"read": time.perf_counter() - began}
        with all_problems_at_once(data, *reading, gaps):
            learned = learn_rows(data if isinstance(data, Store) else table, test, learning)
    return make_result(table, learned.found, seconds | learned.seconds, learning.typed(table), learned.statistics)


def fit(
    dag: Any,
    data: Any,
    *,
    prior_rows: float = 0.0,
    missing: MissingLike = "error",
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    n_threads: int | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
    weights: Any = None,
) -> "Network":
    """Fit the parameters of a Bayesian network with a given structure.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, model string, or Result
        The structure.
    data : DataFrame, pyarrow Table, NumPy array, dict of columns, or path
        The table, as in `bnjit.learn`. `Result.fit` fits from what the result keeps, without reading it again.
    prior_rows : float
        Imaginary rows for Bayesian smoothing; 0 is maximum likelihood (with unbiased variances, as in the scores).
    missing, discrete, names, n_threads, max_memory, out_of_core, weights
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
    from bnjit._threads import threads
    from bnjit.graph import parent_sets
    from bnjit.network import fit_network
    from bnjit.report.at_once import all_problems_at_once
    from bnjit.result import Result
    from bnjit.scores.tables import check_reading, reading_of
    from bnjit.stats.available import stores_of_families
    from bnjit.stats.opening import make_store, read_rows

    prior_rows = as_number("prior_rows", prior_rows)
    rule, gaps = as_missing(missing), gap_rule(missing)
    check_count("n_threads", n_threads, least=1)
    reading = reading_of(discrete, names, max_memory, out_of_core, weights)
    check_reading([data], reading)
    with threads(n_threads):
        with all_problems_at_once(data, *reading, gaps):
            table = read_rows(data, *reading, gaps=gaps)
            store = make_store(table, max_memory)
        schema = table.as_given
        parents = parent_sets(dag.dag if isinstance(dag, Result) else dag, schema.names, schema.discrete)
        if isinstance(rule, EM) and table.gaps is not None:
            from bnjit.structural_em import fit_filled

            return fit_filled(table, parents, rule, prior_rows, max_memory)
        return fit_network(stores_of_families(store, parents), parents, prior_rows)


@overload
def score(
    dag: Any, data: Any, score: ScoreLike = ..., by_node: Literal[False] = ..., *,
    estimator: str = ..., missing: MissingLike = ..., seed: int | None = ..., n_threads: int | None = ...,
    discrete: Iterable[Hashable] = ..., names: Sequence[Hashable] | None = ...,
    max_memory: int | str | None = ..., out_of_core: bool | None = ..., weights: Any = ...,
) -> float: ...  # fmt: skip


@overload
def score(
    dag: Any, data: Any, score: ScoreLike = ..., *, by_node: Literal[True],
    estimator: str = ..., missing: MissingLike = ..., seed: int | None = ..., n_threads: int | None = ...,
    discrete: Iterable[Hashable] = ..., names: Sequence[Hashable] | None = ...,
    max_memory: int | str | None = ..., out_of_core: bool | None = ..., weights: Any = ...,
) -> "pd.Series[float]": ...  # fmt: skip


def score(
    dag: Any,
    data: Any,
    score: ScoreLike = "bic",
    by_node: bool = False,
    *,
    estimator: str = "stats",
    missing: MissingLike = "error",
    seed: int | None = None,
    n_threads: int | None = None,
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
    weights: Any = None,
    **misplaced: Never,
) -> "float | pd.Series[float]":
    """Score a Bayesian network's structure on a table; higher is better.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, or model string
        The structure. Columns that it does not mention are nodes without parents.
    data, score, estimator, missing, n_threads, discrete, names, max_memory, out_of_core, weights
        As in `bnjit.learn`, but for missing="em", which learns. Signs and definitions of scores are bnlearn's: a
        log-likelihood, less a penalty.
    by_node : bool
        Return the local scores instead of their sum.
    seed : int, optional
        Draws the test rows or folds; without one they are the same in every call.
    **misplaced
        Nothing: an argument that belongs to a score is an error, which says so.

    Returns
    -------
    float, or pandas.Series by node
        -inf marks a structure that the data cannot support: a configuration with too few rows, a singular regression.
        With by_node=True a warning then names the configuration or the relation of columns, and what helps.

    Examples
    --------
    >>> import bnjit
    >>> table = {"rain": ["no", "no", "yes", "yes", "no", "yes"], "level": [1.0, 1.5, 3.5, 4.0, 0.5, 3.0]}
    >>> round(bnjit.score([("rain", "level")], table, score="loglik"), 4)
    -7.5136
    >>> round(bnjit.score("[rain][level]", table, score="loglik"), 4)
    -14.3624
    """
    from bnjit._threads import threads
    from bnjit.graph import parent_sets
    from bnjit.report.at_once import all_problems_at_once
    from bnjit.scores import make_scorer
    from bnjit.scores.impossible import warn_of_impossible
    from bnjit.scores.tables import read_tables, reading_of
    from bnjit.stats.parent_sets import make_batch

    score, gaps = as_score(score), gap_rule(missing)
    refuse_misplaced("score", misplaced, score)
    check_estimator(estimator, score)
    check_count("n_threads", n_threads, least=1)
    reading = reading_of(discrete, names, max_memory, out_of_core, weights)
    with threads(n_threads):
        with all_problems_at_once(data, *reading, gaps):
            table, test = read_tables(data, score, seed, reading, gaps=gaps)
        if table.gaps is not None and isinstance(as_missing(missing), EM):
            raise ArgumentError(
                'missing="em" fills gaps from a network that it learns, and has no score of another one; use '
                'missing="available" or "drop"'
            )
        schema = table.as_given
        parents = parent_sets(dag, schema.names, schema.discrete)
        with all_problems_at_once(data, *reading, gaps):
            scorer = make_scorer(table, score, estimator, test, seed, max_memory, missing)
        local = scorer.local_scores(make_batch(list(enumerate(parents))))
        if by_node:
            warn_of_impossible(scorer, local, parents)
    if not by_node:
        return float(local.sum()) + float(scorer.shifts.sum())
    import pandas as pd

    return pd.Series(local + scorer.shifts, index=pd.Index(schema.names, tupleize_cols=False), name=name_of(score))
