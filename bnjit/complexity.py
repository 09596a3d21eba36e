"""What a greedy search costs by the paper's own expressions (Sections 2 to 4), before any data are there.

Costs are numbers of elementary operations as the paper counts them, without the unknown constant of each O(.): they
compare networks, estimators and sample sizes; they are no seconds. `n` is the number of rows, `levels` the paper's l,
the most values that a discrete variable takes. Costs too large for a float are infinite.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from bnjit.errors import ArgumentError, check_count
from bnjit.graph.degrees import Degree, check_kind, read_degrees

if TYPE_CHECKING:
    import pandas as pd

CLOSED = {"qr": -1, "1p": 1, "2p": 2}  # the most continuous parents that each estimator has a closed form for
FORMS = ("exact", "leading", "approximate")


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
    _check(0, max_tabu=max_tabu, restarts=restarts, perturb=perturb)
    degrees, _ = read_degrees(dag)
    N = len(degrees)
    iterations = sum(node.d for node in degrees) + max_tabu + restarts * (perturb + max_tabu)
    return float(iterations * (N if cached else N**2))


def local_distributions(dag: Any, discrete: Iterable[Hashable] = ()) -> "pd.DataFrame":
    """How many local distributions hill climbing estimates, by their number of parents (Equations 6 and 8).

    A node with d parents sees d + 1 passes over its candidate parents, and pass j estimates one local distribution
    with j parents for each candidate. Hill climbing from the empty graph that only ever adds arcs estimates exactly
    that many, if the few candidates that are parents already, and would be removed, count as additions, as they do in
    the paper. `Result.n_local_scores` starts counting at one parent, and score equivalence saves it half of the first
    pass; arcs that a search adds and takes back cost passes that the final network does not show.

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


def local(
    kind: str, n: int, *, discrete_parents: int = 0, continuous_parents: int = 0, levels: int = 2,
    estimator: str = "qr", form: str = "exact", n_test: int = 0,
) -> float:  # fmt: skip
    """Cost of estimating one local distribution (Equations 3, 4, 5, 9 and 10).

    Parameters
    ----------
    kind : {"discrete", "gaussian", "cgaussian"}
        Discrete node (Equation 3), Gaussian node (Equation 4), or Gaussian node with discrete parents (Equation 5).
    n : int
        Rows to estimate from.
    discrete_parents, continuous_parents : int
        Number of parents.
    levels : int
        Values of every discrete variable.
    estimator : {"qr", "1p", "2p"}
        How regressions are estimated: by QR, or in closed form (Equations 9 and 10) for up to one or two continuous
        parents. Discrete nodes take no notice.
    form : {"exact", "leading"}
        The whole expression, or the leading term that the paper names.
    n_test : int
        Test rows of score "pred", which are predicted at 1 operation each for a discrete node and 1 + continuous
        parents for others (Section 4.2).

    Examples
    --------
    >>> from bnjit import complexity
    >>> complexity.local("gaussian", 1000, continuous_parents=2)
    18009.0
    >>> complexity.local("gaussian", 1000, continuous_parents=2, estimator="2p")
    10500.0
    >>> complexity.local("discrete", 1000, discrete_parents=3, levels=4)
    4256.0
    """
    check_kind(kind)
    _check(0, discrete_parents=discrete_parents, continuous_parents=continuous_parents)
    unfit = {"discrete": ("continuous_parents", continuous_parents), "gaussian": ("discrete_parents", discrete_parents)}
    name, value = unfit.get(kind, ("", 0))
    if value:
        raise ArgumentError(f"{name}={value!r}, which nodes of kind {kind!r} do not have; leave it 0 or change kind")
    costs = _costs(n, levels, estimator, form, n_test, FORMS[:2])
    if kind == "discrete":
        return costs.discrete(discrete_parents)
    return costs.continuous(discrete_parents, continuous_parents)


