"""Waiting for another thread without going to sleep: waking up takes longer than many a kernel."""

from bnjit._jit import jit, pause, shared_value


@jit
def is_changed(address: int, before: int, looks: int) -> bool:
    """Whether an int64 at an address is, or becomes within so many looks, another one than `before`."""
    for _ in range(looks):
        if shared_value(address) != before:
            return True
        pause()
    return False
