"""Graphs to draw."""

import networkx as nx

from bnjit.datasets import mehra_like, random_network
from bnjit.graph import cpdag, make_dag

NAMES = ["a name that is much longer than others", "ø", "два", "i", "WWWWWWWW", "x y", "$a_1$", "two\nlines"]

GRAPHS = {
    "mehra": mehra_like().dag,
    "small": make_dag("ABXYZ", [True, True, False, False, False], [("A", "X"), ("X", "Y"), ("A", "Y"), ("Z", "Y")]),
    "sparse": random_network("gaussian", 40, parents=2.0).dag,
    "dense": random_network("gaussian", 12, parents=5.0).dag,
    "tree": nx.gn_graph(30, seed=1).reverse(),
    "names": make_dag(NAMES, [False] * 8, [(NAMES[i], NAMES[j]) for i in range(7) for j in range(i + 1, 7, 2)]),
    "lonely": make_dag([f"node {i}" for i in range(50)], [True] * 50, []),
    "empty": nx.DiGraph(),
}
CLASSES = {name: cpdag(GRAPHS[name]) for name in ("sparse", "tree")}

LONG = [
    f"average {word} of the last measured quarter, number {i}" for i in range(9) for word in ("pressure", "rain", "ø")
]
# Too wide for a notebook, unless rows are folded.
WIDE = {
    "star": make_dag(["hub", *map(str, range(70))], [True] * 71, [("hub", str(i)) for i in range(70)]),
    "dense": random_network("cgaussian", 30, parents=6.0, seed=3).dag,
    "sparse": random_network("gaussian", 90, parents=2.0, seed=4).dag,
    "long names": nx.relabel_nodes(
        random_network("gaussian", 27, parents=2.0, seed=5).dag, {f"X{i + 1}": name for i, name in enumerate(LONG)}
    ),
    "lonely": make_dag([*LONG, "x" * 300, "a", "b"], [False] * 30, [("a", "b")]),
}
