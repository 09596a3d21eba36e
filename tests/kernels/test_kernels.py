"""Every kernel, compiled and as plain Python (`.py_func`), against plain loops."""

import importlib
import itertools
import math
import pkgutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit.kernels
from bnjit._jit import threads
from bnjit.data import Column, Table
from bnjit.kernels import (
    cells,
    cgaussian,
    collapse,
    columns,
    combine,
    configurations,
    counting,
    discrete,
    gaussian,
    moments,
    regression,
    rows,
    sorting,
)
from bnjit.kernels import few as few_columns
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import no_moments
from bnjit.stats.collect import collect_cells, membership, padded, ranked
from bnjit.stats.sorting import sort_rows
from tests.reference import naive
from tests.strategies import tables, to_table

few = settings(max_examples=25)
BOTH = ["compiled", "python"]


def version(kernel, which):
    return kernel if which == "compiled" else kernel.py_func


def test_every_jitted_function_is_in_the_kernels():
    """Each module of the package but kernels is free of dispatchers of its own; each kernel has a summary."""
    count = 0
    for info in pkgutil.walk_packages(bnjit.__path__, "bnjit."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if hasattr(value, "py_func") and value.py_func.__module__ == info.name:
                count += 1
                assert info.name.startswith("bnjit.kernels.")
                assert value.py_func.__doc__
    assert count > 25


# The kernels that read columns follow addresses, which plain Python cannot; they are tested compiled.
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_reading_numbers(dtype):
    values = np.arange(10, dtype=dtype)
    view = Table(["x"], [Column(values, None)]).view
    out = np.zeros(4)
    columns.read_values(view, 0, 3, out, 4)
    assert out.tolist() == [3, 4, 5, 6]
    out = np.zeros(3)
    sorting.scatter_column(view, 0, 4, np.empty(0, np.int32), np.array([2, 1, 0], np.int32), out)
    assert out.tolist() == [6, 5, 4]
    sorting.scatter_column(view, 0, 0, np.array([9, 0, 7], np.int32), np.array([2, 1, 0], np.int32), out)
    assert out.tolist() == [7, 0, 9]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_appending_codes(dtype):
    codes = Table(["x"], [Column(np.array([2, 0, 1, 2], dtype), ("a", "b", "c"))])
    view = codes.view
    keys = np.array([5, 7, 0])
    columns.append_codes(view, 0, 1, keys, 3)
    assert keys.tolist() == [15, 22, 2]


@pytest.mark.parametrize("which", BOTH)
@given(keys=st.lists(st.integers(0, 40), min_size=1, max_size=200))
@few
def test_ranks(which, keys):
    keys = np.array(keys)
    expected, inverse = np.unique(keys, return_inverse=True)
    for rank in (
        lambda k, ids: version(configurations.rank_dense, which)(k, 41, ids),
        version(configurations.rank_sparse, which),
    ):
        ids = np.empty(len(keys), np.int32)
        np.testing.assert_array_equal(rank(keys, ids), expected)
        np.testing.assert_array_equal(ids, inverse)


def test_hashing_many_distinct_keys():
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**62, 20_000)
    keys[10_000:] = keys[:10_000]
    ids = np.empty(len(keys), np.int32)
    expected, inverse = np.unique(keys, return_inverse=True)
    np.testing.assert_array_equal(configurations.rank_sparse(keys, ids), expected)
    np.testing.assert_array_equal(ids, inverse)


