"""Memory that several stores share: what was used longest ago goes first, whoever keeps it."""

import gc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnjit.data.source import Root
from bnjit.stats import Request, Store
from bnjit.stats.budget import Budget, budget_of
from bnjit.stats.cache import Recent
from bnjit.stats.readers.chunked import ChunkedReader
from tests.stats.forms import as_parquet, in_chunks, mixed_arrow

STEP = st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 9), st.booleans())


class Rows(Root):
    """Rows that take some memory while they are read."""

    def __init__(self, reading: int = 0) -> None:
        super().__init__((), ())
        self._reading = reading

    @property
    def reading_bytes(self) -> int:
        return self._reading


def shares(budget, number, memory=10**6):
    return [Recent(memory, lambda size: size, budget) for _ in range(number)]


@given(steps=st.lists(STEP), memory=st.integers(0, 30))
def test_shared_values_against_a_list(steps, memory):
    """Values of some size by their keeper and key; a plain list has those used longest ago first."""
    rows = Rows()
    budget = Budget(rows, memory)
    keepers: list[Recent[int, int]] = shares(budget, 3)
    kept: list[tuple[tuple[int, int], int]] = []
    for who, key, size, reads in steps:
        place = who, key
        before = dict(kept).get(place)
        kept = [pair for pair in kept if pair[0] != place]
        if reads:
            assert keepers[who].recall(key) == before
            kept += [] if before is None else [(place, before)]
        else:
            keepers[who].remember(key, size)
            while kept and sum(own for _, own in kept) + size > memory:
                del kept[0]
            kept.append((place, size))
        for i, keeper in enumerate(keepers):
            assert dict(keeper) == {key: own for (one, key), own in kept if one == i}
        assert budget.used == sum(keeper.used for keeper in keepers) == sum(own for _, own in kept)


def test_room_for_what_a_pass_makes():
    rows = Rows(reading=40)
    budget = Budget(rows, 100)
    first, second = shares(budget, 2)
    first.remember("a", 20)
    second.remember("b", 20)
    first.remember("c", 20)
    assert (budget.room, budget.used) == (60, 60)
    first.recall("a")
    budget.make_room(15)
    assert (list(first), list(second)) == (["c", "a"], [])
    budget.make_room(1000)
    assert (list(first), budget.used) == ([], 0)
    assert Budget(Rows(reading=90), 90).room == 30


def test_who_is_gone_keeps_nothing():
    rows = Rows()
    budget = Budget(rows, 100)
    first, second = shares(budget, 2)
    first.remember("a", 60)
    second.remember("b", 30)
    first.release()
    assert budget.used == 30
    del second
    gc.collect()
    assert budget.used == 0
    first.remember("a", 100)
    assert first.recall("a") == 100


def test_readers_of_a_root_share_memory(tmp_path):
    source = in_chunks(as_parquet(mixed_arrow(), tmp_path / "files"), 90)
    reader = ChunkedReader(source, 1 << 20)
    store = Store(reader)
    x = source.continuous[0]
    other = store.scaled(np.ones(len(source.names))).replaced(x, (), (x,), lambda table, found: np.zeros(table.n))
    assert reader.budget is other.reader.budget is budget_of(source, 1 << 10)
    v = source.discrete.index(True)
    asked = [Request((v,), source.continuous)]
    for one in (store, other):
        one.get(asked)
    both = store.cache.nbytes + other.cache.nbytes
    assert source.budget.used == both > store.cache.nbytes > 0
    third = store.scaled(np.ones(len(source.names)))
    source.budget.memory = 3 * (both // 2)
    third.get(asked)
    assert third.cache.nbytes == source.budget.used <= source.budget.room
    assert store.cache.find(asked[0]) is None
