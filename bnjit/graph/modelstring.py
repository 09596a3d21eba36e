"""bnlearn's model strings: [A][B|A][C|A:B], a bracket for each node, with its parents after the bar."""

import re
from typing import Any

import networkx as nx

from bnjit.errors import GraphError

_NODE = re.compile(r"\[([^\[\]|:]+)(?:\|([^\[\]|]+))?\]")


def parse_modelstring(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Nodes and arcs of a model string.

    Examples
    --------
    >>> parse_modelstring("[A][B][C|A:B]")
    (['A', 'B', 'C'], [('A', 'C'), ('B', 'C')])
    """
    nodes: dict[str, None] = {}
    arcs: list[tuple[str, str]] = []
    at = 0
    compact = text.strip()
    while at < len(compact):
        match = _NODE.match(compact, at)
        if match is None:
            raise GraphError(
                f"model string: at position {at} stands {compact[at : at + 20]!r}, not [node] or [node|parent:parent]"
            )
        node, parents = match.groups()
        if node in nodes:
            raise GraphError(f"model string: node {node!r} is defined twice, again at position {at}")
        nodes[node] = None
        arcs += [(parent, node) for parent in parents.split(":")] if parents else []
        at = match.end()
    if not nodes:
        raise GraphError("model string: it is empty; it looks like [A][B|A][C|A:B]")
    unknown = [arc for arc in arcs if arc[0] not in nodes]
    if unknown:
        raise GraphError(f"model string: {unknown[0][1]!r} has the parent {unknown[0][0]!r}, which is not defined")
    return list(nodes), arcs


def to_modelstring(dag: Any) -> str:
    """Model string of a DAG: parents before children, otherwise in the order of its nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> to_modelstring(nx.DiGraph([("A", "C"), ("B", "C")]))
    '[A][B][C|A:B]'
    """
    if not isinstance(dag, nx.DiGraph) or not nx.is_directed_acyclic_graph(dag):
        raise GraphError("model string: it takes a networkx.DiGraph without cycles")
    position = {node: i for i, node in enumerate(dag)}
    wrong = [node for node in dag if not isinstance(node, str) or not _NODE.fullmatch(f"[{node}]") or "|" in node]
    if wrong:
        raise GraphError(f"model string: the node {wrong[0]!r} cannot be written; names are strings without [ ] | or :")
    parts = []
    for node in nx.lexicographical_topological_sort(dag, key=position.__getitem__):
        parents = sorted(dag.pred[node], key=position.__getitem__)
        parts.append(f"[{node}|{':'.join(parents)}]" if parents else f"[{node}]")
    return "".join(parts)
