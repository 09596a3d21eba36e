"""In which order variables are summed out of a product of tables, and what that costs, before any table is made.

The order is found by two rules, least fill and least weight, on the graph in which variables that share a table are
neighbours; the better one is taken. A `Plan` is the same product as a list of steps, each of which puts two tables
together and sums out what no other table has.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

Scope = tuple[int, ...]  # the variables of a table, in the order of its axes


class Step(NamedTuple):
    """Tables `left` and `right` are multiplied, and summed to `scope`; without a right one, the left one is summed."""

    left: int
    right: int | None
    scope: Scope


class Plan(NamedTuple):
    """Steps of a product; tables are numbered, those that are given first, then the result of each step.

    scopes : of all tables; largest : most entries of a table; entries : of all tables that steps make; work :
    multiplications
    """

    given: int
    steps: tuple[Step, ...]
    scopes: tuple[Scope, ...]
    largest: float
    entries: float
    work: float


def plan_product(scopes: Sequence[Scope], sizes: dict[int, int], keep: Scope) -> Plan:
    """Plan of the product of some tables, summed to the variables in `keep`.

    Examples
    --------
    >>> plan = plan_product([(0, 1), (1, 2)], {0: 2, 1: 3, 2: 4}, keep=(2,))
    >>> plan.steps
    (Step(left=0, right=None, scope=(1,)), Step(left=2, right=1, scope=(2,)))
    """
    order = find_order(scopes, sizes, keep)
    all_scopes = list(scopes)
    steps: list[Step] = []
    open_tables = set(range(len(scopes)))
    holders: dict[int, set[int]] = {}
    for t, scope in enumerate(scopes):
        for v in scope:
            holders.setdefault(v, set()).add(t)

    def add(left: int, right: int | None, scope: Scope) -> None:
        for t in (left, right):
            if t is not None:
                open_tables.discard(t)
                for v in all_scopes[t]:
                    holders[v].discard(t)
        steps.append(Step(left, right, scope))
        made = len(all_scopes)
        all_scopes.append(scope)
        open_tables.add(made)
        for v in scope:
            holders[v].add(made)

    kept = set(keep)
    for v in order:
        if holders[v]:
            _merge(sorted(holders[v]), all_scopes, holders, sizes, kept, add)
    _merge(sorted(open_tables), all_scopes, holders, sizes, kept, add)
    if not scopes:
        return Plan(0, (), ((),), 1.0, 0.0, 0.0)
    if all_scopes[-1] != keep or not steps:
        steps.append(Step(len(all_scopes) - 1, None, keep))
        all_scopes.append(keep)
    made = [size_of(scope, sizes) for scope in all_scopes]
    work = sum(size_of({*all_scopes[s.left], *(() if s.right is None else all_scopes[s.right])}, sizes) for s in steps)
    return Plan(len(scopes), tuple(steps), tuple(all_scopes), max(made), sum(made[len(scopes) :]), work)


def size_of(scope: Iterable[int], sizes: dict[int, int]) -> float:
    """Entries of a table, as a float, which may be huge."""
    return math.prod((float(sizes[v]) for v in scope), start=1.0)


def _merge(
    tables: list[int], scopes: list[Scope], holders: dict[int, set[int]], sizes: dict[int, int], kept: set[int],
    add: Callable[[int, int | None, Scope], None],
) -> None:  # fmt: skip
    """Put tables together, two at a time, those first whose product is smallest; what no other table has is summed."""

    def product(pair: tuple[int, ...]) -> Scope:
        union = dict.fromkeys(v for t in pair for v in scopes[t])
        return tuple(sorted(v for v in union if v in kept or not holders[v].issubset(pair)))

    if len(tables) == 1:
        scope = product((tables[0],))
        if len(scope) < len(scopes[tables[0]]):
            add(tables[0], None, scope)
        return
    while len(tables) > 1:
        tables.sort(key=lambda t: size_of(scopes[t], sizes))
        first = tables[0]
        best = min(tables[1:], key=lambda t: (size_of({*scopes[first], *scopes[t]}, sizes), t))
        scope = product((first, best))
        tables = [t for t in tables if t not in (first, best)]
        add(first, best, scope)
        tables.append(len(scopes) - 1)


def find_order(scopes: Sequence[Scope], sizes: dict[int, int], keep: Scope) -> list[int]:
    """Order in which to sum out the variables that are not kept: the cheaper one of two greedy rules."""
    places = {v: i for i, v in enumerate(sorted({v for scope in scopes for v in scope} - set(keep)))}
    variables = list(places)
    neighbours = [0] * len(places)
    for scope in scopes:
        inner = [places[v] for v in scope if v in places]
        mask = 0
        for i in inner:
            mask |= 1 << i
        for i in inner:
            neighbours[i] |= mask & ~(1 << i)
    logs = [math.log(sizes[v]) for v in variables]
    found = [_greedy(list(neighbours), logs, by_fill) for by_fill in (True, False)]
    return [variables[i] for i in min(found, key=lambda pair: pair[1])[0]]


def _greedy(neighbours: list[int], logs: list[float], by_fill: bool) -> tuple[list[int], float]:
    """Variables by what summing each out costs at that time, and the entries of all tables together."""

    def cost(i: int) -> tuple[float, float]:
        weight = logs[i] + sum(logs[k] for k in members(neighbours[i]))
        if not by_fill:
            return weight, 0.0
        around = neighbours[i]
        count = around.bit_count()
        inside = sum((neighbours[k] & around).bit_count() for k in members(around))
        return float(count * (count - 1) - inside), weight

    current = [cost(i) for i in range(len(neighbours))]
    heap = [(*current[i], i) for i in range(len(neighbours))]
    heapify(heap)
    order, total = [], 0.0
    done = [False] * len(neighbours)
    while heap:
        first, second, i = heappop(heap)
        if done[i] or (first, second) != current[i]:
            continue
        done[i] = True
        order.append(i)
        around = neighbours[i]
        inner = members(around)
        total += math.exp(min(logs[i] + sum(logs[k] for k in inner), 700.0))
        changed = around
        for k in inner:
            before = neighbours[k]
            neighbours[k] = (before | around) & ~(1 << i) & ~(1 << k)
            if by_fill and neighbours[k] & ~before:
                changed |= before
        for k in members(changed & ~(1 << i)):
            if not done[k]:
                current[k] = cost(k)
                heappush(heap, (*current[k], k))
    return order, total


def members(mask: int) -> list[int]:
    """Numbers of the bits that are set."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
