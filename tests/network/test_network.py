"""Fitted networks: parameters, samples and likelihoods against plain computations."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnjit
from bnjit._threads import threads
from bnjit.kernels import sampling
from bnjit.network.inference import joint_normal
from bnjit.network.sampling import sample_frame, sample_parquet
from bnjit.stats.readers.memory import MemoryReader
from tests.golden.tables import TABLES
from tests.reference import naive
from tests.strategies import tables, to_table

# Last rows of a sample of small_discrete, 2,000 rows with seed 3.
RECORDED = [
    "bbbbbaaaabaa", "aabaaaabbaab", "aaaaabbbbaab", "aabababbbaab", "baabbbbaaaba", "abbbbaaaabba", "baaaabbbbaab",
    "abbaaabbbaab",
]  # fmt: skip

GRAPHS = {
    "discrete": "[A][C][B|A][D|A:C][E|B:D][F|C:E]",
    "gaussian": "[A][B][C|A:B][D|C][E|A][F|D:E][G|F]",
    "cgaussian": "[A][C][B|A][D|C][X|A][W|D][Y|X:B:C][Z|X:Y:A]",
}


def network_of(kind, **arguments):
    return bnjit.fit(GRAPHS[kind], TABLES[kind](), **arguments)


@given(table=tables(min_rows=6), data=st.data())
def test_parameters_against_loops(table, data):
    names = list(table)
    order = data.draw(st.permutations(sorted(names, key=lambda n: not naive.is_discrete(table[n]))))
    order = sorted(order, key=lambda n: not naive.is_discrete(table[n]))
    arcs = [
        (a, b) for i, b in enumerate(order) for a in order[:i]
        if data.draw(st.booleans()) and not (naive.is_discrete(table[b]) and not naive.is_discrete(table[a]))
    ]  # fmt: skip
    network = bnjit.fit(arcs, to_table(table))
    rows = range(naive.rows_of(table))
    for name in names:
        parents = sorted((a for a, b in arcs if b == name), key=names.index)
        discrete, continuous = naive.split_parents(table, parents)
        found = network.parameters(name)
        shown = {tuple(row[: len(discrete)]): row[len(discrete) :] for row in found.itertuples(index=False)}
        for key in {naive.configuration(table, discrete, r) for r in rows}:
            members = [r for r in rows if naive.configuration(table, discrete, r) == key]
            if naive.is_discrete(table[name]):
                share = [sum(table[name][0][r] == k for r in members) / len(members) for k in range(table[name][1])]
                assert shown[key] == pytest.approx(share, rel=1e-12)
                continue
            degrees = len(members) - len(continuous) - 1
            a, b, rss = naive.regression(
                [table[name][r] for r in members], [[table[c][r] for r in members] for c in continuous], bool(discrete)
            )
            if degrees <= 0 or math.sqrt(rss / degrees) < naive.TOL:
                assert key not in shown  # too few rows: marked, not invented
            else:
                assert shown[key][-1] == pytest.approx(math.sqrt(rss / degrees), rel=1e-7, abs=1e-9)
                fitted = [a + sum(s * table[c][r] for s, c in zip(b, continuous, strict=True)) for r in members]
                ours = [
                    shown[key][0] + sum(s * table[c][r] for s, c in zip(shown[key][1:-1], continuous, strict=True))
                    for r in members
                ]
                assert ours == pytest.approx(fitted, rel=1e-7, abs=1e-6)
        assert len(shown) <= len({naive.configuration(table, discrete, r) for r in rows})


@pytest.mark.parametrize("kind", TABLES)
def test_likelihood_is_the_score(kind):
    table = TABLES[kind]()
    network = network_of(kind)
    rows = network.log_likelihood(table, by_row=True)
    assert rows.shape == (len(table),)
    assert network.log_likelihood(table) == pytest.approx(rows.sum(), rel=1e-14)
    assert rows.sum() == pytest.approx(bnjit.score(GRAPHS[kind], table, score="loglik"), rel=1e-9)


@pytest.mark.parametrize("kind", TABLES)
def test_fit_after_learning_reads_no_row(kind, monkeypatch):
    table = TABLES[kind]()
    result = bnjit.learn(table)
    expected = bnjit.fit(result, table)
    monkeypatch.setattr(MemoryReader, "read", lambda *_: pytest.fail("read the rows again"))
    network = result.fit()
    for name in table:
        pd.testing.assert_frame_equal(network.parameters(name), expected.parameters(name), rtol=1e-9)
    assert set(network.dag.edges) == set(result.dag.edges)


def test_smoothing():
    table = TABLES["discrete"]()
    plain, smooth = network_of("discrete"), network_of("discrete", prior_rows=10.0)
    counts = table.groupby(["A", "C", "D"], observed=False).size().unstack()
    expected = (counts + 10 / (5 * 6)).div((counts + 10 / (5 * 6)).sum(axis=1), axis=0)
    np.testing.assert_allclose(smooth.parameters("D").iloc[:, 2:], expected.to_numpy(), rtol=1e-12)
    assert (plain.parameters("D")["P(t)"] == 0).all()
    assert (smooth.parameters("D")["P(t)"] > 0).all()
    mixed, shrunken = network_of("cgaussian"), network_of("cgaussian", prior_rows=1e9)
    overall = bnjit.fit("[A][C][B][D][X][W][Y|X][Z]", TABLES["cgaussian"]()).parameters("Y")
    rows = shrunken.parameters("Y")
    assert len(rows) == len(mixed.parameters("Y"))
    np.testing.assert_allclose(rows["X"], overall["X"][0], rtol=1e-4)
    gentle = network_of("cgaussian", prior_rows=1e-9)
    pd.testing.assert_frame_equal(gentle.parameters("Y"), mixed.parameters("Y"), rtol=1e-6)
    with pytest.raises(bnjit.ArgumentError, match="prior_rows=-1 must be"):
        network_of("discrete", prior_rows=-1)


@pytest.mark.parametrize("kind", TABLES)
def test_a_large_sample_gives_the_parameters_back(kind):
    network = network_of(kind)
    sample = network.sample(400_000, seed=5)
    assert list(sample) == list(network.names)
    again = bnjit.fit(GRAPHS[kind], sample)
    for name in network.names:
        ours, theirs = again.parameters(name), network.parameters(name)
        numbers = [c for c in theirs if pd.api.types.is_numeric_dtype(theirs[c])]
        labels = [c for c in theirs if c not in numbers]
        if labels:
            ours, theirs = ours.set_index(labels), theirs.set_index(labels)
            theirs = theirs.loc[ours.index]
        if kind == "gaussian":  # an intercept far from the data is uncertain; what it is for is the mean
            numbers.remove("intercept")
            assert sample[name].mean() == pytest.approx(
                joint_normal(network)[0][network.index(name)], rel=0.01, abs=0.05
            )
        for column in numbers:
            spread = max(1.0, float(np.abs(theirs[column]).max()))
            np.testing.assert_allclose(ours[column], theirs[column], atol=0.05 * spread)


def test_samples_of_a_seed_stay_what_they_are():
    sample = bnjit.datasets.small_discrete().sample(2000, seed=3)
    assert ["".join(sample[name][-12:]) for name in sample] == RECORDED
    many = bnjit.datasets.small_discrete().sample(100_000, seed=3)  # drawn by several threads
    pd.testing.assert_frame_equal(many[:2000], sample)


def test_sampling_is_the_same_for_any_threads_and_blocks(tmp_path):
    network = network_of("cgaussian")
    whole = network.sample(10_000, seed=3)
    with threads(1):
        pd.testing.assert_frame_equal(network.sample(10_000, seed=3), whole)
    pd.testing.assert_frame_equal(network.sample(700, seed=3), whole[:700])
    pd.testing.assert_frame_equal(sample_frame(network, 10_000, seed=3, at_once=999), whole)
    sample_parquet(network, tmp_path / "s.parquet", 10_000, seed=3, progress=False, at_once=999)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "s.parquet"), whole, check_categorical=False)
    assert not network.sample(100, seed=4).equals(network.sample(100, seed=5))
    assert network.sample(100).equals(network.sample(100))
    assert len(network.sample(0)) == 0
    with pytest.raises(bnjit.ArgumentError, match="n=-1 must be"):
        network.sample(-1)


def test_random_numbers():
    u = np.array([sampling.uniform(np.uint64(7), r) for r in range(20_000)])
    assert 0 < u.min() < 1e-3
    assert 1 - 1e-3 < u.max() < 1
    assert abs(u.mean() - 0.5) < 0.01
    assert abs(np.corrcoef(u[1:], u[:-1])[0, 1]) < 0.02
    # Quantiles of the normal distribution, from tables with many digits.
    known = {0.5: 0.0, 0.975: 1.959963984540054, 0.999: 3.090232306167813, 1e-10: -6.361340902404056}
    for p, z in known.items():
        assert sampling.normal_quantile(p) == pytest.approx(z, rel=1e-14, abs=1e-15)
        assert sampling.normal_quantile.py_func(p) == sampling.normal_quantile(p)
    for z in np.linspace(0, 12, 29):
        assert sampling.normal_quantile(0.5 * math.erfc(z / math.sqrt(2))) == pytest.approx(-z, rel=1e-13, abs=1e-15)


def test_configurations_without_parameters_use_the_fallback():
    table = pd.DataFrame({"a": pd.Categorical(list("xxxxyyyyz"), categories=list("xyzw")), "b": np.arange(9.0) ** 1.1})
    network = bnjit.fit([("a", "b")], table)
    assert network.parameters("b")["a"].tolist() == ["x", "y"]  # one row of z, none of w
    overall = network.predict(pd.DataFrame({"a": ["z", "w"]}), "b", from_="parents")
    assert overall.tolist() == pytest.approx([table["b"].mean()] * 2)
    assert np.isfinite(network.log_likelihood(table))
    sample = network.sample(2000, seed=1)
    assert sample["b"][sample["a"] == "z"].std() == pytest.approx(table["b"].std(), rel=0.3)


def test_to_networkx():
    network = network_of("cgaussian")
    graph = network.to_networkx()
    assert set(graph.edges) == set(network.dag.edges)
    assert graph.nodes["A"]["levels"] == ["no", "yes"]
    assert graph.nodes["X"]["kind"] == "continuous"
    pd.testing.assert_frame_equal(graph.nodes["Y"]["parameters"], network.parameters("Y"))


def test_mehra_loads_samples_and_is_learned(shared):
    network = bnjit.read_network(shared / "data" / "mehra-complete.rda")
    arcs = pd.read_csv(shared / "data" / "mehra-arcs.csv")
    assert set(network.dag.edges) == set(arcs.itertuples(index=False, name=None))
    assert [network.levels[network.index(n)] for n in ("Region", "Zone", "Type", "Year")] == [9, 31, 6, 20]
    sample = network.sample(60_000, seed=1)
    from tests.reference.mehra import read_mehra

    raw = read_mehra(shared / "data" / "mehra-complete.rda")
    # t2m given Year, Month, Hour: residuals are standard normal under the file's own coefficients.
    node = raw["t2m"]
    coefficients, sd = np.asarray(node["coefficients"]), np.asarray(node["sd"])
    year, month, hour = (sample[name].cat.codes.astype(int) for name in ("Year", "Month", "Hour"))
    cell = year + 20 * (month + 12 * hour)  # the first parent fastest, as R stores it
    mean = coefficients[0, cell] + coefficients[1, cell] * sample["Latitude"] + coefficients[2, cell] * sample["wd"]
    residuals = (sample["t2m"] - mean) / sd[cell]
    assert abs(residuals.mean()) < 0.02
    assert abs(residuals.std() - 1) < 0.02
    for quantile, expected in ((0.025, -1.96), (0.16, -0.994), (0.975, 1.96)):
        assert residuals.quantile(quantile) == pytest.approx(expected, abs=0.04)
    frequencies = sample["Zone"].value_counts(normalize=True, sort=False)
    np.testing.assert_allclose(frequencies, np.asarray(raw["Zone"]["prob"]), atol=0.005)
    assert bnjit.learn(sample, max_parents=2).dag.number_of_edges() > 10


def test_numbers_as_arguments():
    network = network_of("cgaussian")
    assert network.sample(np.int32(3), seed=np.int64(5)).equals(network.sample(3, seed=5))
    table = TABLES["cgaussian"]()[["X"]][:3]
    with pytest.raises(bnjit.ArgumentError, match="n=None must be a whole number"):
        network.sample(None)
    with pytest.raises(bnjit.ArgumentError, match=r"seed=1\.5 must be a whole number"):
        network.predict(table, "A", from_="all", seed=1.5)
    smooth = network_of("discrete", prior_rows=6).parameters("D")
    for same in (np.int64(6), np.float32(6)):
        assert network_of("discrete", prior_rows=same).parameters("D").equals(smooth)
    table = TABLES["cgaussian"]()
    assert bnjit.score(GRAPHS["cgaussian"], table, "pred", seed=np.int64(5)) == bnjit.score(
        GRAPHS["cgaussian"], table, "pred", seed=5
    )


def test_numbers_as_levels_in_a_parquet_file(tmp_path):
    table = {"d": [1, 2, 10, 2, 1], "f": [0.5, 1.5, 0.5, 0.5, 1.5], "b": [True, False, True, True, False]}
    network = bnjit.fit("[d][f|d][b|f]", table, discrete=["d", "f"])
    network.sample_to(tmp_path / "s.parquet", 200, seed=1)
    again = bnjit.fit("[d][f|d][b|f]", tmp_path / "s.parquet")
    assert again.labels == (("1", "2", "10"), ("0.5", "1.5"), (False, True))
    sample = network.sample(200, seed=1)
    assert network.log_likelihood(tmp_path / "s.parquet") == network.log_likelihood(sample)
    network.sample_to(tmp_path / "none.parquet", 0)
    assert pd.read_parquet(tmp_path / "none.parquet").shape == (0, 3)


def test_notebooks_show_a_drawing_and_what_nodes_depend_on():
    html = network_of("cgaussian")._repr_html_()
    assert "8 nodes (4 discrete, 4 continuous), 10 arcs" in html
    assert html.count("<tr>") == 9
    assert "<th style='text-align:left'>Z</th><td style='text-align:left'>continuous</td>" in html
    assert "<td style='text-align:left'>A, X, Y</td>" in html
    assert "<svg" in html
    large = bnjit.datasets.random_network("gaussian", 21, parents=1.0)._repr_html_()
    assert "<table>" not in large
    assert "<svg" in large
