"""Random numbers by hashing: splitmix64 (Steele, Lea and Flood 2014).

Axis legend: n rows. A number depends on a seed and on the number of its row alone, so that neither threads nor chunks
change it. All arithmetic is on unsigned integers of 64 bits, which wrap.
"""

from typing import Any

import numpy as np

from bnjit._jit import Floats, jit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: what a step of the generator adds


@jit
def mix(state: Any) -> Any:
    """Hash 64 bits: the generator's finaliser."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@jit
def draw_bits(start: Any, row: Any) -> Any:
    """Draw 64 random bits for a row of the stream that begins at `start`; start, row : uint64."""
    return mix((start + row + np.uint64(1)) * GOLDEN)


@jit
def draw_share(start: Any, row: Any) -> float:
    """Draw a random number in [0, 1), a multiple of 2^-53, for a row of the stream that begins at `start`."""
    return np.float64(draw_bits(start, row) >> np.uint64(11)) * 2.0**-53


@jit
def draw_shares(start: Any, first: int, out: Floats) -> None:
    """Draw random numbers in [0, 1) for rows first, first + 1, ... O(n).

    start : uint64, from a seed; out : float64[n]
    """
    for i in range(out.shape[0]):
        out[i] = draw_share(start, np.uint64(first + i))
