"""Networks that R's bnlearn saved: .rda and .rds files with a bn.fit object (extra `r`)."""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.errors import BnjitError, FileFormatError
from bnjit.graph.text import read_bytes
from bnjit.network.nodes import DiscreteNode, GaussianNode, Node
from bnjit.network.tuning import MOST_R_BYTES

if TYPE_CHECKING:
    from bnjit.network.network import Network

_OPEN: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}


def read_r(path: Path, most_bytes: int = MOST_R_BYTES) -> "Network":
    """Read a bn.fit object from a file that has at most `most_bytes` bytes decompressed."""
    try:
        import rdata
    except ImportError:
        raise FileFormatError(f"{path.name}: reading R files needs the package rdata: pip install 'bnjit[r]'") from None
    data = read_bytes(path)
    try:
        content = io.BytesIO(_unpacked(data, most_bytes))
        read = rdata.read_rds if path.suffix.lower() == ".rds" else rdata.read_rda
        found = read(content, constructor_dict=_PlainObjects(), default_encoding="utf-8")
        fits = [found] if _is_fit(found) else [value for value in found.values() if _is_fit(value)]
    except Exception as error:  # a damaged file may raise anything in rdata
        reason = str(error) or type(error).__name__
        raise FileFormatError(f"{path.name}: it is no R data file that can be read ({reason})") from error
    if not fits:
        raise FileFormatError(f"{path.name}: it holds no fitted bnlearn network (bn.fit)")
    try:
        return _convert(fits[0])
    except BnjitError as error:
        raise FileFormatError(f"{path.name}: {error}") from error
    except (KeyError, ValueError, IndexError, TypeError, AssertionError) as error:
        raise FileFormatError(f"{path.name}: its network is damaged ({error!r})") from error


class _PlainObjects(dict[str | bytes, Callable[[Any, Mapping[str, Any]], Any]]):
    """What rdata makes of objects by their R classes: it would warn of those that it does not know."""

    def get(self, key: str | bytes, default: Any = None) -> Any:
        """Leave objects of any class as what they are made of."""
        return _as_it_is


def _as_it_is(value: Any, _: Any) -> Any:
    return value


def _is_fit(value: Any) -> bool:
    return (
        isinstance(value, dict) and bool(value) and all(isinstance(v, dict) and "parents" in v for v in value.values())
    )


def _unpacked(data: bytes, most_bytes: int) -> bytes:
    """Content of a file as R serialises it; R compresses in one of three ways."""
    packed = next((open_ for magic, open_ in _OPEN.items() if data.startswith(magic)), None)
    if packed is None:
        return data
    with packed(io.BytesIO(data)) as file:
        content: bytes = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise FileFormatError(f"unpacked it has more than {most_bytes:,} bytes, which no network needs")
    return _unpacked(content, most_bytes)


def _convert(fit: dict[Any, Any]) -> "Network":
    from bnjit.network.network import Network

    names = {str(name): j for j, name in enumerate(fit)}
    labels = [_levels(node) if "prob" in node else None for node in fit.values()]
    nodes: list[Node] = []
    for name, node in zip(names, fit.values(), strict=True):
        parents = [names[str(p)] for p in np.atleast_1d(node["parents"])]
        try:
            nodes.append(_discrete(node, parents, labels) if "prob" in node else _gaussian(node, parents, labels))
        except FileFormatError as error:
            raise FileFormatError(f"node {name!r}: {error}") from None
    return Network(list(names), labels, nodes)


def _levels(node: dict[str, Any]) -> tuple[str, ...]:
    """Levels of a discrete node: names along the first axis of its table."""
    table = node["prob"]
    levels = tuple(str(level) for level in table.coords[table.dims[0]].values)
    if len(set(levels)) < len(levels):
        raise FileFormatError(f"a node has one of the levels {', '.join(levels)} twice")
    return levels


def _in_order(array: Any, axis: int, found: Any, levels: tuple[str, ...] | None) -> Any:
    """Array with the levels of a parent along an axis in the order that they have in the parent."""
    at = {str(level): i for i, level in enumerate(np.atleast_1d(found))}
    if levels is None or len(at) != array.shape[axis] or set(at) != set(levels):
        raise FileFormatError(f"its parameters are for the levels {', '.join(at)}, which its parent does not have")
    return np.take(array, [at[level] for level in levels], axis)


def _discrete(node: dict[str, Any], parents: list[int], labels: list[tuple[str, ...] | None]) -> DiscreteNode:
    """Probability table with the node first and its parents behind, as R has it."""
    named = node["prob"]
    table = np.asarray(named, np.float64)
    if table.ndim != 1 + len(parents):
        raise FileFormatError(f"its table has {table.ndim - 1} parents, not {len(parents)}")
    for axis, parent in enumerate(parents, 1):
        table = _in_order(table, axis, named.coords[named.dims[axis]].values, labels[parent])
    rows = np.moveaxis(table, 0, -1)
    rows = rows.transpose([*np.argsort(parents), len(parents)]).reshape(-1, table.shape[0])
    finite = np.isfinite(rows).all(axis=1)  # R has NaN for what it never saw
    sums = rows[finite].sum(axis=1, keepdims=True)
    if not finite.any() or np.any(rows[finite] < 0) or not np.allclose(sums, 1.0, atol=1e-3):
        raise FileFormatError("its probabilities are missing, negative or do not sum to 1")
    known = rows[finite] / sums
    return DiscreteNode(tuple(sorted(parents)), np.flatnonzero(finite).astype(np.int64), known, known.mean(axis=0))


def _gaussian(node: dict[str, Any], parents: list[int], labels: list[tuple[str, ...] | None]) -> GaussianNode:
    """Regressions, one for each configuration of the discrete parents."""
    coefficients, sd = np.asarray(node["coefficients"], np.float64), np.atleast_1d(np.asarray(node["sd"], np.float64))
    discrete = [dict(enumerate(parents, 1))[int(i)] for i in np.atleast_1d(node.get("dparents", []))]
    continuous = [p for p in parents if p not in discrete]
    coefficients = coefficients.reshape(len(continuous) + 1, -1)
    # R stores arrays with the first index fastest; keys have the last parent fastest, in column order.
    cells = np.arange(len(sd)).reshape([len(labels[p] or ()) for p in discrete], order="F")
    for axis, (p, found) in enumerate(zip(discrete, node.get("dlevels", {}).values(), strict=False)):
        cells = _in_order(cells, axis, found, labels[p])
    order = (cells.transpose(np.argsort(discrete)) if discrete else cells).reshape(-1)
    table = coefficients.T[order][:, [0, *(1 + np.argsort(continuous))]]
    deviations = sd[order]
    finite = np.isfinite(table).all(axis=1) & np.isfinite(deviations)
    if not finite.any() or np.any(deviations[finite] < 0):
        raise FileFormatError("its parameters are missing, or a standard deviation is negative")
    fallback = np.append(table[finite].mean(axis=0), deviations[finite].mean())
    return GaussianNode(
        tuple(sorted(discrete)), tuple(sorted(continuous)), np.flatnonzero(finite).astype(np.int64), table[finite],
        deviations[finite], fallback,
    )  # fmt: skip
