"""Draws of levels and values, against plain loops over the same random numbers; tests/network checks quantiles."""

import numpy as np
import pytest

from bnjit.kernels import sampling
from bnjit.kernels.tuning import COUNTED_LEVELS
from tests.kernels.versions import BOTH, version

KEYS = np.array([2, 5])  # the configurations with parameters, out of six; others take the last row
DENSE = np.array([2, 2, 0, 2, 2, 1], np.int32)


def draws(n, stream, first):
    """Uniform random numbers of the rows."""
    return np.array([sampling.uniform(stream, first + r) for r in range(n)])


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("dense", [DENSE, DENSE[:0]])
@pytest.mark.parametrize("levels", [1, 4, COUNTED_LEVELS + 9])
def test_levels(which, dense, levels):
    rng = np.random.default_rng(0)
    cumulative = np.cumsum(rng.dirichlet(np.ones(levels), 3), axis=1)
    keys, out = rng.integers(0, 6, 300), np.empty(300, np.int32)
    stream = np.uint64(sampling.stream_of(5, 1))
    with np.errstate(over="ignore"):
        version(sampling.draw_levels, which)(0, 1, keys, KEYS, dense, cumulative, stream, 17, out)
    shares = cumulative[DENSE[keys]][:, :-1]
    assert out.tolist() == (shares <= draws(300, stream, 17)[:, None]).sum(axis=1).tolist()


@pytest.mark.parametrize("which", BOTH)
def test_values(which):
    rng = np.random.default_rng(1)
    coefficients, sd, parents = rng.normal(size=(3, 3)), rng.uniform(0.5, 2.0, 3), rng.normal(size=(2, 300))
    keys, out = rng.integers(0, 6, 300), np.empty(300)
    stream = np.uint64(sampling.stream_of(5, 2))
    with np.errstate(over="ignore"):
        version(sampling.draw_values, which)(0, 1, keys, KEYS, DENSE, coefficients, sd, parents, stream, 17, out)
    cell = DENSE[keys]
    noise = np.array([sampling.normal_quantile(u) for u in draws(300, stream, 17)])
    expected = coefficients[cell, 0] + (coefficients[cell, 1:].T * parents).sum(axis=0) + sd[cell] * noise
    np.testing.assert_allclose(out, expected, rtol=1e-12)


def test_streams_differ():
    assert len({int(sampling.stream_of(seed, node)) for seed in range(20) for node in range(20)}) == 400
