"""Structural intervention distance: effects of interventions that a graph gets wrong (Peters and Buehlmann 2015)."""

from typing import Any

import networkx as nx

from bnjit.graph.dag import reject_cycles
from bnjit.graph.pdag import Node, as_digraph, common_nodes


def sid(learned: Any, true: Any) -> int:
    """Structural intervention distance of two DAGs.

    The number of pairs of nodes (i, j) for which adjusting for the parents that i has in the learned graph does not
    give the distribution of j after an intervention on i in the true graph. It is not symmetric, and equivalent graphs
    may be far apart: directions matter here.

    Parameters
    ----------
    learned, true : networkx.DiGraph, list of arcs, or model string
        Directed acyclic graphs.

    Examples
    --------
    >>> sid("[A][B|A][C|A:B]", "[A][B|A][C|B]")
    0
    >>> sid("[A][B|A][C|B]", "[C][B|C][A|B]")
    6
    """
    first, second = common_nodes(as_digraph(learned, "learned"), as_digraph(true, "true"), (learned, true))
    reject_cycles(first.edges, "learned")
    reject_cycles(second.edges, "true")
    descendants = {node: nx.descendants(second, node) for node in second}
    return sum(len(_wrong_effects(second, descendants, i, set(first.pred[i]))) for i in second)


def _wrong_effects(true: nx.DiGraph, descendants: dict[Node, set[Node]], i: Node, parents: set[Node]) -> set[Node]:
    """Nodes whose distribution after an intervention on i is not what adjusting for `parents` gives."""
    # By the learned graph i has no effect on its parents.
    wrong = parents & descendants[i]
    rest = set(true) - parents - {i}
    wrong |= (rest - descendants[i]) & _connected(true, i, parents, set(true.succ[i]))
    connected: dict[frozenset[Node], set[Node]] = {}
    for j in rest & descendants[i]:
        # The effect of i on j runs along directed paths: adjusting must leave these open and block all others.
        causal = frozenset(w for w in true.succ[i] if w == j or j in descendants[w])
        mediators = {w for w in descendants[i] if w == j or j in descendants[w]}
        if any(z in mediators or any(z in descendants[w] for w in mediators) for z in parents):
            wrong.add(j)
            continue
        if causal not in connected:
            connected[causal] = _connected(true, i, parents, set(true.succ[i]) - causal)
        if j in connected[causal]:
            wrong.add(j)
    return wrong


def _connected(graph: nx.DiGraph, i: Node, given: set[Node], children: set[Node]) -> set[Node]:
    """Nodes d-connected with i given some nodes; of the arcs out of i only those to `children` are used."""
    open_colliders = set(given)  # colliders that are given, or have a descendant that is
    for z in given:
        open_colliders |= nx.ancestors(graph, z)
    seen: set[tuple[Node, bool]] = set()
    waiting = [(parent, False) for parent in graph.pred[i]] + [(child, True) for child in children]
    while waiting:
        state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        node, from_parent = state
        if node == i:
            continue
        if node not in given:
            waiting += [(child, True) for child in graph.succ[node]]
        if node not in given if not from_parent else node in open_colliders:
            waiting += [(parent, False) for parent in graph.pred[node]]
    return {node for node, _ in seen} - given - {i}
