"""Every score by plain loops over rows.

A table is a dict of columns: a list of floats, or a pair (list of codes, number of levels) for a discrete column.
"""

import math
from collections import Counter, defaultdict

from tests.reference.naive.regret import regret
from tests.reference.naive.units import in_own_units

TOL = math.sqrt(2.0**-52)


def is_discrete(column) -> bool:
    return isinstance(column, tuple)


def rows_of(table) -> int:
    column = next(iter(table.values()))
    return len(column[0] if is_discrete(column) else column)


def configuration(table, variables, row):
    return tuple(table[v][0][row] for v in variables)


def cells(table, variables, columns):
    """Rows, means and centred cross-products (a full matrix) of each observed configuration."""
    members = defaultdict(list)
    for row in range(rows_of(table)):
        members[configuration(table, variables, row)].append(row)
    result = {}
    for key, rows in members.items():
        means = [math.fsum(table[c][r] for r in rows) / len(rows) for c in columns]
        crosses = [
            [
                math.fsum((table[a][r] - ma) * (table[b][r] - mb) for r in rows)
                for b, mb in zip(columns, means, strict=True)
            ]
            for a, ma in zip(columns, means, strict=True)
        ]
        result[key] = (len(rows), means, crosses)
    return result


def regression(y, regressors, in_cells=False):
    """Intercept, slopes and residual sum of squares by Gram-Schmidt, twice over; bnlearn's rule for singularity."""
    n, g = len(y), len(regressors)

    def centred(x):
        m = math.fsum(x) / n
        return [v - m for v in x]

    def inner(a, b):
        return math.fsum(u * v for u, v in zip(a, b, strict=True))

    basis, kept = [], []
    for j, x in enumerate(regressors):
        whole = centred(x)
        left = whole
        for _ in range(2):
            for q in basis:
                f = inner(left, q)
                left = [u - f * v for u, v in zip(left, q, strict=True)]
        squares, rest = inner(whole, whole), inner(left, left)
        if g <= 2:
            first = centred(regressors[0])
            given = squares
            if j == 1 and inner(first, first) > 0:
                given -= inner(whole, first) ** 2 / inner(first, first)
            least = TOL if in_cells else TOL * (n - 1)
            drop = squares < least or given < (2 * TOL - TOL * TOL) * squares
        else:
            drop = math.sqrt(rest) <= TOL * math.sqrt(inner(x, x))
        if not drop:
            norm = math.sqrt(rest)
            basis.append([u / norm for u in left])
            kept.append(j)
    residual = centred(y)
    slopes = [0.0] * g
    coefficients = []
    for q in basis:
        f = inner(residual, q)
        coefficients.append(f)
        residual = [u - f * v for u, v in zip(residual, q, strict=True)]
    # Slopes by back substitution on the triangle of inner products.
    for i in reversed(range(len(kept))):
        value = coefficients[i]
        for k in range(i + 1, len(kept)):
            value -= slopes[kept[k]] * inner(centred(regressors[kept[k]]), basis[i])
        slopes[kept[i]] = value / inner(centred(regressors[kept[i]]), basis[i])
    intercept = math.fsum(y) / n - math.fsum(s * math.fsum(x) / n for s, x in zip(slopes, regressors, strict=True))
    return intercept, slopes, inner(residual, residual)


def split_parents(table, parents):
    return [p for p in parents if is_discrete(table[p])], [p for p in parents if not is_discrete(table[p])]


