"""What a search must and must not do: whitelist, blacklist, tiers, kinds of columns, most parents, where to start."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnjit.data.schema import listing
from bnjit.errors import ArgumentError, GraphError, warn
from bnjit.graph.dag import Arc, read_arcs, reject_cycles
from bnjit.kernels.graph import Flags, Limits

MOST_ARCS_NAMED = 10  # in a warning


class Constraints(NamedTuple):
    """Limits of a search and the arcs it starts from, bool[N, N].

    apart : bool[N, N], symmetric, arcs that are not addable for what the data is, whatever a user knows; or None
    copies : arcs from a discrete column to one that repeats it, which are added when all else has been found
    """

    limits: Limits
    start: Flags
    apart: Flags | None = None
    copies: tuple[tuple[int, int], ...] = ()


def make_constraints(
    names: Sequence[Hashable], discrete: Sequence[bool], *, start: Any = None, whitelist: Any = None,
    blacklist: Any = None, tiers: Sequence[Sequence[Hashable]] | None = None, max_parents: int | None = None,
) -> Constraints:  # fmt: skip
    """Check the arguments of a search against each other; errors name the arcs.

    The whitelist wins over the blacklist. Arcs from continuous to discrete columns are never allowed. Arcs of the start
    that the blacklist or the tiers forbid are left out, with a warning: the result of one search may start another
    that knows more. (bnlearn leaves them out without a word; and it lets a start break max_parents, which is an error
    here.)
    """
    N = len(names)
    position = {name: i for i, name in enumerate(names)}
    kind = np.asarray(discrete, bool)
    impossible = ~kind[:, None] & kind[None, :]
    most = N if max_parents is None else int(max_parents)
    fixed = _matrix(whitelist, "whitelist", position)
    _reject(fixed & fixed.T, names, "whitelist has both {0} -> {1} and {1} -> {0}; keep one")
    _reject(fixed & impossible, names, _CONTINUOUS.format(what="whitelist"))
    reject_cycles(_arcs(fixed, names), "whitelist")
    tier = _tiers(tiers, position)
    backwards = tier[:, None] > tier[None, :]
    _reject(fixed & backwards, names, "whitelist has {0} -> {1}, which goes from a later tier to an earlier one")
    forbidden = _matrix(blacklist, "blacklist", position) & ~fixed
    addable = ~(forbidden | impossible | backwards | fixed.T)
    np.fill_diagonal(addable, val=False)
    arcs = _matrix(start, "start", position)
    _reject(arcs & impossible, names, _CONTINUOUS.format(what="start"))
    arcs &= ~_left_out(arcs & (forbidden | backwards), names)
    _reject(arcs & fixed.T, names, "start has {0} -> {1}, and the whitelist has {1} -> {0}")
    arcs |= fixed
    reject_cycles(_arcs(arcs, names), "start with the whitelist" if fixed.any() else "start")
    too_many = np.flatnonzero(arcs.sum(axis=0) > most).tolist()
    if too_many:
        each = [f"{names[j]!r} ({listing([names[i] for i in np.flatnonzero(arcs[:, j]).tolist()])})" for j in too_many]
        raise GraphError(
            f"start gives {'; '.join(each)} more than max_parents={most} parents, and the network would keep them; "
            "remove some, or raise max_parents"
        )
    return Constraints(Limits(addable, fixed, most), arcs)


_CONTINUOUS = "{what} has {{0}} -> {{1}}, a continuous parent of a discrete column, which cannot be"


def _matrix(graph: Any, what: str, position: dict[Hashable, int]) -> Flags:
    """Arcs of a DiGraph, a list of pairs or a model string, bool[N, N]."""
    arcs = np.zeros((len(position), len(position)), bool)
    if graph is None:
        return arcs
    nodes, pairs = read_arcs(graph, what)
    for node in nodes:
        if node not in position:
            arc = next((arc for arc in pairs if node in arc), None)
            where = f"{arc[0]} -> {arc[1]}, and {node!r}" if arc else f"the node {node!r}, which"
            raise GraphError(f"{what} has {where} is no column of the data")
    for arc in pairs:
        if arc[0] == arc[1]:
            raise GraphError(f"{what} has the loop {arc[0]} -> {arc[1]}")
        arcs[position[arc[0]], position[arc[1]]] = True
    return arcs


def _tiers(tiers: Sequence[Sequence[Hashable]] | None, position: dict[Hashable, int]) -> np.ndarray[Any, np.dtype[Any]]:
    """Tier of every column."""
    tier = np.zeros(len(position), np.int64)
    if tiers is None:
        return tier
    seen: dict[Hashable, int] = {}
    if isinstance(tiers, str) or not isinstance(tiers, Iterable):
        raise ArgumentError(f"tiers={tiers!r} must be a list of lists of columns")
    for k, members in enumerate(tiers):
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise ArgumentError(f"tiers[{k}] is {members!r}; each tier is a list of columns")
        for name in members:
            if not isinstance(name, Hashable) or name not in position:
                raise ArgumentError(f"tiers[{k}] names {name!r}, which is no column of the data")
            if name in seen:
                raise ArgumentError(f"tiers names {name!r} twice, in tiers {seen[name]} and {k}")
            seen[name] = k
            tier[position[name]] = k
    missing = [name for name in position if name not in seen]
    if missing:
        raise ArgumentError(f"tiers leaves out the column {missing[0]!r}; every column belongs to one tier")
    return tier


def _arcs(matrix: Flags, names: Sequence[Hashable]) -> list[Arc]:
    return [(names[i], names[j]) for i, j in zip(*np.nonzero(matrix), strict=True)]


def _left_out(matrix: Flags, names: Sequence[Hashable]) -> Flags:
    """Return arcs that a start has and must not have, with a warning that names them."""
    arcs = [f"{source} -> {target}" for source, target in _arcs(matrix, names)]
    if arcs:
        more = f" and {len(arcs) - MOST_ARCS_NAMED} more" if len(arcs) > MOST_ARCS_NAMED else ""
        shown = ", ".join(arcs[:MOST_ARCS_NAMED]) + more
        warn(f"start has {shown}, which the blacklist or the tiers forbid; the search starts without them")
    return matrix


def _reject(matrix: Flags, names: Sequence[Hashable], message: str) -> None:
    """Raise for the first arc of a matrix, if there is one."""
    for source, target in _arcs(matrix, names):
        raise GraphError(message.format(source, target))
