"""Tests of all that a graph implies: uniform p-values under the truth, contradictions found, wherever rows are."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.datasets import random_network, small_mixed
from bnjit.errors import ArgumentError, GraphError
from tests.golden.gaps import make_gaps
from tests.golden.tables import TABLES


def p_values(kind, rows, seeds, **options):
    found = []
    for seed in seeds:
        network = random_network(kind, 10, parents=1.3, seed=seed)
        found.append(bnjit.check_markov(network, network.sample(rows, seed=seed), **options).tests["p_value"])
    return np.concatenate(found)


def distance(p):
    """Kolmogorov's distance from uniform values, times the root of their number: above 1.63 once in a hundred."""
    p, n = np.sort(p), len(p)
    steps = np.arange(n + 1) / n
    return np.sqrt(n) * max(np.max(steps[1:] - p), np.max(p - steps[:-1]))


@pytest.mark.parametrize("rows", [100, 2000])
@pytest.mark.parametrize("kind", ["gaussian", "cgaussian"])
def test_p_values_of_a_true_graph_are_uniform(kind, rows):
    p = p_values(kind, rows, range(12))
    assert len(p) > 350
    assert distance(p) < 1.63
    assert 0.005 < np.mean(p < 0.02) < 0.05


def test_p_values_of_a_true_discrete_graph_are_uniform():
    p = p_values("discrete", 2000, range(12))
    assert distance(p) < 1.63
    assert 0.005 < np.mean(p < 0.02) < 0.05
    few = p_values("discrete", 100, range(12))
    assert np.mean(few < 0.05) < 0.07
    assert distance(p_values("discrete", 100, range(12), test="mi-adf")) > 1.63  # which the default mends


def test_many_configurations_of_few_rows():
    rng, found = np.random.default_rng(1), {"mi-cg-adj": [], "mi-cg": []}
    groups = np.repeat([f"g{i}" for i in range(12)], 4)
    for _ in range(100):
        table = {"x": rng.normal(size=48), "g": groups}
        for test, p in found.items():
            p.append(bnjit.independence("x", "g", data=table, test=test).p_value)
    assert distance(found["mi-cg-adj"]) < 1.63
    assert distance(found["mi-cg"]) > 1.63


def test_a_missing_arc_is_found():
    network = small_mixed()
    rows = network.sample(2000, seed=1)
    assert not bnjit.check_markov(network, rows).contradicted
    for arc in network.dag.edges:
        graph = network.dag
        graph.remove_edge(*arc)
        report = bnjit.check_markov(graph, rows)
        assert report.contradicted
        assert {*report.violations.loc[0, ["x", "y"]]} == {*arc}


def test_the_table_of_tests():
    rows = TABLES["cgaussian"]()
    arcs = [("A", "X"), ("X", "Y"), ("B", "Y"), ("A", "B")]
    report = bnjit.check_markov(arcs, rows, ["mi", "mi-cg"], correction="bh", level=0.01)
    tests = report.tests
    assert list(tests) == ["x", "y", "given", "test", "statistic", "df", "p_value", "p_adjusted", "effect", "n"]
    assert len(tests) == 8 * 7 // 2 - len(arcs)
    assert set(tests["test"]) == {"mi", "mi-cg"}
    for one in tests.sample(8, random_state=1).itertuples():
        alone = bnjit.independence(one.x, one.y, list(one.given), rows, one.test)
        assert (alone.statistic, alone.df, alone.p_value) == pytest.approx((one.statistic, one.df, one.p_value))
        assert alone.effect == pytest.approx(one.effect, abs=1e-9)
    worst = report.violations
    assert (worst["p_adjusted"] <= 0.01).all()
    assert worst["effect"].is_monotonic_decreasing
    assert len(worst) == (tests["p_adjusted"] <= 0.01).sum() > 3


