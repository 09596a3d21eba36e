"""Routes of arcs: curves between rows, straight down past the nodes of a row, so that no arc runs through a box."""

from collections.abc import Hashable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
from matplotlib.path import Path

from bnjit.plots.placement import Placement
from bnjit.plots.tuning import CORNER, CURVED_SHARE, HEAD_LENGTH, PORT_GAP

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform


class Route(NamedTuple):
    """Vertices of a path: a place in the drawing plus an offset in points, which does not grow with the Axes."""

    places: np.ndarray
    offsets: np.ndarray
    codes: np.ndarray

    def path(self, transform: "Transform", points: float) -> Path:
        """Path in pixels; points is the number of pixels in a point."""
        return Path(transform.transform(self.places) + self.offsets * points, self.codes)


class Connection(NamedTuple):
    """A route as matplotlib's arrows ask for it: again for each drawing, as its size may have changed."""

    route: Route
    ax: "Axes"
    scale: float

    def __call__(self, *_: Any, **__: Any) -> Path:
        """Path of the arrow in pixels; the route already accounts for the ends and boxes that matplotlib passes."""
        return self.route.path(self.ax.transData, self.scale * self.ax.figure.dpi / 72.0)


def route_arcs(dag: nx.DiGraph, placement: Placement) -> dict[tuple[Hashable, Hashable], Route]:
    """Routes of all arcs, from the lower border of a box to the upper border of another."""
    chains = {}
    for a, b in dag.edges:
        chain = [placement.positions[a]]
        while (a, b, len(chain) - 1) in placement.bends:
            chain.append(placement.bends[a, b, len(chain) - 1])
        chains[a, b] = [*chain, placement.positions[b]]
    starts, ends = {}, {}
    for node in dag:
        leaving = {(node, child): chains[node, child][1] for child in dag.succ[node]}
        coming = {(parent, node): chains[parent, node][-2] for parent in dag.pred[node]}
        starts.update(_ports(placement, node, leaving, {arc: len(chains[arc]) == 2 for arc in leaving}))
        ends.update(_ports(placement, node, coming, {arc: len(chains[arc]) == 2 for arc in coming}))
    return {
        arc: _route(
            chain,
            placement,
            (starts[arc], -placement.sizes[arc[0]][1] / 2),
            (ends[arc], placement.sizes[arc[1]][1] / 2),
        )
        for arc, chain in chains.items()
    }


def _ports(
    placement: Placement, node: Hashable, towards: dict[Any, tuple[float, float]], direct: dict[Any, bool]
) -> dict[Any, float]:
    """Where arcs meet a side of a box, as distances from its centre, in the order of the places that they lead to."""
    x, room = placement.positions[node][0], max(placement.sizes[node][0] / 2 - CORNER, 0.0)
    # Two boxes meet half way, so that an arc between boxes that overlap along the row is straight. Arcs that lead to
    # the same place are one line.
    wanted = {place: (place[0] - x) * (0.5 if direct[arc] else 1.0) for arc, place in towards.items()}
    places = sorted(wanted)
    gap = min(PORT_GAP, 2 * room / max(len(places) - 1, 1))
    ports = dict(zip(places, spread([wanted[place] for place in places], gap, room), strict=True))
    return {arc: ports[place] for arc, place in towards.items()}


def spread(wanted: list[float], gap: float, room: float) -> list[float]:
    """Nearest places to the wanted ones, in the same order, at least `gap` apart and at most `room` from zero.

    Least squares by pooling neighbours that are too close.

    Examples
    --------
    >>> spread([0.0, 0.0, 9.0], 2.0, 8.0)
    [-1.0, 1.0, 8.0]
    """
    pools: list[tuple[float, int]] = []
    for i, place in enumerate(wanted):
        mean, n = place - i * gap, 1
        while pools and pools[-1][0] > mean:
            other, m = pools.pop()
            mean, n = (mean * n + other * m) / (n + m), n + m
        pools.append((mean, n))
    flat = [mean for mean, n in pools for _ in range(n)]
    most = room - (len(flat) - 1) * gap
    return [min(max(place, -room), most) + i * gap for i, place in enumerate(flat)]


def _route(
    chain: list[tuple[float, float]], placement: Placement, start: tuple[float, float], end: tuple[float, float]
) -> Route:
    """A path through the bends of an arc, from an offset of its first place to an offset of its last."""
    half = placement.row_height / 2
    places, offsets, codes = [chain[0]], [start], [Path.MOVETO]
    last = len(chain) - 1
    for i, ((x, y), (u, v)) in enumerate(pairwise(chain)):
        high, low = y - half, v + half + (HEAD_LENGTH if i + 1 == last else 0.0)
        curved = CURVED_SHARE * (high - low)
        before, after = (start[0] if i == 0 else 0.0), (end[0] if i + 1 == last else 0.0)
        places += [(x, high), (x, high - curved), (u, low + curved), (u, low)]
        offsets += [(before, 0.0), (before, 0.0), (after, 0.0), (after, 0.0)]
        codes += [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    places.append(chain[-1])
    offsets.append(end)
    codes.append(Path.LINETO)
    return Route(np.array(places), np.array(offsets), np.array(codes))
