"""Statistics of tables with gaps: merged, updated and saved, they are those of all rows."""

import numpy as np
import pandas as pd
import pytest

import bnjit
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
