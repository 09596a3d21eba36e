"""The marginal likelihood of conditional Gaussian networks: BDe of discrete nodes, and normal-Wishart in every cell.

The prior is the same in every configuration of a continuous node's discrete parents. Its mean is the mean of the column
over all rows, worth `imaginary_rows`; its scale matrix is diagonal, t times the variance of each column over all rows,
with t = imaginary_rows (degrees_of_freedom - N - 1) / (imaginary_rows + 1) and N continuous columns: BGe's, but in the
units of each column, so that units do not matter. On continuous columns alone the score is BGe of standardised columns,
less log(deviation) for each value; on discrete columns alone it is BDe. Equivalent graphs have equal scores.
"""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit._threads import in_ranges
from bnjit.kernels.cgaussian import Task
from bnjit.kernels.marginal import CellPrior, batch_marginals, marginal_triangles
from bnjit.kernels.moments import Moments
from bnjit.scores.gaussian import prior_scale
from bnjit.stats import Store
from bnjit.stats.cell_scores import CellSets, Scored
from bnjit.stats.triangles import CellTriangles


class MarginalOfCells:
    """Log marginal likelihood of the rows of each cell; every cell has one, however few rows it has."""

    lenient, residuals, leaves_out = (
        True,
        False,
        False,
    )  # the prior is that of the column as it is, and not of its residuals

    def __init__(self, store: Store, imaginary_rows: float, degrees_of_freedom: float | None) -> None:
        columns = store.schema.continuous
        freedom, t = prior_scale(len(columns), imaginary_rows, degrees_of_freedom)
        whole = store.whole.narrow(columns)
        N = len(store.schema.names)
        centre, scale = np.zeros(N), np.ones(N)
        at = list(columns)
        centre[at] = whole.means[0]
        squares = np.array([whole.crosses[0, i * (i + 3) // 2] for i in range(len(at))])
        scale[at] = t * squares / max(1, store.n - 1)
        self._prior = CellPrior(centre, scale, imaginary_rows, freedom - len(at))

    def _of(self, columns: Sequence[int]) -> CellPrior:
        at = list(columns)
        return self._prior._replace(centre=self._prior.centre[at], scale=self._prior.scale[at])

    def from_moments(self, train: Moments, test: Moments, sets: CellSets, threaded: bool) -> Scored:
        """Sums over accurate cells, and marks of the others."""
        b, m = len(sets.sizes), len(train.counts)
        out, flagged, marks = np.empty(b), np.empty(b, np.int64), np.empty((b, m), np.uint8)
        prior = self._of(sets.columns)
        in_ranges(batch_marginals, b, train, *sets[:3], prior, out, flagged, marks, threaded=threaded)
        return Scored(out, flagged, marks)

    def from_triangles(self, train: CellTriangles, test: CellTriangles, task: Task, in_cells: bool) -> Floats:
        """Scores of every cell and parent set."""
        out = np.empty((len(train.keys), len(task.sizes)))
        in_ranges(marginal_triangles, len(out), train.triangles, task, self._of(train.columns), out)
        return out
