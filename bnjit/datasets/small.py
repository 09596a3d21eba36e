"""Small networks for examples, and random ones for studies."""

import math
from string import ascii_lowercase

import numpy as np

from bnjit.datasets.build import build_network
from bnjit.errors import ArgumentError, as_count, as_number, as_seed
from bnjit.graph import parse_modelstring
from bnjit.graph.degrees import check_kind
from bnjit.network.network import Network

MOST_PARAMETERS = 1 << 24  # of a node, so that a few arguments cannot take all memory


def _named(model: str, levels: dict[str, int], seed: int) -> Network:
    """Network with the structure of a model string; nodes with levels are discrete."""
    names, arcs = parse_modelstring(model)
    labels = [tuple("abcdefgh"[: levels[n]]) if n in levels else None for n in names]
    parents = [tuple(sorted(names.index(a) for a, b in arcs if b == n)) for n in names]
    return build_network(names, labels, parents, seed, rows=2e3)


def small_gaussian() -> Network:
    """Gaussian network with seven nodes.

    Examples
    --------
    >>> small_gaussian()
    bnjit.Network: 7 nodes (0 discrete, 7 continuous), 7 arcs
    """
    return _named("[A][B][E][G][C|A:B][D|B][F|A:D:E:G]", {}, 1)


def small_discrete() -> Network:
    """Discrete network with eight nodes, shaped like the classic chest-clinic example.

    Examples
    --------
    >>> small_discrete()
    bnjit.Network: 8 nodes (8 discrete, 0 continuous), 8 arcs
    """
    return _named("[A][S][T|A][L|S][B|S][E|T:L][X|E][D|B:E]", dict.fromkeys("ASTLBEXD", 2), 2)


def small_mixed() -> Network:
    """Conditional Gaussian network with four discrete and four continuous nodes.

    Examples
    --------
    >>> small_mixed()
    bnjit.Network: 8 nodes (4 discrete, 4 continuous), 8 arcs
    """
    levels = {"A": 2, "B": 3, "C": 4, "F": 2}
    return _named("[A][B][C][F|B:C][D|A][H][E|B:D][G|A:D:E]", levels, 3)


def random_network(
    kind: str, n_nodes: int, *, parents: float = 1.5, max_parents: int = 4, levels: int = 3,
    share_discrete: float = 0.3, rows: float = 1e4, seed: int | None = 0,
) -> Network:  # fmt: skip
    """Random network for studies.

    Parameters
    ----------
    kind : {"discrete", "gaussian", "cgaussian"}
        Class of network; in "cgaussian" ones `share_discrete` of the nodes are discrete.
    n_nodes : int
        Number of nodes.
    parents : float
        Parents that a node has on average, at most `max_parents`, where there are enough before it.
    levels : int
        The most levels of a discrete node; the least is 2.
    rows : float
        About how many rows BIC needs to see every arc, 1 or more: it sets the strength of the effects.
    seed : int
        Of structure and parameters.
    """
    check_kind(kind)
    n_nodes, levels = as_count("n_nodes", n_nodes, least=1), as_count("levels", levels, least=2)
    parents, max_parents = as_number("parents", parents), as_count("max_parents", max_parents, least=0)
    share_discrete, rows = as_number("share_discrete", share_discrete, most=1.0), as_number("rows", rows, least=1.0)
    seed = as_seed(seed)
    rng = np.random.RandomState(seed % 2**32)
    d = {"discrete": n_nodes, "gaussian": 0, "cgaussian": round(share_discrete * n_nodes)}[kind]
    names = [f"D{j + 1}" for j in range(d)] + [f"X{j + 1}" for j in range(n_nodes - d)]
    digits = len(str(levels))
    known = list(ascii_lowercase) if levels <= len(ascii_lowercase) else [f"l{k:0{digits}d}" for k in range(levels)]
    labels = [tuple(known[: rng.randint(2, levels + 1)]) if j < d else None for j in range(n_nodes)]
    chosen = []
    for j in range(n_nodes):
        size = min(j, max_parents, int(rng.poisson(parents)))
        chosen.append(tuple(sorted(rng.choice(j, size, replace=False).tolist())) if size else ())
        values = math.prod(len(labels[p] or " ") for p in (j, *chosen[j]))
        if values > MOST_PARAMETERS:
            raise ArgumentError(
                f"levels={levels} and max_parents={max_parents} give {names[j]!r} {values:,} parameters; lower them"
            )
    return build_network(names, labels, chosen, (seed + 1) % 2**32, rows)
