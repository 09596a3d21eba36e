"""Scores: what a search maximises, each with its own arguments; and the protocol of a user's own."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bnjit.errors import ArgumentError
from bnjit.options.option import Option, choice, count, flag, number, positive, share_or_table

SPARSE = ("reject", "pool")
DENSITIES = ("plugin", "bayes")


@dataclass(frozen=True, repr=False, eq=False)
class Score(Option):
    """A score of `bnjit.learn`, `bnjit.score` and `bnjit.arc_strength`; higher is better.

    Penalised and held-out likelihoods take `sparse`: what becomes of configurations of a continuous node's discrete
    parents with too few rows for a regression (at most one more than continuous parents), or with test rows alone.
    "reject" makes the structure impossible, as in bnlearn; with "pool" they share one regression on the continuous
    parents, fitted to all rows, which counts as one configuration in the penalty. With "pool" a node may also be
    constant in a configuration.
    """


def refuse_sparse(sparse: str, has_a_rule: str) -> None:
    """Raise for a rule for sparse configurations beside an argument that brings one of its own."""
    if sparse != "reject":
        raise ArgumentError(
            f"sparse={sparse!r} does not go with {has_a_rule}, which puts sparse configurations together; leave it out"
        )


@dataclass(frozen=True, repr=False, eq=False)
class LogLik(Score):
    """Log-likelihood without a penalty ("loglik"), for any columns."""

    name = "loglik"
    sparse: str = choice(*SPARSE)

    def per_parameter(self, n: float) -> float:
        """Return the penalty of one parameter, given n rows."""
        return 0.0


@dataclass(frozen=True, repr=False, eq=False)
class AIC(Score):
    """Log-likelihood, less 1 per parameter ("aic"), for any columns."""

    name = "aic"
    sparse: str = choice(*SPARSE)

    def per_parameter(self, n: float) -> float:
        """Return the penalty of one parameter, given n rows."""
        return 1.0


@dataclass(frozen=True, repr=False, eq=False)
class BIC(Score):
    """Log-likelihood, less log(n) / 2 per parameter ("bic"), for any columns.

    With `penalty="local"` the regression in a configuration of a continuous node's discrete parents costs
    (g + 2) / 2 log(n), where n are the rows of that configuration, from which its parameters are estimated, and not
    those of the table. Configurations with fewer than g + 3 rows, or in which the node is an exact function of its
    parents, are put together and count as one. Discrete nodes, and tables without discrete columns, have the same score
    as with "global"; elsewhere a variance is RSS / n, the maximum of the likelihood, where bnlearn's BIC has
    RSS / (n - g - 1). `bnjit.Statistics` may lack what it needs where columns are nearly collinear.

    Examples
    --------
    >>> BIC(sparse="pool")
    bnjit.BIC(sparse='pool')
    """

    name = "bic"
    sparse: str = choice(*SPARSE)
    penalty: str = choice("global", "local")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.penalty == "local":
            refuse_sparse(self.sparse, 'penalty="local"')

    def per_parameter(self, n: float) -> float:
        """Return the penalty of one parameter, given n rows."""
        return math.log(n) / 2.0


@dataclass(frozen=True, repr=False, eq=False)
class EBIC(Score):
    """BIC, less 4 `gamma` log(N) per parent, where N is the number of columns ("ebic"), for any columns."""

    name = "ebic"
    gamma: float = number(0.5, least=0.0, most=1.0)
    sparse: str = choice(*SPARSE)

    def per_parameter(self, n: float) -> float:
        """Return the penalty of one parameter, given n rows."""
        return math.log(n) / 2.0


@dataclass(frozen=True, repr=False, eq=False)
class BDe(Score):
    """Log marginal likelihood of discrete columns, `imaginary_rows` shared by all configurations ("bde")."""

    name = "bde"
    imaginary_rows: float = positive(1.0)


@dataclass(frozen=True, repr=False, eq=False)
class BDs(Score):
    """Log marginal likelihood of discrete columns, `imaginary_rows` shared by observed configurations ("bds")."""

    name = "bds"
    imaginary_rows: float = positive(1.0)


@dataclass(frozen=True, repr=False, eq=False)
class K2(Score):
    """Log marginal likelihood of discrete columns with one imaginary row in every cell ("k2")."""

    name = "k2"


@dataclass(frozen=True, repr=False, eq=False)
class QNML(Score):
    """Quotient normalised maximum likelihood of discrete columns ("qnml"; Silander et al. 2018).

    The log-likelihood of a node, less reg(n, q r) - reg(n, q): reg(n, K) is the regret of a multinomial of n rows over
    K values, q are the declared configurations of the parents and r the levels of the node. It has no parameter, and
    equivalent graphs have equal scores. Where configurations are many beside the rows it asks for less than BIC.
    """

    name = "qnml"


@dataclass(frozen=True, repr=False, eq=False)
class FNML(Score):
    """Factorised normalised maximum likelihood of discrete columns ("fnml"; Silander et al. 2008).

    The log-likelihood of a node, less the regrets reg(n, r) of all observed configurations of the parents, where n are
    the rows of a configuration and r the levels of the node; reg is as in QNML. Equivalent graphs may differ in it.
    """

    name = "fnml"


@dataclass(frozen=True, repr=False, eq=False)
class BGe(Score):
    """Log marginal likelihood of continuous columns with a normal-Wishart prior ("bge").

    The prior mean is the sample mean, worth `imaginary_rows`. The Wishart prior has `degrees_of_freedom`, which must
    be more than the number of columns and one; by default it is the number of columns and two, as in bnlearn.
    """

    name = "bge"
    imaginary_rows: float = positive(1.0)
    degrees_of_freedom: float | None = positive(None)


@dataclass(frozen=True, repr=False, eq=False)
class MarginalLikelihood(Score):
    """Log marginal likelihood of any columns ("marginal"): of mixed tables, of discrete or of continuous columns alone.

    Discrete nodes have BDe's Dirichlet prior, `imaginary_rows` shared by all configurations. A continuous node has, in
    every configuration of its discrete parents, a normal-Wishart prior: its mean is that of the column over all rows,
    worth `imaginary_rows`, and its scale is diagonal, in proportion to the variances over all rows. There are
    `degrees_of_freedom`, more than the number of continuous columns and one; by default as many as columns, and two.
    A configuration with few rows is no exception: the fewer rows it has, the less it says.
    """

    name = "marginal"
    imaginary_rows: float = positive(1.0)
    degrees_of_freedom: float | None = positive(None)


@dataclass(frozen=True, repr=False, eq=False)
class HeldOut(Score):
    """Log-likelihood of test rows under the parameters of training rows ("pred"), for any columns.

    `test` is the share of the rows that are test rows, drawn at random by `seed`; or a table of test rows, in any form
    that `data` may have, and then all rows of `data` are training rows.

    With `density="plugin"`, the paper's, test rows have the density under the estimates. With "bayes" the parameters
    are integrated out, log P(test rows | training rows), so that a test row far from the training rows of its
    configuration costs no more than it should: regressions have the reference prior 1 / sigma^2, and the levels of a
    discrete node share one imaginary row, as with "bde". Configurations with fewer than g + 3 training rows are put
    together and count as one.

    Examples
    --------
    >>> HeldOut(test=0.1)
    bnjit.HeldOut(test=0.1)
    """

    name = "pred"
    test: Any = share_or_table(0.25)  # noqa: RUF009  # which makes a field
    density: str = choice(*DENSITIES)
    sparse: str = choice(*SPARSE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.density == "bayes":
            refuse_sparse(self.sparse, 'density="bayes"')


@dataclass(frozen=True, repr=False, eq=False)
class CrossValidation(Score):
    """Log-likelihood of each of `folds` folds under the parameters of the others, summed ("cv"), for any columns.

    Each row is in a fold drawn at random by `seed`. With `one_se` the network that a search found is pruned by the
    one-standard-error rule: node by node, parents are dropped, the least sure first, while the held-out likelihood of
    the folds loses no more than the standard error of that loss (the standard deviation of its k parts times the
    square root of k). Every arc that is left gains more than that. It changes no score. `density` is as in HeldOut.
    """

    name = "cv"
    folds: int = count(10, least=2)
    one_se: bool = flag()
    density: str = choice(*DENSITIES)
    sparse: str = choice(*SPARSE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.density == "bayes":
            refuse_sparse(self.sparse, 'density="bayes"')


Penalised = LogLik | AIC | BIC | EBIC
Bayesian = BDe | BDs | K2 | BGe | MarginalLikelihood
NML = QNML | FNML


class LocalScore(Protocol):
    """A score of a user's own, as `bnjit.learn` and `bnjit.score` take it in place of one of bnjit's.

    Nodes are the columns by position, from 0, and parents are ascending. A search asks for many parent sets of a node
    at a time. It takes the score of a network to be the sum of the local scores of its nodes. An attribute `name`, if
    there is one, is what results show. The class needs no base class.

    Examples
    --------
    >>> import bnjit, numpy as np
    >>> class Absolute:
    ...     name = "absolute deviations"
    ...     def __init__(self, table):
    ...         self.columns = [np.asarray(column) for column in table.values()]
    ...     def local_scores(self, node, parent_sets):
    ...         return [self.local_score(node, parents) for parents in parent_sets]
    ...     def local_score(self, node, parents):
    ...         y = self.columns[node]
    ...         X = np.column_stack([np.ones(len(y)), *(self.columns[j] for j in parents)])
    ...         rest = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    ...         return -len(y) * np.log(np.abs(rest).mean()) - 4.0 * len(parents)
    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.laplace(size=(2, 400))
    >>> table = {"x": x, "y": y, "z": x + y + rng.laplace(size=400)}
    >>> list(bnjit.learn(table, score=Absolute(table)).dag.edges)
    [('x', 'z'), ('y', 'z')]
    """

    def local_scores(self, node: int, parent_sets: Sequence[Sequence[int]], /) -> Iterable[float]:
        """Score a node with each of some parent sets: one number for each, higher is better, -inf is impossible."""
        ...


SCORES: dict[str, type[Score]] = {
    each.name: each
    for each in (LogLik, AIC, BIC, EBIC, BDe, BDs, K2, QNML, FNML, BGe, MarginalLikelihood, HeldOut, CrossValidation)
}
