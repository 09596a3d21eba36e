"""A Table comes in; Cells go out: counts, means and cross-products per observed configuration.

Cells add, merge and roll up, so that a score never needs the rows again. May import data, kernels and errors.
"""

from bnjit.stats.cells import Cells, add, leave_one_out, roll_up, subtract
from bnjit.stats.chunked import ChunkedStore, Want, fetch, take_fitting
from bnjit.stats.folds import Folds
from bnjit.stats.store import Request, Store

__all__ = [
    "Cells",
    "ChunkedStore",
    "Folds",
    "Request",
    "Store",
    "Want",
    "add",
    "fetch",
    "leave_one_out",
    "roll_up",
    "subtract",
    "take_fitting",
]
