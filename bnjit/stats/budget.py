"""Memory that all stores of the same rows share, where these come in chunks: what was used longest ago goes first."""

import weakref
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, NamedTuple, Protocol

from bnjit.data.source import Root
from bnjit.stats.tuning import LEAST_ROOM_PART


class Keeper(Protocol):
    """Keeps values until it is told to forget one."""

    def forget(self, key: Any) -> None:
        """Keep the value of a key no longer; it is there."""
        ...


class _Kept(NamedTuple):
    """A value: who keeps it, and its bytes."""

    keeper: "weakref.ref[Keeper]"
    size: int


class Budget:
    """Bytes for everything that is kept between passes over a root, and for what a pass makes.

    Parameters
    ----------
    root : Root
        Where the rows come from; what reading them takes is not there to be kept.
    memory : int
        Bytes for everything.
    """

    def __init__(self, root: Root, memory: int) -> None:
        self._root, self.memory = weakref.ref(root), memory
        self.used = 0
        self._kept: OrderedDict[tuple[int, Hashable], _Kept] = OrderedDict()  # those used longest ago first

    @property
    def room(self) -> int:
        """Bytes for everything but reading rows, for which there may be less than it takes."""
        root = self._root()
        reading = 0 if root is None else root.reading_bytes
        return max(self.memory - reading, self.memory // LEAST_ROOM_PART)

    def join(self, keeper: Keeper) -> None:
        """Share memory with one that keeps values, for as long as it is there."""
        weakref.finalize(keeper, self._leave, id(keeper)).atexit = False

    def _leave(self, number: int) -> None:
        for key in [key for key in self._kept if key[0] == number]:
            self.used -= self._kept.pop(key).size

    def add(self, keeper: Keeper, key: Hashable, size: int) -> None:
        """Count a value that is kept from now on, and have others forgotten if memory runs out."""
        self.make_room(size)
        self._kept[id(keeper), key] = _Kept(weakref.ref(keeper), size)
        self.used += size

    def touch(self, keeper: Keeper, key: Hashable) -> None:
        """Say that a value was used."""
        self._kept.move_to_end((id(keeper), key))

    def remove(self, keeper: Keeper, key: Hashable) -> None:
        """Count a value no longer."""
        self.used -= self._kept.pop((id(keeper), key)).size

    def make_room(self, size: int) -> bool:
        """Have values forgotten until so many bytes more fit, or none is left; return whether any had to go."""
        room, before = self.room, self.used
        while self._kept and self.used + size > room:
            (number, key), kept = next(iter(self._kept.items()))
            keeper = kept.keeper()
            if keeper is None:
                self._leave(number)
            else:
                keeper.forget(key)
        return self.used < before


def budget_of(root: Root, memory: int) -> Budget:
    """Return what all readers of a root share, which is what the largest of them asks for."""
    if root.budget is None:
        root.budget = Budget(root, memory)
    assert isinstance(root.budget, Budget)
    root.budget.memory = max(root.budget.memory, memory)
    return root.budget
