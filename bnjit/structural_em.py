"""Structural EM: complete a table from the current network, learn from it, and so on until the network stays.

Tables of continuous columns alone need no network: their means and cross-products are completed for a normal
distribution of all columns (`stats/normal_em.py`), and one search follows. Elsewhere the gaps of every row are filled
by a draw from their distribution given what the row has, under the current network. A draw depends on the seed, the
round and the row's number, so that neither threads nor chunks nor workers change it.
"""

import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bnjit.data import Column, Table
from bnjit.data.gaps import Gaps
from bnjit.data.schema import Schema
from bnjit.data.source import Source
from bnjit.errors import ArgumentError, StatisticsError, as_seed, warn
from bnjit.graph import cpdag, make_dag
from bnjit.learning import Learned, Learning
from bnjit.network import Network, fit_network
from bnjit.network.gaps import GapFiller
from bnjit.options import EM, GES, Available, HillClimbing, Penalised, RejectMissing
from bnjit.search import run_until_stopped
from bnjit.stats import Store
from bnjit.stats.available import AvailableRows, stores_of_families
from bnjit.stats.normal_em import complete_moments, pattern_cells
from bnjit.stats.opening import make_store
from bnjit.stats.readers.saved import SavedReader
from bnjit.stats.store import in_own_units

log = logging.getLogger(__name__)


def learn_rows(rows: Schema | Store, test: Schema | None, learning: Learning) -> Learned:
    """Learn a network: by structural EM where rows have gaps that are to be filled, else from rows as they are."""
    if isinstance(learning.missing, EM) and isinstance(rows, Schema) and rows.gaps is not None:
        return learn_filled(rows, learning)
    return learning.learn(rows, test)


@dataclass(frozen=True)
class FillFromNetwork:
    """From rows whose gaps are levels and indicators to rows as they were given, with draws in the gaps."""

    filler: GapFiller
    gaps: Gaps
    seed: int

    def requires(self, columns: set[int]) -> set[int]:
        """Return the columns that some columns are made of: a draw depends on all."""
        if columns.isdisjoint(self.gaps.columns):
            return columns
        return {*range(len(self.gaps.schema.names)), *self.gaps.indicators.values()}

    def __call__(self, first: int, rows: Table) -> Table:
        """Rows without gaps; columns that nobody asked for stay empty."""
        schema, indicators = self.gaps.schema, self.gaps.indicators
        N = len(schema.names)
        columns = [
            Column(column.values, labels) for column, labels in zip(rows.columns[:N], schema.labels, strict=True)
        ]
        table = Table(schema.names, columns, rows.n)
        if any(len(columns[j].values) != rows.n for j in self.gaps.columns):
            return table
        masks = [
            None if j not in self.gaps.columns
            else rows.columns[indicators[j]].values.view(bool) if j in indicators
            else rows.columns[j].values == schema.levels[j]
            for j in range(N)
        ]  # fmt: skip
        return self.filler.fill(table, masks, self.seed, first)


class Filled(Source):
    """A source whose gaps are filled by draws from a network."""

    def __init__(self, base: Source, step: FillFromNetwork) -> None:
        schema = step.gaps.schema
        super().__init__(schema.names, schema.labels)
        self._base, self.n, self.constants, self.begins = base, base.n, True, base.begins
        self.steps = (*base.steps, step)


def fill_rows(table: Schema, network: Network, sweeps: int, seed: int) -> Schema:
    """Return a table, or a source, with draws from a network in its gaps."""
    assert table.gaps is not None
    step = FillFromNetwork(GapFiller(network, sweeps), table.gaps, seed)
    if isinstance(table, Source):
        return Filled(table, step)
    assert isinstance(table, Table)
    filled = step(0, table)
    filled.constants = filled.is_filled = True
    return filled


