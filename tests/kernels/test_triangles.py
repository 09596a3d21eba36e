"""Regressions from triangles, against those from rows."""

from itertools import product

import numpy as np
import pytest

from bnjit.data import Column, Table
from bnjit.kernels import triangles
from bnjit.kernels.cgaussian import Task
from bnjit.kernels.rows import residuals_rows
from bnjit.kernels.rules import Rule, needs_fit, score_fit, score_without_fit
from bnjit.kernels.triangles import Triangles
from bnjit.kernels.tuning import RUN_ROWS
from bnjit.stats.collect import membership
from bnjit.stats.sorting import sort_rows
from tests.kernels.qr_fit import fit_qr
from tests.kernels.versions import BOTH, version

SETS = [(), (1,), (1, 2), (1, 2, 3), (3,)]
COLUMNS = np.arange(1, 5, dtype=np.int32)


def make_rows(seed, counts, constant=False):
    """Rows sorted by cell, as many as told in each; the third parent is nearly the sum of the others."""
    rng = np.random.default_rng(seed)
    z = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    a, b = rng.normal(size=(2, len(z))) + 10.0 * z
    c = a + b + 1e-4 * rng.normal(size=len(z))
    y = np.where(constant & (z == 0), 5.0, 1.0 + a - 2.0 * b + c + rng.normal(size=len(z)))
    codes = Column(z.astype(np.uint8), tuple(map(str, range(len(counts)))))
    table = Table(["Z", "A", "B", "C", "Y"], [codes, *(Column(x, None) for x in (a, b, c, y))])
    return sort_rows(table, membership(table, (0,)), (1, 2, 3, 4))


