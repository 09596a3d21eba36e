"""Rows that come in chunks give what the same rows give in memory, however they are cut."""

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.stats import TriangleRequest
from bnjit.stats.readers import read_all
from bnjit.stats.readers.chunked import ChunkedReader
from bnjit.stats.requests import Plan
from bnjit.stats.triangles import nbytes_of
from bnjit.stats.tuning import AHEAD_PART, CHUNKED_CELLS_PART
from tests.comparison import assert_same_search
from tests.stats.forms import FORMS, as_folder, as_ipc, as_parquet, in_chunks, mixed_arrow
from tests.stats.readers.by_numpy import assert_cells_by_numpy, assert_triangles_by_numpy, rows_in


@pytest.fixture(scope="module")
def mixed():
    return mixed_arrow()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [1, 7, 150, 1000])
def test_learning_is_the_same_from_every_form(mixed, tmp_path, form, rows):
    if rows == 1 and form != "folder":
        mixed = mixed.slice(0, 80)
    expected = bnjit.learn(mixed, discrete=["dose"])
    data = FORMS[form](mixed, tmp_path / form)
    result = bnjit.learn(in_chunks(data, rows, ["dose"]))
    assert_same_search(result, expected)
    assert expected.passes == 0
    assert result.passes >= 3
    assert result.bytes_read > 0


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (None, {"score": "pred", "seed": 4}),
        (None, {"algorithm": "tabu", "score": "aic"}),
        (None, {"algorithm": "boss"}),
        (["place", "hot", "kind"], {"algorithm": "ges", "score": "bde"}),
        (["place", "hot", "kind"], {"algorithm": "ges", "score": "qnml"}),
        (["place", "hot", "kind", "dose"], {"score": "fnml", "discrete": ["dose"]}),
        (["x", "y", "z"], {"algorithm": "ges"}),
        (["place", "hot", "kind", "dose"], {"algorithm": "boss", "discrete": ["dose"]}),
        (None, {"algorithm": bnjit.HillClimbing(restarts=2, perturb=3), "seed": 1, "max_parents": 2}),
        (["x", "y", "z"], {"score": "bge"}),
        (["x", "y", "z"], {"score": "bic"}),
        (["place", "hot", "kind", "dose"], {"score": "bde", "discrete": ["dose"]}),
        (["place", "hot", "kind", "dose"], {"score": "ebic", "discrete": ["dose"], "start": [("hot", "kind")]}),
    ],
)
def test_scores_and_algorithms(mixed, tmp_path, columns, options):
    table = mixed if columns is None else mixed.select(columns)
    expected = bnjit.learn(table, **options)
    source = in_chunks(as_folder(table, tmp_path / "folder"), 90, options.get("discrete", ()))
    assert_same_search(bnjit.learn(source, **options), expected)


def test_score_and_fit(mixed, tmp_path):
    arcs = [("place", "x"), ("x", "y"), ("hot", "y"), ("hot", "kind"), ("y", "z"), ("x", "z"), ("place", "z")]
    path = as_parquet(mixed, tmp_path / "files")
    for score in ("bic", "pred"):
        ours = bnjit.score(arcs, in_chunks(path, 61), score, by_node=True)
        pd.testing.assert_series_equal(ours, bnjit.score(arcs, mixed, score, by_node=True), rtol=1e-12)
    for prior in (0.0, 2.0):
        ours = bnjit.fit(arcs, in_chunks(path, 61), prior_rows=prior)
        theirs = bnjit.fit(arcs, mixed, prior_rows=prior)
        for node in mixed.column_names:
            pd.testing.assert_frame_equal(ours.parameters(node), theirs.parameters(node), rtol=1e-10)
    result = bnjit.learn(in_chunks(path, 61))
    whole = bnjit.learn(mixed)
    pd.testing.assert_frame_equal(result.fit().parameters("z"), whole.fit().parameters("z"), rtol=1e-10)


def test_test_data_in_chunks(mixed, tmp_path):
    train, test = mixed.slice(0, 300), mixed.slice(300)
    expected = bnjit.learn(train, score=bnjit.HeldOut(test))
    first, other = as_parquet(train, tmp_path / "a"), as_ipc(test.select(test.column_names[::-1]), tmp_path / "b")
    assert_same_search(bnjit.learn(in_chunks(first, 70), score=bnjit.HeldOut(in_chunks(other, 70))), expected)


def test_threads_change_nothing(mixed, tmp_path):
    path = as_parquet(mixed, tmp_path / "files")
    one, two = (bnjit.learn(in_chunks(path, 100), n_threads=n) for n in (1, 2))
    assert one.score == two.score
    assert nx.utils.graphs_equal(one.dag, two.dag)


