"""Draw rows from the paper's real MEHRA network, straight from its bnlearn file, without bnjit."""

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd


@cache
def read_mehra(path: Path) -> dict:
    """Nodes of the network, with what sampling needs of each."""
    import rdata

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdata.read_rda(path)["bn"]


def sample_mehra(path: Path, n: int, seed: int) -> pd.DataFrame:
    """Forward-sample n rows; discrete columns are categorical with the network's levels."""
    network = read_mehra(path)
    rng = np.random.default_rng(seed)
    values: dict[str, np.ndarray] = {}
    levels: dict[str, list[str]] = {}
    waiting = list(network)
    while waiting:
        name = next(n for n in waiting if all(str(p) in values for p in network[n]["parents"]))
        waiting.remove(name)
        node = network[name]
        if "prob" in node:
            prob = np.asarray(node["prob"])
            assert prob.ndim == 1
            levels[name] = [str(level) for level in next(iter(node["prob"].coords.values())).values]
            values[name] = rng.choice(len(prob), n, p=prob / prob.sum()).astype(np.int16)
            continue
        coefficients = np.asarray(node["coefficients"], float)
        sd = np.asarray(node["sd"], float)
        parents = [str(p) for p in node["parents"]]
        discrete = [parents[i - 1] for i in np.asarray(node.get("dparents", []), int)]
        continuous = [p for p in parents if p not in discrete]
        if coefficients.ndim == 1:
            coefficients = coefficients[:, None]
        cell, stride = np.zeros(n, np.int64), 1
        for parent in discrete:  # the first discrete parent varies fastest, as R stores arrays
            cell += stride * values[parent]
            stride *= len(levels[parent])
        assert stride == coefficients.shape[1] == len(sd)
        value = coefficients[0, cell] + sd[cell] * rng.standard_normal(n)
        for k, parent in enumerate(continuous):
            value += coefficients[k + 1, cell] * values[parent]
        values[name] = value
    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(values[name], levels[name]) if name in levels else values[name]
            for name in (str(n) for n in network)
        }
    )
