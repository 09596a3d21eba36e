"""Options: each object checks its arguments, has a name, and is shown as it would be typed."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.errors import ArgumentError
from bnjit.options import (
    ALGORITHMS,
    ESTIMATORS,
    MISSING,
    SCORES,
    as_algorithm,
    as_missing,
    as_score,
    check_estimator,
    name_of,
    owners_of,
)

OPTIONS = [*SCORES.values(), *ALGORITHMS.values(), *MISSING.values()]
NO_NUMBER = ["a", True, math.nan, math.inf, [1]]
NO_COUNT = ["a", True, 1.5, -1, [1]]
NO_FLAG = ["yes", 1, None, np.bool_(True)]

# What every argument of every option takes, and what it refuses.
TAKES = {
    "sparse": (["reject", "pool"], ["drop", None, 1, ["pool"]]),
    "penalty": (["global", "local"], ["loc", None, 1, ["local"]]),
    "density": (["plugin", "bayes"], ["t", None, 1, ["bayes"]]),
    "gamma": ([0, 0.5, 1.0, np.float64(0.25)], [*NO_NUMBER, None, -0.1, 1.1]),
    "imaginary_rows": ([1, 0.5, 100.0], [*NO_NUMBER, None, 0, -1.0]),
    "degrees_of_freedom": ([None, 9, 12.5], [*NO_NUMBER, 0, -1.0]),
    "test": ([0.25, np.float32(0.5), "rows.csv", Path("rows.csv"), {"x": [1.0]}], [None, True, 0, 1, -0.1, math.nan]),
    "folds": ([2, 10, np.int64(5)], [*NO_COUNT, None, 0, 1]),
    "one_se": ([False, True], NO_FLAG),
    "length": ([1, 100], [*NO_COUNT, None, 0]),
    "patience": ([None, 0, 3], NO_COUNT),
    "restarts": ([0, 1, np.int64(5)], [*NO_COUNT, None]),
    "perturb": ([1, 5], [*NO_COUNT, 0]),
    "exchange": ([False, True], NO_FLAG),
    "until_repeated": ([False, True], NO_FLAG),
    "iterations": ([1, 20], [*NO_COUNT, None, 0]),
    "seconds": ([None, 1, 0.5], [*NO_NUMBER, 0, -1.0]),
    "sweeps": ([1, 20], [*NO_COUNT, None, 0]),
}
PENALTY_OF_GAPS = ([None, 0, 0.01], [*NO_NUMBER, -0.1])  # bnjit.Available has an argument that is called as one of BIC
ARGUMENTS = [(option, argument.name) for option in OPTIONS for argument in fields(option)]


@pytest.mark.parametrize(("option", "argument"), ARGUMENTS, ids=str)
def test_every_argument_is_checked(option, argument):
    takes, refuses = PENALTY_OF_GAPS if (option, argument) == (bnjit.Available, "penalty") else TAKES[argument]
    more = {"restarts": 1} if argument in ("perturb", "until_repeated") else {}
    for value in takes:
        assert getattr(option(**{argument: value}, **more), argument) == value
    for value in refuses:
        with pytest.raises(
            ArgumentError, match=rf"^{argument}=.* (must|is not known; the rules are {takes[0]}, {takes[1]})"
        ):
            option(**{argument: value}, **more)


@pytest.mark.parametrize("option", OPTIONS)
def test_defaults_are_checked_too_and_documented(option):
    made = option()
    assert made.arguments() == {argument.name: argument.default for argument in fields(option)}
    assert made.changed() == {}
    assert option.__doc__
    assert f'"{option.name}"' in option.__doc__
    assert getattr(bnjit, option.__name__) is option


def test_none_means_what_follows_from_the_rest_only_where_it_is_the_default():
    assert bnjit.Boss(restarts=1, perturb=None).perturb is None
    for option in (bnjit.HillClimbing, bnjit.Tabu):
        with pytest.raises(ArgumentError, match="perturb=None"):
            option(restarts=1, perturb=None)


def test_perturb_without_restarts_would_do_nothing():
    for option in (bnjit.HillClimbing, bnjit.Tabu, bnjit.Boss):
        with pytest.raises(ArgumentError, match="perturb=3 is how many random moves a restart makes, and there are no"):
            option(perturb=3)


def test_until_repeated_without_restarts_would_do_nothing():
    for option in (bnjit.HillClimbing, bnjit.Tabu):
        with pytest.raises(ArgumentError, match="until_repeated=True ends the restarts, and there are no restarts"):
            option(until_repeated=True)
    with pytest.raises(TypeError, match="until_repeated"):
        bnjit.Boss(restarts=1, until_repeated=True)


def test_numbers_are_pythons_own():
    assert type(bnjit.BDe(imaginary_rows=2).imaginary_rows) is float
    assert type(bnjit.Tabu(length=np.int32(5)).length) is int
    assert type(bnjit.HeldOut(test=np.float32(0.5)).test) is float


@pytest.mark.parametrize(
    ("option", "typed"),
    [
        (bnjit.BIC(), "bnjit.BIC()"),
        (bnjit.BIC(sparse="pool"), "bnjit.BIC(sparse='pool')"),
        (bnjit.EBIC(gamma=1, sparse="pool"), "bnjit.EBIC(gamma=1.0, sparse='pool')"),
        (bnjit.BGe(degrees_of_freedom=9), "bnjit.BGe(degrees_of_freedom=9.0)"),
        (bnjit.HeldOut(), "bnjit.HeldOut()"),
        (bnjit.HeldOut(0.1), "bnjit.HeldOut(test=0.1)"),
        (bnjit.HeldOut("rows.csv"), "bnjit.HeldOut(test='rows.csv')"),
        (bnjit.CrossValidation(5, one_se=True), "bnjit.CrossValidation(folds=5, one_se=True)"),
        (bnjit.Tabu(length=3, patience=0), "bnjit.Tabu(length=3, patience=0)"),
        (bnjit.Boss(restarts=20), "bnjit.Boss(restarts=20)"),
        (bnjit.GES(), "bnjit.GES()"),
        (bnjit.Exact(), "bnjit.Exact()"),
        (bnjit.Thorough(restarts=3, seconds=60), "bnjit.Thorough(restarts=3, seconds=60.0)"),
        (bnjit.RejectMissing(), "bnjit.RejectMissing()"),
    ],
    ids=repr,
)
def test_shown_as_typed(option, typed):
    assert repr(option) == typed
    assert eval(typed, {"bnjit": bnjit}) == option
    assert str(option) == (typed if option.changed() else option.name)


def test_tables_are_shown_by_what_they_are():
    assert repr(bnjit.HeldOut(pd.DataFrame({"x": [1.0]}))) == "bnjit.HeldOut(test=<DataFrame>)"
    assert repr(bnjit.HeldOut(np.ones((2, 2)), sparse="pool")) == "bnjit.HeldOut(test=<ndarray>, sparse='pool')"


def test_equality_and_hashes():
    assert bnjit.Tabu(length=10) == bnjit.Tabu()
    assert bnjit.Tabu(length=9) != bnjit.Tabu()
    assert bnjit.BDe() != bnjit.BDs()
    assert bnjit.HillClimbing() != bnjit.Boss()
    assert bnjit.BDe(imaginary_rows=1) == bnjit.BDe(imaginary_rows=1.0)
    assert len({bnjit.BIC(), bnjit.BIC(sparse="reject"), bnjit.BIC(sparse="pool"), bnjit.AIC()}) == 3
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    assert bnjit.HeldOut(frame) == bnjit.HeldOut(frame)
    assert hash(bnjit.HeldOut(frame)) == hash(bnjit.HeldOut(frame))
    assert bnjit.HeldOut(frame) != bnjit.HeldOut(frame.copy())
    assert bnjit.HeldOut(frame) != bnjit.HeldOut()
    assert bnjit.HeldOut(frame) != bnjit.HeldOut(frame, sparse="pool")
    assert {bnjit.HeldOut("rows.csv"), bnjit.HeldOut()} == {bnjit.HeldOut(), bnjit.HeldOut("rows.csv")}
    assert bnjit.HeldOut() != "pred"


@pytest.mark.parametrize("option", [bnjit.Tabu(length=3), bnjit.HeldOut(0.1), bnjit.EBIC(gamma=1.0)], ids=repr)
def test_they_are_values(option):
    assert pickle.loads(pickle.dumps(option)) == copy.deepcopy(option) == option
    name = fields(option)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(option, name, 1)


@pytest.mark.parametrize(
    ("known", "accept", "names"),
    [
        (
            SCORES,
            as_score,
            ["loglik", "aic", "bic", "ebic", "bde", "bds", "k2", "qnml", "fnml", "bge", "marginal", "pred", "cv"],
        ),
        (ALGORITHMS, as_algorithm, ["hc", "tabu", "boss", "ges", "exact", "thorough"]),
        (MISSING, as_missing, ["error", "drop", "available", "em"]),
    ],
    ids=["score", "algorithm", "missing"],
)
def test_names_classes_and_objects(known, accept, names):
    assert list(known) == names
    for name, option in known.items():
        made = option()
        assert option.name == name
        assert accept(name) == accept(option) == made
        assert accept(made) is made


@pytest.mark.parametrize(
    ("accept", "value", "message"),
    [
        (
            as_score,
            "bics",
            "score='bics' is not known; the scores are loglik, aic, bic, ebic, bde, bds, k2, qnml, fnml, bge, marginal",
        ),
        (as_score, 3, "score=3 is not known"),
        (as_score, None, "score=None is not known"),
        (as_score, ["bic"], "score=<list> is not known"),
        (as_score, {"bic": 1}, "or give an object with a method local_scores(node, parent_sets)"),
        (as_score, "tabu", "score='tabu' belongs to another argument: algorithm='tabu'"),
        (as_score, bnjit.Tabu(length=3), "belongs to another argument: algorithm=bnjit.Tabu(length=3)"),
        (as_score, bnjit.Tabu, "belongs to another argument: algorithm=bnjit.Tabu"),
        (as_score, bnjit.Score, "score=bnjit.Score is not known"),
        (
            as_algorithm,
            "hill",
            "algorithm='hill' is not known; the algorithms are hc, tabu, boss, ges, exact, thorough",
        ),
        (as_algorithm, "bic", "algorithm='bic' belongs to another argument: score='bic'"),
        (as_algorithm, "qr", "algorithm='qr' belongs to another argument: estimator='qr'"),
        (as_algorithm, bnjit.Algorithm(), "algorithm=bnjit.Algorithm() is not known"),
        (
            as_missing,
            "guess",
            "missing='guess' is not known; the rules are error, drop, available, em; or impute",
        ),
        (as_missing, None, "missing=None is not known"),
    ],
)
def test_what_is_not_known(accept, value, message):
    with pytest.raises(ArgumentError) as error:
        accept(value)
    assert message in str(error.value)


def test_a_score_of_ones_own_is_passed_on():
    class Own:
        def local_scores(self, node, parent_sets):
            return [0.0] * len(parent_sets)

    class Named(Own):
        name = "mine"

    class OfScore(bnjit.Score):
        def local_scores(self, node, parent_sets):
            return [0.0] * len(parent_sets)

    for own in (Own(), Named()):
        assert as_score(own) is own
    assert name_of(Own()) == "Own"
    assert name_of(Named()) == "mine"
    with pytest.raises(ArgumentError, match="score=Own is a class; give an object of it"):
        as_score(Own)
    with pytest.raises(ArgumentError, match=r"derives from bnjit\.Score, .*; a score of your own needs no base class"):
        as_score(OfScore())


def test_estimators_and_the_scores_that_they_are_for():
    for name, score in SCORES.items():
        check_estimator("stats", score())
        for estimator in ESTIMATORS[1:]:
            if name in ("bde", "bds", "k2", "qnml", "fnml", "bge", "marginal"):
                with pytest.raises(ArgumentError, match=f"estimator='{estimator}' is for scores that fit regressions"):
                    check_estimator(estimator, score())
                continue
            check_estimator(estimator, score())
            with pytest.raises(ArgumentError, match="sparse='pool' is for estimator=\"stats\""):
                check_estimator(estimator, score(sparse="pool"))
    for wrong in ("fast", None, ["qr"]):
        with pytest.raises(ArgumentError, match="is not known; the estimators are stats, qr, 1p, 2p"):
            check_estimator(wrong, bnjit.BIC())


def test_owners():
    assert owners_of("restarts", ALGORITHMS) == [bnjit.HillClimbing, bnjit.Tabu, bnjit.Boss, bnjit.Thorough]
    assert owners_of("imaginary_rows", SCORES) == [bnjit.BDe, bnjit.BDs, bnjit.BGe, bnjit.MarginalLikelihood]
    assert owners_of("seed", SCORES) == []
