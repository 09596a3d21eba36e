"""Write a DAG to a file, by its extension."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx

from bnjit.errors import ArgumentError
from bnjit.graph.modelstring import to_modelstring


def write_dag(dag: nx.DiGraph, path: Any) -> None:
    """Write a DAG as GraphML (.graphml), DOT (.dot), JSON (.json) or a model string (.txt).

    JSON is networkx's node-link form: {"nodes": [{"id", "kind"}], "edges": [{"source", "target"}]}.
    """
    path = Path(path)
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise ArgumentError(f"cannot tell how to write {path.name!r}; the name must end in {', '.join(_WRITERS)}")
    path.write_text(write(dag), encoding="utf-8")


def writable() -> tuple[str, ...]:
    """Extensions that write_dag takes."""
    return tuple(_WRITERS)


def _graphml(dag: nx.DiGraph) -> str:
    return "\n".join(nx.generate_graphml(dag)) + "\n"


def _dot(dag: nx.DiGraph) -> str:
    def quoted(node: Any) -> str:
        return '"' + str(node).replace("\\", "\\\\").replace('"', '\\"') + '"'

    nodes = [f"  {quoted(node)} [kind={quoted(data.get('kind', 'unknown'))}];" for node, data in dag.nodes(data=True)]
    arcs = [f"  {quoted(a)} -> {quoted(b)};" for a, b in dag.edges]
    return "\n".join(["digraph {", *nodes, *arcs, "}", ""])


def _json(dag: nx.DiGraph) -> str:
    return json.dumps(nx.node_link_data(dag, edges="edges"), indent=1, default=str) + "\n"


def _text(dag: nx.DiGraph) -> str:
    return to_modelstring(dag) + "\n"


_WRITERS: dict[str, Callable[[nx.DiGraph], str]] = {".graphml": _graphml, ".dot": _dot, ".json": _json, ".txt": _text}
