"""The one-standard-error rule, against fitting and comparing every fold by plain loops."""

import math

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.data.split import row_numbers
from bnjit.errors import BnjitError
from bnjit.search.prune import sureness_of
from tests.reference import naive
from tests.strategies import take_rows

K = 4


def frame_of(kind, seed):
    rows = {"discrete": 600, "gaussian": 300, "cgaussian": 500}[kind]
    return bnjit.datasets.random_network(kind, 5, parents=1.5, seed=seed).sample(rows, seed=seed)


def table_of(frame):
    """Columns as the naive definitions take them."""
    discrete = [name for name in frame if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    return {
        name: (frame[name].cat.codes.tolist(), len(frame[name].cat.categories))
        if name in discrete
        else frame[name].tolist()
        for name in frame
    }


def fold_scores(table, node, parents, seed):
    """Held-out score of each fold."""
    n = naive.rows_of(table)
    fold = [int(u * K) for u in row_numbers(n, seed)]
    scores = []
    for f in range(K):
        train, test = (take_rows(table, [r for r in range(n) if (fold[r] == f) == inside]) for inside in (False, True))
        scores.append(naive.predictive(train, test, node, parents, "pool"))
    return scores


def naive_pruned(table, dag, seed, fixed=()):
    """Arcs that are left when each node's parents go, the least sure first, that gain at most one standard error."""
    names, arcs = list(table), set(dag.edges)
    for node in names:
        while True:
            parents = [p for p in names if (p, node) in arcs]
            with_all = fold_scores(table, node, parents, seed)
            sure = []
            for p in parents:
                if (p, node) in fixed:
                    continue
                without = fold_scores(table, node, [q for q in parents if q != p], seed)
                gains = [a - b for a, b in zip(with_all, without, strict=True)]
                mean = sum(gains) / K
                error = math.sqrt(sum((g - mean) ** 2 for g in gains) / (K - 1) / K)
                sure.append((mean / error, p))
            if not sure or min(sure)[0] > 1:
                break
            arcs.remove((min(sure)[1], node))
    return arcs


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_pruned_as_by_loops(kind):
    pruned = 0
    for seed in range(3):
        frame = frame_of(kind, seed)
        scores = [bnjit.CrossValidation(K, one_se=rule, sparse="pool") for rule in (False, True)]
        best, kept = (bnjit.learn(frame, score, seed=seed) for score in scores)
        assert set(kept.dag.edges) == naive_pruned(table_of(frame), best.dag, seed)
        assert kept.score == pytest.approx(bnjit.score(kept.dag, frame, scores[0], seed=seed), rel=1e-10)
        assert kept.score <= best.score
        end = kept.trace[kept.trace["phase"] == "one_se"]
        assert (end["move"] == "delete").all()
        assert len(end) == best.dag.number_of_edges() - kept.dag.number_of_edges()
        assert end["delta"].sum() == pytest.approx(kept.score - best.score, abs=1e-6)
        assert kept.n_local_scores > best.n_local_scores
        pruned += len(end)
    assert pruned > 0


def test_arcs_that_must_stay_stay():
    frame = frame_of("gaussian", 1)
    names = list(frame)
    fixed = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    kept = bnjit.learn(frame, bnjit.CrossValidation(one_se=True), whitelist=fixed)
    assert sorted(kept.dag.edges) == sorted(fixed)
    some = bnjit.learn(frame, bnjit.CrossValidation(K, one_se=True), seed=2, whitelist=fixed[:2])
    best = bnjit.learn(frame, bnjit.CrossValidation(K), seed=2, whitelist=fixed[:2])
    assert set(some.dag.edges) == naive_pruned(table_of(frame), best.dag, 2, fixed[:2])


@pytest.mark.parametrize("algorithm", ["tabu", "boss", "ges"])
def test_after_any_search(algorithm):
    frame = frame_of("gaussian", 2)
    best = bnjit.learn(frame, bnjit.CrossValidation(K), algorithm, seed=1)
    for n_threads in (1, None):
        kept = bnjit.learn(frame, bnjit.CrossValidation(K, one_se=True), algorithm, seed=1, n_threads=n_threads)
        assert set(kept.dag.edges) == naive_pruned(table_of(frame), best.dag, 1)


def test_a_search_that_was_stopped_is_pruned_too(tmp_path):
    frame = frame_of("gaussian", 1)
    best = bnjit.learn(frame, bnjit.CrossValidation(K), max_iter=3)
    for more in ({}, {"checkpoint": tmp_path / "scores.npz"}, {"checkpoint": tmp_path / "scores.npz"}):
        kept = bnjit.learn(frame, bnjit.CrossValidation(K, one_se=True), max_iter=3, **more)
        assert kept.interrupted
        assert set(kept.dag.edges) == naive_pruned(table_of(frame), best.dag, None)


def test_impossible_and_certain_differences():
    none, some, more = np.array([-np.inf, 1.0]), np.array([1.0, 1.0]), np.array([2.0, 2.0])
    assert sureness_of(none, some) == -math.inf
    assert sureness_of(some, none) == sureness_of(none, none) == sureness_of(more, some) == math.inf
    assert sureness_of(some, some) == sureness_of(some, more) == -math.inf
    assert sureness_of(np.array([1.0, 4.0]), np.array([1.0, 1.0])) == 1.0


def test_only_for_folds():
    with pytest.raises(BnjitError, match=r"one_se belongs to a score: score=bnjit.CrossValidation\(one_se=True\)"):
        bnjit.learn(frame_of("gaussian", 0), one_se=True)