@pytest.mark.parametrize("which", BOTH)
@given(ids=st.lists(st.integers(0, 5), min_size=1, max_size=50))
@few
def test_grouping_rows(which, ids):
    slots = np.array([2, 0, -1, 1, -1, 3], np.int32)
    found = configurations.Numbering(np.empty(0, np.int32), np.empty(0, np.int32), np.array(ids, np.int32))
    nothing = Table(["X"], [Column(np.zeros(len(ids)), None)]).view
    chosen, new = version(sorting.choose_rows, which)(nothing, found, slots, 0, len(ids))
    assert chosen.tolist() == [r for r, cell in enumerate(ids) if slots[cell] >= 0]
    place, starts = version(sorting.place_rows, which)(new, 4)
    values = np.arange(len(ids), dtype=np.float64)
    single = Table(["X"], [Column(values, None)])
    view = single.view
    out = np.full(len(ids), -1.0)
    sorting.scatter_column(view, 0, 0, chosen, place, out)  # which reads by address
    expected = [[r for r, cell in enumerate(ids) if slots[cell] == k] for k in range(4)]
    assert [out[starts[k] : starts[k + 1]].tolist() for k in range(4)] == expected


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_continuous=0))
@few
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
        passes = version(counting.plan_passes, which)(view.levels, sets, limit)
        p = len(passes.sizes)
        served = np.split(np.arange(len(subsets)), passes.starts[1:-1])
        for i in range(p):
            union = set().union(*(subsets[k] for k in served[i]))
            assert passes.members[i, : passes.sizes[i]].tolist() == sorted(union)
            assert len(served[i]) == 1 or math.prod(levels[v] for v in union) <= limit
        for weights in np.empty(0, np.int32), np.full(view.n, 3, np.int32):
            dense = np.zeros(sum(sizes), np.int32)
            for a, b in (0, p // 2), (p // 2, p):
                for first, last in (0, view.n // 3), (view.n // 3, view.n):
                    version(counting.count_sets, which)(view, weights, passes, sets, a, b, first, last, dense)
            keys, counts = np.empty((2, np.count_nonzero(dense)), np.int64)
            bounds = np.zeros(len(subsets) + 1, np.int64)
            version(counting.keep_observed, which)(dense, sets.starts, keys, counts, bounds)
            for i, s in enumerate(subsets):
                sums = expected.sum(axis=tuple(v for v in axes if v not in s)).ravel()
                at = slice(bounds[i], bounds[i + 1])
                assert keys[at].tolist() == np.flatnonzero(sums).tolist()
                assert counts[at].tolist() == ((3 if len(weights) else 1) * sums[sums > 0]).tolist()


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_continuous=0, max_rows=80), words=st.integers(1, 3))
@few
def test_distinct_rows(which, table, words):
    whole = to_table(table)
    names = list(table)
    n = whole.n
    word = np.minimum(np.arange(len(names)), words - 1)
    rows = [naive.configuration(table, names, row) for row in range(n)]
    where, times = np.zeros((2, n), np.int32)
    find = version(collapse.distinct_rows, which)
    variables = np.arange(len(names), dtype=np.int32)
    m = find(whole.view, variables, word, 1, n, 0, where, times)
    expected = list(dict.fromkeys(rows[1:]))
    assert [rows[r] for r in where[:m]] == expected
    assert times[:m].tolist() == [rows[1:].count(row) for row in expected]
    assert find(whole.view, variables, word, 1, n, 0, where[: m - 1], times[: m - 1]) == -1
    assert find(whole.view, variables, word, 1, n, n - 1, where, times) == (-1 if 4 * m > 3 * (n - 1) else m)


@pytest.mark.parametrize("which", BOTH)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 4), k=st.integers(2, 5), c=st.integers(0, 3))
@few
def test_leaving_out(which, seed, m, k, c):
    rng = np.random.default_rng(seed)
    rows = [[rng.normal(size=(rng.integers(1, 6), c)) + 1e4 for _ in range(k)] for _ in range(m)]
    at = np.arange(m * k).reshape(m, k)
    at[rng.random((m, k)) < 0.3] = -1
    lower = np.tril_indices(c)

    def moments(groups):
        out = no_moments(len(groups), c)
        for g, parts in enumerate(groups):
            if parts:
                x = np.concatenate(parts)
                out.counts[g], out.means[g] = len(x), x.mean(axis=0)
                out.crosses[g] = ((x - x.mean(axis=0)).T @ (x - x.mean(axis=0)))[lower]
        return out

    cells = moments([[x] for group in rows for x in group])
    expected = moments(
        [
            [x for part, x in enumerate(group) if part != left and at[g, part] >= 0]
            for left in range(k)
            for g, group in enumerate(rows)
        ]
    )
    out = no_moments(k * m, c)
    for first, last in ((0, m // 2), (m // 2, m)):
        version(combine.leave_out, which)(cells, at, first, last, no_moments(1, c), out)
    np.testing.assert_array_equal(out.counts, expected.counts)
    np.testing.assert_allclose(out.means + out.lows, expected.means, rtol=1e-13)
    np.testing.assert_allclose(out.crosses, expected.crosses, atol=1e-8)


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_discrete=1, max_continuous=10))
@few
def test_moments(which, table):
    names = list(table)
    whole = to_table(table)
    numbers = whole.continuous
    selected = np.array(numbers, np.int32)
    variables = tuple(j for j in range(len(names)) if whole.discrete[j])
    found = membership(whole, variables)
    m = len(found.keys)
    expected = naive.cells(table, [names[v] for v in variables], [names[c] for c in numbers])
    c = len(numbers)
    results = []
    # Cells of rows are told by a list of them, or by a table of all configurations.
    numbering = found.numbering if whole.n % 2 else ranked(whole, variables, found.keys).numbering
    if m == 1:
        lanes = no_moments(2, c)
        for lane in (0, 1):
            bounds = whole.n * lane // 2, whole.n * (lane + 1) // 2
            version(moments.add_all, which)(whole.view, selected, *bounds, lane, lanes)
        joined = no_moments(1, c)
        version(combine.combine, which)(np.arange(2), np.array([0, 2]), lanes, 0, 1, joined)
        results.append(joined)
    if variables:
        halves = no_moments(2 * m, c)
        for lane in (0, 1):
            bounds = whole.n * lane // 2, whole.n * (lane + 1) // 2
            by_cell = Moments(*(array[lane * m : (lane + 1) * m] for array in halves))
            version(cells.add_by_cell, which)(
                whole.view, selected, numbering, *bounds, np.full(7 * 16, np.nan), by_cell
            )
        joined = no_moments(m, c)
        order = np.arange(2 * m).reshape(2, m).T.ravel()
        version(combine.combine, which)(order, 2 * np.arange(m + 1), halves, 0, m, joined)
        results.append(joined)
        parts = [Moments(*(array[lane * m : (lane + 1) * m].copy() for array in halves)) for lane in range(2)]
        version(combine.merge, which)(*parts, 0, m)
        results.append(parts[0])
    if 0 < c <= few_columns.MOST_COLUMNS:
        unsorted = no_moments(m, c)
        version(few_columns.add_few, which)(whole.view, selected, numbering, 0, whole.n, unsorted)
        results.append(unsorted)
    for result in results:
        for cell, key in enumerate(sorted(expected)):
            n, means, crosses = expected[key]
            assert result.counts[cell] == n
            np.testing.assert_allclose(result.means[cell], means, rtol=1e-13, atol=1e-13)
            lower = [crosses[i][j] for i in range(len(means)) for j in range(i + 1)]
            np.testing.assert_allclose(result.crosses[cell], lower, rtol=1e-9, atol=1e-9)


