"""What a process does when it is told to end."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def exit_when_terminated() -> Iterator[None]:
    """Let SIGTERM end what is inside as an exception does, so that it can keep what it has; the process still ends.

    Only where Python would simply end: in the main thread of a program that has no rule of its own for the signal. A
    second one is ignored while the first is obeyed.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
