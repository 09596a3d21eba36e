"""From what a user gives, a name, a class or an object, to the object; and errors that say what belongs where."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, TypeAlias, TypeVar

from bnjit.errors import ArgumentError
from bnjit.options.algorithms import ALGORITHMS, Algorithm
from bnjit.options.missing import MISSING, DropRows, MissingRule, RejectMissing
from bnjit.options.option import Option, shown, typed_arguments
from bnjit.options.scores import NML, SCORES, Bayesian, LocalScore, Score

ESTIMATORS = ("stats", "qr", "1p", "2p")

ScoreLike: TypeAlias = str | Score | type[Score] | LocalScore
AlgorithmLike: TypeAlias = str | Algorithm | type[Algorithm]
MissingLike: TypeAlias = str | MissingRule | type[MissingRule]

# Other words for an argument of an option, and the word for it here.
SYNONYMS = {
    "tabu": "length", "max_tabu": "patience", "test_fraction": "test", "test_data": "test", "iss": "imaginary_rows"
}  # fmt: skip

T = TypeVar("T", bound=Option)


def as_score(score: ScoreLike) -> Score | LocalScore:
    """Score that a name, a class or an object stands for; a user's own object as it is.

    Examples
    --------
    >>> as_score("bic") == as_score(SCORES["bic"]) == SCORES["bic"]()
    True
    """
    found = _known(score, SCORES)
    if found is not None:
        return found
    if not isinstance(score, str) and callable(getattr(score, "local_scores", None)):
        if isinstance(score, type):
            raise ArgumentError(f"score={_typed(score)} is a class; give an object of it")
        if isinstance(score, Score):
            raise ArgumentError(
                f"score={_typed(score)} derives from bnjit.Score, whose scores are computed here; a score of your own "
                "needs no base class"
            )
        return score
    raise _unknown("score", score, SCORES, "or give an object with a method local_scores(node, parent_sets)")


def as_algorithm(algorithm: AlgorithmLike) -> Algorithm:
    """Algorithm that a name, a class or an object stands for.

    Examples
    --------
    >>> as_algorithm("tabu").length
    10
    """
    found = _known(algorithm, ALGORITHMS)
    if found is None:
        raise _unknown("algorithm", algorithm, ALGORITHMS)
    return found


def as_missing(missing: MissingLike) -> MissingRule:
    """Rule for missing values that a name, a class or an object stands for."""
    found = _known(missing, MISSING)
    if found is None:
        raise _unknown("missing", missing, MISSING, "or impute the values beforehand")
    return found


def gap_rule(missing: MissingLike) -> Literal["refuse", "drop", "keep"]:
    """What reading does with missing values under a rule: refuse them, drop their rows, or keep them."""
    rule = as_missing(missing)
    return "refuse" if isinstance(rule, RejectMissing) else "drop" if isinstance(rule, DropRows) else "keep"


def _known(value: Any, known: Mapping[str, type[T]]) -> T | None:
    """Object that a value stands for, None if it stands for none of these."""
    if isinstance(value, str) and value in known:
        return known[value]()
    for each in known.values():
        if value is each:
            return each()
        if type(value) is each:
            return value
    return None


def _unknown(argument: str, value: Any, known: Mapping[str, type[Option]], more: str = "") -> ArgumentError:
    """Say what there is, or which other argument was meant."""
    for other, options in (("score", SCORES), ("algorithm", ALGORITHMS), ("missing", MISSING)):
        if other != argument and _known(value, options) is not None:
            return ArgumentError(f"{argument}={_typed(value)} belongs to another argument: {other}={_typed(value)}")
    if isinstance(value, str) and value in ESTIMATORS:
        return ArgumentError(f"{argument}={value!r} belongs to another argument: estimator={value!r}")
    plural = {"score": "scores", "algorithm": "algorithms", "missing": "rules"}[argument]
    is_one = len(known) == 1
    there = f"the {plural[:-1] if is_one else plural} {'is' if is_one else 'are'} {', '.join(known)}"
    return ArgumentError(f"{argument}={_typed(value)} is not known; {there}{'; ' if more else ''}{more}")


def _typed(value: Any) -> str:
    """Value as a user would type it."""
    if isinstance(value, type):
        return f"bnjit.{value.__name__}" if issubclass(value, Option) else value.__name__
    return repr(value) if isinstance(value, Option) else shown(value)


def name_of(score: Score | LocalScore) -> str:
    """Name of a score: its own, or that of its class if it has none."""
    return str(getattr(score, "name", type(score).__name__))


def typed_score(score: Score | LocalScore) -> str:
    """What a user would type for a score; the name of one of their own."""
    return str(score) if isinstance(score, Score) else name_of(score)


def check_estimator(estimator: str, score: Score | LocalScore) -> None:
    """Raise for an estimator that there is not, or that does not apply to a score."""
    if not isinstance(estimator, str) or estimator not in ESTIMATORS:
        raise ArgumentError(f"estimator={estimator!r} is not known; the estimators are {', '.join(ESTIMATORS)}")
    if estimator == "stats":
        return
    if not isinstance(score, Score):
        raise ArgumentError(f"estimator={estimator!r} does not apply to a score of your own; leave it out")
    if isinstance(score, Bayesian | NML):
        raise ArgumentError(
            f"estimator={estimator!r} is for scores that fit regressions, and {score.name} does not; leave it out"
        )
    for name, value in (("sparse", "reject"), ("penalty", "global"), ("density", "plugin")):
        given = score.arguments().get(name, value)
        if given != value:
            raise ArgumentError(
                f'{name}={given!r} is for estimator="stats"; with estimator={estimator!r} it must be "{value}"'
            )


def refuse_misplaced(
    function: str, misplaced: Mapping[str, Any], score: Score | LocalScore, algorithm: Algorithm | None = None
) -> None:
    """Raise for an argument that belongs to a score or an algorithm, saying where; or that there is not."""
    for name, value in misplaced.items():
        if name == "method":
            raise ArgumentError(f"method is called estimator here: estimator={shown(value)}")
        option = SYNONYMS.get(name, name)
        for argument, article, chosen, known in (
            ("score", "a score", score, SCORES), ("algorithm", "an algorithm", algorithm, ALGORITHMS)
        ):  # fmt: skip
            owners = owners_of(option, known)
            if not owners:
                continue
            if chosen is None:
                raise ArgumentError(f"{name} belongs to {article}, and bnjit.{function} has none; leave it out")
            owner, given = owners[0], {option: value}
            if isinstance(chosen, Option) and type(chosen) in owners:
                owner, given = type(chosen), chosen.changed() | given
            typed = f"bnjit.{owner.__name__}({typed_arguments(given)})"
            raise ArgumentError(f"{name} belongs to {article}: {argument}={typed}")
        raise TypeError(f"bnjit.{function} has no argument {name!r}; help(bnjit.{function}) lists what it takes")


def owners_of(option: str, known: Mapping[str, type[T]]) -> list[type[T]]:
    """Classes that have an argument.

    Examples
    --------
    >>> owners_of("length", ALGORITHMS)
    [<class 'bnjit.options.algorithms.Tabu'>]
    """
    return [each for each in known.values() if option in (argument.name for argument in fields(each))]
