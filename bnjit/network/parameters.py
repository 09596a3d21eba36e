"""Parameters of a node as a table, or the first rows of it."""

from collections.abc import Hashable, Set
from typing import TYPE_CHECKING

import numpy as np

from bnjit.network.nodes import DiscreteNode

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network


def parameter_table(network: "Network", j: int, most: int | None = None) -> "pd.DataFrame":
    """Parameters of node j, a row for each configuration of its discrete parents that has some, `most` at the most."""
    import pandas as pd

    node, names = network.nodes[j], network.names
    keys = node.keys[:most]
    taken = {names[p] for p in node.parents}
    if isinstance(node, DiscreteNode):
        conditions, values = node.parents, node.probabilities[:most]
        shown: list[Hashable] = [_distinct(f"P({label})", taken) for label in network.labels[j] or ()]
    else:
        conditions, values = node.discrete, np.column_stack([node.coefficients[:most], node.sd[:most]])
        slopes = (names[p] for p in node.continuous)
        shown = [_distinct("intercept", taken), *slopes, _distinct("sd", taken)]
    columns = [*network.configurations(conditions, keys), *values.T]
    table = pd.DataFrame(dict(enumerate(columns)), index=range(len(keys)))
    return table.set_axis(pd.Index([*(names[p] for p in conditions), *shown], tupleize_cols=False), axis=1)


def _distinct(label: str, taken: Set[Hashable]) -> str:
    """Label in brackets, as many as it takes to differ from the names that are taken."""
    return _distinct(f"({label})", taken) if label in taken else label
