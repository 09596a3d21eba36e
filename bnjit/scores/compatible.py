"""What does not go together: scores, estimators, rules for missing values, kinds of columns and of rows."""

import numpy as np

from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.errors import ArgumentError, DataError
from bnjit.options import (
    BIC,
    NML,
    Bayesian,
    CrossValidation,
    HeldOut,
    LocalScore,
    MarginalLikelihood,
    MissingRule,
    Penalised,
    Score,
)
from bnjit.options import BGe as BGeOptions
from bnjit.stats import Store
from bnjit.stats.statistics import Statistics


def check_kinds(schema: Schema, score: Score | LocalScore) -> None:
    """Raise for a score that some column's kind has no place in."""
    if not isinstance(score, Bayesian | NML) or isinstance(score, MarginalLikelihood):
        return
    takes = "continuous" if isinstance(score, BGeOptions) else "discrete"
    wrong = np.flatnonzero(schema.discrete).tolist() if takes == "continuous" else schema.continuous
    if len(wrong):
        raise DataError(
            f"score={score.name!r} is for {takes} columns alone, and column {schema.names[wrong[0]]!r} is not {takes}; "
            "use loglik, aic, bic, ebic, marginal, pred or cv"
        )


def check_available(score: Score | LocalScore, estimator: str, rule: MissingRule) -> None:
    """Raise for what available rows cannot be combined with."""
    if not isinstance(score, Penalised | HeldOut):
        name = getattr(score, "name", "your own score")
        raise ArgumentError(
            f'score={name!r} cannot be had from available rows; with missing="available" use loglik, aic, bic, ebic '
            'or pred, or take missing="drop"'
        )
    given = getattr(rule, "penalty", None)
    if given is not None and not (isinstance(score, BIC) and score.penalty == "global"):
        raise ArgumentError(
            f"penalty={given!r} of bnjit.Available is the price of a parameter, and score={score.name!r} brings its "
            'own; give it with score="bic"'
        )
    if estimator != "stats":
        raise ArgumentError(f'estimator={estimator!r} needs complete rows; with missing="available" use "stats"')
    if score.sparse != "reject":
        raise ArgumentError(
            f'sparse={score.sparse!r} does not go with missing="available"; use bnjit.BIC(penalty="local"), which puts '
            "sparse configurations together"
        )


def check_rows(data: Schema | Store, test: Schema | None, score: Score | LocalScore, estimator: str) -> None:
    """Raise for what needs rows, or all of them in memory."""
    rowless = not data.reader.has_rows if isinstance(data, Store) else isinstance(data, Statistics)
    if isinstance(score, CrossValidation) and rowless:
        raise ArgumentError(
            'score="cv" divides rows into folds, and data is Statistics; give the rows, or use "pred" with two '
            "Statistics"
        )
    if any(getattr(rows, "weights", None) is not None for rows in (data, test)):
        _check_weights(score, estimator)
    if isinstance(data, Table | Store) and isinstance(test, Table | None):
        return
    if estimator != "stats":
        raise ArgumentError(
            f"estimator={estimator!r} fits every local distribution from all rows, which must be in memory; use "
            'estimator="stats", whose scores are the same'
        )


def _check_weights(score: Score | LocalScore, estimator: str) -> None:
    """Raise for what needs rows that count once each."""
    remedy = "give weights that are whole numbers, and whose sum of rows memory holds"
    if estimator != "stats":
        raise ArgumentError(f'estimator={estimator!r} fits rows without weights; use estimator="stats", or {remedy}')
    if isinstance(score, NML):
        raise ArgumentError(f"score={score.name!r} is for whole numbers of rows; use another score, or {remedy}")
