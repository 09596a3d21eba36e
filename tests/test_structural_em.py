"""Structural EM: the same network from every source and any threads, better than dropped rows, and refusals."""

import copy
import itertools
import math
import pickle
import time

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit import datasets
from bnjit.data import read_table
from bnjit.scores import make_scorer
from bnjit.stats.parent_sets import make_batch
from bnjit.structural_em import fill_rows
from tests.golden.gaps import make_gaps
from tests.golden.tables import TABLES


def by_rank(table, share, seed):
    """Leave out values of two columns of three, the more the larger the third is."""
    rng, out = np.random.default_rng(seed), table.copy()
    for i, name in enumerate(table.columns):
        if i % 3:
            rank = table[table.columns[i - i % 3]].rank(pct=True)
            out[name] = out[name].mask(rng.random(len(table)) < 2 * share * rank)
    return out


@pytest.mark.parametrize("rule", ["available", "em"])
@pytest.mark.parametrize("kind", TABLES)
def test_every_source_and_any_threads_give_the_same_network(kind, rule, tmp_path):
    table = make_gaps(TABLES[kind]().iloc[:1200])
    table.to_parquet(tmp_path / "table.parquet", row_group_size=500)
    batches = pa.Table.from_pandas(table, preserve_index=False).to_batches(max_chunksize=300)
    results = [
        bnjit.learn(table, missing=rule),
        bnjit.learn(table, missing=rule, n_threads=1),
        bnjit.learn(tmp_path / "table.parquet", missing=rule, out_of_core=True),
        bnjit.learn(lambda: batches, missing=rule),
        bnjit.learn(dd.from_pandas(table, npartitions=3), missing=rule),
    ]
    assert results[0].score == results[1].score
    for other in results[1:]:
        assert list(other.dag.edges) == list(results[0].dag.edges)
        assert other.score == pytest.approx(results[0].score, rel=1e-9)


def test_gaps_that_depend_on_what_is_observed_do_not_mislead():
    found = {"error": [], "available": [], "em": []}
    for seed in range(3):
        network = datasets.random_network("gaussian", 9, parents=1.5, seed=40 + seed)
        table = network.sample(20_000, seed=seed)
        gaps = by_rank(table, 0.3, seed)
        for rule, shds in found.items():
            result = bnjit.learn(table if rule == "error" else gaps, algorithm="boss", missing=rule)
            shds.append(bnjit.shd(result.dag, network.dag))
    assert np.mean(found["em"]) <= np.mean(found["error"]) + 1.0
    assert np.mean(found["em"]) < np.mean(found["available"]) / 2


def test_parameters_of_a_graph_are_fitted_by_em():
    network = datasets.random_network("gaussian", 6, parents=1.5, seed=3)
    table = network.sample(20_000, seed=1)
    gaps = by_rank(table, 0.3, 1)
    complete, em = bnjit.fit(network.dag, table), bnjit.fit(network.dag, gaps, missing="em")
    for one, other in zip(complete.nodes, em.nodes, strict=True):
        np.testing.assert_allclose(other.coefficients, one.coefficients, atol=0.06)
        np.testing.assert_allclose(other.sd, one.sd, rtol=0.03)


@pytest.mark.parametrize("rule", ["available", "em"])
def test_frequencies_are_fitted_from_what_is_there(rule):
    network = datasets.random_network("discrete", 5, parents=1.0, seed=5)
    table = network.sample(20_000, seed=2)
    fitted = bnjit.fit(network.dag, make_gaps(table, 0.2), missing=rule)
    for one, other in zip(network.nodes, fitted.nodes, strict=True):
        assert one.keys.tolist() == other.keys.tolist()
        np.testing.assert_allclose(other.probabilities, one.probabilities, atol=0.05)


@pytest.mark.parametrize("kind", TABLES)
def test_what_was_observed_does_not_become_less_likely(kind):
    """From round to round, by more than draws of this many rows may err."""
    network = datasets.random_network(kind, 5, parents=1.5, seed=8)
    gaps = make_gaps(network.sample(4000, seed=3), 0.2)
    begun = bnjit.fit(network.dag, gaps, missing="available").log_likelihood(gaps)
    found = [bnjit.fit(network.dag, gaps, missing=bnjit.EM(rounds)).log_likelihood(gaps) for rounds in (1, 3, 9)]
    parameters = 60
    for before, after in itertools.pairwise([begun, *found]):
        assert after > before - parameters / 2
    assert max(found) > network.log_likelihood(gaps)  # as the fit to so many rows must


def test_filling_changes_gaps_alone():
    table = make_gaps(TABLES["cgaussian"]())
    result = bnjit.learn(table, missing="available")
    from bnjit.data.read import read_table

    filled = fill_rows(read_table(table, gaps="keep"), result.fit(), 2, seed=5)
    assert filled.names == tuple(table.columns)
    for name, column in zip(filled.names, filled.columns, strict=True):
        there = table[name].notna().to_numpy()
        given = table[name].cat.codes if column.labels is not None else table[name]
        np.testing.assert_array_equal(column.values[there], given.to_numpy()[there])
        assert np.isfinite(column.values).all()
        assert column.labels is None or column.values.max() < len(column.labels)


