"""Scores from available rows: plain loops, bnlearn's recorded values, complete tables, every source."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.data.observed import ObservedRows
from bnjit.scores import make_scorer
from bnjit.scores.tuning import READ_TOGETHER
from bnjit.stats.cells import table_bytes
from bnjit.stats.opening import read_rows
from bnjit.stats.parent_sets import make_batch
from bnjit.stats.readers.chunked import ChunkedReader
from bnjit.stats.tuning import CHUNKED_CELLS_PART
from tests.golden.gaps import OUT, PENALTIES, make_gaps
from tests.golden.tables import GRAPHS, TABLES
from tests.reference.naive import scores as naive

RECORDED = json.loads(OUT.read_text(encoding="utf-8"))


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("kind", TABLES)
def test_scores_are_those_of_bnlearn(kind, penalty):
    table = make_gaps(TABLES[kind]())
    for name, arcs in GRAPHS[kind].items():
        scores = bnjit.score(arcs, table, missing=bnjit.Available(penalty=penalty), by_node=True)
        np.testing.assert_allclose(scores, RECORDED[kind][name][str(penalty)], rtol=1e-10)


def columns_of(table, names):
    """Rows that have all of some columns, as the plain definitions take them."""
    rows = table[names].dropna()
    return {
        name: (column.cat.codes.tolist(), len(column.cat.categories))
        if isinstance(column.dtype, pd.CategoricalDtype)
        else column.tolist()
        for name, column in rows.items()
    }


@pytest.mark.parametrize("kind", TABLES)
def test_a_local_score_is_an_average_over_the_rows_that_have_the_family(kind):
    table = make_gaps(TABLES[kind](), share=0.3, whole=2)
    arcs = GRAPHS[kind]["some"]
    scores = bnjit.score(arcs, table, "loglik", missing="available", by_node=True)
    n = len(table)
    for node in table.columns:
        parents = [a for a, b in arcs if b == node]
        rows = table[[node, *parents]].dropna()
        alone = bnjit.score([(p, node) for p in parents], rows, "loglik", by_node=True)[node]
        assert scores[node] == pytest.approx(n / len(rows) * alone, rel=1e-10)


def test_plain_loops_agree_on_a_mixed_node():
    table = make_gaps(TABLES["cgaussian"](), share=0.2)
    names = ["Y", "A", "X", "B"]
    rows = columns_of(table, names)
    own = naive.loglik(rows, "Y", ["A", "X", "B"])
    score = bnjit.score([("A", "Y"), ("X", "Y"), ("B", "Y")], table, "loglik", missing="available", by_node=True)["Y"]
    assert score == pytest.approx(len(table) / len(rows["Y"]) * own, rel=1e-9)


@pytest.mark.parametrize("kind", TABLES)
def test_a_complete_table_gives_what_it_gave(kind):
    table = TABLES[kind]()
    plain, available = (bnjit.learn(table, missing=rule) for rule in ("error", "available"))
    assert plain.score == available.score
    assert list(plain.dag.edges) == list(available.dag.edges)
    n = len(table)
    same = bnjit.score(plain.dag, table, missing=bnjit.Available(penalty=math.log(n) / (2 * n)))
    assert same == pytest.approx(plain.score, rel=1e-12)


def test_a_parent_with_gaps_costs_what_other_rows_may_gain():
    table = make_gaps(TABLES["gaussian"](), share=0.2, whole=1)
    n, N = table.shape
    free, priced = (
        bnjit.score([("B", "A"), ("C", "A")], table, missing=rule, by_node=True)["A"]
        for rule in (bnjit.Available(penalty=math.log(n) / (2 * n)), "available")
    )
    shares = table[["B", "C"]].isna().mean()
    rows = len(table[["A", "B", "C"]].dropna())
    price = n * sum(math.sqrt(2 * math.log(N) * s / ((1 - s) * rows)) for s in shares)
    assert free - priced == pytest.approx(price, rel=1e-9)


def test_held_out_rows_are_scored_from_those_that_have_the_family():
    table = make_gaps(TABLES["cgaussian"](), share=0.2)
    first, second = table.iloc[:2000], table.iloc[2000:]
    arcs = [("A", "X"), ("X", "Z")]
    test = bnjit.learn(table, "pred", missing="available", seed=3)
    assert math.isfinite(test.score)
    got = bnjit.score(arcs, first, bnjit.HeldOut(test=second), missing="available", by_node=True)["Z"]
    train, held = first[["X", "Z"]].dropna(), second[["X", "Z"]].dropna()
    alone = bnjit.score([("X", "Z")], train, bnjit.HeldOut(test=held), by_node=True)["Z"]
    assert got == pytest.approx(len(second) / len(held) * alone, rel=1e-10)


def test_a_family_without_any_row_is_impossible():
    table = {"x": [1.0, 2.0, 3.0, None, None, None], "y": [None, None, None, 1.0, 2.0, 4.0], "z": [1.0, 3, 2, 5, 4, 6]}
    with pytest.warns(bnjit.BnjitWarning):
        scores = bnjit.score([("x", "y")], table, missing="available", by_node=True)
    assert scores["y"] == -math.inf
    assert math.isfinite(scores["x"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score": "bde"}, "bde.*cannot be had from available rows"),
        ({"score": "qnml"}, "qnml.*cannot be had from available rows"),
        ({"score": "fnml"}, "fnml.*cannot be had from available rows"),
        ({"score": "cv"}, "cv.*cannot be had from available rows"),
        ({"score": "aic", "missing": bnjit.Available(penalty=0.1)}, "brings its own"),
        ({"estimator": "qr"}, "needs complete rows"),
        ({"score": bnjit.BIC(sparse="pool")}, "does not go with"),
        ({"algorithm": "ges"}, "equal for equivalent graphs"),
    ],
)
def test_what_cannot_be_combined_says_so(arguments, message):
    table = make_gaps(TABLES["discrete"]())
    with pytest.raises(bnjit.ArgumentError, match=message):
        bnjit.learn(table, **({"missing": "available"} | arguments))


def test_parent_sets_that_observe_different_columns_share_a_table(monkeypatch):
    """Rows are read once for all candidates of a continuous node with the same discrete parents."""
    from bnjit.stats.readers.memory import MemoryReader

    rng = np.random.default_rng(5)
    table = TABLES["cgaussian"]()
    X = pd.DataFrame({f"X{i}": rng.normal(size=len(table)) for i in range(4)})
    table = pd.concat([table[["A"]], X.mask(rng.random(X.shape) < 0.2)], axis=1)
    tables = []
    read = MemoryReader.read

    def watched(self, plans):
        tables.extend(table for _, plan in plans for table in plan.tables.items())
        return read(self, plans)

    monkeypatch.setattr(MemoryReader, "read", watched)
    made = make_scorer(read_table(table, gaps="keep"), "loglik", missing="available")
    sets = [(0,), (0, 1), (0, 3), (0, 4), (0, 1, 3), (0, 1, 3, 4)]
    scores = made.local_scores(make_batch([(2, parents) for parents in sets]))
    assert [columns for variables, columns in tables if 0 in variables] == [(1, 2, 3, 4)]
    for parents, score in zip(sets, scores, strict=True):
        arcs = [(table.columns[p], "X1") for p in parents]
        alone = make_scorer(read_table(table, gaps="keep"), "loglik", missing="available")
        assert score == pytest.approx(alone.local_scores(make_batch([(2, parents)]))[0], rel=1e-12)
        rows = table[["X1", *(a for a, _ in arcs)]].dropna()
        own = bnjit.score(arcs, rows, "loglik", by_node=True)["X1"] * len(table) / len(rows)
        assert score + made.shifts[2] == pytest.approx(own, rel=1e-10)


def test_out_of_core_only_so_much_is_read_together_as_fits(tmp_path, monkeypatch):
    """Parent sets that observe different columns share a pass while their tables fit in memory."""
    rng = np.random.default_rng(8)
    n = 4000
    X = pd.DataFrame({f"X{i}": rng.normal(size=n) for i in range(8)})
    table = pd.concat([pd.DataFrame({c: rng.integers(0, 8, n).astype(str) for c in "AB"}), X], axis=1)
    table[X.columns] = X.mask(rng.random(X.shape) < 0.2)
    table.to_parquet(tmp_path / "rows.parquet")
    sets = [(0, 1), *((0, 1, k) for k in range(3, 10))]
    batch = make_batch([(2, parents) for parents in sets])
    passes: list[list[int]] = []
    read = ChunkedReader.read

    def watched(self, plans):
        passes.append([table_bytes(len(plan.keys[v]), len(c)) for _, plan in plans for v, c in plan.tables.items()])
        return read(self, plans)

    monkeypatch.setattr(ChunkedReader, "read", watched)
    expected = make_scorer(read_table(table, gaps="keep"), "loglik", missing="available").local_scores(batch)
    made = {}
    for memory in (1_000_000, 3_000_000):
        rows = read_rows(tmp_path / "rows.parquet", (), None, memory, True, gaps="keep")
        scorer = make_scorer(rows, "loglik", missing="available", max_memory=memory)
        passes.clear()
        np.testing.assert_allclose(scorer.local_scores(batch), expected, rtol=1e-9)
        made[memory] = [sizes for sizes in passes if sizes]
        assert all(sum(sizes) <= READ_TOGETHER * memory / CHUNKED_CELLS_PART for sizes in made[memory])
    assert [len(sizes) for sizes in made[1_000_000]] == [5, 3]
    assert made[3_000_000] == [[size for sizes in made[1_000_000] for size in sizes]]


def test_out_of_core_tables_of_all_rows_that_observe_something_are_divided(tmp_path, monkeypatch):
    """Without discrete parents there is a table of one cell for each choice of columns: no more than memory holds."""
    rng = np.random.default_rng(9)
    table = pd.DataFrame(rng.normal(size=(2000, 14)), columns=[f"X{i:02}" for i in range(14)])
    table = table.mask(rng.random(table.shape) < 0.1)
    table["A"] = rng.integers(0, 3, 2000).astype(str)
    table.to_parquet(tmp_path / "rows.parquet")
    sets = [parents for k in range(3, 14) for parents in [(k,), (k, 14), (1, 2, k), (k - 1, k)]]
    batch = make_batch([(0, parents) for parents in sets])
    made: list[int] = []
    read = ChunkedReader.read

    def watched(self, plans):
        found = read(self, plans)
        made.append(sum(cells.nbytes for findings in found for cells in findings.tables.values()))
        return found

    monkeypatch.setattr(ChunkedReader, "read", watched)
    expected = make_scorer(read_table(table, gaps="keep"), "loglik", missing="available").local_scores(batch)
    rows = read_rows(tmp_path / "rows.parquet", (), None, 1_000_000, True, gaps="keep")
    scorer = make_scorer(rows, "loglik", missing="available", max_memory=1_000_000)
    made.clear()
    np.testing.assert_allclose(scorer.local_scores(batch), expected, rtol=1e-9)
    assert 0 < max(made) <= 1_000_000 / CHUNKED_CELLS_PART
    assert sum(made) > 1_000_000 / CHUNKED_CELLS_PART


def test_out_of_core_a_large_table_is_made_of_the_rows_that_observe_its_columns(tmp_path, monkeypatch):
    """The table of all rows, which have more cells, would take more than memory holds."""
    rng = np.random.default_rng(10)
    n = 30_000
    table = pd.DataFrame({c: rng.integers(0, 9, n).astype(str) for c in "ABC"})
    for i, scale in enumerate((1.0, 1e7, 1e-5, 30.0)):
        table[f"X{i}"] = scale * rng.normal(size=n) + scale * table["A"].astype(int)
    holes = rng.random((n, 7)) < 0.2
    holes[:, [0, 4]] = False
    table = table.mask(holes)
    table.to_parquet(tmp_path / "rows.parquet", row_group_size=8000)
    pairs = [(3, (0, 1)), (3, (0, 1, 2, 5, 6)), (5, (0, 1, 2)), (5, (1, 3, 4)), (6, (0, 2, 5))]
    batch = make_batch(pairs)
    made: list[tuple[tuple[int, ...], int]] = []
    read = ChunkedReader.read

    def watched(self, plans):
        found = read(self, plans)
        of_rows = [isinstance(reader.source, ObservedRows) for reader, _ in plans]
        sizes = [sum(cells.nbytes for cells in findings.tables.values()) for findings in found]
        made.extend(zip(of_rows, sizes, strict=True))
        return found

    monkeypatch.setattr(ChunkedReader, "read", watched)
    expected = make_scorer(read_table(table, gaps="keep"), "loglik", missing="available").local_scores(batch)
    for memory in (1_000_000, 100_000_000):
        rows = read_rows(tmp_path / "rows.parquet", (), None, memory, True, gaps="keep")
        scorer = make_scorer(rows, "loglik", missing="available", max_memory=memory)
        made.clear()
        np.testing.assert_allclose(scorer.local_scores(batch), expected, rtol=1e-9)
        assert any(of_rows and size for of_rows, size in made) == (memory == 1_000_000)
        assert all(of_rows or size <= memory / CHUNKED_CELLS_PART for of_rows, size in made)


def test_out_of_core_a_wide_table_is_not_read_for_each_choice_of_columns(tmp_path):
    """There are more pairs and triples of 48 columns with gaps than a thousand."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(1500, 48))
    X[:, 1:] += 0.5 * X[:, :-1]
    table = pd.DataFrame(X, columns=[f"X{i:02}" for i in range(48)]).mask(rng.random(X.shape) < 0.1)
    table.to_parquet(tmp_path / "rows.parquet")
    options = {"missing": "available", "max_iter": 2, "progress": False}
    result = bnjit.learn(tmp_path / "rows.parquet", max_memory="500MB", out_of_core=True, **options)
    expected = bnjit.learn(table, **options)
    assert result.passes < 50
    assert result.score == pytest.approx(expected.score, rel=1e-9)
    assert sorted(result.dag.edges) == sorted(expected.dag.edges)


