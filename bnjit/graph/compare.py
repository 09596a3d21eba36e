"""How good a learned graph is: edges that are right, missing, extra or reversed, and distances from the true one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx

from bnjit.graph.pdag import Arc, as_digraph, common_nodes, cpdag, hamming, is_partly_directed, shd
from bnjit.graph.sid import sid


@dataclass(frozen=True)
class Comparison:
    """What `bnjit.compare` found.

    Attributes
    ----------
    right, missing, extra, reversed : tuple of arcs
        Right edges are in both graphs, with the same direction or without one in both. Missing edges are only in the
        true graph, extra ones only in the learned graph. Reversed edges are in both with different directions, or
        directed in only one of them. Missing and reversed edges are given as in the true graph.
    precision, recall, f1 : float
        Share of the learned edges that are right, share of the true edges that are right in the learned graph, and
        their harmonic mean.
    shd, hamming : int
        Distance of the equivalence classes, and of the skeletons.
    sid : int or None
        Structural intervention distance of the graphs as given; None where one is not a DAG.
    """

    right: tuple[Arc, ...]
    missing: tuple[Arc, ...]
    extra: tuple[Arc, ...]
    reversed: tuple[Arc, ...]
    shd: int
    hamming: int
    sid: int | None

    @property
    def precision(self) -> float:
        """Share of the learned edges that are right; 1 if there are none."""
        return _share(len(self.right), len(self.extra) + len(self.reversed))

    @property
    def recall(self) -> float:
        """Share of the true edges that the learned graph has right; 1 if there are none."""
        return _share(len(self.right), len(self.missing) + len(self.reversed))

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _share(2 * len(self.right), len(self.extra) + len(self.missing) + 2 * len(self.reversed))

    def to_dict(self) -> dict[str, float]:
        """All numbers, for a table of several comparisons.

        Examples
        --------
        >>> compare("[A][B|A]", "[A][B]").to_dict()["extra"]
        1
        """
        return dict(self._numbers())

    def _numbers(self) -> Iterator[tuple[str, Any]]:
        for name in ("right", "missing", "extra", "reversed"):
            yield name, len(getattr(self, name))
        for name in ("precision", "recall", "f1", "shd", "hamming", "sid"):
            yield name, getattr(self, name)

    def __repr__(self) -> str:
        lines = [f"  {name:<9} {_text(value):>6}" for name, value in self._numbers()]
        return "\n".join(["bnjit.Comparison", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td>{_text(value)}</td></tr>"
            for name, value in self._numbers()
        )
        return f"<b>bnjit.Comparison</b><table>{rows}</table>"


def _share(right: int, wrong: int) -> float:
    return right / (right + wrong) if right + wrong else 1.0


def _text(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def compare(learned: Any, true: Any, *, classes: bool = True) -> Comparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    learned, true : networkx.DiGraph, list of arcs, model string, Result or Network
        DAGs or CPDAGs, whose undirected edges are there in both directions.
    classes : bool
        Whether to compare the edges of the equivalence classes, which is all that data can tell, or those of the
        graphs as they are.

    Returns
    -------
    Comparison
        Numbers and edges; it prints as a table. With `classes` the missing, extra and reversed edges add up to the SHD.

    Examples
    --------
    >>> compare("[A][B][C|A:B][D|C][E|D]", "[A][B][C|A:B][D|A:C][E]")
    bnjit.Comparison
      right          3
      missing        1
      extra          1
      reversed       0
      precision  0.750
      recall     0.750
      f1         0.750
      shd            2
      hamming        2
      sid            2
    """
    _, _, found = edges_of_both(learned, true, classes)
    given = _given(learned), _given(true)
    directed = not any(is_partly_directed(as_digraph(graph)) for graph in given)
    return Comparison(
        right=tuple(found["right"]),
        missing=tuple(found["missing"]),
        extra=tuple(found["extra"]),
        reversed=tuple(found["reversed"]),
        shd=shd(*given),
        hamming=hamming(*given),
        sid=sid(*given) if directed else None,
    )


def _given(graph: Any) -> Any:
    """Graph of a result or a network; anything else as it is."""
    return getattr(graph, "dag", graph)


def edges_of_both(learned: Any, true: Any, classes: bool) -> tuple[nx.DiGraph, nx.DiGraph, dict[str, list[Arc]]]:
    """Both graphs, or their classes, with the same nodes, and all edges by what is right or wrong with them."""
    given = _given(learned), _given(true)
    pair = common_nodes(as_digraph(given[0], "learned"), as_digraph(given[1], "true"), given)
    first, second = (cpdag(graph) if classes and not is_partly_directed(graph) else graph for graph in pair)
    return first, second, _edge_states(first, second)


def _edge_states(learned: nx.DiGraph, true: nx.DiGraph) -> dict[str, list[Arc]]:
    """Edges by what is right or wrong with them; undirected ones once, from the earlier node."""
    found: dict[str, list[Arc]] = {"right": [], "missing": [], "extra": [], "reversed": []}
    place = {node: k for k, node in enumerate(true)}
    for graph, other, only in ((true, learned, "missing"), (learned, true, "extra")):
        for a, b in graph.edges:
            both = graph.has_edge(b, a)
            if both and place[a] > place[b]:
                continue
            if not other.has_edge(a, b) and not other.has_edge(b, a):
                found[only].append((a, b))
            elif graph is true:
                same = other.has_edge(a, b) and other.has_edge(b, a) == both
                found["right" if same else "reversed"].append((a, b))
    return found
