"""MarkovReport: the independencies that a graph implies, tested, in words, as DataFrames and in pictures."""

from html import escape
from typing import TYPE_CHECKING

import networkx as nx

from bnjit.graph.separation import Independence
from bnjit.markov.outcome import p_in_words, p_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_SHOWN = 10  # contradictions that are printed


class MarkovReport:
    """What `bnjit.check_markov` found.

    Attributes
    ----------
    dag : networkx.DiGraph
        The graph, over all columns of the table.
    tests : pandas.DataFrame
        A row for each independence: x, y, given; test, statistic, df, p_value; p_adjusted, for the number of tests;
        effect, from 0 to 1; n, its rows.
    n : int
        Rows of the table.
    level : float
        Adjusted p-values up to it are contradictions.
    correction : str
        How p-values are adjusted.
    """

    def __init__(self, dag: nx.DiGraph, tests: "pd.DataFrame", n: int, level: float, correction: str) -> None:
        self.dag, self.tests, self.n, self.level, self.correction = dag, tests, n, level, correction

    @property
    def violations(self) -> "pd.DataFrame":
        """The independencies that the table contradicts, the largest effects first."""
        found = self.tests[self.tests["p_adjusted"] <= self.level]
        order = sorted(range(len(found)), key=lambda i: (-found["effect"].iloc[i], found["p_value"].iloc[i]))
        return found.iloc[order].reset_index(drop=True)

    @property
    def contradicted(self) -> bool:
        """Whether the table contradicts any independence."""
        return bool((self.tests["p_adjusted"] <= self.level).any())

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw p-values against uniform ones; see `bnjit.plots.draw_p_values`."""
        from bnjit.plots import draw_p_values

        return draw_p_values(self.tests["p_value"], ax, significant=self.tests["p_adjusted"] <= self.level)

    def draw(self, ax: "Axes | None" = None, most: int = MOST_SHOWN) -> "Axes":
        """Draw the graph with the worst contradictions, as lines between the two columns that are not independent."""
        from bnjit.plots import draw_violations

        worst = self.violations.head(most)
        return draw_violations(self.dag, list(zip(worst["y"], worst["x"], worst["effect"], strict=True)), ax)

    def _summary(self) -> str:
        rows = f"{self.n:,} row" + "s" * (self.n != 1)
        return (
            f"{len(self.violations)} of {len(self.tests)} independencies contradicted "
            f"({rows}, {self.correction}, level {self.level:g})"
        )

    def _worst(self) -> "list[tuple[str, str, float, float, str]]":
        """Statement, test, p-values and effect of the worst contradictions."""
        worst = self.violations.head(MOST_SHOWN)
        columns = ("x", "y", "given", "test", "p_value", "p_adjusted", "effect")
        return [
            (str(Independence(x, y, given)), test, float(p), float(adjusted), f"{effect:.3f}")
            for x, y, given, test, p, adjusted, effect in zip(*(worst[name] for name in columns), strict=True)
        ]

    def _more(self) -> str:
        rest = len(self.violations) - MOST_SHOWN
        return f"... and {rest} more; see report.violations" if rest > 0 else ""

    def __repr__(self) -> str:
        lines = [
            f"  {statement}: {test}, {p_in_words(p)}, adjusted {p_text(adjusted)}, effect {effect}"
            for statement, test, p, adjusted, effect in self._worst()
        ]
        more = [f"  {self._more()}"] if self._more() else []
        return "\n".join([f"bnjit.MarkovReport: {self._summary()}", *lines, *more])

    def _repr_html_(self) -> str:
        left = "style='text-align:left'"
        head = "".join(f"<th {left}>{name}</th>" for name in ("independence", "test", "p", "adjusted", "effect"))
        rows = "".join(
            "<tr>" + "".join(f"<td {left}>{escape(text)}</td>" for text in texts) + "</tr>"
            for texts in ((one, test, p_text(p), p_text(adjusted), e) for one, test, p, adjusted, e in self._worst())
        )
        table = f"<table><tr>{head}</tr>{rows}</table>" if rows else ""
        return f"<b>bnjit.MarkovReport</b>: {escape(self._summary())}{table}{self._more()}"
