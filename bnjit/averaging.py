"""Networks averaged over bootstrap replicates: which arcs are sure, and the network that they make."""

from typing import TYPE_CHECKING

from bnjit.errors import ArgumentError, as_number

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


def strength_threshold(strength: "pd.DataFrame") -> float:
    """Strength above which arcs are significant, from the strengths themselves (Scutari and Nagarajan 2013).

    Were everything certain, strengths would be 0 and 1, and their distribution function t between these, for some t.
    The t for which that is closest in L1 to the observed distribution function is the median of its values along
    (0, 1); the threshold is the t-quantile of the strengths. bnlearn looks for t numerically, and where it ends just
    above the best one its threshold is the next larger strength.

    Examples
    --------
    >>> import pandas as pd
    >>> strength_threshold(pd.DataFrame({"strength": [0.05, 0.1, 0.9, 1.0]}))
    0.1
    """
    import numpy as np

    values = np.sort(strength["strength"].to_numpy(float))
    if not len(values):
        return 0.0
    steps = np.concatenate([[0.0], values, [1.0]])
    widths = np.diff(steps)  # the distribution function is k / n along the k-th of these
    k = int(np.searchsorted(np.cumsum(widths), 0.5 * widths.sum()))
    return float(steps[k])


def averaged_network(strength: "pd.DataFrame", threshold: float | None = None) -> "nx.DiGraph":
    """Network of the arcs that most replicates agree on.

    Parameters
    ----------
    strength : pandas.DataFrame
        From `bnjit.arc_strength`.
    threshold : float, optional
        Pairs with a strength above it are joined, and those that all replicates join; by default it follows from the
        strengths (Scutari and Nagarajan 2013).

    Returns
    -------
    networkx.DiGraph
        A DAG with all these pairs. Arcs go in the more frequent direction, by column order where both are as frequent.
        The surest come first, and one that would close a cycle with them is turned. (bnlearn leaves such an arc out,
        and an edge without direction where both are as frequent.)

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("x", "y", 0.9, 0.8), ("y", "x", 0.9, 0.2), ("x", "z", 0.1, 1), ("z", "x", 0.1, 0)]
    >>> rows += [("y", "z", 0.0, 0.0), ("z", "y", 0.0, 0.0)]
    >>> strength = pd.DataFrame(rows, columns=["from", "to", "strength", "direction"])
    >>> list(averaged_network(strength).edges)
    [('x', 'y')]
    """
    import networkx as nx

    missing = {"from", "to", "strength", "direction"} - set(strength.columns)
    if missing:
        raise ArgumentError(f"strength lacks the column {min(missing)!r}; it is what bnjit.arc_strength returns")
    least = strength_threshold(strength) if threshold is None else as_number("threshold", threshold)
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(dict.fromkeys([*strength["from"], *strength["to"]]))
    joined = (strength["strength"] > least) | (strength["strength"] == 1.0)
    strong = strength[joined & (strength["direction"] >= 0.5)]
    sure = (strong["strength"] * strong["direction"]).sort_values(ascending=False, kind="stable")
    for a, b in strong.loc[sure.index, ["from", "to"]].itertuples(index=False):
        if not graph.has_edge(b, a):
            graph.add_edge(*((b, a) if nx.has_path(graph, b, a) else (a, b)))
    return graph
