"""Corrections of p-values for many tests."""

import numpy as np

from bnjit._jit import Floats

CORRECTIONS = ("holm", "bh", "none")


def adjust(p: Floats, correction: str) -> Floats:
    """Adjusted p-values, by Holm (1979) or Benjamini and Hochberg (1995): what is at most a level is significant at it.

    Examples
    --------
    >>> adjust(np.array([0.01, 0.04, 0.02]), "holm").tolist()
    [0.03, 0.04, 0.04]
    >>> adjust(np.array([0.01, 0.04, 0.02]), "bh").round(12).tolist()
    [0.03, 0.04, 0.03]
    """
    n, order = len(p), np.argsort(p, kind="stable")
    adjusted = np.empty(n)
    if correction == "holm":
        adjusted[order] = np.maximum.accumulate(p[order] * (n - np.arange(n)))
    elif correction == "bh":
        shares = p[order] * n / (np.arange(n) + 1.0)
        adjusted[order] = np.minimum.accumulate(shares[::-1])[::-1]
    else:
        adjusted[:] = p
    return np.minimum(adjusted, 1.0)
