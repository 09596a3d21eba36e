"""Network: a DAG with parameters, which can be sampled, predicted with, shown and saved."""

from collections.abc import Hashable, Sequence, Set
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bnjit.errors import ArgumentError
from bnjit.graph import Arc, make_dag
from bnjit.graph.dag import reject_cycles
from bnjit.network.nodes import DiscreteNode, Node

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_LISTED = 20  # nodes whose dependencies are listed in a notebook


class Network:
    """A Bayesian network: discrete, Gaussian or conditional linear Gaussian.

    Configurations of discrete parents that the data never showed, or in too few rows for a regression, or in rows that
    a regression fits without any error, have no parameters. Where sampling or prediction meets one, it uses the node's
    distribution over all rows instead, without its discrete parents (after smoothing, a discrete node's is uniform).

    A continuous node whose standard deviation is 0 is certain: it has the value that its regression gives.

    Parameters
    ----------
    names : sequence
        Names of the nodes, in column order.
    labels : sequence of tuples or None
        Levels of each discrete node, None for continuous ones.
    nodes : sequence of DiscreteNode or GaussianNode
        Local distributions, with parents by position.
    """

    def __init__(
        self, names: Sequence[Hashable], labels: Sequence[tuple[Hashable, ...] | None], nodes: Sequence[Node]
    ) -> None:
        self.names, self.labels, self.nodes = tuple(names), tuple(labels), tuple(nodes)
        self.discrete = tuple(isinstance(node, DiscreteNode) for node in nodes)
        self.levels = tuple(0 if labels is None else len(labels) for labels in self.labels)
        reject_cycles(self._arcs(), "the network")

    @property
    def dag(self) -> nx.DiGraph:
        """The structure, with the kind of each node."""
        return make_dag(self.names, self.discrete, self._arcs())

    def _arcs(self) -> list[Arc]:
        return [(self.names[p], self.names[j]) for j, node in enumerate(self.nodes) for p in node.parents]

    def __repr__(self) -> str:
        d = sum(self.discrete)
        arcs = sum(len(node.parents) for node in self.nodes)
        return f"bnjit.Network: {len(self.names)} nodes ({d} discrete, {len(self.names) - d} continuous), {arcs} arcs"

    def _repr_html_(self) -> str:
        from bnjit.plots import figure_as_svg

        counts = repr(self).partition(": ")[2]
        table = self._dependencies() if 0 < len(self.names) <= MOST_LISTED else ""
        return f"<b>bnjit.Network</b>: {counts}{table}{figure_as_svg(self.dag)}"

    def _dependencies(self) -> str:
        """A table in HTML: what each node is, and what it depends on."""
        left = "style='text-align:left'"
        rows = "".join(
            f"<tr><th {left}>{escape(str(name))}</th>"
            f"<td {left}>{'continuous' if labels is None else f'{len(labels)} level' + 's' * (len(labels) > 1)}</td>"
            f"<td {left}>{escape(', '.join(str(self.names[p]) for p in node.parents)) or '&ndash;'}</td></tr>"
            for name, labels, node in zip(self.names, self.labels, self.nodes, strict=True)
        )
        return f"<table><tr><th {left}>node</th><th {left}>kind</th><th {left}>depends on</th></tr>{rows}</table>"

    def plot(self, ax: "Axes | None" = None, **options: Any) -> "Axes":
        """Draw the graph, or a part of it: `network.plot(around="price", distance=1)`.

        Parameters
        ----------
        ax, **options
            As in `bnjit.plots.draw_dag`.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from bnjit.datasets import random_network
        >>> network = random_network("gaussian", 6, parents=1.5, seed=1)
        >>> plt.close(network.plot(around=network.names[0]).figure)
        """
        from bnjit.plots import draw_dag

        return draw_dag(self.dag, ax=ax, **options)

    def index(self, name: Hashable) -> int:
        """Position of a node."""
        if name not in self.names:
            raise ArgumentError(f"the network has no node {name!r}")
        return self.names.index(name)

    def order(self) -> list[int]:
        """Positions of the nodes, parents before children."""
        graph = nx.DiGraph()
        graph.add_nodes_from(range(len(self.nodes)))
        graph.add_edges_from((p, j) for j, node in enumerate(self.nodes) for p in node.parents)
        return list(nx.lexicographical_topological_sort(graph))

    def parameters(self, name: Hashable) -> "pd.DataFrame":
        """Parameters of a node as a table, a row for each configuration of its discrete parents that has some.

        Columns: the discrete parents; then the probability of each level, or the intercept, the coefficients of the
        continuous parents and the standard deviation `sd`. Where a parent has such a name, that of the parameter is in
        brackets, as in (sd). Configurations that are not there were never observed, or in too few rows for a
        regression, or in rows that one fits without any error.
        """
        import pandas as pd

        j = self.index(name)
        node = self.nodes[j]
        taken = {self.names[p] for p in node.parents}
        if isinstance(node, DiscreteNode):
            conditions, values = node.parents, node.probabilities
            shown: list[Hashable] = [_distinct(f"P({label})", taken) for label in self.labels[j] or ()]
        else:
            conditions, values = node.discrete, np.column_stack([node.coefficients, node.sd])
            slopes = (self.names[p] for p in node.continuous)
            shown = [_distinct("intercept", taken), *slopes, _distinct("sd", taken)]
        columns = [*self.configurations(conditions, node.keys), *values.T]
        table = pd.DataFrame(dict(enumerate(columns)), index=range(len(node.keys)))
        return table.set_axis(pd.Index([*(self.names[p] for p in conditions), *shown], tupleize_cols=False), axis=1)

    def configurations(self, parents: tuple[int, ...], keys: Any) -> list[list[Hashable]]:
        """Levels of the parents in each configuration: a list for each parent."""
        columns = []
        for parent in reversed(parents):
            labels = self.labels[parent] or ()
            keys, codes = np.divmod(keys, len(labels))
            columns.append([labels[code] for code in codes.tolist()])
        return columns[::-1]

    def sample(self, n: int, seed: int | None = None) -> "pd.DataFrame":
        """Draw rows from the network.

        The same seed gives the same rows, for any number of threads; the first rows of a longer sample are those of a
        shorter one.
        """
        from bnjit.network.sampling import sample_frame

        return sample_frame(self, n, seed)

    def sample_to(self, path: str | Path, n: int, seed: int | None = None, progress: bool | None = None) -> None:
        """Draw rows into a Parquet file, in bounded memory: the rows that `sample` draws.

        Names and levels that are numbers become strings, so that the columns are discrete when they are read.
        """
        from bnjit.network.sampling import sample_parquet

        sample_parquet(self, Path(path), n, seed, progress)

    def log_likelihood(self, data: Any, by_row: bool = False) -> "float | np.ndarray[Any, np.dtype[np.float64]]":
        """Log-likelihood of the rows of a table under the network; -inf for an event of probability 0.

        Columns are found by name; levels that the network does not have are an error. A continuous node that is
        certain, with a standard deviation of 0, has no density: it adds 0 where the value is the one it must be, up to
        rounding, and -inf elsewhere.
        """
        from bnjit.network.inference import log_likelihood

        values = log_likelihood(self, data)
        return values if by_row else float(values.sum())

    def predict(
        self, data: Any, node: Hashable, from_: str = "parents", particles: int = 500, seed: int | None = None
    ) -> "pd.Series[Any]":
        """Predict a node for every row of a table: its most probable level, or its expected value.

        Parameters
        ----------
        data : like the data of `bnjit.learn`
            With from_="parents" it must hold the parents; with from_="all", any of the other nodes.
        node : name
            What to predict; if it is among the columns of data, that column is ignored.
        from_ : {"parents", "all"}
            Predict from the parents alone, or from every other column of data. That is exact for Gaussian networks
            (by conditioning the joint normal distribution), and for any network when data holds all other nodes (by
            Bayes' rule). Otherwise it is approximate, by likelihood weighting. Nodes without variance allow evidence
            that contradicts itself; a part of it is then ignored.
        particles : int
            Samples a row for likelihood weighting.
        seed : int, optional
            Of likelihood weighting.

        Returns
        -------
        pandas.Series
            With the index of data, if that is a pandas DataFrame.
        """
        from bnjit.network.inference import predict

        return predict(self, data, self.index(node), from_, particles, seed)

    def to_networkx(self) -> nx.DiGraph:
        """Return the structure with node attributes: kind, levels, and `parameters`, a table."""
        graph = self.dag
        for name, labels in zip(self.names, self.labels, strict=True):
            graph.nodes[name]["parameters"] = self.parameters(name)
            if labels is not None:
                graph.nodes[name]["levels"] = list(labels)
        return graph

    def to_pgmpy(self) -> Any:
        """Model of the package pgmpy (extra `pgmpy`): a DiscreteBayesianNetwork or LinearGaussianBayesianNetwork.

        Configurations without parameters get the distribution that sampling uses for them. pgmpy has no conditional
        Gaussian networks.
        """
        from bnjit.network.pgmpy import to_pgmpy

        return to_pgmpy(self)

    def to_json(self, path: str | Path) -> None:
        """Write the network as JSON; see bnjit.network.jsonfile for the form."""
        from bnjit.network.jsonfile import write_json

        write_json(self, Path(path))


def _distinct(label: str, taken: Set[Hashable]) -> str:
    """Label in brackets, as many as it takes to differ from the names that are taken."""
    return _distinct(f"({label})", taken) if label in taken else label
