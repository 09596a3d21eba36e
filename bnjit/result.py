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
    from bnjit.network import Network
    from bnjit.scores import Scorer
    from bnjit.search import Outcome, Search
    from bnjit.stats.graph_statistics import GraphStatistics

VERSION = 1

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
        takes a new order as a whole ("order"). An "exchange" gives the node `source` other parents. The phase
        "copies" joins discrete columns to the ones that they repeat.
    n_local_scores : int
        Estimated local distributions, the paper's unit of work.
    n_restarts : int
        Restarts that were begun: as many as the algorithm was told to make, or fewer where `until_repeated`, max_iter
        or Ctrl-C ended them.
    seconds : dict
        Wall times: read, statistics, search, and summary, which is what `fit` needs of the learned graph.
    interrupted : bool
        Whether max_iter or Ctrl-C ended the search.
    stopped_by : str or None
        Which of them it was: "Ctrl-C", or "max_iter=" and the number.
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
        from bnjit.network import Network
        from bnjit.network.jsonfile import to_document
        from bnjit.stats.files import check_savable, pack, write_arrays

        header = {
            "nodes": [[name, kind] for name, kind in self.dag.nodes(data="kind")],
            "arcs": [list(arc) for arc in self.dag.edges], "score": self.score,
            "steps": self._steps, "n_local_scores": self.n_local_scores, "seconds": self.seconds,
            "stopped_by": self.stopped_by, "arguments": self.arguments, "reading": [self.passes, self.bytes_read],
            "n_restarts": self.n_restarts, "n_rows": self.n_rows,
            "certificate": self.certificate,
            "statistics": self._statistics if isinstance(self._statistics, str) else None,
        }  # fmt: skip
        arrays: dict[str, Any] = {}
        check_savable(list(self.dag), [])
        if isinstance(self._statistics, Network):
            header["statistics"] = to_document(self._statistics)
        elif not isinstance(self._statistics, str):
            header["statistics"], arrays = pack(*self._statistics)
        write_arrays(path, VERSION, header, arrays, compress=True)

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
        nodes = len(self.dag)
        return f"{nodes} nodes ({discrete} discrete, {nodes - discrete} continuous), {self.dag.number_of_edges()} arcs"

    def _facts(self) -> list[tuple[str, str]]:
        used = self.arguments
        moves = int((self.trace["move"].isin(["add", "delete", "reverse", "place", "exchange"])).sum())
        restarts = f"{self.n_restarts:,} restart{'s' * (self.n_restarts > 1)}, " if self.n_restarts else ""
        columns = len(self.dag)
        facts = [] if self.n_rows is None else [
            ("learned from", f"{self.n_rows:,} row{'s' * (self.n_rows != 1)}, {columns:,} column{'s' * (columns != 1)}")
        ]  # fmt: skip
        facts += [
            (f"score ({used['score']}, {used['estimator']})", f"{self.score:,.4f}"),
            ("algorithm", f"{used['algorithm']}, {moves:,} moves, {restarts}{self.n_local_scores:,} local scores"),
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


def load_result(path: "str | os.PathLike[str]") -> Result:
    """Read a result that `Result.save` wrote; a file that is damaged, or is something else, raises FileFormatError.

    Examples
    --------
    >>> import bnjit, tempfile
    >>> from pathlib import Path
    >>> result = bnjit.learn({"x": [1.0, 2.0, 4.0, 3.0], "y": [1.5, 2.0, 4.5, 3.0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(Path(folder) / "result.npz")
    ...     again = bnjit.load_result(Path(folder) / "result.npz")
    >>> again.score == result.score
    True
    """
    from bnjit.stats.files import DAMAGED, not_a_file, read_arrays

    header, arrays = read_arrays(path, VERSION, "bnjit.Result")
    try:
        return _unpacked(header, arrays)
    except DAMAGED as error:
        raise not_a_file(path, "bnjit.Result") from error


def _unpacked(header: dict[str, Any], arrays: dict[str, Any]) -> Result:
    """Result of a file's contents, if they are what a result can be; anything else raises."""
    from bnjit.network.jsonfile import from_document
    from bnjit.stats.files import unpack
    from bnjit.stats.graph_statistics import GraphStatistics

    nodes = header["nodes"]
    names = [name for name, _ in nodes]
    if not all(isinstance(name, str) and kind in ("discrete", "continuous") for name, kind in nodes):
        raise ValueError("nodes")
    arcs = [(a, b) for a, b in header["arcs"]]
    dag = make_dag(names, [kind == "discrete" for _, kind in nodes], arcs)
    if list(dag) != names or not nx.is_directed_acyclic_graph(dag):
        raise ValueError("arcs")
    statistics: GraphStatistics | Network | str = header["statistics"]
    if isinstance(statistics, dict) and "format" in statistics:
        statistics = from_document(statistics, "the result's network")
        if list(statistics.names) != names:
            raise ValueError("columns")
    elif not isinstance(statistics, str):
        statistics = GraphStatistics(*unpack(statistics, arrays))
        if list(statistics.schema.names) != names:
            raise ValueError("columns")
    steps = [(str(move), *ends, float(delta), float(score), str(phase), float(seconds))
             for move, *ends, delta, score, phase, seconds in header["steps"]]  # fmt: skip
    if any(len(step) != len(STEP) for step in steps):
        raise ValueError("steps")
    passes, bytes_read = map(int, header["reading"])
    seconds = {str(name): float(value) for name, value in header["seconds"].items()}
    stopped_by, arguments, n_rows = header["stopped_by"], dict(header["arguments"]), header.get("n_rows")
    if stopped_by is not None and not (isinstance(stopped_by, str) and steps):
        raise ValueError("stopped_by")
    if not {"score", "estimator", "algorithm"} <= set(arguments):
        raise ValueError("arguments")
    if n_rows is not None and not (isinstance(n_rows, int) and n_rows >= 0):
        raise ValueError("n_rows")
    certificate = header.get("certificate")  # files of old have none
    if not isinstance(certificate, str | None):
        raise ValueError("certificate")
    return Result(
        dag, float(header["score"]), steps, int(header["n_local_scores"]), seconds, stopped_by,
        arguments, statistics, (passes, bytes_read), int(header.get("n_restarts", 0)),  # files of old have none
        n_rows, certificate,
    )  # fmt: skip
