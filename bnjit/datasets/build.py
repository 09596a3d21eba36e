"""Parameters for a given structure, with effects strong enough that every arc matters."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.network.network import Network
from bnjit.network.nodes import DiscreteNode, GaussianNode, Node


def build_network(
    names: Sequence[str], labels: Sequence[tuple[str, ...] | None], parents: Sequence[tuple[int, ...]], seed: int,
    rows: float = 1e5,
) -> Network:  # fmt: skip
    """Network with a given structure, nodes after their parents, and parameters from a seed.

    Effects are hardly stronger than BIC needs to see every arc in about `rows` rows; a node with many configurations of
    discrete parents needs stronger ones. The slope of a continuous parent is in units of the standard deviation that
    this parent has given the discrete parents of the node. Roots have nearly uniform distributions.
    """
    rng = np.random.RandomState(seed)  # whose streams never change
    nodes: list[Node] = []
    effects, slopes_of = [], []
    for j in range(len(names)):
        own = labels[j]
        levels = {p: len(labels[p] or ()) for p in parents[j]}
        discrete = tuple(p for p in parents[j] if levels[p])
        continuous = tuple(p for p in parents[j] if not levels[p])
        q = int(np.prod([levels[p] for p in discrete], dtype=np.int64))
        # log(1 + effect^2) rows / 2 must beat log(rows) / 2 for each of the parameters that a parent brings.
        needed = q * (len(continuous) + 2) * np.log(rows) / rows
        # Where configurations far outnumber the rows no effect is strong enough; the bound keeps it finite.
        effects.append(float(np.sqrt(np.exp(min(1.5 * needed + 0.5, 20.0)) - 1.0)))
        shift = _shifts(rng, [levels[p] for p in discrete], effects[j])
        if own is not None:
            nodes.append(_discrete(rng, discrete, shift, len(own)))
            slopes_of.append(np.empty(0))
            continue
        free = [_variance(nodes, effects, slopes_of, p, set(discrete)) for p in continuous]
        size = float(np.sqrt(np.exp(min(1.5 * q * np.log(rows) / rows + 0.3, 20.0)) - 1.0))
        slopes = (
            rng.choice([-1.0, 1.0], len(continuous)) * rng.uniform(0.9, 1.1, len(continuous)) * size / np.sqrt(free)
        )
        slopes_of.append(slopes)
        coefficients = np.empty((q, len(continuous) + 1))
        coefficients[:, 0] = shift + 0.2 * rng.randn(q)
        coefficients[:, 1:] = slopes * (1.0 + 0.2 * rng.uniform(-1.0, 1.0, (q, len(continuous))))
        sd = np.exp(0.25 * rng.uniform(-1.0, 1.0, q))
        fallback = np.append(coefficients.mean(axis=0), sd.mean())
        nodes.append(GaussianNode(discrete, continuous, np.arange(q), coefficients, sd, fallback))
    return Network(names, labels, nodes)


def _variance(nodes: list[Node], effects: list[float], slopes: list[Floats], j: int, known: set[int]) -> float:
    """Variance that a continuous node has beyond some discrete ones, as if its parents were independent."""
    node = nodes[j]
    assert isinstance(node, GaussianNode)
    free = sum(effects[j] ** 2 for p in node.discrete if p not in known)
    inherited = zip(slopes[j], node.continuous, strict=True)
    return 1.0 + free + sum(b * b * _variance(nodes, effects, slopes, p, known) for b, p in inherited)


def _shifts(rng: np.random.RandomState, levels: list[int], effect: float) -> Floats:
    """Shift of every configuration: for each parent evenly spaced steps in random order, with variance effect^2."""
    shift = np.zeros(1)
    for r in levels:
        steps = np.linspace(-1.0, 1.0, r) if r > 1 else np.zeros(1)
        steps = rng.permutation(steps) * effect / max(float(steps.std()), 1e-9)
        shift = (shift[:, None] + steps[None, :]).ravel()
    return shift


def _discrete(rng: np.random.RandomState, parents: tuple[int, ...], shift: Floats, r: int) -> DiscreteNode:
    """Probabilities of a discrete node: near even for a root, else peaked at a level that each configuration moves."""
    if not parents:
        probabilities = 1.0 + 0.1 * rng.uniform(-1.0, 1.0, (1, r))
    else:
        peak = np.argsort(np.argsort(shift, kind="stable")) % r
        probabilities = 0.5 + rng.uniform(0.0, 0.5, (len(shift), r))
        probabilities[np.arange(len(shift)), peak] += 2.0 + r
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return DiscreteNode(parents, np.arange(len(shift)), probabilities, probabilities.mean(axis=0))
