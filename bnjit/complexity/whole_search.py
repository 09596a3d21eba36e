"""What a whole search costs (Section 3.2), and predicting test rows from its network (Section 4.2)."""

from collections.abc import Callable, Hashable, Iterable
from numbers import Real
from typing import Any

from bnjit.complexity.arguments import check_choice, check_counts
from bnjit.complexity.one_distribution import FORMS, LocalCost, make_cost, power
from bnjit.errors import ArgumentError, check_count
from bnjit.graph.degrees import Degree, check_kind, read_degrees


def search(
    dag: Any, n: int, kind: str | None = None, *, levels: int = 2, estimator: str = "qr", form: str = "exact",
    n_test: int = 0, discrete: Iterable[Hashable] = (),
) -> float:  # fmt: skip
    """Cost of the whole greedy search (Section 3.2): Equation 6, in which each local distribution has its own cost.

    Parameters
    ----------
    dag : graph or sequence of in-degrees
        The network to learn. Lists of arcs lack isolated nodes; the other ways to give a graph do not.
    n : int
        Rows to estimate from.
    kind : {"discrete", "gaussian", "cgaussian"}, optional
        Class of network, if the nodes of `dag` do not have the attribute "kind".
    levels, estimator, n_test
        As in `local`; with score "pred", n are the rows to train on.
    form : {"exact", "leading", "approximate", "printed"}
        Sum of the whole costs, sum of their leading terms, or a simplified expression for many nodes and parents. For
        discrete and Gaussian networks "approximate" and "printed" are the same, the paper's (Equation 7, and the one
        before last of Section 3.2.2). For conditional Gaussian ones "printed" is the last expression of Section 3.2.3
        as it stands in the paper, and "approximate" is corrected; see Notes.
    discrete : iterable of names
        Discrete nodes of a graph whose nodes have no attribute "kind".

    Notes
    -----
    Discrete parents of a continuous node are added first, as in the paper. Simplified expressions keep only the
    highest power of the in-degrees, so that they are too low for networks with few parents.

    The printed expression for conditional Gaussian networks charges G passes over the N - M discrete candidates at
    n + l^D each, as if the continuous parents had gone: (n + l^D) G (N - M). Such a candidate joins D discrete and up
    to G continuous parents, which by Equation 5 is (n + l^(D + 1)) j^2 in pass j; with the highest power of G,
    (n + l^(D + 1)) (N - M) G^3 / 3. That is what "approximate" has instead, and the only difference. In both, c (N - M)
    is the number of arcs between discrete nodes, to whose subgraph the paper applies Equation 7.

    Examples
    --------
    >>> from bnjit import complexity
    >>> complexity.search("[A][B|A][C|A:B]", 1000, "gaussian")
    192092.0
    >>> complexity.search("[A][B|A][C|A:B]", 1000, "gaussian", estimator="2p")
    138032.0
    """
    costs = make_cost(n, levels, estimator, form, n_test, FORMS)
    degrees, kind = read_degrees(dag, kind, discrete)
    if not kind:
        raise ArgumentError("kind=None, and dag does not say which nodes are discrete; give kind, or discrete")
    if form in SIMPLIFIED:
        return SIMPLIFIED[form][kind](degrees, costs.n, costs.levels)
    N_discrete = sum(node.discrete for node in degrees)
    return sum(_node(node, N_discrete, len(degrees) - N_discrete, costs) for node in degrees)


def limit(
    kind: str, n_nodes: int, n: int, *, max_parents: int | None = None, arcs_per_node: float | None = None,
    levels: int = 2, form: str = "approximate",
) -> float:  # fmt: skip
    """Cost of learning uniformly sparse or dense networks (Section 3.2), the paper's two extremes.

    Parameters
    ----------
    kind : {"discrete", "gaussian"}
        Class of network; the paper has no such expression for conditional Gaussian ones.
    n_nodes, n : int
        Nodes and rows.
    max_parents : int, optional
        The paper's b, which bounds all in-degrees; without one the network is dense, with in-degrees O(N).
    arcs_per_node : float, optional
        The paper's c, at most max_parents, which is the default; for dense networks n_nodes.
    levels : int
        Values of every discrete variable.
    form : {"approximate", "printed"}
        For dense discrete networks the paper prints N^2 (n c + n N^3 / 2 + ...), while Equation 7 with in-degrees of N
        gives N^2 (n c + n N^2 / 2 + ...). "printed" is the first, "approximate" the second; elsewhere they agree.

    Examples
    --------
    >>> from bnjit import complexity
    >>> complexity.limit("gaussian", 100, 1000, max_parents=3)
    90000000.0
    >>> complexity.limit("discrete", 100, 1000, max_parents=3, arcs_per_node=1.5)
    60600000.0
    """
    check_kind(kind)
    if kind == "cgaussian":
        raise ArgumentError("kind='cgaussian' has no simple limits; give an example network to bnjit.complexity.search")
    check_choice("form", form, FORMS[2:])
    check_counts(1, n_nodes=n_nodes, n=n, levels=levels)
    check_count("max_parents", max_parents, least=0)
    N, rows, b = float(n_nodes), float(n), float(n_nodes if max_parents is None else max_parents)
    c = b if arcs_per_node is None else arcs_per_node
    if not isinstance(c, Real) or not 0 <= c <= b:
        raise ArgumentError(f"arcs_per_node={c!r} must be at least 0 and at most {b:g}, the most parents of a node")
    if kind == "gaussian":
        return rows * N**2 * b**3 / 3
    dense = max_parents is None
    squared = N**3 if dense and form == "printed" else b**2  # what Equation 7 sums over the nodes, divided by N
    terms = n_nodes if dense else max_parents + 1
    return N**2 * (rows * c + rows * squared / 2 + float(levels) ** 2 * _geometric_sum(levels, terms))


