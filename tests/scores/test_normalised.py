"""Normalised maximum likelihood: qnml and fnml, from every source of rows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit.scores import make_scorer
from bnjit.stats.parent_sets import make_batch
from tests.comparison import assert_same_search, local_scores
from tests.golden.tables import TABLES
from tests.reference import naive
from tests.stats.forms import in_chunks
from tests.strategies import to_table

SCORES = ["qnml", "fnml"]
ARCS = [("A", "B"), ("A", "D"), ("B", "D"), ("C", "D"), ("D", "E"), ("B", "E")]


def as_chunks(frame):
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    return in_chunks(lambda: arrow.to_batches(max_chunksize=300), 400)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("n", [400, 2000])
def test_rows_in_memory_in_chunks_and_as_statistics(score, n):
    frame = TABLES["discrete"]().iloc[:n]
    expected = bnjit.score(ARCS, frame, score, by_node=True)
    for other in (as_chunks(frame), bnjit.Statistics.collect(frame, for_=ARCS)):
        pd.testing.assert_series_equal(bnjit.score(ARCS, other, score, by_node=True), expected, check_exact=True)
    whole = bnjit.learn(frame, score)
    assert whole.dag.number_of_edges() > 3
    assert_same_search(bnjit.learn(as_chunks(frame), score), whole)
    assert_same_search(bnjit.learn(bnjit.Statistics.collect(frame, for_=6), score), whole)


@pytest.mark.parametrize("n", [300, 2000])
def test_equivalent_graphs(n):
    """All of them have one qnml, and not one fnml."""
    frame = TABLES["discrete"]().iloc[:n]
    arcs = {("A", "B"), ("A", "D"), ("B", "D"), ("D", "F"), ("D", "E"), ("F", "E")}
    graphs = [sorted(graph) for graph in naive.equivalence_class(arcs)]
    assert len(graphs) > 5
    qnml, fnml = ([bnjit.score(graph, frame, score) for graph in graphs] for score in SCORES)
    assert qnml == pytest.approx([qnml[0]] * len(qnml), rel=1e-12)
    assert max(fnml) - min(fnml) > 0.1


def test_levels_that_no_row_has():
    """They are charged for: as levels by both scores, as parents' configurations by qnml alone."""
    frame = TABLES["discrete"]()
    seen = frame.assign(D=frame["D"].cat.remove_unused_categories())
    n = len(frame)
    for score in SCORES:
        more = bnjit.score([("D", "E")], seen, score, by_node=True) - bnjit.score(
            [("D", "E")], frame, score, by_node=True
        )
        assert more["D"] == pytest.approx(naive.regret(n, 5) - naive.regret(n, 4), rel=1e-8)
        quotients = [naive.regret(n, 3 * q) - naive.regret(n, q) for q in (5, 4)]
        assert more["E"] == pytest.approx(quotients[0] - quotients[1] if score == "qnml" else 0.0, rel=1e-8)


@pytest.mark.parametrize("score", SCORES)
def test_many_levels(score):
    """More than 100 levels, from where on regrets are in closed form for any number of rows."""
    rng = np.random.default_rng(2)
    table = {
        "a": ([*range(120), *rng.integers(0, 120, 130).tolist()], 120),
        "b": (rng.integers(0, 4, 250).tolist(), 4),
        "c": (rng.integers(0, 3, 250).tolist(), 3),
    }
    ours = make_scorer(to_table(table), score).local_scores(make_batch([(0, ()), (0, (1, 2)), (1, (0,)), (2, (0, 1))]))
    pairs = [("a", ""), ("a", "bc"), ("b", "a"), ("c", "ab")]
    expected = [naive.local_score(table, node, list(parents), score) for node, parents in pairs]
    np.testing.assert_allclose(ours, expected, rtol=1e-10)


def test_configurations_beyond_all_rows():
    """Parents of up to 10^16 configurations say all about n rows, for n log r: the price of writing them down."""
    rng = np.random.default_rng(1)
    levels = np.append(np.arange(99), rng.integers(0, 99, 60))
    table = {f"D{i}": (rng.permutation(levels).tolist(), 99) for i in range(9)}
    scores = local_scores(make_scorer(to_table(table), "qnml"), 0, [range(1, last) for last in range(3, 10)])
    assert scores[-1] == pytest.approx(-len(levels) * np.log(99), rel=1e-9)
    assert np.all(np.diff(scores) <= 1e-9)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("algorithm", ["tabu", "boss"])
def test_threads(score, algorithm):
    frame = TABLES["discrete"]()
    traces = [bnjit.learn(frame, score, algorithm, n_threads=n).trace.drop(columns="seconds") for n in (1, 4)]
    pd.testing.assert_frame_equal(traces[0], traces[1], check_exact=True)
    assert len(traces[0]) > 1
