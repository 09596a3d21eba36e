"""Scores that are -inf say which configuration or relation of columns is the reason."""

import numpy as np
import pandas as pd
import pytest

import bnjit

RNG = np.random.default_rng(4)
N = 60
FRAME = pd.DataFrame({
    "a": (["u"] * 20 + ["v"] * 40), "b": ["s", "t"] * 30, "x": RNG.normal(size=N), "z": RNG.normal(size=N),
})  # fmt: skip
FRAME["sum"] = 2.0 * FRAME["x"] - FRAME["z"]
FRAME["within"] = np.where(FRAME["a"] == "u", 3.0 * FRAME["x"], RNG.normal(size=N))
FRAME["flat"] = np.where((FRAME["a"] == "v") & (FRAME["b"] == "t"), 1.5, RNG.normal(size=N))


def warned(dag, data=FRAME, score="bic"):
    with pytest.warns(bnjit.BnjitWarning) as caught:
        local = bnjit.score(dag, data, score, by_node=True)
    assert np.isneginf(local).any()
    return str(caught[-1].message)


def test_linear_relations():
    said = warned("[a][b][x][z][sum|x:z][within][flat]")
    assert said.startswith("the score is -inf, because of `sum`: in all rows it is exactly linear in `x`, `z`")


def test_relations_within_a_configuration():
    said = warned([("a", "within"), ("x", "within")])
    assert "`within`: where `a` = 'u' it is exactly linear in `x`, or constant" in said


def test_constants_within_a_configuration():
    assert "`flat`: where `a` = 'v' and `b` = 't' it is constant" in warned([("a", "flat"), ("b", "flat")])


def test_few_rows_of_a_configuration():
    frame = FRAME.assign(rare=["once", "twice", "twice"] + ["often"] * 57)
    said = warned([("rare", "x"), ("z", "x")], frame)
    assert "`rare` = 'once' is there in 1 row, and a regression on 1 parents needs 3; so have 1 others too few" in said
    assert 'sparse="pool"' in said


def test_test_rows_with_new_configurations():
    train, test = FRAME.iloc[20:].reset_index(drop=True), FRAME.iloc[:40].reset_index(drop=True)
    said = warned([("a", "x"), ("b", "x")], train, bnjit.HeldOut(test))
    assert "`x`: test rows have `a` = 'u' and `b` = 's', which no training row has" in said


def test_many_nodes_are_counted():
    arcs = [("g", name) for name in "pqrstu"]
    rows = pd.DataFrame(RNG.normal(size=(9, 6)), columns=list("pqrstu")).assign(g=["one"] + ["more"] * 8)
    assert warned(arcs, rows).endswith("; and 2 more nodes")


def test_nothing_is_said_of_a_sum():
    """Who scores many graphs looks at the numbers."""
    assert bnjit.score("[a][b][x][z][sum|x:z][within][flat]", FRAME) == -np.inf


def test_gaps_leave_too_few_rows():
    table = {
        "g": ["a", "a", "b", "b", None, "a", "b", "a"],
        "x": [None, 1.0, None, 2.0, 3.0, 4.0, None, 2.5],
        "y": [1.0, None, 2.0, None, 5.0, None, 0.5, None],
        "h": ["u", "v", "u", None, None, "v", "v", "u"],
        "k": [None, None, None, "s", "t", None, None, None],
    }
    for arcs, said in (
        ([("g", "x")], "`x`: `g` = 'b' is there in 1 row, .*penalty=\"local\""),
        ([("x", "y"), ("g", "y")], "`y`: no row has values of it and of all its parents"),
        ([("h", "k")], "`k`: no row has values of it and of all its parents"),
    ):
        with pytest.warns(bnjit.BnjitWarning, match=said):
            bnjit.score(arcs, table, "loglik", missing="available", by_node=True)


def test_gaps_in_test_rows():
    rng = np.random.default_rng(1)
    train = pd.DataFrame({"x": rng.normal(size=20), "y": rng.normal(size=20)})
    test = train.assign(x=train["x"].where(np.arange(20) % 2 == 0), y=train["y"].where(np.arange(20) % 2 == 1))
    with pytest.warns(bnjit.BnjitWarning, match="`y`: no test row has values of it and of all its parents"):
        bnjit.score([("x", "y")], train, bnjit.HeldOut(test=test), missing="available", by_node=True)
