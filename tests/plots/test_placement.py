"""Places of nodes: rows in order, boxes apart, the same each time."""

from itertools import combinations, pairwise

import networkx as nx
import pytest

from bnjit.plots.coordinates import place_vertices, separation
from bnjit.plots.crossings import order_rows
from bnjit.plots.layers import make_layers
from bnjit.plots.placement import place_graph
from tests.plots.graphs import GRAPHS, WIDE


@pytest.mark.parametrize("name", GRAPHS)
def test_parents_stand_above_children_and_isolated_nodes_last(name):
    dag = GRAPHS[name]
    place = place_graph(dag).positions
    assert list(place) == list(dag)
    assert all(place[a][1] > place[b][1] for a, b in dag.edges)
    isolated = [place[node][1] for node in dag if dag.degree(node) == 0]
    linked = [place[node][1] for node in dag if dag.degree(node) > 0]
    assert not isolated or not linked or max(isolated) < min(linked)


@pytest.mark.parametrize("width", [float("inf"), 500.0])
@pytest.mark.parametrize("dag", [*GRAPHS.values(), *WIDE.values()], ids=[*GRAPHS, *WIDE])
def test_boxes_are_apart(dag, width):
    placement = place_graph(dag, width)
    for a, b in combinations(placement.positions, 2):
        (x, y), (u, v) = placement.positions[a], placement.positions[b]
        across = abs(x - u) - (placement.sizes[a][0] + placement.sizes[b][0]) / 2
        down = abs(y - v) - (placement.sizes[a][1] + placement.sizes[b][1]) / 2
        assert max(across, down) > 5.0


@pytest.mark.parametrize("name", GRAPHS)
def test_layouts_are_the_same_each_time(name):
    assert place_graph(GRAPHS[name]) == place_graph(GRAPHS[name].copy())


@pytest.mark.parametrize("name", GRAPHS)
def test_neighbours_keep_their_distance(name):
    layers = make_layers(GRAPHS[name])
    layers = layers._replace(rows=order_rows(layers))
    widths = [10.0 + 7.0 * (i % 5) for i in range(len(layers.up))]
    across = place_vertices(layers, widths)
    for row in layers.rows:
        for a, b in pairwise(row):
            assert across[b] - across[a] >= separation(layers, widths, a, b) - 1e-6


def test_a_long_arc_is_straight():
    chain = nx.path_graph(8, create_using=nx.DiGraph)
    chain.add_edge(0, 7)
    placement = place_graph(chain)
    assert len(placement.bends) == 6
    assert len({round(x, 6) for x, _ in placement.bends.values()}) == 1


def test_directed_cycles_have_no_layers():
    with pytest.raises(nx.NetworkXUnfeasible):
        place_graph(nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")]))


@pytest.mark.parametrize("name", WIDE)
def test_a_width_is_kept(name):
    dag = WIDE[name]
    assert place_graph(dag).width() > 800.0 >= place_graph(dag, 800.0).width() - 1e-6
    place = place_graph(dag, 800.0).positions
    assert all(place[a][1] > place[b][1] for a, b in dag.edges)


def test_what_fits_is_not_folded():
    placement = place_graph(GRAPHS["mehra"])
    assert place_graph(GRAPHS["mehra"], placement.width()) == placement
