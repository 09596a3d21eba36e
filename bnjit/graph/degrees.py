"""In-degrees, split by the kind of the parents: all that the cost of a search depends on."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import networkx as nx

from bnjit.errors import ArgumentError, GraphError, check_count
from bnjit.graph.dag import parent_sets, read_arcs

KINDS = ("discrete", "gaussian", "cgaussian")


class Degree(NamedTuple):
    """A node: whether it is discrete, and how many discrete (D) and continuous (G) parents it has."""

    discrete: bool
    D: int
    G: int

    @property
    def d(self) -> int:
        """Number of parents."""
        return self.D + self.G


def read_degrees(dag: Any, kind: str | None = None, discrete: Iterable[Hashable] = ()) -> tuple[list[Degree], str]:
    """Degrees of the nodes of a DAG, or of a sequence of in-degrees, and the class of network they are of.

    The class is `kind`, or follows from the attribute "kind" of the nodes and from `discrete`, the names of discrete
    ones; it is "" where neither is given, and then no node counts as discrete.

    Examples
    --------
    >>> read_degrees("[A][X|A][Y|A:X]", discrete=["A"])
    ([Degree(discrete=True, D=0, G=0), Degree(discrete=False, D=1, G=0), Degree(discrete=False, D=1, G=1)], 'cgaussian')
    >>> read_degrees([0, 1], "gaussian")
    ([Degree(discrete=False, D=0, G=0), Degree(discrete=False, D=0, G=1)], 'gaussian')
    """
    if kind is not None:
        check_kind(kind)
    if not isinstance(dag, str | nx.Graph) and isinstance(dag, Iterable):
        dag = list(dag)
        if any(hasattr(item, "__index__") for item in dag):
            return _from_numbers(dag, kind, list(discrete))
    nodes, arcs = read_arcs(dag, "dag")
    if not nodes:
        raise GraphError("dag has no nodes; isolated ones need a networkx.DiGraph, a model string or in-degrees")
    kinds = dict(dag.nodes(data="kind")) if isinstance(dag, nx.Graph) else {}
    flags, kind = _discrete_nodes(nodes, kinds, kind, list(discrete))
    degrees = []
    for is_discrete, parents in zip(flags, parent_sets(arcs, nodes, flags), strict=True):
        D = sum(flags[p] for p in parents)
        degrees.append(Degree(is_discrete, D, len(parents) - D))
    return degrees, kind


def check_kind(kind: str) -> None:
    """Raise unless there is such a class of networks."""
    if kind not in KINDS:
        raise ArgumentError(f"kind={kind!r} is not known; the kinds are {', '.join(KINDS)}")


def _from_numbers(numbers: list[Any], kind: str | None, discrete: list[Hashable]) -> tuple[list[Degree], str]:
    """Degrees of networks with nodes of one kind."""
    if kind == "cgaussian" or discrete:
        raise ArgumentError(
            "dag is a sequence of in-degrees, which does not say which parents are discrete; for kind='cgaussian' "
            "give a graph whose nodes have a kind, or name the discrete nodes of a graph"
        )
    for d in numbers:
        if d is None:
            raise ArgumentError("dag: an in-degree is None; it must be a whole number")
        check_count("dag: in-degree", d, least=0)
    degrees = [int(d) for d in numbers]
    # In topological order node i has at most i parents before it, and sorting the degrees only helps.
    for i, d in enumerate(sorted(degrees)):
        if d > i:
            raise GraphError(f"dag={degrees!r} are the in-degrees of no DAG: {len(degrees) - i} nodes with {d} or more")
    if kind == "discrete":
        return [Degree(True, d, 0) for d in degrees], kind
    return [Degree(False, 0, d) for d in degrees], kind or ""


def _discrete_nodes(
    nodes: list[Hashable], kinds: dict[Hashable, Any], kind: str | None, discrete: list[Hashable]
) -> tuple[list[bool], str]:
    """Which nodes are discrete, and the class of network that follows."""
    unknown = [name for name in discrete if name not in nodes]
    if unknown:
        raise ArgumentError(f"discrete names {unknown[0]!r}, which is no node of dag")
    known_kinds = {node: value for node, value in kinds.items() if value is not None} | dict.fromkeys(
        discrete, "discrete"
    )
    for node, value in known_kinds.items():
        if value not in ("discrete", "continuous"):
            raise GraphError(f"dag: node {node!r} has the kind {value!r}; it is 'discrete' or 'continuous'")
        if (kind, value) in (("discrete", "continuous"), ("gaussian", "discrete")):
            raise ArgumentError(f"kind={kind!r}, but node {node!r} of dag is {value}; leave kind out, or correct it")
    others = [node for node in nodes if node not in known_kinds]
    if known_kinds and others and not discrete and kind in (None, "cgaussian"):
        raise GraphError(f"dag: node {others[0]!r} has no kind, but others have; set it to 'discrete' or 'continuous'")
    if kind == "cgaussian" and not known_kinds:
        raise ArgumentError("kind='cgaussian', but dag does not say which nodes are discrete; name them in discrete")
    flags = [known_kinds.get(node, kind) == "discrete" for node in nodes]
    if kind is None and known_kinds:
        kind = "discrete" if all(flags) else "cgaussian" if any(flags) else "gaussian"
    return flags, kind or ""