def loglik(table, node, parents, sparse="reject"):
    """Maximised log-likelihood of a node; -inf where the model is impossible."""
    if sparse == "pool" and not is_discrete(table[node]):
        return pooled(table, table, node, parents, 1 + len(split_parents(table, parents)[1]))
    discrete, continuous = split_parents(table, parents)
    n = rows_of(table)
    if is_discrete(table[node]):
        if continuous:
            return -math.inf
        joint = Counter((configuration(table, discrete, r), table[node][0][r]) for r in range(n))
        margin = Counter(configuration(table, discrete, r) for r in range(n))
        return math.fsum(count * math.log(count / margin[j]) for (j, _), count in joint.items())
    members = defaultdict(list)
    for r in range(n):
        members[configuration(table, discrete, r)].append(r)
    total = []
    for rows in members.values():
        degrees = len(rows) - len(continuous) - 1
        if degrees <= 0:
            return -math.inf
        _, _, rss = regression(
            [table[node][r] for r in rows], [[table[c][r] for r in rows] for c in continuous], bool(discrete)
        )
        if math.sqrt(rss / degrees) < TOL:
            return -math.inf
        total.append(-len(rows) / 2 * math.log(2 * math.pi * rss / degrees) - degrees / 2)
    return math.fsum(total)


def pooled(train, test, node, parents, taken):
    """Log-likelihood of test rows; configurations with too few training rows share a regression on all of these.

    taken : what the variance of the shared regression takes off the number of rows
    """
    discrete, continuous = split_parents(train, parents)
    g = len(continuous)

    def fit(rows, in_cells, degrees):
        a, b, rss = regression(
            [train[node][i] for i in rows], [[train[c][i] for i in rows] for c in continuous], in_cells
        )
        return a, b, rss / degrees

    everything = range(rows_of(train))
    total = []
    for row in range(rows_of(test)):
        j = configuration(test, discrete, row)
        same = [i for i in everything if configuration(train, discrete, i) == j]
        if discrete and len(same) > g + 1:
            a, b, variance = fit(same, True, len(same) - g - 1)
            variance = max(variance, TOL**2)
        elif len(everything) > g + 1:
            a, b, variance = fit(everything, bool(discrete) and taken == g + 1, len(everything) - taken)
            if variance < TOL**2:
                return -math.inf
        else:
            return -math.inf
        residual = test[node][row] - a - math.fsum(s * test[c][row] for s, c in zip(b, continuous, strict=True))
        total.append(-0.5 * math.log(2 * math.pi * variance) - residual**2 / (2 * variance))
    return math.fsum(total)


def parameters(table, node, parents, sparse="reject"):
    discrete, continuous = split_parents(table, parents)
    q = math.prod(table[p][1] for p in discrete)
    if sparse == "pool" and not is_discrete(table[node]):
        rows = Counter(configuration(table, discrete, r) for r in range(rows_of(table)))
        q = min(q, 1 + sum(count > len(continuous) + 1 for count in rows.values()))
    return (table[node][1] - 1) * q if is_discrete(table[node]) else (len(continuous) + 2) * q


@in_own_units
def penalised(table, node, parents, score, sparse="reject"):
    value = loglik(table, node, parents, sparse)
    k = {"loglik": 0.0, "aic": 1.0}.get(score, math.log(rows_of(table)) / 2)
    value -= k * parameters(table, node, parents, sparse)
    return value - 2.0 * len(parents) * math.log(len(table)) if score == "ebic" else value


def marginal(table, node, parents, score, iss=1.0):
    """k2, bde and bds: Dirichlet-multinomial over every declared cell."""
    n = rows_of(table)
    r = table[node][1]
    joint = defaultdict(lambda: [0] * r)
    for row in range(n):
        joint[configuration(table, parents, row)][table[node][0][row]] += 1
    q = math.prod(table[p][1] for p in parents)
    alpha = {"k2": 1.0, "bde": iss / (r * q), "bds": iss / (r * len(joint))}[score]
    return math.fsum(
        math.lgamma(r * alpha)
        - math.lgamma(r * alpha + sum(counts))
        + math.fsum(math.lgamma(alpha + c) - math.lgamma(alpha) for c in counts)
        for counts in joint.values()
    )


def normalised(table, node, parents, score):
    """qnml and fnml: the log-likelihood less a quotient of regrets, or the regrets of observed configurations."""
    n, r = rows_of(table), table[node][1]
    if score == "qnml":
        q = math.prod(table[p][1] for p in parents)
        return loglik(table, node, parents) - (regret(n, q * r) - regret(n, q))
    rows = Counter(configuration(table, parents, row) for row in range(n))
    return loglik(table, node, parents) - math.fsum(regret(count, r) for count in rows.values())


