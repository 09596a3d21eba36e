"""Result: what learning gives back."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import networkx as nx

from bnjit.graph import to_modelstring
from bnjit.graph.pdag import cpdag

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bnjit.network import Network
    from bnjit.stats import Store


STEP = ["move", "source", "target", "delta", "score", "phase", "seconds"]
MOST_DRAWN = 150  # nodes in a notebook's output


class Result:
    """A learned network and how it was found.

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
        takes a new order as a whole ("order"). An "exchange" gives the node `source` other parents.
    n_local_scores : int
        Estimated local distributions, the paper's unit of work.
    seconds : dict
        Wall times: read, statistics, search.
    interrupted : bool
        Whether max_iter or Ctrl-C ended the search.
    stopped_by : str or None
        Which of them it was: "Ctrl-C", or "max_iter=" and the number.
    arguments : dict
        What the network was learned with, as a user would type it: score, estimator, algorithm.
    passes, bytes_read : int
        How often the rows were read, and how many bytes that was, where they came in chunks; 0 for data in memory.
    """

    def __init__(
        self, dag: nx.DiGraph, score: float, steps: list[tuple[Any, ...]], n_local_scores: int,
        seconds: dict[str, float], stopped_by: str | None, arguments: dict[str, Any], store: "Store",
    ) -> None:  # fmt: skip
        self.dag, self.score, self._steps = dag, score, steps
        self.n_local_scores, self.seconds = n_local_scores, seconds
        self.stopped_by, self.interrupted = stopped_by, stopped_by is not None
        self.arguments = arguments
        self._store = store
        root = getattr(store.table, "root", None)
        self.passes: int = root.passes if root is not None else 0
        self.bytes_read: int = root.bytes_read if root is not None else 0

    @cached_property
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
        """Fit the parameters of the network, from the statistics of the search: no row is read again for those.

        With score "pred" these are the training rows. See `bnjit.fit`.
        """
        from bnjit.errors import as_number
        from bnjit.graph import parent_sets
        from bnjit.network import fit_network

        table, prior_rows = self._store.table, as_number("prior_rows", prior_rows)
        return fit_network(self._store, parent_sets(self.dag, table.names, table.discrete), prior_rows)

    def plot(self, ax: "Axes | None" = None, **options: Any) -> "Axes":
        """Draw the graph; see bnjit.plots.draw_dag."""
        from bnjit.plots import draw_dag

        return draw_dag(self.dag, ax=ax, **options)

    def __repr__(self) -> str:
        lines = [f"bnjit.Result: {self._counts()}"]
        lines += [f"  {name}: {value}" for name, value in self._facts()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from bnjit.plots import figure_as_svg

        rows = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{value}</td></tr>"
            for name, value in self._facts()
        )
        drawing = figure_as_svg(self.dag) if len(self.dag) <= MOST_DRAWN else ""
        return f"<b>bnjit.Result</b>: {self._counts()}<table>{rows}</table>{drawing}"

    def _counts(self) -> str:
        discrete = sum(kind == "discrete" for _, kind in self.dag.nodes(data="kind"))
        nodes = len(self.dag)
        return f"{nodes} nodes ({discrete} discrete, {nodes - discrete} continuous), {self.dag.number_of_edges()} arcs"

    def _facts(self) -> list[tuple[str, str]]:
        used = self.arguments
        moves = int((self.trace["move"].isin(["add", "delete", "reverse", "place", "exchange"])).sum())
        facts = [
            (f"score ({used['score']}, {used['estimator']})", f"{self.score:,.4f}"),
            ("algorithm", f"{used['algorithm']}, {moves:,} moves, {self.n_local_scores:,} local scores"),
            ("seconds", ", ".join(f"{name} {value:.3f}" for name, value in self.seconds.items())),
        ]
        if self.passes:
            facts.append(("out of core", f"{self.passes} passes, {self.bytes_read / 1e9:,.3f} GB read"))
        if self.interrupted:
            facts.append(("interrupted", str(self.trace["move"].iloc[-1])))
        return facts
