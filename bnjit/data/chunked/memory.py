"""How much memory rows may take."""

import ctypes
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from bnjit.data.tuning import LEAST_MEMORY
from bnjit.errors import ArgumentError

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}


def as_memory(value: Any) -> int:
    """Bytes that max_memory stands for: a number, a text like "2GB", or None for half of the free memory.

    >>> as_memory("1.5 GB"), as_memory(10_000_000)
    (1500000000, 10000000)
    """
    if value is None:
        return max(LEAST_MEMORY, free_memory() // 2)
    size = float("nan")
    if isinstance(value, str):
        found = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", value)
        if found and found[2].upper() in _UNITS and re.fullmatch(r"\d+\.?\d*|\.\d+", found[1]):
            size = float(found[1]) * _UNITS[found[2].upper()]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        size = float(value)
    if not LEAST_MEMORY <= size <= 2**62:
        raise ArgumentError(
            f"max_memory={value!r} must be a number of bytes, or a text like '500MB' or '2GB'; 1MB or more"
        )
    return int(size)


def give_back() -> None:
    """Give memory back to the machine that Arrow and the C library keep for later."""
    pa.default_memory_pool().release_unused()
    trim = _trim_function()
    if trim is not None:
        trim(0)


@cache
def _trim_function() -> Any:
    """Return what the C library has for that: glibc does, others give memory back by themselves."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another library, or Windows
        return None


def free_memory() -> int:
    """Memory that is free, roughly: of the machine, or of the container."""
    return min(_free_on_machine(), free_in_container(Path("/sys/fs/cgroup")))


def free_in_container(folder: Path) -> int:
    """What the limit of a control group leaves; files that it keeps in memory can be given up."""
    try:
        most, used = ((folder / name).read_text(encoding="ascii") for name in ("memory.max", "memory.current"))
        cached = re.search(r"^inactive_file (\d+)", (folder / "memory.stat").read_text(encoding="ascii"), re.MULTILINE)
        return max(0, int(most) - int(used) + (int(cached[1]) if cached else 0))
    except (OSError, ValueError):  # there is none, or it has no limit
        return 1 << 62


def _free_on_machine() -> int:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return 1 << 32
