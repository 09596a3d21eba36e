"""What is kept of a graph is enough to fit it: the parameters are those that the rows give."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.data.schema import Schema
from bnjit.graph import parent_sets
from bnjit.network.fit import fit_network
from bnjit.stats import Store
from bnjit.stats.files import pack, unpack
from bnjit.stats.graph_statistics import GraphStatistics, collect_graph, family_request, node_regressions
from bnjit.stats.opening import make_store
from bnjit.stats.readers.saved import SavedReader
from tests.golden.tables import TABLES
from tests.stats.forms import in_chunks
from tests.stats.rows import collect, mixed_rows

GRAPHS = {
    "discrete": "[A][C][B|A][D|A:C][E|B:D][F|C:E]",
    "gaussian": "[A][B][C|A:B][D|C][E|A][F|D:E][G|F]",
    "cgaussian": "[A][C][B|A][D|C][X|A][W|D][Y|X:B:C][Z|X:Y:A]",
}


def assert_same_parameters(ours, theirs, rtol=1e-9):
    """Assert that two networks have the same parameters, and the same probability of rows."""
    assert list(ours.dag) == list(theirs.dag)
    for node in theirs.dag:
        pd.testing.assert_frame_equal(ours.parameters(node), theirs.parameters(node), rtol=rtol)


def stores_of(frame):
    """The same rows in memory and in chunks."""
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    yield make_store(read_table(frame))
    yield make_store(in_chunks(lambda: arrow.to_batches(max_chunksize=70), 90))


def fitted_without_rows(store, graph, prior_rows=0.0):
    """Fit from what is kept of a graph, as it is and after it was written and read."""
    parents = parent_sets(graph, store.schema.names, store.schema.discrete)
    kept = collect_graph(store, parents)
    again = GraphStatistics(*unpack(*pack(*kept)))
    return [fit_network(Store(SavedReader(one)), parents, prior_rows) for one in (kept, again)]


@pytest.mark.parametrize("prior_rows", [0.0, 2.5])
@pytest.mark.parametrize("kind", GRAPHS)
def test_parameters_are_those_of_the_rows(kind, prior_rows):
    frame = TABLES[kind]()
    expected = bnjit.fit(GRAPHS[kind], frame, prior_rows=prior_rows)
    for store in stores_of(frame):
        for network in fitted_without_rows(store, GRAPHS[kind], prior_rows):
            assert_same_parameters(network, expected)


def doubtful_frame(cells_of_y, cells_of_z, spread=1e-7):
    """Two nodes that their parents all but say, in some cells of one discrete column."""
    rng = np.random.default_rng(0)
    n = 600
    g = rng.integers(0, 3, n)
    x, u, e, f = rng.normal(size=(4, n))
    y = 3 * x + np.where(np.isin(g, cells_of_y), spread, 1.0) * e
    z = 2 * u + np.where(np.isin(g, cells_of_z), spread, 1.0) * f
    return pd.DataFrame({"g": np.array(list("abc"))[g], "x": x, "u": u, "y": y, "z": z})


BOTH = "[g][x][u][y|g:x][z|g:u]"


@pytest.mark.parametrize("prior_rows", [0.0, 2.0])
@pytest.mark.parametrize(
    ("cells_of_y", "cells_of_z", "graph"),
    [
        ([1], [], BOTH),
        ([1], [1], BOTH),
        ([0, 1], [1], BOTH),
        ([0, 1, 2], [0, 1, 2], BOTH),
        ([0, 1, 2], [0, 1, 2], "[g][x][u][y|x][z|u]"),
        ([0, 1, 2], [], "[g][x][u][y|x][z|g:x:y]"),
    ],
)
def test_doubtful_regressions(cells_of_y, cells_of_z, graph, prior_rows):
    frame = doubtful_frame(cells_of_y, cells_of_z)
    expected = bnjit.fit(graph, frame, prior_rows=prior_rows)
    for store in stores_of(frame):
        for network in fitted_without_rows(store, graph, prior_rows):
            assert_same_parameters(network, expected, rtol=1e-6)


@pytest.mark.parametrize(("cells_of_y", "cells_of_z"), [([1], [2]), ([0, 1], [1, 2])])
def test_doubtful_regressions_in_other_cells_of_the_same_variables(cells_of_y, cells_of_z):
    frame = doubtful_frame(cells_of_y, cells_of_z)
    expected = bnjit.fit(BOTH, frame)
    for store in stores_of(frame):
        for network in fitted_without_rows(store, BOTH):
            assert_same_parameters(network, expected, rtol=1e-6)


def test_results_are_fitted_from_what_they_keep():
    frame = doubtful_frame([1], [])
    result = bnjit.learn(frame)
    assert_same_parameters(result.fit(), bnjit.fit(result.dag, frame), rtol=1e-6)


def test_nothing_is_kept_beyond_the_families():
    frame = TABLES["cgaussian"]()
    store = make_store(read_table(frame))
    parents = parent_sets(GRAPHS["cgaussian"], store.schema.names, store.schema.discrete)
    kept = collect_graph(store, parents)
    assert kept.triangles == []
    assert kept.tables[0].variables == ()
    names = [tuple(store.schema.names[v] for v in (*cells.variables, *cells.columns)) for cells in kept.tables[1:]]
    assert sorted(map(sorted, names)) == sorted(
        map(sorted, [("A", "X", "Y", "Z"), ("C",), ("A", "B"), ("C", "D"), ("D", "W"), ("B", "C", "X", "Y")])
    )
    assert type(kept.schema) is Schema


def test_what_a_node_is_fitted_from():
    table = mixed_rows(50)
    assert family_request(table, 0, (1,)) == ((0, 1), ())
    assert family_request(table, 3, (0, 2, 5)) == ((0,), (2, 3, 5))
    cells = collect(table, (0,), (2, 3))
    own, everything = node_regressions(table, 3, (0, 2), cells)
    assert (own.node, own.parents, own.columns()) == (3, (2,), (2, 3))
    assert own.cells is cells
    assert (everything.parents, everything.cells.variables, everything.cells.counts.tolist()) == ((2,), (), [50])
    few = mixed_rows(2)
    assert node_regressions(few, 3, (2,), collect(few, (), (2, 3)))[1].parents == ()