@pytest.mark.parametrize("rule", ["available", "em"])
def test_a_result_of_gaps_is_a_value(rule, tmp_path):
    result = bnjit.learn(make_gaps(TABLES["cgaussian"]()), missing=rule)
    assert result.arguments["missing"] == rule
    result.save(tmp_path / "result.npz")
    for again in (
        bnjit.load_result(tmp_path / "result.npz"),
        pickle.loads(pickle.dumps(result)),
        copy.deepcopy(result),
    ):
        assert again.score == result.score
        pd.testing.assert_frame_equal(again.fit().parameters("Y"), result.fit().parameters("Y"))


def test_replicates_with_gaps_are_the_same_in_memory_and_in_chunks(tmp_path):
    table = make_gaps(TABLES["cgaussian"]().iloc[:800])
    table.to_parquet(tmp_path / "table.parquet")
    here = bnjit.arc_strength(table, replicates=3, missing="available")
    chunks = bnjit.arc_strength(tmp_path / "table.parquet", replicates=3, missing="available", out_of_core=True)
    pd.testing.assert_frame_equal(here, chunks)


def test_too_few_rounds_are_told_of():
    network = datasets.random_network("discrete", 8, parents=2.0, seed=3)
    gaps = make_gaps(network.sample(400, seed=1), 0.4)
    with pytest.warns(bnjit.BnjitWarning, match="another network in each of its 2 rounds"):
        bnjit.learn(gaps, "aic", missing=bnjit.EM(iterations=2), seed=4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score": "bde"}, "goes with the scores"),
        ({"score": "qnml"}, "goes with the scores"),
        ({"estimator": "qr"}, "goes with the scores"),
        ({"checkpoint": "some.ckpt"}, "makes several"),
    ],
)
def test_what_em_cannot_be_combined_with_says_so(arguments, message):
    with pytest.raises(bnjit.ArgumentError, match=message):
        bnjit.learn(make_gaps(TABLES["discrete"]()), missing="em", **arguments)


def test_the_command_line_takes_the_rules(tmp_path, capsys):
    from bnjit.cli import main

    make_gaps(TABLES["gaussian"]()).to_csv(tmp_path / "table.csv", index=False)
    main(["learn", str(tmp_path / "table.csv"), "--missing", "em"])
    assert "bnjit.Result: 7 nodes" in capsys.readouterr().out


def test_ctrl_c_keeps_the_last_whole_network(monkeypatch):
    import bnjit.structural_em as module

    table = make_gaps(TABLES["cgaussian"]())
    whole = bnjit.learn(table, missing=bnjit.EM(iterations=1))
    fill = module.fill_rows

    def interrupted(*arguments):
        if arguments[-1] == 2:  # the second round
            raise KeyboardInterrupt
        return fill(*arguments)

    monkeypatch.setattr(module, "fill_rows", interrupted)
    result = bnjit.learn(table, missing="em")
    assert result.stopped_by == "Ctrl-C"
    assert list(result.dag.edges) == list(whole.dag.edges)
    assert result.score == whole.score
    result.fit()


def test_seconds_are_those_of_all_rounds():
    table = make_gaps(TABLES["discrete"]())
    began = time.perf_counter()
    result = bnjit.learn(table, missing=bnjit.EM(iterations=2))
    taken = time.perf_counter() - began
    assert result.trace["seconds"].iloc[-1] < result.seconds["search"] < taken


def test_sparse_configurations_may_share_a_regression():
    table = make_gaps(TABLES["cgaussian"]())
    pooled, plain = (bnjit.learn(table, bnjit.BIC(sparse=how), missing="em") for how in ("pool", "reject"))
    assert pooled.score >= plain.score


def test_prices_are_those_of_the_rows_that_data_are_worth():
    table = read_table(TABLES["cgaussian"]())
    batch = make_batch([(0, ()), (2, (0, 4)), (3, (0, 1))])
    n, worth = table.n, 0.4 * table.n
    for score, k, per_parent in (
        ("loglik", 0.0, 0.0), ("aic", 1.0, 0.0), ("bic", math.log(worth) / 2, 0.0),
        (bnjit.EBIC(gamma=0.5), math.log(worth) / 2, 2.0 * math.log(len(table.names))),
    ):  # fmt: skip
        free, priced = (make_scorer(table, one, worth=worth).local_scores(batch) for one in ("loglik", score))
        parameters = make_scorer(table, "loglik").local_scores(batch) - make_scorer(table, "aic").local_scores(batch)
        expected = (k * parameters + per_parent * np.array([0, 2, 2])) * n / worth
        np.testing.assert_allclose(free - priced, expected, rtol=1e-9)


def test_columns_that_are_never_there_together_are_worth_little():
    frame = pd.DataFrame({"a": ["u", "v"] * 20, "b": ["s", "s", "t", "t"] * 10})
    frame.iloc[:20, 0] = frame.iloc[20:, 1] = None
    result = bnjit.learn(frame, missing="em")
    assert not result.dag.edges
    assert not bnjit.learn(frame[["a"]], missing="em").dag.edges


def test_no_graph_is_scored_by_em():
    with pytest.raises(bnjit.ArgumentError, match=r'missing="em".* has no score of another one'):
        bnjit.score([], make_gaps(TABLES["gaussian"]()), missing="em")
    complete = TABLES["gaussian"]()
    assert bnjit.score([], complete, missing="em") == bnjit.score([], complete)
