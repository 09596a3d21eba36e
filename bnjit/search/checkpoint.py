"""Checkpoints: the local scores of a search on disk, so that the same call goes on where it was killed.

A search is a function of local scores. One that finds those of its first part in a file makes the same moves again
without estimating anything, whatever the algorithm, and goes on from there. Only the families that thorough search
grows in large tables are estimated again: there are too many to keep.
"""

import hashlib
import os
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bnjit.data.schema import Schema
from bnjit.errors import ArgumentError, FileFormatError
from bnjit.graph.bits import bits_of, members_of
from bnjit.options import EM, Available, CrossValidation, HeldOut, LocalScore, MissingRule, Score, name_of
from bnjit.scores import Scorer
from bnjit.search.tuning import CHECKPOINT_SECONDS, CHECKPOINT_SHARE
from bnjit.stats import Request, Store
from bnjit.stats.files import DAMAGED, read_arrays, write_arrays

VERSION = 2


class ScoreFile:
    """Local scores on disk.

    Parameters
    ----------
    path : path
        The file.
    scorer : Scorer
        What estimates: its table is what the scores are of.
    arguments : dict
        What the scores depend on beside the data, as the file keeps it.
    seconds, share : float
        The least time between two writings, and how many times as long as writing takes it must be.
    """

    def __init__(
        self, path: "str | os.PathLike[str]", scorer: Scorer, arguments: dict[str, Any],
        seconds: float = CHECKPOINT_SECONDS, share: float = CHECKPOINT_SHARE,
    ) -> None:  # fmt: skip
        self._path = Path(path)
        if not self._path.exists() and not self._path.parent.is_dir():
            raise ArgumentError(f"checkpoint={str(path)!r}: there is no folder {str(self._path.parent)!r}")
        self._seconds, self._share = seconds, share
        self._what = {**arguments, **_fingerprint(scorer)}
        self._saved, self._took, self._number = time.perf_counter(), 0.0, 0

    def load(self, N: int) -> dict[tuple[int, int], float]:
        """Scores by node and parents as bits that the same call wrote; none if there is no file yet."""
        known = _load(self._path, self._what, N) if self._path.exists() else {}
        self._number = len(known)
        return known

    def save_sometimes(self, known: Sequence[dict[int, float]]) -> None:
        """Write the file if that was long ago."""
        if time.perf_counter() - self._saved >= max(self._seconds, self._share * self._took):
            self.save(known)

    def save(self, known: Sequence[dict[int, float]]) -> None:
        """Write the scores of every node, in one piece or not at all; nothing if none is new."""
        number = sum(map(len, known))
        if number == self._number:
            return
        began = time.perf_counter()
        sets = [members_of(bits) for own in known for bits in own]
        arrays = {
            "nodes": np.repeat(np.arange(len(known), dtype=np.int32), [len(own) for own in known]),
            "sizes": np.array([len(parents) for parents in sets], np.int32),
            "members": np.array([parent for parents in sets for parent in parents], np.int32),
            "scores": np.array([score for own in known for score in own.values()], np.float64),
        }
        write_arrays(self._path, VERSION, self._what, arrays, compress=False)
        self._number, self._saved = number, time.perf_counter()
        self._took = self._saved - began


def open_checkpoint(
    path: "str | os.PathLike[str] | None", scorer: Scorer, score: Score | LocalScore, estimator: str, seed: int | None,
    test: Schema | None, missing: MissingRule | None = None,
) -> ScoreFile | None:  # fmt: skip
    """Return the file of a checkpoint, if there is to be one."""
    return None if path is None else ScoreFile(path, scorer, _depends_on(score, estimator, seed, test, missing))


def _depends_on(
    score: Score | LocalScore, estimator: str, seed: int | None, test: Schema | None, missing: MissingRule | None
) -> dict[str, Any]:  # fmt: skip
    """What local scores depend on beside the table, for a checkpoint."""
    used: dict[str, Any] = {"score": name_of(score), "estimator": estimator}
    if isinstance(missing, Available | EM):
        used["missing"] = str(missing)
    if isinstance(score, Score):
        used |= {name: value for name, value in score.arguments().items() if name not in ("one_se", "test")}
    if isinstance(score, HeldOut) and test is not None:
        used |= {"test": score.test if isinstance(score.test, float) else "a table", "test_rows": test.n}
    if isinstance(score, HeldOut | CrossValidation):
        used["seed"] = seed or 0
    return used


def _fingerprint(scorer: Scorer) -> dict[str, Any]:
    """What tells one table from another without reading it again: counts of pairs, means, deviations, correlations."""
    digest = hashlib.sha256(repr((scorer.schema.names, scorer.schema.labels)).encode())
    for store in scorer.all_rows:
        discrete = [v for v, is_discrete in enumerate(store.schema.discrete) if is_discrete]
        for cells in store.get([Request(pair) for pair in pairwise(discrete)] or [Request((v,)) for v in discrete]):
            digest.update(cells.keys.tobytes() + cells.counts.tobytes())
        digest.update(f"{store.n}:{_rounded_moments(store)}".encode())
    return {"rows": scorer.store.n, "columns": len(scorer.schema.names), "data": digest.hexdigest()}


def _rounded_moments(store: Store) -> str:
    """Moments to fewer digits than another division into chunks may change, relative to the deviations."""
    if not store.schema.continuous:
        return ""
    cross = store.whole.covariance()
    deviation = np.sqrt(np.diag(cross))
    scale = np.where(deviation > 0.0, deviation, 1.0)
    numbers = np.concatenate([store.whole.means[0] / scale, (cross / np.outer(scale, scale)).ravel()])
    rounded = (numbers.round(6) + 0.0).tolist()  # -0.0 and 0.0 are one number
    return ",".join([*(f"{one:.6e}" for one in deviation.tolist()), *(f"{one:.6f}" for one in rounded)])


def _load(path: Path, what: dict[str, Any], N: int) -> dict[tuple[int, int], float]:
    """Scores of a file that the same call wrote."""
    wrong = f"{str(path)!r} is no checkpoint of bnjit, or is damaged; remove it to start anew"
    try:
        written, arrays = read_arrays(path, VERSION, "a checkpoint")
        nodes, sizes, members, scores = (arrays[name] for name in ("nodes", "sizes", "members", "scores"))
        fits = isinstance(written, dict) and _are_scores(nodes, sizes, members, scores, N)
    except DAMAGED as error:
        raise FileFormatError(wrong) from error
    if not fits:
        raise FileFormatError(wrong)
    for name, value in what.items():
        if written.get(name) != value:
            raise ArgumentError(
                f"checkpoint={str(path)!r} is of another search: {name} was {written.get(name)!r} and is {value!r}; "
                "remove the file, or give another name"
            )
    ends = np.cumsum(sizes)
    flat = members.tolist()
    parents = [bits_of(flat[end - size : end]) for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]
    return dict(zip(zip(nodes.tolist(), parents, strict=True), scores.tolist(), strict=True))


def _are_scores(nodes: Any, sizes: Any, members: Any, scores: Any, N: int) -> bool:
    """Whether arrays of a file are what scores can be."""
    integers = all(array.dtype == np.int32 and array.ndim == 1 for array in (nodes, sizes, members))
    if not integers or scores.dtype != np.float64 or scores.ndim != 1 or not len(nodes) == len(sizes) == len(scores):
        return False
    if np.any(sizes < 0) or int(sizes.sum(dtype=np.int64)) != len(members) or np.isnan(scores).any():
        return False
    return not any(len(array) and not 0 <= array.min() <= array.max() < N for array in (nodes, members))