def fits(table, node, parents, which):
    """Residual sum of squares by moments, where they vouch for it, and by QR."""
    whole = to_table(table)
    names = list(table)
    at = np.array([names.index(p) for p in parents] + [names.index(node)], np.int32)
    g = len(parents)
    n = naive.rows_of(table)
    cells = collect_cells(whole, whole.continuous, membership(whole, ()))
    position = np.array([whole.continuous.index(v) for v in at], np.int32)
    rss, status = version(regression.fit_moments, which)(
        n, cells.means[0], cells.crosses[0], position[g], position, g, False, np.empty((g + 1, g + 1)), np.empty(g + 1)
    )
    if status == regression.FINE:
        yield "moments", rss
    arguments = (whole.view, at, 0, n, False)
    scratch = np.empty(g + 1), np.empty(g + 1), np.empty((g + 2, rows.RUN))
    yield "qr", version(rows.fit_qr, which)(*arguments, *scratch)


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_discrete=0, min_rows=8), data=st.data())
@few
def test_regressions(which, table, data):
    names = list(table)
    node = data.draw(st.sampled_from(names))
    parents = sorted(data.draw(st.lists(st.sampled_from(names), unique=True)), key=names.index)
    parents = [p for p in parents if p != node]
    _, _, expected = naive.regression(table[node], [table[p] for p in parents])
    scale = naive.regression(table[node], [])[2]
    for method, rss in fits(table, node, parents, which):
        assert rss == pytest.approx(expected, rel=1e-9, abs=1e-14 * scale + 1e-17 * max(map(abs, table[node])) ** 2), (
            method
        )


@pytest.mark.parametrize("which", BOTH)
def test_scores_of_cells(which):
    """The kernels that sum over cells, in plain Python too."""
    rng = np.random.default_rng(0)
    n = 60
    table = {
        "Z": (rng.integers(0, 2, n).tolist(), 2),
        "A": rng.normal(size=n).tolist(),
        "Y": rng.normal(size=n).tolist(),
    }
    whole = to_table(table)
    found = membership(whole, (0,))
    cells = collect_cells(whole, (1, 2), found)
    expected = naive.loglik(table, "Y", ["Z", "A"])
    rule = cgaussian.Rule(False, True)
    parents, sizes = np.array([[0]], np.int32), np.array([1])
    for kernel in (cgaussian.batch_cells, cgaussian.few_cells):
        out, flagged, marks = np.empty(1), np.empty(1, np.int64), np.zeros((1, 2), np.uint8)
        version(kernel, which)(cells.moments, cells.moments, 1, parents, sizes, rule, out, flagged, marks)
        assert out[0] == pytest.approx(expected, rel=1e-12)
        assert flagged[0] == marks.sum() == 0
    grouped, lanes = sort_rows(whole, found, (1, 2)), np.empty((2, 1))
    task = cgaussian.Task(2, np.array([[1]], np.int32), sizes)
    version(cgaussian.batch_rows, which)(
        grouped.columns, grouped.spans, grouped.columns, grouped.spans, 1, task, rule, lanes
    )
    assert lanes.sum() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("which", BOTH)
