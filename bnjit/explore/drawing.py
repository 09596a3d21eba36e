"""Where the boxes and arcs of a page are: the layered drawing of `bnjit.plots`, as numbers and SVG paths."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from bnjit.explore.details import as_text, rounded
from bnjit.explore.tuning import NAME_LETTERS, NAME_LINES, WIDEST
from bnjit.plots.labels import wrap_label
from bnjit.plots.pictures import node_class
from bnjit.plots.placement import Placement, place_graph
from bnjit.plots.routes import Route, route_arcs


@dataclass(frozen=True)
class Box:
    """A node as it is placed: by its position, with its name in lines."""

    position: int
    label: str = field(compare=False)

    def __str__(self) -> str:
        return self.label


def draw_boxes(dag: nx.DiGraph) -> dict[str, Any]:
    """Nodes with their places and neighbours, arcs with their paths, and the frame around all of them.

    Examples
    --------
    >>> drawn = draw_boxes(nx.DiGraph([("rain", "wet")]))
    >>> [node["name"] for node in drawn["nodes"]], drawn["nodes"][1]["parents"]
    (['rain', 'wet'], [0])
    >>> drawn["arcs"][0]["path"].startswith("M")
    True
    """
    names = list(dag)
    at = {name: i for i, name in enumerate(names)}
    boxes = [Box(i, wrap_label(" ".join(as_text(name).split()), NAME_LETTERS, NAME_LINES)) for name, i in at.items()]
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(boxes)
    graph.add_edges_from((boxes[at[a]], boxes[at[b]]) for a, b in dag.edges)
    placement = place_graph(graph, WIDEST)
    left, right, bottom, top = placement.frame()
    routes = route_arcs(graph, placement)
    return {
        "nodes": [_node(dag, name, at, boxes[i], placement) for i, name in enumerate(names)],
        "arcs": [
            {"from": at[a], "to": at[b], "path": svg_path(routes[boxes[at[a]], boxes[at[b]]])} for a, b in dag.edges
        ],
        "frame": rounded([left, -top, right - left, top - bottom]),
    }


def _node(dag: nx.DiGraph, name: Hashable, at: dict[Hashable, int], box: Box, placement: Placement) -> dict[str, Any]:
    (x, y), (width, height) = placement.positions[box], placement.sizes[box]
    return {
        "name": as_text(name), "lines": placement.labels[box].split("\n"), "class": node_class(dag, name),
        "place": [round(value, 1) for value in (x, -y, width, height)],
        "parents": sorted(at[parent] for parent in dag.pred[name]),
        "children": sorted(at[child] for child in dag.succ[name]),
    }  # fmt: skip


def svg_path(route: Route) -> str:
    """Path of an arc; y points down in SVG."""
    points = [f"{x:.1f} {-y:.1f}" for x, y in route.places + route.offsets]
    commands, before = [], None
    for code, point in zip(route.codes, points, strict=True):
        command = {1: "M", 2: "L", 4: "C"}[int(code)]
        # A curve has three points, and one after it may be another.
        commands.append(f" {point}" if command == before == "C" else f"{command}{point}")
        before = command
    return "".join(commands)
