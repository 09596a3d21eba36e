"""What tasks find in parts of the rows and merge is what they find in all rows."""

import pickle
from itertools import pairwise

import numpy as np
import pytest

from bnjit.stats import cells, passes
from bnjit.stats.cells import _with_cells as with_cells
from bnjit.stats.collect import collect_batch
from bnjit.stats.first_passes import Extremes, FirstPass
from bnjit.stats.passes import Collection
from bnjit.stats.requests import Plan, TriangleRequest
from tests.stats.rows import grouped_rows


@pytest.fixture(scope="module")
def table():
    return grouped_rows()


def parts_of(table, cuts=(0, 0, 1, 2, 90, 200)):
    return [(a, table.take(np.arange(a, b))) for a, b in pairwise(cuts)]


def accumulators(job, parts):
    found = []
    for first, part in parts:
        accumulator = pickle.loads(pickle.dumps(job)).start()
        accumulator.add_chunk(first, part)
        accumulator.finish()
        found.append(pickle.loads(pickle.dumps(accumulator)))
    return found


def collection(steps=()):
    keys = np.array([0, 2])
    triangles = [TriangleRequest((0,), keys, (1, 3), rows=200)]
    return Collection(steps, Plan([(0,), (0, 2)], {(): (1, 3), (0, 2): (1, 3)}, {}, triangles))


def test_parts_are_merged_to_the_whole(table):
    job = collection()
    whole = job.start()
    whole.add_chunk(0, table)
    found = accumulators(job, parts_of(table))
    sizes = [one.nbytes for one in found]
    left = found[0].merged(found[1:3])
    merged = left.merged([found[3].merged(found[4:])])
    assert [one.nbytes for one in found] == sizes  # merging changes nothing
    for variables, columns in [((0,), ()), ((0, 2), ()), ((), (1, 3)), ((0, 2), (1, 3))]:
        ours, theirs = merged.total(variables, columns), whole.total(variables, columns)
        assert np.array_equal(ours.keys, theirs.keys)
        assert np.array_equal(ours.counts, theirs.counts)
        np.testing.assert_allclose(ours.means, theirs.means, rtol=1e-13)
        np.testing.assert_allclose(ours.crosses, theirs.crosses, rtol=1e-9)
    assert merged.nbytes == whole.nbytes


def test_a_table_has_room_for_the_cells_of_all_rows(table, monkeypatch):
    """Where these are known, chunks that bring new cells make no copy of the totals; the result is the same."""
    request = {(0, 2): (1, 3)}
    whole = Collection((), Plan([], request, {})).start()
    whole.add_chunk(0, table)
    expected = whole.total((0, 2), (1, 3))
    copies = []
    monkeypatch.setattr(cells, "_with_cells", lambda *given: copies.append(1) or with_cells(*given))
    known = {(0, 2): expected.keys}
    for keys, all_cells, copied in (({}, True, True), (known, False, True), (known, True, False)):
        copies.clear()
        accumulator = Collection((), Plan([], request, keys), all_cells=all_cells).start()
        for first, part in parts_of(table, (0, 2, 5, 90, 200)):
            accumulator.add_chunk(first, part)
        assert bool(copies) == copied
        found = accumulator.total((0, 2), (1, 3))
        assert np.array_equal(found.keys, expected.keys)
        assert np.array_equal(found.counts, expected.counts)
        np.testing.assert_allclose(found.means, expected.means, rtol=1e-13)
        np.testing.assert_allclose(found.crosses, expected.crosses, rtol=1e-9)


def test_merged_triangles_are_those_of_all_rows(table):
    """R'R are cross-products about the shifts, and what is left of a column keeps its digits."""
    found = accumulators(collection(), parts_of(table))
    (made,) = found[0].merged(found[1:]).triangles
    for cell, key in enumerate(made.keys):
        rows = np.flatnonzero(table.columns[0].values == key)
        X = np.stack([np.ones(len(rows)), *(table.columns[j].values[rows] for j in (1, 3))], axis=1)
        R = made.triangles.R[cell].T
        assert made.triangles.counts[cell] == len(rows)
        assert np.array_equal(np.tril(R, -1), np.zeros((3, 3)))
        X[:, 1:] -= made.triangles.shifts[cell]
        np.testing.assert_allclose(R.T @ R, X.T @ X, rtol=1e-12, atol=1e-12)
        exact = np.linalg.qr(X)[1]
        assert abs(R[2, 2]) == pytest.approx(abs(exact[2, 2]), rel=1e-7)
        assert abs(R[2, 2]) < 1e-3


def test_first_look_and_extremes(table):
    parts = parts_of(table)
    found = accumulators(FirstPass(), parts)
    assert found[0].cells is None
    assert found[0].nbytes == 0
    assert found[0].merged([found[0]]).cells is None
    whole = found[0].merged(found[1:]).cells
    assert whole.counts[0] == 200
    np.testing.assert_allclose(whole.means[0], [table.columns[j].values.mean() for j in (1, 3)], rtol=1e-14)
    ends = accumulators(Extremes((), 1), parts)
    values = table.columns[1].values
    assert ends[0].merged(ends[1:]).values.tolist() == [values.min(), values.max()]


def test_a_large_table_of_a_chunk_is_filled_in_parts(table, monkeypatch):
    """No more than its share of memory is filled at a time, and the result is the same."""
    request, columns = {(0, 2): (1, 3)}, (1, 3)
    whole = Collection((), Plan([], request, {})).start()
    whole.add_chunk(0, table)
    expected = whole.total((0, 2), columns)
    most = cells.table_bytes(len(expected.keys) // 2, len(columns))
    filled = []
    monkeypatch.setattr(
        passes, "collect_batch",
        lambda asked, scratch: filled.append([one.found.keys for one in asked]) or collect_batch(asked, scratch),
    )  # fmt: skip
    own = expected.nbytes - expected.keys.nbytes
    for keys, limit, least, parts in (
        ({}, most, 1, False), (expected.keys, None, 1, False), (expected.keys, most, 1, True),
        (expected.keys, most, 200, False),
    ):  # fmt: skip
        filled.clear()
        monkeypatch.setattr(passes, "LEAST_PART_ROWS", least)
        plan = Plan([], request, {(0, 2): keys} if len(keys) else {})
        limits = {} if limit is None else {"most_filled": limit}
        job = Collection((), plan, all_cells=True, **limits)
        accumulator = job.start()
        for first, part in parts_of(table, (0, 90, 200)):
            accumulator.add_chunk(first, part)
        assert (len(filled) > 2) == parts
        sizes = [sum(cells.table_bytes(len(own), len(columns)) for own in some) for some in filled]
        assert (max(sizes) <= most) == parts
        assert max(sizes) <= job.filled_bytes((0, 2), own, len(columns))
        found = accumulator.total((0, 2), columns)
        assert np.array_equal(found.keys, expected.keys)
        assert np.array_equal(found.counts, expected.counts)
        np.testing.assert_allclose(found.means, expected.means, rtol=1e-13)
        np.testing.assert_allclose(found.crosses, expected.crosses, rtol=1e-9)


def test_rows_are_chosen_with_the_columns_that_are_needed_alone(table):
    """Others are not copied."""
    seen = []

    class Step:
        def requires(self, columns):
            return {*columns, 2}

        def __call__(self, first, rows):
            seen.append([j for j, column in enumerate(rows.columns) if len(column.values)])
            return rows

    request = {(0,): (1,)}
    found = Collection((Step(),), Plan([], request, {})).start()
    found.add_chunk(0, table)
    assert seen == [[0, 1, 2]]
    assert found.total((0,), (1,)).counts.sum() == table.n
