"""What a graph needs of its data: the tables of its families, and triangles where moments are not enough."""

from collections.abc import Sequence
from typing import NamedTuple

from bnjit.data.schema import Schema
from bnjit.stats.cells import Cells, roll_up
from bnjit.stats.regressions import Regression, triangles_needed
from bnjit.stats.requests import Request, Variables
from bnjit.stats.store import Store
from bnjit.stats.triangles import CellTriangles


class GraphStatistics(NamedTuple):
    """Statistics from which the parameters of one graph follow, without any row, in the columns' own units.

    Attributes
    ----------
    schema : Schema
        The columns.
    tables : list of Cells
        Those of the empty set, then those of the families.
    triangles : list of CellTriangles
        Of the cells whose regressions moments do not give accurately.
    """

    schema: Schema
    tables: list[Cells]
    triangles: list[CellTriangles]


def collect_graph(store: Store, parents: Sequence[tuple[int, ...]]) -> GraphStatistics:
    """Statistics of a graph, given the parents of each node."""
    schema = Schema(store.schema.names, store.schema.labels)
    requests = [family_request(schema, node, own) for node, own in enumerate(parents)]
    columns: dict[Variables, set[int]] = {}
    for request in requests:
        columns.setdefault(request.variables, set()).update(request.columns)
    together = [Request(variables, tuple(sorted(own))) for variables, own in columns.items()]
    tables = {
        request.variables: cells.narrow(request.columns)
        for request, cells in zip(together, store.get(together), strict=True)
    }
    regressions: list[Regression] = []
    for node in schema.continuous:
        cells = tables[requests[node].variables].narrow(requests[node].columns)
        own, everything = node_regressions(schema, node, parents[node], cells)
        regressions += [own, everything] if cells.variables else [own]
    tables.pop((), None)
    found, triangles = [store.whole, *tables.values()], triangles_needed(store, regressions)
    if store.schema.scale is not None:
        schema.factors = store.schema.scale
        found = [cells.scaled(1.0 / schema.factors) for cells in found]
        triangles = [made.scaled(1.0 / schema.factors) for made in triangles]
    return GraphStatistics(schema, found, triangles)


def family_request(schema: Schema, node: int, parents: tuple[int, ...]) -> Request:
    """Return what a node is fitted from."""
    if schema.discrete[node]:
        return Request(tuple(sorted((*parents, node))))
    discrete = tuple(v for v in parents if schema.discrete[v])
    return Request(discrete, tuple(sorted({*parents, node} - set(discrete))))


def node_regressions(
    schema: Schema, node: int, parents: tuple[int, ...], cells: Cells
) -> tuple[Regression, Regression]:
    """Regressions of a continuous node in each configuration of its discrete parents, and in all rows.

    The second is what configurations fall back on that were never observed; where all rows are too few for it, it has
    no parents.
    """
    continuous = tuple(v for v in parents if not schema.discrete[v])
    pooled = roll_up(cells, ()) if cells.variables else cells
    used = continuous if pooled.counts[0] > len(continuous) + 1 else ()
    everything = Regression(node, used, pooled.narrow(tuple(sorted((*used, node)))))
    return Regression(node, continuous, cells), everything