def bge(table, node, parents):
    """BGe with bnlearn's defaults: one imaginary row, N + 2 degrees of freedom, the prior mean at the sample mean."""
    N, n = len(table), rows_of(table)
    t = 0.5
    _, _, crosses = cells(table, [], list(table))[()]
    at = {name: i for i, name in enumerate(table)}

    def log_determinant(names):
        matrix = [[crosses[at[a]][at[b]] + (t if a == b else 0.0) for b in names] for a in names]
        total = 0.0
        for k in range(len(names)):
            total += math.log(matrix[k][k])
            for i in range(k + 1, len(names)):
                f = matrix[i][k] / matrix[k][k]
                for j in range(k, len(names)):
                    matrix[i][j] -= f * matrix[k][j]
        return total

    def subset(names):
        """Marginal likelihood of some variables (Kuipers, Moffa and Heckerman 2014)."""
        size = len(names)
        free = N + 2 - N + size
        gammas = math.fsum(
            math.lgamma((n + free + 1 - i) / 2) - math.lgamma((free + 1 - i) / 2) for i in range(1, size + 1)
        )
        return (
            -size / 2 * math.log(n + 1)
            - size * n / 2 * math.log(math.pi)
            + gammas
            + free / 2 * size * math.log(t)
            - (free + n) / 2 * (log_determinant(names) if names else 0.0)
        )

    return subset([*parents, node]) - subset(list(parents))


@in_own_units
def predictive(train, test, node, parents, sparse="reject"):
    """Log-likelihood of the test rows under what training rows say (Section 4.2)."""
    if sparse == "pool" and not is_discrete(train[node]):
        return pooled(train, test, node, parents, 1)
    discrete, continuous = split_parents(train, parents)
    total = []
    if is_discrete(train[node]):
        if continuous:
            return -math.inf
        r = train[node][1]
        for row in range(rows_of(test)):
            j = configuration(test, discrete, row)
            same = [i for i in range(rows_of(train)) if configuration(train, discrete, i) == j]
            counts = Counter(train[node][0][i] for i in same)
            seen = counts[test[node][0][row]]
            if len(counts) == r:
                total.append(math.log(seen / len(same)))
            else:  # one imaginary row, shared by the levels
                total.append(math.log((seen + 1 / r) / (len(same) + 1)))
        return math.fsum(total)
    g = len(continuous)
    fits = {}
    for row in range(rows_of(test)):
        j = configuration(test, discrete, row)
        if j not in fits:
            rows = [i for i in range(rows_of(train)) if configuration(train, discrete, i) == j]
            if len(rows) <= g + 1:
                return -math.inf
            a, b, rss = regression(
                [train[node][i] for i in rows], [[train[c][i] for i in rows] for c in continuous], bool(discrete)
            )
            variance = rss / (len(rows) - g - 1 if discrete else len(rows) - 1)
            if math.sqrt(variance) < TOL:
                return -math.inf
            fits[j] = a, b, variance
        a, b, variance = fits[j]
        residual = test[node][row] - a - math.fsum(s * test[c][row] for s, c in zip(b, continuous, strict=True))
        total.append(-0.5 * math.log(2 * math.pi * variance) - residual**2 / (2 * variance))
    return math.fsum(total)


def local_score(table, node, parents, score, test=None, sparse="reject"):
    """Any score by its name."""
    if score == "pred":
        return predictive(table, test, node, parents, sparse)
    if score == "bge":
        return bge(table, node, parents)
    if score in ("bde", "bds", "k2"):
        return marginal(table, node, parents, score)
    if score in ("qnml", "fnml"):
        return normalised(table, node, parents, score)
    return penalised(table, node, parents, score, sparse)


# Search and graphs: an arc set is a frozenset of pairs of names.
