"""Greedy search: R's answers, a naive search step by step, constraints, interruptions, threads."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.data import read_table
from bnjit.kernels import graph as kernels
from bnjit.options import ESTIMATORS
from bnjit.scores import make_scorer
from bnjit.search import Move, ScoreMemo, Search, State, hill_climbing, random_restarts, tabu_search
from bnjit.search.constraints import make_constraints
from tests.comparison import local_score
from tests.golden.tables import SEARCHES, TABLES
from tests.reference import naive
from tests.reference.mehra import sample_mehra
from tests.strategies import part, to_table

DATASETS = [
    "gaussian.test", "learning.test", "clgaussian.test", "alarm", "asia", "insurance", "hailfinder", "marks",
    "coronary", "lizards",
]  # fmt: skip


def arcs_of(result):
    return {tuple(arc) for arc in result.dag.edges}


@pytest.mark.parametrize("algorithm", ["hc", "tabu"])
@pytest.mark.parametrize("name", DATASETS)
def test_r_record(name, algorithm, reference, reference_table):
    record = reference[name]["graphs"][algorithm]
    result = bnjit.learn(reference_table(name), algorithm=algorithm)
    assert arcs_of(result) == {tuple(arc) for arc in record["arcs"]}
    (bic,) = [scores for score, scores in record["scores"].items() if score.startswith("bic")]
    assert result.score == pytest.approx(sum(bic.values()), rel=1e-8)


@pytest.mark.parametrize("name", ["gaussian.test", "marks"])
def test_r_record_of_predictive_search(name, reference, reference_table):
    table = reference_table(name)
    cut = round(0.75 * len(table))
    result = bnjit.learn(table[:cut], score=bnjit.HeldOut(table[cut:]))
    assert arcs_of(result) == {tuple(arc) for arc in reference[name]["graphs"]["hc_pred75"]["arcs"]}


@pytest.mark.parametrize("algorithm", ["hc", "tabu"])
@pytest.mark.parametrize("kind", TABLES)
def test_golden_record(kind, algorithm, golden):
    result = bnjit.learn(TABLES[kind](), algorithm=algorithm)
    assert arcs_of(result) == {tuple(arc) for arc in golden[kind][algorithm]["arcs"]}
    assert result.score == pytest.approx(sum(golden[kind][algorithm]["scores"]["bic"].values()), rel=1e-8)


def same_by_all_estimators(table, **arguments):
    results = {estimator: bnjit.learn(table, estimator=estimator, **arguments) for estimator in ESTIMATORS}
    for result in results.values():
        assert arcs_of(result) == arcs_of(results["qr"])
        assert result.score == pytest.approx(results["qr"].score, rel=1e-9)
    return results["stats"]


@pytest.mark.parametrize("name", ["gaussian.test", "clgaussian.test", "marks"])
def test_estimators_agree_on_reference_sets(name, reference_table):
    same_by_all_estimators(reference_table(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["airline-sample", "gas-standin", "hepmass-standin", "higgs-sample", "susy-sample"])
def test_estimators_agree_on_table_2(name, shared):
    table = read_table(shared / "data" / f"{name}.parquet")
    assert same_by_all_estimators(table, max_parents=5).dag.number_of_edges() > 20


@pytest.mark.slow
def test_estimators_agree_on_mehra(shared):
    table = read_table(sample_mehra(shared / "data" / "mehra-complete.rda", 100_000, seed=1))
    assert same_by_all_estimators(table).dag.number_of_edges() > 40


def random_naive(rng, kind, n):
    """A table with dependencies and no ties."""
    columns = {}
    if kind != "gaussian":
        a = rng.integers(0, 2, n)
        b = (a + (rng.random(n) < 0.3)) % 3
        columns |= {"A": (a.tolist(), 2), "B": (b.tolist(), 3)}
    if kind == "discrete":
        c = (b + (rng.random(n) < 0.4)) % 2
        columns |= {"C": (c.tolist(), 2), "D": (rng.integers(0, 2, n).tolist(), 2)}
    else:
        x = rng.normal(size=n)
        if kind == "cgaussian":
            x += 1.5 * a
        y = x * rng.normal() + rng.normal(size=n)
        columns |= {"X": x.tolist(), "Y": y.tolist(), "Z": (y - 0.5 * x + rng.normal(size=n)).tolist()}
        if kind == "gaussian":
            columns |= {"W": (rng.normal(size=n) + 0.3 * y).tolist()}
    names = rng.permutation(list(columns)).tolist()
    return {name: columns[name] for name in names}


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
@given(seed=st.integers(0, 10**6), tabu=st.sampled_from([0, 2, 4]), most=st.sampled_from([1, 2, 10]))
@settings(max_examples=12)
def test_naive_search_walks_the_same_path(kind, seed, tabu, most):
    table = random_naive(np.random.default_rng(seed), kind, 50)
    result = bnjit.learn(_frame(table), algorithm=bnjit.Tabu(length=tabu) if tabu else "hc", max_parents=most)
    path, best = naive.greedy(table, "bic", tabu=tabu, equivalent=kind != "cgaussian", most=most)
    moves = list(zip(result.trace["move"], result.trace["source"], result.trace["target"], strict=True))
    assert moves == path
    assert arcs_of(result) == set(best)


def test_naive_predictive_search_walks_the_same_path():
    table = random_naive(np.random.default_rng(8), "cgaussian", 80)
    train, test = part(table, range(60)), part(table, range(60, 80))
    result = bnjit.learn(_frame(train), score=bnjit.HeldOut(_frame(test)))
    path, best = naive.greedy(train, "pred", test=test)
    assert list(zip(result.trace["move"], result.trace["source"], result.trace["target"], strict=True)) == path
    assert arcs_of(result) == set(best)


def _frame(table):
    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(c[0], [f"v{k}" for k in range(c[1])]) if isinstance(c, tuple) else c
            for name, c in table.items()
        }
    )


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["discrete", "gaussian", "cgaussian"]))
@settings(max_examples=15)
def test_every_step_is_acyclic_and_climbing_improves(seed, kind):
    table = to_table(random_naive(np.random.default_rng(seed), kind, 60))
    scorer = make_scorer(table, "bic")
    state = State(ScoreMemo(scorer), make_constraints(table.names, table.discrete))
    seen = []

    def look(step):
        assert naive.is_acyclic(set(zip(*(index.tolist() for index in np.nonzero(state.arcs)), strict=True)))
        full = sum(local_score(scorer, node, state.parents(node)) for node in range(len(table.names)))
        assert step.score == pytest.approx(full, rel=1e-12)
        before = seen[-1].score if seen else start
        assert step.score - before == pytest.approx(step.move.delta, rel=1e-6, abs=1e-6)
        if step.phase == "hc":
            assert step.score > before
        seen.append(step)
        ancestors = np.zeros_like(state.ancestors)
        assert kernels.find_ancestors(state.arcs, ancestors)
        np.testing.assert_array_equal(ancestors, state.ancestors)
        np.testing.assert_array_equal(state.n_parents, state.arcs.sum(axis=0))

    start = state.score
    search = Search(state, None, look)
    search.run(hill_climbing)
    assert search.stopped_by is None
    before = search.best_score
    search.run(lambda s: tabu_search(s, 5, 5))
    assert search.best_score >= before


@pytest.mark.parametrize("kernel", ["compiled", "python"])
def test_ancestors(kernel):
    rng = np.random.default_rng(0)
    N = 70
    find, add = kernels.find_ancestors, kernels.add_ancestors
    if kernel == "python":
        find, add = find.py_func, add.py_func
    order = rng.permutation(N)
    arcs = np.zeros((N, N), bool)
    ancestors, kept = np.zeros((N, 2), np.uint64), np.zeros((N, 2), np.uint64)
    for _ in range(120):
        i, j = sorted(rng.choice(N, 2, replace=False))
        if not arcs[order[i], order[j]]:
            arcs[order[i], order[j]] = True
            add(kept, order[i], order[j])
    assert find(arcs, ancestors)
    np.testing.assert_array_equal(ancestors, kept)
    reach = np.linalg.matrix_power(arcs.astype(float) + np.eye(N), N) > 0
    for i in range(N):
        for j in range(N):
            if i != j:
                assert kernels.has_bit(ancestors, j, i) == reach[i, j]
    i, j = np.argwhere(arcs)[0]
    arcs[j, i] = True
    assert not find(arcs, ancestors)


@pytest.mark.parametrize("kind", TABLES)
def test_counts_local_scores_as_r_does(kind, golden):
    """R counts the differences that it fills its cache with; also those of arcs from continuous to discrete columns,
    which nobody estimates: 4 for each of 4 discrete columns at first, and 4 whenever the parents of one change.
    """
    result = bnjit.learn(TABLES[kind]())
    never = 4 * (4 + int(result.trace["target"].isin(list("ABCD")).sum())) if kind == "cgaussian" else 0
    assert result.n_local_scores + never == golden[kind]["hc"]["n_local_scores"]


def test_threads_give_identical_traces():
    table = TABLES["cgaussian"]()
    traces = [
        bnjit.learn(table, algorithm=bnjit.Tabu(restarts=2, perturb=3), seed=1, n_threads=n).trace.drop(
            columns="seconds"
        )
        for n in (1, 2, 4)
    ]
    pd.testing.assert_frame_equal(traces[0], traces[1], check_exact=True)
    pd.testing.assert_frame_equal(traces[0], traces[2], check_exact=True)


def test_restarts_never_lose_the_best_and_depend_on_the_seed():
    table = TABLES["gaussian"]()
    plain = bnjit.learn(table)
    results = [bnjit.learn(table, algorithm=bnjit.HillClimbing(restarts=4, perturb=5), seed=seed) for seed in (1, 1, 2)]
    assert all(result.score >= plain.score for result in results)
    assert results[0].trace["phase"].tolist().count("perturb") >= 4
    first, again, other = (r.trace[["move", "source", "target"]].values.tolist() for r in results)
    assert first == again
    assert first != other
    best = bnjit.score(results[0].dag, table)
    assert best == pytest.approx(results[0].score, rel=1e-12)
    assert results[0].trace["score"].max() == pytest.approx(best, rel=1e-12)


def test_max_iter_returns_the_best_so_far():
    table = TABLES["gaussian"]()
    whole = bnjit.learn(table)
    result = bnjit.learn(table, max_iter=3)
    assert result.interrupted
    assert not whole.interrupted
    assert result.trace["move"].tolist() == [*whole.trace["move"][:3], "stopped by max_iter=3"]
    assert result.score == whole.trace["score"][2]
    assert bnjit.learn(table, max_iter=0).dag.number_of_edges() == 0
    assert not bnjit.learn(table, max_iter=len(whole.trace)).interrupted
    worse = bnjit.learn(table, algorithm="tabu", max_iter=len(whole.trace) + 3)
    assert worse.interrupted
    assert worse.score >= whole.score


def test_ctrl_c_returns_the_best_so_far(monkeypatch):
    table = TABLES["gaussian"]()
    apply = State.apply

    def interrupted(self, move):
        if self.arcs.sum() == 4:
            raise KeyboardInterrupt
        apply(self, move)

    monkeypatch.setattr(State, "apply", interrupted)
    result = bnjit.learn(table)
    assert result.interrupted
    assert result.dag.number_of_edges() == 4
    assert result.trace["move"].iloc[-1] == "stopped by Ctrl-C"
    assert "Ctrl-C" in repr(result)


def test_whitelist_and_blacklist():
    table = TABLES["cgaussian"]()
    plain = arcs_of(bnjit.learn(table))
    gone = sorted(plain)[:2]
    kept = [("C", "X"), ("W", "Z")]
    result = bnjit.learn(table, whitelist=kept, blacklist=gone, algorithm=bnjit.Tabu(restarts=3, perturb=4))
    assert set(kept) <= arcs_of(result)
    assert not set(gone) & arcs_of(result)
    reverse = [(b, a) for a, b in gone]
    assert not arcs_of(bnjit.learn(table, blacklist=gone + reverse)) & set(gone + reverse)
    # The whitelist wins over the blacklist.
    assert ("C", "X") in arcs_of(bnjit.learn(table, whitelist=kept, blacklist=kept))
    moves = bnjit.learn(table, whitelist=kept).trace
    assert not set(kept) & set(zip(moves["source"], moves["target"], strict=True))


def test_tiers():
    table = TABLES["gaussian"]()
    tiers = [["G", "F"], ["E"], ["A", "B", "C", "D"]]
    rank = {name: k for k, tier in enumerate(tiers) for name in tier}
    arcs = arcs_of(bnjit.learn(table, tiers=tiers))
    assert arcs
    assert all(rank[a] <= rank[b] for a, b in arcs)


def test_max_parents_and_start():
    table = TABLES["gaussian"]()
    result = bnjit.learn(table, max_parents=1, algorithm="tabu")
    assert max(dict(result.dag.in_degree()).values()) == 1
    assert bnjit.learn(table, max_parents=0).dag.number_of_edges() == 0
    best = bnjit.learn(table)
    again = bnjit.learn(table, start=best.dag)
    assert arcs_of(again) == arcs_of(best)
    assert len(again.trace) == 0
    assert list(again.trace.columns) == list(best.trace.columns)
    from_string = bnjit.learn(table, start="[A][B][C|A:B][D|C][E|D][F|E][G|F]")
    assert from_string.score >= bnjit.score("[A][B][C|A:B][D|C][E|D][F|E][G|F]", table)


def test_a_start_that_data_cannot_support_is_left():
    table = pd.DataFrame({"a": list("xxxxxy") * 3, "b": np.arange(18.0) ** 1.5, "c": list("pq") * 9})
    table.loc[5, "a"] = "z"
    assert bnjit.score([("a", "b")], table) == -np.inf
    result = bnjit.learn(table, start=[("a", "b")])
    assert np.isfinite(result.score)
    assert ("a", "b") not in arcs_of(result)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"whitelist": [("A", "X"), ("X", "A")]}, "whitelist has both A -> X and X -> A"),
        ({"whitelist": [("X", "Y"), ("Y", "Z"), ("Z", "X")]}, "whitelist has the cycle X -> Y -> Z -> X"),
        ({"whitelist": [("X", "A")]}, "whitelist has X -> A, a continuous parent"),
        ({"whitelist": [("X", "Q")]}, "whitelist has X -> Q, and 'Q' is no column"),
        ({"blacklist": ["XY"]}, "blacklist has the entry 'XY'"),
        ({"blacklist": [("X", "X")]}, "blacklist has the loop X -> X"),
        ({"start": [("X", "Y")], "blacklist": [("X", "Y")]}, "start has X -> Y, which the blacklist forbids"),
        ({"start": [("X", "Y")], "whitelist": [("Y", "X")]}, "start has X -> Y, and the whitelist has Y -> X"),
        ({"start": [("X", "Y")], "whitelist": [("Y", "Z"), ("Z", "X")]}, "start with the whitelist has the cycle"),
        ({"start": "[X][Y|X]["}, "model string: at position"),
        ({"start": [("X", "Z"), ("Y", "Z")], "max_parents": 1}, "'Z' starts with more than max_parents=1"),
        ({"tiers": [["A"]]}, "tiers leaves out the column 'X'"),
        ({"tiers": [["A"], ["A", "X"]]}, "tiers names 'A' twice, in tiers 0 and 1"),
        ({"tiers": ["A"]}, "each tier is a list"),
        ({"tiers": 5}, "tiers=5 must be a list of lists"),
        ({"tiers": [1, 2]}, r"tiers\[0\] is 1; each tier is a list"),
        ({"tiers": [["A", ["B"]]]}, "which is no column"),
        ({"start": "[A][X|A][q]"}, "start has the node 'q', which is no column"),
        ({"whitelist": [frozenset("AX")]}, "every arc is a pair"),
        ({"start": [("A", "B"), ("B", "A")]}, "take bnjit.consistent_extension"),
        ({"tiers": [["Q"]]}, "'Q', which is no column"),
        ({"tiers": [list("YABCDZW"), ["X"]], "start": [("X", "Y")]}, "start has X -> Y, which goes from a later tier"),
        ({"tiers": [list("YABCDZW"), ["X"]], "whitelist": [("X", "Y")]}, "whitelist has X -> Y, which goes from"),
        ({"max_parents": -1}, "max_parents=-1 must be a whole number"),
        ({"max_parents": 2.5}, "max_parents=2.5 must be a whole number"),
        ({"max_iter": -1}, "max_iter=-1 must be a whole number"),
        ({"tabu": 3}, "tabu belongs to an algorithm: algorithm=bnjit.Tabu.length=3."),
        ({"restarts": "many"}, "restarts belongs to an algorithm"),
        ({"algorithm": "ges2"}, "algorithm='ges2' is not known; the algorithms are hc, tabu, boss, ges"),
        ({"score": "bics"}, "score='bics' is not known"),
    ],
)  # fmt: skip
def test_contradictions_are_errors(arguments, message):
    with pytest.raises(bnjit.BnjitError, match=message):
        bnjit.learn(TABLES["cgaussian"](), **arguments)


def test_result():
    table = TABLES["cgaussian"]()
    result = bnjit.learn(table)
    assert list(result.dag) == list(table)
    assert result.dag.nodes["A"]["kind"] == "discrete"
    assert result.dag.nodes["X"]["kind"] == "continuous"
    assert list(result.trace.columns) == ["step", "move", "source", "target", "delta", "score", "phase", "seconds"]
    assert result.trace["step"].tolist() == list(range(1, len(result.trace) + 1))
    assert set(result.seconds) == {"read", "statistics", "search", "summary"}
    assert result.trace["score"].iloc[-1] == pytest.approx(result.score, rel=1e-12)
    assert result.score == pytest.approx(bnjit.score(result.dag, table), rel=1e-12)
    text = repr(result)
    assert "8 nodes (4 discrete, 4 continuous)" in text
    assert len(text.splitlines()) == 4
    html = result._repr_html_()
    assert "<svg" in html
    assert "<table>" in html
    assert bnjit.shd(result.cpdag, result.dag) == 0
    assert result.modelstring.startswith("[")


def test_one_column():
    assert bnjit.learn({"x": [1.0, 2.0, 4.0]}).dag.number_of_edges() == 0


def test_progress_bar(capsys, monkeypatch):
    table = TABLES["gaussian"]()
    bnjit.learn(table)
    assert capsys.readouterr().err == ""
    bnjit.learn(table, progress=True)
    shown = capsys.readouterr().err
    assert "hc" in shown
    assert "steps" in shown
    monkeypatch.setattr("bnjit.progress.is_interactive", lambda: True)
    bnjit.learn(table, progress=False)
    assert capsys.readouterr().err == ""
    bnjit.learn(table)
    assert "steps" in capsys.readouterr().err


@pytest.mark.parametrize(("kind", "which"), [(kind, i) for kind in SEARCHES for i in range(len(SEARCHES[kind]))])
def test_golden_searches(kind, which, golden):
    """Scores, constraints, starts and short tabu lists, as bnlearn-port answers."""
    result = bnjit.learn(TABLES[kind](), **SEARCHES[kind][which])
    assert arcs_of(result) == {tuple(arc) for arc in golden["searches"][kind][which]}


def test_a_node_that_stays_impossible_does_not_spoil_the_rest():
    rng = np.random.default_rng(1)
    n = 200
    x = rng.normal(size=n)
    y = x + 0.5 * rng.normal(size=n)
    z = y + 0.5 * rng.normal(size=n)
    table = pd.DataFrame({"a": ["rare"] + ["often"] * (n - 1), "b": rng.normal(size=n), "x": x, "y": y, "z": z})
    for arguments in ({}, {"algorithm": "tabu"}, {"algorithm": bnjit.HillClimbing(restarts=2, perturb=2)}):
        result = bnjit.learn(table, whitelist=[("a", "b")], **arguments)
        assert result.score == -np.inf
        assert {frozenset(arc) for arc in arcs_of(result)} >= {
            frozenset(p) for p in (("a", "b"), ("x", "y"), ("y", "z"))
        }


def test_patience_limits_the_moves_that_do_not_improve():
    table = TABLES["gaussian"]()
    climb = len(bnjit.learn(table).trace)
    for limit in (0, 1, 4):
        trace = bnjit.learn(table, algorithm=bnjit.Tabu(patience=limit)).trace
        after = trace["phase"].iloc[climb:].tolist()
        assert after[:1] == ["tabu"][:limit]
        assert after.count("tabu") == limit


def test_restarts_perturb_the_best_graph():
    table = TABLES["gaussian"]()
    scorer = make_scorer(read_table(table), "bic")
    state = State(ScoreMemo(scorer), make_constraints(table.columns, [False] * 7))
    search = Search(state, None, lambda step: None)
    calls = []

    def climb(given):
        calls.append((given.state.arcs.copy(), len(given.steps)))
        hill_climbing(given)
        # Leave the best graph, so that the next restart must return to it.
        given.take(Move(kernels.DELETE, *np.argwhere(given.state.arcs)[0].tolist(), 0.0), "hc")

    search.run(lambda s: random_restarts(s, climb, 3, 2, 1))
    assert len(calls) == 4
    for arcs, _ in calls[1:]:
        changed = {frozenset(pair) for pair in np.argwhere(arcs != search.best).tolist()}
        assert 1 <= len(changed) <= 2
    perturbed = [step for step in search.steps if step.phase == "perturb"]
    assert 3 <= len(perturbed) <= 6


def test_blacklisting_one_direction_leaves_the_other():
    table = TABLES["gaussian"]()
    for a, b in (("A", "E"), ("C", "D")):
        plain = bnjit.learn(table[[a, b]])
        assert arcs_of(plain) == {(a, b)}
        assert arcs_of(bnjit.learn(table[[a, b]], blacklist=[(a, b)])) == {(b, a)}


def test_large_scores_have_a_wider_tolerance():
    table = read_table({"x": 1e3 * np.random.default_rng(0).normal(size=2000), "y": np.arange(2000.0) ** 1.5})
    state = State(ScoreMemo(make_scorer(table, "bic")), make_constraints(table.names, table.discrete))
    assert state.tolerance == kernels.TOLERANCE
    state.local[:] = -1e9
    assert 1e-7 < state.tolerance < 1e-4


def test_ctrl_c_while_differences_are_estimated(monkeypatch):
    table = TABLES["gaussian"]()
    whole = bnjit.learn(table)
    refresh = State.refresh
    for arcs in (0, 3):

        def interrupted(self, arcs=arcs):
            if self.arcs.sum() == arcs:
                raise KeyboardInterrupt
            refresh(self)

        monkeypatch.setattr(State, "refresh", interrupted)
        result = bnjit.learn(table)
        assert result.interrupted
        assert result.dag.number_of_edges() == arcs  # the move that was made is not lost
        assert result.trace["move"].tolist() == [*whole.trace["move"][:arcs], "stopped by Ctrl-C"]
        assert result.trace["score"].iloc[-1] == result.score
        assert result.score == pytest.approx(bnjit.score(result.dag, table), rel=1e-12)


def test_names_keep_their_type_in_a_stopped_trace():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    trace = bnjit.learn({0: x, 1: x + rng.normal(size=100), 2: x - rng.normal(size=100)}, max_iter=1).trace
    assert isinstance(trace["source"][0], int)
    assert trace["target"][1] is None
