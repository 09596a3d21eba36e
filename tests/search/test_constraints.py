"""Arcs that must be there or must not, tiers, starts and numbers of parents; contradictions are errors."""

import pytest

import bnjit
from tests.golden.tables import TABLES
from tests.search.by_loops import arcs_of


def test_whitelist_and_blacklist():
    table = TABLES["cgaussian"]()
    plain = arcs_of(bnjit.learn(table))
    gone = sorted(plain)[:2]
    kept = [("C", "X"), ("W", "Z")]
    result = bnjit.learn(table, whitelist=kept, blacklist=gone, algorithm=bnjit.Tabu(restarts=3, perturb=4))
    assert set(kept) <= arcs_of(result)
    assert not set(gone) & arcs_of(result)
    reverse = [(b, a) for a, b in gone]
    assert not arcs_of(bnjit.learn(table, blacklist=gone + reverse)) & set(gone + reverse)
    # The whitelist wins over the blacklist.
    assert ("C", "X") in arcs_of(bnjit.learn(table, whitelist=kept, blacklist=kept))
    moves = bnjit.learn(table, whitelist=kept).trace
    assert not set(kept) & set(zip(moves["source"], moves["target"], strict=True))


def test_tiers():
    table = TABLES["gaussian"]()
    tiers = [["G", "F"], ["E"], ["A", "B", "C", "D"]]
    rank = {name: k for k, tier in enumerate(tiers) for name in tier}
    arcs = arcs_of(bnjit.learn(table, tiers=tiers))
    assert arcs
    assert all(rank[a] <= rank[b] for a, b in arcs)


def test_max_parents_and_start():
    table = TABLES["gaussian"]()
    result = bnjit.learn(table, max_parents=1, algorithm="tabu")
    assert max(dict(result.dag.in_degree()).values()) == 1
    assert bnjit.learn(table, max_parents=0).dag.number_of_edges() == 0
    best = bnjit.learn(table)
    again = bnjit.learn(table, start=best.dag)
    assert arcs_of(again) == arcs_of(best)
    assert len(again.trace) == 0
    assert list(again.trace.columns) == list(best.trace.columns)
    from_string = bnjit.learn(table, start="[A][B][C|A:B][D|C][E|D][F|E][G|F]")
    assert from_string.score >= bnjit.score("[A][B][C|A:B][D|C][E|D][F|E][G|F]", table)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"whitelist": [("A", "X"), ("X", "A")]}, "whitelist has both A -> X and X -> A"),
        ({"whitelist": [("X", "Y"), ("Y", "Z"), ("Z", "X")]}, "whitelist has the cycle X -> Y -> Z -> X"),
        ({"whitelist": [("X", "A")]}, "whitelist has X -> A, a continuous parent"),
        ({"whitelist": [("X", "Q")]}, "whitelist has X -> Q, and 'Q' is no column"),
        ({"blacklist": ["XY"]}, "blacklist has the entry 'XY'"),
        ({"blacklist": [("X", "X")]}, "blacklist has the loop X -> X"),
        ({"start": [("X", "Y")], "whitelist": [("Y", "X")]}, "start has X -> Y, and the whitelist has Y -> X"),
        ({"start": [("X", "Y")], "whitelist": [("Y", "Z"), ("Z", "X")]}, "start with the whitelist has the cycle"),
        ({"start": "[X][Y|X]["}, "model string: at position"),
        ({"start": [("X", "Z"), ("Y", "Z")], "max_parents": 1}, "start gives 'Z' .'X', 'Y'. more than max_parents=1"),
        ({"tiers": [["A"]]}, "tiers leaves out the column 'X'"),
        ({"tiers": [["A"], ["A", "X"]]}, "tiers names 'A' twice, in tiers 0 and 1"),
        ({"tiers": ["A"]}, "each tier is a list"),
        ({"tiers": 5}, "tiers=5 must be a list of lists"),
        ({"tiers": [1, 2]}, r"tiers\[0\] is 1; each tier is a list"),
        ({"tiers": [["A", ["B"]]]}, "which is no column"),
        ({"start": "[A][X|A][q]"}, "start has the node 'q', which is no column"),
        ({"whitelist": [frozenset("AX")]}, "every arc is a pair"),
        ({"start": [("A", "B"), ("B", "A")]}, "take bnjit.consistent_extension"),
        ({"tiers": [["Q"]]}, "'Q', which is no column"),
        ({"tiers": [list("YABCDZW"), ["X"]], "whitelist": [("X", "Y")]}, "whitelist has X -> Y, which goes from"),
        ({"max_parents": -1}, "max_parents=-1 must be a whole number"),
        ({"max_parents": 2.5}, "max_parents=2.5 must be a whole number"),
        ({"max_iter": -1}, "max_iter=-1 must be a whole number"),
        ({"tabu": 3}, "tabu belongs to an algorithm: algorithm=bnjit.Tabu.length=3."),
        ({"restarts": "many"}, "restarts belongs to an algorithm"),
        ({"algorithm": "ges2"}, "algorithm='ges2' is not known; the algorithms are hc, tabu, boss, ges"),
        ({"score": "bics"}, "score='bics' is not known"),
    ],
)  # fmt: skip
def test_contradictions_are_errors(arguments, message):
    with pytest.raises(bnjit.BnjitError, match=message):
        bnjit.learn(TABLES["cgaussian"](), **arguments)


def test_blacklisting_one_direction_leaves_the_other():
    table = TABLES["gaussian"]()
    for a, b in (("A", "E"), ("C", "D")):
        plain = bnjit.learn(table[[a, b]])
        assert arcs_of(plain) == {(a, b)}
        assert arcs_of(bnjit.learn(table[[a, b]], blacklist=[(a, b)])) == {(b, a)}


@pytest.mark.parametrize("forbidden", [{"blacklist": [("X", "Y")]}, {"tiers": [list("YABCDZW"), ["X"]]}])
def test_start_loses_what_is_forbidden(forbidden):
    """As in bnlearn, but with a word: the result of one search may start another that knows more."""
    from bnjit.search.constraints import make_constraints

    names, start = list("ABCDWXYZ"), [("X", "Y"), ("Z", "W")]
    with pytest.warns(bnjit.BnjitWarning, match="start has X -> Y, which the blacklist or the tiers forbid") as seen:
        constraints = make_constraints(names, [False] * 8, start=start, **forbidden)
    assert len(seen) == 1
    assert [(names[i], names[j]) for i, j in zip(*constraints.start.nonzero(), strict=True)] == [("Z", "W")]
