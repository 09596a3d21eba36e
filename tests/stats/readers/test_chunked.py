"""Rows that come in chunks give what the same rows give in memory, however they are cut."""

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from tests.comparison import assert_same_search
from tests.stats.forms import FORMS, as_folder, as_ipc, as_parquet, in_chunks, mixed_arrow


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
