"""From rows to a searched network: the steps that `learn` takes once for a table, and for every table that EM fills."""

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from bnjit.data.schema import Schema
from bnjit.errors import ArgumentError
from bnjit.forecast import forecast_search
from bnjit.graph.bits import bits_of
from bnjit.options import GES, Algorithm, Exact, LocalScore, MissingRule, Score, typed_score
from bnjit.progress import Progress
from bnjit.result import summarise
from bnjit.scores import Scorer, make_scorer
from bnjit.scores.impossible import warn_of_impossible
from bnjit.search import Outcome, ScoreMemo, Search, State
from bnjit.search.algorithms import make_searches
from bnjit.search.checkpoint import open_checkpoint
from bnjit.search.constraints import Constraints
from bnjit.search.related import warn_of_columns, without_copies
from bnjit.stats import Store

if TYPE_CHECKING:
    from bnjit.network import Network
    from bnjit.stats.graph_statistics import GraphStatistics


class Learned(NamedTuple):
    """What a search has found, what `Result.fit` needs of it, and how long its parts took; no rows and no store.

    Of structural EM it is the last search, and the time of all of them.
    """

    found: Outcome
    statistics: "GraphStatistics | Network | str"
    seconds: dict[str, float]


@dataclass(frozen=True)
class Learning:
    """How a network is learned, whatever the rows are.

    Attributes
    ----------
    score, algorithm, estimator, seed, max_iter, max_memory, checkpoint
        As `learn` takes them.
    missing : MissingRule
        What becomes of gaps.
    constraints : Constraints
        Arcs that must be, and must not be.
    shown : Progress
        Where progress is shown.
    worth : float, optional
        Rows that the data are worth, where some values were filled in.
    warns : bool
        Whether to warn of what is odd about the columns.
    """

    score: Score | LocalScore
    algorithm: Algorithm
    estimator: str
    seed: int | None
    max_iter: int | None
    max_memory: Any
    checkpoint: Any
    missing: MissingRule
    constraints: Constraints
    shown: Progress
    worth: float | None = None
    warns: bool = True

    def scorer(self, rows: Schema | Store, test: Schema | None) -> Scorer:
        """Return the local scores of rows."""
        scorer = make_scorer(
            rows, self.score, self.estimator, test, self.seed, self.max_memory, self.missing, self.worth
        )  # fmt: skip
        if scorer.rows is not None and isinstance(self.algorithm, GES):
            raise ArgumentError(
                'algorithm="ges" needs a score that is equal for equivalent graphs, which averages over different rows '
                'are not; with missing="available" use "hc", "tabu" or "boss", or take missing="em"'
            )
        return scorer

    def learn(self, rows: Schema | Store, test: Schema | None) -> Learned:
        """Learn from rows as they are; what is missing in some of them is left out."""
        began = time.perf_counter()
        scorer = self.scorer(rows, test)
        seconds = {"statistics": time.perf_counter() - began}
        learned = self.run(scorer, (rows.schema if isinstance(rows, Store) else rows).as_given, test)
        return learned._replace(seconds=seconds | learned.seconds)

    def run(self, scorer: Scorer, schema: Schema, test: Schema | None) -> Learned:
        """Search for a network."""
        began = time.perf_counter()
        constraints = self.constraints
        if not (scorer.is_users_own or scorer.rows):
            constraints, relations = without_copies(constraints, scorer.store, scorer.constants)
            if self.warns:
                warn_of_columns(schema, relations, self.score)
        kept = open_checkpoint(self.checkpoint, scorer, self.score, self.estimator, self.seed, test, self.missing)
        memo = ScoreMemo(scorer, kept)
        if self.warns:
            self.shown.say(lambda: forecast_search(schema, scorer.store.memory))
        self.shown.begin()
        with memo.kept():
            search = Search(State(memo, constraints), self.max_iter, self.shown)
            if isinstance(self.algorithm, Exact):
                from bnjit.search.exact import forecast_exact

                self.shown.say(lambda: forecast_exact(search.state))
            search.run_all(make_searches(self.algorithm, self.score, self.estimator, self.seed))
        seconds = {"search": time.perf_counter() - began}
        statistics = summarise(search, scorer)
        if search.best_rank[0] < len(schema.names) and search.stopped_by != "Ctrl-C":
            best = search.best_parents
            warn_of_impossible(scorer, memo.get([(v, bits_of(own)) for v, own in enumerate(best)]), best)
        seconds["summary"] = time.perf_counter() - began - seconds["search"]
        return Learned(search.outcome, statistics, seconds)

    def typed(self, table: Schema) -> dict[str, str]:
        """What a user would type for all this, for the result."""
        what = {"score": typed_score(self.score), "estimator": self.estimator, "algorithm": str(self.algorithm)}
        return what if table.gaps is None else what | {"missing": str(self.missing)}

    def changed(self, **what: Any) -> "Learning":
        """Return the same with some attributes changed."""
        return replace(self, **what)
