"""Average effects: by enumeration of the network that acting leaves, and by the formula of adjustment."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.datasets import random_network, small_discrete, small_gaussian, small_mixed
from tests.network.queries.described import describe
from tests.reference.naive import posteriors


def expected(network, x, y, do, given=None):
    """The outcome's mean or probabilities by enumeration, with the cause set or seen."""
    described = describe(network)
    if do:
        described = posteriors.intervened(described, x)
    found = posteriors.components(described, {**x, **(given or {})})
    if described[y][0] == "discrete":
        shares = posteriors.probabilities(found, [y])
        return [shares[(level,)] for level in network.labels[network.index(y)]]
    return list(posteriors.moments(found, [y])[0])


@pytest.mark.parametrize("kind", ["discrete", "cgaussian"])
@pytest.mark.parametrize("seed", range(3))
def test_effects_of_levels(kind, seed):
    network = random_network(kind, 6, parents=2.0, levels=3, share_discrete=0.6, seed=seed)
    discrete = [n for n, d in zip(network.names, network.discrete, strict=True) if d]
    for cause in discrete[:2]:
        for outcome in (network.names[-1], discrete[-1]):
            if outcome == cause:
                continue
            effect = network.effect(cause, outcome)
            assert effect.table.index.tolist() == list(network.labels[network.index(cause)])
            for level in effect.table.index:
                for do, column in ((True, f"do({cause})"), (False, "seen")):
                    found = np.atleast_1d(effect.table.loc[level, column])
                    np.testing.assert_allclose(found, expected(network, {cause: level}, outcome, do), atol=1e-10)
            assert (np.abs(np.asarray(effect.difference.iloc[0])) == 0.0).all()


def test_effects_per_unit():
    network = small_gaussian()
    for cause, outcome in (("B", "F"), ("A", "D"), ("D", "F")):
        effect = network.effect(cause, outcome)
        low, high = (expected(network, {cause: x}, outcome, True)[0] for x in (2.0, 3.0))
        assert effect.table.loc["per unit", f"do({cause})"] == pytest.approx(high - low, abs=1e-10)
        assert effect.difference.iloc[0] == effect.table.iloc[0, 0]
        sample = network.sample(200_000, seed=1)
        assert effect.table.loc["per unit", "seen"] == pytest.approx(
            np.polyfit(sample[cause], sample[outcome], 1)[0], abs=0.02
        )
    mixed = small_mixed()
    effect = mixed.effect("D", "G")
    low, high = (expected(mixed, {"D": x}, "G", True)[0] for x in (-1.0, 0.0))
    assert effect.table.iloc[0, 0] == pytest.approx(high - low, abs=1e-10)
    assert effect.adjusted_for == ("A",)


def test_adjustment_is_the_formula():
    """do(x) is the mean over what is adjusted for, in its own distribution, of what is seen."""
    rng = np.random.default_rng(1)
    z, w = rng.random(4000) < 0.4, rng.random(4000) < 0.5
    x = rng.random(4000) < np.where(z, 0.8, 0.2)
    y = rng.random(4000) < 0.2 + 0.3 * x + 0.4 * z * w
    table = pd.DataFrame({"W": w, "Z": z, "U": rng.random(4000) < 0.5, "X": x, "Y": y}).astype(str)
    network = bnjit.fit("[W][Z][U][X|Z:U][Y|X:Z:W]", table)
    effect = network.effect("X", "Y")
    assert effect.adjusted_for == ("Z",)  # U acts on Y through X alone
    assert repr(effect).startswith("bnjit effect of X on Y, adjusted for Z; causal only if the graph is\n")
    for level in ("False", "True"):
        total = 0.0
        for state in ("False", "True"):
            share = (table["Z"] == state).mean()
            for other in ("False", "True"):
                some = table[(table["X"] == level) & (table["Z"] == state) & (table["W"] == other)]
                total += share * (table["W"] == other).mean() * (some["Y"] == "True").mean()
        assert effect.table.loc[level, ("do(X)", "True")] == pytest.approx(total, abs=1e-12)
    among = network.effect("X", "Y", {"W": "True"})
    assert among.table.loc["True", ("do(X)", "True")] == pytest.approx(
        expected(network, {"X": "True"}, "Y", True, {"W": "True"})[1], abs=1e-12
    )
    backwards = network.effect("Y", "X")
    assert backwards.adjusted_for == ()
    assert np.ptp(backwards.table[("do(Y)", "True")]) < 1e-12
    assert np.ptp(backwards.table[("seen", "True")]) > 0.2


def test_a_level_that_is_never_seen():
    table = pd.DataFrame({"A": pd.Categorical(list("xxyy"), categories=list("xyz")), "B": [1.0, 2.0, 5.0, 7.0]})
    effect = bnjit.fit("[A][B|A]", table).effect("A", "B")
    assert effect.table["seen"].tolist()[:2] == [1.5, 6.0]
    assert np.isnan(effect.table["seen"].iloc[2])


def test_effects_that_make_no_sense():
    network = small_mixed()
    for arguments, message in [
        (("A", "A"), "the same node"),
        (("A", "Q"), "no node 'Q'"),
        (("D", "B"), "has no effect"),
        (("A", "G", {"D": 1.0}), "'D' descends from the cause 'A'"),
        (("A", "G", {"A": "a"}), "'A' is in given"),
    ]:
        with pytest.raises(bnjit.ArgumentError, match=message):
            network.effect(*arguments)
    assert small_discrete().effect("X", "A").adjusted_for == ()
