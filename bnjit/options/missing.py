"""Rules for missing values: refuse them, leave out rows, use what is there, or fill the gaps from the network."""

from dataclasses import dataclass
from typing import Any

from bnjit.errors import as_number
from bnjit.options.option import Option, checked, count


def _not_negative(default: None) -> Any:
    """Make a field for a number that is not negative, or None."""
    return checked(default, lambda name, value: None if value is None else as_number(name, value))


@dataclass(frozen=True, repr=False, eq=False)
class MissingRule(Option):
    """A rule for missing values."""


@dataclass(frozen=True, repr=False, eq=False)
class RejectMissing(MissingRule):
    """A missing value is an error ("error")."""

    name = "error"


@dataclass(frozen=True, repr=False, eq=False)
class DropRows(MissingRule):
    """A row with a missing value in any column is left out ("drop"), as if it had never been there.

    What remains may differ from the table as a whole wherever values are not missing by pure chance.
    """

    name = "drop"


@dataclass(frozen=True, repr=False, eq=False)
class Available(MissingRule):
    """Each node is scored, and fitted, from the rows in which it and its parents are there ("available").

    The score of a node is n (ll / m - penalty x parameters): the average log-likelihood of the m rows that observe it
    and its parents, as if all n rows were like them. The averages of different rows differ by chance, which an arc must
    not be taken for. By default a parameter costs what the score says (log(n) / 2 for "bic"), and every parent with
    gaps costs in addition what another choice of rows may gain by chance, n sqrt(2 log(N) s / ((1 - s) m)), where s is
    the share of its values that are missing and N the number of columns. With a number, `penalty` is the price of a
    parameter in place of both, in units of n: bnlearn's node-average score "pnal" with k = n `penalty`, times n.

    Values should be missing by chance alone; where that depends on other columns, "em" is the rule to take.

    Examples
    --------
    >>> Available(penalty=0.01)
    bnjit.Available(penalty=0.01)
    """

    name = "available"
    penalty: float | None = _not_negative(None)


@dataclass(frozen=True, repr=False, eq=False)
class EM(MissingRule):
    """Structural EM ("em"): fill the gaps from the current network, learn again, until the network stays.

    Tables of continuous columns alone are completed by the expected means and cross-products of every pattern of gaps,
    and no row is read again. Elsewhere gaps are filled by draws from the network, by `sweeps` of Gibbs sampling in each
    row. `iterations` is the most networks to learn. A parameter costs log(m) / 2 in units of a score that is scaled to
    m rows: the average number of rows that observe two columns together, which is what the data say of an arc.

    Values may be missing by chance, or in a way that depends on what is observed in the same row.

    Examples
    --------
    >>> EM(iterations=5)
    bnjit.EM(iterations=5)
    """

    name = "em"
    iterations: int = count(10, least=1)
    sweeps: int = count(3, least=1)


MISSING: dict[str, type[MissingRule]] = {each.name: each for each in (RejectMissing, DropRows, Available, EM)}
