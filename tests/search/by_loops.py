"""Random tables with dependencies, and what plain loops make of them; arcs that a search has found."""

import functools

import numpy as np

from tests.reference import naive


def arcs_of(result):
    return {tuple(arc) for arc in result.dag.edges}


def random_table(rng, kind, n, columns=4):
    """Naive columns that depend on those before them."""
    table = {}
    for j in range(columns):
        names = list(table)
        parents = [name for name in names if rng.random() < 0.6]
        if kind == "discrete" or (kind == "cgaussian" and j < columns // 2):
            base = sum((np.array(table[p][0]) for p in parents), np.zeros(n, int))
            table[f"D{j}"] = (((base + (rng.random(n) < 0.3)) % 2).tolist(), 2)
        else:
            mean = sum((np.array(table[p][0] if p[0] == "D" else table[p]) for p in parents), np.zeros(n))
            table[f"X{j}"] = (rng.choice([-0.7, 0.7]) * mean + rng.normal(size=n)).tolist()
    return {name: table[name] for name in rng.permutation(list(table)).tolist()}


def table_without_ties(rng, kind, n):
    """A table with dependencies and no ties."""
    columns = {}
    if kind != "gaussian":
        a = rng.integers(0, 2, n)
        b = (a + (rng.random(n) < 0.3)) % 3
        columns |= {"A": (a.tolist(), 2), "B": (b.tolist(), 3)}
    if kind == "discrete":
        c = (b + (rng.random(n) < 0.4)) % 2
        columns |= {"C": (c.tolist(), 2), "D": (rng.integers(0, 2, n).tolist(), 2)}
    else:
        x = rng.normal(size=n)
        if kind == "cgaussian":
            x += 1.5 * a
        y = x * rng.normal() + rng.normal(size=n)
        columns |= {"X": x.tolist(), "Y": y.tolist(), "Z": (y - 0.5 * x + rng.normal(size=n)).tolist()}
        if kind == "gaussian":
            columns |= {"W": (rng.normal(size=n) + 0.3 * y).tolist()}
    names = rng.permutation(list(columns)).tolist()
    return {name: columns[name] for name in names}


def naive_scores(table, score="bic"):
    @functools.cache
    def local(node, parents):
        return naive.local_score(table, node, sorted(parents, key=list(table).index), score)

    return local


def naive_graph(table, order, local, limits):
    """Parents of every node and their scores, by plain growing and shrinking."""
    names = list(table)
    found = {}
    for k, v in enumerate(order):
        node = names[v]
        found[node] = naive.grow_shrink(
            names,
            {names[u] for u in order[:k]},
            lambda parents, node=node: local(node, parents),
            fixed=[names[i] for i in np.flatnonzero(limits.fixed[:, v])],
            allowed=lambda x, v=v: limits.addable[names.index(x), v],
            most=limits.most,
        )
    return found
