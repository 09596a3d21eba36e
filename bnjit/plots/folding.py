"""Layered drawings of a given width: rows that hold what has room, and coordinates that stay within the width."""

import math
from collections.abc import Hashable, Mapping
from itertools import accumulate, pairwise

import networkx as nx

from bnjit.plots.layers import Layers
from bnjit.plots.tuning import (
    BEND_WIDTH,
    FOLDED_BEND_GAP,
    FOLDED_REACH,
    FOLDED_ROUNDS,
    FOLDED_SHARE,
    NODE_GAP,
    STRAIGHTNESS,
)


def fold_rows(dag: nx.DiGraph, widths: Mapping[Hashable, float], width: float) -> dict[Hashable, int]:
    """Rows with parents above children, none with more nodes and passing arcs than have room.

    Examples
    --------
    >>> fold_rows(nx.DiGraph([("a", "b"), ("a", "c"), ("a", "d")]), dict.fromkeys("abcd", 60.0), 200.0)
    {'a': 0, 'b': 1, 'c': 1, 'd': 2}
    """
    rows: dict[Hashable, int] = {}
    used: list[float] = []  # width that is taken, of each row
    reach: dict[Hashable, int] = {}  # the row down to which a line leads from each node
    for node in _narrow_order(dag):
        above = [rows[parent] for parent in dag.pred[node]]
        row = max(above) + 1 if above else max(len(used) - FOLDED_REACH, 0)
        while row < len(used) and used[row] > 0 and used[row] + widths[node] > FOLDED_SHARE * width:
            row += 1
        used += [0.0] * (row + 1 - len(used))
        rows[node] = reach[node] = row
        used[row] += widths[node] + NODE_GAP
        for parent in dag.pred[node]:
            for passed in range(reach[parent] + 1, row):
                used[passed] += BEND_WIDTH + FOLDED_BEND_GAP
            reach[parent] = max(reach[parent], row - 1)
    return {node: rows[node] for node in dag}


def _narrow_order(dag: nx.DiGraph) -> list[Hashable]:
    """Nodes, parents before children, in an order in which few nodes at a time wait for children."""
    missing = {node: len(dag.pred[node]) for node in dag}  # parents that have not come yet
    below = {node: len(dag.succ[node]) for node in dag}  # children that have not come yet
    place: dict[Hashable, int] = {}
    ready = {node: None for node in dag if not missing[node]}

    def cost(node: Hashable) -> tuple[int, bool, int, int]:
        waiting = bool(below[node]) - sum(below[parent] == 1 for parent in dag.pred[node])
        next_ready = min((missing[child] for child in dag.succ[node]), default=0)
        latest = max((place[parent] for parent in dag.pred[node]), default=0)
        return waiting, not dag.pred[node], next_ready, -latest

    while ready:
        node = min(ready, key=cost)
        del ready[node]
        place[node] = len(place)
        for parent in dag.pred[node]:
            below[parent] -= 1
        for child in dag.succ[node]:
            missing[child] -= 1
            if not missing[child]:
                ready[child] = None
    return list(place)


