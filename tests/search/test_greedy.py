"""Greedy search: R's answers, a naive search step by step, restarts, tabu lists, interruptions, threads."""

from types import SimpleNamespace

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
from bnjit.search import Move, ScoreMemo, Search, State, hill_climbing, random_restarts
from bnjit.search.constraints import make_constraints
from tests.golden.tables import SEARCHES, TABLES
from tests.reference import naive
from tests.reference.mehra import sample_mehra
from tests.search.by_loops import arcs_of, table_without_ties
from tests.strategies import take_rows

DATASETS = [
    "gaussian.test", "learning.test", "clgaussian.test", "alarm", "asia", "insurance", "hailfinder", "marks",
    "coronary", "lizards",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
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


def assert_same_by_all_estimators(table, **arguments):
    results = {estimator: bnjit.learn(table, estimator=estimator, **arguments) for estimator in ESTIMATORS}
    for result in results.values():
        assert arcs_of(result) == arcs_of(results["qr"])
        assert result.score == pytest.approx(results["qr"].score, rel=1e-9)
    return results["stats"]


@pytest.mark.parametrize("name", ["gaussian.test", "clgaussian.test", "marks"])
def test_estimators_agree_on_reference_sets(name, reference_table):
    assert_same_by_all_estimators(reference_table(name))


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["airline-sample", "gas-standin", "hepmass-standin", "higgs-sample", "susy-sample"])
def test_estimators_agree_on_table_2(name, shared):
    table = read_table(shared / "data" / f"{name}.parquet")
    assert assert_same_by_all_estimators(table, max_parents=5).dag.number_of_edges() > 20


@pytest.mark.slow
def test_estimators_agree_on_mehra(shared):
    table = read_table(sample_mehra(shared / "data" / "mehra-complete.rda", 100_000, seed=1))
    assert assert_same_by_all_estimators(table).dag.number_of_edges() > 40


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
@given(seed=st.integers(0, 10**6), tabu=st.sampled_from([0, 2, 4]), most=st.sampled_from([1, 2, 10]))
@settings(max_examples=12)
def test_naive_search_walks_the_same_path(kind, seed, tabu, most):
    table = table_without_ties(np.random.default_rng(seed), kind, 50)
    result = bnjit.learn(_frame(table), algorithm=bnjit.Tabu(length=tabu) if tabu else "hc", max_parents=most)
    path, best = naive.greedy(table, "bic", tabu=tabu, equivalent=kind != "cgaussian", most=most)
    moves = list(zip(result.trace["move"], result.trace["source"], result.trace["target"], strict=True))
    assert moves == path
    assert arcs_of(result) == set(best)


def test_naive_predictive_search_walks_the_same_path():
    table = table_without_ties(np.random.default_rng(8), "cgaussian", 80)
    train, test = take_rows(table, range(60)), take_rows(table, range(60, 80))
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


def test_a_start_that_data_cannot_support_is_left():
    table = pd.DataFrame({"a": list("xxxxxy") * 3, "b": np.arange(18.0) ** 1.5, "c": list("pq") * 9})
    table.loc[5, "a"] = "z"
    assert bnjit.score([("a", "b")], table) == -np.inf
    result = bnjit.learn(table, start=[("a", "b")])
    assert np.isfinite(result.score)
    assert ("a", "b") not in arcs_of(result)


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
        with pytest.warns(bnjit.BnjitWarning, match="because of `b`: `a` = 'rare' is there in 1 row"):
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


@pytest.mark.parametrize("algorithm", [bnjit.HillClimbing, bnjit.Tabu])
def test_restarts_end_where_one_leads_back(algorithm):
    """Step 5(b) of Algorithm 1: the walk is that of all restarts, cut off after the first that finds nothing new."""
    table = TABLES["gaussian"]()

    def learned(seed, restarts, **more):
        how = algorithm(restarts=restarts, perturb=3, **more) if restarts else algorithm()
        result = bnjit.learn(table, algorithm=how, seed=seed)
        return result, result.trace[["move", "source", "target", "phase"]].values.tolist()

    made = []
    for seed in range(6):
        whole, all_steps = learned(seed, 8)
        ended, steps = learned(seed, 8, until_repeated=True)
        assert whole.n_restarts == 8
        assert steps == all_steps[: len(steps)]
        made.append(ended.n_restarts)
        if ended.n_restarts < 8:
            assert steps == learned(seed, ended.n_restarts)[1]
            before, earlier = learned(seed, ended.n_restarts - 1)
            assert arcs_of(before) == arcs_of(ended)  # the last restart visits the graph that it perturbed
            assert ended.trace["score"][len(earlier) :].max() == pytest.approx(before.score, rel=1e-12)
    assert min(made) < 8
    assert len(set(made)) > 1 or algorithm is bnjit.Tabu  # which comes back at once here
    assert ", 8 restarts, " in repr(whole)
    plain = learned(1, 0)[0]
    assert plain.n_restarts == 0
    assert "restarts" not in repr(plain)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ([["away"], ["away"], ["away"]], 3),
        ([["away"], ["back"], ["away"]], 2),
        ([["back", "away"], ["away"], ["away"]], 1),  # as tabu search does
        ([["better", "back"], ["away"], ["back"]], 3),  # back to the new best, not to the one before
        ([[], [], []], 3),
    ],
)
def test_when_restarts_end(script, expected):
    table = TABLES["gaussian"]()
    scorer = make_scorer(read_table(table), "bic")
    search = Search(State(ScoreMemo(scorer), make_constraints(table.columns, [False] * 7)), None, lambda step: None)
    todo = [["climb"], *script]

    def walk(given):
        if todo[0] == ["climb"]:
            hill_climbing(given)
            todo[0] = []
        possible, score = given.best_rank
        for what in todo.pop(0):
            arcs = given.best.copy()
            if what == "better":
                arcs[0, 6] = not arcs[0, 6]
                score += 1.0
            elif what == "away":
                arcs[1, 5] = not arcs[1, 5]
            rank = (possible, score - (what == "away"))
            given.visit(Move(kernels.ADD, 0, 1, 0.0), arcs, rank, rank[1], "hc")

    search.run(lambda s: random_restarts(s, walk, 3, 1, 1, until_repeated=True))
    assert search.n_restarts == expected
    assert len(todo) == 3 - expected


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


def test_ctrl_c_wrapped_by_numba_ends_a_search():
    """Numba may wrap it more than once while it hands over a result."""
    search = Search(
        SimpleNamespace(arcs=np.zeros((2, 2), bool), rank=(0, 0.0), score=0.0, shift=0.0), None, lambda step: None
    )

    def interrupted(_):
        try:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt as error:
                raise SystemError("returned a result with an exception set") from error
        except SystemError as error:
            raise SystemError("returned a result with an exception set") from error

    search.run(interrupted)
    assert search.stopped_by == "Ctrl-C"
    with pytest.raises(SystemError):
        search.run(lambda _: (_ for _ in ()).throw(SystemError("something else")))