def test_out_of_core_large_tables_are_read_together_only_as_they_fit(tmp_path, monkeypatch):
    """Each choice of columns has a store, but the memory is that of the one below."""
    rng = np.random.default_rng(13)
    n = 20_000
    table = pd.DataFrame({c: rng.integers(0, 20, n).astype(str) for c in "AB"})
    X = pd.DataFrame({f"X{i}": rng.normal(size=n) for i in range(9)})
    table[X.columns] = X.mask(rng.random(X.shape) < [0.0] + 8 * [0.1])
    table.to_parquet(tmp_path / "rows.parquet", row_group_size=5000)
    memory = 2_000_000
    sets = [(0, 1, *some) for some in itertools.combinations(range(3, 11), 3)]
    batch = make_batch([(2, parents) for parents in sets])
    made: list[int] = []
    read = ChunkedReader.read

    def watched(self, plans):
        found = read(self, plans)
        tables = [cells.nbytes for findings in found for cells in findings.tables.values()]
        if tables and all(isinstance(reader.source, ObservedRows) for reader, _ in plans):
            made.append(sum(tables))
        return found

    monkeypatch.setattr(ChunkedReader, "read", watched)
    expected = make_scorer(read_table(table, gaps="keep"), "loglik", missing="available").local_scores(batch)
    rows = read_rows(tmp_path / "rows.parquet", (), None, memory, True, gaps="keep")
    scorer = make_scorer(rows, "loglik", missing="available", max_memory=memory)
    np.testing.assert_allclose(scorer.local_scores(batch), expected, rtol=1e-9)
    most = READ_TOGETHER * memory / CHUNKED_CELLS_PART
    assert len(made) > 1
    assert max(made) <= most
