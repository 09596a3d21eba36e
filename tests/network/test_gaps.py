"""Gaps filled with draws: their distribution against enumeration, and that nothing but seed and row number matters."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit._threads import threads
from bnjit.data import Column, Table
from bnjit.datasets import random_network, small_discrete, small_mixed
from bnjit.network import gaps as module
from bnjit.network.gaps import GapFiller
from bnjit.network.inference import node_log_probability
from bnjit.network.nodes import DiscreteNode, GaussianNode
from bnjit.network.sampling import as_table, draw_rows
from tests.network.completions import completions, shares
from tests.network.test_network import network_of

DRAWS = 40_000


def repeated(table, r, times):
    """One row of a table, many times."""
    return table.take(np.full(times, r))


def masks_of(network, missing, n):
    """Masks of nodes that are missing in all n rows."""
    return [np.ones(n, bool) if j in missing else None for j in range(len(network.names))]


def draws_of(network, r, missing, sweeps=3, seed=5):
    """Row r of a sample without some values, and many draws of it: float64[N, DRAWS]."""
    row = draw_rows(network, r + 1, 11)
    table = repeated(row, r, DRAWS)
    filled = GapFiller(network, sweeps).fill(table, masks_of(network, missing, DRAWS), seed)
    for j in range(len(network.names)):
        if j not in missing:
            assert filled.columns[j].values is table.columns[j].values
    values = [c.values[r] for c in row.columns]
    return values, np.stack([c.values.astype(float) for c in filled.columns])


def check_draws(network, values, drawn, missing, tolerance=5.0):
    """Compare draws with the completions of a row: shares, and moments in each, within `tolerance` standard errors."""
    found = completions(network, values, missing)
    weights, _ = shares(found)
    gaps = [j for j in sorted(missing) if not network.discrete[j]]
    for completion, p in zip(found, weights, strict=True):
        here = np.ones(DRAWS, bool)
        for j, code in completion.codes.items():
            here &= drawn[j] == code
        count = int(here.sum())
        assert abs(count / DRAWS - p) <= tolerance * np.sqrt(p * (1 - p) / DRAWS) + 1e-12
        if gaps and count > 500:
            sd = np.sqrt(np.diag(completion.covariance))
            sample = drawn[gaps][:, here]
            assert (np.abs(sample.mean(axis=1) - completion.mean) <= tolerance * sd / np.sqrt(count) + 1e-12).all()
            error = np.cov(sample).reshape(len(gaps), -1) - completion.covariance
            assert (np.abs(error) <= tolerance * np.sqrt(2.0 / count) * np.outer(sd, sd) + 1e-12).all()


@pytest.mark.parametrize("missing", [{5}, {0, 5}, {2, 3, 5}, {4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}])
@pytest.mark.parametrize("most", [1, 512])
def test_discrete_draws_are_those_of_enumeration(missing, most, monkeypatch):
    monkeypatch.setattr(module, "DRAWN_CONFIGURATIONS", most)
    network = small_discrete()
    values, drawn = draws_of(network, 3, missing, sweeps=40 if most == 1 else 0)
    check_draws(network, values, drawn, missing)


@pytest.mark.parametrize("seed", range(4))
def test_gaussian_draws_are_conditional_normals(seed):
    network = random_network("gaussian", 8, parents=2.0, seed=seed)
    missing = set(np.random.default_rng(seed).permutation(8)[: 2 + seed].tolist())
    values, drawn = draws_of(network, seed, missing, sweeps=0)
    check_draws(network, values, drawn, missing)


@pytest.mark.parametrize("missing", ["A", "E", "AE", "BF", "BCFE", "ADE", "ABDEG", "ABCDEFGH"])
@pytest.mark.parametrize("most", [1, 512])
def test_mixed_draws_are_those_of_enumeration(missing, most, monkeypatch):
    monkeypatch.setattr(module, "DRAWN_CONFIGURATIONS", most)
    network = small_mixed()
    nodes = {network.index(name) for name in missing}
    values, drawn = draws_of(network, 2, nodes, sweeps=40 if most == 1 else 0)
    check_draws(network, values, drawn, nodes)


def test_completions_against_integration():
    """The oracle itself: weights of completions by a grid over two missing continuous values."""
    network = small_mixed()
    A, D, E = (network.index(name) for name in "ADE")
    row = draw_rows(network, 1, 11)
    values = [c.values[0] for c in row.columns]
    found = completions(network, values, {A, D, E})
    for completion in found:
        sd = np.sqrt(np.diag(completion.covariance))
        d, e = (completion.mean[i] + sd[i] * np.linspace(-9, 9, 301) for i in range(2))
        grid = repeated(row, 0, d.size * e.size)
        columns = [c.values for c in grid.columns]
        columns[A][:] = completion.codes[A]
        columns[D][:], columns[E][:] = np.repeat(d, e.size), np.tile(e, d.size)
        grid = as_table(network, columns)
        density = np.exp(sum(node_log_probability(network, j, grid) for j in range(len(columns))))
        area = (d[1] - d[0]) * (e[1] - e[0])
        assert density.sum() * area == pytest.approx(np.exp(completion.log_density), rel=1e-6)
        assert (density * columns[D]).sum() / density.sum() == pytest.approx(completion.mean[0], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_threads_and_chunks_change_nothing(kind):
    network = random_network(kind, 12, parents=2.0, levels=4, share_discrete=0.5, seed=2)
    n, rng = 3000, np.random.default_rng(1)
    table = draw_rows(network, n, 4)
    gaps = [rng.random(n) < 0.4 if j % 3 else None for j in range(12)]
    filler = GapFiller(network)
    with threads(1):
        whole = filler.fill(table, gaps, seed=8, first=100)
    with threads(4):
        again = filler.fill(table, gaps, seed=8, first=100)
    other = filler.fill(table, gaps, seed=9, first=100)
    parts = [
        filler.fill(table.take(rows), [None if g is None else g[rows] for g in gaps], seed=8, first=100 + rows[0])
        for rows in (np.arange(0, 1), np.arange(1, 1700), np.arange(1700, n))
    ]
    for j, gap in enumerate(gaps):
        drawn = whole.columns[j].values
        assert np.array_equal(drawn, again.columns[j].values)
        assert np.array_equal(drawn, np.concatenate([part.columns[j].values for part in parts]))
        if gap is None:
            assert drawn is table.columns[j].values
        else:
            assert np.array_equal(drawn[~gap], table.columns[j].values[~gap])
            assert not np.array_equal(drawn, other.columns[j].values)


def test_what_stands_in_a_gap_is_not_looked_at():
    network = network_of("cgaussian")
    table = draw_rows(network, 200, 3)
    gaps = [np.arange(200) % 5 == j % 5 for j in range(len(network.names))]
    expected = GapFiller(network).fill(table, gaps, seed=1)
    columns = []
    for column, gap in zip(table.columns, gaps, strict=True):
        values = column.values.astype(np.uint16 if column.labels else np.float64)
        values[gap] = 999 if column.labels else np.nan
        columns.append(Column(values, column.labels))
    found = GapFiller(network).fill(Table(network.names, columns), gaps, seed=1)
    for a, b in zip(found.columns, expected.columns, strict=True):
        assert np.array_equal(a.values, b.values)
        assert np.isfinite(a.values).all()
    narrow = Table(
        network.names, [Column(c.values if c.labels else c.values.astype(np.float32), c.labels) for c in columns]
    )
    assert all(c.labels or c.values.dtype == np.float32 for c in GapFiller(network).fill(narrow, gaps).columns)


def test_no_gaps_is_the_same_table():
    network = small_mixed()
    table = draw_rows(network, 10, 1)
    assert GapFiller(network).fill(table, [None] * 8) is table
    assert GapFiller(network).fill(table, [np.zeros(10, bool)] * 8) is table


def certain_network():
    """x, then y = 2 x + 1 without error, then z = y + e; a discrete copy of a discrete node."""
    none = np.zeros(0, np.int64)
    one = np.zeros(1, np.int64)
    nodes = [
        GaussianNode((), (), one, np.array([[1.0]]), np.array([2.0]), np.array([1.0, 2.0])),
        GaussianNode((), (0,), none, np.zeros((0, 2)), np.zeros(0), np.array([1.0, 2.0, 0.0])),
        GaussianNode((), (1,), one, np.array([[0.0, 1.0]]), np.array([0.5]), np.array([0.0, 1.0, 0.5])),
        DiscreteNode((), one, np.array([[0.2, 0.3, 0.5]]), np.array([0.2, 0.3, 0.5])),
        DiscreteNode((3,), np.arange(3), np.eye(3), np.full(3, 1 / 3)),
    ]
    return bnjit.Network(list("xyzab"), [None, None, None, tuple("rst"), tuple("rst")], nodes)


def test_certain_nodes():
    network = certain_network()
    table = as_table(network, [np.array([0.5]), np.array([2.0]), np.array([3.0]), *np.array([[1], [1]], np.uint8)])
    filler = GapFiller(network)
    many = repeated(table, 0, DRAWS)
    # A certain child gives its parent's value, and a certain node its own.
    for missing in ({0, 3}, {1, 4}):
        filled = filler.fill(many, masks_of(network, missing, DRAWS))
        for column, expected in zip(filled.columns, (0.5, 2.0, 3.0, 1, 1), strict=True):
            np.testing.assert_allclose(column.values, expected, rtol=1e-12)
    # Both missing: they agree, and follow the posterior of x given z: prior N(1, 2), z = 2 x + 1 + e, e ~ N(0, 0.5).
    filled = filler.fill(many, masks_of(network, {0, 1, 3, 4}, DRAWS))
    x, y, _, a, b = (c.values for c in filled.columns)
    np.testing.assert_allclose(y, 2 * x + 1, rtol=1e-9)
    assert np.array_equal(a, b)
    precision = 1 / 4 + 4 / 0.25
    assert x.mean() == pytest.approx((1 / 4 + 2 * 2 / 0.25) / precision, abs=5 / np.sqrt(precision * DRAWS))
    assert x.std() == pytest.approx(precision**-0.5, rel=0.02)
    assert np.bincount(a) / DRAWS == pytest.approx([0.2, 0.3, 0.5], abs=0.02)


def test_impossible_evidence_is_left_out():
    network = certain_network()
    # y contradicts x, and a second copy of a contradicts the first.
    copy = DiscreteNode((3,), np.arange(3), np.eye(3), np.full(3, 1 / 3))
    network = bnjit.Network([*network.names, "c"], [*network.labels, tuple("rst")], [*network.nodes, copy])
    codes = [np.full(DRAWS, k, np.uint8) for k in (0, 1, 2)]
    table = as_table(network, [np.full(DRAWS, 0.5), np.full(DRAWS, 99.0), np.zeros(DRAWS), *codes])
    filled = GapFiller(network).fill(table, masks_of(network, {2, 3}, DRAWS))
    assert filled.columns[2].values.mean() == pytest.approx(99.0, abs=0.02)
    assert np.bincount(filled.columns[3].values) / DRAWS == pytest.approx([0.2, 0.3, 0.5], abs=0.02)


def test_configurations_without_parameters_use_the_fallback():
    table = pd.DataFrame({
        "a": pd.Categorical(list("xxyy") * 20, categories=list("xyz")), "b": list("uuuv") * 20,
        "c": np.random.default_rng(0).normal(size=80),
    })  # fmt: skip
    network = bnjit.fit("[a][b|a][c|a]", table)
    n = 20_000
    columns = [np.full(n, 2, np.uint8), np.zeros(n, np.uint8), np.zeros(n)]
    filled = GapFiller(network).fill(as_table(network, columns), masks_of(network, {1, 2}, n))
    assert filled.columns[1].values.mean() == pytest.approx(0.25, abs=0.02)
    assert filled.columns[2].values.mean() == pytest.approx(table["c"].mean(), abs=0.04)
    assert filled.columns[2].values.std() == pytest.approx(table["c"].std(), rel=0.03)