def test_cuts_of_files_change_nothing(mixed, tmp_path):
    scores = {bnjit.learn(in_chunks(FORMS[form](mixed, tmp_path / form), 100)).score for form in FORMS}
    assert len(scores) == 1


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
@pytest.mark.parametrize("brings_rows", [True, False])
@pytest.mark.parametrize("spread", [1e-7, 1e-5])
def test_doubtful_fits(tmp_path, spread, brings_rows):
    """Columns that others all but say, in all cells or in some, are fitted again from rows brought to memory.

    Where rows may not be brought there, they are fitted from triangles.
    """
    rng = np.random.default_rng(5)
    n = 600
    group = rng.integers(0, 3, n)
    x, u = rng.normal(size=n), rng.normal(size=n)
    y = 3 * x + np.where(group == 1, spread, 1.0) * rng.normal(size=n)
    z = x + u + spread * rng.normal(size=n)
    table = pa.table({"g": pa.array(np.array(list("abc"))[group]), "x": x, "u": u, "y": y, "z": z})
    path = as_parquet(table, tmp_path / "files")
    arcs = [("g", "y"), ("x", "y"), ("x", "z"), ("u", "z")]

    def source():
        root = in_chunks(path, 130)
        root.brings_rows = brings_rows
        return root

    for score in ("bic", "pred"):
        ours = bnjit.score(arcs, source(), score, by_node=True)
        pd.testing.assert_series_equal(ours, bnjit.score(arcs, table, score, by_node=True), rtol=1e-8)
        assert_same_search(bnjit.learn(source(), score), bnjit.learn(table, score), rel=1e-8)
    ours, theirs = bnjit.fit(arcs, source()), bnjit.fit(arcs, table)
    for node in ("y", "z"):
        pd.testing.assert_frame_equal(ours.parameters(node), theirs.parameters(node), rtol=1e-6)


def wide_source(n=200):
    """Four discrete columns and two continuous ones in chunks, and the rows."""
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 4, n).astype(str) for name in "abcd"}
    arrow = pa.table({**columns, "x": rng.normal(size=n), "y": rng.normal(size=n)})
    return in_chunks(arrow.to_batches, 50), read_table(arrow)


def cells_to_fit(rows, variables, keys):
    return TriangleRequest(variables, np.array(keys), (4, 5), rows_in(rows, variables, keys))


def test_rows_in_memory_serve_their_cells_and_smaller_ones():
    """Rows of a cell are brought to memory once; cells inside it, and triangles as one, need no pass."""
    source, rows = wide_source()
    reader = ChunkedReader(source, 1 << 24)
    before = source.root.passes
    for variables, keys in (((0,), [0, 1]), ((0, 2), [0, 1, 5]), ((0, 1, 3), [2, 7]), ((0,), [1])):
        for as_one in (False, True):
            request = cells_to_fit(rows, variables, keys)._replace(as_one=as_one)
            ((_, _, (found,)),) = reader.read([(reader, Plan(triangles=[request]))])
            assert_triangles_by_numpy(found, rows, request)
    assert source.root.passes == before + 1


def test_many_rows_are_not_brought_to_memory():
    source, rows = wide_source()
    reader = ChunkedReader(source, 1 << 24, rows_memory=100)
    before = source.root.passes
    for _ in range(2):
        request = cells_to_fit(rows, (0,), [0, 1])
        ((_, _, (found,)),) = reader.read([(reader, Plan(triangles=[request]))])
        assert_triangles_by_numpy(found, rows, request)
    assert source.root.passes == before + 2


@pytest.mark.parametrize("fit", [2, 3, 4])
def test_all_cells_are_made_while_they_fit_together(fit):
    """Where there are many sets, those that do not fit in what is read ahead stay as they are asked for."""
    source, rows = wide_source()
    requests = [cells_to_fit(rows, (v,), [0, 1]) for v in range(4)]
    memory = fit * nbytes_of(4, 2) * AHEAD_PART * CHUNKED_CELLS_PART
    reader = ChunkedReader(source, memory, rows_memory=0)
    plan = Plan(triangles=requests, keys={(v,): np.arange(4) for v in range(4)})
    ((_, _, made),) = reader.read([(reader, plan)])
    assert [len(found.keys) for found in made] == [4] * fit + [2] * (4 - fit)
    for request, found in zip(requests, made, strict=True):
        assert_triangles_by_numpy(found.take(request.keys), rows, request)


def test_rows_that_others_push_out_of_memory():
    """Rows are in memory for one request, and those brought there for two others leave no room for them."""
    source, rows = wide_source()
    requests = [cells_to_fit(rows, (0, 1), [0, 1]), cells_to_fit(rows, (2,), [0, 1]), cells_to_fit(rows, (3,), [0, 1])]
    first = cells_to_fit(rows, (0,), [0, 1])
    width = source.nbytes // source.n
    reader = ChunkedReader(source, 1 << 24, rows_memory=2 * width * max(r.rows for r in (first, *requests)))
    reader.read([(reader, Plan(triangles=[first]))])
    ((_, _, made),) = reader.read([(reader, Plan(triangles=requests))])
    for request, found in zip(requests, made, strict=True):
        assert_triangles_by_numpy(found, rows, request)


def test_readers_of_one_root_share_a_pass(mixed):
    source = in_chunks(mixed.to_batches, 50, ["dose"])
    readers = [ChunkedReader(source, 1 << 24), ChunkedReader(source, 1 << 22)]
    other = ChunkedReader(in_chunks(mixed.to_batches, 50, ["dose"]), 1 << 24)
    assert readers[0].read_with == readers[1].read_with != other.read_with
    before = source.root.passes, other.source.root.passes
    found = read_all([(reader, Plan(counts=[(0,), (2, 5)])) for reader in (readers[0], other, readers[1])])
    assert (source.root.passes, other.source.root.passes) == (before[0] + 1, before[1] + 1)
    rows = read_table(mixed, ["dose"])
    for findings in found:
        for variables, cells in zip([(0,), (2, 5)], findings.counts, strict=True):
            assert_cells_by_numpy(cells, rows, variables, ())
