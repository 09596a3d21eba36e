"""Greedy equivalence search with knowledge and in mixed tables: its definition by brute force, and equal scores."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.graph.bits import bits_of, members_of
from bnjit.scores import make_scorer
from bnjit.search.classes import class_of, extension
from bnjit.search.constraints import make_constraints
from bnjit.search.score_memo import ScoreMemo
from tests.golden.tables import TABLES
from tests.reference import naive
from tests.search.by_loops import arcs_of, naive_scores, random_table
from tests.search.test_ges import assert_operators_of_definition
from tests.strategies import to_table


def random_arcs(rng, names, share):
    order = rng.permutation(names).tolist()
    return {pair for pair in itertools.combinations(order, 2) if rng.random() < share}


def random_graph(rng, names, share, obeys, fixed):
    """A graph that obeys: the arcs that must be, and some more that may be."""
    arcs = set(fixed)
    for arc in rng.permutation(list(itertools.permutations(names, 2))).tolist():
        more = arcs | {tuple(arc)}
        if rng.random() < share and tuple(arc)[::-1] not in arcs and naive.is_acyclic(more) and obeys(more):
            arcs = more
    return arcs


def knowledge(rng, table):
    """Arguments of a search, and whether a graph obeys them."""
    names = list(table)
    known: dict = {}
    if rng.random() < 0.6:
        known["blacklist"] = [tuple(pair) for pair in itertools.permutations(names, 2) if rng.random() < 0.25]
    if rng.random() < 0.3:
        cut = int(rng.integers(1, len(names)))
        order = sorted(rng.permutation(names).tolist(), key=lambda name: isinstance(table[name], list))
        known["tiers"] = [order[:cut], order[cut:]]
    allowed = make_constraints(names, [isinstance(c, tuple) for c in table.values()], **known).limits.addable
    may = {(a, b) for (i, a), (j, b) in itertools.permutations(enumerate(names), 2) if allowed[i, j]}
    if rng.random() < 0.5 and may:
        some = random_arcs(rng, names, 0.2) & may
        known["whitelist"] = sorted(some)
    fixed = set(known.get("whitelist", []))

    def obeys(arcs):
        return fixed <= set(arcs) and set(arcs) <= may

    return known, obeys, fixed


def kinds_of(table):
    return [isinstance(column, tuple) for column in table.values()]


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "cgaussian"])
@given(seed=st.integers(0, 10**6), columns=st.sampled_from([3, 4, 4, 5]), most=st.sampled_from([2, 9]))
@settings(max_examples=12)
def test_operators_lead_to_all_classes_around_that_obey(kind, seed, columns, most):
    rng = np.random.default_rng(seed)
    table = random_table(rng, kind, 60, columns)
    known, obeys, fixed = knowledge(rng, table)
    graph = random_graph(rng, list(table), rng.uniform(0.2, 0.9), obeys, fixed)
    if any(sum(b == name for _, b in graph) > most for name in table):
        most = 9
    limits = make_constraints(list(table), kinds_of(table), max_parents=most, **known).limits
    scores = ScoreMemo(make_scorer(to_table(table), "bic"))
    assert_operators_of_definition(table, frozenset(graph), scores, naive_scores(table), limits, obeys)


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "cgaussian"])
@given(seed=st.integers(0, 10**6), columns=st.sampled_from([3, 4, 5]), most=st.sampled_from([1, 2, 9, 9]))
@settings(max_examples=10)
def test_walks_the_path_of_the_definition(kind, seed, columns, most):
    rng = np.random.default_rng(seed)
    table = random_table(rng, kind, 60, columns)
    known, obeys, fixed = knowledge(rng, table)
    start = random_graph(rng, list(table), 0.3, obeys, fixed)
    most = max(most, *(sum(b == name for _, b in start) for name in table))
    local = naive_scores(table)
    path, best = naive.equivalence_search(list(table), local, start, most, obeys)
    result = bnjit.learn(to_table(table), algorithm="ges", max_parents=most, start=sorted(start), **known)
    assert result.trace["phase"].tolist() == [phase for phase, _ in path]
    np.testing.assert_allclose(result.trace["score"].astype(float), [score for _, score in path], rtol=1e-9)
    members = [frozenset(m) for m in naive.equivalence_class(best) if obeys(m)]
    assert frozenset(arcs_of(result)) in members
    assert max(dict(result.dag.in_degree()).values()) <= most


@given(seed=st.integers(0, 10**6), columns=st.sampled_from([3, 4, 5, 6]))
@settings(max_examples=40)
def test_what_knowledge_directs(seed, columns):
    """Arcs and edges are those of all members that obey; the extension is one of them."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, rng.choice(["gaussian", "cgaussian"]), 3, columns)
    known, obeys, fixed = knowledge(rng, table)
    names = list(table)
    graph = random_graph(rng, names, rng.uniform(0.3, 1.0), obeys, fixed)
    limits = make_constraints(names, kinds_of(table), **known).limits
    one_way = limits.fixed | ~limits.addable.T
    parents = [bits_of(names.index(a) for a, b in graph if b == name) for name in names]
    found = class_of(parents, [bits_of(np.flatnonzero(one_way[:, v]).tolist()) for v in range(len(names))])
    edges = {
        (names[u], names[v]) for v in range(len(names)) for u in members_of(found.parents[v] | found.neighbours[v])
    }
    members = [frozenset(m) for m in naive.equivalence_class(graph) if obeys(m)]
    assert edges == set().union(*members)
    assert frozenset((names[u], names[v]) for v, own in enumerate(extension(found)) for u in members_of(own)) in members


