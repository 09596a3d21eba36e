"""Checkpoints: the local scores of a search on disk, so that the same call goes on where it was killed.

A search is a function of local scores. One that finds those of its first part in a file makes the same moves again
without estimating anything, whatever the algorithm, and goes on from there.
"""

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bnjit._jit import Floats
from bnjit.errors import ArgumentError, FileFormatError
from bnjit.scores import Scorer
from bnjit.scores.batch import ParentSet, ParentSets, make_sets
from bnjit.stats import Request

VERSION = 1
INTERVAL = 10.0  # seconds between two times that the file is written, or
SHARE = 50  # times what writing it took
FIELDS = ("version", "what", "nodes", "sizes", "members", "scores")


class Remembering(Scorer):
    """A scorer that keeps all scores, in a file as well.

    Parameters
    ----------
    scorer : Scorer
        What estimates.
    path : Path
        The file; what it has is used, and it is written from time to time.
    arguments : dict
        What the scores depend on beside the data, as the file keeps it.
    """

    def __init__(self, scorer: Scorer, path: Path, arguments: dict[str, Any]) -> None:
        self.store, self.table, self.equivalent = scorer.store, scorer.table, scorer.equivalent
        self.in_chunks = scorer.in_chunks
        self._scorer, self._path = scorer, path
        self._what = {**arguments, **_fingerprint(scorer)}
        self._known: dict[tuple[int, ParentSet], float] = {}
        self._saved, self._took = time.perf_counter(), 0.0
        self._fresh = False
        if path.exists():
            self._known = _load(path, self._what, len(self.table.names))
        elif not path.parent.is_dir():
            raise ArgumentError(f"checkpoint={str(path)!r}: there is no folder {str(path.parent)!r}")

    def local_scores(self, node: int, candidates: Iterable[Sequence[int]] | ParentSets) -> Floats:
        """Score a node with each of a batch of parent sets; see Scorer."""
        sets = candidates if isinstance(candidates, ParentSets) else make_sets(candidates)
        return self._remembered([(node, sets)])[0]

    def fold_scores(self, node: int, candidates: Iterable[Sequence[int]]) -> Floats:
        """Scores by fold, which are not kept; see Scorer."""
        return self._scorer.fold_scores(node, candidates)

    def batch(self, jobs: Sequence[tuple[int, ParentSets]]) -> list[Floats]:
        """Score several nodes, each with its parent sets; see Scorer."""
        return self._remembered(jobs)

    def _remembered(self, jobs: Sequence[tuple[int, ParentSets]]) -> list[Floats]:
        """Scores from memory; those of a node that are not there are estimated together."""
        keys = [[(node, parents) for parents in sets.tuples()] for node, sets in jobs]
        todo = []
        for (node, sets), asked in zip(jobs, keys, strict=True):
            new = np.array([i for i, key in enumerate(asked) if key not in self._known], np.intp)
            if len(new):
                todo.append((node, sets.take(new)))
        if todo:
            if self.in_chunks:
                made = self._scorer.batch(todo)
            else:
                made = [self._scorer.local_scores(node, sets) for node, sets in todo]
            for (node, sets), scores in zip(todo, made, strict=True):
                self._known.update(
                    ((node, parents), score) for parents, score in zip(sets.tuples(), scores.tolist(), strict=True)
                )
            self._fresh = True
            if time.perf_counter() - self._saved >= max(INTERVAL, SHARE * self._took):
                self.save()
        return [np.array([self._known[key] for key in asked]) for asked in keys]

    def save(self) -> None:
        """Write the file, in one piece or not at all."""
        if not self._fresh:
            return
        began = time.perf_counter()
        keys = list(self._known)
        part = self._path.with_name(f"{self._path.name}.{os.getpid()}.part")
        try:
            with part.open("wb") as file:
                np.savez(
                    file,
                    version=np.int64(VERSION),
                    what=np.array(json.dumps(self._what)),
                    nodes=np.array([node for node, _ in keys], np.int32),
                    sizes=np.array([len(parents) for _, parents in keys], np.int32),
                    members=np.array([parent for _, parents in keys for parent in parents], np.int32),
                    scores=np.array(list(self._known.values())),
                )
            part.replace(self._path)
        finally:
            part.unlink(missing_ok=True)
        self._fresh = False
        self._saved = time.perf_counter()
        self._took = self._saved - began


def _fingerprint(scorer: Scorer) -> dict[str, Any]:
    """What tells one table from another without reading it again."""
    store, table = scorer.store, scorer.table
    single = [Request((v,)) for v, discrete in enumerate(table.discrete) if discrete]
    digest = hashlib.sha256(repr((table.names, table.labels)).encode())
    for cells in store.get(single):
        digest.update(cells.keys.tobytes() + cells.counts.tobytes())
    # Means to fewer digits than chunks of another size may change.
    digest.update(",".join(f"{mean:.6e}" for mean in store.whole.means[0].tolist()).encode())
    return {"rows": store.n, "columns": len(table.names), "data": digest.hexdigest()}


def _load(path: Path, what: dict[str, Any], N: int) -> dict[tuple[int, ParentSet], float]:
    """Scores of a file that the same call wrote."""
    wrong = f"{str(path)!r} is no checkpoint of bnjit, or is damaged; remove it to start anew"
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            if not set(FIELDS) <= set(file.files):
                raise FileFormatError(wrong)
            version, header, nodes, sizes, members, scores = (file[name] for name in FIELDS)
        written = json.loads(str(header))
    except (
        OSError,
        ValueError,
        TypeError,
        AttributeError,
        LookupError,
        EOFError,
        zipfile.BadZipFile,
        MemoryError,
    ) as error:
        raise FileFormatError(wrong) from error
    if version.shape != () or version.dtype.kind not in "iu" or int(version) != VERSION:
        raise FileFormatError(f"{str(path)!r} was written by another version of bnjit; remove it to start anew")
    _check_arrays(wrong, nodes, sizes, members, scores, N)
    if not isinstance(written, dict):
        raise FileFormatError(wrong)
    for name, value in what.items():
        if written.get(name) != value:
            raise ArgumentError(
                f"checkpoint={str(path)!r} is of another search: {name} was {written.get(name)!r} and is {value!r}; "
                "remove the file, or give another name"
            )
    ends = np.cumsum(sizes)
    flat = members.tolist()
    parents = [tuple(flat[end - size : end]) for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]
    return dict(zip(zip(nodes.tolist(), parents, strict=True), scores.tolist(), strict=True))


def _check_arrays(wrong: str, nodes: Any, sizes: Any, members: Any, scores: Any, N: int) -> None:
    integers = all(array.dtype == np.int32 and array.ndim == 1 for array in (nodes, sizes, members))
    if not integers or scores.dtype != np.float64 or scores.ndim != 1 or not len(nodes) == len(sizes) == len(scores):
        raise FileFormatError(wrong)
    if np.any(sizes < 0) or int(sizes.sum(dtype=np.int64)) != len(members) or np.isnan(scores).any():
        raise FileFormatError(wrong)
    if any(len(array) and not 0 <= array.min() <= array.max() < N for array in (nodes, members)):
        raise FileFormatError(wrong)
