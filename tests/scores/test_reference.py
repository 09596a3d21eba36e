"""Every recorded per-node score of R bnlearn, by every estimator; golden values where the record is not at hand."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.options import ESTIMATORS, NML, SCORES, Bayesian
from tests.golden.tables import SCORES as SCORES_OF
from tests.golden.tables import TABLES

DATASETS = {
    "gaussian.test": "g", "learning.test": "d", "clgaussian.test": "cg", "alarm": "d", "asia": "d",
    "insurance": "d", "hailfinder": "d", "marks": "g", "coronary": "d", "lizards": "d",
}  # fmt: skip


def assert_scores_of_nodes(ours, theirs, nodes):
    assert nodes
    for node in nodes:
        value = theirs[node]
        if isinstance(value, str):
            value = float(value.replace("Inf", "inf"))
        assert ours[node] == pytest.approx(value, rel=1e-8, abs=1e-300), node


def estimator_of(score, estimator):
    """Estimator to ask for: scores that fit no regressions refuse all but one."""
    return "stats" if issubclass(SCORES[score], Bayesian | NML) else estimator


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", DATASETS)
def test_every_score_matches_r(name, estimator, reference, reference_table):
    record = reference[name]
    assert record["kind"] == DATASETS[name]
    if record["kind"] == "d" and estimator != "stats":
        estimator = "qr"  # discrete nodes have one estimator; the argument must make no difference
    table = reference_table(name)
    cut = round(0.75 * len(table))
    compared = 0
    for graph in record["graphs"].values():
        arcs = [tuple(arc) for arc in graph["arcs"]]
        for full_name, theirs in graph["scores"].items():
            score = full_name.split("-")[0]
            nodes = list(theirs)
            if score == "pred":
                # R gets discrete nodes wrong (see bnjit.scores.discrete.Predictive).
                nodes = [node for node in nodes if table[node].dtype == float]
                if not nodes:
                    continue
                ours = bnjit.score(
                    arcs, table[:cut], score=bnjit.HeldOut(table[cut:]), by_node=True, estimator=estimator
                )
            else:
                ours = bnjit.score(arcs, table, score=score, by_node=True, estimator=estimator_of(score, estimator))
            assert_scores_of_nodes(ours, theirs, nodes)
            compared += len(nodes)
    assert compared > 4 * len(table.columns)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kind", TABLES)
def test_golden_scores(kind, estimator, golden):
    table = TABLES[kind]()
    for graph in golden[kind].values():
        arcs = [tuple(arc) for arc in graph["arcs"]]
        for score in SCORES_OF[kind]:
            ours = bnjit.score(arcs, table, score=score, by_node=True, estimator=estimator_of(score, estimator))
            assert_scores_of_nodes(ours, graph["scores"][score], list(table.columns))


def test_a_level_that_was_never_seen_counts_in_the_penalty():
    table = TABLES["discrete"]()
    seen = table.assign(D=table["D"].cat.remove_unused_categories())
    assert list(table["D"].cat.categories) != list(seen["D"].cat.categories)
    difference = bnjit.score([("D", "E")], seen) - bnjit.score([("D", "E")], table)
    # One more level of D: one parameter for D itself, r - 1 = 2 for E.
    assert difference == pytest.approx(3 * np.log(len(table)) / 2, rel=1e-9)


def near_constant(case):
    """Tables with regressors that bnlearn drops in some units, and keeps in others, for their small variance."""
    rng = np.random.RandomState(1)
    x, e, e2 = rng.randn(400), rng.randn(400), rng.randn(400)
    if case == "cell":
        z = pd.Categorical.from_codes((rng.rand(400) < 0.5).astype(int), ["a", "b"])
        return pd.DataFrame({"Z": z, "X": 5e-5 * x, "Y": x + 0.5 * e}), [("Z", "Y"), ("X", "Y")]
    return pd.DataFrame({"A": 5e-5 * x, "B": x + 3e-5 * e2, "Y": x + 0.5 * e}), [("A", "Y"), ("B", "Y")]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(("case", "expected"), [("cell", -251.05079888435745), ("pair", -251.0526793825448)])
@pytest.mark.parametrize("factor", [1.0, 1e-7, 1e9])
def test_small_variances_are_judged_as_r_does_for_standardised_columns(case, expected, factor, estimator):
    """Of two parents, the second falls with a close first; units do not matter. The values are bnlearn-port's."""
    table, arcs = near_constant(case)
    for name in table.columns.drop("Z", errors="ignore"):
        table[name] *= factor
    ours = bnjit.score(arcs, table, score="loglik", by_node=True, estimator=estimator)["Y"]
    assert ours + len(table) * np.log(table["Y"].std()) == pytest.approx(expected, rel=1e-8)
