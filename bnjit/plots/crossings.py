"""Orders of the rows of a layered drawing in which few arcs cross."""

from bisect import bisect_left, bisect_right, insort
from itertools import pairwise
from random import Random

from bnjit.plots.layers import Layers
from bnjit.plots.tuning import MOST_ARC_VISITS, MOST_ARCS_TO_EXCHANGE, PATIENCE, STARTS, SWEEPS

Rows = list[list[int]]


def count_crossings(rows: Rows, down: list[list[int]]) -> int:
    """How many pairs of arcs between neighbouring rows cross.

    Examples
    --------
    >>> count_crossings([[0, 1], [2, 3]], [[3], [2], [], []])
    1
    """
    total = 0
    for upper, lower in pairwise(rows):
        place = {vertex: i for i, vertex in enumerate(lower)}
        seen: list[int] = []
        for vertex in upper:
            ends = [place[below] for below in down[vertex]]
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def order_rows(layers: Layers) -> Rows:
    """Order the rows by sweeps from several starting orders, and return the order with the fewest crossings."""
    arcs = sum(map(len, layers.down))
    starts = min(max(1, MOST_ARC_VISITS // (SWEEPS * (arcs + 1))), STARTS)
    sweeps = min(max(2, 4 * MOST_ARC_VISITS // (arcs + 1)), SWEEPS)
    random = Random(1)
    best, fewest = layers.rows, count_crossings(layers.rows, layers.down)
    for start in range(starts):
        rows = _depth_first_order(layers) if start == 0 else [random.sample(row, len(row)) for row in layers.rows]
        rows, crossings = _sweep(layers, rows, sweeps, exchange=arcs <= MOST_ARCS_TO_EXCHANGE)
        if crossings < fewest:
            best, fewest = rows, crossings
        if fewest == 0:
            break
    return best


def _depth_first_order(layers: Layers) -> Rows:
    """Rows in the order of a depth-first search, so that connected vertices stand together."""
    met: dict[int, None] = {}
    stack = [vertex for row in layers.rows[::-1] for vertex in row[::-1]]
    while stack:
        vertex = stack.pop()
        if vertex not in met:
            met[vertex] = None
            stack += [n for n in (layers.up[vertex] + layers.down[vertex])[::-1] if n not in met]
    rank = {vertex: i for i, vertex in enumerate(met)}
    return [sorted(row, key=rank.__getitem__) for row in layers.rows]


def _sweep(layers: Layers, rows: Rows, sweeps: int, *, exchange: bool) -> tuple[Rows, int]:
    """Order each row by its neighbour, down and up in turn; return the best order found, and its crossings."""
    best, fewest, sweeps_without_gain = rows, count_crossings(rows, layers.down), 0
    for sweep in range(sweeps):
        neighbours = layers.up if sweep % 2 == 0 else layers.down
        centre = _mean if sweep // 2 % 2 == 0 else _median
        rows = [list(row) for row in rows]
        inwards = range(1, len(rows)) if sweep % 2 == 0 else range(len(rows) - 2, -1, -1)
        for r in inwards:
            fixed = rows[r - 1] if sweep % 2 == 0 else rows[r + 1]
            place = {vertex: i for i, vertex in enumerate(fixed)}
            target = {v: centre(sorted(place[n] for n in neighbours[v])) for v in rows[r] if neighbours[v]}
            # Vertices without neighbours keep their places; ties keep their order, or change it in later sweeps.
            moving = iter(sorted((v for v in rows[r][:: (-1) ** (sweep // 4)] if v in target), key=target.__getitem__))
            rows[r] = [next(moving) if v in target else v for v in rows[r]]
        if exchange:
            _exchange_neighbours(layers, rows)
        crossings = count_crossings(rows, layers.down)
        sweeps_without_gain += 1
        if crossings < fewest:
            best, fewest, sweeps_without_gain = rows, crossings, 0
        if fewest == 0 or sweeps_without_gain >= PATIENCE:
            break
    return best, fewest


def _mean(places: list[int]) -> float:
    return sum(places) / len(places)


def _median(places: list[int]) -> float:
    return (places[(len(places) - 1) // 2] + places[len(places) // 2]) / 2


def _exchange_neighbours(layers: Layers, rows: Rows) -> None:
    """Exchange neighbours in a row while that removes crossings."""
    place = {vertex: i for row in rows for i, vertex in enumerate(row)}
    for _ in range(SWEEPS):
        better = False
        for row in rows:
            ends = {v: [sorted(place[n] for n in side[v]) for side in (layers.up, layers.down)] for v in row}
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                if _crossings_of(ends[b], ends[a]) < _crossings_of(ends[a], ends[b]):
                    row[i], row[i + 1] = b, a
                    place[a], place[b] = i + 1, i
                    better = True
        if not better:
            break


def _crossings_of(left: list[list[int]], right: list[list[int]]) -> int:
    """Crossings between the arcs of two neighbours, given the places of their ends above and below."""
    return sum(bisect_left(r, end) for a, r in zip(left, right, strict=True) for end in a)
