"""Networks as JSON, all three classes.

{"format": "bnjit-network", "version": 1, "nodes": [...]}, a node for each column, in order:
- discrete: {"name", "kind": "discrete", "levels": [...], "parents": [names], "configurations": [[levels], ...],
  "probabilities": [[...], ...], "fallback": [...]}: a row of probabilities for each configuration of the parents;
- continuous: {"name", "kind": "continuous", "discrete_parents": [names], "continuous_parents": [names],
  "configurations": [[levels], ...], "coefficients": [[intercept, slopes...], ...], "sd": [...], "fallback": [...]}: a
  regression for each configuration of the discrete parents; the fallback ends with its standard deviation.
Configurations that are not listed have no parameters; the fallback stands in for them (see bnjit.Network).
Levels are strings, numbers or booleans; names are strings.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.errors import FileFormatError
from bnjit.network.nodes import DiscreteNode, GaussianNode, Node

if TYPE_CHECKING:
    from bnjit.network.network import Network

FORMAT, VERSION = "bnjit-network", 1


def write_json(network: "Network", path: Path) -> None:
    """Write a network."""
    nodes = [_node_to_json(network, j) for j in range(len(network.nodes))]
    text = json.dumps({"format": FORMAT, "version": VERSION, "nodes": nodes}, indent=1, default=_plain)
    path.write_text(text + "\n", encoding="utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise FileFormatError(
        f"a {type(value).__name__} cannot be written to JSON; use strings, numbers or booleans as levels"
    )


def _node_to_json(network: "Network", j: int) -> dict[str, Any]:
    node, name = network.nodes[j], str(network.names[j])

    def named(parents: tuple[int, ...]) -> list[str]:
        return [str(network.names[p]) for p in parents]

    if isinstance(node, DiscreteNode):
        return {
            "name": name, "kind": "discrete", "levels": list(network.labels[j] or ()), "parents": named(node.parents),
            "configurations": _configurations(network, node.parents, node.keys),
            "probabilities": node.probabilities.tolist(), "fallback": node.fallback.tolist(),
        }  # fmt: skip
    return {
        "name": name, "kind": "continuous", "discrete_parents": named(node.discrete),
        "continuous_parents": named(node.continuous),
        "configurations": _configurations(network, node.discrete, node.keys),
        "coefficients": node.coefficients.tolist(), "sd": node.sd.tolist(), "fallback": node.fallback.tolist(),
    }  # fmt: skip


def _configurations(network: "Network", parents: tuple[int, ...], keys: Any) -> list[list[Any]]:
    rest, columns = keys, []
    for p in reversed(parents):
        labels = network.labels[p]
        assert labels is not None
        rest, code = np.divmod(rest, len(labels))
        columns.append([labels[c] for c in code])
    return [list(row) for row in zip(*columns[::-1], strict=True)] if columns else [[] for _ in keys]


def read_json(path: Path) -> "Network":
    """Read a network; a file that is not one is an error that says where."""
    from bnjit.network.network import Network

    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{path.name}: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise FileFormatError(f"{path.name}: it is not JSON text ({type(error).__name__})") from error
    reader = _Reader(path.name)
    reader.require(
        isinstance(document, dict) and document.get("format") == FORMAT, "", f'it has no "format": "{FORMAT}"'
    )
    version = document.get("version")
    reader.require(version == VERSION, "version", f"it is {version!r}; this bnjit reads version {VERSION}")
    nodes = reader.items(document, "nodes", "")
    names = [reader.text(node, "name", f"nodes[{j}]") for j, node in enumerate(nodes)]
    reader.require(len(set(names)) == len(names), "nodes", "two nodes have the same name")
    labels = [reader.levels(node, f"nodes[{j}]") for j, node in enumerate(nodes)]
    made = [reader.node(node, f"nodes[{j}]", names, labels, j) for j, node in enumerate(nodes)]
    network = Network(names, labels, made)
    reader.acyclic(network)
    return network


def _no_constant(text: str) -> float:
    raise FileFormatError(f"{text} is no number of a network")


class _Reader:
    """Checks a document part by part; errors name the file and the part."""

    def __init__(self, file: str) -> None:
        self.file = file

    def require(self, holds: bool, where: str, problem: str) -> None:
        if not holds:
            raise FileFormatError(f"{self.file}: {where + ': ' if where else ''}{problem}")

    def items(self, parent: Any, key: str, where: str) -> list[Any]:
        self.require(isinstance(parent, dict), where, "it is no object")
        value = parent.get(key)
        self.require(isinstance(value, list), f"{where}.{key}".lstrip("."), "it is missing or no list")
        return list(value)

    def text(self, parent: Any, key: str, where: str) -> str:
        self.require(isinstance(parent, dict), where, "it is no object")
        value = parent.get(key)
        self.require(isinstance(value, str), f"{where}.{key}", "it is missing or no string")
        return str(value)

    def levels(self, node: Any, where: str) -> tuple[Any, ...] | None:
        kind = self.text(node, "kind", where)
        self.require(
            kind in ("discrete", "continuous"), f"{where}.kind", f"it is {kind!r}, neither discrete nor continuous"
        )
        if kind == "continuous":
            return None
        levels = self.items(node, "levels", where)
        plain = all(isinstance(level, str | int | float | bool) for level in levels)
        self.require(
            plain and 0 < len(set(levels)) == len(levels), f"{where}.levels", "they are no list of distinct levels"
        )
        return tuple(levels)

    def numbers(self, node: Any, key: str, where: str, shape: tuple[int, ...]) -> Any:
        value = self.items(node, key, where)
        try:
            array = np.array(value, np.float64).reshape(shape) if 0 in shape else np.array(value, np.float64)
        except (ValueError, TypeError, OverflowError):
            array = np.empty(0)
        self.require(array.shape == shape, f"{where}.{key}", f"it is no array of numbers with shape {list(shape)}")
        self.require(bool(np.isfinite(array).all()), f"{where}.{key}", "it has numbers that are not finite")
        return array

    def parents(
        self, node: Any, key: str, where: str, names: list[str], labels: list[Any], discrete: bool
    ) -> tuple[int, ...]:
        found = []
        for name in self.items(node, key, where):
            self.require(isinstance(name, str) and name in names, f"{where}.{key}", f"{name!r} is no node")
            p = names.index(name)
            self.require((labels[p] is not None) == discrete, f"{where}.{key}", f"{name!r} is of the other kind")
            found.append(p)
        ascending = all(a < b for a, b in pairwise(found))
        self.require(ascending, f"{where}.{key}", "parents must be in the order of the nodes, each once")
        return tuple(found)

    def keys(self, node: Any, where: str, parents: tuple[int, ...], labels: list[Any]) -> Any:
        rows = self.items(node, "configurations", where)
        size = 1
        for p in parents:
            size *= len(labels[p])
        self.require(size <= 1 << 62, f"{where}.parents", "they have more than 2^62 configurations")
        keys = np.zeros(len(rows), np.int64)
        for i, row in enumerate(rows):
            fits = isinstance(row, list) and len(row) == len(parents)
            self.require(fits, f"{where}.configurations[{i}]", f"it does not list {len(parents)} levels")
            for p, label in zip(parents, row, strict=True):
                known = isinstance(label, str | int | float | bool) and label in labels[p]
                self.require(known, f"{where}.configurations[{i}]", f"{label!r} is no level of its parent")
                keys[i] = keys[i] * len(labels[p]) + labels[p].index(label)
        self.require(bool(np.all(np.diff(keys) > 0)), f"{where}.configurations", "they must ascend, each once")
        return keys

    def node(self, node: Any, where: str, names: list[str], labels: list[Any], j: int) -> Node:
        if labels[j] is not None:
            parents = self.parents(node, "parents", where, names, labels, discrete=True)
            keys, r = self.keys(node, where, parents, labels), len(labels[j])
            probabilities = self.numbers(node, "probabilities", where, (len(keys), r))
            fallback = self.numbers(node, "fallback", where, (r,))
            for key, array in (("probabilities", probabilities), ("fallback", fallback)):
                proper = np.all(array >= 0) and np.allclose(array.sum(axis=-1), 1.0, atol=1e-6)
                self.require(bool(proper), f"{where}.{key}", "they are negative or do not sum to 1")
            return DiscreteNode(parents, keys, probabilities, fallback)
        discrete = self.parents(node, "discrete_parents", where, names, labels, discrete=True)
        continuous = self.parents(node, "continuous_parents", where, names, labels, discrete=False)
        keys, g = self.keys(node, where, discrete, labels), len(continuous)
        coefficients = self.numbers(node, "coefficients", where, (len(keys), g + 1))
        sd, fallback = self.numbers(node, "sd", where, (len(keys),)), self.numbers(node, "fallback", where, (g + 2,))
        self.require(bool(np.all(sd >= 0) and fallback[-1] >= 0), f"{where}.sd", "it is negative")
        return GaussianNode(discrete, continuous, keys, coefficients, sd, fallback)

    def acyclic(self, network: "Network") -> None:
        import networkx as nx

        self.require(nx.is_directed_acyclic_graph(network.dag), "nodes", "the parents make a cycle")
