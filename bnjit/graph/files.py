"""Read and write a DAG by the extension of the file: GraphML, DOT, JSON or a model string."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import networkx as nx

from bnjit._files import write_whole
from bnjit.errors import ArgumentError, BnjitError, FileFormatError, GraphError
from bnjit.graph.dag import read_arcs, reject_cycles
from bnjit.graph.dot import format_dot, parse_dot
from bnjit.graph.modelstring import to_modelstring
from bnjit.graph.text import decode, parse_json, read_text


def write_dag(dag: Any, path: Any) -> None:
    """Write a DAG as GraphML (.graphml), DOT (.dot), JSON (.json) or a model string (.txt).

    JSON is networkx's node-link form: {"nodes": [{"id", "kind"}], "edges": [{"source", "target"}]}. All but the model
    string keep the kind of the nodes. Names that are not strings become strings, except in JSON. A name that would be
    read back differently is an error.

    Parameters
    ----------
    dag : networkx.DiGraph, list of arcs, or model string
    path : str or path
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        raise ArgumentError(f"cannot tell how to write {path.name!r}; the name must end in {', '.join(_WRITERS)}")
    plain = _plain(dag)
    data = _written(plain, suffix)
    if data is None:
        lost = next((node for node in plain if _written(plain.subgraph([node]), suffix) is None), None)
        what = "two names that are alike as text" if lost is None else f"the name {lost!r}"
        raise GraphError(f"{path.name}: {suffix} cannot hold {what}; rename the node, or write another format")
    with write_whole(path) as part:
        part.write_bytes(data)


def _written(dag: nx.DiGraph, suffix: str) -> bytes | None:
    """Content of a file; None if its names would be read back differently."""
    text = _WRITERS[suffix](dag)
    try:
        data = text.encode()
        again = _READERS[suffix](decode(data))
    except (BnjitError, UnicodeError):
        return None
    return data if sorted(map(str, again)) == sorted(map(str, dag)) else None


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
    text = read_text(path)
    try:
        return _plain(read(text))
    except (FileFormatError, GraphError) as error:
        raise FileFormatError(f"{path.name}: {error}") from None


def writable() -> tuple[str, ...]:
    """Extensions that write_dag takes."""
    return tuple(_WRITERS)


def _plain(graph: Any) -> nx.DiGraph:
    """Copy with only nodes, kinds and arcs; undirected, repeated and cyclic arcs are errors."""
    nodes, arcs = read_arcs(graph)
    repeated = next((arc for arc, count in Counter(arcs).items() if count > 1), None)
    if repeated is not None:
        raise GraphError(f"the arc {repeated[0]} -> {repeated[1]} is there twice")
    reject_cycles(arcs)
    kinds = dict(graph.nodes(data="kind")) if isinstance(graph, nx.Graph) else {}
    dag = nx.DiGraph()
    for node in nodes:
        kind = kinds.get(node)
        dag.add_node(node, **({"kind": kind} if kind in ("discrete", "continuous") else {}))
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
    except Exception as error:  # networkx raises KeyError, ValueError and others for damaged files
        raise FileFormatError(f"not GraphML as networkx reads it: {type(error).__name__}: {error}") from None


def _write_json(dag: nx.DiGraph) -> str:
    return json.dumps(nx.node_link_data(dag, edges="edges"), indent=1, default=str) + "\n"


def _read_json(text: str) -> nx.Graph:
    document = parse_json(text)
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
    if not dag:
        raise GraphError("a model string has at least one node; write the empty graph as .json")
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
