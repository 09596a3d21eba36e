"""Read and write a DAG by the extension of the file: GraphML, DOT, JSON or a model string."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import networkx as nx

from bnjit.errors import ArgumentError, FileFormatError, GraphError
from bnjit.graph.dag import read_arcs, reject_cycles
from bnjit.graph.dot import format_dot, parse_dot
from bnjit.graph.modelstring import to_modelstring


def write_dag(dag: nx.DiGraph, path: Any) -> None:
    """Write a DAG as GraphML (.graphml), DOT (.dot), JSON (.json) or a model string (.txt).

    JSON is networkx's node-link form: {"nodes": [{"id", "kind"}], "edges": [{"source", "target"}]}. All but the model
    string keep the kind of the nodes; names that are no strings become strings, except in JSON.
    """
    path = Path(path)
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise ArgumentError(f"cannot tell how to write {path.name!r}; the name must end in {', '.join(_WRITERS)}")
    path.write_text(write(_plain(dag)), encoding="utf-8")


def read_dag(path: Any) -> nx.DiGraph:
    """Read a DAG from GraphML (.graphml), DOT (.dot), JSON (.json) or a model string (.txt).

    Parameters
    ----------
    path : str or path
        What `write_dag` wrote, or other software: of GraphML and DOT the nodes and arcs are read, and the attribute
        "kind" of nodes.

    Returns
    -------
    networkx.DiGraph
        Acyclic, without loops and repeated arcs.
    """
    path = Path(path)
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise FileFormatError(f"cannot tell what {path.name!r} is; the name must end in {', '.join(_READERS)}")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileFormatError(f"there is no file {str(path)!r}") from None
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path.name}: byte {error.start} is not UTF-8") from None
    try:
        return _plain(read(text))
    except (FileFormatError, GraphError) as error:
        raise FileFormatError(f"{path.name}: {error}") from None
    except RecursionError:
        raise FileFormatError(f"{path.name}: nested too deeply") from None


def writable() -> tuple[str, ...]:
    """Extensions that write_dag takes."""
    return tuple(_WRITERS)


def _plain(graph: nx.Graph) -> nx.DiGraph:
    """Copy with nodes, kinds and arcs alone; undirected, repeated and cyclic arcs are errors."""
    nodes, arcs = read_arcs(graph)
    if len(set(arcs)) < len(arcs):
        repeated = next(arc for i, arc in enumerate(arcs) if arc in arcs[:i])
        raise GraphError(f"the arc {repeated[0]} -> {repeated[1]} is there twice")
    reject_cycles(arcs)
    dag = nx.DiGraph()
    for node in nodes:
        kind = graph.nodes[node].get("kind")
        dag.add_node(node, **({"kind": kind} if kind in {"discrete", "continuous"} else {}))
    dag.add_edges_from(arcs)
    return dag


def _write_graphml(dag: nx.DiGraph) -> str:
    return "\n".join(nx.generate_graphml(dag)) + "\n"


def _read_graphml(text: str) -> nx.Graph:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FileFormatError("it declares a document type or entities, which GraphML does not need")
    try:
        return nx.parse_graphml(text)
    except ParseError as error:
        raise FileFormatError(f"not well-formed XML: {error}") from None
    except Exception as error:  # whatever networkx meets in a strange file: KeyError, ValueError, ...
        raise FileFormatError(f"not GraphML as networkx reads it: {type(error).__name__}: {error}") from None


def _write_json(dag: nx.DiGraph) -> str:
    return json.dumps(nx.node_link_data(dag, edges="edges"), indent=1, default=str) + "\n"


def _read_json(text: str) -> nx.Graph:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"not JSON: {error}") from None
    if isinstance(document, dict) and document.get("format") == "bnjit-network":
        raise FileFormatError("this is a network with parameters; take bnjit.read_network(path).dag")
    graph = nx.DiGraph()
    try:
        if document.get("directed", True) is not True:
            raise FileFormatError("the graph is not directed")
        for i, node in enumerate(document["nodes"]):
            if node["id"] in graph:
                raise FileFormatError(f"nodes[{i}]: {node['id']!r} is there twice")
            graph.add_node(node["id"], kind=node.get("kind"))
        for i, arc in enumerate(document["edges"]):
            if arc["source"] not in graph or arc["target"] not in graph:
                raise FileFormatError(f"edges[{i}]: {arc['source']!r} -> {arc['target']!r} names no node")
            if graph.has_edge(arc["source"], arc["target"]):
                raise FileFormatError(f"edges[{i}]: {arc['source']!r} -> {arc['target']!r} is there twice")
            graph.add_edge(arc["source"], arc["target"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError('not in node-link form, {"nodes": [{"id"}], "edges": [{"source", "target"}]}') from None
    return graph


def _write_text(dag: nx.DiGraph) -> str:
    return to_modelstring(dag) + "\n"


def _read_text(text: str) -> nx.Graph:
    nodes, arcs = read_arcs("".join(text.split("\n")).strip())
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(arcs)
    return graph


_WRITERS: dict[str, Callable[[nx.DiGraph], str]] = {
    ".graphml": _write_graphml,
    ".dot": format_dot,
    ".json": _write_json,
    ".txt": _write_text,
}
_READERS: dict[str, Callable[[str], nx.Graph]] = {
    ".graphml": _read_graphml,
    ".dot": parse_dot,
    ".json": _read_json,
    ".txt": _read_text,
}
