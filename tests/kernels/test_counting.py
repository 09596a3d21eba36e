"""Counts of many sets of discrete variables, against plain loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given

from bnjit.kernels import counting
from bnjit.stats.collect import padded
from bnjit.stats.counting import room_for_passes
from tests.kernels.versions import BOTH, QUICK, version
from tests.reference import naive
from tests.strategies import tables, to_table


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_continuous=0))
@QUICK
def test_counting(which, table):
    whole = to_table(table)  # which keeps alive what the view points to
    view = whole.view
    names = list(table)
    levels = [table[name][1] for name in names]
    expected = np.zeros(levels, int)
    for row in range(view.n):
        expected[naive.configuration(table, names, row)] += 1
    axes = range(len(names))
    subsets = [s for size in range(len(names) + 1) for s in itertools.combinations(axes, size)]
    sizes = [math.prod(levels[v] for v in s) for s in subsets]
    sets = counting.Sets(*padded(subsets), np.cumsum([0, *sizes]))
    for limit in (1, 4, 100):
        passes = room_for_passes(len(names), len(subsets))
        p = version(counting.plan_passes, which)(view.levels, sets, limit, passes)
        served = np.split(np.arange(len(subsets)), passes.starts[1:p])
        for i in range(p):
            union = set().union(*(subsets[k] for k in served[i]))
            assert passes.members[i, : passes.sizes[i]].tolist() == sorted(union)
            assert len(served[i]) == 1 or math.prod(levels[v] for v in union) <= limit
        for weights in np.empty(0, np.int32), np.full(view.n, 3, np.int32):
            dense = np.zeros(sum(sizes), np.int32)
            for a, b in (0, p // 2), (p // 2, p):
                for first, last in (0, view.n // 3), (view.n // 3, view.n):
                    version(counting.count_sets, which)(view, weights, passes, sets, a, b, first, last, dense)
            bounds, half = np.zeros(len(subsets) + 1, np.int64), len(subsets) // 2
            for first, last in (0, half), (half, len(subsets)):
                version(counting.count_observed, which)(first, last, dense, sets.starts, bounds[1:])
            np.cumsum(bounds, out=bounds)
            keys, counts = np.empty((2, bounds[-1]), np.int64)
            for first, last in (half, len(subsets)), (0, half):
                version(counting.keep_observed, which)(first, last, dense, sets.starts, bounds, keys, counts)
            for i, s in enumerate(subsets):
                sums = expected.sum(axis=tuple(v for v in axes if v not in s)).ravel()
                at = slice(bounds[i], bounds[i + 1])
                assert keys[at].tolist() == np.flatnonzero(sums).tolist()
                assert counts[at].tolist() == ((3 if len(weights) else 1) * sums[sums > 0]).tolist()
