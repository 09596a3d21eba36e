"""Continuous nodes integrated out for every configuration of some discrete nodes, in many rows.

Axis legend: N nodes; R rows; M configurations of the active nodes; L linked nodes; t wanted nodes.
"""

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.incomplete import ACTIVE, LINKED, SLOT, FlatNetwork, make_row, set_configuration
from bnjit.kernels.posterior import integrate_continuous


@jit
def integrate_configurations(
    first: int, last: int, net: FlatNetwork, codes: Ints64, values: Floats, missing: NDArray[np.bool_], linked: Ints32,
    active: Ints32, M: int, wanted: Ints32, logs: Floats, means: Floats, covariances: Floats,
) -> None:  # fmt: skip
    """Integrate the missing continuous nodes out, for pairs first ... last - 1 of R M. O(L K^2 + t^2 K) each.

    codes : int64[R, N], values : float64[R, N], of known nodes; missing : bool[N], the others
    linked : int32[L], continuous nodes, parents first, whose densities are multiplied; active : int32[a], their
    discrete parents that are missing, the last one changing fastest; wanted : int32[t], missing nodes among the linked
    logs : float64[R, M], log-density of the known values; means : float64[R, M, t] and covariances :
    float64[R, M, t, t] of the wanted nodes given these (out)
    """
    row = make_row(net, 1)
    for j in range(missing.shape[0]):
        row.missing[j] = missing[j]
    for i in range(linked.shape[0]):
        row.lists[LINKED, i] = linked[i]
    for i in range(active.shape[0]):
        row.lists[ACTIVE, i] = active[i]
    row.size[1], row.size[3] = linked.shape[0], active.shape[0]
    before = -1
    for pair in range(first, last):
        r, c = pair // M, pair % M
        if r != before:
            before = r
            for j in range(missing.shape[0]):
                row.codes[j], row.values[j] = codes[r, j], values[r, j]
        set_configuration(net, row, c)
        logs[r, c] = integrate_continuous(net, row)
        for i in range(wanted.shape[0]):
            a = row.lists[SLOT, wanted[i]]
            means[r, c, i] = row.mean[a]
            for k in range(i + 1):
                b = row.lists[SLOT, wanted[k]]
                total = 0.0
                for e in range(row.size[4]):
                    total += row.A[a, e] * row.A[b, e]
                covariances[r, c, i, k] = covariances[r, c, k, i] = total
