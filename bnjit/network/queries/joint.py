"""Exact posteriors: which parts of a network matter, the plan of their product, and its result."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats
from bnjit.errors import ArgumentError
from bnjit.network.gaps import flatten
from bnjit.network.queries.contraction import ROWS, Product, UnderflowError, arrange
from bnjit.network.queries.elimination import Plan, Scope, plan_product, size_of
from bnjit.network.queries.evidence import Evidence
from bnjit.network.queries.factors import (
    Group,
    Integral,
    ancestors,
    discrete_table,
    group_continuous,
    integrate_group,
    scope_of,
)
from bnjit.network.tuning import MOST_INTEGRALS, MOST_TABLE_ENTRIES, MOST_TABLE_WORK

if TYPE_CHECKING:
    from bnjit.network.network import Network


class TooLargeError(ArgumentError):
    """A query is not feasible exactly."""


class Joint(NamedTuple):
    """Posterior of some nodes, for n rows.

    scope : discrete nodes: those asked for, and those that the continuous ones asked for depend on
    weights : float64[n, ...], probability of each of their configurations; NaN where the evidence is impossible
    integrals : of each group of continuous nodes asked for: the group, which of them, and their means and covariances
    """

    scope: Scope
    weights: Floats
    integrals: list[tuple[Group, tuple[int, ...], Integral]]


class Leaf(NamedTuple):
    """A table that goes into the product: that of a discrete node, soft evidence on one, or groups of one scope."""

    scope: Scope
    node: int | None
    soft: int | None
    groups: tuple[Group, ...]


def make_leaves(network: "Network", relevant: set[int], evidence: Evidence) -> list[Leaf]:
    """Tables of everything that is relevant. Groups whose scope is a part of another's go into the same table."""
    leaves = [
        Leaf(scope_of((j, *network.nodes[j].parents), evidence), j, None, ())
        for j in sorted(relevant)
        if network.discrete[j]
    ]
    leaves += [Leaf((ROWS, j), None, j, ()) for j in sorted(evidence.likelihoods)]
    merged: list[list[Group]] = []
    for group in sorted(group_continuous(network, relevant, evidence), key=lambda group: -len(group.scope)):
        home = next((own for own in merged if set(group.scope) <= {ROWS, *own[0].scope}), None)
        if home is None:
            merged.append([group])
        else:
            home.append(group)
    for own in merged:
        scope = tuple(sorted({v for group in own for v in group.scope}))
        leaves.append(Leaf(scope, None, None, tuple(own)))
    return leaves


def find_joint(network: "Network", targets: Sequence[int], evidence: Evidence) -> Joint:
    """Joint posterior of some nodes, none of them known."""
    relevant = ancestors(network, [*targets, *evidence.values, *evidence.likelihoods])
    leaves = make_leaves(network, relevant, evidence)
    asked = [
        (group, tuple(j for j in targets if j in group.hidden))
        for leaf in leaves
        for group in leaf.groups
        if any(j in group.hidden for j in targets)
    ]
    keep = {v for group, _ in asked for v in group.scope if v != ROWS} | {j for j in targets if network.discrete[j]}
    work = Work(network, evidence, leaves)
    main, others = split_leaves(leaves, keep)
    if any(ROWS in leaves[t].scope for t in main):
        keep.add(ROWS)
    scope = tuple(sorted(keep))
    plan = work.plan(main, scope)
    work.reject_large(plan, [targets_of for _, targets_of in asked], [group for group, _ in asked])
    impossible = work.impossible(others)
    weights = work.product(plan, main).result
    if ROWS not in scope:
        weights = np.broadcast_to(weights, (evidence.n, *weights.shape)).copy()
    axes = tuple(range(1, weights.ndim))
    with np.errstate(invalid="ignore"):
        weights = weights / weights.sum(axis=axes, keepdims=True)
    weights[impossible] = np.nan
    integrals = [(group, nodes, work.integral(group, nodes)) for group, nodes in asked]
    return Joint(tuple(v for v in scope if v != ROWS), weights, integrals)


def find_marginals(network: "Network", targets: Sequence[int], evidence: Evidence) -> dict[int, Floats]:
    """Probabilities of the levels of some discrete nodes, float64[n, r] each; NaN where the evidence is impossible."""
    relevant = ancestors(network, [*targets, *evidence.values, *evidence.likelihoods])
    leaves = make_leaves(network, relevant, evidence)
    work = Work(network, evidence, leaves)
    main, others = split_leaves(leaves, set(targets))
    keep = (ROWS,) if any(ROWS in leaves[t].scope for t in main) else ()
    plan = work.plan(main, keep)
    work.reject_large(plan, [], [])
    impossible = work.impossible(others)
    home: dict[int, int] = {}
    for i in sorted(range(len(main)), key=lambda i: -size_of(leaves[main[i]].scope, work.sizes)):
        home.update(dict.fromkeys((v for v in leaves[main[i]].scope if v in targets), i))
    wanted = sorted(set(home.values()))
    beliefs = work.beliefs(plan, main, wanted)
    found = {}
    for j in targets:
        joint = beliefs[wanted.index(home[j])]
        own = leaves[main[home[j]]].scope
        scope = own if len(own) == joint.ndim else (ROWS, *own)
        axes = tuple(i for i, v in enumerate(scope) if v not in (ROWS, j))
        shares = arrange(joint.sum(axis=axes), tuple(v for v in scope if v in (ROWS, j)), (ROWS, j))
        found[j] = np.broadcast_to(shares, (evidence.n, shares.shape[1])).copy()
        found[j][impossible] = np.nan
    return found


