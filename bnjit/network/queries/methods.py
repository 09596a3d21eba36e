"""The methods of a network that ask it something."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network
    from bnjit.network.queries.answers import Posterior


class Queries:
    """What is likely given what is known, and what happens after acting."""

    def query(
        self, targets: Any, given: Any = None, do: Any = None, *, method: str = "exact", particles: int = 100_000,
        seed: int | None = None,
    ) -> "pd.Series[Any] | Posterior | pd.DataFrame":  # fmt: skip
        """Joint posterior of one or more nodes, given what is known of others.

        Parameters
        ----------
        targets : name, or list of names
            The nodes that are asked for.
        given : dict or pandas.Series, optional
            What is known: a level or a number for each node. Soft evidence on a discrete node is a dict from level to
            likelihood (levels that it leaves out have 0), or a list with a likelihood for each level: how probable what
            was seen is for each level. Nodes with None or NaN are not known.
        do : dict, optional
            Nodes that are set to a level or a number from outside. They no longer depend on their parents.
        method : {"exact", "sampling"}
            Exact by summing and integrating out whatever is not known; what would take too much is an error that says
            how much. Or by likelihood weighting, which always answers, with a standard error.
        particles : int
            Samples of likelihood weighting.
        seed : int, optional
            Of likelihood weighting.

        Returns
        -------
        pandas.Series
            If all targets are discrete: probabilities by level, with a MultiIndex for several targets.
        Posterior
            If one of them is continuous: a normal distribution, or a mixture of them, with `mean`, `sd`, `covariance`,
            `weights` and `quantile`.
        pandas.DataFrame
            With method="sampling": estimates and standard errors, of the probabilities of levels or the means.

        Examples
        --------
        >>> from bnjit.datasets import small_discrete
        >>> network = small_discrete()
        >>> network.query("L", given={"X": "a"}).round(4)
        L
        a    0.4993
        b    0.5007
        Name: probability, dtype: float64
        >>> network.query(["L", "T"], given={"X": "a"}, do={"S": "b"}).round(4).to_dict()
        {('a', 'a'): 0.1137, ('a', 'b'): 0.0287, ('b', 'a'): 0.6679, ('b', 'b'): 0.1897}
        """
        from bnjit.network.queries.asking import query

        return query(cast("Network", self), targets, given, do, method, particles, seed)

    def marginals(
        self, given: Any = None, do: Any = None, targets: Any = None
    ) -> "dict[Hashable, pd.Series[Any] | Posterior]":
        """Posterior of every node that is not known, each by itself, by its name.

        Much faster than a query for each discrete node: all of their marginals take about three times what one takes.

        Parameters
        ----------
        given, do
            As in `query`.
        targets : list of names, optional
            Only these nodes.

        Examples
        --------
        >>> from bnjit.datasets import small_discrete
        >>> found = small_discrete().marginals(given={"X": "a"})
        >>> sorted(found)
        ['A', 'B', 'D', 'E', 'L', 'S', 'T']
        """
        from bnjit.network.queries.asking import marginals

        return marginals(cast("Network", self), given, do, targets)
