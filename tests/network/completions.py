"""What the missing values of a row may be, by plain enumeration: every configuration, and dense normal algebra."""

import itertools
import math
from typing import NamedTuple

import numpy as np

from bnjit.network.nodes import DiscreteNode


class Completion(NamedTuple):
    """One configuration of the missing discrete nodes: its joint log-density with what is observed, and the rest."""

    codes: dict[int, int]
    log_density: float
    mean: np.ndarray  # of the missing continuous nodes, in column order
    covariance: np.ndarray


def cell_of(network, parents, keys, codes):
    """Place of a configuration among those with parameters, len(keys) for the fallback."""
    key = 0
    for p in parents:
        key = key * network.levels[p] + codes[p]
    found = [i for i, k in enumerate(keys) if k == key]
    return found[0] if found else len(keys)


def joint_given_levels(network, codes):
    """Mean and covariance of all continuous nodes for given levels; discrete ones have zeros."""
    N = len(network.nodes)
    mean, B, noise = np.zeros(N), np.zeros((N, N)), np.zeros((N, N))
    for j in network.order():
        node = network.nodes[j]
        if isinstance(node, DiscreteNode):
            continue
        coefficients, sd = node.with_fallback()
        c = cell_of(network, node.discrete, node.keys, codes)
        mean[j] = coefficients[c, 0] + coefficients[c, 1:] @ mean[list(node.continuous)]
        B[j, list(node.continuous)] = coefficients[c, 1:]
        noise[j, j] = sd[c] ** 2
    inverse = np.linalg.inv(np.eye(N) - B)
    return mean, inverse @ noise @ inverse.T


def completions(network, values, missing):
    """List all completions of a row.

    values : codes and numbers of all nodes; missing : set of nodes
    """
    N = len(network.nodes)
    unknown = [j for j in range(N) if j in missing and network.discrete[j]]
    gaps = [j for j in range(N) if j in missing and not network.discrete[j]]
    known = [j for j in range(N) if j not in missing and not network.discrete[j]]
    found = []
    for levels in itertools.product(*(range(network.levels[j]) for j in unknown)):
        codes = {j: int(values[j]) for j in range(N) if network.discrete[j] and j not in missing}
        codes.update(zip(unknown, levels, strict=True))
        log_density = 0.0
        for j, node in enumerate(network.nodes):
            if isinstance(node, DiscreteNode):
                p = node.with_fallback()[cell_of(network, node.parents, node.keys, codes), codes[j]]
                log_density += math.log(p) if p > 0 else -math.inf
        mean, covariance = joint_given_levels(network, codes)
        error = np.array([values[j] for j in known]) - mean[known]
        S = covariance[np.ix_(known, known)]
        log_density -= 0.5 * (error @ np.linalg.solve(S, error) + np.linalg.slogdet(2 * np.pi * S)[1])
        gain = np.linalg.solve(S, covariance[np.ix_(known, gaps)]).T
        rest = covariance[np.ix_(gaps, gaps)] - gain @ covariance[np.ix_(known, gaps)]
        found.append(Completion(dict(zip(unknown, levels, strict=True)), log_density, mean[gaps] + gain @ error, rest))
    return found


def shares(found):
    """Probabilities of completions, and the log-density of what is observed."""
    logs = np.array([c.log_density for c in found])
    top = logs.max()
    weights = np.exp(logs - top)
    return weights / weights.sum(), top + math.log(weights.sum())
