"""Fill the gaps of rows with draws from their distribution given what is observed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Ints64
from bnjit._threads import in_ranges
from bnjit.data import Column, Table
from bnjit.kernels.gaps import draw_gaps
from bnjit.kernels.incomplete import FlatNetwork
from bnjit.kernels.sampling import stream_of
from bnjit.network.nodes import DiscreteNode, dense_lookup
from bnjit.network.tuning import DRAWN_CONFIGURATIONS, GAP_PARTS, ROUNDING, SWEEPS

if TYPE_CHECKING:
    from bnjit.network.network import Network

GAP_STREAM = -1  # in place of a node: filled gaps are independent of rows that the same seed samples
Gaps = Sequence[NDArray[np.bool_] | None]  # for each node, where its column has no value; None for nowhere


def flatten(network: "Network") -> FlatNetwork:
    """Make the arrays that kernels take of a network."""
    N = len(network.nodes)
    discrete: list[list[int]] = []
    continuous: list[list[int]] = []
    strides: list[list[int]] = []
    children: list[list[int]] = [[] for _ in range(N)]
    keys, dense, tables = [], [], []
    for j, node in enumerate(network.nodes):
        for p in node.parents:
            children[p].append(j)
        if isinstance(node, DiscreteNode):
            conditions = node.parents
            with np.errstate(divide="ignore"):
                table = np.log(node.with_fallback())
        else:
            conditions = node.discrete
            coefficients, sd = node.with_fallback()
            with np.errstate(divide="ignore"):
                table = np.column_stack([coefficients, sd, np.log(sd) + 0.5 * np.log(2.0 * np.pi)])
        radices = [network.levels[p] for p in conditions]
        strides.append([int(np.prod(radices[i + 1 :], dtype=object)) for i in range(len(radices))])
        discrete.append(list(conditions))
        continuous.append([] if isinstance(node, DiscreteNode) else list(node.continuous))
        keys.append(node.keys)
        dense.append(dense_lookup(node.keys, int(np.prod(radices, dtype=object))))
        tables.append(table)
    members = [*discrete, *continuous, *children]
    zeros = [[0] * len(own) for own in (*continuous, *children)]
    starts = _starts(members)
    cells = [table.ravel() for table in tables]
    at = [starts[: N + 1], starts[N : 2 * N + 1], starts[2 * N :], _starts(keys), _starts(dense), _starts(cells)]
    return FlatNetwork(
        np.array(network.order(), np.int32), np.array(network.levels, np.int64), np.stack(at),
        _joined(members, np.int32), _joined([*strides, *zeros], np.int64), _joined(keys, np.int64),
        _joined(dense, np.int32), np.array([table.shape[1] for table in tables], np.int64),
        _joined(cells, np.float64), ROUNDING,
    )  # fmt: skip


def _starts(parts: Sequence[Sequence[int] | NDArray[np.generic]]) -> Ints64:
    """Where each part begins when all are put one behind another, and where the last one ends."""
    return np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)


def _joined(parts: Sequence[Sequence[int] | NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    """All parts one behind another."""
    return np.concatenate([np.zeros(0, dtype), *(np.asarray(part, dtype) for part in parts)])


class GapFiller:
    """Draws the missing values of rows from their distribution given the observed ones, under a network.

    A row's draws depend on the seed and on its number alone, so that threads, chunks and workers do not change them.
    Missing values that depend on each other given the observed ones are drawn together. Continuous ones are jointly
    normal for given levels, and are drawn exactly. Discrete ones are drawn exactly, by Bayes' rule over all their
    configurations with the missing continuous values integrated out, where these are at most DRAWN_CONFIGURATIONS or
    only one node is concerned. Otherwise Gibbs sweeps draw one after another given all others. Missing values without
    observed descendants are drawn from their parents, last.

    Configurations without parameters use the node's fallback, as in sampling. A continuous node whose deviation is 0
    is certain, and decides what its missing parents are. Evidence that is impossible under the network is left out:
    levels are then drawn given parents alone, and a level that no sweep can change is kept.

    Parameters
    ----------
    network : Network
    sweeps : int
        Gibbs sweeps, where draws cannot be exact.

    Examples
    --------
    >>> from bnjit.datasets import random_network
    >>> from bnjit.network.sampling import draw_rows
    >>> network = random_network("gaussian", 3, parents=1.0, seed=1)
    >>> table = draw_rows(network, 4, seed=1)
    >>> gaps = [None, np.array([False, True, False, False]), None]
    >>> filled = GapFiller(network).fill(table, gaps, seed=2)
    >>> (filled.columns[1].values == table.columns[1].values).tolist()
    [True, False, True, True]
    """

    def __init__(self, network: "Network", sweeps: int = SWEEPS) -> None:
        self.flat, self.sweeps = flatten(network), sweeps

    def fill(self, table: Table, gaps: Gaps, seed: int = 0, first: int = 0) -> Table:
        """Return the table with its gaps filled; only columns that have gaps are copied.

        Parameters
        ----------
        table : Table
            A column for each node, in the order of the network, with the network's codes. What stands in a gap is
            not looked at: NaN, or a code that is no level. Values are read as they are, without `scale`.
        gaps : sequence of bool[n] or None
            For each node, where its value is missing.
        seed : int
            What the draws depend on, beside the rows' numbers.
        first : int
            Number of the table's first row.

        Returns
        -------
        Table
            The same names, labels and types of values.
        """
        masks, rows = find_rows(gaps, table.n)
        if not len(rows):
            return table
        filled = copy_columns(table, masks)
        stream = np.uint64(stream_of(np.uint64(seed % 2**64), GAP_STREAM))  # type: ignore[arg-type]
        parts = min(len(rows), GAP_PARTS)
        in_ranges(
            draw_gaps, parts, self.flat, filled.view, mask_addresses(masks), rows, parts, stream, first, self.sweeps,
            DRAWN_CONFIGURATIONS,
        )  # fmt: skip
        return filled


def find_rows(gaps: Gaps, n: int) -> tuple[list[NDArray[np.bool_] | None], Ints64]:
    """Masks of the columns that have a gap, None for others, and the rows that have one."""
    masks = [None if mask is None or not mask.any() else np.ascontiguousarray(mask, bool) for mask in gaps]
    incomplete = np.zeros(n, bool)
    for mask in masks:
        if mask is not None:
            incomplete |= mask
    return masks, np.flatnonzero(incomplete)


def mask_addresses(masks: Gaps) -> Ints64:
    """Where each mask lies in memory, 0 for None."""
    return np.array([0 if mask is None else mask.__array_interface__["data"][0] for mask in masks], np.int64)


def copy_columns(table: Table, masks: Gaps) -> Table:
    """Table with copies of the columns that have gaps."""
    columns = [
        column if mask is None else Column(column.values.copy(), column.labels)
        for column, mask in zip(table.columns, masks, strict=True)
    ]
    return Table(table.names, columns, table.n, table.scale)
