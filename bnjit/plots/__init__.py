"""Drawings with matplotlib: functions of an Axes, given graphs and tables.

May import graph and errors (and matplotlib).
"""

from bnjit.plots.comparison import draw_comparison
from bnjit.plots.dag import draw_dag, figure_as_svg, save_dag

__all__ = ["draw_comparison", "draw_dag", "figure_as_svg", "save_dag"]
