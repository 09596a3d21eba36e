"""independence: one test, of two columns of a table."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from bnjit.data.schema import Schema
from bnjit.errors import ArgumentError, check_count
from bnjit.markov.outcome import IndependenceTest
from bnjit.markov.statements import Tester, choose_tests, make_statement
from bnjit.options import EM, MissingLike, as_missing, gap_rule


def independence(
    x: Hashable,
    y: Hashable,
    given: Any = (),
    data: Any = None,
    test: str | None = None,
    *,
    missing: MissingLike = "error",
    discrete: Iterable[Hashable] = (),
    names: Sequence[Hashable] | None = None,
    n_threads: int | None = None,
    max_memory: int | str | None = None,
    out_of_core: bool | None = None,
    weights: Any = None,
) -> IndependenceTest:
    """Test whether two columns of a table are independent given others.

    Parameters
    ----------
    x, y : name
        Columns.
    given : name, or collection of names
        What they are to be independent given.
    data : DataFrame, pyarrow Table, NumPy array, dict of columns, path, dask.dataframe or Statistics
        The table, as in `bnjit.learn`.
    test : str, optional
        Discrete columns: Pearson's "x2" or the likelihood ratio "mi" (n times twice the mutual information), with the
        degrees of freedom of all declared levels; "x2-adf" and "mi-adf" with those of the levels that are observed in
        each configuration; "x2-adj" (default), which is also scaled for configurations with few rows.
        Continuous columns: the partial correlation, by Student's t, "cor" (default), by Fisher's z, "zf", or by the
        likelihood ratio, "mi-g".
        Mixed columns: the likelihood ratio of regressions in every configuration, "mi-cg", or the same scaled for
        configurations with few rows, "mi-cg-adj" (default). Configurations without residuals are left out.
        Names are bnlearn's; those in "adj" are bnjit's own, and right where rows are few. Where bnlearn takes
        independence for granted, since "adf" has fewer than five rows for each cell of the whole table, or "mi-cg" a
        configuration with too few rows for a regression, there is a test here all the same.
    missing : str or rule
        "error", "drop" or "available", as in `bnjit.learn`; the last uses all rows that observe these columns.
    discrete, names, n_threads, max_memory, out_of_core, weights
        As in `bnjit.learn`. Weights must be counts: a row of weight 3 is taken for three independent rows.

    Returns
    -------
    IndependenceTest

    Examples
    --------
    >>> import bnjit, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=500)
    >>> y = x + rng.normal(size=500)
    >>> table = {"x": x, "y": y, "z": y + rng.normal(size=500)}
    >>> bnjit.independence("x", "z", data=table).p_value < 1e-6
    True
    >>> bnjit.independence("x", "z", given="y", data=table)
    x _||_ z | y: cor -0.0325795, df 497, p = 0.468, effect 0.000, 500 rows
    """
    from bnjit._threads import threads

    if data is None:
        raise ArgumentError("data=None; give the table that the columns are of")
    with threads(n_threads):
        tester = read_for_tests(data, missing, discrete, names, n_threads, max_memory, out_of_core, weights)
        schema = tester.schema
        columns = [_position(schema, x, "x"), _position(schema, y, "y")]
        columns += [_position(schema, name, "given") for name in _names(given, schema)]
        twice = next((v for i, v in enumerate(columns) if v in columns[:i]), None)
        if twice is not None:
            raise ArgumentError(f"{schema.names[twice]!r} is named twice among x, y and given; name each column once")
        statement = make_statement(schema, columns[0], columns[1], columns[2:])
        (chosen,) = choose_tests([statement], schema.discrete, test)
        (outcome,) = tester.run([statement], [chosen])
    condition = tuple(schema.names[v] for v in columns[2:])
    return IndependenceTest(
        x, y, condition, chosen, outcome.statistic, outcome.df, outcome.p_value, outcome.effect(), outcome.n
    )


def read_for_tests(
    data: Any, missing: MissingLike, discrete: Any, names: Any, n_threads: int | None, max_memory: Any,
    out_of_core: bool | None, weights: Any,
) -> Tester:  # fmt: skip
    """Statistics of a table that is read as `bnjit.learn` reads it."""
    from bnjit.report.at_once import all_problems_at_once
    from bnjit.scores.tables import check_reading, reading_of
    from bnjit.stats.opening import make_store, read_rows

    if isinstance(as_missing(missing), EM):
        raise ArgumentError('missing="em" fills gaps from a network; tests take missing="available" or "drop"')
    gaps = gap_rule(missing)
    check_count("n_threads", n_threads, least=1)
    reading = reading_of(discrete, names, max_memory, out_of_core, weights)
    check_reading([data], reading)
    with all_problems_at_once(data, *reading, gaps):
        return Tester(make_store(read_rows(data, *reading, gaps=gaps), max_memory))


def _names(given: Any, schema: Schema) -> list[Hashable]:
    """Names of an argument that is a name or a collection of them."""
    is_column = isinstance(given, tuple) and given in schema.names
    if is_column or isinstance(given, str) or not isinstance(given, Iterable):
        return [given]
    return list(given)


def _position(schema: Schema, name: Hashable, what: str) -> int:
    if name not in schema.names:
        raise ArgumentError(f"{what}: the data have no column {name!r}")
    return list(schema.names).index(name)
