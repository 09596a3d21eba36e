"""From an algorithm as a user chose it to what runs on a Search."""

from collections.abc import Callable
from functools import partial
from typing import Any

from bnjit.options import (
    GES,
    Algorithm,
    Boss,
    CrossValidation,
    Exact,
    HillClimbing,
    LocalScore,
    Score,
    Tabu,
    Thorough,
    check_estimator,
)
from bnjit.search.exchange import with_exchanges
from bnjit.search.greedy import Search, hill_climbing, random_restarts, tabu_search
from bnjit.search.prune import prune

Run = Callable[[Search], None]


def make_searches(algorithm: Algorithm, score: Score | LocalScore, estimator: str, seed: int | None) -> list[Run]:
    """Choose what to run, once: the search, in which exchanges wrap a climb and restarts both; then pruning, if any."""
    check_estimator(estimator, score)
    search = _MAKERS[type(algorithm)](algorithm, seed)
    return [search, prune] if isinstance(score, CrossValidation) and score.one_se else [search]


def _hill_climbing(algorithm: HillClimbing, seed: int | None) -> Run:
    return _with_restarts(_exchanging(hill_climbing, algorithm.exchange), algorithm, seed)


def _tabu(algorithm: Tabu, seed: int | None) -> Run:
    patience = algorithm.length if algorithm.patience is None else algorithm.patience
    climb = partial(tabu_search, tabu=algorithm.length, max_tabu=patience)
    return _with_restarts(_exchanging(climb, algorithm.exchange, from_best=True), algorithm, seed)


def _boss(algorithm: Boss, seed: int | None) -> Run:
    from bnjit.search.order import order_search  # loaded when it is asked for, as most searches are climbs

    search = partial(order_search, restarts=algorithm.restarts, perturb=algorithm.perturb, seed=seed)
    return _exchanging(search, algorithm.exchange, from_best=True)


def _ges(_: GES, seed: int | None) -> Run:
    from bnjit.search.ges import equivalence_search

    return equivalence_search


def _exact(_: Exact, seed: int | None) -> Run:
    from bnjit.search.exact import exact_search

    return exact_search


def _thorough(algorithm: Thorough, seed: int | None) -> Run:
    from bnjit.search.thorough import thorough_search

    return partial(thorough_search, restarts=algorithm.restarts, seconds=algorithm.seconds, seed=seed)


def _exchanging(run: Run, exchange: bool, from_best: bool = False) -> Run:
    return partial(with_exchanges, algorithm=run, from_best=from_best) if exchange else run


def _with_restarts(climb: Run, algorithm: HillClimbing | Tabu, seed: int | None) -> Run:
    if not algorithm.restarts:
        return climb
    return partial(
        random_restarts, algorithm=climb, restarts=algorithm.restarts, perturb=algorithm.perturb, seed=seed,
        until_repeated=algorithm.until_repeated,
    )  # fmt: skip


_MAKERS: dict[type[Algorithm], Callable[[Any, int | None], Run]] = {
    HillClimbing: _hill_climbing, Tabu: _tabu, Boss: _boss, GES: _ges, Exact: _exact,
    Thorough: _thorough,
}  # fmt: skip
