"""Sizes of memory, as users write them."""

import pytest

from bnjit.data.chunked.memory import as_memory, free_in_container, free_memory
from bnjit.errors import ArgumentError


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1MB", 10**6),
        ("2 gb", 2 * 10**9),
        ("1.5GiB", 3 << 29),
        (".5TB", 5 * 10**11),
        (5e6, 5_000_000),
        (1 << 20, 1 << 20),
    ],
)
def test_sizes(text, size):
    assert as_memory(text) == size


@pytest.mark.parametrize("wrong", ["much", "12 parsecs", -5, 0, True, "1..2GB", "GB", "999KB", float("nan"), 2**63, []])
def test_what_is_no_size(wrong):
    with pytest.raises(ArgumentError, match="max_memory="):
        as_memory(wrong)


def test_half_of_the_free_memory_by_default():
    assert 10**6 <= as_memory(None) <= 0.9 * free_memory()


def test_limits_of_containers(tmp_path):
    assert free_in_container(tmp_path) > 1 << 60
    for name, text in (
        ("memory.max", "1000000\n"),
        ("memory.current", "600000\n"),
        ("memory.stat", "anon 5\ninactive_file 100000\n"),
    ):
        (tmp_path / name).write_text(text)
    assert free_in_container(tmp_path) == 500_000
    (tmp_path / "memory.max").write_text("max\n")
    assert free_in_container(tmp_path) > 1 << 60
