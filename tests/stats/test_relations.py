"""Relations of columns are found from statistics, and said in words."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnjit.data import read_table
from bnjit.stats.few_rows import arcs_by_chance, few_rows
from bnjit.stats.opening import make_store
from bnjit.stats.relations import Relation, find_relations, in_words, linear_relations
from bnjit.stats.store import in_own_units


def words(frame):
    store = in_own_units(make_store(read_table(frame)))
    return [in_words(relation, store.schema.names) for relation in find_relations(store)]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(50.0, 4.0, (500, 3)), columns=list("acx"))


def test_nothing_to_say(frame):
    assert words(frame) == []
    frame["g"], frame["h"] = ["u", "v"] * 250, ["u"] * 250 + ["v"] * 250  # the same counts
    assert words(frame) == []


def test_units_sums_and_times(frame):
    rng = np.random.default_rng(1)
    frame["mass_kg"] = 1e-3 * frame["a"]
    frame["d"] = frame["c"] - frame["a"] + 2.0
    frame["hour"], frame["minute"] = rng.integers(0, 24, 500), rng.integers(0, 60, 500)
    frame["time"] = 100 * frame["hour"] + frame["minute"]
    assert words(frame) == [
        "`mass_kg` is 0.001 x `a`", "`d` is -`a` + `c` + 2", "`time` is 100 x `hour` + `minute`"
    ]  # fmt: skip


def test_rounded_copies_are_near(frame):
    frame["rounded"] = frame["a"].round(2)
    assert words(frame) == ["`rounded` is nearly `a`"]
    frame["rounded"] = frame["a"].round(0)
    assert words(frame) == []


def test_discrete_copies(frame):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, 500)
    frame["g"] = [("u", "v", "w")[i] for i in codes]
    frame["other"] = rng.permutation(frame["g"])
    frame["h"] = [("C", "A", "B")[i] for i in codes]
    frame["again"] = pd.Categorical(codes)
    assert words(frame) == ["`h` repeats `g`", "`again` repeats `g`"]
    frame.loc[0, "h"] = frame.loc[codes != codes[0], "h"].iloc[0]
    assert words(frame) == ["`again` repeats `g`"]


def test_numbers_that_are_codes(frame):
    codes = np.random.default_rng(1).integers(0, 3, 500)
    frame["g"] = [("u", "v", "w")[i] for i in codes]
    frame["class"] = np.array([3.0, 1.0, 7.0])[codes]
    assert words(frame) == ["`class` has one value for each level of `g`"]
    assert words(frame[["class", "x", "g"]]) == ["`class` has one value for each level of `g`"]
    frame.loc[499, "class"] += 0.5
    assert words(frame) == []
    frame["key"] = [f"k{i // 2}" for i in range(500)]  # two rows a level
    frame["even"] = np.arange(500) // 2 % 7.0
    assert words(frame[["key", "even"]]) == ["`even` has one value for each level of `key`"]
    frame["key"] = [f"k{i // 2 if i < 300 else i}" for i in range(500)]
    assert words(frame[["key", "even"]]) == []  # levels are so many that most have one row


def test_few_rows_make_no_relations():
    """Three rows are always on a plane with enough columns; a copy is a copy all the same."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(6, 8)), columns=list("abcdefgh"))
    assert words(frame) == []
    frame["copy"] = -2.0 * frame["b"]
    assert words(frame) == ["`copy` is -2 x `b`"]
    assert words(frame.iloc[:4]) == []


def test_constants_take_no_part():
    cross = np.array([[4.0, 0.0, 8.0], [0.0, 0.0, 0.0], [8.0, 0.0, 16.0]])
    assert linear_relations(100, np.array([1.0, 5.0, 2.0]), cross) == [Relation(2, (0,), (2.0,), 0.0, True)]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), exponents=st.lists(st.integers(-200, 200), min_size=4, max_size=4))
def test_relations_do_not_depend_on_units(seed, exponents):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    terms = sorted(rng.choice(3, rng.integers(1, 4), replace=False).tolist())
    factors = rng.choice([-3.0, -1.0, 0.5, 2.0], len(terms))
    X[:, 3] = X[:, terms] @ factors
    scale = np.ldexp(1.0, exponents)
    store = in_own_units(make_store(read_table(pd.DataFrame(X * scale, columns=list("abcd")))))
    (found,) = find_relations(store)
    assert found.exact
    assert (found.column, found.others) == (3, tuple(terms))
    expected = factors * scale[3] / scale[terms]
    np.testing.assert_allclose(found.coefficients, expected, rtol=1e-9)


def test_rule_for_few_rows():
    """The chance of a likelihood ratio above log n between independent columns, simulated."""
    rng = np.random.default_rng(3)
    n, pairs = 50, 4000
    x, y = rng.normal(size=(2, pairs, n))
    x, y = x - x.mean(1, keepdims=True), y - y.mean(1, keepdims=True)
    r = (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1))
    share = float(np.mean(-n * np.log1p(-r * r) > np.log(n)))
    assert arcs_by_chance(n, [0, 0]) == pytest.approx(share, abs=0.02)
    assert few_rows(20, [0] * 40).startswith("20 rows are few for 40 columns: ")
    assert few_rows(1000, [0] * 20) is None
    assert few_rows(2, [0]) is None
    assert few_rows(500, [4] * 150) is None  # nine parameters an arc
    assert few_rows(20, [2] * 40) is not None
