"""Average effects of one node on another under the graph."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bnjit.errors import ArgumentError
from bnjit.network.queries.answers import Posterior, as_answer
from bnjit.network.queries.asking import impossible, read_question
from bnjit.network.queries.evidence import Evidence, intervene
from bnjit.network.queries.joint import Joint, find_joint

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network


@dataclass(frozen=True, eq=False)
class Effect:
    """What setting one node does to another, under the graph. `network.effect` returns it.

    Attributes
    ----------
    cause, outcome : names
    table : pandas.DataFrame
        What is expected of the outcome (its mean, or the probability of each level) after the cause is set,
        `do(cause)`, and where it is merely seen; a row for each level of the cause. For a continuous cause, one row:
        by how much the outcome's mean differs per unit of the cause.
    adjusted_for : tuple
        Parents of the cause that tell apart what it does and what it goes along with, as few as possible.
    """

    cause: Hashable
    outcome: Hashable
    table: "pd.DataFrame"
    adjusted_for: tuple[Hashable, ...]

    def __repr__(self) -> str:
        adjusted = f", adjusted for {', '.join(map(str, self.adjusted_for))}" if self.adjusted_for else ""
        head = f"bnjit effect of {self.cause} on {self.outcome}{adjusted}; causal only if the graph is"
        return f"{head}\n{self.table.to_string()}"

    @property
    def difference(self) -> "pd.DataFrame | pd.Series[Any]":
        """What setting the cause to each level changes, against its first level; per unit if it is continuous."""
        done = self.table[f"do({self.cause})"]
        return done if self.table.index.tolist() == ["per unit"] else done - done.iloc[0]


def find_effect(network: "Network", cause: Hashable, outcome: Hashable, given: Any) -> Effect:
    """Average effect of a node on another; see Network.effect."""
    import pandas as pd

    x, y = network.index(cause), network.index(outcome)
    if x == y:
        raise ArgumentError(f"cause and outcome are the same node, {cause!r}")
    _, evidence = read_question(network, given, None)
    graph = network.dag
    later = nx.descendants(graph, cause)
    for j in (*evidence.values, *evidence.likelihoods):
        name = network.names[j]
        if j in (x, y):
            raise ArgumentError(f"node {name!r} is in given; it must be the cause or the outcome, or be given")
        if name in later:
            raise ArgumentError(f"given: node {name!r} descends from the cause {cause!r}; leave it out")
    if network.labels[x] is None and network.labels[y] is not None:
        raise ArgumentError(
            f"{cause!r} is continuous and {outcome!r} discrete: in such networks discrete nodes have no continuous "
            "parents, so that it has no effect"
        )
    adjusted = _adjustment(network, graph, x, y, evidence) if outcome in later else ()
    done, seen = f"do({cause})", "seen"
    if network.labels[x] is None:
        moments = _answer(network, [x, y], evidence)
        assert isinstance(moments, Posterior)
        apart = float(moments.sd.iloc[0]) or 1.0
        low, high = (
            _outcome(network, x, y, float(moments.mean.iloc[0]) + step, evidence, do=True)[0] for step in (0.0, apart)
        )
        slope = moments.covariance.iloc[0, 1] / moments.variance.iloc[0] if moments.variance.iloc[0] > 0.0 else np.nan
        table = pd.DataFrame({done: [(high - low) / apart], seen: [slope]}, ["per unit"])
        return Effect(cause, outcome, table, adjusted)
    levels = network.labels[x] or ()
    parts = [
        np.array([_outcome(network, x, y, code, evidence, do) for code in range(len(levels))]) for do in (True, False)
    ]
    index = pd.Index(levels, tupleize_cols=False)
    if network.labels[y] is None:
        return Effect(cause, outcome, pd.DataFrame({done: parts[0][:, 0], seen: parts[1][:, 0]}, index), adjusted)
    columns = pd.MultiIndex.from_product([[done, seen], list(network.labels[y] or ())])
    return Effect(cause, outcome, pd.DataFrame(np.hstack(parts), index).set_axis(columns, axis=1), adjusted)


def _adjustment(network: "Network", graph: nx.DiGraph, x: int, y: int, evidence: Evidence) -> tuple[Hashable, ...]:
    """Parents of the cause that separate it from the outcome when its own arcs are taken away, as few as possible."""
    cause, outcome = network.names[x], network.names[y]
    other = graph.copy()
    other.remove_edges_from(list(graph.out_edges(cause)))
    given = {network.names[j] for j in evidence.values}
    kept = [network.names[p] for p in network.nodes[x].parents if network.names[p] not in given]
    for name in list(kept):
        rest = [k for k in kept if k != name]
        if nx.is_d_separator(other, {cause}, {outcome}, {*rest, *given}):
            kept = rest
    return tuple(kept)


def _outcome(network: "Network", x: int, y: int, value: float, evidence: Evidence, do: bool) -> Any:
    """Mean of the outcome, or probabilities of its levels, with the cause set or seen at a value."""
    own = np.array([value], np.int64 if network.discrete[x] else np.float64)
    known = evidence._replace(values={**evidence.values, x: own})
    changed = intervene(network, Evidence(1, {x: own}, {})) if do else network
    joint = find_joint(changed, [y], known)
    if np.isnan(joint.weights).any():
        if do:
            raise impossible(network, evidence)
        return np.full(max(network.levels[y], 1), np.nan)  # a level that is never seen
    answer = as_answer(changed, [y], joint, 0)
    return answer.mean.to_numpy() if isinstance(answer, Posterior) else answer.to_numpy()


def _answer(network: "Network", nodes: list[int], evidence: Evidence) -> Any:
    """Joint posterior of some nodes."""
    joint: Joint = find_joint(network, nodes, evidence)
    if np.isnan(joint.weights).any():
        raise impossible(network, evidence)
    return as_answer(network, nodes, joint, 0)
