"""What users call: the whole flow, from a table and a graph to a score, on one page."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from bnjit.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd


@overload
def score(
    dag: Any, data: Any, score: str = ..., by_node: Literal[False] = ..., test_data: Any = ..., *,
    method: str = ..., discrete: Iterable[Hashable] = ..., names: Sequence[Hashable] | None = ...,
    test_fraction: float = ..., seed: int | None = ..., n_threads: int | None = ...,
) -> float: ...  # fmt: skip


@overload
def score(
    dag: Any, data: Any, score: str = ..., *, by_node: Literal[True], test_data: Any = ...,
    method: str = ..., discrete: Iterable[Hashable] = ..., names: Sequence[Hashable] | None = ...,
    test_fraction: float = ..., seed: int | None = ..., n_threads: int | None = ...,
) -> "pd.Series[float]": ...  # fmt: skip


def score(
    dag: Any,
    data: Any,
    score: str = "bic",
    by_node: bool = False,
    test_data: Any = None,
    *,
    method: str = "stats",
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    test_fraction: float = 0.25,
    seed: int | None = None,
    n_threads: int | None = None,
) -> "float | pd.Series[float]":
    """Score a Bayesian network's structure on a table; higher is better.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, or model string
        The structure. Columns that it does not mention are nodes without parents.
    data : DataFrame, pyarrow Table, NumPy array, dict of columns, or path
        The table: pandas or polars, or a CSV or Parquet file. Strings, booleans and categories are discrete;
        numbers are continuous unless `discrete` names them.
    score : {"bic", "aic", "ebic", "loglik", "bde", "bds", "k2", "bge", "pred"}
        bde, bds and k2 need discrete columns, bge continuous ones. "pred" is the log-likelihood of test rows
        under the parameters of training rows. Signs and definitions are bnlearn's: a log-likelihood, less a penalty.
    by_node : bool
        Return the local scores instead of their sum.
    test_data : like data, optional
        Test rows for "pred"; `data` is then all training rows. By default `test_fraction` of the rows of `data`,
        drawn at random by `seed`, are the test rows.
    method : {"stats", "qr", "1p", "2p"}
        How continuous nodes are estimated: from sufficient statistics, or from rows as in the paper. The score is
        the same.
    discrete : iterable of column names
        Numeric columns to treat as discrete.
    names : sequence, optional
        Column names of a plain NumPy array.
    test_fraction : float
        Share of the rows to test on, for "pred" without `test_data`.
    seed : int, optional
        Draws the test rows; without one they are the same in every call.
    n_threads : int, optional
        Threads to use, all by default. Never changes the result.

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
    from bnjit.data import read_table
    from bnjit.data.split import split_rows
    from bnjit.data.table import aligned
    from bnjit.graph import parent_sets
    from bnjit.scores import make_scorer

    table = read_table(data, discrete, names)
    parents = parent_sets(dag, table.names, table.discrete)
    test = None
    if test_data is not None:
        if score != "pred":
            raise ArgumentError(f'test_data is for score="pred"; with score={score!r} leave it out')
        table, test = aligned(table, read_table(test_data, discrete, names), "test_data")
    elif score == "pred":
        table, test = split_rows(table, test_fraction, seed)
    with threads(n_threads):
        scorer = make_scorer(table, score, method, test)
        local = [scorer.local_score(node, parents[node]) for node in range(len(parents))]
    if not by_node:
        return float(sum(local))
    import pandas as pd

    return pd.Series(local, index=pd.Index(table.names), name=score)
