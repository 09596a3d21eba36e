"""Result: what learning gives back, a value that can be pickled, copied, sent and written to a file."""

import os
from html import escape
from typing import TYPE_CHECKING, Any

import networkx as nx

from bnjit._lazy import lazy
from bnjit.errors import StatisticsError, as_number
from bnjit.graph import make_dag, to_modelstring
from bnjit.graph.pdag import cpdag

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bnjit.data.schema import Schema
    from bnjit.explore import Page
    from bnjit.network import Network
    from bnjit.scores import Scorer
    from bnjit.search import Outcome, Search
    from bnjit.stats.graph_statistics import GraphStatistics

STEP = ["move", "source", "target", "delta", "score", "phase", "seconds"]


class Result:
    """A learned network and how it was found.

    It keeps neither the table nor the statistics of the search, only what `fit` needs of the learned graph.

    Attributes
    ----------
    dag : networkx.DiGraph
        The best graph seen; nodes are the columns in their order, with the attribute "kind".
    score : float
        Its score, higher is better.
    trace : pandas.DataFrame
        One row per accepted move: step, move, source, target, delta, score, phase, seconds; and a last row that says
        what stopped the search, if something did. Before the "perturb" moves of a restart the search returns to the
        best graph, which has no row. Order search moves the node `source` to the place before `target` ("place"), or
        takes a new order as a whole ("order"), in the phase
        "pool" with parents that were scored before. An "exchange" gives the node `source` other parents. The phase
        "copies" joins discrete columns to the ones that they repeat.
    n_local_scores : int
        Estimated local distributions, the paper's unit of work.
    n_restarts : int
        Restarts that were begun: as many as the algorithm was told to make, or fewer where `until_repeated`, max_iter
        or Ctrl-C ended them.
    seconds : dict
        Wall times: read, statistics, search, and summary, which is what `fit` needs of the learned graph.
    interrupted : bool
        Whether max_iter, Ctrl-C or the seconds of `Thorough` ended the search.
    stopped_by : str or None
        Which of them it was: "Ctrl-C", "max_iter=" and the number, or "seconds=" and the number; then the result
        depends on the machine.
    arguments : dict
        What the network was learned with, as a user would type it: score, estimator, algorithm.
    n_rows : int or None
        Rows that the network was learned from, without those kept for testing; None in files of old versions.
    certificate : str or None
        What an exact search has proven of the score, or between which bounds the best one lies if it was stopped; None
        of other algorithms.
    passes, bytes_read : int
        How often the rows were read, and how many bytes that was, where they came in chunks; 0 for data in memory.
    """

    def __init__(
        self, dag: nx.DiGraph, score: float, steps: list[tuple[Any, ...]], n_local_scores: int,
        seconds: dict[str, float], stopped_by: str | None, arguments: dict[str, Any],
        statistics: "GraphStatistics | Network | str", reading: tuple[int, int], n_restarts: int = 0,
        n_rows: int | None = None, certificate: str | None = None,
    ) -> None:  # fmt: skip
        self.dag, self.score, self._steps = dag, score, steps
        self.n_local_scores, self.n_restarts, self.seconds = n_local_scores, n_restarts, seconds
        self.stopped_by, self.interrupted = stopped_by, stopped_by is not None
        self.arguments = arguments
        self._statistics = statistics
        self.passes, self.bytes_read = reading
        self.n_rows, self.certificate = n_rows, certificate

    @lazy
    def trace(self) -> "pd.DataFrame":
        """One row per accepted move, made when first asked for."""
        import pandas as pd

        trace = pd.DataFrame(self._steps, columns=pd.Index(STEP))
        for end in ("source", "target"):  # names as they are, also beside a missing one
            trace[end] = pd.Series([step[STEP.index(end)] for step in self._steps], dtype=object)
        trace.insert(0, "step", range(1, len(trace) + 1))
        return trace

    @property
    def cpdag(self) -> nx.DiGraph:
        """Equivalence class of the graph; undirected edges are there in both directions."""
        return cpdag(self.dag)

    @property
    def modelstring(self) -> str:
        """The graph as a bnlearn model string."""
        return to_modelstring(self.dag)

    def fit(self, prior_rows: float = 0.0) -> "Network":
        """Fit the parameters of the network, from statistics that were kept for it: no row is read again.

        With score "pred" these are of the training rows. See `bnjit.fit`.
        """
        from bnjit.graph import parent_sets
        from bnjit.network import Network, fit_network
        from bnjit.stats import Store
        from bnjit.stats.readers.saved import SavedReader

        prior_rows = as_number("prior_rows", prior_rows)
        if isinstance(self._statistics, str):
            raise StatisticsError(
                f"this result has no statistics to fit from ({self._statistics}); use bnjit.fit(result, data)"
            )
        if isinstance(self._statistics, Network):
            if prior_rows:
                raise StatisticsError(
                    "this result was learned from a table with gaps, and keeps the parameters of its network only; for "
                    "others use bnjit.fit(result, data, prior_rows=..., missing=...)"
                )
            return self._statistics
        schema = self._statistics.schema
        return fit_network(
            Store(SavedReader(self._statistics)), parent_sets(self.dag, schema.names, schema.discrete), prior_rows
        )

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the result to a file (NumPy's npz, no pickle), in one piece or not at all; see `bnjit.load_result`.

        Columns must be named by texts, and levels must be texts or numbers.
        """
        from bnjit.result_file import save_result

        save_result(self, path)

    def plot(self, ax: "Axes | None" = None, **options: Any) -> "Axes":
        """Draw the graph, or a part of it: `result.plot(around="price", distance=1)`.

        Parameters
        ----------
        ax, **options
            As in `bnjit.plots.draw_dag`.

        Examples
        --------
        >>> import bnjit, matplotlib.pyplot as plt
        >>> result = bnjit.learn(bnjit.datasets.random_network("gaussian", 6, seed=1).sample(500, seed=1))
        >>> plt.close(result.plot(around="X3").figure)
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
        path, strength, height
            As in `bnjit.Network.explore`.

        Examples
        --------
        >>> import bnjit
        >>> table = bnjit.datasets.random_network("gaussian", 6, seed=1).sample(500, seed=1)
        >>> page = bnjit.learn(table).explore(strength=bnjit.arc_strength(table, replicates=20))
        >>> page.html[:15]
        '<!DOCTYPE html>'
        """
        from bnjit.explore import make_explorer
        from bnjit.network.details import describe_nodes

        try:
            details, note = describe_nodes(self.fit()), ""
        except StatisticsError as error:
            details, note = None, f"No parameters: {error}"
        return make_explorer(self.dag, details, strength, path, height, self._counts(), note)

    def report(
        self, path: "str | os.PathLike[str] | None" = None, data: Any = None, strength: "pd.DataFrame | None" = None, *,
        title: str = "Bayesian network", test: float = 0.25, seed: int | None = None, weights: Any = None,
    ) -> "Page":  # fmt: skip
        """Make a report that a colleague can open: one HTML file that needs nothing else.

        It has the network to explore, what to try next, the score along the search, how sure arcs are, how well each
        node is predicted, and the check of the columns.

        Parameters
        ----------
        path : path, optional
            An .html file to write.
        data : as in `bnjit.learn`, optional
            The table that the network was learned from: for the check of its columns, and for predictions. For these
            the graph is fitted to a part of the complete rows, and up to 10,000 of the others are predicted; the rows
            must fit in memory.
        strength : pandas.DataFrame, optional
            From `bnjit.arc_strength`.
        title : str
            Of the page.
        test : float
            Share of the rows to predict.
        seed : int, optional
            Draws these rows.
        weights : column name or array, optional
            As in `bnjit.learn`; rows with weights are not predicted.

        Returns
        -------
        Page
            A notebook shows it; `save(path)` writes it.

        Examples
        --------
        >>> import bnjit
        >>> table = bnjit.datasets.small_mixed().sample(500, seed=1)
        >>> page = bnjit.learn(table).report(data=table)
        >>> "How well each node is predicted" in page.html
        True
        """
        from bnjit.review import make_review

        return make_review(self, path, data, strength, title, test, seed, weights)

    def __repr__(self) -> str:
        lines = [f"bnjit.Result: {self._counts()}"]
        lines += [f"  {name}: {value}" for name, value in self._facts()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from bnjit.plots import figure_as_svg

        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in self._facts()
        )
        return f"<b>bnjit.Result</b>: {self._counts()}<table>{rows}</table>{figure_as_svg(self.dag)}"

    def _counts(self) -> str:
        discrete = sum(kind == "discrete" for _, kind in self.dag.nodes(data="kind"))
        nodes, arcs = len(self.dag), self.dag.number_of_edges()
        return f"{nodes} nodes ({discrete} discrete, {nodes - discrete} continuous), {arcs} arc{'s' * (arcs != 1)}"

    def _facts(self) -> list[tuple[str, str]]:
        used = self.arguments
        moves = int((self.trace["move"].isin(["add", "delete", "reverse", "place", "exchange"])).sum())
        steps = f"{moves:,} move{'s' * (moves != 1)}"
        restarts = f"{self.n_restarts:,} restart{'s' * (self.n_restarts > 1)}, " if self.n_restarts else ""
        columns = len(self.dag)
        facts = [] if self.n_rows is None else [
            ("learned from", f"{self.n_rows:,} row{'s' * (self.n_rows != 1)}, {columns:,} column{'s' * (columns != 1)}")
        ]  # fmt: skip
        facts += [
            (f"score ({used['score']}, {used['estimator']})", f"{self.score:,.4f}"),
            ("algorithm", f"{used['algorithm']}, {steps}, {restarts}{self.n_local_scores:,} local scores"),
            ("seconds", ", ".join(f"{name} {value:.3f}" for name, value in self.seconds.items())),
        ]
        if self.passes:
            facts.append(("out of core", f"{self.passes} passes, {self.bytes_read / 1e9:,.3f} GB read"))
        if self.certificate is not None:
            facts.append(("certificate", self.certificate))
        if self.interrupted:
            facts.append(("interrupted", str(self.trace["move"].iloc[-1])))
        return facts


def summarise(search: "Search", scorer: "Scorer") -> "GraphStatistics | Network | str":
    """What `Result.fit` needs, or why there is nothing: it cannot be had, or would take a pass after Ctrl-C.

    Of a table with gaps it is the fitted network: its nodes are fitted to different rows.
    """
    from bnjit.network.fit import fit_network
    from bnjit.stats.graph_statistics import collect_graph

    parents, store = search.best_parents, scorer.store
    found: list[GraphStatistics | Network | str] = []

    def collect(_: "Search") -> None:
        try:
            if scorer.rows is None:
                found.append(collect_graph(store, parents))
            else:
                found.append(fit_network([scorer.stores_for(v, own)[0] for v, own in enumerate(parents)], parents))
        except StatisticsError as error:
            found.append(str(error))

    if not (store.in_passes and search.stopped_by == "Ctrl-C"):
        search.run(collect)
    return found[0] if found else "Ctrl-C came before they were collected"


def make_result(
    table: "Schema", found: "Outcome", seconds: dict[str, float], arguments: dict[str, Any],
    statistics: "GraphStatistics | Network | str",
) -> "Result":  # fmt: skip
    """Result of a search, with the names of the columns."""
    table, root = table.as_given, getattr(table, "root", None)
    names = table.names
    arcs = [(names[i], names[j]) for j, parents in enumerate(found.best_parents) for i in parents]
    rows = [
        (step.move.name, *(names[v] if v >= 0 else None for v in step.move[1:3]), step.move.delta, *step[1:])
        for step in found.steps
    ]
    if found.stopped_by is not None:
        rows.append((f"stopped by {found.stopped_by}", None, None, 0.0, found.score, "stop", found.seconds))
    return Result(
        make_dag(names, table.discrete, arcs), found.score, rows, found.n_local_scores, seconds,
        found.stopped_by, arguments, statistics, (getattr(root, "passes", 0), getattr(root, "bytes_read", 0)),
        found.n_restarts, int(table.n), found.certificate,
    )  # fmt: skip
