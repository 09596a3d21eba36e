"""Folded rows: parents above children, within the width, vertices apart, shared lines."""

from itertools import pairwise

import numpy as np
import pytest

from bnjit.plots.crossings import order_rows
from bnjit.plots.folding import _increasing_fit, fold_rows, place_within
from bnjit.plots.layers import make_layers
from bnjit.plots.tuning import NODE_GAP
from tests.plots.graphs import GRAPHS, WIDE

DAGS = {**GRAPHS, **WIDE}


@pytest.mark.parametrize("name", DAGS)
def test_rows_hold_what_has_room(name):
    dag = DAGS[name]
    widths = {node: 30.0 + i % 7 for i, node in enumerate(dag)}
    row = fold_rows(dag, widths, 300.0)
    assert list(row) == list(dag)
    assert all(row[a] < row[b] for a, b in dag.edges)
    for r in set(row.values()):
        inside = [widths[node] + NODE_GAP for node in dag if row[node] == r]
        assert sum(inside) - NODE_GAP <= 300.0 or len(inside) == 1
    assert set(row.values()) == set(range(max(row.values(), default=-1) + 1))


@pytest.mark.parametrize("name", DAGS)
def test_arcs_of_a_style_share_their_bends(name):
    dag = DAGS[name]
    number = fold_rows(dag, dict.fromkeys(dag, 50.0), 300.0)
    styles = {(a, b): i % 2 for i, (a, b) in enumerate(dag.edges)}
    layers = make_layers(dag, number, styles)
    nodes = list(dag)
    owners = {}
    for (a, b), chain in layers.bends.items():
        assert len(chain) == number[nodes[b]] - number[nodes[a]] - 1
        for bend in chain:
            owners.setdefault(bend, set()).add((a, styles[nodes[a], nodes[b]]))
    assert all(len(owner) == 1 for owner in owners.values())
    per_row = [(next(iter(owners[v])), r) for r, row in enumerate(layers.rows) for v in row if layers.is_bend(v)]
    assert len(per_row) == len(set(per_row))


@pytest.mark.parametrize("name", DAGS)
def test_vertices_are_apart_and_within_the_width(name):
    dag = DAGS[name]
    layers = make_layers(dag, fold_rows(dag, dict.fromkeys(dag, 40.0), 600.0), dict.fromkeys(dag.edges))
    layers = layers._replace(rows=order_rows(layers))
    widths = [40.0] * len(dag) + [3.0] * (len(layers.up) - len(dag))
    across = place_within(layers, widths, 600.0)
    for row in layers.rows:
        for a, b in pairwise(row):
            gap = across[b] - across[a] - (widths[a] + widths[b]) / 2
            assert gap >= (3.0 if layers.is_bend(a) or layers.is_bend(b) else NODE_GAP) - 1e-6
    assert all(x - w / 2 >= -1e-6 and x + w / 2 <= 600.0 + 1e-6 for x, w in zip(across, widths, strict=True))


def test_increasing_fit_is_the_nearest():
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, weights = rng.normal(size=6), rng.uniform(0.5, 3.0, 6)
        fit = np.array(_increasing_fit(values.tolist(), weights.tolist()))
        assert np.all(np.diff(fit) >= 0)
        loss = np.sum(weights * (fit - values) ** 2)
        for _ in range(200):
            other = np.sort(fit + rng.normal(scale=0.2, size=6))
            assert loss <= np.sum(weights * (other - values) ** 2) + 1e-12
