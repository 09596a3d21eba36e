"""A team of threads that are kept, and look out for the next job for a while before they go to sleep."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bnjit.kernels.waiting import is_changed

# Looks for another thread before going to sleep, which take 0.1 to 0.2 ms: the next kernel often comes within that
# time, and waking up from sleep takes 0.05 ms.
LOOKS = 4_000


class Job:
    """What another thread is to do."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.error: BaseException | None = None
        self._work, self._ended, self._running = work, np.zeros(1, np.int64), threading.Lock()
        self._running.acquire()

    def run(self) -> None:
        """Do it, and keep the error if there is one."""
        try:
            self._work()
        except BaseException as error:
            self.error = error

    def end(self) -> None:
        """Tell the one who waits."""
        self._ended[0] = 1
        self._running.release()

    def wait(self) -> None:
        """Return when it was done."""
        if not is_changed(self._ended.ctypes.data, 0, LOOKS):
            with self._running:
                pass


class Team:
    """Threads that do jobs, if they come to them: who gives a job does the rest himself, and takes back what is left.

    There is no lock, for which threads would have to wait asleep: a deque needs none.

    Parameters
    ----------
    size : int
        Threads.
    begin : callable
        Called first in each of them.
    """

    def __init__(self, size: int, begin: Callable[[], None]) -> None:
        self._pool = ThreadPoolExecutor(size, "bnjit", begin)
        self._jobs: deque[Job] = deque()
        self._looking: deque[None] = deque()  # one for each thread that looks out for jobs
        self._given = np.zeros(1, np.int64)  # grows with every job

    def give(self, job: Job) -> None:
        """Have a job done."""
        self._jobs.append(job)
        self._given[0] += 1
        if len(self._jobs) > len(self._looking):
            self._pool.submit(self._look_out)

    def take_back(self, job: Job) -> bool:
        """Take back a job that was not begun; return whether that is so."""
        try:
            self._jobs.remove(job)
        except ValueError:
            return False
        return True

    def _look_out(self) -> None:
        """Do jobs until none comes for a while."""
        self._looking.append(None)
        while True:
            given = int(self._given[0])
            try:
                job = self._jobs.popleft()
            except IndexError:
                if is_changed(self._given.ctypes.data, given, LOOKS):
                    continue
                self._looking.pop()
                if not self._jobs:
                    return
                self._looking.append(None)
            else:
                self._looking.pop()
                job.run()
                self._looking.append(None)
                job.end()
                del job  # with all that it holds
