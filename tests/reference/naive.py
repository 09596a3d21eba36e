"""Every score by plain loops over rows, for comparison; imports nothing from bnjit.

A table is a dict of columns: a list of floats, or a pair (list of codes, number of levels) for a discrete column.
"""

import itertools
import math
from collections import Counter, defaultdict

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
    return penalised(table, node, parents, score, sparse)


# Search and graphs: an arc set is a frozenset of pairs of names.


def is_acyclic(arcs):
    arcs = set(arcs)
    while arcs:
        sources = {a for a, _ in arcs} - {b for _, b in arcs}
        if not sources:
            return False
        arcs = {(a, b) for a, b in arcs if a not in sources}
    return True


def neighbours(names, arcs, allowed=lambda a, b: True, fixed=frozenset(), most=math.inf):
    """Every graph one move away, in the order in which bnlearn looks at them: (move, source, target, graph)."""

    def room(node):
        return sum(b == node for _, b in arcs) < most

    for a in names:
        for b in names:
            if a != b and (a, b) not in arcs and (b, a) not in arcs and allowed(a, b) and room(b):
                yield "add", a, b, arcs | {(a, b)}
    for a in names:
        for b in names:
            if (a, b) in arcs and (a, b) not in fixed:
                yield "delete", a, b, arcs - {(a, b)}
    for a in names:
        for b in names:
            if (a, b) in arcs and (a, b) not in fixed and allowed(b, a) and room(a):
                yield "reverse", a, b, (arcs - {(a, b)}) | {(b, a)}


def greedy(table, score, *, tabu=0, equivalent=False, start=frozenset(), test=None, **limits):
    """Hill climbing, or tabu search with lists of length `tabu`: the path of moves and the best graph.

    Every score of every neighbour is computed anew.
    """
    names = list(table)

    def local(node, arcs):
        parents = [a for a in names if (a, node) in arcs]
        return local_score(table, node, parents, score, test)

    def difference(move, a, b, arcs, after):
        if equivalent and move == "add" and names.index(a) > names.index(b) and not any(t in (a, b) for _, t in arcs):
            a, b, after = b, a, arcs | {(b, a)}  # a tie by score equivalence: compute it once
        changed = {a, b} if move == "reverse" else {b}
        value = 0.0
        for node in changed:
            change = local(node, after) - local(node, arcs)
            value += 0.0 if abs(change) < TOL else change
        return value

    def best(arcs, least, forbidden):
        winner, gain = None, least
        for move, a, b, after in neighbours(names, arcs, **limits):
            if is_discrete(table[b]) and not is_discrete(table[a]) and move == "add":
                continue
            if move == "reverse" and is_discrete(table[a]) and not is_discrete(table[b]):
                continue
            if not is_acyclic(after) or after in forbidden:
                continue
            value = difference(move, a, b, arcs, after)
            if value - gain > TOL:
                winner, gain = (move, a, b, after), value
        return winner

    def total(arcs):
        return math.fsum(local(node, arcs) for node in names)

    arcs = frozenset(start)
    path, visited, losses = [], [], 0
    champion, champion_score = arcs, total(arcs)
    while True:
        visited.append(arcs)
        forbidden = visited[-tabu:] if tabu else []
        winner = best(arcs, 0.0, forbidden)
        if winner is None:
            if losses >= tabu:
                return path, champion
            losses += 1
            winner = best(arcs, -math.inf, forbidden)
            if winner is None:
                return path, champion
        path.append(winner[:3])
        arcs = winner[3]
        if total(arcs) - champion_score > TOL:
            champion, champion_score, losses = arcs, total(arcs), 0


def colliders(arcs):
    adjacent = {frozenset(arc) for arc in arcs}
    return {
        (frozenset((a, b)), c)
        for a, c in arcs
        for b, d in arcs
        if c == d and a != b and frozenset((a, b)) not in adjacent
    }


def equivalence_class(arcs, discrete=()):
    """All DAGs with the same skeleton and colliders, and no arc from a continuous to a discrete node."""
    edges = sorted(tuple(sorted(arc)) for arc in arcs)
    members = []
    for choice in range(2 ** len(edges)):
        graph = {edge[::-1] if choice >> i & 1 else edge for i, edge in enumerate(edges)}
        if any(b in discrete and a not in discrete for a, b in graph):
            continue
        if is_acyclic(graph) and colliders(graph) == colliders(arcs):
            members.append(graph)
    return members


def cpdag(arcs, discrete=()):
    """Arcs of all members of the equivalence class: an edge that goes both ways is there twice."""
    return set().union(*equivalence_class(arcs, discrete)) if arcs else set()


