"""What a call took is freed when it returns: no cycle of references waits for the garbage collector."""

import gc
import itertools

import pytest

import bnjit
from bnjit import datasets


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "cgaussian"])
@pytest.mark.parametrize(
    ("out_of_core", "arguments"),
    [(False, {"score": "cv"}), *itertools.product([False, True], [{}, {"score": "pred"}, {"algorithm": "boss"}])],
    ids=str,
)
def test_nothing_waits_for_the_garbage_collector(kind, arguments, out_of_core, tmp_path):
    data = datasets.random_network(kind, 5, seed=1).sample(600, seed=1)
    if out_of_core:
        data.to_parquet(tmp_path / "rows.parquet")
        arguments = {**arguments, "out_of_core": True}
        data = tmp_path / "rows.parquet"
    bnjit.learn(data, **arguments)
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        bnjit.learn(data, **arguments)
        gc.collect()
        left = {type(item).__name__ for item in gc.garbage if type(item).__module__.startswith("bnjit")}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert not left
