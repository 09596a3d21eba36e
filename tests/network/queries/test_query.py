"""Posteriors against enumeration of all configurations, and questions that have no answer."""

import math

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.datasets import random_network, small_discrete, small_gaussian, small_mixed
from bnjit.network.nodes import DiscreteNode, GaussianNode
from tests.network.queries.described import describe, values_of
from tests.reference.naive import posteriors

KINDS = ["discrete", "gaussian", "cgaussian"]


def asked(kind, seed, nodes=6):
    """A random network, what is known of it, and what is not."""
    network = random_network(kind, nodes, parents=1.8, levels=3, share_discrete=0.5, seed=seed)
    rng = np.random.default_rng(seed)
    values = values_of(network, seed)
    known = rng.permutation(nodes)[: int(rng.integers(0, 4))].tolist()
    given = {network.names[j]: values[network.names[j]] for j in known}
    return network, given, rng


def check(network, found, given, do=None):
    """Compare every marginal, and the joint posteriors, with components by enumeration."""
    names = [n for n in network.names if n not in given and n not in (do or {})]
    discrete = [n for n in names if network.discrete[network.index(n)]]
    continuous = [n for n in names if n not in discrete]
    marginals = network.marginals(given, do)
    assert list(marginals) == names
    for name in discrete:
        expected = posteriors.probabilities(found, [name])
        for answer in (marginals[name], network.query(name, given, do)):
            assert answer.index.tolist() == list(network.labels[network.index(name)])
            np.testing.assert_allclose([expected[(level,)] for level in answer.index], answer, rtol=0, atol=1e-12)
    for name in continuous:
        mean, covariance = posteriors.moments(found, [name])
        for answer in (marginals[name], network.query(name, given, do)):
            np.testing.assert_allclose(answer.mean, mean, rtol=1e-10, atol=1e-10)
            np.testing.assert_allclose(answer.covariance, covariance, rtol=1e-10, atol=1e-10)
    if discrete:
        answer = network.query(discrete, given, do)
        expected = posteriors.probabilities(found, discrete)
        keys = [key if isinstance(key, tuple) else (key,) for key in answer.index]
        np.testing.assert_allclose([expected[key] for key in keys], answer, rtol=0, atol=1e-12)
    if continuous:
        mean, covariance = posteriors.moments(found, continuous)
        answer = network.query(continuous, given, do)
        np.testing.assert_allclose(answer.mean, mean, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(answer.covariance, covariance, rtol=1e-10, atol=1e-10)
    if discrete and continuous:
        answer = network.query([continuous[0], *discrete], given, do)
        for levels, weight, means, (rest, S) in found:
            if weight == 0.0:
                continue
            at = [i for i, key in enumerate(answer.weights.index) if _same(key, levels, answer.weights.index.names)]
            (i,) = at
            assert answer.weights.iloc[i] == pytest.approx(weight, rel=1e-9, abs=1e-13)
            assert answer.means.iloc[i, 0] == pytest.approx(means[continuous[0]], rel=1e-10, abs=1e-10)
            k = rest.index(continuous[0])
            assert answer.covariances[i, 0, 0] == pytest.approx(S[k, k], rel=1e-10, abs=1e-10)


def _same(key, levels, names):
    key = key if isinstance(key, tuple) else (key,)
    return all(levels[name] == level for name, level in zip(names, key, strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_posteriors_are_those_of_enumeration(kind, seed):
    network, given, _ = asked(kind, seed)
    check(network, posteriors.components(describe(network), given), given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_acting_is_a_network_whose_nodes_do_not_listen(kind, seed):
    network, given, rng = asked(kind, seed)
    name = network.names[int(rng.integers(6))]
    given.pop(name, None)
    do = {name: values_of(network, seed + 100)[name]}
    changed = posteriors.intervened(describe(network), do)
    found = posteriors.components(changed, {**given, **do})
    check(network, found, given, do)


@pytest.mark.parametrize("kind", ["discrete", "cgaussian"])
@pytest.mark.parametrize("seed", range(5))
def test_soft_evidence_multiplies_likelihoods(kind, seed):
    network, given, rng = asked(kind, seed)
    soft = [n for n, d in zip(network.names, network.discrete, strict=True) if d and n not in given][:2]
    weights = {n: {k: 5.0 * rng.random() for k in network.labels[network.index(n)]} for n in soft}
    weights[soft[0]][network.labels[network.index(soft[0])][1]] = 0.0
    found = posteriors.components(describe(network), given, weights)
    both = {**given, **weights}
    as_lists = {**given, **{n: list(w.values()) for n, w in weights.items()}}
    for name in soft:
        expected = posteriors.probabilities(found, [name])
        for question in (both, as_lists, pd.Series(both, dtype=object)):
            answer = network.query(name, question)
            np.testing.assert_allclose([expected[(k,)] for k in answer.index], answer, atol=1e-12)
        np.testing.assert_allclose(network.marginals(both)[name], answer, atol=1e-12)


def test_far_tails_are_not_contradictions():
    """Two densities say the opposite of a node and its copy, each by a factor exp(-1000): logarithms can tell."""
    one, two = np.zeros(1, np.int64), np.arange(2)
    half = np.array([0.5, 0.5])
    nodes = [
        DiscreteNode((), one, half[None, :], half),
        DiscreteNode((0,), two, np.eye(2), half),
        GaussianNode((0,), (), two, np.array([[0.0], [1.0]]), np.full(2, 2000.0**-0.5), np.array([0.0, 1.0])),
        GaussianNode((1,), (), two, np.array([[1.0], [0.0]]), np.full(2, 2001.0**-0.5), np.array([0.0, 1.0])),
        GaussianNode((1,), (), two, np.array([[3.0], [5.0]]), np.ones(2), np.array([0.0, 1.0])),
    ]
    network = bnjit.Network(list("ABXYZ"), [tuple("uv"), tuple("uv"), None, None, None], nodes)
    expected = 1.0 / (1.0 + math.exp(0.5))
    at = {"X": 0.0, "Y": 0.0}
    assert network.query("A", at)["u"] == pytest.approx(expected, rel=1e-10)
    assert network.marginals(at)["A"]["u"] == pytest.approx(expected, rel=1e-10)
    assert network.query("Z", at).mean["Z"] == pytest.approx(5.0 - 2.0 * expected, rel=1e-10)


def test_evidence_that_contradicts_itself():
    table = pd.DataFrame({"A": list("xxyy"), "B": list("uuvv"), "C": list("stst"), "D": [1.0, 2.0, 3.0, 5.0]})
    network = bnjit.fit("[A][C][B|A][D|C]", table)
    for ask in (lambda g: network.query("D", g), network.marginals, lambda g: network.query("C", g)):
        with pytest.raises(bnjit.ArgumentError, match="'A', 'B' has probability 0 under the network"):
            ask({"A": "x", "B": "v"})
    assert network.query("B", {"A": "x"}).tolist() == [1.0, 0.0]
    assert network.query("C", {}, {"A": "x", "B": "v"}).tolist() == [0.5, 0.5]  # acting contradicts nothing
    with pytest.raises(bnjit.ArgumentError, match="none of 100 particles agrees"):
        network.query("C", {"A": "x", "B": "v"}, method="sampling", particles=100)


def test_sampling_has_a_standard_error():
    network = small_mixed()
    given = {"E": -1.0, "G": 0.5}
    for target in ("B", ["F", "B"]):
        found = network.query(target, given, method="sampling", seed=3)
        exact = network.query(target, given)
        assert found.index.equals(exact.index)
        assert (np.abs(found["probability"] - exact) < 4 * found["standard_error"]).all()
        assert (found["standard_error"] < 0.01).all()
    found = network.query(["D", "H"], given, {"A": "a"}, method="sampling", seed=1)
    exact = network.query(["D", "H"], given, {"A": "a"})
    assert (np.abs(found["mean"] - exact.mean) < 4 * found["standard_error"]).all()
    np.testing.assert_allclose(found["sd"], exact.sd, rtol=0.05)
    again = network.query(["D", "H"], given, {"A": "a"}, method="sampling", seed=1)
    pd.testing.assert_frame_equal(found, again)
    soft = network.query("B", {"F": {"a": 0.2, "b": 0.7}}, method="sampling", seed=1)
    assert (np.abs(soft["probability"] - network.query("B", {"F": [0.2, 0.7]})) < 4 * soft["standard_error"]).all()
    with pytest.raises(bnjit.ArgumentError, match="all discrete or all continuous"):
        network.query(["B", "D"], method="sampling")


def test_standard_errors_are_those_of_repetitions():
    network = small_discrete()
    runs = [network.query("L", {"X": "a", "D": "b"}, method="sampling", particles=500, seed=s) for s in range(200)]
    spread = np.std([run["probability"].iloc[0] for run in runs])
    assert np.mean([run["standard_error"].iloc[0] for run in runs]) == pytest.approx(spread, rel=0.15)


def test_moments_density_and_quantiles():
    network = small_mixed()
    found = network.query("D", {"E": -1.0})
    grid = np.linspace(-12, 12, 48001)
    density = found.density(grid)
    step = grid[1] - grid[0]
    assert density.sum() * step == pytest.approx(1.0, abs=1e-9)
    assert (grid * density).sum() * step == pytest.approx(found.mean["D"], abs=1e-8)
    assert ((grid - found.mean["D"]) ** 2 * density).sum() * step == pytest.approx(found.variance["D"], abs=1e-8)
    for p in (0.01, 0.5, 0.9):
        assert found.cdf(found.quantile(p)) == pytest.approx(p, abs=1e-12)
    assert density[:24001].sum() * step - density[24000] * step / 2 == pytest.approx(found.cdf(0.0), abs=1e-7)
    assert found.density(0.0) == pytest.approx(density[24000])
    certain = network.query("D", {}, {"A": "a"})
    assert len(certain.weights) == 1
    both = network.query(["D", "E"])
    with pytest.raises(bnjit.ArgumentError, match="2 continuous nodes"):
        both.density(0.0)
    for probability in (1.0, "half", [0.1, 0.9], np.nan):
        with pytest.raises(bnjit.ArgumentError, match="must be one number between 0 and 1"):
            found.quantile(probability)
    with pytest.raises(bnjit.ArgumentError, match="values='x' must be a number"):
        found.cdf("x")
    with pytest.raises(bnjit.ArgumentError, match="no discrete node"):
        _ = both.probabilities
    assert "mixture of" in repr(both)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"targets": "Q"}, "targets='Q' must be the name of a node"),
        ({"targets": ["L", "Q"]}, "no node 'Q'"),
        ({"targets": []}, "at least one name"),
        ({"targets": ["L", "L"]}, "a name twice"),
        ({"targets": "L", "given": {"Q": "a"}}, "given: the network has no node 'Q'"),
        ({"targets": "L", "given": {"X": "c"}}, "node 'X' has no level 'c'; its levels are 'a', 'b'"),
        ({"targets": "L", "given": {"L": "a"}}, "'L' is asked for, and known"),
        ({"targets": "L", "given": {"X": {"c": 1.0}}}, "no level 'c'"),
        ({"targets": "L", "given": {"X": [0.0, 0.0]}}, "all likelihoods of node 'X' are 0"),
        ({"targets": "L", "given": {"X": [0.5]}}, "2 levels, but 1 likelihoods"),
        ({"targets": "L", "given": {"X": [0.5, -1.0]}}, "a likelihood of node 'X' is -1.0"),
        ({"targets": "L", "given": ["X"]}, "must be a dict"),
        ({"targets": "L", "do": {"X": [0.5, 0.5]}}, "do: node 'X' must be set to one level"),
        ({"targets": "L", "do": {"X": None}}, "do: node 'X' must be set to a level"),
        ({"targets": "L", "given": {"X": "a"}, "do": {"X": "a"}}, "'X' is in given and in do"),
        ({"targets": "L", "method": "guess"}, "method='guess' must be"),
        ({"targets": "L", "given": {"X": np.array("c")}}, "node 'X' has no level"),
        ({"targets": "L", "given": {"X": [10**400, 1]}}, "a likelihood of node 'X' is 1000"),
        ({"targets": "L", "given": pd.Series(["a", "b"], ["X", "X"])}, "given: node 'X' is there twice"),
        ({"targets": "L", "do": pd.Series(["a", "b"], ["X", "X"])}, "do: node 'X' is there twice"),
    ],
)
def test_questions_without_an_answer(question, message):
    with pytest.raises(bnjit.ArgumentError, match=message):
        small_discrete().query(**question)


