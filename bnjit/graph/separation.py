"""Looking at a DAG: who matters for whom, along which paths, and which independencies the graph implies."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import networkx as nx

from bnjit.errors import ArgumentError, GraphError, check_count
from bnjit.graph.dag import reject_cycles
from bnjit.graph.pdag import as_digraph

Node = Hashable


class Independence(NamedTuple):
    """A statement that a graph makes: x and y are independent given some nodes.

    Examples
    --------
    >>> print(Independence("A", "C", ("B",)))
    A _||_ C | B
    """

    x: Node
    y: Node
    given: tuple[Node, ...] = ()

    def __str__(self) -> str:
        condition = f" | {', '.join(map(str, self.given))}" if self.given else ""
        return f"{self.x} _||_ {self.y}{condition}"


@dataclass(frozen=True)
class Path:
    """A path between two nodes, along arcs in any direction.

    Attributes
    ----------
    nodes : tuple
        From one end to the other.
    forward : tuple of bool
        Whether each arc of it goes with the path.
    open : bool
        Whether it lets the two ends depend on each other, given the nodes that `bnjit.paths` was given.
    """

    nodes: tuple[Node, ...]
    forward: tuple[bool, ...]
    open: bool

    @property
    def directed(self) -> bool:
        """Whether all arcs go with the path: a way for the first node to act on the last."""
        return all(self.forward)

    def __str__(self) -> str:
        steps = zip(self.forward, self.nodes[1:], strict=True)
        return str(self.nodes[0]) + "".join(f" {'->' if forward else '<-'} {node}" for forward, node in steps)

    def __repr__(self) -> str:
        return f"Path({self}, {'open' if self.open else 'blocked'})"


def markov_blanket(dag: Any, node: Node) -> list[Node]:
    """Markov blanket of a node: its parents, its children, and their other parents, in the order of the nodes.

    Given these, the node is independent of all others: nothing else is needed to predict it.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, model string, Result or Network
    node : name

    Examples
    --------
    >>> markov_blanket("[A][B][C|A:B][D|C][E|D]", "A")
    ['B', 'C']
    """
    graph = _acyclic(dag)
    _check_nodes(graph, [node], "node")
    children = set(graph.succ[node])
    blanket = set(graph.pred[node]) | children | {parent for child in children for parent in graph.pred[child]}
    return _in_order(graph, blanket - {node})


def ancestors(dag: Any, node: Node) -> list[Node]:
    """All nodes from which a directed path leads to a node, in the order of the nodes; arguments as `markov_blanket`.

    Examples
    --------
    >>> ancestors("[A][B][C|A:B][D|C]", "D")
    ['A', 'B', 'C']
    """
    graph = _acyclic(dag)
    _check_nodes(graph, [node], "node")
    return _in_order(graph, nx.ancestors(graph, node))


def descendants(dag: Any, node: Node) -> list[Node]:
    """All nodes to which a directed path leads from a node, in the order of the nodes; arguments as `markov_blanket`.

    Examples
    --------
    >>> descendants("[A][B][C|A:B][D|C]", "A")
    ['C', 'D']
    """
    graph = _acyclic(dag)
    _check_nodes(graph, [node], "node")
    return _in_order(graph, nx.descendants(graph, node))


def d_separated(dag: Any, x: Any, y: Any, given: Any = ()) -> bool:
    """Whether a graph says that x and y are independent given some nodes.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, model string, Result or Network
    x, y : name, or collection of names
        No node may be in two of x, y and given.
    given : name, or collection of names

    Examples
    --------
    >>> d_separated("[A][B][C|A:B]", "A", "B"), d_separated("[A][B][C|A:B]", "A", "B", given="C")
    (True, False)
    """
    graph = _acyclic(dag)
    sets = [_nodes_of(graph, value, name) for name, value in (("x", x), ("y", y), ("given", given))]
    for name, some in zip("xy", sets[:2], strict=True):
        if not some:
            raise ArgumentError(f"{name} is empty; give at least one node")
    _check_disjoint(*sets)
    return bool(nx.is_d_separator(graph, *map(set, sets)))


def paths(dag: Any, x: Node, y: Node, given: Any = (), longest: int | None = None) -> list[Path]:
    """All paths between two nodes, short ones first, and which of them are open given some nodes.

    x and y are d-separated if no path is open. A path is blocked by a node of `given` that is no collider on it, and by
    a collider (-> C <-) that neither is given nor has a descendant that is.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, model string, Result or Network
    x, y : name
    given : name, or collection of names
    longest : int, optional
        Most arcs of a path. Dense graphs have more paths than anybody can read.

    Examples
    --------
    >>> for path in paths("[A][B][C|A:B][D|A:B]", "A", "B", given="D"):
    ...     print(path, path.open)
    A -> C <- B False
    A -> D <- B True
    """
    graph = _acyclic(dag)
    check_count("longest", longest, least=1)
    _check_nodes(graph, [x], "x")
    _check_nodes(graph, [y], "y")
    condition = set(_nodes_of(graph, given, "given"))
    _check_disjoint([x], [y], list(condition))
    opened = condition.union(*(nx.ancestors(graph, node) for node in condition))
    found = []
    for nodes in nx.all_simple_paths(graph.to_undirected(as_view=True), x, y, cutoff=longest):
        forward = tuple(graph.has_edge(a, b) for a, b in pairwise(nodes))
        is_open = all(
            node in opened if before and not after else node not in condition
            for node, before, after in zip(nodes[1:-1], forward, forward[1:], strict=False)
        )
        found.append(Path(tuple(nodes), forward, is_open))
    place = {node: i for i, node in enumerate(graph)}
    return sorted(found, key=lambda path: (len(path.nodes), [place[node] for node in path.nodes]))


def implied_independencies(dag: Any) -> list[Independence]:
    """Independencies that a graph implies, one for each pair of nodes without an arc.

    Of such a pair, the node that comes later in a topological order is independent of the other given its own parents.
    All other independencies of the graph follow from these where pairwise independence goes together with joint
    independence, as in Gaussian networks. Where nodes have the attribute "kind", discrete ones come first in the order,
    so that no discrete node is conditioned on continuous ones. `bnjit.check_markov` tests them.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, model string, Result or Network

    Examples
    --------
    >>> for statement in implied_independencies("[A][B|A][C|A][D|B:C]"):
    ...     print(statement)
    C _||_ B | A
    D _||_ A | B, C
    """
    graph = _acyclic(dag)
    kind = graph.nodes(data="kind")
    place = {node: i for i, node in enumerate(graph)}
    order = list(nx.lexicographical_topological_sort(graph, key=lambda node: (kind[node] == "continuous", place[node])))
    found = []
    for i, node in enumerate(order):
        parents = tuple(_in_order(graph, graph.pred[node]))
        found += [Independence(node, other, parents) for other in order[:i] if other not in graph.pred[node]]
    return found


def _acyclic(dag: Any) -> nx.DiGraph:
    """DiGraph of anything that has one; cycles are an error."""
    graph = as_digraph(getattr(dag, "dag", dag))
    reject_cycles(graph.edges)
    return graph


def _in_order(graph: nx.DiGraph, some: Iterable[Node]) -> list[Node]:
    wanted = set(some)
    return [node for node in graph if node in wanted]


def _check_nodes(graph: nx.DiGraph, nodes: Iterable[Node], what: str) -> None:
    for node in nodes:
        if not isinstance(node, Hashable) or node not in graph:
            known = ", ".join(map(str, list(graph)[:10])) + (", ..." if len(graph) > 10 else "")
            raise GraphError(f"{what}: the graph has no node {node!r}; its nodes are {known}")


def _nodes_of(graph: nx.DiGraph, some: Any, what: str) -> list[Node]:
    """Nodes of an argument that is a node or a collection of them."""
    is_node = isinstance(some, str) or not isinstance(some, Iterable) or (isinstance(some, tuple) and some in graph)
    nodes = [some] if is_node else list(dict.fromkeys(some))
    _check_nodes(graph, nodes, what)
    return nodes


def _check_disjoint(x: list[Node], y: list[Node], given: list[Node]) -> None:
    for first, second, names in ((x, y, "x and y"), (x, given, "x and given"), (y, given, "y and given")):
        both = [node for node in first if node in set(second)]
        if both:
            raise ArgumentError(f"{both[0]!r} is in both {names}; a node can be in one of x, y and given")
