"""Compile before the first measurement, in two processes: python -m bnjit.paper.ahead SEED PROTOCOL ..."""

import subprocess
import sys
from collections.abc import Iterable, Sequence

from bnjit.paper.plan import ESTIMATORS, Measurement
from bnjit.paper.progress import Bar
from bnjit.paper.tuning import WARM_ROWS


def compile_ahead(planned: Iterable[Measurement], seed: int, progress: bool | None) -> None:
    """Compile the estimators here, and the protocols of Table 1 in another process; return when both are done.

    Nothing is timed meanwhile. Where compiled code cannot be kept, or only one kind is planned, nothing is done: each
    is then compiled when its turn comes.
    """
    from bnjit._kernel_cache import folder_to_write
    from bnjit.paper.sources import load
    from bnjit.paper.timing import time_search

    planned = list(planned)
    protocols = list(dict.fromkeys(m.estimator for m in planned if m.experiment == "accuracy"))
    timed = [name for name in ESTIMATORS if any((m.experiment, m.estimator) == ("mehra", name) for m in planned)]
    if not protocols or not timed or folder_to_write() is None:
        return
    quiet = subprocess.DEVNULL
    other = subprocess.Popen([sys.executable, "-m", __name__, str(seed), *protocols], stdout=quiet, stderr=quiet)
    try:
        with Bar(progress) as bar:
            bar.show("compiling, only the first time")
            rows = load(_few_rows("mehra", ""), seed)
            for name in timed:
                time_search(_few_rows("mehra", name), rows, seed)
            other.wait()
    finally:
        other.kill()
        other.wait()


def _few_rows(experiment: str, name: str) -> Measurement:
    return Measurement(experiment, "MEHRA", WARM_ROWS, 0, 0, name, knowledge=True)


def main(arguments: Sequence[str]) -> None:
    """Learn by some protocols from few rows."""
    from bnjit.paper.accuracy import measure_accuracy
    from bnjit.paper.sources import load

    seed, *protocols = arguments
    rows = load(_few_rows("accuracy", ""), int(seed))
    for name in protocols:
        measure_accuracy(_few_rows("accuracy", name), rows, int(seed))


if __name__ == "__main__":
    main(sys.argv[1:])
