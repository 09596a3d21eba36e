"""What a user may choose, as small frozen dataclasses that check themselves: scores, algorithms, missing values.

An option belongs to what it is an option of: what only tabu search uses is an argument of `Tabu`, not of `learn`. A
name in quotes stands for the object with its defaults. Imports only errors.
"""

from bnjit.options.accept import (
    ESTIMATORS,
    AlgorithmLike,
    MissingLike,
    ScoreLike,
    as_algorithm,
    as_missing,
    as_score,
    check_estimator,
    name_of,
    owners_of,
    refuse_misplaced,
    typed_score,
)
from bnjit.options.algorithms import ALGORITHMS, GES, Algorithm, Boss, HillClimbing, Tabu
from bnjit.options.missing import MISSING, MissingRule, RejectMissing
from bnjit.options.option import Option
from bnjit.options.scores import (
    AIC,
    BIC,
    EBIC,
    K2,
    SCORES,
    SPARSE,
    Bayesian,
    BDe,
    BDs,
    BGe,
    CrossValidation,
    HeldOut,
    LocalScore,
    LogLik,
    MarginalLikelihood,
    Penalised,
    Score,
)

__all__ = [
    "AIC",
    "ALGORITHMS",
    "BIC",
    "EBIC",
    "ESTIMATORS",
    "GES",
    "K2",
    "MISSING",
    "SCORES",
    "SPARSE",
    "Algorithm",
    "AlgorithmLike",
    "BDe",
    "BDs",
    "BGe",
    "Bayesian",
    "Boss",
    "CrossValidation",
    "HeldOut",
    "HillClimbing",
    "LocalScore",
    "LogLik",
    "MarginalLikelihood",
    "MissingLike",
    "MissingRule",
    "Option",
    "Penalised",
    "RejectMissing",
    "Score",
    "ScoreLike",
    "Tabu",
    "as_algorithm",
    "as_missing",
    "as_score",
    "check_estimator",
    "name_of",
    "owners_of",
    "refuse_misplaced",
    "typed_score",
]
