"""The pool of parent sets: it keeps what the memo forgets, and makes no graph with cycles."""

from itertools import combinations

import networkx as nx
import numpy as np

from bnjit.graph.bits import bits_of
from bnjit.scores import make_scorer
from bnjit.search.constraints import make_constraints
from bnjit.search.pool import ParentSetPool
from bnjit.search.score_memo import ScoreMemo
from bnjit.search.tuning import BYTES_PER_SCORE, MEMO_BYTES
from tests.search.by_loops import random_table
from tests.strategies import to_table


def test_a_pool_keeps_what_the_memo_forgets():
    table = to_table(random_table(np.random.default_rng(4), "discrete", 500, columns=5))
    limits = make_constraints(table.names, table.discrete).limits
    found = []
    for memory in (MEMO_BYTES, 12 * BYTES_PER_SCORE):
        scores = ScoreMemo(make_scorer(table, "bic"), memory=memory)
        pool = ParentSetPool(scores, limits, np.arange(5), 1e-9)
        for size in (1, 2, 3, 0):
            for v in range(5):
                scores.get([(v, bits_of(some)) for some in combinations([u for u in range(5) if u != v], size)])
        assert (len(scores.asked(0)) < 14) == (memory < MEMO_BYTES)
        pool.update()
        found.append({v: dict(zip(own.sets, own.scores, strict=True)) for v, own in pool.nodes.items()})
    assert found[0] == found[1]
    assert sum(map(len, found[0].values())) > 5


class OneWayOut:
    """A score by which ten nodes are impossible, unless b is their parent; they must be parents of a, and a of b."""

    name = "one way out"

    def local_scores(self, node, parent_sets):
        return [-np.inf if node > 1 and 1 not in parents else -1.0 - len(parents) for parents in parent_sets]


def test_orders_obey_what_must_be_wherever_nodes_are_impossible():
    """Many impossible nodes weigh more than one arc of the whitelist that goes backward: a cycle, not a graph."""
    names = [f"x{v}" for v in range(16)]
    must = [("x0", "x1"), *((name, "x0") for name in names[2:])]
    table = to_table({name: [float(v), 1.0, 2.5, 7.0 * v] for v, name in enumerate(names)})
    constraints = make_constraints(names, table.discrete, whitelist=must)
    scores = ScoreMemo(make_scorer(table, OneWayOut()))
    pool = ParentSetPool(scores, constraints.limits, np.arange(16), 1e-9)
    scores.get([(v, 1 << 1) for v in range(2, 16)])
    pool.update()
    order = np.array([*range(2, 16), 0, 1])
    best, arcs = pool.search(order, 2, np.random.default_rng(0))
    assert sorted(best.tolist()) == list(range(16))
    graph = nx.from_numpy_array(arcs, create_using=nx.DiGraph)
    assert nx.is_directed_acyclic_graph(graph)
    assert constraints.limits.fixed.sum() == 15
    assert arcs[constraints.limits.fixed].all()
