"""How the cells of a node's parents are scored: from moments, or from triangles where these are not accurate.

A score of continuous nodes is a sum over cells. What differs between scores is a small object, a `CellScore`; which
cells are asked for, and which are fitted again, is the business of others.
"""

from typing import NamedTuple, Protocol

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64
from bnjit._threads import in_ranges
from bnjit.kernels.cgaussian import Marks, Task, batch_cells
from bnjit.kernels.cgaussian_eight import batch_eight
from bnjit.kernels.moments import Moments
from bnjit.kernels.rules import UNSUPPORTED, Rule
from bnjit.kernels.triangles import score_triangles
from bnjit.stats.triangles import CellTriangles
from bnjit.stats.tuning import EIGHT_AT_A_TIME

__all__ = ["UNSUPPORTED", "CellScore", "CellSets", "Likelihood", "Scored"]


class CellSets(NamedTuple):
    """Parent sets to be scored in the cells of one table: places of the node and of the parents among its `columns`.

    in_cells : whether there are discrete parents; residual : whether the node's values are residuals
    """

    y: int
    parents: Ints32
    sizes: Ints64
    columns: tuple[int, ...]
    in_cells: bool
    residual: bool = False


class Scored(NamedTuple):
    """Sums over cells, float64[b]; how many cells are not in them, int64[b]; and what became of each, uint8[b, m].

    Marks are FINE, NEEDS_ROWS or, from a score that leaves cells out, UNSUPPORTED.
    """

    sums: Floats
    flagged: Ints64
    marks: Marks


class CellScore(Protocol):
    """Scores cells.

    Attributes
    ----------
    lenient : bool
        Whether a cell that supports no regression is left out of the sum; if not, it makes the model impossible.
    residuals : bool
        Whether a node may be replaced by its residuals from some of its parents.
    leaves_out : bool
        Whether NaN from a triangle is a cell that supports no regression, for somebody else to score.
    """

    lenient: bool
    residuals: bool
    leaves_out: bool

    def from_moments(self, train: Moments, test: Moments, sets: CellSets, threaded: bool) -> Scored:
        """Sums over the cells that moments give accurately, and the others."""
        ...

    def from_triangles(self, train: CellTriangles, test: CellTriangles, task: Task, in_cells: bool) -> Floats:
        """Scores of every cell and parent set, float64[m, b]; NaN where a lenient score leaves a cell out."""
        ...


class Likelihood:
    """Log-likelihood of the rows that were fitted, or of test rows; see bnjit.kernels.rules."""

    residuals, leaves_out = True, False

    def __init__(self, predictive: bool, lenient: bool = False) -> None:
        self.predictive, self.lenient = predictive, lenient

    def rule(self, in_cells: bool, residual: bool = False) -> Rule:
        """What a score is, with discrete parents or without; residual : whether the node's values are residuals.

        A predictive variance is RSS / (n - 1) without discrete parents, which keeps the score equivalent for equivalent
        Gaussian networks, and RSS / (n - g - 1) in each of their cells (as in bnlearn).
        """
        return Rule(self.predictive, in_cells, self.lenient and in_cells, residual)

    def from_moments(self, train: Moments, test: Moments, sets: CellSets, threaded: bool) -> Scored:
        """Sums over accurate cells, and marks of the others."""
        b, m = len(sets.sizes), len(train.counts)
        out, flagged, marks = np.empty(b), np.empty(b, np.int64), np.zeros((b, m), np.uint8)
        rule = self.rule(sets.in_cells, sets.residual)
        # Copying cells side by side takes as long as one regression on one parent.
        eight = m >= EIGHT_AT_A_TIME and (b > 1 or self.predictive or sets.sizes[0] > 1)
        in_ranges(
            batch_eight if eight else batch_cells,
            b,
            train,
            test,
            *sets[:3],
            rule,
            out,
            flagged,
            marks,
            threaded=threaded,
        )
        return Scored(out, flagged, marks)

    def from_triangles(self, train: CellTriangles, test: CellTriangles, task: Task, in_cells: bool) -> Floats:
        """Scores of every cell and parent set."""
        out = np.empty((len(train.keys), len(task.sizes)))
        in_ranges(score_triangles, len(out), train.triangles, test.triangles, task, self.rule(in_cells), out)
        return out