def classes_of_mixed_tables(seed, columns):
    rng = np.random.default_rng(seed)
    table = random_table(rng, "cgaussian", 90, columns)
    discrete = {name for name, column in table.items() if isinstance(column, tuple)}
    graph = random_graph(
        rng, list(table), 0.7, lambda arcs: not any(b in discrete and a not in discrete for a, b in arcs), set()
    )
    return table, naive.equivalence_class(graph, discrete)


@pytest.mark.parametrize("score", ["loglik", "aic", "bic", "ebic", "marginal"])
@given(seed=st.integers(0, 10**6), columns=st.sampled_from([4, 5]))
@settings(max_examples=12)
def test_scores_are_equal_within_classes_of_mixed_tables(score, seed, columns):
    table, members = classes_of_mixed_tables(seed, columns)
    made = to_table(table)
    scores = [bnjit.score(sorted(member), made, score) for member in members]
    assert scores == pytest.approx([scores[0]] * len(scores), rel=1e-10)
    assert make_scorer(made, score).equal_in_classes
    if score in ("loglik", "bic"):
        local = naive_scores(table, score)
        for member in members:
            total = sum(local(node, frozenset(a for a, b in member if b == node)) for node in table)
            assert total == pytest.approx(scores[0], rel=1e-9)


@pytest.mark.parametrize("score", [bnjit.BIC(sparse="pool"), bnjit.BIC(penalty="local")])
def test_scores_that_are_not_equal(score):
    differ = 0
    for seed in range(12):
        table, members = classes_of_mixed_tables(seed, 5)
        made = to_table({name: (c[0][:14], c[1]) if isinstance(c, tuple) else c[:14] for name, c in table.items()})
        scores = np.array([bnjit.score(sorted(member), made, score) for member in members[:20]])
        differ += bool(np.isfinite(scores).all() and np.ptp(scores) > 1e-6)
    assert differ > 0


@pytest.mark.parametrize(
    "score", [bnjit.BIC(sparse="pool"), bnjit.BIC(penalty="local"), bnjit.HeldOut(test=0.5), bnjit.CrossValidation(3)]
)
def test_scores_that_are_refused(score):
    with pytest.raises(bnjit.ArgumentError, match="a score that equivalent graphs share"):
        bnjit.learn(TABLES["cgaussian"](), score, "ges")


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_graphs_on_the_way_obey(kind):
    table = TABLES[kind]()
    names = list(table)
    free = bnjit.learn(table, algorithm="ges")
    arcs = sorted(free.dag.edges)
    known = {"blacklist": arcs[::3], "whitelist": arcs[1::3]}
    for most in (2, 9):
        if most < max(sum(b == name for _, b in known["whitelist"]) for name in names):
            continue
        whole = bnjit.learn(table, algorithm="ges", max_parents=most, **known)
        for steps in range(len(whole.trace) + 1):
            result = bnjit.learn(table, algorithm="ges", max_parents=most, max_iter=steps, **known)
            found = set(result.dag.edges)
            assert set(known["whitelist"]) <= found
            assert not set(known["blacklist"]) & found
            assert nx.is_directed_acyclic_graph(result.dag)
            assert max(dict(result.dag.in_degree()).values()) <= most
        assert result.score == pytest.approx(bnjit.score(result.dag, table), rel=1e-12)


def test_threads_do_not_change_mixed_tables():
    table = TABLES["cgaussian"]()
    traces = [bnjit.learn(table, algorithm="ges", n_threads=n).trace.drop(columns="seconds") for n in (1, 2, 4)]
    pd.testing.assert_frame_equal(traces[0], traces[1], check_exact=True)
    pd.testing.assert_frame_equal(traces[0], traces[2], check_exact=True)
    assert len(traces[0]) > 3


def test_large_samples_of_mixed_networks_lead_to_the_true_class():
    for seed in range(4):
        network = bnjit.datasets.random_network("cgaussian", 6, parents=1.2, rows=2000, seed=seed)
        table = network.sample(50_000, seed=1)
        result = bnjit.learn(table, algorithm="ges")
        assert result.score >= bnjit.score(network.dag, table) - 1e-6