def split_leaves(leaves: Sequence[Leaf], keep: Iterable[int]) -> tuple[list[int], list[list[int]]]:
    """Tables that are connected to some variables, and the groups of others that are connected to each other."""
    holders: dict[int, list[int]] = {}
    for t, leaf in enumerate(leaves):
        for v in leaf.scope:
            if v != ROWS:
                holders.setdefault(v, []).append(t)
    seen: set[int] = set()

    def reach(start: Iterable[int]) -> list[int]:
        found, left = [], list(start)
        while left:
            t = left.pop()
            if t not in seen:
                seen.add(t)
                found.append(t)
                left.extend(u for v in leaves[t].scope if v != ROWS for u in holders[v])
        return sorted(found)

    main = reach(t for v in keep if v != ROWS for t in holders[v])
    return main, [part for t in range(len(leaves)) if (part := reach([t]))]


class Work:
    """The tables of a query, made when they are needed."""

    def __init__(self, network: "Network", evidence: Evidence, leaves: Sequence[Leaf]) -> None:
        self.network, self.evidence, self.leaves = network, evidence, leaves
        self.sizes = {ROWS: evidence.n, **{j: r for j, r in enumerate(network.levels) if r}}
        self.flat = flatten(network) if any(leaf.groups for leaf in leaves) else None

    def plan(self, which: Sequence[int], keep: Scope) -> Plan:
        """Plan of the product of some tables."""
        return plan_product([self.leaves[t].scope for t in which], self.sizes, keep)

    def reject_large(self, plan: Plan, asked: Sequence[tuple[int, ...]], groups: Sequence[Group]) -> None:
        """Raise if a plan, or the configurations that continuous nodes depend on, would take too much."""
        integrals = max((self._configurations(group) for leaf in self.leaves for group in leaf.groups), default=0.0)
        for nodes, group in zip(asked, groups, strict=True):
            integrals = max(integrals, self._configurations(group) * len(nodes) ** 2 / 8)
        entries = max(plan.entries, plan.largest)
        if entries <= MOST_TABLE_ENTRIES and plan.work <= MOST_TABLE_WORK and integrals <= MOST_INTEGRALS:
            return
        if integrals > MOST_INTEGRALS:
            size = f"the continuous nodes depend on {integrals:.3g} configurations of discrete nodes that are not known"
            most = f"{MOST_INTEGRALS:,}"
        elif entries > MOST_TABLE_ENTRIES:
            size, most = f"it takes tables with {entries:.3g} entries", f"{MOST_TABLE_ENTRIES:,}"
        else:
            size, most = f"it takes {plan.work:.3g} multiplications", f"{MOST_TABLE_WORK:.3g}"
        raise TooLargeError(
            f"the query is not feasible exactly: {size}, at most {most} are allowed; take method='sampling', ask for "
            "fewer nodes together, or give the levels of more nodes"
        )

    def _configurations(self, group: Group) -> float:
        return size_of(group.scope, self.sizes)

    def impossible(self, parts: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
        """Rows whose evidence is impossible by parts that the targets do not depend on, unless these are too large."""
        found = np.zeros(self.evidence.n, bool)
        for part in parts:
            scopes = [self.leaves[t].scope for t in part]
            if not any(ROWS in scope for scope in scopes):
                continue
            plan = self.plan(part, (ROWS,))
            try:
                self.reject_large(plan, [], [])
            except TooLargeError:
                continue
            found |= self.product(plan, part).result == 0.0
        return found

    def product(self, plan: Plan, which: Sequence[int]) -> Product:
        """The product of some tables; with logarithms if it needs them."""
        try:
            return Product(plan, [np.exp(table) if logs else table for table, logs in map(self._table, which)])
        except UnderflowError:
            return self._product_of_logs(plan, which)

    def _product_of_logs(self, plan: Plan, which: Sequence[int]) -> Product:
        tables = []
        for table, logs in map(self._table, which):
            with np.errstate(divide="ignore"):
                tables.append(table if logs else np.log(table))
        return Product(plan, tables, logs=True)

    def beliefs(self, plan: Plan, which: Sequence[int], wanted: Sequence[int]) -> list[Floats]:
        """Joint distributions of the variables of some tables; NaN in rows whose evidence is impossible."""
        product = self.product(plan, which)
        if not product.logs:
            try:
                return product.beliefs(wanted)
            except UnderflowError:
                product = self._product_of_logs(plan, which)
        with np.errstate(invalid="ignore"):
            return product.beliefs(wanted)

    def _table(self, t: int) -> tuple[Floats, bool]:
        """A table, and whether it is its logarithm, of which the largest of each row is 0."""
        leaf = self.leaves[t]
        if leaf.node is not None:
            return discrete_table(self.network, leaf.node, self.evidence, leaf.scope), False
        if leaf.soft is not None:
            return self.evidence.likelihoods[leaf.soft], False
        parts = []
        for group in leaf.groups:
            logs = self.integral(group, ()).logs
            shape = [logs.shape[0] if v == ROWS else self.sizes[v] for v in group.scope]
            parts.append(arrange(logs.reshape(shape), group.scope, leaf.scope))
        logs = reduce(np.add, parts)
        axes = tuple(i for i, v in enumerate(leaf.scope) if v != ROWS)
        top = logs.max(axis=axes, keepdims=True)
        return logs - np.where(top == -np.inf, 0.0, top), True

    def integral(self, group: Group, wanted: tuple[int, ...]) -> Integral:
        """A group integrated for each configuration."""
        assert self.flat is not None
        return integrate_group(self.network, self.flat, group, self.evidence, wanted)