def search(
    dag: Any, n: int, kind: str | None = None, *, levels: int = 2, estimator: str = "qr", form: str = "exact",
    n_test: int = 0, discrete: Iterable[Hashable] = (),
) -> float:  # fmt: skip
    """Cost of the whole greedy search (Section 3.2): Equation 6 with the cost of each local distribution for its O(1).

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
    form : {"exact", "leading", "approximate"}
        Sum of the whole costs, sum of their leading terms, or the paper's simplified expression for many nodes and
        parents: Equation 7 and its unnumbered like for Gaussian and conditional Gaussian networks.
    discrete : iterable of names
        Discrete nodes of a graph whose nodes have no attribute "kind".

    Notes
    -----
    Discrete parents of a continuous node are added first, as in the paper. Simplified expressions keep only the
    highest power of the in-degrees, so that networks of few parents cost more than they say.

    Examples
    --------
    >>> from bnjit import complexity
    >>> complexity.search("[A][B|A][C|A:B]", 1000, "gaussian")
    192092.0
    >>> complexity.search("[A][B|A][C|A:B]", 1000, "gaussian", estimator="2p")
    138032.0
    """
    costs = _costs(n, levels, estimator, form, n_test, FORMS)
    degrees, kind = read_degrees(dag, kind, discrete)
    if not kind:
        raise ArgumentError("kind=None, and dag does not say which nodes are discrete; give kind, or discrete")
    if form == "approximate":
        return APPROXIMATE[kind](degrees, costs.n, costs.levels)
    N_discrete = sum(node.discrete for node in degrees)
    return sum(_node(node, N_discrete, len(degrees) - N_discrete, costs) for node in degrees)


