"""What a query answers: probabilities of levels, and mixtures of normal distributions."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit._jit import Floats
from bnjit.errors import ArgumentError
from bnjit.network.queries.joint import Joint

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network


@dataclass(frozen=True, eq=False)
class Posterior:
    """Distribution of continuous nodes, or of continuous and discrete ones: normal, or a mixture of normals.

    `network.query` returns it.

    Attributes
    ----------
    names : tuple
        The continuous nodes.
    discrete : tuple
        The discrete nodes that were asked for, too.
    weights : pandas.Series
        Probability of each component of the mixture. Its index has the levels of the discrete nodes asked for, and of
        those that are not known and that the continuous ones depend on. A normal distribution is one component.
    means : pandas.DataFrame
        Means of the components, a column for each continuous node.
    covariances : float64[components, nodes, nodes]
        Their covariance matrices.

    Examples
    --------
    >>> from bnjit.datasets import small_mixed
    >>> network = small_mixed()
    >>> found = network.query("D", given={"E": -1.0})
    >>> found
    bnjit posterior of D: a mixture of 6 normal distributions
           mean        sd
    D  0.507751  1.095949
    >>> round(float(found.mean["D"]), 4), round(found.quantile(0.5), 4)
    (0.5078, 0.4999)
    """

    names: tuple[Hashable, ...]
    discrete: tuple[Hashable, ...]
    weights: "pd.Series[Any]"
    means: "pd.DataFrame"
    covariances: Floats

    def __repr__(self) -> str:
        import pandas as pd

        asked = ", ".join(str(name) for name in (*self.discrete, *self.names))
        kind = "a normal distribution" if len(self.weights) == 1 else f"a mixture of {len(self.weights)} normal"
        kind += "" if len(self.weights) == 1 else " distributions"
        moments = pd.DataFrame({"mean": self.mean, "sd": self.sd})
        shown = moments.to_string() if not self.discrete else f"{self.probabilities.to_string()}\n{moments.to_string()}"
        return f"bnjit posterior of {asked}: {kind}\n{shown}"

    @property
    def mean(self) -> "pd.Series[Any]":
        """Expected value of each continuous node."""
        import pandas as pd

        index = pd.Index(self.names, tupleize_cols=False)
        return pd.Series(self.weights.to_numpy() @ self.means.to_numpy(), index, name="mean")

    @property
    def covariance(self) -> "pd.DataFrame":
        """Covariance matrix of the continuous nodes: of the components, and between their means."""
        import pandas as pd

        apart = self.means.to_numpy() - self.mean.to_numpy()
        weights = self.weights.to_numpy()
        matrix = np.einsum("c,cij->ij", weights, self.covariances) + (apart * weights[:, None]).T @ apart
        index = pd.Index(self.names, tupleize_cols=False)
        return pd.DataFrame(matrix).set_axis(index, axis=0).set_axis(index, axis=1)

    @property
    def variance(self) -> "pd.Series[Any]":
        """Variance of each continuous node."""
        covariance = self.covariance
        return self.mean.copy().rename("variance") * 0.0 + np.diag(covariance.to_numpy())

    @property
    def sd(self) -> "pd.Series[Any]":
        """Standard deviation of each continuous node."""
        return (self.variance**0.5).rename("sd")

    @property
    def probabilities(self) -> "pd.Series[Any]":
        """Probabilities of the levels of the discrete nodes that were asked for."""
        if not self.discrete:
            raise ArgumentError("no discrete node was asked for; ask network.query for one, too")
        levels = [self.weights.index.names.index(name) for name in self.discrete]
        found: pd.Series[Any] = self.weights.groupby(level=levels, sort=False, observed=True).sum()
        return found.rename("probability")

    def density(self, values: Any) -> Any:
        """Density at a number, or at numbers, of one continuous node."""
        x, mean, sd = self._standardised(values)
        if (sd == 0.0).any():
            raise ArgumentError(f"{self.names[0]!r} is certain in a component of the mixture, and has no density there")
        z = (x[..., None] - mean) / sd
        found = (self.weights.to_numpy() * np.exp(-0.5 * z * z) / (sd * math.sqrt(2.0 * math.pi))).sum(axis=-1)
        return float(found) if found.ndim == 0 else found

    def cdf(self, values: Any) -> Any:
        """Probability of being at most a number, or each of some numbers, of one continuous node."""
        x, mean, sd = self._standardised(values)
        certain = sd == 0.0
        z = (x[..., None] - mean) / np.where(certain, 1.0, sd)
        erfc: Any = np.frompyfunc(math.erfc, 1, 1)
        shares = np.where(certain, (z >= 0.0).astype(float), 0.5 * erfc(-z / math.sqrt(2.0)).astype(float))
        found = (self.weights.to_numpy() * shares).sum(axis=-1)
        return float(found) if found.ndim == 0 else found

    def quantile(self, probability: float) -> float:
        """Number that one continuous node stays below with a probability, by bisection."""
        if not (isinstance(probability, Real) and 0.0 < probability < 1.0):
            raise ArgumentError(f"probability={probability!r} must be one number between 0 and 1, without these two")
        _, mean, sd = self._standardised(0.0)
        low, high = float((mean - 40.0 * sd).min()), float((mean + 40.0 * sd).max())
        while True:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                return high
            if self.cdf(middle) < probability:
                low = middle
            else:
                high = middle

    def _standardised(self, values: Any) -> tuple[Floats, Floats, Floats]:
        """Numbers, and means and deviations of the components, of the one continuous node."""
        if len(self.names) != 1:
            raise ArgumentError(
                f"the posterior is of {len(self.names)} continuous nodes; ask network.query for one of them"
            )
        try:
            x = np.asarray(values, float)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(f"values={values!r} must be a number, or an array of numbers") from None
        return x, self.means.to_numpy()[:, 0], np.sqrt(self.covariances[:, 0, 0])


def levels_index(network: "Network", scope: Sequence[int]) -> Any:
    """Index of all configurations of some discrete nodes, the last one changing fastest."""
    import pandas as pd

    if not scope:
        return pd.RangeIndex(1)
    labels = [list(network.labels[j] or ()) for j in scope]
    names = [network.names[j] for j in scope]
    if len(scope) == 1:
        return pd.Index(labels[0], name=names[0], tupleize_cols=False)
    return pd.MultiIndex.from_product(labels, names=names)


def probabilities_of(network: "Network", j: int, shares: Floats) -> "pd.Series[Any]":
    """Probabilities of the levels of one node as a Series."""
    import pandas as pd

    return pd.Series(shares, levels_index(network, [j]), name="probability")


def as_answer(network: "Network", targets: Sequence[int], joint: Joint, row: int) -> "pd.Series[Any] | Posterior":
    """A row's joint posterior: a Series by level, or a Posterior if a continuous node was asked for."""
    import pandas as pd

    weights, scope = joint.weights[row], joint.scope
    if all(network.discrete[j] for j in targets):
        table = weights.transpose([scope.index(j) for j in targets])
        return pd.Series(table.reshape(-1), levels_index(network, targets), name="probability")
    names = [j for j in targets if not network.discrete[j]]
    order = [j for j in targets if network.discrete[j]]
    order += [v for v in scope if v not in order]
    means, covariances = component_moments(joint, row, names)
    axes = [scope.index(v) for v in order]
    flat = np.arange(weights.size).reshape(weights.shape).transpose(axes).reshape(-1)
    index = levels_index(network, order)
    kept = np.flatnonzero(weights.reshape(-1)[flat] > 0.0)
    at = flat[kept]
    index = index[kept]
    columns = pd.Index([network.names[j] for j in names], tupleize_cols=False)
    return Posterior(
        tuple(network.names[j] for j in names), tuple(network.names[j] for j in targets if network.discrete[j]),
        pd.Series(weights.reshape(-1)[at], index, name="weight"),
        pd.DataFrame(means[at], index).set_axis(columns, axis=1), covariances[at],
    )  # fmt: skip


def component_moments(joint: Joint, row: int, names: Sequence[int]) -> tuple[Floats, Floats]:
    """Means and covariances of continuous nodes for every configuration of the scope, the last one changing fastest."""
    shape = joint.weights.shape[1:]
    M, t = int(np.prod(shape, dtype=np.int64)), len(names)
    means, covariances = np.empty((M, t)), np.zeros((M, t, t))
    for group, nodes, integral in joint.integrals:
        own = [v for v in group.scope if v in joint.scope]
        sizes = [shape[joint.scope.index(v)] for v in own]
        number = np.arange(int(np.prod(sizes, dtype=np.int64))).reshape(sizes)
        number = number.reshape([shape[i] if v in own else 1 for i, v in enumerate(joint.scope)])
        cell = np.broadcast_to(number, shape).reshape(-1)
        r = row if len(integral.means) > 1 else 0
        places = [names.index(j) for j in nodes]
        means[:, places] = integral.means[r][cell]
        covariances[:, np.array(places)[:, None], places] = integral.covariances[r][cell]
    return means, covariances
