"""Network: a DAG with parameters, which can be sampled, predicted with, shown and saved."""

import os
from collections.abc import Hashable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bnjit.errors import ArgumentError
from bnjit.graph import Arc, make_dag
from bnjit.graph.dag import reject_cycles
from bnjit.network.nodes import DiscreteNode, Node
from bnjit.network.queries.methods import Queries

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bnjit.explore import Page

MOST_LISTED = 20  # nodes whose dependencies are listed in a notebook


class Network(Queries):
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

    def explore(
        self,
        path: "str | os.PathLike[str] | None" = None,
        strength: "pd.DataFrame | None" = None,
        height: int | None = 640,
    ) -> "Page":
        """Make a page to explore the network with: zoom, search, parameters and distribution of every node.

        Parameters
        ----------
        path : path, optional
            An .html file to write: one file, which needs no connection.
        strength : pandas.DataFrame, optional
            From `bnjit.arc_strength`; a slider then leaves out weak arcs.
        height : int, optional
            Of the page in a notebook, in pixels; None for what the names need.

        Returns
        -------
        Page
            A notebook shows it; `save(path)` writes it.

        Examples
        --------
        >>> from bnjit.datasets import small_mixed
        >>> page = small_mixed().explore()
        >>> page.html[:15]
        '<!DOCTYPE html>'
        """
        from bnjit.explore import make_explorer
        from bnjit.network.details import describe_nodes

        facts = repr(self).partition(": ")[2]
        return make_explorer(self.dag, describe_nodes(self), strength, path, height, facts)

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
        from bnjit.network.parameters import parameter_table

        return parameter_table(self, self.index(name))

    def configurations(self, parents: tuple[int, ...], keys: Any) -> list[list[Hashable]]:
        """Levels of the parents in each configuration: a list for each parent."""
        columns = []
        for parent in reversed(parents):
            labels = self.labels[parent] or ()
            keys, codes = np.divmod(keys, len(labels))
            columns.append([labels[code] for code in codes.tolist()])
        return columns[::-1]

    def sample(self, n: int, seed: int | None = None, do: Any = None) -> "pd.DataFrame":
        """Draw rows from the network, or from what it becomes when some nodes are set, as in do={"smoking": "no"}.

        The same seed gives the same rows, for any number of threads; the first rows of a longer sample are those of a
        shorter one. Nodes that do not descend from what is set are the same with and without `do`.
        """
        from bnjit.network.queries.evidence import intervene, read_actions
        from bnjit.network.sampling import sample_frame

        return sample_frame(self if do is None else intervene(self, read_actions(self, do)), n, seed)

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

        Values may be missing (NaN, None, NA, nulls): a row then has the likelihood of what is observed. Missing values
        without observed descendants drop out, continuous ones are integrated out in closed form, and discrete ones
        that depend on each other given what is observed are summed over. That is exact; rows in which the sum would
        have more than 65,536 terms are an error.

        Examples
        --------
        >>> from bnjit.datasets import small_gaussian
        >>> network = small_gaussian()
        >>> row = network.sample(1, seed=1).assign(C=float("nan"))
        >>> round(network.log_likelihood(row), 6)
        -5.93748
        """
        from bnjit.network.inference import log_likelihood

        values = log_likelihood(self, data)
        return values if by_row else float(values.sum())

    def predict(
        self, data: Any, node: Hashable, from_: str = "all", particles: int = 500, seed: int | None = None,
        probabilities: bool = False,
    ) -> "pd.Series[Any] | pd.DataFrame":  # fmt: skip
        """Predict a node for every row of a table: its most probable level, or its expected value.

        Values may be missing (NaN, None, NA, nulls), row by row: each row is predicted from what it has.

        Parameters
        ----------
        data : like the data of `bnjit.learn`
            With from_="parents" it must have columns for the parents; with from_="all", for any of the other nodes.
        node : name
            What to predict; if it is among the columns of data, that column is ignored.
        from_ : {"all", "parents"}
            Predict from every other column of data, or from the parents alone. Missing values, and nodes without a
            column, are summed or integrated out. That is always exact for Gaussian networks, and for rows that have
            all other nodes. In other networks it is exact where the missing discrete nodes that matter can be
            summed out one after another in tables of at most 16,384 entries; beyond that, rows are predicted by
            likelihood weighting. Where a parent is missing,
            from_="parents" sums over it in the same way, given the other parents. Nodes without variance allow
            evidence that contradicts itself; a part of it is then ignored.
        particles : int
            Samples a row for likelihood weighting.
        seed : int, optional
            Of likelihood weighting.
        probabilities : bool
            Return the probability of each level of a discrete node.

        Returns
        -------
        pandas.Series, or pandas.DataFrame with a column for each level if `probabilities`
            With the index of data, if that is a pandas DataFrame.

        Examples
        --------
        >>> from bnjit.datasets import small_mixed
        >>> network = small_mixed()
        >>> rows = network.sample(3, seed=1)[["A", "E", "G"]]
        >>> rows.loc[1, "E"] = None
        >>> network.predict(rows, "B").tolist()
        ['a', 'c', 'c']
        >>> network.predict(rows, "B", probabilities=True).round(2)
              a     b     c
        0  0.51  0.35  0.14
        1  0.15  0.27  0.58
        2  0.27  0.35  0.38
        """
        from bnjit.network.inference import predict

        return predict(self, data, self.index(node), from_, particles, seed, probabilities)

    def impute(
        self, data: Any, draws: int | None = None, sweeps: int = 100, seed: int | None = None
    ) -> "pd.DataFrame | list[pd.DataFrame]":
        """Fill the missing values of a table: NaN, None, NA, nulls, masked values.

        Parameters
        ----------
        data : like the data of `bnjit.learn`
            Columns are found by name; those that the network does not have are left as they are. Nodes that are not
            among the columns are missing in every row, and are not added.
        draws : int, optional
            How many random completions to draw from the distribution of the missing values given the observed ones.
            By default each gap gets its most probable level, or its expected value, by itself: good guesses, which
            vary less than the values that they stand for.
        sweeps : int
            Gibbs sweeps, in rows where an exact answer would take too much. Exact are all rows of Gaussian networks,
            all rows with one missing discrete value, and those in which the missing discrete values that depend on each
            other have at most 1,024 configurations, or 128 for draws. Averages leave out the first fifth of the sweeps.
        seed : int, optional
            Of draws and sweeps.

        Returns
        -------
        pandas.DataFrame, or a list of them if `draws` is given
            The columns of data in their order, with its index if it is a pandas DataFrame. Observed values are
            untouched. Types are kept; integers with gaps become floating-point numbers.

        Examples
        --------
        >>> from bnjit.datasets import small_mixed
        >>> network = small_mixed()
        >>> rows = network.sample(3, seed=1)
        >>> rows.loc[1, ["A", "E"]] = None
        >>> network.impute(rows)[["A", "E"]].round(2)
           A     E
        0  a -0.08
        1  a -1.66
        2  a -1.03
        >>> [len(table) for table in network.impute(rows, draws=5, seed=1)]
        [3, 3, 3, 3, 3]
        """
        from bnjit.network.imputation import impute

        return impute(self, data, draws, sweeps, seed)

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

    def to_pyagrum(self) -> Any:
        """Model of the package pyAgrum (extra `pyagrum`): a BayesNet, or a pyagrum.clg.CLG of a Gaussian network.

        Configurations without parameters get the distribution that sampling uses for them. Levels become texts, with a
        warning if they were something else, and so do names. pyAgrum has no networks with nodes of both kinds.
        """
        from bnjit.network.pyagrum import to_pyagrum

        return to_pyagrum(self)

    def to_json(self, path: str | Path) -> None:
        """Write the network as JSON; see bnjit.network.jsonfile for the form."""
        from bnjit.network.jsonfile import write_json

        write_json(self, Path(path))