def limit(
    kind: str, n_nodes: int, n: int, *, max_parents: int | None = None, arcs_per_node: float | None = None,
    levels: int = 2,
) -> float:  # fmt: skip
    """Cost to expect of learning uniformly sparse or dense networks (Section 3.2), the paper's two extremes.

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
    _check(1, n_nodes=n_nodes, n=n, levels=levels)
    check_count("max_parents", max_parents, least=0)
    N, rows, b = float(n_nodes), float(n), float(n_nodes if max_parents is None else max_parents)
    c = b if arcs_per_node is None else arcs_per_node
    if not isinstance(c, Real) or not 0 <= c <= b:
        raise ArgumentError(f"arcs_per_node={c!r} must be at least 0 and at most {b:g}, the most parents of a node")
    if kind == "gaussian":
        return rows * N**2 * b**3 / 3
    # Dense networks: the paper prints n N^3 / 2 in the bracket, but Equation 7 with d = N has n N^2 / 2 there.
    terms = n_nodes if max_parents is None else max_parents + 1
    return N**2 * (rows * c + rows * b**2 / 2 + float(levels) ** 2 * _geometric(levels, terms))


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
    _check(0, n_test=n_test)
    _choose("form", form, (FORMS[0], FORMS[2]))
    degrees, kind = read_degrees(dag, kind, discrete)
    if not kind:
        raise ArgumentError("kind=None, and dag does not say which nodes are discrete; give kind, or discrete")
    if form == "approximate" and kind != "discrete":
        return float(n_test) * sum(node.d for node in degrees)
    return float(n_test) * sum(1 + node.G for node in degrees)  # discrete nodes have G = 0


def closed_form_table(
    kind: str, n: int = 1_000_000, *, discrete_parents: int | None = None, levels: int = 2
) -> "pd.DataFrame":
    """Cost of QR and of the closed form for few continuous parents: the two tables of Section 4.1.

    Parameters
    ----------
    kind : {"gaussian", "cgaussian"}
        First table (Equations 4 and 9) or second (Equations 5 and 10).
    n, levels : int
        Rows, and values of every discrete variable, for the numbers.
    discrete_parents : int, optional
        Number of discrete parents D, for the numbers: 1 for "cgaussian" by default.

    Returns
    -------
    pandas.DataFrame
        By number of continuous parents: both costs as the paper writes them, as numbers, and their ratio.

    Notes
    -----
    For 1 and 2 parents of Gaussian nodes the paper prints O(9n) and O(16n); Equation 4 gives 11n and 18n, as the
    paper's second table also has.

    Examples
    --------
    >>> from bnjit import complexity
    >>> complexity.closed_form_table("cgaussian").iloc[:, :2]
                           qr closed form
    parents
    0            O(6n + l^D)     O(4.5n)
    1          O(11n + 4l^D)       O(7n)
    2          O(18n + 9l^D)     O(10.5n)
    """
    import pandas as pd

    _choose("kind", kind, ("gaussian", "cgaussian"))
    mixed = kind == "cgaussian"
    D = int(mixed) if discrete_parents is None else discrete_parents
    rows: dict[str, list[Any]] = {"qr": [], "closed form": [], "qr operations": [], "closed form operations": []}
    for G in range(3):
        # Terms without n, which Equation 4 has one of, the paper leaves out of its first table.
        per_cell = f" + {'' if G == 0 else (1 + G) ** 2}l^D" if mixed else ""
        rows["qr"].append(f"O({(1 + G) ** 2 + 2 * (1 + G) + 3}n{per_cell})")
        rows["closed form"].append(f"O({(1 + G) ** 2 / 2 + (1 + G) + 3:g}n)")
        for name, estimator in (("qr operations", "qr"), ("closed form operations", "2p")):
            cost = local(kind, n, discrete_parents=D, continuous_parents=G, levels=levels, estimator=estimator)
            rows[name].append(cost)
    table = pd.DataFrame(rows, index=pd.RangeIndex(3, name="parents"))
    return table.assign(ratio=table["qr operations"] / table["closed form operations"])


class _Costs(NamedTuple):
    """What one local distribution costs, given how it is estimated."""

    n: float
    levels: int
    closed: int
    leading: bool
    n_test: float

    def discrete(self, D: int) -> float:
        """Discrete node with D parents: Equation 3, all of which is leading."""
        return self.n * (1 + D) + _power(self.levels, 1 + D) + self.n_test

    def continuous(self, D: int, G: int) -> float:
        """Continuous node with D discrete and G continuous parents."""
        predicting = self.n_test * (1 + G)
        if self.closed >= G:  # Equation 9, and Equation 10 whatever D is
            return self.n * (1 + G) ** 2 / 2 + self.n * (1 + G) + 3 * self.n + predicting
        leading = (self.n + _power(self.levels, D)) * (1 + G) ** 2
        if self.leading:
            return leading
        return leading + 2 * self.n * (1 + G) + 3 * self.n + predicting  # Equation 5, and Equation 4 for D = 0


def _costs(n: int, levels: int, estimator: str, form: str, n_test: int, forms: tuple[str, ...]) -> _Costs:
    """Check what costs depend on."""
    _check(1, n=n, levels=levels)
    _check(0, n_test=n_test)
    _choose("estimator", estimator, tuple(CLOSED))
    _choose("form", form, forms)
    if form != "exact" and (estimator != "qr" or n_test):
        raise ArgumentError(
            f"form={form!r} goes with estimator='qr' and n_test=0 only, seen {estimator!r} and {n_test}; the paper has "
            "no such expression for closed forms and predictions, take form='exact'"
        )
    return _Costs(float(n), int(levels), CLOSED[estimator], form == "leading", float(n_test))


def _node(node: Degree, N_discrete: int, M: int, costs: _Costs) -> float:
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


def _approximate_discrete(degrees: list[Degree], n: float, levels: int) -> float:
    """Equation 7; n c N^2 is n N for every arc."""
    N = len(degrees)
    return sum(N * (n * x.d + n * x.d**2 / 2 + levels**2 * _geometric(levels, x.d + 1)) for x in degrees)


def _approximate_gaussian(degrees: list[Degree], n: float, _levels: int) -> float:
    """Cubic in the in-degrees (Section 3.2.2)."""
    return n * len(degrees) * sum(x.d**3 / 3 for x in degrees)


def _approximate_cgaussian(degrees: list[Degree], n: float, levels: int) -> float:
    """Last expression of Section 3.2.3, with the discrete candidates as in _node: G^3 / 3 instead of G passes."""
    discrete = [x for x in degrees if x.discrete]
    N, N_discrete = len(degrees), len(discrete)
    M = N - N_discrete
    total = _approximate_discrete(discrete, n, levels)
    for x in degrees:
        if x.discrete:
            continue
        total += (N + 3 * M) * (n * x.D + levels * _geometric(levels, x.D))
        later = N_discrete * (n + _power(levels, x.D + 1)) + M * (n + _power(levels, x.D))
        total += _times(x.G**3, later) / 3
    return total


APPROXIMATE: dict[str, Callable[[list[Degree], float, int], float]] = {
    "discrete": _approximate_discrete,
    "gaussian": _approximate_gaussian,
    "cgaussian": _approximate_cgaussian,
}


def _power(levels: int, exponent: int) -> float:
    """Configurations of discrete variables."""
    try:
        return float(levels) ** exponent
    except OverflowError:
        return math.inf


def _geometric(levels: int, terms: int) -> float:
    """1 + l + l^2 + ..., so many terms."""
    return float(terms) if levels == 1 else (_power(levels, terms) - 1) / (levels - 1)


def _times(count: int, cost: float) -> float:
    """Cost of so many estimates; none cost nothing, however expensive one is."""
    return count * cost if count else 0.0


def _check(least: int, **counts: int) -> None:
    """Raise unless all arguments are whole numbers of at least `least`."""
    for name, value in counts.items():
        if value is None:
            raise ArgumentError(f"{name}=None must be a whole number, {least} or more")
        check_count(name, value, least)


def _choose(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise unless an argument has one of its values."""
    if value not in choices:
        raise ArgumentError(f"{name}={value!r} is not known here; it is one of {', '.join(choices)}")
