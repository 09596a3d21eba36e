"""Columns that others determine: told of, without arcs, and no arc is invented for what they lose."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit import datasets
from tests.stats.forms import in_chunks

FORMS = ("memory", "chunks", "statistics")


def learn(frame, form, **options):
    """Learn from a frame in memory, in chunks or from its statistics."""
    import pyarrow as pa

    data = frame
    if form == "chunks":
        data = in_chunks(pa.Table.from_pandas(frame, preserve_index=False).to_batches, 170)
    elif form == "statistics":
        data = bnjit.Statistics.collect(frame, for_=3)
    return bnjit.learn(data, progress=False, **options)


def with_copy(frame, kind, seed):
    """Insert a column that others determine, at a random place behind them; return its name, too."""
    rng = np.random.default_rng(seed)
    continuous = [name for name in frame if frame[name].dtype.kind == "f"]
    own = [continuous[i] for i in sorted(rng.choice(len(continuous), 1 + (kind == "sum"), replace=False))]
    factors = rng.choice([-2.5, -1.0, 0.001, 2.0], len(own))
    values = frame[own].to_numpy() @ factors + (rng.normal() if kind == "shifted" else 0.0)
    first = max(frame.columns.get_loc(name) for name in own) + 1
    out = frame.copy()
    out.insert(int(rng.integers(first, len(frame.columns) + 1)), "copy", values)
    return out


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000), kind=st.sampled_from(["copy", "shifted", "sum"]),
    network=st.sampled_from(["gaussian", "cgaussian"]), form=st.sampled_from(FORMS),
    algorithm=st.sampled_from(["hc", "tabu", "boss"]), score=st.sampled_from(["bic", "aic", "marginal"]),
)  # fmt: skip
def test_the_graph_over_the_others_is_that_without_the_copy(seed, kind, network, form, algorithm, score):
    frame = datasets.random_network(network, 6, parents=1.5, seed=seed).sample(500, seed=seed)
    if sum(frame[name].dtype.kind == "f" for name in frame) < 2:
        return
    options = {"algorithm": algorithm, "score": score, "max_parents": 3}
    if form == "statistics" and network == "cgaussian":
        form = "chunks"
    expected = learn(frame, form, **options)
    with pytest.warns(bnjit.BnjitWarning, match="`copy` is .*A network cannot tell"):
        found = learn(with_copy(frame, kind, seed), form, **options)
    assert set(found.dag.edges) == set(expected.dag.edges)
    assert not found.dag.degree("copy")


SEARCHES = ["hc", "tabu", "boss", "ges", bnjit.HillClimbing(restarts=3, perturb=3), bnjit.Boss(restarts=2)]
SEARCHES += [bnjit.HillClimbing(exchange=True)]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000), network=st.sampled_from(["discrete", "cgaussian"]), form=st.sampled_from(FORMS),
    algorithm=st.sampled_from(SEARCHES), score=st.sampled_from(["bic", "aic", "marginal", "loglik"]),
    copies=st.integers(1, 2),
)  # fmt: skip
def test_the_graph_over_the_others_is_that_without_a_discrete_copy(seed, network, form, algorithm, score, copies):
    """A copy has the arc from its original, if it has any; nobody else gains or loses one."""
    rng = np.random.default_rng(seed)
    frame = datasets.random_network(network, 6, parents=1.5, seed=seed).sample(400, seed=seed)
    levels = [name for name in frame if frame[name].dtype.kind != "f" and frame[name].nunique() > 1]
    if not levels:
        return
    options = {"algorithm": algorithm, "score": score, "max_parents": 2, "seed": 5}
    if form == "statistics" and network == "cgaussian":
        form = "chunks"
    table, own = frame, levels[rng.integers(len(levels))]
    for k in range(copies):
        codes = rng.permutation(frame[own].nunique())[pd.factorize(frame[own])[0]]
        place = rng.integers(table.columns.get_loc(own) + 1, len(table.columns) + 1)
        table = table.copy()
        table.insert(int(place), f"copy{k}", np.array(list("zyxwvutsrq"))[codes])
    expected = learn(frame, form, **options)
    with pytest.warns(bnjit.BnjitWarning, match=f"`copy0` repeats `{own}`|`copy0` repeats `copy1`"):
        found = learn(table, form, **options)
    arcs = {arc for arc in found.dag.edges if not str(arc[1]).startswith("copy")}
    assert arcs == set(expected.dag.edges)
    joined = set(found.dag.edges) - arcs
    assert joined <= {(own, f"copy{k}") for k in range(copies)}
    gain = bnjit.score([(own, "copy0")], table, score) - bnjit.score([], table, score)
    assert joined == ({(own, f"copy{k}") for k in range(copies)} if gain > 1e-6 else set())
    assert found.score == pytest.approx(bnjit.score(found.dag, table, score), rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000), network=st.sampled_from(["gaussian", "cgaussian"]),
    algorithm=st.sampled_from([SEARCHES[4], SEARCHES[5], SEARCHES[6]]),
)  # fmt: skip
def test_restarts_draw_what_they_draw_without_the_copy(seed, network, algorithm):
    frame = datasets.random_network(network, 6, parents=1.5, seed=seed).sample(500, seed=seed)
    if sum(frame[name].dtype.kind == "f" for name in frame) < 2:
        return
    expected = bnjit.learn(frame, algorithm=algorithm, max_parents=3)
    with pytest.warns(bnjit.BnjitWarning, match="`copy` is "):
        found = bnjit.learn(with_copy(frame, "sum", seed), algorithm=algorithm, max_parents=3)
    assert set(found.dag.edges) == set(expected.dag.edges)


def test_copies_count_as_moves_and_keep_to_the_limits():
    rng = np.random.default_rng(2)
    g = rng.integers(0, 3, 400)
    frame = pd.DataFrame({"g": g, "y": (g + rng.integers(0, 2, 400)) % 3, "h": 10 - g}).astype(str)
    for options in ({"max_parents": 0}, {"max_iter": 1}, {"blacklist": [("g", "h")]}, {"tiers": [["h"], ["g", "y"]]}):
        with pytest.warns(bnjit.BnjitWarning, match="`h` repeats `g`"):
            found = bnjit.learn(frame, **options)
        assert not found.dag.degree("h")
        assert found.interrupted == ("max_iter" in options)
    with pytest.warns(bnjit.BnjitWarning, match="`h` repeats `g`"):
        found = bnjit.learn(frame, start=[("h", "y")])  # a search that may take any arc
    assert found.dag.has_edge("h", "y") or found.dag.has_edge("y", "h")
    with pytest.warns(bnjit.BnjitWarning, match="`h` repeats `g`"):
        found = bnjit.learn(frame)
    assert found.trace[["move", "source", "target", "phase"]].iloc[-1].tolist() == ["add", "g", "h", "copies"]
    assert found.trace["score"].iloc[-1] == found.score


def test_equivalence_search():
    frame = datasets.random_network("gaussian", 7, parents=1.5, seed=3).sample(1000, seed=1)
    expected = bnjit.learn(frame, algorithm="ges")
    for kind in ("copy", "shifted", "sum"):
        with pytest.warns(bnjit.BnjitWarning, match="`copy` is "):
            found = bnjit.learn(with_copy(frame, kind, 5), algorithm="ges")
        assert set(found.dag.edges) == set(expected.dag.edges)
        arc = (frame.columns[0], frame.columns[1])
        with pytest.warns(bnjit.BnjitWarning, match="`copy` is "):
            found = bnjit.learn(with_copy(frame, kind, 5), algorithm="ges", blacklist=[arc])
        without = bnjit.learn(frame, algorithm="ges", blacklist=[arc])
        assert set(found.dag.edges) == set(without.dag.edges)


def test_arcs_that_a_user_asks_for_stay():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=300), "copy": 3.0 * x, "z": rng.normal(size=300)})
    with pytest.warns(bnjit.BnjitWarning, match="`copy` is 3 x `x`"):
        found = bnjit.learn(frame, whitelist=[("copy", "y")])
    assert ("copy", "y") in found.dag.edges


def test_strengths_speak_once():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=300), "copy": 3.0 * x})
    with pytest.warns(bnjit.BnjitWarning) as caught:
        strength = bnjit.arc_strength(frame, 20, n_threads=2)
    assert len(caught) == 1
    assert set(strength.loc[strength["strength"] > 0, ["from", "to"]].stack()) == {"x", "y"}


def test_discrete_copies_are_told_of_and_have_one_arc():
    rng = np.random.default_rng(2)
    g = rng.integers(0, 3, 400)
    frame = pd.DataFrame({"g": [("u", "v", "w")[i] for i in g], "x": g + rng.normal(size=400)})
    frame["h"] = [("A", "B", "C")[i] for i in g]
    with pytest.warns(bnjit.BnjitWarning, match="`h` repeats `g`. A network cannot tell"):
        found = bnjit.learn(frame)
    assert set(found.dag.edges) == {("g", "x"), ("g", "h")}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", [False, True])
def test_numbers_that_are_codes_of_levels(form, first):
    rng = np.random.default_rng(1)
    g, x = rng.integers(0, 3, 300), rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=300) + np.array([1.0, 4.0, 0.0])[g]})
    frame["g"] = [("a", "b", "c")[i] for i in g]
    expected = learn(frame, form, max_parents=2)
    frame.insert(0 if first else 3, "code", g + 1.0)
    with pytest.warns(bnjit.BnjitWarning, match="`code` has one value for each level of `g`"):
        found = learn(frame, form, max_parents=2)
    assert set(found.dag.edges) == set(expected.dag.edges) == {("g", "y"), ("x", "y")}


@pytest.mark.parametrize("form", ["memory", "chunks"])  # statistics do not have the digits
def test_rounded_copies_are_told_of(form):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"g": rng.normal(4000.0, 800.0, 400)})
    frame["kg"] = (frame["g"] / 1000).round(3)
    frame["x"] = frame["g"] + rng.normal(0.0, 300.0, 400)
    with pytest.warns(bnjit.BnjitWarning, match="`kg` is nearly 0.001 x `g`"):
        learn(frame, form)


def test_few_rows():
    noise = np.random.default_rng(3).normal(size=(20, 40))
    with pytest.warns(bnjit.BnjitWarning, match="20 rows are few for 40 columns: .* about 65 arcs by chance"):
        found = bnjit.learn(noise)
    assert found.dag.number_of_edges() > 65
    assert bnjit.learn(noise, "ebic").dag.number_of_edges() < 65  # and no warning
