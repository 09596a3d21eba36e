"""Coordinates along the rows: long arcs straight, nodes near the middle of their neighbours, boxes apart.

After U. Brandes and B. Köpf, "Fast and simple horizontal coordinate assignment" (2001): vertices are aligned with
their median neighbours from each of the four corners, each alignment is packed, and the four are averaged.
"""

from bisect import bisect_left
from itertools import pairwise

from bnjit.plots.layers import Layers
from bnjit.plots.tuning import BEND_GAP, NODE_GAP, RELAXING_ROUNDS


def place_vertices(layers: Layers, widths: list[float]) -> list[float]:
    """Coordinate of each vertex along its row; rows are in their final order, widths are those of the vertices."""
    if not widths:
        return []
    crossed = _crossed_arcs(layers)
    packed = []
    for flip in (1, -1):
        for mirror in (1, -1):
            rows = [row[::mirror] for row in layers.rows[::flip]]
            above = layers.up if flip == 1 else layers.down
            root = _align(rows, above, crossed)
            across = _pack(rows, root, widths, layers)
            packed.append([mirror * x for x in across])
    narrowest = min(packed, key=lambda xs: max(xs) - min(xs))
    aligned = []
    for i, xs in enumerate(packed):
        side = min if i % 2 == 0 else max
        shift = side(narrowest) - side(xs)
        aligned.append([x + shift for x in xs])
    middle = [sum(sorted(xs)[1:3]) / 2 for xs in zip(*aligned, strict=True)]
    return _relax(layers, widths, middle)


def separation(layers: Layers, widths: list[float], a: int, b: int) -> float:
    """Least distance between the centres of two neighbours in a row."""
    gap = BEND_GAP if layers.is_bend(a) or layers.is_bend(b) else NODE_GAP
    return (widths[a] + widths[b]) / 2 + gap


def _crossed_arcs(layers: Layers) -> set[tuple[int, int]]:
    """Arcs that cross the inner part of a long arc, which has to stay straight."""
    crossed = set()
    for upper, lower in pairwise(layers.rows):
        place = {vertex: i for i, vertex in enumerate(lower)}
        inner = [(u, v) for u in upper if layers.is_bend(u) for v in layers.down[u] if layers.is_bend(v)]
        kept = _increasing([place[v] for _, v in inner])
        straight = {inner[k] for k in kept}
        straight_ends = [place[inner[k][1]] for k in kept]
        straight_starts = {inner[k][0] for k in kept}
        passed = 0
        for u in upper:
            for v in layers.down[u]:
                if (u, v) not in straight and bisect_left(straight_ends, place[v]) != passed:
                    crossed |= {(u, v), (v, u)}
            passed += u in straight_starts
    return crossed


def _increasing(values: list[int]) -> list[int]:
    """Indices of a longest increasing subsequence of distinct values.

    Examples
    --------
    >>> _increasing([5, 1, 4, 2, 3])
    [1, 3, 4]
    """
    ends: list[int] = []
    last: list[int] = []
    before = []
    for i, value in enumerate(values):
        at = bisect_left(ends, value)
        ends[at:] = [value, *ends[at + 1 :]]
        last[at:] = [i, *last[at + 1 :]]
        before.append(last[at - 1] if at else -1)
    found = []
    i = last[-1] if last else -1
    while i >= 0:
        found.append(i)
        i = before[i]
    return found[::-1]


def _align(rows: list[list[int]], above: list[list[int]], crossed: set[tuple[int, int]]) -> dict[int, int]:
    """Root of each vertex: vertices with the same root stand below each other."""
    root = {vertex: vertex for row in rows for vertex in row}
    for upper, lower in pairwise(rows):
        place = {vertex: i for i, vertex in enumerate(upper)}
        free = 0
        for v in lower:
            near = sorted(above[v], key=place.__getitem__)
            for u in near[(len(near) - 1) // 2 : len(near) // 2 + 1]:
                if place[u] >= free and (u, v) not in crossed:
                    root[v] = root[u]
                    free = place[u] + 1
                    break
    return root


def _pack(rows: list[list[int]], root: dict[int, int], widths: list[float], layers: Layers) -> list[float]:
    """Coordinates with aligned vertices below each other: as far left as possible, then moved right into free room."""
    left: dict[int, dict[int, float]] = {r: {} for r in root.values()}
    right: dict[int, dict[int, float]] = {r: {} for r in root.values()}
    for row in rows:
        for a, b in pairwise(row):
            gap = max(separation(layers, widths, a, b), left[root[b]].get(root[a], 0.0))
            left[root[b]][root[a]] = right[root[a]][root[b]] = gap
    waiting = {r: len(left[r]) for r in left}
    order = [r for r in left if not waiting[r]]
    for r in order:
        for s in right[r]:
            waiting[s] -= 1
            if not waiting[s]:
                order.append(s)
    across: dict[int, float] = {}
    for r in order:
        across[r] = max((across[s] + gap for s, gap in left[r].items()), default=0.0)
    for r in order[::-1]:
        across[r] = min((across[s] - gap for s, gap in right[r].items()), default=across[r])
    return [across[root[vertex]] for vertex in range(len(root))]


def _relax(layers: Layers, widths: list[float], start: list[float]) -> list[float]:
    """Move nodes, and straight runs of bends, towards the middle of their neighbours as far as there is room."""
    across = list(start)
    beside: dict[int, tuple[int | None, int | None]] = {}
    for row in layers.rows:
        for left, vertex, right in zip([None, *row], row, [*row[1:], None], strict=False):
            beside[vertex] = (left, right)
    runs = [[node] for node in range(layers.n_nodes)] + [
        run for chain in layers.bends.values() for run in _runs(chain, across)
    ]
    for _ in range(RELAXING_ROUNDS):
        for run in runs:
            low, high = float("-inf"), float("inf")
            for vertex in run:
                left, right = beside[vertex]
                if left is not None:
                    low = max(low, across[left] + separation(layers, widths, left, vertex))
                if right is not None:
                    high = min(high, across[right] - separation(layers, widths, vertex, right))
            near = [across[n] for n in layers.up[run[0]] + layers.down[run[-1]]] or [across[run[0]]]
            x = min(max(sum(near) / len(near), low), high)
            for vertex in run:
                across[vertex] = x
    return across


def _runs(chain: list[int], across: list[float]) -> list[list[int]]:
    """Split the bends of an arc into runs that stand below each other."""
    runs: list[list[int]] = []
    for vertex in chain:
        if runs and abs(across[runs[-1][-1]] - across[vertex]) < 1e-6:
            runs[-1].append(vertex)
        else:
            runs.append([vertex])
    return runs
