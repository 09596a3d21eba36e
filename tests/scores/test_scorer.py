"""Scorers choose by kind of node, and divide batches that memory does not hold."""

import math

import numpy as np

from bnjit.scores import make_scorer
from tests.comparison import local_score
from tests.strategies import to_table


def test_mixed_network_reduces_to_gaussian_and_to_discrete():
    rng = np.random.default_rng(5)
    n = 300
    numbers = {"X": rng.normal(size=n).tolist(), "Y": rng.normal(size=n).tolist()}
    codes = {"A": (rng.integers(0, 3, n).tolist(), 3), "B": (rng.integers(0, 2, n).tolist(), 2)}
    mixed = make_scorer(to_table({**codes, **numbers}), "bic")
    assert local_score(mixed, 3, [2]) == local_score(make_scorer(to_table(numbers), "bic"), 1, [0])
    assert local_score(mixed, 1, [0]) == local_score(make_scorer(to_table(codes), "bic"), 1, [0])
    assert local_score(mixed, 0, [2]) == -math.inf
