"""A graph comes in, with details of its nodes and strengths of its arcs if there are any; a page to explore goes out.

The page is one HTML file that needs nothing else: `drawing` places nodes and arcs, `page` puts them into the HTML, CSS
and JavaScript files that lie here. May import plots, averaging and errors.
"""

from bnjit.explore.details import Bars, Histogram, NodeDetails, ParameterTable
from bnjit.explore.page import Page, make_explorer

__all__ = ["Bars", "Histogram", "NodeDetails", "Page", "ParameterTable", "make_explorer"]
