"""Carry out a plan: the product of tables, and what the product says of each table that went into it.

Forwards, each step makes one table. Backwards, the derivative of the result with respect to every table follows from
that of the table it went into, as in automatic differentiation; a table times its derivative is the joint distribution
of its variables. So the marginals of all variables cost about three times what the result alone costs.

Tables are scaled so that the largest entry is 1; where that is not enough, as with densities far in the tails, the same
steps are done with logarithms.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from bnjit._jit import Floats
from bnjit._threads import in_ranges
from bnjit.kernels.contraction import contract_tables
from bnjit.network.queries.elimination import Plan, Scope
from bnjit.network.tuning import COMPILED_ENTRIES, SMALLEST_SCALE

einsum: Any = np.einsum  # whose types do not know of lists of axes
ROWS = -1  # the variable that numbers the rows of evidence; always first, and never summed over


class UnderflowError(ArithmeticError):
    """Entries may have become 0 that should not be; the logarithms of the tables are needed."""


def arrange(table: Floats, scope: Scope, target: Scope) -> Floats:
    """Axes of a table in the order of another scope, with an axis of length 1 for what it does not have."""
    order = [scope.index(v) for v in target if v in scope]
    shape = [table.shape[scope.index(v)] if v in scope else 1 for v in target]
    return table.transpose(order).reshape(shape)


def multiply(left: Floats, a: Scope, right: Floats, b: Scope, scope: Scope) -> Floats:
    """Product of two tables, summed to `scope`."""
    left, a = _sum_own(left, a, b, scope)
    right, b = _sum_own(right, b, a, scope)
    if left.size * right.size <= COMPILED_ENTRIES:
        return _einsum(left, a, right, b, scope)
    shared = tuple(v for v in a if v in b and v in scope)
    summed = tuple(v for v in a if v in b and v not in scope)
    m = tuple(v for v in a if v not in b)
    n = tuple(v for v in b if v not in a)
    if int(np.prod([left.shape[a.index(v)] for v in m])) > int(np.prod([right.shape[b.index(v)] for v in n])):
        left, a, right, b, m, n = right, b, left, a, n, m
    sizes = {**dict(zip(a, left.shape, strict=True)), **dict(zip(b, right.shape, strict=True))}
    lengths = [int(np.prod([sizes[v] for v in part], dtype=np.int64)) for part in (shared, m, summed, n)]
    x = np.ascontiguousarray(arrange(left, a, shared + m + summed)).reshape(lengths[0], lengths[1], lengths[2])
    y = np.ascontiguousarray(arrange(right, b, shared + summed + n)).reshape(lengths[0], lengths[2], lengths[3])
    out = np.empty((lengths[0], lengths[1], lengths[3]))
    in_ranges(contract_tables, lengths[0] * lengths[1], x, y, out)
    made = shared + m + n
    return arrange(out.reshape([sizes[v] for v in made]), made, scope)


def _sum_own(table: Floats, own: Scope, other: Scope, scope: Scope) -> tuple[Floats, Scope]:
    """Sum out the variables that neither the other table nor the result has."""
    axes = tuple(i for i, v in enumerate(own) if v not in other and v not in scope)
    if not axes:
        return table, own
    return table.sum(axis=axes), tuple(v for v in own if v in other or v in scope)


def _einsum(left: Floats, a: Scope, right: Floats, b: Scope, scope: Scope) -> Floats:
    """As multiply, for small tables, where what a call costs counts."""
    numbers = {v: i for i, v in enumerate(dict.fromkeys((*a, *b)))}
    axes: list[Any] = [[numbers[v] for v in part] for part in (a, b, scope)]
    found: Floats = einsum(left, axes[0], right, axes[1], axes[2])
    return found


def multiply_logs(left: Floats, a: Scope, right: Floats, b: Scope, scope: Scope) -> Floats:
    """As multiply, of logarithms."""
    union = tuple(sorted({*a, *b}))
    both = arrange(left, a, union) + arrange(right, b, union)
    axes = tuple(i for i, v in enumerate(union) if v not in scope)
    return arrange(sum_logs(both, axes).squeeze(axes), tuple(v for v in union if v in scope), scope)


def sum_logs(logs: Floats, axes: tuple[int, ...]) -> Floats:
    """Logarithms of sums along some axes, which are kept."""
    if not axes:
        return logs
    top = logs.max(axis=axes, keepdims=True)
    top = np.where(top == -np.inf, 0.0, top)
    with np.errstate(divide="ignore"):
        sums: Floats = np.log(np.exp(logs - top).sum(axis=axes, keepdims=True)) + top
    return sums


class Product:
    """The tables of a plan, all of them, and derivatives on demand.

    Parameters
    ----------
    plan : Plan
    tables : list of float64 arrays
        The given ones, with axes as the plan's scopes say; logarithms if `logs`.
    logs : bool
        Work with logarithms: slower, and never without the digits that count.
    """

    def __init__(self, plan: Plan, tables: Sequence[Floats], logs: bool = False) -> None:
        self.plan, self.logs = plan, logs
        self.tables = list(tables) or [np.zeros(()) if logs else np.ones(())]
        self.log_scale: Floats = np.zeros(1)
        for step in plan.steps:
            table, scale = self._scaled(self._combine(step.left, step.right, step.scope), step.scope)
            self.tables.append(table)
            self.log_scale = self.log_scale + scale

    @property
    def result(self) -> Floats:
        """The product, divided by exp(log_scale) of its row, with axes as the plan's last scope says; no logarithms."""
        return np.exp(self.tables[-1]) if self.logs else self.tables[-1]

    def _combine(self, left: int, right: int | None, scope: Scope) -> Floats:
        a = self.plan.scopes[left]
        if right is None:
            one: Floats = np.zeros(()) if self.logs else np.ones(())
            return self._multiply(self.tables[left], a, one, (), scope)
        return self._multiply(self.tables[left], a, self.tables[right], self.plan.scopes[right], scope)

    def _multiply(self, left: Floats, a: Scope, right: Floats, b: Scope, scope: Scope) -> Floats:
        return multiply_logs(left, a, right, b, scope) if self.logs else multiply(left, a, right, b, scope)

    def _scaled(self, table: Floats, scope: Scope) -> tuple[Floats, Floats]:
        """Table with 1 as its largest entry in every row, and the logarithm of what it was divided by."""
        by_row = scope[:1] == (ROWS,)
        axes = tuple(range(1 if by_row else 0, table.ndim))
        top = table.max(axis=axes, keepdims=True) if axes else table
        if self.logs:
            top = np.where(top == -np.inf, 0.0, top)
            return table - top, top.reshape(-1)
        if top.size and top.min() < SMALLEST_SCALE:
            raise UnderflowError
        return table / top, np.log(top).reshape(-1)

    def beliefs(self, wanted: Sequence[int]) -> list[Floats]:
        """Joint distributions of the variables of some given tables; they sum to 1 in every row."""
        plan, number = self.plan, len(self.tables)
        one: Floats = np.zeros(()) if self.logs else np.ones(())
        derivatives: list[tuple[Floats, Scope] | None] = [None] * number
        derivatives[-1] = (one, ())
        needed = self._leading_to(set(wanted))
        for made in range(number - 1, plan.given - 1, -1):
            step, found = plan.steps[made - plan.given], derivatives[made]
            derivatives[made] = None  # room for others
            if found is None:
                continue
            for t, other in ((step.left, step.right), (step.right, step.left)):
                if t is not None and t in needed:
                    derivatives[t] = self._derivative(found, t, other)
        return [self._belief(t, derivatives[t]) for t in wanted]

    def _leading_to(self, wanted: set[int]) -> set[int]:
        """Tables that are wanted, or that a wanted one went into."""
        needed = set(wanted)
        for i, step in enumerate(self.plan.steps):
            if step.left in needed or step.right in needed:
                needed.add(self.plan.given + i)
        return needed

    def _derivative(self, found: tuple[Floats, Scope], t: int, other: int | None) -> tuple[Floats, Scope]:
        """Derivative with respect to table t of what it went into, with the variables on which it depends."""
        outer, outer_scope = found
        own = self.plan.scopes[t]
        if other is None:
            return found
        scope = tuple(v for v in own if v in outer_scope or v in self.plan.scopes[other])
        if ROWS not in own and ROWS in (*outer_scope, *self.plan.scopes[other]):
            scope = (ROWS, *scope)
        table = self._multiply(outer, outer_scope, self.tables[other], self.plan.scopes[other], scope)
        return self._scaled(table, scope)[0], scope

    def _belief(self, t: int, derivative: tuple[Floats, Scope] | None) -> Floats:
        assert derivative is not None
        own = self.plan.scopes[t]
        scope = own if ROWS in own or ROWS not in derivative[1] else (ROWS, *own)
        factors = [arrange(self.tables[t], own, scope), arrange(*derivative, scope)]
        if self.logs:
            joint = reduce(np.add, factors)
            axes = tuple(range(1 if scope[:1] == (ROWS,) else 0, joint.ndim))
            return np.exp(joint - sum_logs(joint, axes))
        joint = reduce(np.multiply, factors)
        axes = tuple(range(1 if scope[:1] == (ROWS,) else 0, joint.ndim))
        total = joint.sum(axis=axes, keepdims=True)
        if total.size and total.min() < SMALLEST_SCALE:
            raise UnderflowError
        return joint / total