def place_within(layers: Layers, widths: list[float], width: float) -> list[float]:
    """Coordinate of each vertex along its row, from 0 to the width, or to what the fullest row needs.

    Vertices move to the mean of their neighbours, row by row, as far as those beside them let them.
    """
    gaps = [_gaps(layers, row, widths, width) for row in layers.rows]
    width = max([width, *(sum(widths[v] for v in row) + sum(gap) for row, gap in zip(layers.rows, gaps, strict=True))])
    across = [0.0] * len(widths)
    offsets = []  # of the vertices of each row where they stand as far left as they can
    for row, gap in zip(layers.rows, gaps, strict=True):
        apart = [(widths[a] + widths[b]) / 2 + g for (a, b), g in zip(pairwise(row), gap, strict=True)]
        offsets.append(list(accumulate(apart, initial=widths[row[0]] / 2)))
        spare = width - offsets[-1][-1] - widths[row[-1]] / 2
        for i, vertex in enumerate(row):
            across[vertex] = offsets[-1][i] + spare * (i + 0.5) / len(row)
    pulls = [_pulls(layers, vertex) for vertex in range(len(widths))]
    for turn in range(FOLDED_ROUNDS):
        for row, offset in list(zip(layers.rows, offsets, strict=True))[:: (-1) ** turn]:
            weights = [sum(pulls[vertex].values()) for vertex in row]
            means = [sum(across[n] * w for n, w in pulls[v].items()) / t for v, t in zip(row, weights, strict=True)]
            fit = _increasing_fit([mean - o for mean, o in zip(means, offset, strict=True)], weights)
            spare = width - offset[-1] - widths[row[-1]] / 2
            for vertex, o, x in zip(row, offset, fit, strict=True):
                across[vertex] = min(max(x, 0.0), spare) + o
    _straighten(layers, across, offsets)
    return across


def _straighten(layers: Layers, across: list[float], offsets: list[list[float]]) -> None:
    """Put the bends of a line below each other wherever their neighbours in the rows leave room for it."""
    beside: dict[int, tuple[int | None, int | None]] = {}
    at: dict[int, float] = {}
    for row, offset in zip(layers.rows, offsets, strict=True):
        at.update(zip(row, offset, strict=True))
        for left, vertex, right in zip([None, *row], row, [*row[1:], None], strict=False):
            beside[vertex] = (left, right)

    def align(run: list[int], low: float, high: float) -> None:
        x = min(max(sum(across[v] for v in run) / len(run), low), high)
        for v in run:
            across[v] = x

    lines = list({tuple(chain): None for chain in layers.bends.values() if len(chain) > 1})
    for line in lines * 3:
        run: list[int] = []
        low, high = -math.inf, math.inf
        for vertex in line:
            left, right = beside[vertex]
            # A bend at the border of the drawing does not move further out.
            least = across[vertex] if left is None else across[left] + at[vertex] - at[left]
            most = across[vertex] if right is None else across[right] + at[vertex] - at[right]
            if run and max(low, least) > min(high, most):
                align(run, low, high)
                run, low, high = [], -math.inf, math.inf
            run.append(vertex)
            low, high = max(low, least), min(high, most)
        align(run, low, high)


def _gaps(layers: Layers, row: list[int], widths: list[float], width: float) -> list[float]:
    """Gaps between the neighbours of a row; those beside passing arcs get smaller where the row is too full."""
    passing = [layers.is_bend(a) or layers.is_bend(b) for a, b in pairwise(row)]
    room = width - sum(widths[v] for v in row) - NODE_GAP * passing.count(False)
    gap = min(max(room / max(sum(passing), 1), FOLDED_BEND_GAP / 2), FOLDED_BEND_GAP)
    return [gap if p else NODE_GAP for p in passing]


def _pulls(layers: Layers, vertex: int) -> dict[int, float]:
    """Neighbours that pull a vertex, and how much; itself, if there are none."""
    bend = layers.is_bend(vertex)
    near = layers.up[vertex] + layers.down[vertex]
    return {n: STRAIGHTNESS ** (bend + layers.is_bend(n)) for n in near} or {vertex: 1.0}


def _increasing_fit(values: list[float], weights: list[float]) -> list[float]:
    """Increasing numbers that are nearest to the values by weighted least squares.

    Examples
    --------
    >>> _increasing_fit([1.0, 5.0, 3.0, 9.0], [1.0, 1.0, 1.0, 1.0])
    [1.0, 4.0, 4.0, 9.0]
    """
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        mean, total, n = value, weight, 1
        while pools and pools[-1][0] > mean:
            other, more, m = pools.pop()
            mean, total, n = (mean * total + other * more) / (total + more), total + more, n + m
        pools.append((mean, total, n))
    return [mean for mean, _, n in pools for _ in range(n)]
