"""Exact search: the best of all graphs by enumeration, pruning against none, limits, certificates, Ctrl-C."""

import functools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.scores import make_scorer
from bnjit.search import ScoreMemo, Search, State
from bnjit.search import exact as module
from bnjit.search.constraints import make_constraints
from bnjit.search.exact import ExactSearch, blocks_in_turn, forecast_exact, memory_of
from tests.golden.tables import TABLES
from tests.reference import naive
from tests.search.by_loops import arcs_of, naive_scores, random_table
from tests.search.made_up import MadeUp, all_graphs
from tests.strategies import to_table

KINDS = ["discrete", "gaussian", "cgaussian"]
EXACT = "exact: no network scores higher"


def kinds_allow(table):
    return lambda a, b: naive.is_discrete(table[a]) or not naive.is_discrete(table[b])


def test_enumeration_finds_as_many_graphs_as_there_are():
    assert [len(naive.all_graphs(range(N))) for N in range(1, 6)] == [1, 3, 25, 543, 29281]


@pytest.mark.parametrize("columns", [4, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_the_best_of_all_graphs(kind, columns):
    for seed in range(4 if columns == 4 else 2):
        table = random_table(np.random.default_rng(seed), kind, 200, columns)
        best, graphs = naive.exact_search(list(table), naive_scores(table), allowed=kinds_allow(table))
        result = bnjit.learn(to_table(table), algorithm="exact")
        assert result.score == pytest.approx(best, rel=1e-10)
        assert frozenset(arcs_of(result)) in graphs
        assert result.certificate == EXACT
        assert not result.interrupted


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_of_all_graphs_within_limits(kind):
    rng = np.random.default_rng(7)
    for _ in range(6):
        table = random_table(rng, kind, 150, 4)
        names, allow = list(table), kinds_allow(table)
        pairs = [(a, b) for a in names for b in names if a != b and allow(a, b)]
        chosen = [pairs[i] for i in rng.permutation(len(pairs))[:4]]
        fixed, gone = frozenset(chosen[:1]), set(chosen[1:])
        best, graphs = naive.exact_search(
            names, naive_scores(table), allowed=lambda a, b, gone=gone, allow=allow: allow(a, b) and (a, b) not in gone,
            fixed=fixed, most=2,
        )  # fmt: skip
        result = bnjit.learn(
            to_table(table), algorithm="exact", whitelist=list(fixed), blacklist=list(gone), max_parents=2
        )
        assert result.score == pytest.approx(best, rel=1e-10)
        assert frozenset(arcs_of(result)) in graphs
        assert result.certificate.startswith(EXACT + " among those with at most 2 parents of a node with the arcs that")


def test_tiers():
    table = random_table(np.random.default_rng(3), "gaussian", 200, 5)
    names = list(table)
    tiers = [names[3:], names[:3]]
    best, graphs = naive.exact_search(
        names, naive_scores(table), allowed=lambda a, b: not (a in names[:3] and b in names[3:])
    )
    result = bnjit.learn(to_table(table), algorithm="exact", tiers=tiers)
    assert result.score == pytest.approx(best, rel=1e-10)
    assert frozenset(arcs_of(result)) in graphs
    assert result.certificate != EXACT


@given(seed=st.integers(0, 10_000), interaction=st.floats(0.0, 5.0))
@settings(max_examples=30, deadline=None)
def test_any_score(seed, interaction):
    score = MadeUp(seed, interaction)
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(10, 4)), columns=list("abcd"))
    result = bnjit.learn(table, score, algorithm="exact")
    assert result.score == pytest.approx(max(map(score.score, all_graphs())), rel=1e-12)


@functools.cache
def _searched(kind, seed, columns, n, score, most):
    table = to_table(random_table(np.random.default_rng(seed), kind, n, columns))
    constraints = make_constraints(table.names, table.discrete, max_parents=most)
    return Search(State(ScoreMemo(make_scorer(table, score)), constraints), None, lambda step: None)