def add(rows, which, parts=1):
    """Triangles of the cells, whose rows come in so many parts."""
    m = len(rows.starts) - 1
    sums = []
    for part in range(parts):
        out = Triangles(np.zeros(m, np.int64), np.zeros((m, 4)), np.zeros((m, 5, 5)))
        for cell in range(m):
            first, n = rows.starts[cell], rows.starts[cell + 1] - rows.starts[cell]
            bounds = first + np.array([n * part // parts, n * (part + 1) // parts])
            version(triangles.add_triangles, which)(0, 1, rows.columns, COLUMNS, bounds, np.array([cell]), out)
        sums.append(out)
    for other in sums[1:]:
        version(triangles.merge_triangles, which)(sums[0], other, 0, m)
    return sums[0]


def task_of(shift):
    """Parent sets of the last column, numbered from `shift` on."""
    members = np.zeros((len(SETS), 3), np.int32)
    for row, parents in zip(members, SETS, strict=True):
        row[: len(parents)] = np.array(parents, np.int32) - shift
    return Task(4 - shift, members, np.array([len(parents) for parents in SETS]))


def score_rows(fitted, spans, scored, scored_spans, task, rule):
    """Scores of every cell for every parent set, fitted from rows by QR."""
    out = np.empty((len(spans), len(task.sizes)))
    for (cell, (a, b)), (i, g) in product(enumerate(spans.tolist()), enumerate(task.sizes.tolist())):
        which = np.array([*task.parents[i, :g], task.node], np.int32)
        first, last = scored_spans[cell].tolist()
        if not needs_fit(b - a, g, last - first, rule):
            out[cell, i] = score_without_fit(last - first, rule)
            continue
        rss, centre, slopes = fit_qr(fitted.columns, which, a, b, in_cells=True)
        error, n = rss, b - a
        if rule.predictive:
            scratch = np.empty((g + 2, RUN_ROWS))
            error, n = residuals_rows(scored.columns, which, first, last, centre, slopes, scratch), last - first
        out[cell, i] = score_fit(b - a, g, rss, n, error, rule)
    return out


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize(("predictive", "lenient", "constant"), list(product([False, True], repeat=3)))
def test_scores_are_those_of_the_rows(which, parts, predictive, lenient, constant):
    """With too few rows in a cell, with a node that is constant in one, and with none to score."""
    fitted = make_rows(0, [60, 3, 40, 9], constant)
    scored = make_rows(1, [20, 5, 0, 1]) if predictive else fitted
    spans = scored.spans
    if predictive:
        # The empty cell has no rows, and so no code among those observed: its span is empty.
        spans = np.array([[0, 20], [20, 25], [25, 25], [25, 26]])
        scored = scored._replace(starts=np.array([0, 20, 25, 25, 26]))
    rule = Rule(predictive, True, lenient)
    found = np.empty((4, len(SETS)))
    expected = score_rows(fitted, fitted.spans, scored, spans, task_of(0), rule)
    train, test = add(fitted, which, parts), add(scored, which, parts)
    version(triangles.score_triangles, which)(0, len(found), train, test, task_of(1), rule, found)
    assert np.isneginf(expected).any() == (not lenient)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("which", BOTH)
def test_coefficients_are_those_of_the_rows(which):
    rows = make_rows(2, [60, 8, 30])
    at = np.array([0, 1, 3], np.int32)
    found, rss = np.empty((3, 3)), np.empty(3)
    fits = [fit_qr(rows.columns, at + 1, *span, in_cells=True) for span in rows.spans.tolist()]
    expected = [[centre[2] + slopes[2] - slopes[:2] @ centre[:2], *slopes[:2]] for _, centre, slopes in fits]
    expected_rss = [squares for squares, _, _ in fits]
    version(triangles.regressions_from_triangles, which)(add(rows, which), at, True, found, rss)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(rss, expected_rss, rtol=1e-10)


@pytest.mark.parametrize("which", BOTH)
def test_all_parts_but_one(which):
    """One part has no row of a cell, and one cell rows in a single part."""
    spans = [([30, 4, 9], 3), ([50, 0, 7], 4), ([20, 0, 1], 5)]
    parts = []
    for counts, seed in spans:
        rows = make_rows(seed, [max(1, n) for n in counts])
        some = [add(rows._replace(starts=rows.starts), "compiled")]
        there = np.array(counts) > 0
        some[0].counts[~there], some[0].shifts[~there], some[0].R[~there] = 0, 0.0, 0.0
        parts += some
    m, k = 3, len(parts)
    stacked = Triangles(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    run = Triangles(np.zeros(2 * m, np.int64), np.zeros((2 * m, 4)), np.zeros((2 * m, 5, 5)))
    out = Triangles(np.zeros(k * m, np.int64), np.zeros((k * m, 4)), np.zeros((k * m, 5, 5)))
    version(triangles.leave_out_triangles, which)(0, m, k, stacked, run, out)
    for left in range(k):
        expected = Triangles(*(np.zeros_like(array) for array in parts[0]))
        for part, one in enumerate(parts):
            if part != left:
                triangles.merge_triangles(expected, one, 0, m)
        found = Triangles(*(array[left * m : (left + 1) * m] for array in out))
        assert found.counts.tolist() == expected.counts.tolist()
        for cell in range(m):
            np.testing.assert_allclose(gram(found, cell), gram(expected, cell), rtol=1e-12, atol=1e-9)


def gram(cells, cell):
    """Products of the intercept and the columns, about zero."""
    R = np.tril(cells.R[cell])
    R[1:] += cells.shifts[cell][:, None] * R[0]
    return R @ R.T


@pytest.mark.parametrize("which", BOTH)
def test_triangles_of_some_columns_get_as_many_rows(which):
    cells = add(make_rows(6, [30, 4, 9]), "compiled")
    some = cells._replace(shifts=cells.shifts[:, [1, 3]].copy(), R=cells.R[:, [0, 2, 4]].copy())
    short = some._replace(R=np.zeros((3, 3, 3)))
    version(triangles.shorten_triangles, which)(0, 3, some, short)
    assert (short.R[:, [0, 0, 1], [1, 2, 2]] == 0.0).all()
    for cell in range(3):
        np.testing.assert_allclose(gram(short, cell), gram(cells, cell)[np.ix_([0, 2, 4], [0, 2, 4])], rtol=1e-12)
