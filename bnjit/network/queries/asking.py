"""Questions to a network, by names: joint and marginal posteriors."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.data.schema import listing
from bnjit.errors import ArgumentError
from bnjit.network.queries.answers import Posterior, as_answer, probabilities_of
from bnjit.network.queries.evidence import Evidence, intervene, read_actions, read_given
from bnjit.network.queries.joint import find_joint, find_marginals

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network

METHODS = ("exact", "sampling")


def query(
    network: "Network", targets: Any, given: Any, do: Any, method: str, particles: int, seed: int | None
) -> "pd.Series[Any] | Posterior | pd.DataFrame":
    """Joint posterior of some nodes; see Network.query."""
    check_method(method)
    mutilated, evidence = read_question(network, given, do)
    nodes = read_targets(network, targets, evidence)
    if method == "sampling":
        from bnjit.network.queries.weighting import sample_posterior

        return sample_posterior(mutilated, nodes, evidence, particles, seed)
    joint = find_joint(mutilated, nodes, evidence)
    if np.isnan(joint.weights).any():
        raise impossible(network, evidence)
    return as_answer(mutilated, nodes, joint, 0)


def marginals(network: "Network", given: Any, do: Any, targets: Any) -> "dict[Hashable, pd.Series[Any] | Posterior]":
    """Posterior of each of some nodes; see Network.marginals."""
    mutilated, evidence = read_question(network, given, do)
    nodes = read_targets(network, targets, evidence) if targets is not None else unknown(network, evidence)
    discrete = [j for j in nodes if network.discrete[j]]
    shares = find_marginals(mutilated, discrete, evidence) if discrete else {}
    found: dict[Hashable, Any] = {}
    for j in nodes:
        if network.discrete[j]:
            if np.isnan(shares[j]).any():
                raise impossible(network, evidence)
            found[network.names[j]] = probabilities_of(network, j, shares[j][0])
        else:
            joint = find_joint(mutilated, [j], evidence)
            if np.isnan(joint.weights).any():
                raise impossible(network, evidence)
            found[network.names[j]] = as_answer(mutilated, [j], joint, 0)
    return found


def check_method(method: str) -> None:
    """Raise unless a method is one of those that there are."""
    if method not in METHODS:
        raise ArgumentError(f"method={method!r} must be {' or '.join(map(repr, METHODS))}")


def read_question(network: "Network", given: Any, do: Any) -> tuple["Network", Evidence]:
    """The network as `do` leaves it, and what is known: what is given, and what was done."""
    evidence, actions = read_given(network, given), read_actions(network, do)
    for j in actions.values:
        if j in evidence.values or j in evidence.likelihoods:
            raise ArgumentError(f"node {network.names[j]!r} is in given and in do; it can be in one of them")
    if not actions.values:
        return network, evidence
    return intervene(network, actions), evidence._replace(values={**evidence.values, **actions.values})


def read_targets(network: "Network", targets: Any, evidence: Evidence) -> list[int]:
    """Positions of the nodes that are asked for: one name, or several."""
    names: Sequence[Hashable]
    if isinstance(targets, Hashable) and targets in network.names:
        names = [targets]
    elif isinstance(targets, str) or not isinstance(targets, Sequence | set | frozenset):
        raise ArgumentError(f"targets={targets!r} must be the name of a node, or a list of names")
    else:
        names = list(targets)
    if not names:
        raise ArgumentError("targets=[] must have at least one name")
    nodes = [network.index(name) for name in names]
    if len(set(nodes)) < len(nodes):
        raise ArgumentError(f"targets={targets!r} has a name twice")
    for j in nodes:
        if j in evidence.values:
            raise ArgumentError(f"node {network.names[j]!r} is asked for, and known; leave it out of targets")
    return nodes


def unknown(network: "Network", evidence: Evidence) -> list[int]:
    """All nodes that are not known."""
    return [j for j in range(len(network.names)) if j not in evidence.values]


def impossible(network: "Network", evidence: Evidence) -> ArgumentError:
    """The error for evidence that contradicts itself."""
    nodes = sorted({*evidence.values, *evidence.likelihoods})
    names = [network.names[j] for j in nodes]
    return ArgumentError(
        f"what is given of {listing(names)} has probability 0 under the network; {remedy(network, nodes)}"
    )


def remedy(network: "Network", nodes: Iterable[int]) -> str:
    """What to do about evidence that contradicts itself; smoothing makes no number more likely."""
    smooth = ", or fit the network with prior_rows, so that no level is impossible"
    return "leave out a part of it" + (smooth if any(network.discrete[j] for j in nodes) else "")
