"""Drawings with matplotlib: functions of an Axes, given graphs and tables.

May import graph, averaging and errors (and matplotlib).
"""

from bnjit.plots.comparison import draw_comparison
from bnjit.plots.dag import draw_dag, figure_as_svg, save_dag
from bnjit.plots.strength import draw_strength

__all__ = ["draw_comparison", "draw_dag", "draw_strength", "figure_as_svg", "save_dag"]
