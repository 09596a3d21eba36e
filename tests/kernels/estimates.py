"""Tables with one discrete column Z, scored by the paper's estimators and by plain loops."""

import numpy as np

from bnjit.data import Column, Table
from bnjit.kernels import estimators
from bnjit.kernels.rules import Rule
from bnjit.stats.collect import membership
from tests.reference import naive


def make_table(z, numbers, dtype=np.float64):
    """One discrete column Z and continuous ones."""
    z = np.asarray(z)
    codes = Column(z.astype(np.uint8), tuple(map(str, range(int(z.max()) + 1))))
    names = ["Z", *numbers]
    return Table(names, [codes, *(Column(np.asarray(x, dtype), None) for x in numbers.values())])


def sample_of(table, variables=(0,)):
    """Rows and their cells, as the estimators take them."""
    found = membership(table, variables)
    counts = np.bincount(found.ids) if variables else np.array([table.n])
    return estimators.Sample(table.view, found.ids, counts)


def score(table, parents, closed, in_cells=True, test=None, cells=None):
    """Score of the last column."""
    train = sample_of(table, (0,) if in_cells else ())
    scored = train if test is None else sample_of(test, (0,) if in_cells else ())
    cells = np.arange(len(train.counts)) if cells is None else np.array(cells)
    which = np.array([*parents, len(table.names) - 1], np.int32)
    return estimators.estimate(train, scored, cells, which, closed, Rule(test is not None, in_cells))


def plain(table):
    """The same table as the plain loops take it."""
    return {
        name: (column.values.tolist(), len(column.labels)) if column.labels else column.values.astype(float).tolist()
        for name, column in zip(table.names, table.columns, strict=True)
    }


def expected(table, parents, in_cells=True, test=None):
    """Score of the last column by plain loops."""
    names = [*(["Z"] if in_cells else []), *(table.names[v] for v in parents)]
    if test is None:
        return naive.loglik(plain(table), table.names[-1], names)
    return naive.predictive.in_given_units(plain(table), plain(test), table.names[-1], names)


def noisy(n, seed, levels, offset=0.0, spread=1.0):
    """Rows whose last column depends on the others, about a large offset."""
    rng = np.random.default_rng(seed)
    z = rng.permutation(np.arange(n) % levels)
    a, b, c = offset + spread * (rng.normal(size=(3, n)) + z)
    y = offset + 0.5 * (a - offset) - (b - offset) + 0.2 * (c - offset) + spread * rng.normal(size=n)
    return make_table(z, {"A": a, "B": b, "C": c, "Y": y})
