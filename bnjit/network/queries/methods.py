"""The methods of a network that ask it something."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network
    from bnjit.network.queries.answers import Posterior
    from bnjit.network.queries.effects import Effect


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

    def query_rows(
        self, data: Any, targets: Any, do: Any = None, *, method: str = "exact", particles: int = 500,
        seed: int | None = None,
    ) -> "pd.DataFrame":  # fmt: skip
        """Posterior of a node, or of each of several, for every row of a table, given whatever the row has.

        Parameters
        ----------
        data : like the data of `bnjit.learn`
            Values may be missing. The columns of the targets are ignored for themselves, but are evidence for the
            other targets; so are columns that are no nodes.
        targets : name, or list of names
            The nodes that are asked for.
        do : dict, optional
            As in `query`, for all rows.
        method : {"exact", "sampling"}
            With "sampling", rows that would take too much are answered by likelihood weighting; with "exact" one such
            row is an error. So is one whose evidence contradicts itself, as far as the targets depend on it.
        particles : int
            Samples a row for likelihood weighting.
        seed : int, optional
            Of likelihood weighting.

        Returns
        -------
        pandas.DataFrame
            A column for the probability of each level, or the columns "mean" and "sd"; for a list of targets with the
            node above. With the index of data, if that is a pandas DataFrame.

        Examples
        --------
        >>> from bnjit.datasets import small_mixed
        >>> network = small_mixed()
        >>> rows = network.sample(2, seed=1)
        >>> rows.loc[1, "E"] = None
        >>> network.query_rows(rows, ["B", "D"]).round(3)
               B                    D
               a      b      c   mean     sd
        0  0.602  0.382  0.016  1.576  0.725
        1  0.043  0.078  0.879  0.661  0.894
        """
        from bnjit.network.queries.rows import query_rows

        return query_rows(cast("Network", self), data, targets, do, method, particles, seed)

    def effect(self, cause: Hashable, outcome: Hashable, given: Any = None) -> "Effect":
        """What setting one node does to another, on average, if the arcs of the graph are causes.

        The graph says which nodes have to be adjusted for, so that what both nodes depend on is not taken for an
        effect. Whether its arcs are causes, and whether it lacks a common cause, no table can tell.

        Parameters
        ----------
        cause : name
            The node that is set: to each of its levels, or one up if it is continuous.
        outcome : name
            The node that is looked at.
        given : dict, optional
            As in `query`, of nodes that do not descend from the cause: the effect among such cases.

        Returns
        -------
        Effect
            With `table`, `difference` and `adjusted_for`.

        Examples
        --------
        >>> import bnjit, pandas as pd
        >>> table = pd.DataFrame({
        ...     "ill": ["no"] * 10 + ["yes"] * 10,
        ...     "drug": ["no"] * 8 + ["yes"] * 2 + ["no"] * 2 + ["yes"] * 8,
        ...     "days": [2.0, 4.0] * 4 + [1.0, 3.0] + [8.0, 10.0] + [6.0, 8.0] * 4})
        >>> network = bnjit.fit("[ill][drug|ill][days|ill:drug]", table)
        >>> network.effect("drug", "days")
        bnjit effect of drug on days, adjusted for ill; causal only if the graph is
             do(drug)  seen
        no        6.0   4.2
        yes       4.5   6.0
        """
        from bnjit.network.queries.effects import find_effect

        return find_effect(cast("Network", self), cause, outcome, given)
