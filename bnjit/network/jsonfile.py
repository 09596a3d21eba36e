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
import math
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit._files import write_whole
from bnjit.errors import FileFormatError
from bnjit.graph.text import parse_json, read_text
from bnjit.network.gaussianjson import from_gaussian, is_gaussian
from bnjit.network.nodes import DiscreteNode, GaussianNode, Node
from bnjit.stats.cells import MAX_CONFIGURATIONS

if TYPE_CHECKING:
    from bnjit.network.network import Network

FORMAT, VERSION = "bnjit-network", 1


def write_json(network: "Network", path: Path) -> None:
    """Write a network."""
    text = json.dumps(to_document(network), indent=1, default=_plain)
    with write_whole(path) as part:
        part.write_text(text + "\n", encoding="utf-8")


def to_document(network: "Network") -> dict[str, Any]:
    """Network as what JSON holds."""
    nodes = [_node_to_json(network, j) for j in range(len(network.nodes))]
    return {"format": FORMAT, "version": VERSION, "nodes": nodes}


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
    columns = network.configurations(parents, keys)
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in keys]


def read_json(path: Path) -> "Network":
    """Read a network in the format above or that of bnjit.network.gaussianjson; an error says where it differs."""
    text = read_text(path)
    try:
        document = parse_json(text)
    except FileFormatError as error:
        raise FileFormatError(f"{path.name}: {error}") from None
    return from_gaussian(document, path.name) if is_gaussian(document) else from_document(document, path.name)


def from_document(document: Any, file: str) -> "Network":
    """Network from what JSON holds; `file` names its origin in errors."""
    from bnjit.network.network import Network

    reader = _Reader(file)
    reader.require(
        isinstance(document, dict) and document.get("format") == FORMAT, "", f'it has no "format": "{FORMAT}"'
    )
    version = document.get("version")
    reader.require(version == VERSION, "version", f"it is {version!r}; this bnjit reads version {VERSION}")
    nodes = reader.items(document, "nodes", "")
    names = [reader.text(node, "name", f"nodes[{j}]") for j, node in enumerate(nodes)]
    reader.require(len(set(names)) == len(names), "nodes", "two nodes have the same name")
    labels = [reader.levels(node, f"nodes[{j}]") for j, node in enumerate(nodes)]
    reader.positions = {name: j for j, name in enumerate(names)}
    reader.codes = [label if label is None else {v: i for i, v in enumerate(label)} for label in labels]
    return Network(names, labels, [reader.node(node, f"nodes[{j}]", j) for j, node in enumerate(nodes)])


class _Reader:
    """Checks the parts of a document; errors name the file and the part.

    positions : of the nodes, by name; codes : of the levels of each node, None for continuous ones
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.positions: dict[str, int] = {}
        self.codes: list[dict[Any, int] | None] = []

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

    def parents(self, node: Any, key: str, where: str, discrete: bool) -> tuple[int, ...]:
        found = []
        for name in self.items(node, key, where):
            self.require(isinstance(name, str) and name in self.positions, f"{where}.{key}", f"{name!r} is no node")
            p = self.positions[name]
            self.require((self.codes[p] is not None) == discrete, f"{where}.{key}", f"{name!r} is of the other kind")
            found.append(p)
        ascending = all(a < b for a, b in pairwise(found))
        self.require(ascending, f"{where}.{key}", "parents must be in the order of the nodes, each once")
        return tuple(found)

    def keys(self, node: Any, where: str, parents: tuple[int, ...]) -> Any:
        rows = self.items(node, "configurations", where)
        codes = [self.codes[p] or {} for p in parents]
        size = math.prod(map(len, codes))
        self.require(size <= MAX_CONFIGURATIONS, f"{where}.parents", "they have more than 2^62 configurations")
        keys = np.zeros(len(rows), np.int64)
        for i, row in enumerate(rows):
            fits = isinstance(row, list) and len(row) == len(parents)
            self.require(fits, f"{where}.configurations[{i}]", f"it does not list {len(parents)} levels")
            key = 0
            for code, label in zip(codes, row, strict=True):
                known = isinstance(label, str | int | float | bool) and label in code
                self.require(known, f"{where}.configurations[{i}]", f"{label!r} is no level of its parent")
                key = key * len(code) + code[label]
            keys[i] = key
        self.require(bool(np.all(np.diff(keys) > 0)), f"{where}.configurations", "they must ascend, each once")
        return keys

    def node(self, node: Any, where: str, j: int) -> Node:
        levels = self.codes[j]
        if levels is not None:
            parents = self.parents(node, "parents", where, discrete=True)
            keys, r = self.keys(node, where, parents), len(levels)
            probabilities = self.numbers(node, "probabilities", where, (len(keys), r))
            fallback = self.numbers(node, "fallback", where, (r,))
            for key, array in (("probabilities", probabilities), ("fallback", fallback)):
                proper = np.all(array >= 0) and np.allclose(array.sum(axis=-1), 1.0, atol=1e-6)
                self.require(bool(proper), f"{where}.{key}", "they are negative or do not sum to 1")
            return DiscreteNode(parents, keys, probabilities, fallback)
        discrete = self.parents(node, "discrete_parents", where, discrete=True)
        continuous = self.parents(node, "continuous_parents", where, discrete=False)
        keys, g = self.keys(node, where, discrete), len(continuous)
        coefficients = self.numbers(node, "coefficients", where, (len(keys), g + 1))
        sd, fallback = self.numbers(node, "sd", where, (len(keys),)), self.numbers(node, "fallback", where, (g + 2,))
        self.require(bool(np.all(sd >= 0) and fallback[-1] >= 0), f"{where}.sd", "it is negative")
        return GaussianNode(discrete, continuous, keys, coefficients, sd, fallback)
