"""From an algorithm as a user chose it to what runs on a Search."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from bnjit.options import GES, Algorithm, Boss, CrossValidation, HillClimbing, LocalScore, Score, Tabu, check_estimator
from bnjit.search.exchange import with_exchanges
from bnjit.search.ges import equivalence_search
from bnjit.search.greedy import Search, hill_climbing, random_restarts, tabu_search
from bnjit.search.local import local_scores
from bnjit.search.order import order_search
from bnjit.search.prune import prune

Run = Callable[[Search], None]


class Goal(NamedTuple):
    """What a search maximises, and how local distributions are estimated; what it draws at random."""

    score: Score | LocalScore
    estimator: str
    seed: int | None


def make_searches(algorithm: Algorithm, score: Score | LocalScore, estimator: str, seed: int | None) -> list[Run]:
    """Choose what to run, once: the search, in which exchanges wrap a climb and restarts both; then pruning, if any."""
    check_estimator(estimator, score)
    search = _MAKERS[type(algorithm)](algorithm, Goal(score, estimator, seed))
    return [search, prune] if isinstance(score, CrossValidation) and score.one_se else [search]


def _hill_climbing(algorithm: HillClimbing, goal: Goal) -> Run:
    return _with_restarts(_exchanging(hill_climbing, algorithm.exchange), algorithm, goal)


def _tabu(algorithm: Tabu, goal: Goal) -> Run:
    patience = algorithm.length if algorithm.patience is None else algorithm.patience
    climb = partial(tabu_search, tabu=algorithm.length, max_tabu=patience)
    return _with_restarts(_exchanging(climb, algorithm.exchange, from_best=True), algorithm, goal)


def _boss(algorithm: Boss, goal: Goal) -> Run:
    def search_orders(search: Search) -> None:
        scores = local_scores(search.state.scorer, goal.score, goal.estimator)
        order_search(search, scores, algorithm.restarts, algorithm.perturb, goal.seed)

    return _exchanging(search_orders, algorithm.exchange, from_best=True)


def _ges(_: GES, goal: Goal) -> Run:
    return lambda search: equivalence_search(search, local_scores(search.state.scorer, goal.score, goal.estimator))


def _exchanging(run: Run, exchange: bool, from_best: bool = False) -> Run:
    return partial(with_exchanges, algorithm=run, known={}, from_best=from_best) if exchange else run


def _with_restarts(climb: Run, algorithm: HillClimbing | Tabu, goal: Goal) -> Run:
    if not algorithm.restarts:
        return climb
    return partial(
        random_restarts, algorithm=climb, restarts=algorithm.restarts, perturb=algorithm.perturb, seed=goal.seed
    )


_MAKERS: dict[type[Algorithm], Callable[[Any, Goal], Run]] = {
    HillClimbing: _hill_climbing, Tabu: _tabu, Boss: _boss, GES: _ges
}  # fmt: skip
