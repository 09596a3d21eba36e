"""Families: parents of each node that grow side by side, by their definition; limits; what only they find."""

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.graph.bits import bits_of, members_of
from bnjit.scores import make_scorer
from bnjit.search import families as module
from bnjit.search import thorough
from bnjit.search.constraints import make_constraints
from bnjit.search.families import Families
from bnjit.search.score_memo import ScoreMemo
from tests.search.by_loops import random_table
from tests.strategies import to_table

KINDS = ["discrete", "gaussian", "cgaussian"]
TOLERANCE = 1e-9


def grown(frame, widths, monkeypatch, **known):
    """Families of a table, with what scored them."""
    monkeypatch.setattr(module, "FAMILY_WIDTHS", widths)
    table = to_table(frame)
    limits = make_constraints(table.names, table.discrete, **known).limits
    scores = ScoreMemo(make_scorer(table, "bic"))
    found = {}
    for part in Families(scores, limits, TOLERANCE).grown(range(len(table.names))):
        found |= part
    return found, scores, limits


def by_loops(scores, limits, v, widths, dropped):
    """Sets of one node by definition, without those that were `dropped` by bounds."""
    found, layer = {}, {bits_of(np.flatnonzero(limits.fixed[:, v]).tolist())}
    for width in widths:
        larger = {
            bits | 1 << x
            for bits in layer for x in np.flatnonzero(limits.addable[:, v]).tolist()
            if not bits >> x & 1 and bits.bit_count() < limits.most and bits | 1 << x not in dropped
        }  # fmt: skip
        values = {bits: float(scores.get([(v, bits)])[0]) for bits in larger}
        found |= values
        layer = set(sorted(values, key=lambda bits: (-values[bits], bits))[:width])
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [None, 2])
def test_families_by_loops(kind, most, monkeypatch):
    frame = random_table(np.random.default_rng(1), kind, 400, columns=6)
    known = {} if most is None else {"max_parents": most}
    widths = (3, 2, 1)
    found, scores, limits = grown(frame, widths, monkeypatch, **known)
    assert scores.n_local_scores > 0
    for v, sets in found.items():
        every = by_loops(scores, limits, v, (1000, 1000, 1000), set())
        dropped = set(every) - set(sets)
        expected = by_loops(scores, limits, v, widths, dropped)
        assert sets.keys() == expected.keys()
        np.testing.assert_allclose(list(sets.values()), [expected[bits] for bits in sets], rtol=1e-11)
        assert max(bits.bit_count() for bits in sets) <= (most or 3)


def test_bounds_drop_only_what_improves_nothing(monkeypatch):
    frame = random_table(np.random.default_rng(2), "discrete", 150, columns=6)
    found, scores, limits = grown(frame, (1000, 1000, 1000), monkeypatch)
    for v, sets in found.items():
        every = by_loops(scores, limits, v, (1000, 1000, 1000), set())
        for bits in set(every) - set(sets):
            below = [bits ^ 1 << x for x in members_of(bits)]
            known = {0: float(scores.get([(v, 0)])[0])} | every
            assert every[bits] <= max(known[some] for some in below) + TOLERANCE


def test_families_obey_what_is_known(monkeypatch):
    frame = random_table(np.random.default_rng(3), "discrete", 400, columns=6)
    names = list(frame)
    known = {"whitelist": [(names[0], names[1])], "blacklist": [(names[2], names[1])], "max_parents": 2}
    found, _, _ = grown(frame, (4, 4), monkeypatch, **known)
    assert found[1]
    assert all(bits & 1 and not bits >> 2 & 1 and bits.bit_count() <= 2 for bits in found[1])
    assert not any(bits >> 1 & 1 for bits in found[0])


def pedigree(rows=3000, children=8, founders=6):
    """Children that have a value from either of two parents, by a coin of their own that another column shows."""
    rng = np.random.default_rng(5)
    levels = np.array(list("abcd"))
    father, mother = rng.integers(0, 4, (2, rows))
    frame = {}
    for i in range(children):
        coin = rng.integers(0, 2, rows)
        frame[f"c{i}"] = levels[np.where(coin, father, mother)]
        frame[f"z{i}"] = levels[coin]
    frame |= {"f": levels[father], "m": levels[mother]}
    frame |= {f"x{i}": levels[rng.integers(0, 4, rows)] for i in range(founders)}
    return pd.DataFrame(frame)


def test_the_parents_that_brothers_and_sisters_hide(monkeypatch):
    """Growing one set takes three of a child's brothers and sisters, each of which says as much as a parent."""
    frame = pedigree()
    names = list(frame)
    true = {i: bits_of([names.index(x) for x in ("f", "m", f"z{names[i][1]}")]) for i in range(0, 16, 2)}
    naive = {name: (pd.factorize(own)[0].tolist(), own.nunique()) for name, own in frame.items()}
    alone, _, _ = grown(naive, (1, 1, 1, 1), monkeypatch)
    found, _, _ = grown(naive, (16, 4, 2, 1), monkeypatch)
    for v, bits in true.items():
        assert max(found[v], key=found[v].get) == bits
    assert sum(bits in alone[v] for v, bits in true.items()) < len(true) / 2


def test_thorough_search_finds_families(monkeypatch):
    """Two parents that matter only together, where there are too many pairs to score them all."""
    monkeypatch.setattr(thorough, "PAIR_VALUES", 0.0)
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (14, 4000))
    codes[13] = codes[2] ^ codes[7] ^ (rng.random(4000) < 0.1)
    levels = np.array(["no", "yes"])
    frame = pd.DataFrame({f"x{i}": levels[own] for i, own in enumerate(codes)})
    found = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=0))
    assert {frozenset(arc) for arc in bnjit.cpdag(found.dag).edges} >= {
        frozenset({"x2", "x13"}), frozenset({"x7", "x13"})
    }  # fmt: skip
    monkeypatch.setattr(thorough, "FAMILY_VALUES", 0.0)
    assert found.score > bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=0)).score + 100.0


def test_families_are_the_same_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(thorough, "PAIR_VALUES", 0.0)
    frame = pedigree(rows=600, children=4)
    first, second = (bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=1), n_threads=n) for n in (1, 4))
    columns = ["move", "source", "target", "delta", "score", "phase"]
    pd.testing.assert_frame_equal(first.trace[columns], second.trace[columns], check_exact=True)
    assert first.n_local_scores == second.n_local_scores


def test_families_can_be_interrupted(monkeypatch):
    monkeypatch.setattr(thorough, "PAIR_VALUES", 0.0)
    frame = pedigree(rows=600, children=4)
    seen = []

    def interrupt(self, step):
        seen.append(step)
        if step.phase == "families":
            raise KeyboardInterrupt

    monkeypatch.setattr("bnjit.progress.Progress.__call__", interrupt)
    result = bnjit.learn(frame, algorithm=bnjit.Thorough(restarts=1))
    assert result.stopped_by == "Ctrl-C"
    assert seen[-1].phase == "families"
    assert result.score == pytest.approx(bnjit.score(result.dag, frame), rel=1e-10)