@given(table=tables(max_continuous=0, min_rows=6), data=st.data())
@few
def test_discrete_scores(which, table, data):
    names = list(table)
    node = data.draw(st.sampled_from(names))
    parents = [name for name in names if name != node]
    whole = to_table(table)
    found = collect_cells(whole, (), membership(whole, tuple(range(len(names)))))
    counts = np.bincount(membership(whole, tuple(range(len(names)))).ids)
    r = table[node][1]
    stride = math.prod(table[name][1] for name in names[names.index(node) + 1 :])
    q = math.prod(table[p][1] for p in parents)
    given_counts = discrete.Tables(
        np.array([0]), np.array([len(counts)]), found.keys, counts, np.array([stride]), np.array([q])
    )
    out = np.empty(1)
    version(discrete.batch_loglik, which)(given_counts, r, out)
    assert out[0] == pytest.approx(naive.loglik(table, node, parents), rel=1e-10, abs=1e-10)
    version(discrete.batch_marginal, which)(given_counts, r, np.array([1.0 / (r * q)]), False, out)
    assert out[0] == pytest.approx(naive.marginal(table, node, parents, "bde"), rel=1e-10, abs=1e-9)
    version(discrete.batch_marginal, which)(given_counts, r, np.array([1.0]), True, out)
    assert out[0] == pytest.approx(naive.marginal(table, node, parents, "bds"), rel=1e-10, abs=1e-9)
    version(discrete.batch_predictive, which)(given_counts, given_counts, r, out)
    assert out[0] == pytest.approx(naive.predictive(table, table, node, parents), rel=1e-10, abs=1e-9)


def test_parent_configurations_dense_and_sorted_agree(monkeypatch):
    rng = np.random.default_rng(1)
    keys = np.unique(rng.integers(0, 7 * 3 * 5, 60))
    counts = rng.integers(1, 9, len(keys))
    plain = discrete.parent_cells.py_func
    j, n_j = plain(keys, counts, 5, 3, 35)
    monkeypatch.setattr(discrete, "DENSE", -4 * len(keys))
    j_sorted, n_j_sorted = plain(keys, counts, 5, 3, 35)
    np.testing.assert_array_equal(n_j[j], n_j_sorted[j_sorted])
    assert len(n_j) == len(n_j_sorted)


@pytest.mark.parametrize("which", BOTH)
def test_bge(which):
    rng = np.random.default_rng(2)
    table = {name: rng.normal(size=30).tolist() for name in "ABC"}
    _, _, crosses = naive.cells(table, [], list("ABC"))[()]
    prior = gaussian.Prior(np.array(crosses) + 0.5 * np.eye(3), 30, 3, 0.5, 1.0, 5.0)
    out = np.empty(2)
    version(gaussian.batch_bge, which)(prior, 2, np.array([[0, 1], [1, 0]], np.int32), np.array([2, 1]), out)
    assert out[0] == pytest.approx(naive.bge(table, "C", ["A", "B"]), rel=1e-12)
    assert out[1] == pytest.approx(naive.bge(table, "C", ["B"]), rel=1e-12)


@pytest.mark.parametrize("kernel_score", ["loglik", "pred"])
@pytest.mark.parametrize("estimator", ["stats", "qr", "2p"])
def test_threads_change_no_digit(kernel_score, estimator):
    from bnjit.scores import make_scorer

    rng = np.random.default_rng(3)
    n = 100_000
    z, w = rng.integers(0, 3, n), rng.integers(0, 40, n)
    a, b = rng.normal(size=(2, n)) + z
    data = {"Z": (z.tolist(), 3), "W": (w.tolist(), 40), "A": a.tolist(), "B": b.tolist(), "Y": (a * b + z).tolist()}
    table = to_table(data)
    half = np.arange(n) % 2 == 0
    sets = [(), (0,), (1,), (0, 1), (2,), (2, 3), (0, 2), (0, 1, 2, 3)]
    results = []
    for n_threads in (1, 2, 4):
        with threads(n_threads):
            if kernel_score == "pred":
                scorer = make_scorer(table.take(half), "pred", estimator, table.take(~half))
            else:
                scorer = make_scorer(table, "loglik", estimator)
            results.append([scorer.local_scores(4, sets), scorer.local_scores(0, [(), (1,)])])
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_thread_numbers():
    import numba

    before = numba.get_num_threads()
    with threads(2):
        assert numba.get_num_threads() == 2
    with threads(10_000):
        assert numba.get_num_threads() == numba.config.NUMBA_NUM_THREADS
    with threads(None):
        assert numba.get_num_threads() == before
    assert numba.get_num_threads() == before