def prediction(
    dag: Any, n_test: int, kind: str | None = None, *, form: str = "exact", discrete: Iterable[Hashable] = ()
) -> float:
    """Cost of predicting test rows from a fitted network, for score "pred" (Section 4.2).

    Parameters
    ----------
    dag, kind, discrete
        As in `search`.
    n_test : int
        Test rows.
    form : {"exact", "approximate"}
        One look-up for a discrete node, and one operation for each coefficient of a continuous one, intercept
        included; or the paper's N n_test for discrete networks and c N n_test, one operation an arc, for others.

    Examples
    --------
    >>> from bnjit import complexity
    >>> complexity.prediction("[A][B|A][C|A:B]", 1000, "gaussian")
    6000.0
    """
    check_counts(0, n_test=n_test)
    check_choice("form", form, (FORMS[0], FORMS[2]))
    degrees, kind = read_degrees(dag, kind, discrete)
    if not kind:
        raise ArgumentError("kind=None, and dag does not say which nodes are discrete; give kind, or discrete")
    if form == "approximate" and kind != "discrete":
        return float(n_test) * sum(node.d for node in degrees)
    return float(n_test) * sum(1 + node.G for node in degrees)  # discrete nodes have G = 0


def _node(node: Degree, N_discrete: int, M: int, costs: LocalCost) -> float:
    """All passes over the candidate parents of one node (Section 3.2); M nodes of the network are continuous."""
    if node.discrete:
        return sum(_times(N_discrete - 1, costs.discrete(j)) for j in range(1, node.D + 2))
    # The paper charges continuous candidates l^j here, although these join j - 1 discrete parents.
    total = sum(
        _times(N_discrete, costs.continuous(j, 0)) + _times(M - 1, costs.continuous(j - 1, 1))
        for j in range(1, node.D + 1)
    )
    # The paper ends this sum at G, not G + 1, and charges discrete candidates n + l^D, as if the continuous parents
    # had gone; Equation 5 has (n + l^(D + 1)) j^2 for them.
    total += sum(
        _times(N_discrete, costs.continuous(node.D + 1, j - 1)) + _times(M - 1, costs.continuous(node.D, j))
        for j in range(1, node.G + 2)
    )
    return total


def _simplified_discrete(degrees: list[Degree], n: float, levels: int) -> float:
    """Equation 7; n c N^2 is n N for every arc."""
    N = len(degrees)
    return sum(N * (n * x.d + n * x.d**2 / 2 + levels**2 * _geometric_sum(levels, x.d + 1)) for x in degrees)


def _simplified_gaussian(degrees: list[Degree], n: float, _levels: int) -> float:
    """Cubic in the in-degrees (Section 3.2.2)."""
    return n * len(degrees) * sum(x.d**3 / 3 for x in degrees)


def _until_discrete_parents(degrees: list[Degree], n: float, levels: int) -> float:
    """Discrete nodes, and continuous ones while they get discrete parents: Section 3.2.3 but for its last sum."""
    discrete = [x for x in degrees if x.discrete]
    N, M = len(degrees), len(degrees) - len(discrete)
    first = sum(n * x.D + levels * _geometric_sum(levels, x.D) for x in degrees if not x.discrete)
    return _simplified_discrete(discrete, n, levels) + (N + 3 * M) * first


def _printed_cgaussian(degrees: list[Degree], n: float, levels: int) -> float:
    """Last expression of Section 3.2.3, as it is printed."""
    N_discrete = sum(x.discrete for x in degrees)
    M = len(degrees) - N_discrete
    continuous = [x for x in degrees if not x.discrete]
    last = sum(_times(x.G * N_discrete + M * x.G**3 / 3, n + power(levels, x.D)) for x in continuous)
    return _until_discrete_parents(degrees, n, levels) + last


def _corrected_cgaussian(degrees: list[Degree], n: float, levels: int) -> float:
    """As printed, but discrete candidates as in _node: regressions on up to G parents in l^(D + 1) configurations."""
    N_discrete = sum(x.discrete for x in degrees)
    M = len(degrees) - N_discrete
    total = _until_discrete_parents(degrees, n, levels)
    for x in degrees:
        if not x.discrete:
            last = N_discrete * (n + power(levels, x.D + 1)) + M * (n + power(levels, x.D))
            total += _times(x.G**3, last) / 3
    return total


Simplified = Callable[[list[Degree], float, int], float]
_OF_ONE_KIND: dict[str, Simplified] = {"discrete": _simplified_discrete, "gaussian": _simplified_gaussian}
SIMPLIFIED: dict[str, dict[str, Simplified]] = {
    "approximate": {**_OF_ONE_KIND, "cgaussian": _corrected_cgaussian},
    "printed": {**_OF_ONE_KIND, "cgaussian": _printed_cgaussian},
}


def _geometric_sum(levels: int, terms: int) -> float:
    """1 + l + l^2 + ..., with `terms` terms."""
    return float(terms) if levels == 1 else (power(levels, terms) - 1) / (levels - 1)


def _times(count: float, cost: float) -> float:
    """Cost of `count` estimates: 0 for none of them, even where a single one costs infinity."""
    return count * cost if count else 0.0
