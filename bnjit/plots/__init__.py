"""Drawings with matplotlib: functions of an Axes, given graphs and tables.

May import graph, averaging and errors (and matplotlib).
"""

from bnjit.plots.comparison import draw_comparison
from bnjit.plots.dag import draw_dag, figure_as_svg, save_dag
from bnjit.plots.markov import draw_p_values, draw_violations
from bnjit.plots.strength import draw_strength

__all__ = [
    "draw_comparison",
    "draw_dag",
    "draw_p_values",
    "draw_strength",
    "draw_violations",
    "figure_as_svg",
    "save_dag",
]
