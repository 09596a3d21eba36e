"""Families: nodes among their parents, configurations and continuous parents, against plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.kernels import families
from bnjit.stats.collect import padded
from tests.kernels.versions import BOTH, QUICK, version

LEVELS = [2, 3, 0, 1, 4, 0]
NODES = st.integers(0, 5)


@pytest.mark.parametrize("which", BOTH)
@QUICK
@given(pairs=st.lists(st.tuples(NODES, st.sets(NODES)), min_size=1, max_size=5))
def test_families_against_loops(which, pairs):
    pairs = [(node, sorted(parents - {node})) for node, parents in pairs]
    nodes = np.array([node for node, _ in pairs], np.int32)
    parents, sizes = padded([own for _, own in pairs])
    b, w = parents.shape
    levels = np.array(LEVELS)
    members, declared = np.empty((b, w + 1), np.int32), np.empty(b)
    strides, q = np.empty(b, np.int64), np.empty(b, np.int64)
    version(families.join_nodes, which)(levels, nodes, parents, sizes, members, declared, strides, q)
    cells, continuous = np.empty(b), np.empty(b, np.int64)
    version(families.count_configurations, which)(levels, parents, sizes, cells, continuous)
    for i, (node, own) in enumerate(pairs):
        assert members[i].tolist() == sorted([node, *own]) + [0] * (w - len(own))
        assert declared[i] == math.prod(LEVELS[v] for v in (node, *own))
        assert q[i] == math.prod(LEVELS[v] for v in own)
        assert strides[i] == math.prod(LEVELS[v] for v in own if v > node)
        assert cells[i] == math.prod(LEVELS[v] for v in own if LEVELS[v])
        assert continuous[i] == sum(LEVELS[v] == 0 for v in own)


@pytest.mark.parametrize("which", BOTH)
def test_many_configurations_do_not_overflow(which):
    q, g = np.empty(3), np.empty(3, np.int64)
    members, sizes = padded([(0, 2), (), (1, 2, 3)])
    version(families.count_configurations, which)(np.array([2, 3, 5, 2**62]), members, sizes, q, g)
    assert q.tolist() == [10.0, 1.0, 15.0 * 2.0**62]
    assert g.tolist() == [0, 0, 0]


@pytest.mark.parametrize("which", BOTH)
@QUICK
@given(sets=st.lists(st.sets(NODES), min_size=1, max_size=5))
def test_sets_are_divided_by_kind(which, sets):
    members, sizes = padded([sorted(own) for own in sets])
    discrete, continuous = np.full_like(members, -1), np.full_like(members, -1)
    d, g = np.empty_like(sizes), np.empty_like(sizes)
    version(families.divide_sets, which)(np.array(LEVELS), members, sizes, discrete, d, continuous, g)
    for i, own in enumerate(sets):
        for found, size, kind in ((discrete, d, True), (continuous, g, False)):
            expected = sorted(v for v in own if (LEVELS[v] > 0) == kind)
            assert size[i] == len(expected)
            assert found[i].tolist() == expected + [-1] * (members.shape[1] - len(expected))
