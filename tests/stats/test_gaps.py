"""Statistics of tables with gaps: merged, updated and saved, they are those of all rows."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.data import Column, Table
from bnjit.data.read import read_table
from bnjit.stats import Request
from bnjit.stats.available import AvailableRows
from bnjit.stats.opening import make_store, read_rows
from bnjit.stats.readers.memory import memory_for
from tests.golden.gaps import make_gaps
from tests.golden.tables import GRAPHS, TABLES


@pytest.mark.parametrize("kind", TABLES)
def test_merged_statistics_are_those_of_all_rows(kind, tmp_path):
    table = make_gaps(TABLES[kind](), share=0.2, whole=1)
    parts = [table.iloc[:700].copy(), table.iloc[700:].copy()]
    parts[0].iloc[:, 2] = TABLES[kind]().iloc[:700, 2]  # without gaps there
    parts[1].iloc[:, 3] = TABLES[kind]().iloc[700:, 3]
    whole = pd.concat(parts)
    graph = GRAPHS[kind]["some"]
    collected = [bnjit.Statistics.collect(part, graph, missing="available") for part in parts]
    merged = collected[0].merge(collected[1])
    updated = collected[1].update(parts[0], missing="available")
    merged.save(tmp_path / "statistics.npz")
    expected = bnjit.score(graph, whole, missing="available", by_node=True)
    for statistics in (merged, updated, bnjit.Statistics.load(tmp_path / "statistics.npz")):
        scores = bnjit.score(graph, statistics, missing="available", by_node=True)
        np.testing.assert_allclose(scores, expected, rtol=1e-9)
        assert statistics.gaps.missing == tuple(whole.isna().sum())


def test_a_part_without_gaps_merges_with_one_that_has_some():
    complete = TABLES["gaussian"]()
    gaps = make_gaps(complete.iloc[500:], share=0.3)
    first = bnjit.Statistics.collect(complete.iloc[:500], missing="available")
    second = bnjit.Statistics.collect(gaps, missing="available")
    whole = pd.concat([complete.iloc[:500], gaps])
    for merged in (first.merge(second), second.merge(first)):
        for rule in ("available", "em"):
            one, other = bnjit.learn(merged, missing=rule), bnjit.learn(whole, missing=rule)
            assert sorted(one.dag.edges) == sorted(other.dag.edges)
            assert one.score == pytest.approx(other.score, rel=1e-8)


def test_statistics_with_gaps_need_a_rule():
    statistics = bnjit.Statistics.collect(make_gaps(TABLES["gaussian"]()), missing="available")
    with pytest.raises(bnjit.ArgumentError, match="of a table with gaps"):
        bnjit.learn(statistics)
    mixed = bnjit.Statistics.collect(make_gaps(TABLES["discrete"]()), missing="available")
    with pytest.raises(bnjit.ArgumentError, match="fills rows"):
        bnjit.learn(mixed, missing="em")


def test_stores_of_observed_rows_share_memory():
    table = read_table(make_gaps(TABLES["gaussian"](), share=0.2), gaps="keep")
    rows = AvailableRows(make_store(table))
    sets = [(0,), (1,), (0, 1), (1, 2), (0, 2)]
    rows.count_rows(sets)
    for some in sets:
        store = rows.store_of(some)
        assert store.get([Request((), store.schema.observed)])[0].counts[0] == store.n
        store.cache.keep(rows.base.get([Request(rows.marks_of(some))])[0])
    kept = sum(rows.store_of(some).cache.nbytes for some in sets)
    rows.count_rows(sets)
    assert sum(rows.store_of(some).cache.nbytes for some in sets) == kept > 0
    last = rows.store_of((0, 1)).cache.nbytes
    rows.base.memory = 2 * last
    rows.count_rows(sets)
    left = [some for some in sets if rows.store_of(some).cache.nbytes]
    assert left == [(0, 1)]  # which was asked for last


def test_memory_of_tables_with_gaps_is_less():
    values = np.zeros(8_000_000, np.float32)
    table = Table(["x", "y"], [Column(values, None), Column(values, None)])
    most = memory_for(table)
    table.is_filled = True
    assert memory_for(table) < most
    assert table.scaled(np.ones(2)).has_copies


@pytest.mark.parametrize("chunked", [False, True])
def test_columns_that_no_row_observes_together(tmp_path, chunked):
    """Nothing can be fitted or tested, which is said; a table of them has no cells."""
    rng = np.random.default_rng(12)
    n = 3000
    table = pd.DataFrame({c: rng.integers(0, 200, n).astype(str) for c in "AB"})
    first = rng.random(n) < 0.5
    table.loc[first, "A"] = None
    table.loc[~first, "B"] = None
    for i in range(6):
        table[f"X{i}"] = rng.normal(size=n)
    table.to_parquet(tmp_path / "rows.parquet")
    data, options = (tmp_path / "rows.parquet", {"out_of_core": True, "max_memory": "1MB"}) if chunked else (table, {})
    together = r"no row has values of all of '[AB]', '[AB]'"
    arcs = [("A", "X0"), ("B", "X0")]
    with pytest.raises(bnjit.DataError, match=together):
        bnjit.fit(arcs, data, missing="available", **options)
    with pytest.raises(bnjit.DataError, match=together):
        bnjit.independence("X0", "A", ["B"], data, missing="available", **options)
    assert bnjit.score(arcs, data, missing="available", **options) == -np.inf
    rows = read_rows(data, (), None, 1_000_000 if chunked else None, chunked or None, gaps="keep")
    store = AvailableRows(make_store(rows, 1_000_000)).store_of((0, 1))
    assert not len(store.get([Request((0, 1))])[0].keys)
    assert not len(store.get([Request((0, 1), (2, 3, 4, 5, 6, 7))])[0].keys)
