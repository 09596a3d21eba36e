"""Batches of parent sets against Python's own sets."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnjit.stats.parent_sets import ParentSets, batch_of, by_discrete_part, make_batch, make_sets, toggle_batch

PARENTS = st.sets(st.integers(0, 80), max_size=6)


def pairs_of(batch):
    return list(zip(batch.nodes.tolist(), map(set, batch.sets.tuples()), strict=True))


@given(pairs=st.lists(st.tuples(st.integers(0, 5), PARENTS)))
def test_a_batch_has_its_sets_in_order(pairs):
    batch = make_batch([(node, list(parents)) for node, parents in pairs])
    assert batch.size == len(pairs)
    assert pairs_of(batch) == pairs
    assert all(list(parents) == sorted(parents) for parents in batch.sets.tuples())
    inside = batch.sets.inside()
    assert [set(row[here].tolist()) for row, here in zip(batch.sets.members, inside, strict=True)] == [
        parents for _, parents in pairs
    ]


@given(nodes=st.lists(st.integers(0, 3)))
def test_places_of_nodes(nodes):
    """Runs of equal nodes, one after the other, cover the batch."""
    runs = make_batch([(node, []) for node in nodes]).by_node()
    assert [node for node, part in runs for _ in range(part.stop - part.start)] == nodes
    assert [part.start for _, part in runs] == [0, *(part.stop for _, part in runs)][: len(runs)]
    assert all(a[0] != b[0] for a, b in pairwise(runs))


@given(pairs=st.lists(st.tuples(st.integers(0, 5), PARENTS), min_size=1), data=st.data())
def test_parts_of_a_batch(pairs, data):
    batch = make_batch([(node, list(parents)) for node, parents in pairs])
    which = data.draw(st.lists(st.integers(0, len(pairs) - 1)))
    assert pairs_of(batch.take(np.array(which, np.intp))) == [pairs[i] for i in which]
    for _, part in batch.by_node():
        assert pairs_of(batch.take(part)) == pairs[part]
    assert list(map(set, batch.sets.take(np.array(which, np.intp)).tuples())) == [pairs[i][1] for i in which]


@given(bases=st.lists(st.tuples(st.integers(0, 5), PARENTS), min_size=1, max_size=5), data=st.data())
def test_toggled_parents(bases, data):
    toggles = data.draw(st.lists(st.tuples(st.integers(0, len(bases) - 1), st.integers(0, 80)), max_size=20))
    rows, which = [row for row, _ in toggles], [x for _, x in toggles]
    batch = toggle_batch([(node, sorted(parents)) for node, parents in bases], rows, which)
    assert pairs_of(batch) == [(bases[row][0], bases[row][1] ^ {x}) for row, x in toggles]
    assert all(list(parents) == sorted(parents) for parents in batch.sets.tuples())


@given(
    sets=st.lists(st.sets(st.integers(0, 6), max_size=5), min_size=1),
    kinds=st.lists(st.booleans(), min_size=7, max_size=7),
)
def test_sets_by_their_discrete_part(sets, kinds):
    groups = by_discrete_part(make_sets([sorted(s) for s in sets]), kinds)
    assert sorted(at for group in groups for at in group.at.tolist()) == list(range(len(sets)))
    assert len({group.discrete for group in groups}) == len(groups)
    for group in groups:
        for at, continuous in zip(group.at.tolist(), group.continuous.tuples(), strict=True):
            assert {v for v in sets[at] if kinds[v]} == set(group.discrete)
            assert tuple(sorted(v for v in sets[at] if not kinds[v])) == continuous
        assert group.columns_with(7) == tuple(sorted({7}.union(*(group.continuous.tuples()))))
        first = group.some(np.array([0]))
        assert (first.discrete, first.at.tolist()) == (group.discrete, group.at[:1].tolist())


def test_a_batch_of_one_node():
    sets = ParentSets(np.array([[1, 2], [3, 0]], np.int32), np.array([2, 1]))
    assert pairs_of(batch_of(4, sets)) == [(4, {1, 2}), (4, {3})]
