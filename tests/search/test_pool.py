"""The pool of parent sets: it keeps what the memo forgets."""

from itertools import combinations

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
