"""Algorithms: how to search for the network, each with its own arguments."""

from dataclasses import dataclass
from typing import ClassVar

from bnjit.errors import ArgumentError
from bnjit.options.option import Option, count, flag, positive


@dataclass(frozen=True, repr=False, eq=False)
class Algorithm(Option):
    """An algorithm of `bnjit.learn` and `bnjit.arc_strength`.

    All but greedy equivalence search and exact search take `restarts`, how often to perturb the best network (by
    `perturb` random moves) and search again. `exchange` says whether to exchange parents where no single arc improves
    the score, and to search on: one for another, or all discrete parents of a continuous node for up to three others
    (if there are at most 14 to choose from). That takes about as long again, and finds what is hidden behind discrete
    parents that matter only together. Of hill climbing and tabu search, `until_repeated` makes no more restarts after
    one that led back to the best network (step 5(b) of the paper's Algorithm 1); `restarts` is then the most.
    """

    # Arguments that say how restarts are made, and what they would do.
    of_restarts: ClassVar[dict[str, str]] = {
        "perturb": "is how many random moves a restart makes",
        "until_repeated": "ends the restarts",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        changed = self.changed()
        for name, meaning in self.of_restarts.items():
            if name in changed and "restarts" not in changed:
                raise ArgumentError(
                    f"{name}={changed[name]} {meaning}, and there are no restarts; give restarts as well, or leave it "
                    "out"
                )


@dataclass(frozen=True, repr=False, eq=False)
class HillClimbing(Algorithm):
    """Hill climbing ("hc"): the move that improves the score most, while there is one."""

    name = "hc"
    restarts: int = count(0, least=0)
    perturb: int = count(1, least=1)
    exchange: bool = flag()
    until_repeated: bool = flag()


@dataclass(frozen=True, repr=False, eq=False)
class Tabu(Algorithm):
    """Tabu search ("tabu"): where nothing improves the score, take the least bad move, but not back.

    It remembers the last `length` graphs and does not visit them again, and ends after `patience` moves that do not
    improve the score without finding a better graph than the best; by default as many as `length`.

    Examples
    --------
    >>> Tabu(length=20, restarts=5)
    bnjit.Tabu(length=20, restarts=5)
    """

    name = "tabu"
    length: int = count(10, least=1)
    patience: int | None = count(None, least=0)
    restarts: int = count(0, least=0)
    perturb: int = count(1, least=1)
    exchange: bool = flag()
    until_repeated: bool = flag()


@dataclass(frozen=True, repr=False, eq=False)
class Boss(Algorithm):
    """Order search ("boss"): after a climb, every node to its best place in an order of the nodes, until none moves.

    Takes longer than a climb and finds better networks (Andrews et al. 2023). A restart moves `perturb` random nodes
    to random places; by default two nodes in five, and at least 4. Of discrete columns, by a score that equivalent
    graphs share, greedy equivalence search goes on from the best network, and order search from there, in turn.
    """

    name = "boss"
    restarts: int = count(0, least=0)
    perturb: int | None = count(None, least=1)
    exchange: bool = flag()


@dataclass(frozen=True, repr=False, eq=False)
class GES(Algorithm):
    """Greedy equivalence search ("ges"), from class to class of equivalent graphs.

    It is Chickering's (2002), with the turns of Hauser and Buehlmann (2012), for a score that equivalent graphs share.
    In tables with columns of both kinds arcs from continuous to discrete ones cannot be; there loglik, aic, bic, ebic
    and marginal are equal for equivalent graphs without such arcs, but not with `sparse="pool"` or `penalty="local"`.
    With a whitelist, a blacklist or tiers, a class has only the graphs that obey; every step leads from one of these to
    another one. See docs/decisions/equivalence-search-with-knowledge.md for what that guarantees.

    Examples
    --------
    >>> import bnjit
    >>> table = bnjit.datasets.random_network("cgaussian", 5, seed=2).sample(2000, seed=1)
    >>> result = bnjit.learn(table, algorithm="ges", blacklist=[("X1", "X2")])
    >>> ("X1", "X2") in result.dag.edges
    False
    """

    name = "ges"


@dataclass(frozen=True, repr=False, eq=False)
class Exact(Algorithm):
    """Exact search ("exact"): the best network there is, by dynamic programming over all sets of columns.

    For up to 25 columns or so, as each further column doubles memory and time (Koivisto and Sood 2004; Silander and
    Myllymaki 2006). `result.certificate` says what has been proven: that no network scores higher, or none with at most
    `max_parents` parents of a node. Parent sets are left out by bounds where these are proven: for penalised
    likelihoods (loglik, aic, bic, ebic) of discrete nodes, and of continuous ones in tables without discrete columns.
    Elsewhere all are scored, and `max_parents` keeps their number down.

    Examples
    --------
    >>> import bnjit
    >>> table = bnjit.datasets.random_network("gaussian", 5, seed=1).sample(500, seed=1)
    >>> bnjit.learn(table, algorithm="exact").certificate
    'exact: no network scores higher'
    """

    name = "exact"


@dataclass(frozen=True, repr=False, eq=False)
class Thorough(Algorithm):
    """Thorough search ("thorough"): all searches, each from where the others ended, for the best network they find.

    Hill climbing, tabu search, greedy equivalence search (where it applies), order search and exchanges of parents go
    on from each other while that improves the score. What they scored is kept, and orders are searched in which every
    node has the best of all these parents. Each of the `restarts` perturbs the best network and does that again. So the
    result is at least as good as that of `HillClimbing()`, `Tabu()`, `GES()` and `Boss()`. Tables of up to 12 columns
    or so are searched exactly where that takes seconds; `result.certificate` then says so.

    With `seconds` it also ends after so much time. If there were restarts left, `result.stopped_by` says so, and the
    result depends on the machine; all others are the same everywhere.

    Examples
    --------
    >>> import bnjit
    >>> table = bnjit.datasets.random_network("discrete", 14, seed=1).sample(500, seed=1)
    >>> thorough = bnjit.learn(table, algorithm=bnjit.Thorough(restarts=2))
    >>> thorough.score >= bnjit.learn(table, algorithm="boss").score
    True
    """

    name = "thorough"
    restarts: int = count(10, least=0)
    seconds: float | None = positive(None)


ALGORITHMS: dict[str, type[Algorithm]] = {
    each.name: each for each in (HillClimbing, Tabu, Boss, GES, Exact, Thorough)
}  # fmt: skip
