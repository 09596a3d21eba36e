"""Rows come in; Cells go out: counts, means and cross-products per observed configuration.

Cells add, merge and roll up, so that a score never needs the rows again; where their digits are not enough, triangles
and residuals serve (`regressions`). May import data, graph, kernels and errors.
"""

from bnjit.stats.cells import Cells, add, leave_one_out, roll_up
from bnjit.stats.requests import Request, SetBatch, TriangleRequest
from bnjit.stats.store import Store, cells_for, triangles_for

__all__ = [
    "Cells",
    "Request",
    "SetBatch",
    "Store",
    "TriangleRequest",
    "add",
    "cells_for",
    "leave_one_out",
    "roll_up",
    "triangles_for",
]
