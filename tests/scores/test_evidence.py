"""Local penalties and integrated held-out densities, against plain loops; sources, triangles and residuals agree."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnjit
from bnjit.data import read_table
from bnjit.errors import ArgumentError
from bnjit.kernels.evidence import LOCAL, REFERENCE
from bnjit.scores import make_scorer
from bnjit.scores.cgaussian import FromCells
from bnjit.scores.evidence import EvidenceOfCells, FromEvidence
from bnjit.stats.opening import make_store
from bnjit.stats.parent_sets import batch_of, make_sets
from bnjit.stats.regressions import Refits
from tests.comparison import local_scores
from tests.reference import naive
from tests.reference.naive.evidence import log_m
from tests.scores.test_naive import parent_sets
from tests.strategies import take_rows, to_table

LOCAL_BIC = bnjit.BIC(penalty="local")
INTEGRATED = bnjit.HeldOut(density="bayes")


@st.composite
def sparse_tables(draw, min_rows=12, max_rows=80):
    """Tables with a discrete column, many sparse configurations, and columns that are constant in some of them."""
    n = draw(st.integers(min_rows, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = draw(st.lists(st.integers(2, 7), min_size=1, max_size=2))
    table = {f"D{i}": (rng.integers(0, r, n).tolist(), r) for i, r in enumerate(levels)}
    z = np.array(table["D0"][0])
    x = rng.normal(size=n) * (1 + z)
    table["X0"] = x.tolist()
    table["X1"] = (0.5 * x + rng.normal(size=n) + z).tolist()
    table["X2"] = rng.integers(0, 3, n).astype(float).tolist()  # constant in small cells by chance
    table["X2"][0] += 1.0
    return table


def check(scorer, table, expected, data):
    names = list(table)
    at = {name: i for i, name in enumerate(names)}
    node = data.draw(st.sampled_from([name for name in names if not naive.is_discrete(table[name])]))
    sets = parent_sets(data, table, node, most=3)
    ours = local_scores(scorer, at[node], [[at[p] for p in s] for s in sets])
    for value, s in zip(ours, sets, strict=True):
        assert value == pytest.approx(expected(node, sorted(s, key=names.index)), rel=1e-9, abs=1e-7), (node, s)


@given(table=sparse_tables(), data=st.data())
def test_local_penalties_against_loops(table, data):
    scorer = make_scorer(to_table(table), LOCAL_BIC)
    check(scorer, table, lambda node, parents: naive.local_penalty(table, node, parents), data)


@given(table=sparse_tables(min_rows=24), data=st.data())
def test_integrated_density_against_loops(table, data):
    n = naive.rows_of(table)
    train, test = take_rows(table, range(2 * n // 3)), take_rows(table, range(2 * n // 3, n))
    scorer = make_scorer(to_table(train), INTEGRATED, test=to_table(test))
    check(scorer, table, lambda node, parents: naive.integrated(train, test, node, parents), data)


@given(table=sparse_tables(min_rows=24))
def test_integrated_density_of_discrete_nodes(table):
    n = naive.rows_of(table)
    table = {name: column for name, column in table.items() if naive.is_discrete(column)} | {"E": table["D0"]}
    train, test = take_rows(table, range(n // 2)), take_rows(table, range(n // 2, n))
    scorer = make_scorer(to_table(train), INTEGRATED, test=to_table(test))
    names = list(table)
    for node, p in itertools.product(range(len(names)), range(2)):
        for parents in itertools.combinations([v for v in range(len(names)) if v != node], p):
            (ours,) = local_scores(scorer, node, [parents])
            expected = naive.integrated(train, test, names[node], [names[v] for v in parents])
            assert ours == pytest.approx(expected, rel=1e-10)


def near_copies(n=3000, noise=1e-7):
    """A mixed table in which x all but says y within configurations, some of them sparse."""
    rng = np.random.default_rng(5)
    z = np.minimum(rng.geometric(0.25, n), 14)
    x, w, e = rng.normal(size=(3, n))
    y = (1.0 + z) * x + noise * e + 1e5 * z
    return pd.DataFrame({"z": [f"{k:02}" for k in z], "x": x, "w": w, "y": y, "v": w - y})


@pytest.mark.parametrize("kind", [LOCAL, REFERENCE])
def test_triangles_and_residuals_give_the_same(kind):
    frame = near_copies()
    table, test = read_table(frame[:2000]), read_table(frame[2000:])
    store, other = make_store(table), make_store(test, constants=True) if kind == REFERENCE else None
    sets = make_sets([(0, 1), (0, 1, 2), (0, 1, 2, 4), (0, 4), (0,)])
    found = []
    for many_rows in (0.0, np.inf):
        refits = Refits(store, other, EvidenceOfCells(kind, other is not None), many_rows)
        found.append(FromCells(store, other, refits=refits).local_scores(batch_of(3, sets)))
    assert np.isfinite(found[0]).all()
    np.testing.assert_allclose(*found, rtol=1e-9)


@pytest.mark.parametrize("score", [LOCAL_BIC, INTEGRATED])
def test_near_copies_against_loops(score):
    frame = near_copies(600, 1e-2)
    codes = pd.factorize(frame["z"], sort=True)[0].tolist()
    table = {"z": (codes, max(codes) + 1)} | {name: frame[name].tolist() for name in ("x", "w", "y", "v")}
    train, test = take_rows(table, range(400)), take_rows(table, range(400, 600))
    rows = (train, test) if score is INTEGRATED else (table, None)
    scorer = make_scorer(to_table(rows[0]), score, test=rows[1] and to_table(rows[1]))
    for parents in ("z", "x"), ("z", "x", "w"), ("z",), ("x", "w"):
        (ours,) = local_scores(scorer, 3, [["zxw".index(p) for p in parents]])
        expected = (
            naive.local_penalty(table, "y", parents) if rows[1] is None else naive.integrated(*rows, "y", parents)
        )
        assert ours == pytest.approx(expected, rel=1e-7), parents


def test_what_has_no_discrete_parent_has_the_score_of_bic():
    frame = near_copies(500, 0.1)
    arcs = [("x", "y"), ("w", "v")]
    both = [bnjit.score(arcs, frame, score, by_node=True) for score in ("bic", LOCAL_BIC)]
    # Of n rows, BIC's variance takes n - g - 1, and the maximum n.
    np.testing.assert_allclose(*both, atol=0.02)
    assert both[0]["z"] == both[1]["z"]
    numbers = frame[["x", "w", "y", "v"]]
    assert bnjit.score(arcs, numbers, "bic") == bnjit.score(arcs, numbers, LOCAL_BIC)


def test_a_configuration_of_its_own_costs_by_its_rows():
    rng = np.random.default_rng(1)
    n = 10_000
    z = (rng.random(n) < 0.002).astype(int)
    frame = pd.DataFrame({"z": np.where(z, "rare", "common"), "y": rng.normal(size=n) + 1.2 * z})
    gain = {}
    for score in ("bic", LOCAL_BIC):
        with_arc, without = (bnjit.score(arcs, frame, score, by_node=True)["y"] for arcs in ([("z", "y")], []))
        gain[str(score)] = with_arc - without
    cheaper = gain[str(LOCAL_BIC)] - gain["bic"]
    rows = z.sum()
    assert cheaper == pytest.approx(math.log(n) - math.log(rows) + math.log(n / (n - rows)), abs=0.3)


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
@pytest.mark.parametrize("score", [LOCAL_BIC, INTEGRATED])
def test_every_source_gives_the_same(tmp_path, score):
    frame = near_copies(2000, 1e-3)
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path)
    whole = bnjit.learn(frame, score, bnjit.HillClimbing(exchange=True), seed=1)
    chunked = bnjit.learn(path, score, bnjit.HillClimbing(exchange=True), seed=1, out_of_core=True, max_memory="2MB")
    assert list(whole.dag.edges) == list(chunked.dag.edges)
    assert chunked.score == pytest.approx(whole.score, rel=1e-9)


def test_threads_do_not_matter():
    frame = near_copies()
    store = make_store(read_table(frame))
    sets = make_sets([s for p in range(4) for s in itertools.combinations((0, 1, 2, 4), p)])
    found = []
    for n_threads in (1, 2):
        with bnjit._threads.threads(n_threads):
            found.append(FromEvidence(store).local_scores(batch_of(3, sets)))
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_integrated_density_over_folds():
    frame = near_copies(600, 0.5)
    result = bnjit.learn(frame, bnjit.CrossValidation(folds=4, density="bayes"), seed=1)
    plug_in = bnjit.learn(frame, bnjit.CrossValidation(folds=4), seed=1)
    assert np.isfinite(result.score)
    assert result.score > plug_in.score - 50.0
    assert ("x", "y") in result.dag.edges or ("y", "x") in result.dag.edges


def test_leverage_costs_what_it_should():
    """A test row far from the training rows: the plug-in density makes it all but impossible."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=40)
    train = pd.DataFrame({"x": x, "y": x + rng.normal(size=40)})
    test = pd.DataFrame({"x": [1e4, 0.0], "y": [1e4 * 1.05, 0.0]})
    plug_in, integrated = (
        bnjit.score([("x", "y")], train, bnjit.HeldOut(test=test, density=density), by_node=True)["y"]
        for density in ("plugin", "bayes")
    )
    assert plug_in < -1000.0
    assert integrated > -20.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bnjit.BIC(sparse="pool", penalty="local"), "does not go with penalty=\"local\""),
        (lambda: bnjit.HeldOut(sparse="pool", density="bayes"), "does not go with density=\"bayes\""),
        (lambda: bnjit.CrossValidation(sparse="pool", density="bayes"), "does not go with density"),
        (lambda: bnjit.BIC(penalty="loc"), "penalty='loc' is not known"),
        (lambda: bnjit.learn(near_copies(50), LOCAL_BIC, estimator="qr"), "penalty='local' is for estimator=\"stats\""),
        (lambda: bnjit.learn(near_copies(50), INTEGRATED, estimator="2p"), "density='bayes' is for estimator"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_a_constant_parent_beside_one_with_no_slope():
    """In configuration a, x is constant and z has a slope of exactly 0: z keeps its coefficient, x has none."""
    z = [-1.0, 1.0] * 8
    y = [1.0, 1.0, -1.0, -1.0] * 4
    rng = np.random.default_rng(1)
    x = [2.0] * 16 + rng.normal(size=16).tolist()
    y += rng.normal(size=16).tolist()
    z += rng.normal(size=16).tolist()
    table = {"d": ([0] * 16 + [1] * 16, 2), "x": x, "z": z, "y": y}
    test = take_rows(table, [0, 1, 5, 20, 21])
    scorer = make_scorer(to_table(table), INTEGRATED, test=to_table(test))
    (ours,) = local_scores(scorer, 3, [[0, 1, 2]])
    train = {name: column + test[name] for name, column in table.items() if name != "d"}
    train["d"] = (table["d"][0] + test["d"][0], 2)
    expected = 0.0
    for level, columns in ((0, ["z"]), (1, ["x", "z"])):
        both = [r for r in range(37) if train["d"][0][r] == level]
        expected += log_m(train, "y", columns, both)
        expected -= log_m(train, "y", columns, [r for r in both if r < 32])
    assert ours == pytest.approx(expected, rel=1e-10)
