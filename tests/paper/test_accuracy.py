"""How far from the truth, and why."""

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.options import BIC, HeldOut
from bnjit.paper.accuracy import differences, impossible_configurations, measure_accuracy
from bnjit.paper.plan import Measurement
from bnjit.paper.protocols import PROTOCOLS
from bnjit.paper.sources import Rows
from bnjit.paper.table1 import distances


def _graph(*arcs):
    graph = nx.DiGraph()
    graph.add_nodes_from("abcd")
    graph.add_edges_from(arcs)
    return graph


def test_every_edge_that_the_distance_counts_has_a_reason():
    true = _graph(("a", "c"), ("b", "c"), ("c", "d"))
    learned = _graph(("a", "c"), ("d", "c"), ("a", "b"))
    true_scores = {"a": 0.0, "b": 5.0, "c": -math.inf, "d": 1.0}
    found = differences(learned, true, {"a": 0.0, "b": 7.0, "c": 2.0, "d": 0.5}, true_scores)
    assert len(found) == bnjit.shd(learned, true)
    by_arc = {(d.source, d.target): (d.kind, d.why) for d in found}
    assert by_arc["b", "c"] == ("missing", "rule")
    assert by_arc["c", "d"] == ("turned", "rule")  # what c had to lose for it is impossible
    assert by_arc["a", "b"] == ("extra", "score")
    assert {d.target: d.gain for d in found}["d"] == math.inf


@pytest.mark.parametrize(("of_a", "why"), [(-5.0, "score"), (-14.0, "search")])
def test_a_turned_edge_is_judged_by_both_ends(of_a, why):
    true, learned = _graph(("a", "b"), ("c", "b")), _graph(("b", "a"), ("c", "b"))
    found = differences(
        learned, true, {"a": of_a, "b": -10.0, "c": -5.0, "d": 0.0}, {"a": -12.0, "b": -9.0, "c": -5.0, "d": 0.0}
    )
    assert {(d.source, d.target): (d.kind, d.gain, d.why) for d in found}["a", "b"] == ("turned", of_a + 11.0, why)


def test_equivalent_networks_have_no_differences():
    scores = dict.fromkeys("abcd", 0.0)
    assert differences(_graph(("a", "b")), _graph(("b", "a")), scores, scores) == []


def test_configurations_with_too_few_rows():
    frame = pd.DataFrame({
        "f": ["u"] * 3 + ["v"] * 2 + ["w"], "g": ["x", "y"] * 3, "x": np.arange(6.0), "y": np.arange(6.0) ** 2
    })  # fmt: skip
    table = read_table(frame)
    assert impossible_configurations(table, nx.DiGraph([("f", "x")])) == {"x": 1}  # w has one row
    assert impossible_configurations(table, nx.DiGraph([("f", "y"), ("x", "y")])) == {"y": 2}  # v has two
    assert impossible_configurations(table, nx.DiGraph([("f", "x"), ("g", "x")])) == {"x": 4}  # all but (u, x)
    assert impossible_configurations(table, nx.DiGraph([("f", "g"), ("x", "y")])) == {}


@pytest.fixture(scope="module")
def rows():
    network = bnjit.datasets.mehra_like()
    return Rows(read_table(network.sample(3_000, seed=5)), network.dag)


@pytest.mark.parametrize("name", ["reject", "pool", "pred"])
def test_scores_are_those_of_the_protocol(rows, name):
    measured = measure_accuracy(Measurement("accuracy", "MEHRA", 3_000, 0, 0, name, True, threads=0), rows, 1)
    other = measure_accuracy(Measurement("accuracy", "MEHRA", 3_000, 0, 1, name, True, threads=0), rows, 1)
    assert (measured["score"] != other["score"]) == (name == "pred")  # another split
    assert measured["shd"] > 0
    assert math.isinf(measured["true_score"]) == (name != "pool")
    assert measured["impossible"] == sum(impossible_configurations(rows.table, rows.dag).values()) > 0


def test_a_search_from_the_truth_stays_where_it_is_best():
    network = bnjit.datasets.random_network("gaussian", 6, parents=1.5, rows=1e4, seed=3)
    sample = Rows(read_table(network.sample(20_000, seed=1)), network.dag)
    measured = measure_accuracy(Measurement("accuracy", "x", 20_000, 0, 0, "reject-truth", False, threads=0), sample, 1)
    assert measured["shd"] == 0
    assert measured["score"] >= measured["true_score"]
    assert measured["differences"] == "[]"


def test_protocols_are_made_when_asked_for():
    assert PROTOCOLS["reject"].make_score() == BIC()
    assert PROTOCOLS["exchange"].make_score() == BIC(sparse="pool")
    assert PROTOCOLS["pred-pool"].make_score() == HeldOut(sparse="pool")
    assert PROTOCOLS["exchange"].make_algorithm().exchange
    assert not PROTOCOLS["pred"].make_algorithm().exchange
    assert [name for name, protocol in PROTOCOLS.items() if protocol.from_truth] == ["reject-truth", "local-truth"]


def test_sums_of_means_over_splits_are_shown_with_one_decimal():
    rows = {"n": 1000, "protocol": "pred", "samples": 3, "sum": 188 + 1 / 3, "mean": 62.8}
    assert distances(pd.DataFrame([rows]), ["pred"])["PRED, plug-in, reject"].tolist() == ["188.3 (62.8)"]
    assert distances(pd.DataFrame([rows | {"sum": 30.0, "mean": 10.0}]), ["pred"]).iloc[0, -1] == "30 (10.0)"
