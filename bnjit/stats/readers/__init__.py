"""Rows, wherever they are, come in; counts, Cells and triangles go out: one protocol, one module for each kind of rows.

Rows in memory, chunks, saved statistics, folds and bootstrap replicates differ in nothing else that a store could see.
May import data, kernels and the modules of stats below the store.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Protocol

from bnjit._jit import Floats
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.stats.budget import Budget
from bnjit.stats.cells import Cells
from bnjit.stats.collect import Membership
from bnjit.stats.counting import Counts
from bnjit.stats.requests import Columns, Findings, Plan, Request, SetBatch, Variables

if TYPE_CHECKING:
    from bnjit.stats.store import Store

Compute = Callable[[Table, Membership], Floats]  # values of a column from rows and the cells that these are in


class Reader(Protocol):
    """Where statistics come from.

    Attributes
    ----------
    schema : Schema
        The columns.
    n : float
        Rows, or the sum of their weights.
    memory : int
        Bytes of Cells that may be there at a time.
    kept_share, counts_share : float
        Parts of that for the tables that a store keeps, and for counts of single sets.
    most_cells : int
        Cells that a table may have to be made in place of a smaller one; 0 to make what is asked for.
    ahead_memory : int
        Bytes of counts, and as many of triangles, that are worth reading beside what was asked for.
    in_passes : bool
        Whether reading is a pass over rows that are not in memory, which is dear: it pays to ask for much at a time.
    read_with : hashable, optional
        What readers have in common that are read together: in one pass, or side by side by threads; None where each
        reads by itself.
    has_rows : bool
        Whether there are rows, of which any columns may be asked for.
    base : Store or None
        The store that answers are made from, or that shares its memory with this reader, if there is one.
    table : Table or None
        All rows, where they are in memory.
    budget : Budget or None
        Memory that all readers of the same rows share, where these come in passes.
    """

    @property
    def schema(self) -> Schema: ...  # noqa: D102

    @property
    def n(self) -> float: ...  # noqa: D102

    @property
    def memory(self) -> int: ...  # noqa: D102

    @property
    def kept_share(self) -> float: ...  # noqa: D102

    @property
    def counts_share(self) -> float: ...  # noqa: D102

    @property
    def most_cells(self) -> int: ...  # noqa: D102

    @property
    def ahead_memory(self) -> int: ...  # noqa: D102

    @property
    def in_passes(self) -> bool: ...  # noqa: D102

    @property
    def read_with(self) -> Hashable | None: ...  # noqa: D102

    @property
    def has_rows(self) -> bool: ...  # noqa: D102

    @property
    def base(self) -> "Store | None": ...  # noqa: D102

    @property
    def table(self) -> Table | None: ...  # noqa: D102

    @property
    def budget(self) -> Budget | None: ...  # noqa: D102

    @property
    def whole(self) -> Cells | None:
        """Cells of the empty set, one cell with all rows; None before they are read."""
        ...

    def quick_to_count(self, variables: Variables) -> bool:
        """Whether counting a set is faster than looking for a larger table to roll up."""
        ...

    def worth_rolling_up(self, cells: Cells) -> bool:
        """Whether a table is so small that rolling it up is faster than reading."""
        ...

    def count_batch(self, sets: SetBatch) -> Counts | None:
        """Count many sets at once; None where sets are counted one by one, with the rest of a plan."""
        ...

    def made_from(self, request: Request) -> "tuple[Store, Request] | None":
        """Return the store that is asked for the answer to a request, and for what; None where rows are read."""
        ...

    def read(self, plans: Sequence[tuple["Reader", Plan]]) -> list[Findings]:
        """Carry out the plans of this reader and of others with the same `read_with`."""
        ...

    def extremes(self, column: int) -> Floats:
        """Values of a continuous column, or the least and the greatest of them."""
        ...

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> "Reader":
        """Return a reader of the same rows with other values in one continuous column.

        They are computed from some columns of the rows and the cells of `variables` that these are in.
        """
        ...

    def factors(self) -> Floats:
        """Powers of two by which continuous columns are to be multiplied to be in units of their own, float64[N]."""
        ...

    def scaled(self, scale: Floats) -> "Reader":
        """Return a reader of the same rows with continuous columns multiplied by powers of two, float64[N]."""
        ...


def read_all(asked: Sequence[tuple[Reader, Plan]]) -> list[Findings]:
    """Carry out plans, together those of readers that are read together."""
    together: dict[Hashable, list[int]] = {}
    for i, (reader, _) in enumerate(asked):
        together.setdefault(("alone", i) if reader.read_with is None else reader.read_with, []).append(i)
    found: dict[int, Findings] = {}
    for places in together.values():
        plans = [asked[i] for i in places]
        found.update(zip(places, plans[0][0].read(plans), strict=True))
    return [found[i] for i in range(len(asked))]
