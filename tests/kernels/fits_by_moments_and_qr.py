"""Fits of one regression by moments and by QR, to be compared with plain loops."""

import numpy as np

from bnjit.kernels import regression
from bnjit.kernels.rules import FINE
from bnjit.stats.collect import collect_cells, membership
from tests.kernels.qr_fit import fit_qr
from tests.kernels.versions import version
from tests.reference import naive
from tests.strategies import to_table


def fits(table, node, parents, which):
    """Residual sum of squares by moments, where they vouch for it, and by QR."""
    whole = to_table(table)
    names = list(table)
    at = np.array([names.index(p) for p in parents] + [names.index(node)], np.int32)
    g = len(parents)
    n = naive.rows_of(table)
    cells = collect_cells(whole, whole.continuous, membership(whole, ()))
    position = np.array([whole.continuous.index(v) for v in at], np.int32)
    rss, status = version(regression.fit_moments, which)(
        n, cells.means[0], cells.crosses[0], position[g], position, g, False, np.empty((g + 1, g + 1)), np.empty(g + 1)
    )
    if status == FINE:
        yield "moments", rss
    yield "qr", fit_qr(whole.view, at, 0, n, False, which)[0]