def rows_together(store: Store) -> float:
    """Rows that observe two columns together, on average over all pairs, and 2 at least: what data say of an arc."""
    rows = AvailableRows(store)
    N, gaps = len(rows.gaps.schema.names), rows.gaps.columns
    if N == 1:
        return max(2.0, rows.store_of(gaps).n)
    pairs = list(itertools.combinations(gaps, 2))
    rows.count_rows([*((v,) for v in gaps), *pairs])
    alone = {v: rows.store_of((v,)).n for v in gaps}
    whole = N - len(gaps)  # columns without gaps
    total = sum(rows.store_of(pair).n for pair in pairs)
    total += whole * sum(alone.values()) + whole * (whole - 1) // 2 * rows.n
    return max(2.0, total / (N * (N - 1) // 2))


def learn_filled(table: Schema, learning: Learning) -> Learned:
    """Learn a network by structural EM."""
    rule = learning.missing
    assert isinstance(rule, EM)
    if not isinstance(learning.score, Penalised) or learning.estimator != "stats":
        raise ArgumentError(
            'missing="em" goes with the scores loglik, aic, bic and ebic, whose price of a parameter knows how much '
            'was filled in, and with estimator="stats"'
        )
    if learning.checkpoint is not None:
        raise ArgumentError('checkpoint is of one search, and missing="em" makes several; leave it out')
    complete = learning.changed(missing=RejectMissing())
    if not any(table.as_given.discrete):
        completed = _from_moments(in_own_units(make_store(table, learning.max_memory)))
        if completed is not None:
            try:
                return complete.learn(completed, None)
            except StatisticsError:  # moments are not enough for some regression: rows are
                log.info("moments are not enough; gaps are filled row by row")
    if not isinstance(table, Table | Source):
        raise ArgumentError('missing="em" fills rows, and data is Statistics; give the table itself')
    return _by_draws(table, complete, rule)


def _from_moments(store: Store) -> Store | None:
    """Statistics of continuous columns completed by EM; None where patterns of gaps are too many."""
    cells = pattern_cells(store)
    if cells is None:
        return None
    completed = complete_moments(store, cells)
    log.info("EM for a normal distribution took %d steps", completed.steps)
    if not completed.converged:
        warn(f"EM did not converge in {completed.steps} steps; too many values may be missing together")
    return Store(SavedReader(completed))


def _by_available_rows(table: Schema, learning: Learning) -> tuple[Learned, float]:
    """Network that available rows give, and what the rows are worth; the statistics of gaps are not kept."""
    assert isinstance(learning.score, Penalised)
    begin = learning.changed(missing=Available(), warns=False, score=replace(learning.score, sparse="reject"))
    if isinstance(learning.algorithm, GES):
        begin = begin.changed(algorithm=HillClimbing())
    store = in_own_units(make_store(table, learning.max_memory))
    return begin.learn(store, None), rows_together(store)


def _by_draws(table: Schema, learning: Learning, rule: EM) -> Learned:
    """Rounds of filling, learning and fitting, until a round finds a network that was there before."""
    learned, worth = _by_available_rows(table, learning)
    learning = learning.changed(worth=worth)
    schema, seed = table.as_given, as_seed(learning.seed)
    seen: list[frozenset[tuple[int, int]]] = []
    for number in range(1, rule.iterations + 1):
        if learned.found.stopped_by == "Ctrl-C" or isinstance(learned.statistics, str):
            return learned
        made = _fill_and_learn(table, learned, learning, rule.sweeps, seed + number)
        if made is None:
            return learned._replace(found=learned.found._replace(stopped_by="Ctrl-C"))
        learned, learning = made, learning.changed(warns=False)
        found = _edges(learned, schema)
        log.info("round %d of structural EM: score %.6g, %d edges", number, learned.found.score, len(found))
        if found in seen:
            return learned
        seen.append(found)
    if rule.iterations > 1:
        warn(
            f"structural EM found another network in each of its {rule.iterations} rounds, and ends with the last; "
            "bnjit.EM(iterations=...) makes more of them"
        )
    return learned


def _fill_and_learn(table: Schema, before: Learned, learning: Learning, sweeps: int, seed: int) -> Learned | None:
    """One round, given the one before; None if Ctrl-C ends it, so that the network of that one stays."""
    made: list[Learned] = []
    stopped = run_until_stopped(
        lambda: made.append(learning.learn(fill_rows(table, _fitted(before), sweeps, seed), None))
    )
    if stopped or made[0].found.stopped_by == "Ctrl-C":
        return None
    seconds = {part: taken + before.seconds.get(part, 0.0) for part, taken in made[0].seconds.items()}
    return made[0]._replace(seconds=seconds)


def _edges(learned: Learned, schema: Schema) -> frozenset[tuple[int, int]]:
    """Edges of the equivalence class that a search has found."""
    parents = learned.found.best_parents
    dag = make_dag(range(len(parents)), schema.discrete, [(p, v) for v, own in enumerate(parents) for p in own])
    return frozenset(cpdag(dag).edges)


def _fitted(learned: Learned) -> Network:
    """Network that a search has found, with its parameters."""
    found = learned.statistics
    assert not isinstance(found, str)
    return found if isinstance(found, Network) else fit_network(Store(SavedReader(found)), learned.found.best_parents)


def fit_filled(
    table: Schema, parents: Sequence[tuple[int, ...]], rule: EM, prior_rows: float, max_memory: int | str | None
) -> Network:
    """Fit a network to a table with gaps by EM: exactly for continuous columns, else by rounds of draws."""
    store = in_own_units(make_store(table, max_memory))
    if not any(table.as_given.discrete):
        completed = _from_moments(store)
        if completed is not None:
            try:
                return fit_network(completed, parents, prior_rows)
            except StatisticsError:
                log.info("moments are not enough; gaps are filled row by row")
    network = fit_network(stores_of_families(store, parents), parents)
    for number in range(1, rule.iterations + 1):
        filled = make_store(fill_rows(table, network, rule.sweeps, number), max_memory, constants=True)
        network = fit_network(filled, parents, prior_rows if number == rule.iterations else 0.0)
    return network
