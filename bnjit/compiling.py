"""Compile kernels ahead of their first use, for images and clusters."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from bnjit.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("gaussian", "discrete", "cgaussian")
COLUMNS, ROWS = 10, 40_000  # of tables that reach every kernel
WIDE = 13  # columns, too many for thorough search to search exactly


def compile(everything: bool = False, progress: bool | None = None) -> int:
    """Compile what `learn`, `fit` and `sample` need, so that later calls, in any process, start at once.

    The machine code is kept beside the package, or in the user's folder for such files if that cannot be written, or
    where the environment variable BNJIT_CACHE says. It serves processors of the same kind, and versions of bnjit, Numba
    and Python that are the same.

    Parameters
    ----------
    everything : bool
        Whether to compile for all scores, algorithms and estimators, and for rows in chunks, not for default arguments
        alone.
    progress : bool, optional
        Show a progress bar; by default only in a terminal or a notebook.

    Returns
    -------
    int
        How many kernels were compiled; 0 if all were there.

    Examples
    --------
    >>> import bnjit
    >>> _ = bnjit.compile()
    >>> bnjit.compile()
    0
    """
    from bnjit._kernel_cache import watch_compiling
    from bnjit.progress import Progress

    if not isinstance(everything, bool):
        raise ArgumentError(f"everything={everything!r} must be True or False")
    jobs = list(_jobs(everything))
    compiled = count()
    stop = watch_compiling(partial(next, compiled))
    try:
        with Progress("compile", progress, unit="jobs", total=len(jobs)) as shown:
            for job in jobs:
                job()
                shown.advance()
    finally:
        stop()
    return next(compiled)


def _jobs(everything: bool) -> Iterator[Callable[[], Any]]:
    """Small calls that together need all kernels of what is to be compiled."""
    import bnjit
    from bnjit import datasets
    from bnjit.options import BIC, CrossValidation, Exact, HeldOut, Thorough

    frames = {kind: datasets.random_network(kind, COLUMNS, seed=1).sample(ROWS, seed=1) for kind in KINDS}
    learn = partial(bnjit.learn, progress=False)
    for frame in frames.values():
        yield partial(_fit_and_sample, frame)
    if not everything:
        return
    for kind, frame in frames.items():
        scores: list[Any] = [BIC(sparse="pool"), BIC(penalty="local"), "pred", HeldOut(density="bayes"), "marginal"]
        scores += [CrossValidation(folds=2), CrossValidation(folds=2, density="bayes")]
        scores += {"gaussian": ["bge"], "discrete": ["bde", "bds", "k2", "qnml", "fnml"], "cgaussian": []}[kind]
        yield from (partial(learn, frame, score) for score in scores)
        yield from (partial(learn, frame, algorithm=algorithm) for algorithm in ("tabu", "boss", "ges"))
        yield partial(learn, _in_chunks(frame), max_memory="1MB")
        yield partial(bnjit.arc_strength, frame, 2, seed=1, progress=False)
    wide = datasets.random_network("discrete", WIDE, seed=1).sample(ROWS, seed=1)
    yield partial(learn, frames["gaussian"], algorithm=Exact())
    yield partial(learn, wide, algorithm=Thorough(restarts=0))
    for estimator in ("qr", "1p", "2p"):
        yield from (partial(learn, frames["cgaussian"], score, estimator=estimator) for score in ("bic", "pred"))


def _fit_and_sample(frame: "pd.DataFrame") -> None:
    import bnjit

    bnjit.learn(frame, progress=False).fit().sample(10, seed=1)


def _in_chunks(frame: "pd.DataFrame") -> Callable[[], Any]:
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False).to_batches
