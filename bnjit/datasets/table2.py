"""Synthetic tables of the shapes of the paper's Table 2, for when the published data is not at hand."""

import functools
from typing import TYPE_CHECKING

import numpy as np

from bnjit.datasets import flights, physics, sensors
from bnjit.datasets.build import build_network
from bnjit.datasets.load import set_source
from bnjit.errors import ArgumentError
from bnjit.network.network import Network

if TYPE_CHECKING:
    import pandas as pd

# Levels of the discrete columns, which come first; airports are fewer than there are, for tables of any size.
FLIGHT_LEVELS = (12, 31, 7, 20, 60, 60, 2, 5, 2)
FLIGHT_DISCRETE = (*flights.DISCRETE.values(), *flights.OUTCOMES.values())
FLIGHT_CONTINUOUS = tuple({**flights.CONTINUOUS, **flights.CAUSES, **flights.NUMBER, **flights.YEAR}.values())
SHAPES = {
    "airline": ((*FLIGHT_DISCRETE, *FLIGHT_CONTINUOUS), FLIGHT_LEVELS),
    "gas": (sensors.COLUMNS, ()),
    "hepmass": (physics.HEPMASS_COLUMNS, (2,)),
    "higgs": (physics.HIGGS_COLUMNS, (2,)),
    "susy": (physics.SUSY_COLUMNS, (2,)),
}
# Arcs between discrete columns of flights: carrier -> origin -> destination; cancelled -> its reason; ...
FLIGHT_PARENTS: tuple[tuple[int, ...], ...] = ((), (), (), (), (3,), (4,), (0,), (6,), (6,))
MAX_PARENTS = 5
# Average number of continuous parents of a continuous node, where enough columns precede it: gives the paper's density.
PARENTS = {"airline": 4.2, "gas": 2.8, "hepmass": 2.3, "higgs": 2.3, "susy": 2.8}
MOST_DISTANCE = 10  # of a parent in column order: columns near each other depend on each other
ROWS = 5e4  # in which BIC sees every arc
SEED = 2009


def table2_like(name: str, n: int, seed: int = 0) -> "pd.DataFrame":
    """Draw a synthetic table with the columns of one in the paper's Table 2; its values mean nothing.

    The numbers of discrete and continuous columns are the paper's: 9 + 19, 0 + 37, 1 + 28, 1 + 28 and 1 + 18. Hill
    climbing with at most five parents finds 2.5 to 3.5 arcs for each column, as the paper reports for the real ones.

    Parameters
    ----------
    name : {"airline", "gas", "hepmass", "higgs", "susy"}
        Which table.
    n : int
        Number of rows.
    seed : int
        Of the rows; the network behind them is always the same. The first rows of a longer table are a shorter one.

    Returns
    -------
    pandas.DataFrame
        `frame.attrs["source"]` says that it is synthetic.

    Examples
    --------
    >>> table2_like("susy", 100).shape
    (100, 19)
    """
    if name not in SHAPES:
        raise ArgumentError(f"name={name!r} is not known; the tables are {', '.join(SHAPES)}")
    return set_source(_network(name).sample(n, seed), f"synthetic stand-in for {name.upper()}")


@functools.lru_cache
def _network(name: str) -> Network:
    """Network behind a synthetic table: every continuous node has parents among the columns shortly before it."""
    names, levels = SHAPES[name]
    rng = np.random.RandomState(SEED + list(SHAPES).index(name))  # whose streams never change
    d = len(levels)
    parents = list(FLIGHT_PARENTS[:d])
    for j in range(d, len(names)):
        # Every second continuous column depends on a discrete one.
        chosen = [int(rng.randint(d))] if d and rng.uniform() < 0.5 else []
        first = max(d, j - MOST_DISTANCE)
        wanted = 1 + int(rng.binomial(4, (PARENTS[name] - 1) / 4))
        size = min(wanted, j - first, MAX_PARENTS - len(chosen))
        parents.append(tuple(sorted([*chosen, *(first + rng.choice(j - first, size, replace=False)).tolist()])))
    labels: list[tuple[str, ...] | None] = [tuple(str(k) for k in range(r)) for r in levels]
    return build_network(names, [*labels, *([None] * (len(names) - d))], parents, SEED, ROWS)
