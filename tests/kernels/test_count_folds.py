"""Counts outside each fold, against plain loops and the kernels' own Python."""

import numpy as np
import pytest

from bnjit.kernels.count_folds import FoldCounts, leave_counts_out, merge_counts

K, SETS = 4, 3


def made_up_counts(seed):
    """Counts by key, of each fold and set; some folds have nothing of a set."""
    rng = np.random.default_rng(seed)
    return [
        [{int(key): int(rng.integers(1, 9)) for key in rng.integers(0, 8, rng.integers(0, 6))} for _ in range(SETS)]
        for _ in range(K)
    ]


def as_arrays(counted, rng):
    """The same as the kernels take it; sets of a fold stand in any order."""
    starts, ends, keys, counts = np.zeros((K, SETS), np.int64), np.zeros((K, SETS), np.int64), [], []
    for f, own in enumerate(counted):
        for i in rng.permutation(SETS):
            starts[f, i] = len(keys)
            keys += sorted(own[i])
            counts += [own[i][key] for key in sorted(own[i])]
            ends[f, i] = len(keys)
    return FoldCounts(starts, ends, np.array(keys, np.int64), np.array(counts, np.int64))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_counts_outside_each_fold(seed, compiled):
    merge, leave = (merge_counts, leave_counts_out) if compiled else (merge_counts.py_func, leave_counts_out.py_func)
    counted = made_up_counts(seed)
    folds = as_arrays(counted, np.random.default_rng(seed))
    merged, keys, counts = np.empty(SETS, np.int64), *np.empty((2, len(folds.keys)), np.int64)
    merge(folds, merged, keys, counts)
    everything = [sum(own[i].get(key, 0) for own in counted) for i in range(SETS) for key in union(counted, i)]
    assert counts[: merged[-1]].tolist() == everything
    assert keys[: merged[-1]].tolist() == [key for i in range(SETS) for key in union(counted, i)]
    for f in range(K):
        others = counted[:f] + counted[f + 1 :]
        ends, left_keys, left = np.empty(SETS, np.int64), *np.empty((2, merged[-1]), np.int64)
        leave(folds, f, merged, keys, counts, ends, left_keys, left)
        expected = [(key, sum(own[i].get(key, 0) for own in others)) for i in range(SETS) for key in union(others, i)]
        assert list(zip(left_keys[: ends[-1]].tolist(), left[: ends[-1]].tolist(), strict=True)) == expected
        assert np.diff(ends, prepend=0).tolist() == [len(union(others, i)) for i in range(SETS)]


def union(counted, i):
    """Configurations of a set that some fold has, ascending."""
    return sorted(set().union(*(own[i] for own in counted)))
