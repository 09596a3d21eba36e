"""Frames cut into partitions."""

from itertools import pairwise

import dask.dataframe as dd
import numpy as np
import pandas as pd

CUTS = (0, 1, 1, 50, 51, 200)  # partitions of one row, of none


def frames_between(rows, bounds):
    """Frames of the rows between bounds."""
    frame = pd.DataFrame(rows)
    return [frame.iloc[a:b] for a, b in pairwise(bounds)]


def in_partitions(frame, cuts=CUTS):
    """A dask.dataframe of the rows between cuts; partitions keep the types that they have."""
    return of_parts(frames_between(frame, [*cuts, len(frame)]))


def of_parts(parts):
    return dd.from_map(as_it_is, parts, meta=parts[0].iloc[:0])


def as_it_is(part):
    return part


def every_kind(n=300):
    """Levels that come late; some that only one partition has."""
    rng = np.random.default_rng(3)
    place = rng.integers(0, 3, n)
    place[:50] = np.minimum(place[:50], 1)
    hot = rng.random(n) < 0.3 + 0.2 * place
    x = (rng.normal(size=n) + place).astype(np.float32)
    return pd.DataFrame(
        {
            "place": np.array(["south", "north", "east"])[place],
            "x": x,
            "hot": hot,
            "kind": pd.Categorical(np.where(rng.random(n) < 0.8 - 0.5 * hot, "b", "a"), ["b", "c", "a"]),
            "dose": rng.integers(1, 4, n) + 2 * hot,
            "y": 2.0 * x + hot + rng.normal(size=n),
        }
    )
