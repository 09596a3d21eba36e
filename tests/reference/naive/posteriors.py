"""Posteriors of a network: every configuration of its discrete nodes, and dense normal algebra for the rest.

A network is a dict from node to its distribution, parents before children:
    ("discrete", levels, parents, {configuration of parents: [probability of each level]})
    ("continuous", discrete parents, continuous parents, {configuration: (intercept, [slopes], sd)})
"""

import itertools
import math

import numpy as np


def intervened(network, do):
    """The network with some nodes set to a value, whatever their parents say."""
    changed = dict(network)
    for node, value in do.items():
        if network[node][0] == "discrete":
            levels = network[node][1]
            changed[node] = ("discrete", levels, [], {(): [float(level == value) for level in levels]})
        else:
            changed[node] = ("continuous", [], [], {(): (value, [], 0.0)})
    return changed


def joint_normal(network, levels):
    """Continuous nodes, and their means and covariances, for given levels of all discrete nodes."""
    names = [node for node in network if network[node][0] == "continuous"]
    mean = {}
    covariance = {}
    for k, node in enumerate(names):
        _, discrete, continuous, table = network[node]
        intercept, slopes, sd = table[tuple(levels[p] for p in discrete)]
        mean[node] = intercept + sum(b * mean[p] for b, p in zip(slopes, continuous, strict=True))
        for other in names[:k]:
            shared = sum(b * covariance[p, other] for b, p in zip(slopes, continuous, strict=True))
            covariance[node, other] = covariance[other, node] = shared
        covariance[node, node] = sd * sd + sum(
            a * b * covariance[p, q]
            for a, p in zip(slopes, continuous, strict=True)
            for b, q in zip(slopes, continuous, strict=True)
        )
    return names, mean, covariance


def components(network, given, likelihoods=()):
    """Each configuration of the discrete nodes that are not known: (levels, weight, mean, covariance) of the rest.

    given : node -> level or number; likelihoods : node -> {level: likelihood}
    """
    likelihoods = dict(likelihoods)
    discrete = [node for node in network if network[node][0] == "discrete"]
    hidden = [node for node in discrete if node not in given]
    found = []
    for choice in itertools.product(*(network[node][1] for node in hidden)):
        levels = {**{node: given[node] for node in discrete if node in given}, **dict(zip(hidden, choice, strict=True))}
        weight = 1.0
        for node in discrete:
            _, own, parents, table = network[node]
            weight *= table[tuple(levels[p] for p in parents)][list(own).index(levels[node])]
            weight *= likelihoods.get(node, {}).get(levels[node], 0.0 if node in likelihoods else 1.0)
        names, mean, covariance = joint_normal(network, levels)
        known = [node for node in names if node in given]
        rest = [node for node in names if node not in given]
        m = np.array([mean[node] for node in rest])
        S = np.array([[covariance[a, b] for b in rest] for a in rest]).reshape(len(rest), len(rest))
        if known:
            K = np.array([[covariance[a, b] for b in known] for a in known])
            C = np.array([[covariance[a, b] for b in known] for a in rest]).reshape(len(rest), len(known))
            error = np.array([given[node] - mean[node] for node in known])
            fixed = np.diag(K) == 0.0  # nodes that were set: they are what they are set to
            K = K + np.diag(fixed.astype(float))
            weight *= math.exp(-0.5 * error @ np.linalg.solve(K, error)) / math.sqrt(np.linalg.det(2.0 * math.pi * K))
            m = m + C @ np.linalg.solve(K, error)
            S = S - C @ np.linalg.solve(K, C.T)
        found.append((dict(zip(hidden, choice, strict=True)), weight, dict(zip(rest, m, strict=True)), (rest, S)))
    total = sum(weight for _, weight, _, _ in found)
    return [(levels, weight / total, mean, spread) for levels, weight, mean, spread in found]


def probabilities(found, nodes):
    """Joint probabilities of the levels of some discrete nodes, from components."""
    answer = {}
    for levels, weight, _, _ in found:
        key = tuple(levels[node] for node in nodes)
        answer[key] = answer.get(key, 0.0) + weight
    return answer


def moments(found, nodes):
    """Means and covariances of some continuous nodes, from components."""
    mean = [sum(weight * means[node] for _, weight, means, _ in found) for node in nodes]
    covariance = np.zeros((len(nodes), len(nodes)))
    for _, weight, means, (rest, S) in found:
        for i, a in enumerate(nodes):
            for k, b in enumerate(nodes):
                within = S[rest.index(a), rest.index(b)]
                covariance[i, k] += weight * (within + (means[a] - mean[i]) * (means[b] - mean[k]))
    return np.array(mean), covariance