# Orders of nodes: the parents of a node are found among those before it.


def grow_shrink(names, before, score, fixed=(), allowed=lambda x: True, most=math.inf):
    """Add the best parent while that improves the score of a set, then drop the worst while that does."""
    parents, value = frozenset(fixed), score(frozenset(fixed))
    while len(parents) < most:
        choices = [x for x in names if x in before and x not in parents and allowed(x)]
        best = max(choices, key=lambda x: score(parents | {x}), default=None)
        if best is None or score(parents | {best}) <= value + TOL:
            break
        parents, value = parents | {best}, score(parents | {best})
    while parents - set(fixed):
        worst = max((x for x in names if x in parents - set(fixed)), key=lambda x: score(parents - {x}))
        if score(parents - {worst}) <= value + TOL:
            break
        parents, value = parents - {worst}, score(parents - {worst})
    return parents, value


# Greedy equivalence search by its definition: classes are neighbours if some of their members are.


def class_neighbours(names, members, phase, most=math.inf):
    """A member of each class that one arc, added, deleted or turned in some member of a class, leads to."""
    found = {}
    for member in members:
        present = frozenset(member)
        for a, b in itertools.permutations(names, 2):
            if phase == "forward" and (a, b) not in present and (b, a) not in present:
                after = present | {(a, b)}
            elif phase == "backward" and (a, b) in present:
                after = present - {(a, b)}
            elif phase == "turning" and (a, b) in present:
                after = (present - {(a, b)}) | {(b, a)}
            else:
                continue
            if is_acyclic(after) and all(sum(t == node for _, t in after) <= most for node in names):
                found.setdefault((frozenset(map(frozenset, after)), frozenset(colliders(after))), after)
    return list(found.values())


def equivalence_search(names, local, start=frozenset(), most=math.inf):
    """Path of (phase, score) and a member of the last class; all classes around are scored at every step."""

    def total(arcs):
        return math.fsum(local(node, frozenset(a for a, b in arcs if b == node)) for node in names)

    arcs, path = frozenset(start), []
    while True:
        length = len(path)
        for phase in ("forward", "backward", "turning"):
            while True:
                around = class_neighbours(names, equivalence_class(arcs), phase, most)
                best = max(around, key=total, default=arcs)
                if total(best) <= total(arcs) + TOL:
                    break
                arcs = best
                path.append((phase, total(arcs)))
        if len(path) == length:
            return path, arcs


def all_classes(names):
    """One DAG of every equivalence class."""
    pairs = list(itertools.combinations(names, 2))
    found = {}
    for choice in itertools.product(range(3), repeat=len(pairs)):
        arcs = frozenset(pair if c == 1 else pair[::-1] for pair, c in zip(pairs, choice, strict=True) if c)
        if is_acyclic(arcs):
            found.setdefault((frozenset(map(frozenset, arcs)), frozenset(colliders(arcs))), arcs)
    return list(found.values())


# Interventions: what adjusting for the parents of a learned graph gets wrong in the true one.


def paths(arcs, a, b):
    """All paths between two nodes that meet no node twice, along arcs in any direction."""
    found, waiting = [], [[a]]
    while waiting:
        path = waiting.pop()
        if path[-1] == b:
            found.append(path)
            continue
        around = {t for s, t in arcs if s == path[-1]} | {s for s, t in arcs if t == path[-1]}
        waiting += [[*path, node] for node in around if node not in path]
    return found


def after(arcs, node):
    """A node and its descendants."""
    found = {node}
    while more := {t for s, t in arcs if s in found} - found:
        found |= more
    return found


def is_blocked(arcs, path, given):
    for a, m, b in zip(path, path[1:], path[2:], strict=False):
        collider = (a, m) in arcs and (b, m) in arcs
        if (collider and not after(arcs, m) & given) or (not collider and m in given):
            return True
    return False


def sid(names, learned, true):
    """Structural intervention distance by the definition of Peters and Buehlmann (2015), path by path."""
    wrong = 0
    for i, j in itertools.permutations(names, 2):
        given = {a for a, b in learned if b == i}
        if j in given:
            wrong += j in after(true, i)
            continue
        ways = paths(true, i, j)
        directed = [path for path in ways if all(arc in true for arc in itertools.pairwise(path))]
        spoiled = any(after(true, w) & given for path in directed for w in path[1:])
        wrong += spoiled or not all(path in directed or is_blocked(true, path, given) for path in ways)
    return wrong
