"""Random small tables for Hypothesis, as naive columns and as Tables."""

import numpy as np
from hypothesis import strategies as st

from bnjit.data import Column, Table


def to_table(naive: dict) -> Table:
    """Table of naive columns (see tests.reference.naive)."""
    columns = []
    for column in naive.values():
        if isinstance(column, tuple):
            columns.append(Column(np.array(column[0], np.uint8), tuple(range(column[1]))))
        else:
            columns.append(Column(np.array(column, np.float64), None))
    return Table(list(naive), columns)


def continuous_column(rng, n: int, others: list, kind: str) -> list:
    """One column; some kinds invite singular fits."""
    if kind == "integers":
        return rng.integers(-2, 3, n).astype(float).tolist()
    if kind == "sum" and others:
        return np.sum(others, axis=0).tolist()
    if kind == "far":
        return (rng.normal(size=n) + 1e5).tolist()
    if kind == "noisy" and others:
        return (np.asarray(others[-1]) * 2.0 + 0.1 * rng.normal(size=n)).tolist()
    return rng.normal(size=n).tolist()


@st.composite
def tables(draw, max_discrete: int = 3, max_continuous: int = 4, min_rows: int = 4, max_rows: int = 60) -> dict:
    """A naive table with at least one column, and no constant continuous one."""
    d = draw(st.integers(0 if max_continuous else 1, max_discrete))
    c = draw(st.integers(0 if d else 1, max_continuous))
    n = draw(st.integers(min_rows, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.lists(st.sampled_from(["normal", "integers", "sum", "far", "noisy"]), min_size=c, max_size=c))
    columns: dict = {}
    for i in range(d):
        levels = draw(st.integers(1, 4))
        columns[f"D{i}"] = (rng.integers(0, levels, n).tolist(), levels)
    numbers: list = []
    for i, kind in enumerate(kinds):
        column = continuous_column(rng, n, numbers, kind)
        if len(set(column)) == 1:
            column[0] += 1.0
        numbers.append(column)
        columns[f"X{i}"] = column
    order = list(columns)
    rng.shuffle(order)
    return {name: columns[name] for name in order}


def take_rows(naive: dict, rows) -> dict:
    """Some rows of a naive table."""
    return {
        name: ([c[0][r] for r in rows], c[1]) if isinstance(c, tuple) else [c[r] for r in rows]
        for name, c in naive.items()
    }
