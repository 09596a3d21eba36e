"""Different values, and digests that only columns with the same groups of rows share."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnjit.report.distinct import Distinct


def summed(values, cuts, most=100):
    hashes = np.array(values, np.uint64)
    bounds = [0, *sorted(cuts), len(values)]
    parts = [Distinct.of(hashes[a:b], hashes[a:b] == 9, most) for a, b in pairwise(bounds)]
    total = parts[0]
    for part in parts[1:]:
        total = total.merged(part)
    return total


def groups(values):
    """Number of the first row with the same value; -1 where it is missing."""
    return [-1 if value == 9 else values.index(value) for value in values]


COLUMN = st.lists(st.integers(0, 4).map(lambda x: 9 if x == 4 else x), min_size=12, max_size=12)


@given(COLUMN, COLUMN, st.lists(st.integers(0, 12), max_size=4))
def test_digests_are_equal_if_groups_are(a, b, cuts):
    one, other = summed(a, cuts), summed(b, cuts)
    assert (one.digest == other.digest) == (groups(a) == groups(b))
    renamed = [9 if x == 9 else 3 - x for x in a]
    assert summed(renamed, cuts).digest == one.digest


@given(COLUMN, st.lists(st.integers(0, 12), max_size=4))
def test_counts_and_repeats(values, cuts):
    found = summed(values, cuts)
    there = [x for x in values if x != 9]
    assert len(found) == len(set(there))
    assert found.repeats == (len(set(there)) < len(there))
    full = summed(values, cuts, most=2)
    assert full.is_full == (len(set(there)) > 2)
    assert full.digest is None if full.is_full else full.digest == found.digest
