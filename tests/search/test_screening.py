"""What is not scored could not have improved a score, and leaving it out changes nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.graph.bits import bits_of
from bnjit.scores import make_scorer
from bnjit.search.score_memo import ScoreMemo
from bnjit.search.screening import Screen
from tests.strategies import to_table


def wide_table(rng, n, columns, dependent):
    """Columns with many levels and few rows, so that penalties weigh."""
    table = {}
    for j in range(columns):
        levels = int(rng.integers(1, 9))
        codes = rng.integers(0, levels, n)
        if dependent and j:
            codes = np.where(rng.random(n) < 0.8, table[f"D{j - 1}"][0], codes) % levels
        table[f"D{j}"] = (codes.tolist(), levels)
    return table


@given(
    seed=st.integers(0, 10**6), n=st.sampled_from([3, 40, 400]), dependent=st.booleans(),
    score=st.sampled_from(["loglik", "aic", "bic", "ebic"]),
)  # fmt: skip
@settings(max_examples=60)
def test_bounds_hold(seed, n, score, dependent):
    rng = np.random.default_rng(seed)
    memo = ScoreMemo(make_scorer(to_table(wide_table(rng, n, 6, dependent)), score))
    screen = Screen(memo, 1e-8)
    for _ in range(10):
        node, *parents = rng.permutation(6)[: int(rng.integers(1, 5))].tolist()
        which = [x for x in range(6) if x != node and x not in parents]
        base, *others = memo.get([(node, bits_of([*parents, *more])) for more in ([], *([x] for x in which))])
        worth = screen.may_improve(node, bits_of(parents), float(base), which)
        assert worth[np.array(others) - base > 1e-8].all()


@pytest.mark.parametrize("algorithm", ["ges", "boss"])
@pytest.mark.parametrize("kind", ["discrete", "cgaussian"])
def test_searches_find_the_same_without(kind, algorithm, monkeypatch):
    saved = 0
    for seed in range(4):
        table = bnjit.datasets.random_network(kind, 9, parents=1.5, seed=seed).sample(300, seed=1)
        found = bnjit.learn(table, algorithm=algorithm)
        with monkeypatch.context() as patch:
            patch.setattr(Screen, "may_improve", lambda self, node, parents, score, which: np.ones(len(which), bool))
            expected = bnjit.learn(table, algorithm=algorithm)
        same = [result.trace.drop(columns="seconds") for result in (found, expected)]
        pd.testing.assert_frame_equal(*same, check_exact=True)
        assert list(found.dag.edges) == list(expected.dag.edges)
        saved += expected.n_local_scores - found.n_local_scores
    assert saved > 0 or kind == "cgaussian"
