"""Networks as tests/reference/naive describes them, and random questions to them."""

import numpy as np

from bnjit.network.nodes import DiscreteNode
from bnjit.network.sampling import draw_rows
from tests.network.completions import cell_of


def describe(network):
    """A network of bnjit by names, levels and plain tables; configurations without parameters get the fallback."""
    found = {}
    for j in network.order():
        node, name = network.nodes[j], network.names[j]
        discrete = node.parents if isinstance(node, DiscreteNode) else node.discrete
        table = {}
        for number in range(int(np.prod([network.levels[p] for p in discrete], dtype=int))):
            codes, rest = {}, number
            for p in reversed(discrete):
                rest, codes[p] = divmod(rest, network.levels[p])
            cell = cell_of(network, discrete, node.keys, codes)
            key = tuple(network.labels[p][codes[p]] for p in discrete)
            if isinstance(node, DiscreteNode):
                table[key] = node.with_fallback()[cell].tolist()
            else:
                b, sd = node.with_fallback()
                table[key] = (b[cell, 0], b[cell, 1:].tolist(), sd[cell])
        parents = [network.names[p] for p in discrete]
        if isinstance(node, DiscreteNode):
            found[name] = ("discrete", network.labels[j], parents, table)
        else:
            found[name] = ("continuous", parents, [network.names[p] for p in node.continuous], table)
    return found


def values_of(network, seed):
    """A row of a sample: node -> level or number."""
    row = [column.values[0] for column in draw_rows(network, 1, seed).columns]
    return {
        name: network.labels[j][row[j]] if network.discrete[j] else float(row[j])
        for j, name in enumerate(network.names)
    }
