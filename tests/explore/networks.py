"""A network with names and levels that try to break out of a page, and strengths of its arcs."""

import numpy as np
import pandas as pd

from bnjit.network import DiscreteNode, GaussianNode, Network

SCRIPT = "<script>window.broken = true</script>"
END = "</script><img src=x onerror='window.broken = true'>"
NAMES = [SCRIPT, END, "\"quoted\" & 'single' <!--", "Temperatur °C\nline", "x" * 4_000, "alone"]
LEVELS = ("<b>low</b>", "high")
STRENGTHS = {(0, 1): 1.0, (0, 2): 0.6, (1, 3): 0.9, (3, 4): 0.25}


def hostile_network():
    """Nodes 0, 1 and 2 are discrete, 3 to 5 continuous; arcs as in STRENGTHS, and node 1 lacks a configuration."""
    half = np.array([0.25, 0.75])
    nodes = [
        DiscreteNode((), np.array([0]), half[None], half),
        DiscreteNode((0,), np.array([1]), half[None, ::-1], half),
        DiscreteNode((0,), np.array([0, 1]), np.array([[0.1, 0.9], [0.2, 0.8]]), half),
        GaussianNode((1,), (), np.array([0, 1]), np.array([[0.0], [5.0]]), np.ones(2), np.array([0.0, 1.0])),
        GaussianNode((), (3,), np.array([0]), np.array([[1.5, -2.5]]), np.ones(1), np.array([1.5, -2.5, 1.0])),
        GaussianNode((), (), np.array([0]), np.array([[7.0]]), np.zeros(1), np.array([7.0, 0.0])),
    ]
    return Network(NAMES, [LEVELS] * 3 + [None] * 3, nodes)


def strengths():
    """As `bnjit.arc_strength` gives them."""
    rows = []
    for i, a in enumerate(NAMES):
        for j, b in enumerate(NAMES):
            share = STRENGTHS.get((i, j), STRENGTHS.get((j, i), 0.0))
            if i != j:
                rows.append((a, b, share, 1.0 if (i, j) in STRENGTHS else 0.0))
    return pd.DataFrame(rows, columns=["from", "to", "strength", "direction"])