def test_numbers_that_are_none():
    network = small_gaussian()
    for value in ("x", np.inf, [1.0], 10**400):
        with pytest.raises(bnjit.ArgumentError, match="'C' is continuous and must have a finite number"):
            network.query("A", {"C": value})
    pd.testing.assert_series_equal(network.query("A", {"C": None, "D": np.nan}).mean, network.query("A").mean)
    pd.testing.assert_series_equal(network.query("A", {"C": np.float32("nan")}).mean, network.query("A").mean)
    pd.testing.assert_series_equal(
        network.query("A", {"C": np.array(2.0)}).mean, network.query("A", {"C": 2.0}).mean, check_exact=True
    )


def test_scalars_in_arrays_are_levels():
    network = small_discrete()
    assert network.query("L", {"X": np.array("a")}).tolist() == network.query("L", {"X": "a"}).tolist()
    assert network.query("L", {"X": np.float32("nan")}).tolist() == network.query("L").tolist()


def test_numbers_that_are_too_far_away():
    """No smoothing makes them likely, so that the message does not say so; and nothing overflows."""
    network = small_gaussian()
    with pytest.raises(bnjit.ArgumentError, match=r"'C' has probability 0 under the network; leave out a part of it$"):
        network.query("A", {"C": 1e300})
    with pytest.raises(bnjit.DataError, match=r"such rows\); leave out a part of it$"):
        network.query_rows({"C": [0.0, 1e300]}, "A")
    with pytest.raises(bnjit.ArgumentError, match="none of 100 particles agrees"):
        network.query("A", {"C": 1e300}, method="sampling", particles=100)


def test_what_is_too_large_says_its_size(monkeypatch):
    from bnjit.network.queries import joint

    network = small_mixed()
    monkeypatch.setattr(joint, "MOST_INTEGRALS", 5)
    with pytest.raises(bnjit.ArgumentError, match=r"depend on 6 configurations .* take method='sampling'"):
        network.query(["G", "E"])
    monkeypatch.setattr(joint, "MOST_TABLE_ENTRIES", 5)
    with pytest.raises(bnjit.ArgumentError, match=r"tables with \d+ entries, at most 5"):
        small_discrete().query(["L", "T", "B"])
