"""A store whose rows are not in memory, or not there at all: what can be had without them is never read."""

from bnjit._jit import Ints32, Ints64
from bnjit.data.schema import Schema
from bnjit.stats.cells import Cells
from bnjit.stats.counting import Counts, counts_of
from bnjit.stats.store import Recent, Request, Store, requests_of


class DistantStore(Store):
    """What stores of chunks and stores of statistics share: sets are counted each by itself, and kept like Cells."""

    def _start(self, table: Schema, memory: int) -> None:
        super()._start(table, memory)
        self._tallies = Recent(memory, lambda cells: cells.nbytes)

    def count(self, node: int, members: Ints32, sizes: Ints64) -> Counts:
        """Counts for a batch of sets of discrete variables, as those of a table."""
        return counts_of(self.get(requests_of(members, sizes)))

    def _counted_for(self, variables: tuple[int, ...]) -> Cells | None:
        """No set stands in a batch."""
        return None

    def _quick_to_count(self, request: Request) -> bool:
        return False

    def _worth_rolling_up(self, cells: Cells) -> bool:
        return True