def test_corrections_of_p_values():
    rows = TABLES["gaussian"](200)
    by = {name: bnjit.check_markov([], rows, correction=name).tests for name in ("holm", "bh", "none")}
    assert (by["none"]["p_adjusted"] == by["none"]["p_value"]).all()
    assert (by["holm"]["p_adjusted"] >= by["bh"]["p_adjusted"]).all()
    assert (by["bh"]["p_adjusted"] >= by["none"]["p_value"] * (1.0 - 1e-12)).all()
    p = by["holm"]["p_value"].to_numpy()
    for i in range(
        len(p)
    ):  # by definition: the largest of p (n - rank) up to this one; the least of p n / rank from it
        holm = max(p[j] * (p >= p[j]).sum() for j in range(len(p)) if p[j] <= p[i])
        hochberg = min(p[j] * len(p) / (p <= p[j]).sum() for j in range(len(p)) if p[j] >= p[i])
        assert by["holm"]["p_adjusted"][i] == pytest.approx(min(1.0, holm))
        assert by["bh"]["p_adjusted"][i] == pytest.approx(min(1.0, hochberg))


def assert_same(ours, theirs):
    pd.testing.assert_frame_equal(ours.tests, theirs.tests, rtol=1e-8, atol=1e-10)


def test_wherever_rows_are(tmp_path):
    network = small_mixed()
    rows = network.sample(3000, seed=2)
    whole = bnjit.check_markov(network, rows, n_threads=1)
    assert bnjit.check_markov(network, rows, n_threads=4).tests.equals(whole.tests)
    rows.to_parquet(tmp_path / "t.parquet")
    assert_same(bnjit.check_markov(network, tmp_path / "t.parquet", out_of_core=True, max_memory="1MB"), whole)
    assert_same(bnjit.check_markov(network, bnjit.Statistics.collect(rows, 5)), whole)


def test_rows_on_dask():
    dask = pytest.importorskip("dask.dataframe")
    network = small_mixed()
    rows = network.sample(2000, seed=2)
    assert_same(bnjit.check_markov(network, dask.from_pandas(rows, npartitions=3)), bnjit.check_markov(network, rows))


def test_gaps():
    rows = make_gaps(TABLES["cgaussian"](), share=0.05)
    report = bnjit.check_markov([("A", "X")], rows, missing="available")
    assert report.n == len(rows)
    one = report.tests.iloc[-1]
    assert one["n"] == len(rows[[one["x"], one["y"], *one["given"]]].dropna()) < len(rows)


def test_what_it_shows():
    rows = TABLES["cgaussian"]()
    report = bnjit.check_markov([], rows)
    text = repr(report).splitlines()
    assert text[0].startswith(
        f"bnjit.MarkovReport: {len(report.violations)} of 28 independencies contradicted (3,000 rows"
    )
    assert len(text) == 12
    assert text[-1].strip().startswith("... and ")
    page = report._repr_html_()
    assert page.count("<tr>") == 11
    assert "_||_" in page
    axes = report.plot()
    assert f"contradicted ({len(report.violations)})" in [text.get_text() for text in axes.get_legend().get_texts()]
    drawn = report.draw(most=3)
    assert "contradicted independence (3)" in [text.get_text() for text in drawn.get_legend().get_texts()]
    plt.close("all")


def test_a_graph_that_says_nothing():
    report = bnjit.check_markov([("a", "b")], {"a": [1.0, 2.0, 4.0, 3.0], "b": [1.0, 3.0, 2.0, 2.5]})
    assert len(report.tests) == len(report.violations) == 0
    assert not report.contradicted
    assert "0 of 0 independencies" in repr(report)
    plt.close(report.plot().figure)
    plt.close(report.draw().figure)


@pytest.mark.parametrize(
    ("dag", "options", "error", "message"),
    [
        ("[A][Q]", {}, GraphError, "'Q', which is no column"),
        ([("X", "A")], {}, GraphError, "makes a continuous column the parent"),
        ([], {"correction": "bonferroni"}, ArgumentError, "correction='bonferroni' is not known; it is one of holm"),
        ([], {"level": 2.0}, ArgumentError, "level=2.0"),
        ([], {"test": ["x2", "t"]}, ArgumentError, "test='t' is not known"),
    ],
)
def test_errors(dag, options, error, message):
    with pytest.raises(error) as raised:
        bnjit.check_markov(dag, TABLES["cgaussian"](60), **options)
    assert message in str(raised.value)
