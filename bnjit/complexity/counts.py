"""How often a search compares models and estimates local distributions (Sections 2 and 3.2)."""

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from bnjit.complexity.arguments import check_counts
from bnjit.graph.degrees import read_degrees

if TYPE_CHECKING:
    import pandas as pd


def model_comparisons(
    dag: Any, *, max_tabu: int = 0, restarts: int = 0, perturb: int = 1, cached: bool = False
) -> float:
    """Model comparisons of greedy search, Equation 2: c N^3 + (t0 + r0 (r1 + t0)) N^2.

    Parameters
    ----------
    dag : graph or sequence of in-degrees
        The network to learn, with N nodes and c N arcs.
    max_tabu, restarts, perturb : int
        The paper's t0, r0 and r1; see `bnjit.learn`.
    cached : bool
        With the cache of score differences (end of Section 2) an iteration estimates N local distributions instead of
        comparing N^2 models, which makes the leading term c N^2.

    Examples
    --------
    >>> from bnjit import complexity
    >>> complexity.model_comparisons("[A][B|A][C|A:B]")
    27.0
    >>> complexity.model_comparisons("[A][B|A][C|A:B]", max_tabu=10, restarts=2, perturb=5, cached=True)
    129.0
    """
    check_counts(0, max_tabu=max_tabu, restarts=restarts, perturb=perturb)
    degrees, _ = read_degrees(dag)
    N = len(degrees)
    iterations = sum(node.d for node in degrees) + max_tabu + restarts * (perturb + max_tabu)
    return float(iterations * (N if cached else N**2))


def local_distributions(dag: Any, discrete: Iterable[Hashable] = ()) -> "pd.DataFrame":
    """How many local distributions hill climbing estimates, by their number of parents (Equations 6 and 8).

    A node with d parents takes d + 1 passes over its candidate parents, and pass j estimates one local distribution
    with j parents for each candidate. Hill climbing from the empty graph that only adds arcs estimates exactly that
    many, if candidates that already are parents, and would be removed, count as additions, as they do in the paper.
    `Result.n_local_scores` starts counting at one parent, and score equivalence saves it half of the first pass; arcs
    that a search adds and takes back cost passes that the final network does not show.

    Parameters
    ----------
    dag : graph or sequence of in-degrees
        The network to learn. Lists of arcs lack isolated nodes; the other ways to give a graph do not.
    discrete : iterable of names
        Discrete nodes of a graph whose nodes have no attribute "kind". Continuous nodes are no candidates for them.

    Returns
    -------
    pandas.DataFrame
        By number of parents: "nodes", the passes of Equation 8, one for each node with enough parents; and
        "distributions", what they estimate. From one parent on these sum to Equation 6; before come the N of the
        empty graph.

    Examples
    --------
    >>> from bnjit import complexity
    >>> complexity.local_distributions("[A][B][C|A:B][D|C]")
             nodes  distributions
    parents
    0            4              4
    1            4             12
    2            2              6
    3            1              3
    """
    import pandas as pd

    degrees, _ = read_degrees(dag, discrete=discrete)
    N, N_discrete = len(degrees), sum(node.discrete for node in degrees)
    nodes, distributions = [N], [N]
    for j in range(1, max(node.d for node in degrees) + 2):
        learning = [node for node in degrees if node.d >= j - 1]
        nodes.append(len(learning))
        distributions.append(sum((N_discrete if node.discrete else N) - 1 for node in learning))
    index = pd.RangeIndex(len(nodes), name="parents")
    return pd.DataFrame({"nodes": nodes, "distributions": distributions}, index=index)
