"""What one local distribution costs to estimate (Sections 3.1 and 4.1), by QR and in closed form."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from bnjit.complexity.arguments import check_choice, check_counts
from bnjit.errors import ArgumentError
from bnjit.graph.degrees import check_kind

if TYPE_CHECKING:
    import pandas as pd

CLOSED = {"qr": -1, "1p": 1, "2p": 2}  # the most continuous parents that each estimator has a closed form for
FORMS = ("exact", "leading", "approximate", "printed")
PRINTED_QR = ("O(6n)", "O(9n)", "O(16n)")  # the paper's first table, for 0, 1 and 2 parents


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
        parents. It does not matter for discrete nodes.
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
    check_counts(0, discrete_parents=discrete_parents, continuous_parents=continuous_parents)
    impossible = {
        "discrete": ("continuous_parents", continuous_parents),
        "gaussian": ("discrete_parents", discrete_parents),
    }
    name, value = impossible.get(kind, ("", 0))
    if value:
        raise ArgumentError(f"{name}={value!r}, which nodes of kind {kind!r} do not have; leave it 0 or change kind")
    costs = make_cost(n, levels, estimator, form, n_test, FORMS[:2])
    if kind == "discrete":
        return costs.discrete(discrete_parents)
    return costs.continuous(discrete_parents, continuous_parents)


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
        By number of continuous parents: both costs as the equations give them, as numbers, and their ratio; and "qr as
        printed", which is what the paper's table has for QR.

    Notes
    -----
    For 1 and 2 parents of Gaussian nodes the paper prints O(9n) and O(16n). Equation 4 gives 11n and 18n: with m = 1 +
    parents, m^2 n for the decomposition, 2 m n for two products and 3n for the variance. The paper's second table has
    11n and 18n. Its closed forms are printed as the equations give them.

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

    check_choice("kind", kind, ("gaussian", "cgaussian"))
    mixed = kind == "cgaussian"
    D = int(mixed) if discrete_parents is None else discrete_parents
    rows: dict[str, list[Any]] = {
        name: [] for name in ("qr", "closed form", "qr operations", "closed form operations", "qr as printed")
    }
    for G in range(3):
        # Terms without n, which Equation 4 has one of, the paper leaves out of its first table.
        per_cell = f" + {'' if G == 0 else (1 + G) ** 2}l^D" if mixed else ""
        rows["qr"].append(f"O({(1 + G) ** 2 + 2 * (1 + G) + 3}n{per_cell})")
        rows["qr as printed"].append(rows["qr"][-1] if mixed else PRINTED_QR[G])
        rows["closed form"].append(f"O({(1 + G) ** 2 / 2 + (1 + G) + 3:g}n)")
        for name, estimator in (("qr operations", "qr"), ("closed form operations", "2p")):
            cost = local(kind, n, discrete_parents=D, continuous_parents=G, levels=levels, estimator=estimator)
            rows[name].append(cost)
    table = pd.DataFrame(rows, index=pd.RangeIndex(3, name="parents"))
    table.insert(4, "ratio", table["qr operations"] / table["closed form operations"])
    return table


class LocalCost(NamedTuple):
    """What one local distribution costs, given how it is estimated."""

    n: float
    levels: int
    closed: int
    leading: bool
    n_test: float

    def discrete(self, D: int) -> float:
        """Discrete node with D parents: Equation 3, all of which is leading."""
        return self.n * (1 + D) + power(self.levels, 1 + D) + self.n_test

    def continuous(self, D: int, G: int) -> float:
        """Continuous node with D discrete and G continuous parents."""
        predicting = self.n_test * (1 + G)
        if self.closed >= G:  # Equation 9, and Equation 10 whatever D is
            return self.n * (1 + G) ** 2 / 2 + self.n * (1 + G) + 3 * self.n + predicting
        leading = (self.n + power(self.levels, D)) * (1 + G) ** 2
        if self.leading:
            return leading
        return leading + 2 * self.n * (1 + G) + 3 * self.n + predicting  # Equation 5, and Equation 4 for D = 0


def make_cost(n: int, levels: int, estimator: str, form: str, n_test: int, forms: tuple[str, ...]) -> LocalCost:
    """Cost of a local distribution for checked arguments; `forms` are the forms that the caller has."""
    check_counts(1, n=n, levels=levels)
    check_counts(0, n_test=n_test)
    check_choice("estimator", estimator, tuple(CLOSED))
    check_choice("form", form, forms)
    if form != "exact" and (estimator != "qr" or n_test):
        raise ArgumentError(
            f"form={form!r} goes with estimator='qr' and n_test=0 only, seen {estimator!r} and {n_test}; the paper has "
            "no such expression for closed forms and predictions, take form='exact'"
        )
    return LocalCost(float(n), int(levels), CLOSED[estimator], form == "leading", float(n_test))


def power(levels: int, exponent: int) -> float:
    """Configurations of discrete variables."""
    try:
        return float(levels) ** exponent
    except OverflowError:
        return math.inf