@given(
    kind=st.sampled_from(KINDS), seed=st.integers(0, 10_000), columns=st.integers(2, 7),
    n=st.sampled_from([12, 60, 400]), score=st.sampled_from(["bic", "aic", "ebic", "loglik"]),
    most=st.sampled_from([None, 2]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_pruning_leaves_out_nothing_that_is_needed(kind, seed, columns, n, score, most):
    search = _searched(kind, seed, columns, n, score, most)
    pruned, plain = (ExactSearch(search, prunes=prunes).tables() for prunes in (True, False))
    if kind == "gaussian":  # whose scores come from elsewhere
        np.testing.assert_allclose(pruned, plain, rtol=1e-9, atol=1e-7)
        search.state.scores._forget()
        exact = ExactSearch(search)
        exact.regressions.fill = lambda i, scores: False
        np.testing.assert_allclose(exact.tables(), plain, rtol=1e-9, atol=1e-7)
    else:
        np.testing.assert_allclose(pruned, plain, rtol=1e-12, atol=2 * columns * search.state.tolerance)


@pytest.mark.parametrize(("kind", "least"), [("discrete", 0.1), ("cgaussian", 0.01)])
def test_pruning_leaves_out_something(kind, least):
    asked = []
    for prunes in (True, False):
        search = _searched.__wrapped__(kind, 3, 7, 60, "bic", None)
        ExactSearch(search, prunes).tables()
        asked.append(search.state.scores.n_local_scores)
    assert asked[0] < (1.0 - least) * asked[1]


@pytest.mark.parametrize("kind", KINDS)
def test_at_least_as_good_as_other_searches(kind):
    for seed, columns in ((1, 8), (2, 10)):
        table = bnjit.datasets.random_network(kind, columns, parents=2.0, seed=seed).sample(500, seed=seed)
        result = bnjit.learn(table, algorithm="exact", max_parents=4)
        for algorithm in ("hc", bnjit.Boss(restarts=3)):
            assert result.score >= bnjit.learn(table, algorithm=algorithm, max_parents=4).score - 1e-6
        assert result.score == pytest.approx(bnjit.score(result.dag, table), rel=1e-12)
        assert max(dict(result.dag.in_degree()).values()) <= 4


@pytest.mark.parametrize("kind", TABLES)
def test_threads_change_nothing(kind):
    traces = [bnjit.learn(TABLES[kind](), algorithm="exact", n_threads=n).trace for n in (1, 2, 4)]
    for trace in traces[1:]:
        pd.testing.assert_frame_equal(
            traces[0].drop(columns="seconds"), trace.drop(columns="seconds"), check_exact=True
        )


def test_threads_change_nothing_in_many_blocks():
    table = bnjit.datasets.random_network("gaussian", 14, parents=2.0, seed=4).sample(2000, seed=4)
    found = [bnjit.learn(table, algorithm="exact", n_threads=n) for n in (1, 4)]
    assert list(found[0].dag.edges) == list(found[1].dag.edges)
    assert found[0].score == found[1].score >= bnjit.learn(table, algorithm=bnjit.Boss(restarts=5)).score - 1e-6


def test_ties_go_from_earlier_columns_to_later_ones():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    table = pd.DataFrame({"b": x + rng.normal(size=300), "a": x})
    assert list(bnjit.learn(table, algorithm="exact").dag.edges) == [("b", "a")]
    assert list(bnjit.learn(table[["a", "b"]], algorithm="exact").dag.edges) == [("a", "b")]


def test_collinear_columns_are_scored_by_the_memo():
    rng = np.random.default_rng(2)
    x, z = rng.normal(size=(2, 400))
    table = pd.DataFrame({"x": x, "y": x + 1e-4 * rng.normal(size=400), "z": z, "w": x + z + rng.normal(size=400)})
    with pytest.warns(bnjit.BnjitWarning, match="`y` is nearly `x`"):
        result = bnjit.learn(table, algorithm="exact")
    naive_table = {name: table[name].tolist() for name in table}
    best, _ = naive.exact_search(list(table), naive_scores(naive_table))
    assert result.score == pytest.approx(best, rel=1e-7)


def test_an_impossible_node_does_not_spoil_the_rest():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    table = pd.DataFrame(
        {"a": ["rare"] + ["often"] * 199, "b": rng.normal(size=200), "x": x, "y": x + 0.5 * rng.normal(size=200)}
    )
    with pytest.warns(bnjit.BnjitWarning, match="because of `b`"):
        result = bnjit.learn(table, whitelist=[("a", "b")], algorithm="exact")
    assert result.score == -np.inf
    assert set(result.dag.edges) == {("a", "b"), *bnjit.learn(table[["b", "x", "y"]], algorithm="exact").dag.edges}


def test_columns_apart_and_small_tables():
    assert bnjit.learn({"x": [1.0, 2.0, 4.0]}, algorithm="exact").dag.number_of_edges() == 0
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 200)
    table = pd.DataFrame({"a": a, "copy": a, "b": (a + (rng.random(200) < 0.2)) % 2}).astype(str)
    with pytest.warns(bnjit.BnjitWarning, match="copy"):
        result = bnjit.learn(table, algorithm="exact")
    assert set(result.dag.edges) == {("a", "b"), ("a", "copy")}


def test_refuses_beyond_memory(monkeypatch):
    assert memory_of(25) == 8 * (25 * 2**24 + 2 * 2**24)
    table = TABLES["gaussian"]()
    columns = table.shape[1] if hasattr(table, "shape") else len(table.names)
    monkeypatch.setattr(module, "free_memory", lambda: int(memory_of(columns)))
    with pytest.raises(
        bnjit.BnjitError, match=rf'algorithm="exact" needs .* GB of memory for the sets of {columns} col'
    ):
        bnjit.learn(table, algorithm="exact")


def test_says_what_it_will_take():
    search = _searched("discrete", 1, 5, 60, "bic", None)
    assert forecast_exact(search.state) == (
        "exact search over 5 columns: 0.00 GB of memory, and up to 80 parent sets; bounds leave out some of those of 5 "
        "columns"
    )


def test_ctrl_c_gives_the_best_known_and_bounds(monkeypatch):
    table = TABLES["gaussian"]()
    best = bnjit.learn(table, algorithm="exact").score

    def interrupted(self, within):
        raise KeyboardInterrupt

    monkeypatch.setattr(ExactSearch, "_networks", interrupted)
    result = bnjit.learn(table, algorithm="exact")
    assert result.interrupted
    assert result.score == bnjit.learn(table).score
    words = result.certificate.replace(",", "").split()
    assert result.certificate.startswith("none, stopped early: the best score is between ")
    assert float(words[-3]) == pytest.approx(result.score, abs=1e-4)
    assert float(words[-3]) <= best + 1e-4 <= float(words[-1]) + 2e-4


def test_certificates_are_shown_and_saved(tmp_path):
    table = TABLES["discrete"]()
    result = bnjit.learn(table, algorithm="exact", max_parents=1)
    assert result.certificate == EXACT + " among those with at most 1 parents of a node"
    assert f"certificate: {result.certificate}" in repr(result)
    result.save(tmp_path / "result.npz")
    assert bnjit.load_result(tmp_path / "result.npz").certificate == result.certificate
    assert bnjit.learn(table).certificate is None


def test_pruned_by_one_standard_error_nothing_is_certified():
    table = TABLES["gaussian"]()
    assert bnjit.learn(table, "cv", algorithm="exact", max_parents=2).certificate is not None
    score = bnjit.CrossValidation(one_se=True)
    assert bnjit.learn(table, score, algorithm="exact", max_parents=2).certificate is None


def test_blocks_come_after_those_that_they_need():
    seen = set()
    for blocks in blocks_in_turn(8):
        assert all(block ^ 1 << bit in seen for block in blocks.tolist() for bit in range(8) if block >> bit & 1)
        seen.update(blocks.tolist())
    assert seen == set(range(256))
