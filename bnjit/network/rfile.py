"""Networks that R's bnlearn saved: .rda and .rds files with a bn.fit object (extra `r`)."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.errors import BnjitError, FileFormatError
from bnjit.network.nodes import DiscreteNode, GaussianNode, Node

if TYPE_CHECKING:
    from bnjit.network.network import Network


def read_r(path: Path) -> "Network":
    """Read a bn.fit object."""
    try:
        import rdata
    except ImportError:
        raise FileFormatError(f"{path.name}: reading R files needs the package rdata: pip install 'bnjit[r]'") from None
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about R classes that rdata leaves as lists
            found = rdata.read_rds(path) if path.suffix.lower() == ".rds" else rdata.read_rda(path)
        fits = [found] if _is_fit(found) else [value for value in found.values() if _is_fit(value)]
    except Exception as error:  # whatever a damaged file makes of the reader
        raise FileFormatError(f"{path.name}: it is no R data file that can be read ({error})") from error
    if not fits:
        raise FileFormatError(f"{path.name}: it holds no fitted bnlearn network (bn.fit)")
    try:
        return _convert(fits[0])
    except BnjitError as error:
        raise FileFormatError(f"{path.name}: {error}") from error
    except (KeyError, ValueError, IndexError, TypeError, AssertionError) as error:
        raise FileFormatError(f"{path.name}: its network is damaged ({error!r})") from error


def _is_fit(value: Any) -> bool:
    return (
        isinstance(value, dict) and bool(value) and all(isinstance(v, dict) and "parents" in v for v in value.values())
    )


def _convert(fit: dict[Any, Any]) -> "Network":
    import networkx as nx

    from bnjit.network.network import Network

    names = [str(name) for name in fit]
    raw = list(fit.values())
    labels = [_levels(node) if "prob" in node else None for node in raw]
    nodes = [_node(node, names, labels) for node in raw]
    network = Network(names, labels, nodes)
    if not nx.is_directed_acyclic_graph(network.dag):
        raise FileFormatError("the parents make a cycle")
    return network


def _levels(node: dict[str, Any]) -> tuple[str, ...]:
    """Levels of a discrete node: names along the first axis of its table."""
    table = node["prob"]
    return tuple(str(level) for level in table.coords[table.dims[0]].values)


def _node(node: dict[str, Any], names: list[str], labels: list[tuple[str, ...] | None]) -> Node:
    parents = [names.index(str(p)) for p in np.atleast_1d(node["parents"])]
    if "prob" in node:
        table = np.asarray(node["prob"], np.float64)
        if table.ndim == 1 and parents:
            raise FileFormatError("a node with parents has a table without them")
        return _discrete(table, parents)
    coefficients, sd = np.asarray(node["coefficients"], np.float64), np.atleast_1d(np.asarray(node["sd"], np.float64))
    within = [parents[int(i) - 1] for i in np.atleast_1d(node.get("dparents", []))]
    continuous = [p for p in parents if p not in within]
    coefficients = coefficients.reshape(len(continuous) + 1, -1)
    # R stores arrays with the first index fastest; keys have the last parent fastest, in column order.
    shape = [len(labels[p] or ()) for p in within]
    cells = np.arange(len(sd)).reshape(shape, order="F")
    cells = cells.transpose(np.argsort(within)) if within else cells
    order = cells.reshape(-1)
    slots = np.argsort(continuous)
    table = coefficients.T[order][:, [0, *(1 + slots)]]
    deviations = sd[order]
    good = np.isfinite(table).all(axis=1) & np.isfinite(deviations)
    if not good.any():
        raise FileFormatError("a node has no parameters at all")
    fallback = np.append(table[good].mean(axis=0), deviations[good].mean())
    return GaussianNode(
        tuple(sorted(within)), tuple(sorted(continuous)), np.flatnonzero(good).astype(np.int64), table[good],
        deviations[good], fallback,
    )  # fmt: skip


def _discrete(table: np.ndarray[Any, np.dtype[np.float64]], parents: list[int]) -> DiscreteNode:
    """Probability table with the node first and its parents behind, as R has it."""
    rows = np.moveaxis(table, 0, -1)
    rows = rows.transpose([*np.argsort(parents), len(parents)]).reshape(-1, table.shape[0])
    good = np.isfinite(rows).all(axis=1)
    known = rows[good] / rows[good].sum(axis=1, keepdims=True)
    return DiscreteNode(tuple(sorted(parents)), np.flatnonzero(good).astype(np.int64), known, known.mean(axis=0))
