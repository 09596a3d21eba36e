"""Different values of a column: how many, whether any comes twice, and which columns repeat each other."""

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit.report.tuning import MOST_LEVELS


class Distinct:
    """Different values so far, as hashes in the order in which they came.

    Columns of one table that are summed up in the same batches have the same digest if, and only if, they sort the rows
    into the same groups. It is made of the numbers of values in the order of their first rows, within each batch and
    then across batches.

    Attributes
    ----------
    repeats : bool
        Whether a value came twice.
    is_full : bool
        Whether there are more values than are told apart; then they are no longer known.
    """

    def __init__(self, most: int = MOST_LEVELS) -> None:
        import pandas as pd

        self.most = most
        self._known: Any = pd.Index(np.empty(0, np.uint64))
        self._digest = b""
        self.repeats = self.is_full = False

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], missing: NDArray[np.bool_], most: int = MOST_LEVELS) -> "Distinct":
        """Values of a batch, given a hash of each."""
        import pandas as pd

        out = cls(most)
        there = ~missing
        found, values = pd.factorize(hashes[there])
        codes = np.full(len(hashes), -1, np.int32)
        codes[there] = found
        out.repeats = len(values) < len(found)
        out._digest = _digest(codes.tobytes())
        out._keep(pd.Index(values))
        return out

    def __len__(self) -> int:
        return len(self._known)

    @property
    def digest(self) -> bytes | None:
        """What columns that repeat each other have in common; None where it is not known."""
        return None if self.is_full else self._digest

    def _keep(self, known: Any) -> None:
        self._known = known
        if len(known) > self.most:
            self.is_full, self._known, self._digest = True, known[:0], b""

    def merged(self, other: "Distinct") -> "Distinct":
        """Values of these rows and of those that follow."""
        out = Distinct(self.most)
        out.repeats = self.repeats or other.repeats
        out.is_full = self.is_full or other.is_full
        if out.is_full:
            return out
        at = self._known.get_indexer(other._known)
        new = at < 0
        out.repeats |= not new.all()
        at[new] = len(self._known) + np.arange(int(new.sum()))
        out._digest = _digest(self._digest + other._digest + at.astype(np.int64).tobytes())
        out._keep(self._known.append(other._known[new]) if new.any() else self._known)
        return out


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()
