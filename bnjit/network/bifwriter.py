"""Write discrete networks in the Bayesian Interchange Format (.bif, .bif.gz); bnjit.network.bif reads them."""

import math
import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit._files import write_whole
from bnjit.errors import FileFormatError
from bnjit.network.nodes import DiscreteNode, find_cells
from bnjit.network.packed import encoded, packed_for
from bnjit.network.tokens import quoted
from bnjit.network.tuning import MOST_BIF_ENTRIES

if TYPE_CHECKING:
    from bnjit.network.network import Network

_SPECIAL = re.compile(r'[\s{}()\[\],;|"]|//|/\*')


def write_bif(network: "Network", path: Path) -> None:
    """Write a discrete network; configurations without parameters get their fallback."""
    if not all(network.discrete):
        name = network.names[network.discrete.index(False)]
        raise FileFormatError(
            f"{path.name}: BIF holds discrete networks, and {name!r} is continuous; write .json instead"
        )
    lines = ["network unknown {", "}"]
    for name, labels in zip(network.names, network.labels, strict=True):
        listed = ", ".join(_word(label) for label in labels or ())
        lines += [f"variable {_word(name)} {{", f"  type discrete [ {len(labels or ())} ] {{ {listed} }};", "}"]
    for j, node in enumerate(network.nodes):
        assert isinstance(node, DiscreteNode)
        lines += _probability_lines(network, j, node)
    content = encoded("\n".join(lines) + "\n", path)
    with write_whole(path) as part:
        part.write_bytes(packed_for(path, content))


def _probability_lines(network: "Network", j: int, node: DiscreteNode) -> list[str]:
    name, r = _word(network.names[j]), network.levels[j]
    q = math.prod(network.levels[p] for p in node.parents)
    if q * r > MOST_BIF_ENTRIES:
        raise FileFormatError(
            f"BIF lists every configuration, and those of {name!r} have {q * r} probabilities; write .json instead"
        )
    rows = node.with_fallback()
    if not node.parents:
        return [f"probability ( {name} ) {{", f"  table {', '.join(map(repr, rows[0].tolist()))};", "}"]
    parents = ", ".join(_word(network.names[p]) for p in node.parents)
    given = map(", ".join, product(*([_word(label) for label in network.labels[p] or ()] for p in node.parents)))
    values = iter(map(repr, rows[find_cells(node.keys, np.arange(q))].ravel().tolist()))
    written = map(", ".join, zip(*[values] * r, strict=True))
    lines = [f"  ({labels}) {row};" for labels, row in zip(given, written, strict=True)]
    return [f"probability ( {name} | {parents} ) {{", *lines, "}"]


def _word(value: Any) -> str:
    """A name or level as a BIF word, or in quotes if it is not one: not every program reads those."""
    text = str(value)
    return quoted(text) if not text or _SPECIAL.search(text) else text
