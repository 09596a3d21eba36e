"""Networks that the package brings along."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit import datasets


def test_mehra_like_has_the_structure_of_mehra(shared):
    network = datasets.mehra_like()
    arcs = pd.read_csv(shared / "data" / "mehra-arcs.csv")
    assert set(network.dag.edges) == set(arcs.itertuples(index=False, name=None))


def test_mehra_like():
    network = datasets.mehra_like()
    assert network.dag.number_of_nodes() == 24
    assert network.dag.number_of_edges() == 71
    again = datasets.mehra_like()
    for ours, theirs in zip(network.nodes, again.nodes, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    sample = network.sample(2000, seed=1)
    assert np.isfinite(sample.select_dtypes("number")).all().all()
    for node in network.nodes:
        if hasattr(node, "sd"):
            assert 0.5 < node.sd.min() <= node.sd.max() < 2.0
            assert np.abs(node.coefficients[:, 1:]).min(initial=1.0) > 0.01


@pytest.mark.slow
def test_hill_climbing_finds_mehra_like():
    network = datasets.mehra_like()
    assert bnjit.shd(bnjit.learn(network.sample(1_000_000, seed=1)).dag, network.dag) <= 2


@pytest.mark.parametrize("make", [datasets.small_gaussian, datasets.small_discrete, datasets.small_mixed])
def test_small_networks_are_found_again(make):
    network = make()
    result = bnjit.learn(network.sample(100_000, seed=2), algorithm="tabu")
    assert bnjit.shd(result.dag, network.dag) <= 1
    assert bnjit.hamming(result.dag, network.dag) == 0


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_random_networks(kind):
    network = datasets.random_network(kind, 15, seed=3)
    assert len(network.names) == 15
    assert max(len(node.parents) for node in network.nodes) <= 4
    assert network.dag.number_of_edges() > 5
    discrete = sum(network.discrete)
    assert discrete == {"discrete": 15, "gaussian": 0, "cgaussian": 4}[kind]
    assert set(datasets.random_network(kind, 15, seed=3).dag.edges) == set(network.dag.edges)
    assert set(datasets.random_network(kind, 15, seed=4).dag.edges) != set(network.dag.edges)
    assert len(network.sample(50, seed=1)) == 50
    with pytest.raises(bnjit.ArgumentError, match="kind='other' is not known"):
        datasets.random_network("other", 3)
    with pytest.raises(bnjit.ArgumentError, match="n_nodes=0"):
        datasets.random_network(kind, 0)


def test_random_networks_with_many_levels():
    network = datasets.random_network("discrete", 6, levels=60, max_parents=2, seed=1)
    assert max(network.levels) > 26
    assert np.isfinite(datasets.random_network("cgaussian", 9, levels=60, max_parents=2, rows=9)
                       .sample(50).select_dtypes("number")).all(axis=None)  # fmt: skip
    with pytest.raises(bnjit.ArgumentError, match=r"levels=900 and max_parents=4 give .* lower them"):
        datasets.random_network("discrete", 30, levels=900, parents=4)


@pytest.mark.parametrize(
    "argument",
    [
        {"n_nodes": 5.5}, {"n_nodes": None}, {"levels": 1}, {"parents": -1}, {"max_parents": -1}, {"rows": 0},
        {"share_discrete": 2}, {"seed": -1}, {"seed": "a"}, {"parents": float("nan")},
    ],
)  # fmt: skip
def test_random_networks_that_there_are_not(argument):
    (name,) = argument
    with pytest.raises(bnjit.ArgumentError, match=f"^{name}=.* must be a"):
        datasets.random_network("cgaussian", **({"n_nodes": 5} | argument))


def test_seeds_of_random_networks():
    assert (
        datasets.random_network("gaussian", 5, seed=None).dag.edges == datasets.random_network("gaussian", 5).dag.edges
    )
    assert datasets.random_network("gaussian", 5, seed=2**40).names
