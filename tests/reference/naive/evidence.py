"""Scores in which each configuration's rows weigh its own parameters, row by row and by their formulas."""

import math
from collections import defaultdict

import numpy as np

from tests.reference.naive.scores import TOL, configuration, is_discrete, marginal, regression, rows_of, split_parents
from tests.reference.naive.units import in_own_units


def fit(table, node, continuous, rows, in_cells):
    """Residual sum of squares and slopes of some rows; None for the first where the node has nothing left."""
    y = [table[node][r] for r in rows]
    intercept, slopes, rss = regression(y, [[table[c][r] for r in rows] for c in continuous], in_cells)
    degrees = len(rows) - len(continuous) - 1
    return (rss if rss >= TOL * TOL * degrees else None), intercept, slopes


def divide(table, node, parents, fitted):
    """Configurations with a regression of their own, and the rows of all others."""
    discrete, continuous = split_parents(table, parents)
    members = defaultdict(list)
    for r in range(rows_of(table)):
        members[configuration(table, discrete, r)].append(r)
    own, rest = [], []
    for rows in members.values():
        some = [r for r in rows if r in fitted]
        if rows == some and len(fitted) < rows_of(table):
            continue  # no test rows
        least = len(continuous) + (3 if discrete else 2)
        supports = len(some) >= least and fit(table, node, continuous, some, bool(discrete))[0] is not None
        (own if supports else rest).append(rows)
    return own, sorted(r for rows in rest for r in rows)


@in_own_units
def local_penalty(table, node, parents):
    """BIC with local penalties of a continuous node."""
    discrete, continuous = split_parents(table, parents)
    everything = range(rows_of(table))
    n, g = len(everything), len(continuous)
    own, rest = divide(table, node, parents, set(everything))

    def score(rows):
        rss = fit(table, node, continuous, rows, bool(discrete))[0] if len(rows) >= g + 3 or not discrete else None
        if rss is None:
            return None
        return -len(rows) / 2 * (math.log(2 * math.pi * rss / len(rows)) + 1) - (g + 2) / 2 * math.log(len(rows))

    total = [score(rows) for rows in own]
    if rest:
        joined = score(rest) if discrete else None
        if joined is None:
            rss, intercept, slopes = fit(table, node, continuous, everything, True)
            if rss is None or not discrete:
                return -math.inf
            variance = rss / (n - g - 1)
            errors = [
                table[node][r] - intercept - sum(b * table[c][r] for b, c in zip(slopes, continuous, strict=True))
                for r in rest
            ]
            joined = -len(rest) / 2 * math.log(2 * math.pi * variance) - sum(e * e for e in errors) / (2 * variance)
            joined -= (g + 2) / 2 * math.log(n)
        total.append(joined)
    return math.fsum(total)


def log_m(table, node, continuous, rows):
    """Log marginal likelihood of a regression under the reference prior, but for a constant."""
    centred = [[table[c][r] - table[c][rows[0]] for r in rows] for c in continuous]
    X = np.column_stack([np.ones(len(rows)), *centred])
    y = np.array([table[node][r] for r in rows]) - table[node][rows[0]]
    q, triangle = np.linalg.qr(X)
    left = y - q @ (q.T @ y)
    left -= q @ (q.T @ left)
    n, p = X.shape
    rest = math.lgamma((n - p) / 2) - (n - p) / 2 * math.log(math.pi * float(left @ left))
    return rest - float(np.log(np.abs(np.diag(triangle))).sum())


@in_own_units
def integrated(train, test, node, parents, imaginary_rows=1.0):
    """Log-density of test rows given training rows, parameters integrated out."""
    if is_discrete(train[node]):
        both = {name: (train[name][0] + test[name][0], train[name][1]) for name in (node, *parents)}
        return marginal(both, node, parents, "bde", imaginary_rows) - marginal(
            train, node, parents, "bde", imaginary_rows
        )
    table = {
        name: (train[name][0] + test[name][0], train[name][1]) if is_discrete(train[name]) else train[name] + test[name]
        for name in (node, *parents)
    }
    discrete, continuous = split_parents(table, parents)
    fitted = set(range(rows_of(train)))
    own, rest = divide(table, node, parents, fitted)

    def score(rows, given, in_cells):
        if len(given) < len(continuous) + (3 if in_cells else 2):
            return None
        rss, _, slopes = fit(table, node, continuous, given, in_cells)
        if rss is None:
            return None
        kept = [c for c, b in zip(continuous, slopes, strict=True) if b != 0.0]
        both = sorted({*given, *rows})
        return log_m(table, node, kept, both) - log_m(table, node, kept, sorted(given))

    total = [score(rows, [r for r in rows if r in fitted], bool(discrete)) for rows in own]
    new = [r for r in rest if r not in fitted]
    if new:
        joined = score(rest, [r for r in rest if r in fitted], True) if discrete else None
        if joined is None and discrete:
            joined = score(new, sorted(fitted), False)
        total.append(-math.inf if joined is None else joined)
    return math.fsum(total)


def normal_wishart(table, node, parents, strength=1.0, columns=None):
    """Log marginal likelihood of a continuous node: in each configuration, m(parents and node) / m(parents)."""
    discrete, continuous = split_parents(table, parents)
    numbers = [name for name in table if not is_discrete(table[name])] if columns is None else columns
    freedom = 2.0  # degrees of freedom beyond the columns
    t = strength * (freedom - 1.0) / (strength + 1.0)
    members = defaultdict(list)
    for r in range(rows_of(table)):
        members[configuration(table, discrete, r)].append(r)
    return math.fsum(
        log_normal_wishart(table, [*continuous, node], rows, strength, freedom, t, len(numbers))
        - log_normal_wishart(table, continuous, rows, strength, freedom, t, len(numbers))
        for rows in members.values()
    )


def log_normal_wishart(table, names, rows, strength, freedom, t, N):
    """Log marginal likelihood of some columns of a multivariate normal, prior from the columns over all rows."""
    if not names:
        return 0.0
    every, some = (np.array([[table[c][r] for c in names] for r in which]) for which in (range(rows_of(table)), rows))
    n, width = some.shape
    centre, scale = every.mean(axis=0), t * every.var(axis=0, ddof=1)
    centred = some - some.mean(axis=0)
    apart = some.mean(axis=0) - centre
    R = np.diag(scale) + centred.T @ centred + n * strength / (n + strength) * np.outer(apart, apart)
    a = freedom + width  # of the marginal of these columns
    gamma = sum(math.lgamma((n + a - i) / 2) - math.lgamma((a - i) / 2) for i in range(width))
    return (
        -n * width / 2 * math.log(math.pi)
        + width / 2 * math.log(strength / (n + strength))
        + gamma
        + a / 2 * float(np.log(scale).sum())
        - (n + a) / 2 * float(np.linalg.slogdet(R)[1])
    )
