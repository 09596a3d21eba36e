"""Units never matter: columns times powers of two give the same bits, times anything else the same graph."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit import datasets
from bnjit.data import Column, Table, read_table
from bnjit.scores import make_scorer
from bnjit.stats import Request
from bnjit.stats.opening import make_store
from bnjit.stats.requests import TriangleRequest
from bnjit.stats.store import in_own_units, scale_of
from bnjit.stats.triangles import add_rows, no_triangles
from bnjit.stats.units import SomeRows, factors_of_table, log_factors
from tests.comparison import assert_same_search
from tests.reference import naive

KINDS = ["gaussian", "cgaussian"]
SCORES = [
    "loglik", "aic", "bic", "ebic", "pred", "cv", "marginal", bnjit.BIC(sparse="pool"), bnjit.BIC(penalty="local"),
    bnjit.HeldOut(density="bayes"), bnjit.HeldOut(sparse="pool"), bnjit.CrossValidation(folds=3, density="bayes"),
]  # fmt: skip
OPTIONS = [
    *({"score": score, "seed": 1} for score in SCORES),
    *({"estimator": estimator} for estimator in ("qr", "1p", "2p")),
    *({"algorithm": algorithm} for algorithm in ("tabu", "boss", bnjit.HillClimbing(restarts=2, exchange=True))),
]


def rows_of(kind: str, seed: int, n: int = 300, columns: int = 6) -> pd.DataFrame:
    """Rows of a random network, far from zero in part, with float32 among the columns."""
    frame = datasets.random_network(kind, columns, parents=2.0, seed=seed).sample(n, seed=seed)
    numbers = list(frame.select_dtypes(float).columns)
    if numbers:
        frame[numbers[0]] += 1e4
        frame[numbers[-1]] = frame[numbers[-1]].astype(np.float32)
    return frame


def in_other_units(frame: pd.DataFrame, factors: list[float], offsets: list[float]) -> pd.DataFrame:
    """The same rows with each continuous column multiplied, and moved by so many of its deviations."""
    out = frame.copy()
    numbers = frame.select_dtypes("floating").columns
    for name, factor, offset in zip(numbers, factors, offsets, strict=False):
        values = frame[name].astype(float)
        out[name] = (values + offset * values.std()) * factor if offset else values * factor
    return out


def assert_same_bits(ours, theirs):
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    columns = ["move", "source", "target", "delta"]
    pd.testing.assert_frame_equal(ours.trace[columns], theirs.trace[columns], check_exact=True)
    assert ours.n_local_scores == theirs.n_local_scores


@st.composite
def powers(draw, columns=6):
    return [2.0**k for k in draw(st.lists(st.integers(-300, 300), min_size=columns, max_size=columns))]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 50), factors=powers())
@settings(max_examples=6)
def test_powers_of_two_give_the_same_bits_in_memory(options, kind, seed, factors):
    frame = rows_of(kind, seed)
    other = in_other_units(frame, factors, [0.0] * 6)
    ours, theirs = (bnjit.learn(table, **options) for table in (frame, other))
    assert_same_bits(ours, theirs)
    score = options.get("score", "bic")
    if score != "pred" and not isinstance(score, bnjit.HeldOut):  # which are of test rows alone
        shift = sum(-len(frame) * np.log(f) for f, _ in zip(factors, frame.select_dtypes("floating"), strict=False))
        assert theirs.score == pytest.approx(ours.score + shift, rel=1e-9)
    graph = ours.dag
    assert bnjit.score(graph, other, score, seed=1) == pytest.approx(theirs.score, rel=1e-9)


@pytest.mark.parametrize("algorithm", ["hc", "ges"])
@given(seed=st.integers(0, 50), factors=powers())
@settings(max_examples=6)
def test_powers_of_two_give_the_same_bits_to_classes(algorithm, seed, factors):
    frame = rows_of("gaussian", seed)
    tables = frame, in_other_units(frame, factors, [0.0] * 6)
    assert_same_bits(*(bnjit.learn(table, algorithm=algorithm) for table in tables))


@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 50), factors=powers())
@settings(max_examples=6)
def test_powers_of_two_give_the_same_bits_in_chunks_and_from_statistics(tmp_path_factory, kind, seed, factors):
    folder = tmp_path_factory.mktemp("rows")
    frame = rows_of(kind, seed)
    other = in_other_units(frame, factors, [0.0] * 6)
    for options in ({}, {"score": "pred", "seed": 1}):
        found = []
        for name, table in (("ours", frame), ("theirs", other)):
            table.astype(dict.fromkeys(table.select_dtypes("floating"), float)).to_parquet(folder / f"{name}.parquet")
            found.append(bnjit.learn(folder / f"{name}.parquet", out_of_core=True, max_memory="1MB", **options))
        assert_same_bits(*found)
        assert_same_search(found[0], bnjit.learn(frame, **options))
    collected = [bnjit.Statistics.collect(table, 3) for table in (frame, other)]
    learned = [bnjit.learn(one, max_parents=2) for one in collected]
    assert_same_bits(*learned)
    assert_same_search(learned[0], bnjit.learn(frame, max_parents=2))


@given(
    kind=st.sampled_from(KINDS), seed=st.integers(0, 50),
    factors=st.lists(st.floats(-80, 80).map(lambda x: 10.0**x), min_size=6, max_size=6),
    offsets=st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=6),
)  # fmt: skip
@settings(max_examples=25)
def test_other_factors_and_offsets_give_the_same_graph(kind, seed, factors, offsets):
    frame = rows_of(kind, seed)
    frame = frame.astype(dict.fromkeys(frame.select_dtypes("floating"), float))
    other = in_other_units(frame, factors, offsets)
    for estimator in ("stats", "qr"):
        assert list(bnjit.learn(frame, estimator=estimator).dag.edges) == list(
            bnjit.learn(other, estimator=estimator).dag.edges
        )


@pytest.mark.parametrize("factor", [1e-12, 1e-4, 1.0, 1e9])
def test_small_units_lose_no_arc(factor):
    rng = np.random.default_rng(1)
    a = rng.normal(size=500)
    b = a + rng.normal(size=500)
    frame = pd.DataFrame({"a": a, "b": b, "c": b + rng.normal(size=500)}) * factor
    assert list(bnjit.learn(frame).dag.edges) == [("a", "b"), ("b", "c")]


def test_parameters_are_those_of_the_columns_as_they_are():
    frame = rows_of("cgaussian", 3, n=2000)
    numbers = frame.select_dtypes("floating").columns
    factors = {name: 2.0 ** (40 * (-1) ** i) for i, name in enumerate(numbers)}
    other = frame.assign(**{name: frame[name].astype(float) * factor for name, factor in factors.items()})
    result = bnjit.learn(frame)
    pairs = [(result.fit(), bnjit.learn(other).fit())]
    pairs.append(tuple(bnjit.fit(result.dag, table, prior_rows=1.0) for table in (frame, other)))
    for ours, theirs in pairs:
        for name in numbers:
            mine, others = ours.parameters(name), theirs.parameters(name)
            for column in mine.columns:
                if column in ("intercept", "sd"):
                    expected = mine[column] * factors[name]
                elif column in factors:
                    expected = mine[column] * (factors[name] / factors[column])
                else:
                    expected = mine[column]
                pd.testing.assert_series_equal(others[column], expected, check_exact=True)


def test_a_store_in_own_units():
    table = read_table(rows_of("cgaussian", 5))
    store = make_store(table)
    own = in_own_units(store)
    assert in_own_units(own) is own
    scale = scale_of(own)
    np.testing.assert_array_equal(scale, store.reader.factors())
    np.testing.assert_array_equal(np.log(scale), log_factors(own.schema))
    deviations = np.sqrt(np.diag(own.whole.covariance()))
    assert ((deviations > 0.3) & (deviations < 3.0)).all()
    discrete = tuple(np.flatnonzero(table.discrete)[:1].tolist())
    request = Request(discrete, table.continuous)
    for ours, theirs in ((own.whole, store.whole), (own.get([request])[0], store.get([request])[0])):
        for mine, expected in zip(ours.moments, theirs.scaled(scale).moments, strict=True):
            np.testing.assert_array_equal(mine, expected)
    keys = store.get([Request(discrete)])[0].keys
    asked = TriangleRequest(discrete, keys, table.continuous, table.n)
    made = [no_triangles(asked) for _ in range(2)]
    add_rows(own.reader.table, asked, made[0])
    add_rows(table, asked, made[1])
    for mine, expected in zip(made[0].triangles, made[1].scaled(scale).triangles, strict=True):
        np.testing.assert_array_equal(mine, expected)


def plain(table):
    return {
        name: (c.values.tolist(), len(c.labels)) if c.labels else c.values.astype(float).tolist()
        for name, c in zip(table.names, table.columns, strict=True)
    }


@pytest.mark.parametrize("n", [1, 2, 62, 63, 64, 300, 1024, 1030, 1100, 5000])
def test_factors_by_loops_in_any_chunks(n):
    rng = np.random.default_rng(n)
    names = ["normal", "heavy", "rare", "same", "steps"]
    columns = [rng.normal(size=n), np.exp(9 * rng.normal(size=n)), rng.random(n) * (rng.random(n) < 0.04), np.ones(n)]
    columns.append(rng.integers(0, 3, n) * 1e-30)
    table = Table(names, [Column(values, None) for values in columns])
    whole = make_store(table, constants=True).whole
    expected = naive.units.factors(plain(table))
    assert factors_of_table(table, whole).tolist() == [expected[name] for name in names]
    for size in (1, 7, 64, 1000):
        if n // size > 1000:
            continue
        parts = [SomeRows() for _ in range(2)]
        for i, first in enumerate(range(0, n, size)):
            parts[i * size * 2 // n].add(first, table.take(np.arange(first, min(n, first + size))))
        parts[0].join(parts[1])
        assert parts[0].factors(whole, len(names)).tolist() == [expected[name] for name in names]


def test_extreme_values_do_not_decide():
    rng = np.random.default_rng(1)
    x = rng.normal(size=2000)
    x[::100] *= 1e12
    assert make_store(read_table({"x": x})).reader.factors()[0] in (1.0, 2.0)


def test_saved_statistics_keep_the_units_of_their_rows(tmp_path):
    frame = rows_of("cgaussian", 4, n=1500)
    name = frame.select_dtypes("floating").columns[0]
    frame.loc[::100, name] *= 1e9
    statistics = bnjit.Statistics.collect(frame, 2)
    expected = make_store(read_table(frame)).reader.factors()
    statistics.save(tmp_path / "statistics.npz")
    again = bnjit.Statistics.load(tmp_path / "statistics.npz")
    for one in (statistics, again, statistics.merge(again)):
        np.testing.assert_array_equal(one.factors, expected)
    result = bnjit.learn(frame)
    result.save(tmp_path / "result.npz")
    for one in (result, bnjit.load_result(tmp_path / "result.npz")):
        np.testing.assert_array_equal(one._statistics.schema.factors, expected)


def test_discrete_tables_have_no_units():
    store = make_store(read_table(rows_of("discrete", 1)))
    assert in_own_units(store) is store
    assert not log_factors(store.schema).any()


def test_bge_depends_on_units_as_in_bnlearn():
    frame = rows_of("gaussian", 1).astype(float)
    scorer = make_scorer(read_table(frame * 8.0), "bge")
    assert not scorer.shifts.any()
    assert bnjit.score([], frame * 8.0, "bge") != pytest.approx(bnjit.score([], frame, "bge") - 6 * 300 * np.log(8.0))
