"""Kernels of the pool of parent sets, against plain loops and their own Python."""

import numpy as np
import pytest

from bnjit.kernels.pool import (
    IMPOSSIBLE,
    WITHOUT,
    PoolTables,
    climb_order,
    climb_orders,
    find_undominated,
    fit_all,
    list_sets,
)

N = 70  # two words


def made_up_pool(seed, nodes=6, each=12):
    """Sets of the first nodes among each other and of some from the second word, and their scores, the best first."""
    rng = np.random.default_rng(seed)
    members = [*range(nodes // 2), *range(N - nodes + nodes // 2, N)]
    pool = {}
    for v in members:
        others = [u for u in members if u != v]
        sets = {frozenset(): 0.0}
        for _ in range(each):
            sets[frozenset(rng.choice(others, rng.integers(1, 4), replace=False).tolist())] = float(rng.uniform(0, 9))
        pool[v] = sorted(sets.items(), key=lambda one: -one[1])
    return members, pool


def as_tables(pool):
    sets = [(v, sorted(own), score) for v in range(N) for own, score in pool.get(v, [])]
    first = np.cumsum([0, *(len(pool.get(v, [])) for v in range(N))])
    starts = np.cumsum([0, *(len(own) for _, own, _ in sets)])
    members = np.array([x for _, own, _ in sets for x in own], np.int32)
    nodes = np.array([v for v, *_ in sets], np.int32)
    tables = PoolTables(
        first, np.array([score for *_, score in sets]), starts, members, nodes, np.zeros(N + 1, np.int64),
        np.empty_like(members),
    )  # fmt: skip
    list_sets(tables)
    return tables


def score_of(pool, order):
    """Score of an order by plain loops."""
    total = 0.0
    for i, v in enumerate(order):
        total += max((score for s, score in pool[v] if s <= set(order[:i])), default=WITHOUT)
    return total


@pytest.mark.parametrize("kernel", [find_undominated, find_undominated.py_func])
def test_undominated_sets(kernel):
    rng = np.random.default_rng(1)
    sets = sorted(
        {frozenset(np.flatnonzero(rng.random(6) < 0.4).tolist()) for _ in range(40)}, key=lambda s: (len(s), *s)
    )
    scores = rng.normal(size=len(sets)) + [0.4 * len(s) for s in sets]
    kept = np.empty(len(sets), bool)
    kernel(np.array([[sum(1 << x for x in s)] for s in sets], np.uint64), scores, 0.0, kept)
    expected = [
        not any(sets[j] < sets[i] and scores[j] >= scores[i] for j in range(len(sets))) for i in range(len(sets))
    ]
    assert kept.tolist() == expected
    assert 1 < sum(expected) < len(sets)


def test_rounding_dominates():
    kept = np.empty(2, bool)
    sets = np.array([[0], [1]], np.uint64)
    find_undominated(sets, np.array([1.0, 1.0 + 1e-12]), 1e-9, kept)
    assert kept.tolist() == [True, False]
    find_undominated(sets, np.array([1.0, 1.0 + 1e-6]), 1e-9, kept)
    assert kept.tolist() == [True, True]


@pytest.mark.parametrize("seed", range(5))
def test_a_climb_ends_where_no_node_has_a_better_place(seed):
    members, pool = made_up_pool(seed)
    order = np.random.default_rng(seed).permutation(members)
    begun = score_of(pool, order.tolist())
    again = order.copy()
    total = climb_order(as_tables(pool), 1e-9, order)
    assert total == pytest.approx(score_of(pool, order.tolist()))
    assert total >= begun
    for v in members:
        others = [u for u in order.tolist() if u != v]
        assert all(score_of(pool, [*others[:k], v, *others[k:]]) <= total + 1e-9 for k in range(len(members)))
    assert climb_order.py_func(as_tables(pool), 1e-9, again) == total
    assert again.tolist() == order.tolist()


def test_orders_are_perturbed_and_climbed_by_themselves():
    members, pool = made_up_pool(3)
    tables, order = as_tables(pool), np.array(members)
    moves = np.array([[[0, 4], [5, 1]], [[2, 0], [-1, -1]]])
    orders, totals = np.tile(order, (2, 1)), np.empty(2)
    climb_orders(0, 2, tables, 1e-9, moves, orders, totals)
    for r, by_hand in enumerate(([1, 5, 2, 3, 4, 0], [2, 0, 1, 3, 4, 5])):
        expected = order[by_hand]
        assert totals[r] == climb_order(tables, 1e-9, expected)
        assert orders[r].tolist() == expected.tolist()


def test_nodes_without_a_set_in_an_order():
    members, pool = made_up_pool(4)
    pool[0] = [(frozenset({1, N - 1}), 5.0)]  # which it must have
    tables, found = as_tables(pool), np.empty(N, np.int64)
    fit_all(tables, np.array(members), found)
    assert found[0] == -1
    assert (found[members[1:]] >= 0).all()
    order = np.array(members)
    assert climb_order(tables, 1e-9, order) > IMPOSSIBLE
    place = order.tolist().index
    assert place(0) > max(place(1), place(N - 1))


def test_nodes_outside_an_order_count_for_nothing():
    """Their sets are listed, and they are members of sets that never fit."""
    members, pool = made_up_pool(5)
    some = members[:-2]
    inside = {v: [(s, score) for s, score in pool[v] if s <= set(some)] for v in some}
    order, expected = np.array(some), np.array(some)
    total = climb_order(as_tables(pool), 1e-9, order)
    assert total == climb_order(as_tables(inside), 1e-9, expected)
    assert order.tolist() == expected.tolist()


@pytest.mark.parametrize("kernel", [list_sets, list_sets.py_func])
def test_sets_by_member(kernel):
    _, pool = made_up_pool(2)
    tables = as_tables(pool)
    tables.listed[:], tables.sets_with[:] = 0, -1
    kernel(tables)
    for v in range(N):
        own = tables.sets_with[tables.listed[v] : tables.listed[v + 1]].tolist()
        sets = enumerate(s for u in range(N) for s, _ in pool.get(u, []))
        assert own == [p for p, s in sets if v in s]


@pytest.mark.parametrize("seed", range(20))
def test_a_climb_makes_the_moves_of_plain_loops(seed):
    """Each node in turn goes to its best place, the first of those that tie unless it is there."""
    members, pool = made_up_pool(seed, nodes=8, each=20)
    if seed % 2:
        pool[members[3]] = pool[members[3]][:2]  # possible only after some others
    order = np.random.default_rng(seed).permutation(members)
    expected = order.tolist()
    total = climb_order(as_tables(pool), 1e-9, order)
    nodes, moved = list(expected), True
    while moved:
        moved = False
        for v in nodes:
            at, others = expected.index(v), [u for u in expected if u != v]
            best = at
            totals = [score_of(pool, [*others[:k], v, *others[k:]]) for k in range(len(members))]
            for k, value in enumerate(totals):
                if value > totals[best] + 1e-9:
                    best = k
            expected = [*others[:best], v, *others[best:]]
            moved = moved or best != at
    assert order.tolist() == expected
    assert total == pytest.approx(score_of(pool, expected))
