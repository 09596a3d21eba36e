"""What is known, for one row or many that know the same nodes: levels, numbers, and likelihoods of levels."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats
from bnjit.data.schema import listing
from bnjit.errors import ArgumentError
from bnjit.network.evidence import label_codes
from bnjit.network.nodes import DiscreteNode, GaussianNode

if TYPE_CHECKING:
    from bnjit.network.network import Network

ONE_CONFIGURATION = np.zeros(1, np.int64)


class Evidence(NamedTuple):
    """Evidence of n rows.

    n : rows; values : for each known node, codes int64[n] or numbers float64[n]; likelihoods : for each node with soft
    evidence, float64[n, r], the largest of each row 1
    """

    n: int
    values: dict[int, NDArray[Any]]
    likelihoods: dict[int, Floats]


def read_given(network: "Network", given: Any, argument: str = "given") -> Evidence:
    """Evidence of one row from what a user gives: node -> level, number, or likelihoods of levels."""
    import pandas as pd

    if given is None:
        given = {}
    if not isinstance(given, Mapping | pd.Series):
        raise ArgumentError(
            f"{argument}={given!r} must be a dict from node to level or number, such as {argument}={{'A': 'yes'}}"
        )
    found = Evidence(1, {}, {})
    for name, said in given.items():
        value = said[()] if isinstance(said, np.ndarray) and said.ndim == 0 else said
        j = _node(network, name, argument)
        if j in found.values or j in found.likelihoods:
            raise ArgumentError(f"{argument}: node {name!r} is there twice; give it one value")
        labels = network.labels[j]
        if labels is None:
            number = _number(name, value, argument)
            if number is not None:
                found.values[j] = np.array([number])
        elif _is_hashable(value) and (code := _code(labels, value)) is not None:
            found.values[j] = np.array([code], np.int64)
        elif isinstance(value, Mapping | pd.Series | Sequence | np.ndarray) and not isinstance(value, str | bytes):
            found.likelihoods[j] = _likelihoods(name, labels, value, argument)
        elif not _is_gap(value):
            raise ArgumentError(
                f"{argument}: node {name!r} has no level {value!r}; its levels are {listing(list(labels))}"
            )
    return found


def read_actions(network: "Network", do: Any) -> Evidence:
    """What nodes are set to by `do`: one level or number each."""
    found = read_given(network, do, "do")
    if found.likelihoods:
        name = network.names[next(iter(found.likelihoods))]
        raise ArgumentError(f"do: node {name!r} must be set to one level; likelihoods of levels belong in given")
    if len(found.values) < (0 if do is None else len(do)):
        name = next(name for name in do.keys() if network.index(name) not in found.values)  # noqa: SIM118 - of a Series
        raise ArgumentError(f"do: node {name!r} must be set to a level or a number, not {do[name]!r}")
    return found


def intervene(network: "Network", actions: Evidence) -> "Network":
    """Network in which some nodes no longer listen to their parents: they have the value that they are set to."""
    from bnjit.network.network import Network

    nodes = list(network.nodes)
    for j, value in actions.values.items():
        if network.discrete[j]:
            table = np.zeros((1, network.levels[j]))
            table[0, value[0]] = 1.0
            nodes[j] = DiscreteNode((), ONE_CONFIGURATION, table, table[0])
        else:
            number = float(value[0])
            nodes[j] = GaussianNode(
                (), (), ONE_CONFIGURATION, np.array([[number]]), np.zeros(1), np.array([number, 0.0])
            )
    return Network(network.names, network.labels, nodes)


def _node(network: "Network", name: Hashable, argument: str) -> int:
    if name not in network.names:
        raise ArgumentError(f"{argument}: the network has no node {name!r}")
    return network.names.index(name)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_gap(value: Any) -> bool:
    """Whether a value stands for nothing known."""
    import pandas as pd

    return (
        value is None
        or value is pd.NA
        or value is pd.NaT
        or (isinstance(value, float | np.floating) and math.isnan(value))
    )


def _code(labels: tuple[Hashable, ...], value: Any) -> int | None:
    """Code of a level, None if there is no such level."""
    if _is_gap(value) and value not in labels:
        return None
    code = int(label_codes(labels, (value,))[0])
    return None if code < 0 else code


def _number(name: Hashable, value: Any, argument: str) -> float | None:
    """A finite number, or None if nothing is known."""
    if _is_gap(value):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number) or isinstance(value, str):
        raise ArgumentError(f"{argument}: node {name!r} is continuous and must have a finite number, not {value!r}")
    return number


def _likelihoods(name: Hashable, labels: tuple[Hashable, ...], value: Any, argument: str) -> Floats:
    """Likelihoods of all levels, with 1 as the largest; levels that a dict leaves out have 0."""
    import pandas as pd

    r = len(labels)
    if isinstance(value, Mapping | pd.Series):
        found: Any = np.zeros(r)
        for level, likelihood in value.items():
            code = _code(labels, level)
            if code is None:
                raise ArgumentError(
                    f"{argument}: node {name!r} has no level {level!r}; its levels are {listing(list(labels))}"
                )
            found[code] = _likelihood(name, likelihood, argument)
    else:
        if len(value) != r:
            raise ArgumentError(
                f"{argument}: node {name!r} has {r} levels, but {len(value)} likelihoods; give one for each of "
                f"{listing(list(labels))}"
            )
        found = np.array([_likelihood(name, likelihood, argument) for likelihood in value])
    top = found.max()
    if top == 0.0:
        raise ArgumentError(f"{argument}: all likelihoods of node {name!r} are 0; at least one level must be possible")
    return (found / top)[None, :]


def _likelihood(name: Hashable, value: Any, argument: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not (np.isfinite(number) and number >= 0.0):
        raise ArgumentError(f"{argument}: a likelihood of node {name!r} is {value!r}; it must be a number, 0 or more")
    return number
