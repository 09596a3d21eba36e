"""The marginal likelihood of any columns: against its formula, numerical integration, and one row ahead at a time."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnjit
from bnjit.data import read_table
from bnjit.scores import make_scorer
from tests.comparison import local_scores
from tests.reference import naive
from tests.scores.test_evidence import check, near_copies, sparse_tables
from tests.strategies import to_table


@given(table=sparse_tables(), data=st.data())
def test_against_the_formula(table, data):
    scorer = make_scorer(to_table(table), "marginal")
    check(scorer, table, lambda node, parents: naive.normal_wishart(table, node, parents), data)


def test_discrete_columns_have_bde():
    frame = bnjit.datasets.random_network("discrete", 5, seed=1).sample(300, seed=1)
    arcs = bnjit.learn(frame).dag
    for rows in (1.0, 7.0):
        ours = bnjit.score(arcs, frame, bnjit.MarginalLikelihood(imaginary_rows=rows))
        assert ours == pytest.approx(bnjit.score(arcs, frame, bnjit.BDe(imaginary_rows=rows)), rel=1e-13)


def test_continuous_columns_have_bge_of_standardised_columns():
    frame = bnjit.datasets.random_network("gaussian", 5, seed=1).sample(300, seed=1)
    arcs = bnjit.learn(frame).dag
    standard = (frame - frame.mean()) / frame.std()
    ours = bnjit.score(arcs, frame, "marginal")
    assert ours == pytest.approx(bnjit.score(arcs, standard, "bge") - 300 * np.log(frame.std()).sum(), rel=1e-12)


def small_cell():
    """Six rows in two configurations, a parent and a node."""
    rng = np.random.default_rng(3)
    x = rng.normal(2.0, 1.5, 12)
    return {"z": ([0, 1] * 6, 2), "x": x.tolist(), "y": (0.7 * x + rng.normal(size=12)).tolist()}


@pytest.mark.parametrize("parents", [["z"], ["z", "x"]])
def test_against_numerical_integration(parents):
    """Given the variance s, y of a configuration is normal; s itself is integrated by the trapezoid rule."""
    table = small_cell()
    x, y = np.array(table["x"]), np.array(table["y"])
    t, g = 0.5, len(parents) - 1
    total = 0.0
    for level in (0, 1):
        rows = np.array(table["z"][0]) == level
        n = int(rows.sum())
        spread = np.eye(n) + 1.0  # the mean is worth one imaginary row
        if g:
            far = x[rows] - x.mean()
            spread += np.outer(far, far) / (t * x.var(ddof=1))
        left = y[rows] - y.mean()
        quadratic, log_determinant = left @ np.linalg.solve(spread, left), np.linalg.slogdet(spread)[1]
        a, b = (2 + g + 1) / 2, t * y.var(ddof=1) / 2  # s is inverse gamma
        log_s = np.linspace(-25.0, 25.0, 200_001)
        s = np.exp(log_s)
        prior = a * math.log(b) - math.lgamma(a) - a * log_s - b / s  # of log s
        density = -n / 2 * np.log(2 * math.pi * s) - log_determinant / 2 - quadratic / (2 * s)
        total += math.log(np.trapezoid(np.exp(prior + density), log_s))
    scorer = make_scorer(to_table(table), "marginal")
    (ours,) = local_scores(scorer, 2, [["zx".index(p) for p in parents]])
    assert ours == pytest.approx(total, abs=1e-8)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::5])
def test_one_row_ahead_at_a_time(order):
    """The score is the sum of the densities of each row given those before it, in any order."""
    table = small_cell()
    names, priors = ["x", "y"], (1.0, 2.0, 0.5, 2)
    total = 0.0
    for level in (0, 1):
        rows = [r for r in range(12) if table["z"][0][r] == level]
        rows = [rows[i] for i in order] + rows[4:]
        for k in range(len(rows)):
            for columns, sign in ((names, 1.0), (["x"], -1.0)):
                before = naive.log_normal_wishart(table, columns, rows[:k], *priors) if k else 0.0
                total += sign * (naive.log_normal_wishart(table, columns, rows[: k + 1], *priors) - before)
    (ours,) = local_scores(make_scorer(to_table(table), "marginal"), 2, [[0, 1]])
    assert ours == pytest.approx(total, rel=1e-10)


def test_equivalent_graphs_have_equal_scores():
    frame = near_copies(400, 0.5)
    first = bnjit.score([("z", "x"), ("z", "y"), ("x", "y")], frame, "marginal")
    second = bnjit.score([("z", "x"), ("z", "y"), ("y", "x")], frame, "marginal")
    assert first == pytest.approx(second, rel=1e-12)


def test_moments_and_triangles_agree():
    """y is x to one part in 1e6 and more, where moments lose digits."""
    scores = []
    for noise in (1e-4, 1e-6, 1e-7):
        frame = near_copies(2000, noise)
        (ours,) = local_scores(make_scorer(read_table(frame), "marginal"), 3, [[0, 1]])
        scores.append(ours)
    assert np.isfinite(scores).all()
    codes = pd.factorize(frame["z"], sort=True)[0].tolist()
    table = {"z": (codes, max(codes) + 1)} | {name: frame[name].tolist() for name in ("x", "w", "y", "v")}
    assert scores[-1] == pytest.approx(naive.normal_wishart(table, "y", ["z", "x"]), rel=1e-6)


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
def test_units_do_not_matter():
    frame = near_copies(800, 0.5)
    scaled = frame.assign(x=frame["x"] * 2.0**-20, y=frame["y"] * 2.0**30)
    ours, theirs = (bnjit.learn(each, "marginal") for each in (frame, scaled))
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert list(ours.trace["delta"]) == pytest.approx(list(theirs.trace["delta"]), rel=1e-9)


def test_degrees_of_freedom_are_checked():
    with pytest.raises(bnjit.ArgumentError, match="there are 4 continuous columns"):
        bnjit.learn(near_copies(50), bnjit.MarginalLikelihood(degrees_of_freedom=4.0))


def test_more_parents_than_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(4, 6)), columns=list("abcdef"))
    ours = bnjit.score([(v, "f") for v in "abcde"], frame, "marginal")
    standard = (frame - frame.mean()) / frame.std()
    theirs = bnjit.score([(v, "f") for v in "abcde"], standard, "bge") - 4 * np.log(frame.std()).sum()
    assert ours == pytest.approx(theirs, rel=1e-12)
