"""Write networks in Hugin's format (.net, .net.gz); bnjit.network.netfile reads them."""

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bnjit._files import write_whole
from bnjit.errors import FileFormatError
from bnjit.network.linear import normal_text
from bnjit.network.nodes import DiscreteNode, GaussianNode, find_cells
from bnjit.network.packed import encoded, packed_for
from bnjit.network.tokens import quoted
from bnjit.network.tuning import MOST_BIF_ENTRIES

if TYPE_CHECKING:
    from bnjit.network.network import Network

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = ("net", "class", "node", "discrete", "continuous", "utility", "decision", "potential", "normal", "data")


def write_net(network: "Network", path: Path) -> None:
    """Write a network; configurations without parameters get their fallback.

    Names that are no identifiers get one that is; an attribute keeps the name.
    """
    identifiers = _identifiers([str(name) for name in network.names])
    lines = ["net {", "  node_size = (50 50);", "}"]
    for name, identifier, labels in zip(network.names, identifiers, network.labels, strict=True):
        kept = [] if str(name) == identifier else [f"  bnjit_name = {quoted(str(name))};"]
        states = [] if labels is None else [f"  states = ({' '.join(quoted(str(label)) for label in labels)});"]
        lines += [f"{'continuous ' if labels is None else ''}node {identifier} {{", *kept, *states, "}"]
    for j in range(len(network.nodes)):
        lines += _potential(network, j, identifiers)
    content = encoded("\n".join(lines) + "\n", path)
    with write_whole(path) as part:
        part.write_bytes(packed_for(path, content))


def _identifiers(names: list[str]) -> list[str]:
    """Identifiers for the nodes, which Hugin takes as names: their names wherever these are identifiers."""
    found = [name if _IDENTIFIER.fullmatch(name) and name not in _RESERVED else "" for name in names]
    taken = set(found)
    for j, name in enumerate(names):
        if not found[j]:
            start = "n_" + re.sub(r"[^A-Za-z0-9_]", "_", name)
            number = 1
            found[j] = start
            while found[j] in taken:
                number += 1
                found[j] = f"{start}_{number}"
            taken.add(found[j])
    return found


def _potential(network: "Network", j: int, identifiers: list[str]) -> list[str]:
    node = network.nodes[j]
    conditions = node.parents if isinstance(node, DiscreteNode) else node.discrete
    lengths = [network.levels[p] for p in conditions]
    q = math.prod(lengths)
    if q * max(network.levels[j], 1) > MOST_BIF_ENTRIES:
        raise FileFormatError(
            f"a .net file lists every configuration, and those of {network.names[j]!r} have "
            f"{q * max(network.levels[j], 1)} entries; write .json instead"
        )
    cells = find_cells(node.keys, np.arange(q))
    parents = conditions
    if isinstance(node, GaussianNode):
        parents = (*conditions, *node.continuous)
        names = [identifiers[p] for p in node.continuous]
        coefficients, sd = node.with_fallback()
        found = [normal_text(row, own, names) for row, own in zip(coefficients.tolist(), sd.tolist(), strict=True)]
        parts = [found[cell] for cell in cells.tolist()]
    else:
        values = iter(map(repr, node.with_fallback()[cells].ravel().tolist()))
        parts = [f"({' '.join(row)})" for row in zip(*[values] * network.levels[j], strict=True)]
    for length in reversed(lengths):
        parts = [f"({chr(10).join(parts[i : i + length])})" for i in range(0, len(parts), length)]
    data = f"({parts[0]})" if isinstance(node, GaussianNode) and not lengths else parts[0]
    given = f" | {' '.join(identifiers[p] for p in parents)}" if parents else ""
    return [f"potential ({identifiers[j]}{given}) {{", f"  data = {data};", "}"]
