"""Rows of mixed tables, and their Cells read anew."""

import numpy as np

from bnjit.data import read_table
from bnjit.stats.collect import collect_cells, membership
from bnjit.stats.tuning import ORDERED_ROWS


def mixed_rows(n, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 5, n)
    y = rng.integers(0, 3, n)
    x = rng.normal(size=(4, n)) * np.array([1.0, 1e-3, 1e4, 1.0])[:, None] + scale * (z + 1)
    return read_table({"Z": z.astype(str), "Y": y.astype(str), **{f"X{i}": x[i] for i in range(4)}})


def collect(table, variables, columns, dense=None, ordered=ORDERED_ROWS):
    return collect_cells(table, tuple(columns), membership(table, tuple(variables), dense), ordered)


def grouped_rows():
    """A column that another one all but says, in groups."""
    rng = np.random.default_rng(2)
    g = rng.integers(0, 3, 200)
    h = np.minimum(g, rng.integers(0, 2, 200))
    x = 50.0 + rng.normal(size=200)
    names = np.array(list("abc"))
    return read_table({"g": names[g], "x": x, "h": names[h], "y": 2 * x + 1e-6 * rng.normal(size=200)})
