"""check_markov: whether a table contradicts what a graph says."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bnjit.errors import ArgumentError, as_number
from bnjit.graph.dag import make_dag, parent_sets
from bnjit.graph.separation import implied_independencies
from bnjit.markov.corrections import CORRECTIONS, adjust
from bnjit.markov.report import MarkovReport
from bnjit.markov.statements import Statement, choose_tests
from bnjit.markov.testing import read_for_tests
from bnjit.options import MissingLike

if TYPE_CHECKING:
    import networkx as nx

    from bnjit.markov.outcome import Outcome


def check_markov(
    dag: Any,
    data: Any,
    test: str | Sequence[str] | None = None,
    *,
    level: float = 0.05,
    correction: str = "holm",
    missing: MissingLike = "error",
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    n_threads: int | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
    weights: Any = None,
) -> MarkovReport:
    """Test the independencies that a graph implies, to see whether a table contradicts it.

    There is one test for each pair of columns without an arc: the later one in the order of the graph against the
    other, given its own parents (see `bnjit.implied_independencies`). Each names one missing arc, asks for nothing but
    the statistics that a search needs to price that arc, and conditions on no more columns than the graph itself does.
    A test of a node against all others at once would say less, and needs far more rows. If the graph is true, p-values
    are uniform; a graph with too many arcs is not contradicted.

    A graph that was learned from the same rows has been fitted to them: test it on other rows.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, model string, Result or Network
        The graph. Columns that it does not mention are nodes without arcs.
    data : DataFrame, pyarrow Table, NumPy array, dict of columns, path, dask.dataframe or Statistics
        The table, as in `bnjit.learn`.
    test : str, or list of them, optional
        Tests to use where they apply; see `bnjit.independence`. By default "x2-adj" for discrete columns, "cor" for
        continuous ones, "mi-cg-adj" for both.
    level : float
        Of significance, for what counts as a contradiction.
    correction : {"holm", "bh", "none"}
        For many tests: Holm's, so that the chance of any false alarm is at most `level`; Benjamini and Hochberg's, so
        that this share of the alarms is false; or none.
    missing, discrete, names, n_threads, max_memory, out_of_core, weights
        As in `bnjit.independence`.

    Returns
    -------
    MarkovReport
        It prints the worst contradictions; `tests` and `violations` are DataFrames, `plot()` compares p-values with
        uniform ones, `draw()` shows the arcs that seem to be missing.

    Examples
    --------
    >>> import bnjit, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=500)
    >>> y = x + rng.normal(size=500)
    >>> table = {"x": x, "y": y, "z": y + rng.normal(size=500)}
    >>> bnjit.check_markov("[x][y|x][z|y]", table)
    bnjit.MarkovReport: 0 of 1 independencies contradicted (500 rows, holm, level 0.05)
    >>> bnjit.check_markov("[x][y|x][z|x]", table)
    bnjit.MarkovReport: 1 of 1 independencies contradicted (500 rows, holm, level 0.05)
      z _||_ y | x: cor, p = 2.67e-87, adjusted 2.67e-87, effect 0.738
    """
    from bnjit._threads import threads

    level = as_number("level", level, 0.0, 1.0)
    if correction not in CORRECTIONS:
        raise ArgumentError(f"correction={correction!r} is not known; it is one of {', '.join(CORRECTIONS)}")
    with threads(n_threads):
        tester = read_for_tests(data, missing, discrete, names, n_threads, max_memory, out_of_core, weights)
        schema = tester.schema
        parents = parent_sets(getattr(dag, "dag", dag), schema.names, schema.discrete)
        arcs = [(schema.names[p], schema.names[v]) for v, own in enumerate(parents) for p in own]
        graph = make_dag(schema.names, schema.discrete, arcs)
        position = {name: i for i, name in enumerate(schema.names)}
        statements = [
            Statement(position[x], position[y], tuple(sorted(position[name] for name in given)))
            for x, y, given in implied_independencies(graph)
        ]
        tests = choose_tests(statements, schema.discrete, test)
        outcomes = tester.run(statements, tests)
    return _report(graph, round(tester.store.n), statements, tests, outcomes, level, correction)


def _report(
    graph: "nx.DiGraph", n: int, statements: Sequence[Statement], tests: Sequence[str], outcomes: "Sequence[Outcome]",
    level: float, correction: str,
) -> MarkovReport:  # fmt: skip
    import pandas as pd

    names = list(graph)
    columns: dict[str, Any] = {
        "x": pd.Series([names[one.x] for one in statements], dtype=object),
        "y": pd.Series([names[one.y] for one in statements], dtype=object),
        "given": pd.Series([tuple(names[v] for v in one.given) for one in statements], dtype=object),
        "test": pd.Series(tests, dtype=object),
    }
    for name in ("statistic", "df", "p_value"):
        columns[name] = pd.Series([getattr(one, name) for one in outcomes], dtype=float)
    columns["p_adjusted"] = pd.Series(adjust(columns["p_value"].to_numpy(float), correction), dtype=float)
    columns["effect"] = pd.Series([one.effect() for one in outcomes], dtype=float)
    columns["n"] = pd.Series([one.n for one in outcomes], dtype="int64")
    return MarkovReport(graph, pd.DataFrame(columns), n, level, correction)
