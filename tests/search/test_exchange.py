"""Exchanges of parents: what greedy search cannot reach arc by arc."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.errors import ArgumentError


def table(rows=2000):
    """Discrete a, b that matter only together for y, and c that is a weak but greedy choice; x, z continuous."""
    rng = np.random.default_rng(5)
    a, b, c = rng.integers(0, 2, (3, rows))
    both = np.where(rng.random(rows) < 0.6, a ^ b, c)
    x = rng.normal(size=rows)
    y = 2.0 * both + 0.5 * x + 0.3 * rng.normal(size=rows)
    z = y + rng.normal(size=rows)
    discrete = {
        name: pd.Categorical(np.array(["no", "yes"])[codes]) for name, codes in zip("abc", (a, b, c), strict=True)
    }
    return pd.DataFrame({**discrete, "x": x, "y": y, "z": z})


KNOWN = [(v, w) for v, w in itertools.permutations("abcxyz", 2) if w in "abcx" or (v, w) == ("z", "y")]


@pytest.fixture(scope="module")
def frame():
    return table()


def best_parents(frame, node, candidates):
    """Parents with the highest local score, by trying all."""
    best, highest = None, -np.inf
    for size in range(len(candidates) + 1):
        for parents in itertools.combinations(candidates, size):
            graph = nx.DiGraph()
            graph.add_nodes_from(frame.columns)
            graph.add_edges_from((parent, node) for parent in parents)
            value = bnjit.score(graph, frame, by_node=True)[node]
            if value > highest:
                best, highest = set(parents), value
    return best


def test_finds_parents_that_matter_only_together(frame):
    plain = bnjit.learn(frame, blacklist=KNOWN, progress=False)
    result = bnjit.learn(frame, blacklist=KNOWN, algorithm=bnjit.HillClimbing(exchange=True), progress=False)
    best = best_parents(frame, "y", "abcx")
    assert set(result.dag.predecessors("y")) == best == set("abcx")
    assert set(plain.dag.predecessors("y")) != best
    assert result.score > plain.score
    made = result.trace[result.trace["move"] == "exchange"]
    assert made["source"].tolist() == ["y"]
    assert made["phase"].tolist() == ["exchange"]
    assert result.score == pytest.approx(bnjit.score(result.dag, frame))


@pytest.mark.parametrize("algorithm", [bnjit.Tabu(exchange=True), bnjit.Boss(exchange=True)], ids=str)
def test_after_other_searches(frame, algorithm):
    result = bnjit.learn(frame, algorithm=algorithm, blacklist=KNOWN, progress=False)
    assert set(result.dag.predecessors("y")) == set("abcx")


def test_never_worse_and_acyclic():
    for seed, kind in itertools.product(range(4), ("discrete", "gaussian", "cgaussian")):
        rows = bnjit.datasets.random_network(kind, 8, parents=2.0, seed=seed).sample(500, seed=seed)
        plain = bnjit.learn(rows, progress=False)
        result = bnjit.learn(rows, algorithm=bnjit.HillClimbing(exchange=True), progress=False)
        assert nx.is_directed_acyclic_graph(result.dag)
        assert result.score >= plain.score
        if not (result.trace["move"] == "exchange").any():
            assert set(result.dag.edges) == set(plain.dag.edges)


def test_keeps_what_is_asked(frame):
    result = bnjit.learn(
        frame,
        blacklist=[*KNOWN, ("a", "y")],
        whitelist=[("c", "y")],
        max_parents=2,
        algorithm=bnjit.HillClimbing(exchange=True),
        progress=False,
    )
    assert result.dag.has_edge("c", "y")
    assert not result.dag.has_edge("a", "y")
    assert max(degree for _, degree in result.dag.in_degree) <= 2


def test_out_of_core_and_threads(frame, tmp_path):
    whole = bnjit.learn(frame, blacklist=KNOWN, algorithm=bnjit.HillClimbing(exchange=True), progress=False)
    frame.to_parquet(path := tmp_path / "rows.parquet")
    chunks = bnjit.learn(
        path,
        blacklist=KNOWN,
        algorithm=bnjit.HillClimbing(exchange=True),
        out_of_core=True,
        max_memory="1MB",
        progress=False,
    )
    one = bnjit.learn(frame, blacklist=KNOWN, algorithm=bnjit.HillClimbing(exchange=True), n_threads=1, progress=False)
    assert set(whole.dag.edges) == set(chunks.dag.edges) == set(one.dag.edges)
    assert whole.score == one.score


def test_stops_where_it_is_told(frame):
    plain = bnjit.learn(frame, blacklist=KNOWN, progress=False)
    moves = int((plain.trace["phase"] == "hc").sum())
    stopped = bnjit.learn(
        frame, blacklist=KNOWN, algorithm=bnjit.HillClimbing(exchange=True), max_iter=moves, progress=False
    )
    assert stopped.interrupted
    assert set(stopped.dag.edges) == set(plain.dag.edges)


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_ends_where_rounding_makes_two_sets_look_better_than_each_other():
    # Columns that say each other exactly: the same score, from another table, differs by more than the tolerance.
    rng = np.random.default_rng(130)
    n = int(rng.choice([5_000, 30_000]))
    near, noise = 10.0 ** -rng.uniform(0, 6.5), 10.0 ** -rng.uniform(0, 6)
    offset = 10.0 ** rng.uniform(0, 4) if rng.random() < 0.5 else 0.0
    d = [rng.choice(list("abc")[: rng.integers(2, 4)], n) for _ in range(3)]
    u = rng.normal(size=n)
    v = u + near * rng.normal(size=n)
    y = u + 2 * v * (1 + (d[0] == "a")) + noise * rng.normal(size=n)
    x = {"u": u + offset, "v": v + offset, "w": u + v + offset, "z": 2 * u - v + offset, "q": 3 * v - u}
    rows = {"d0": d[0], "d1": d[1], "d2": d[2], **x, "y": y}
    result = bnjit.learn(
        rows, tiers=[[*rows][:-1], ["y"]], blacklist=list(itertools.permutations(x, 2)), max_parents=3,
        algorithm=bnjit.HillClimbing(exchange=True), start=[(name, "y") for name in "wzq"],
        max_iter=200, progress=False,
    )  # fmt: skip
    assert not result.interrupted
    assert (result.trace["move"] == "exchange").any()


def test_scores_of_exchanges_are_kept_over_restarts(frame):
    once = bnjit.learn(frame, algorithm=bnjit.Tabu(exchange=True), progress=False)
    plain = [bnjit.learn(frame, algorithm=bnjit.Tabu(restarts=r), seed=1, progress=False) for r in (0, 5)]
    again = bnjit.learn(frame, algorithm=bnjit.Tabu(exchange=True, restarts=5), seed=1, progress=False)
    exchanges = once.n_local_scores - plain[0].n_local_scores
    assert again.n_local_scores - plain[1].n_local_scores < 3 * exchanges


def test_refusals(frame):
    with pytest.raises(ArgumentError, match="exchange"):
        bnjit.learn(frame, algorithm=bnjit.HillClimbing(exchange="yes"))
    with pytest.raises(ArgumentError, match=r"exchange belongs to an algorithm: algorithm=bnjit\.HillClimbing"):
        bnjit.learn(frame[["x", "y", "z"]], algorithm="ges", exchange=True)
