"""Orders of rows, against a simple barycentre heuristic and against all orders of small rows."""

from itertools import pairwise, permutations, product

import pytest

from bnjit.datasets import random_network
from bnjit.plots.crossings import count_crossings, order_rows
from bnjit.plots.layers import make_layers
from tests.plots.graphs import GRAPHS


def slow_count(rows, down):
    total = 0
    for upper, lower in pairwise(rows):
        arcs = [(i, lower.index(v)) for i, u in enumerate(upper) for v in down[u]]
        total += sum(a[0] < b[0] and a[1] > b[1] for a in arcs for b in arcs)
    return total


def barycentre(layers, sweeps=12):
    rows = [list(row) for row in layers.rows]
    for sweep in range(sweeps):
        near = layers.up if sweep % 2 == 0 else layers.down
        place = {v: i / len(row) for row in rows for i, v in enumerate(row)}
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            row.sort(key=lambda v: sum(place[n] for n in near[v]) / len(near[v]) if near[v] else place[v])
            place.update({v: i / len(row) for i, v in enumerate(row)})
    return rows


@pytest.mark.parametrize("name", GRAPHS)
def test_orders_are_counted_and_not_worse_than_barycentres(name):
    layers = make_layers(GRAPHS[name])
    rows = order_rows(layers)
    assert [sorted(row) for row in rows] == [sorted(row) for row in layers.rows]
    crossings = count_crossings(rows, layers.down)
    assert crossings == slow_count(rows, layers.down)
    assert crossings <= count_crossings(barycentre(layers), layers.down)
    assert rows == order_rows(layers)


@pytest.mark.parametrize("seed", range(5))
def test_few_nodes_have_the_best_order(seed):
    layers = make_layers(random_network("gaussian", 6, parents=1.5, seed=seed).dag)
    best = min(
        slow_count([list(row) for row in rows], layers.down)
        for rows in product(*(list(permutations(row)) for row in layers.rows))
    )
    assert count_crossings(order_rows(layers), layers.down) == best
