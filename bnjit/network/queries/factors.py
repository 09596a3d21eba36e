"""Local distributions as tables over the discrete nodes that are not known, continuous ones integrated out."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_ranges
from bnjit.kernels.incomplete import FlatNetwork
from bnjit.kernels.integrals import integrate_configurations
from bnjit.network.nodes import DiscreteNode, find_cells
from bnjit.network.queries.contraction import ROWS, arrange
from bnjit.network.queries.elimination import Scope
from bnjit.network.queries.evidence import Evidence

if TYPE_CHECKING:
    from bnjit.network.network import Network


class Group(NamedTuple):
    """Continuous nodes that are integrated out together: they share nodes that are not known.

    factors : nodes whose densities are multiplied, parents first; hidden : those of them that are not known
    scope : discrete nodes that are not known among their parents, after ROWS if anything is
    """

    factors: tuple[int, ...]
    hidden: tuple[int, ...]
    scope: Scope


def ancestors(network: "Network", nodes: Iterable[int]) -> set[int]:
    """Some nodes and everything that they descend from."""
    found: set[int] = set()
    left = list(nodes)
    while left:
        j = left.pop()
        if j not in found:
            found.add(j)
            left.extend(network.nodes[j].parents)
    return found


def scope_of(members: Iterable[int], evidence: Evidence) -> Scope:
    """Nodes that are not known, after ROWS if any is known."""
    everything = set(members)
    hidden = sorted(v for v in everything if v not in evidence.values)
    return (ROWS, *hidden) if len(hidden) < len(everything) else tuple(hidden)


def group_continuous(network: "Network", relevant: set[int], evidence: Evidence) -> list[Group]:
    """Groups of the relevant continuous nodes."""
    root: dict[int, int] = {}

    def find(j: int) -> int:
        while root[j] != j:
            j = root[j]
        return j

    order = [j for j in network.order() if j in relevant and not network.discrete[j]]
    joined: dict[int, int] = {}  # of each factor, one of its hidden nodes
    for j in order:
        hidden = [v for v in (j, *_continuous_parents(network, j)) if v not in evidence.values]
        for v in hidden:
            root.setdefault(v, v)
            root[find(v)] = find(hidden[0])
        if hidden:
            joined[j] = hidden[0]
    parts: dict[int, list[int]] = {}
    for j in order:
        parts.setdefault(find(joined[j]) if j in joined else -1 - j, []).append(j)
    groups = []
    for factors in parts.values():
        members = {v for j in factors for v in (j, *network.nodes[j].parents)}
        hidden_nodes = tuple(j for j in factors if j not in evidence.values)
        scope = tuple(v for v in scope_of(members, evidence) if v == ROWS or network.discrete[v])
        groups.append(Group(tuple(factors), hidden_nodes, scope))
    return groups


def _continuous_parents(network: "Network", j: int) -> tuple[int, ...]:
    node = network.nodes[j]
    return () if isinstance(node, DiscreteNode) else node.continuous


def discrete_table(network: "Network", j: int, evidence: Evidence, scope: Scope) -> Floats:
    """Probabilities of a discrete node given its parents, with what is known filled in."""
    node = network.nodes[j]
    assert isinstance(node, DiscreteNode)
    hidden = [p for p in node.parents if p not in evidence.values]
    keys: Ints64 = np.zeros([1] * (1 + len(hidden)), np.int64)
    stride = 1
    for p in reversed(node.parents):
        codes = evidence.values.get(p, np.arange(network.levels[p]))
        shape = [1] * keys.ndim
        shape[0 if p in evidence.values else 1 + hidden.index(p)] = -1
        keys = keys + codes.reshape(shape).astype(np.int64) * stride
        stride *= network.levels[p]
    cells = find_cells(node.keys, keys.reshape(-1)).reshape(keys.shape)
    own: tuple[int, ...] = (ROWS, *hidden)
    if j in evidence.values:
        table = node.with_fallback()[cells, evidence.values[j].reshape([-1] + [1] * len(hidden))]
    else:
        table, own = node.with_fallback()[cells], (*own, j)
    if ROWS not in scope:
        table, own = table[0], own[1:]
    return arrange(table, own, scope)


class Integral(NamedTuple):
    """A group for each of M configurations of the discrete nodes in its scope, the last one changing fastest.

    logs : float64[R, M], log-density of the known values, where R is the number of rows, or 1 if nothing is known
    means : float64[R, M, t] and covariances : float64[R, M, t, t] of the nodes that were asked for
    """

    logs: Floats
    means: Floats
    covariances: Floats


def integrate_group(
    network: "Network", flat: FlatNetwork, group: Group, evidence: Evidence, wanted: tuple[int, ...] = ()
) -> Integral:
    """Integrate the hidden continuous nodes of a group out, for every configuration of its scope."""
    N = len(network.nodes)
    R = evidence.n if ROWS in group.scope else 1
    codes, values, missing = np.zeros((R, N), np.int64), np.zeros((R, N)), np.ones(N, bool)
    for j, known in evidence.values.items():
        missing[j] = False
        (codes if network.discrete[j] else values)[:, j] = known[:R]
    active = np.array([v for v in group.scope if v != ROWS], np.int32)
    M, t = int(np.prod([network.levels[v] for v in active], dtype=np.int64)), len(wanted)
    made = Integral(np.empty((R, M)), np.empty((R, M, t)), np.empty((R, M, t, t)))
    in_ranges(
        integrate_configurations, R * M, flat, codes, values, missing, np.array(group.factors, np.int32), active, M,
        np.array(wanted, np.int32), made.logs, made.means, made.covariances,
    )  # fmt: skip
    return made
