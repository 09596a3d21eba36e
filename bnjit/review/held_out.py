"""How well a network predicts rows that its parameters were not fitted to, node by node."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np

from bnjit.data import Table
from bnjit.data.split import split_rows
from bnjit.errors import DataError
from bnjit.graph import parent_sets
from bnjit.review.tuning import MOST_TEST_ROWS

if TYPE_CHECKING:
    from bnjit.network import Network


class Prediction(NamedTuple):
    """How well a node is predicted: the share of right levels, or R2, which is 0 for the mean of the training rows.

    others, parents : from all other columns of the row, from the parents alone
    baseline : of the most frequent level of the training rows, or 0
    """

    name: Hashable
    measure: str
    others: float
    parents: float
    baseline: float


class HeldOutRows(NamedTuple):
    """Predictions of all nodes, and from how many rows they are."""

    predictions: list[Prediction]
    n_train: int
    n_test: int
    n_dropped: int


def complete_rows(dag: nx.DiGraph, data: Any) -> Table:
    """Read the rows without gaps, as the graph was learned from them; DataError where they do not fit in memory."""
    from bnjit.stats.opening import read_rows

    discrete = [name for name, kind in dag.nodes(data="kind") if kind == "discrete"]
    table = read_rows(data, discrete, None, gaps="drop")
    if not isinstance(table, Table):
        raise DataError("the rows do not fit in memory")
    return table


def predict_held_out(dag: nx.DiGraph, data: Any, n_rows: int, share: float, seed: int | None) -> HeldOutRows:
    """Fit the graph to a part of the rows, and predict the rest.

    Rows with gaps are left out: they are `n_rows` less those that are read. Raises DataError where that cannot be done.
    """
    from bnjit.network import fit_network
    from bnjit.stats.opening import make_store

    table = complete_rows(dag, data)
    train, test = split_rows(table, share, seed)
    if test.n > MOST_TEST_ROWS:
        test = test.take(np.arange(test.n) < MOST_TEST_ROWS)
    network = fit_network(make_store(train, constants=True), parent_sets(dag, table.names, table.discrete))
    predictions = [_predict(network, j, train, test) for j in range(len(table.names))]
    return HeldOutRows(predictions, train.n, test.n, n_rows - table.n)


def _predict(network: "Network", j: int, train: Table, test: Table) -> Prediction:
    """Prediction of node j."""
    name, labels = network.names[j], network.labels[j]
    found = [network.predict(test, name, from_=source, seed=1) for source in ("all", "parents")]
    values = test.columns[j].values
    if labels is None:
        mean = float(train.columns[j].values.mean())
        others, parents = (_r_squared(values, one.to_numpy(float), mean) for one in found)
        return Prediction(name, "R²", others, parents, 0.0)
    usual = int(np.bincount(train.columns[j].values, minlength=len(labels)).argmax())
    others, parents = (float((one.cat.codes.to_numpy() == values).mean()) for one in found)
    return Prediction(name, "accuracy", others, parents, float((values == usual).mean()))


def _r_squared(values: Any, predicted: Any, mean: float) -> float:
    """Share of the squared deviations from the mean of the training rows that a prediction explains."""
    total = float(((values - mean) ** 2).sum())
    left = float(((values - predicted) ** 2).sum())
    return 1.0 - left / total if total > 0 else float(left == 0.0)
