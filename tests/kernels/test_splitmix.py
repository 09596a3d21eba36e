"""Random numbers by hashing, against integers of any size."""

import numpy as np
import pytest

from bnjit.data.split import row_numbers, seed_state
from bnjit.kernels import splitmix
from tests.kernels.versions import BOTH, version

WORD = 2**64


def mixed(state):
    """Splitmix64's finaliser."""
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB % WORD
    return state ^ (state >> 31)


def drawn(start, row):
    """64 random bits of a row."""
    return mixed((start + row + 1) * 0x9E3779B97F4A7C15 % WORD)


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("state", [0, 1, 12345, WORD - 1])
def test_bits(which, state):
    with np.errstate(over="ignore"):
        assert int(version(splitmix.mix, which)(np.uint64(state))) == mixed(state)
        assert int(version(splitmix.draw_bits, which)(np.uint64(state), np.uint64(9))) == drawn(state, 9)


@pytest.mark.parametrize("which", BOTH)
def test_shares(which):
    out = np.empty(500)
    start = np.uint64(WORD - 3)
    with np.errstate(over="ignore"):
        version(splitmix.draw_shares, which)(start, 40, out)
    assert out.tolist() == [(drawn(WORD - 3, 40 + i) >> 11) / 2**53 for i in range(500)]
    assert 0.0 <= out.min() < 0.02
    assert 0.98 < out.max() < 1.0


def test_numbers_of_rows():
    """The split of rows is what it was in every earlier version: for the generator's first seed, known numbers."""
    assert int(seed_state(None)) == int(seed_state(0)) == 0xE220A8397B1DCDAF
    assert int(seed_state(-1)) == int(seed_state(2**64 - 1)) == drawn(0, 2**64 - 1)
    start = int(seed_state(3))
    assert row_numbers(4, 3, first=7).tolist() == [(drawn(start, 7 + i) >> 11) / 2**53 for i in range(4)]
    np.testing.assert_array_equal(row_numbers(10, 3)[7:], row_numbers(3, 3, first=7))
