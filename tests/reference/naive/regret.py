"""Normalised maximum likelihood by its definition, and by the closed forms as they are printed."""

import itertools
import math
from functools import cache


def summed_over_sequences(n, k):
    """Regret of n rows over k values: the log of the sum of the maximised likelihoods of all k^n sequences."""
    total = 0.0
    for sequence in itertools.product(range(k), repeat=n):
        total += math.prod((sequence.count(value) / n) ** sequence.count(value) for value in set(sequence))
    return math.log(total)


@cache
def sum_of_likelihoods(n, k):
    """The same sum: n rows are divided between the first value and the k - 1 others."""
    if k == 1 or n == 0:
        return 1.0
    return math.fsum(
        math.comb(n, h) * (h / n) ** h * ((n - h) / n) ** (n - h) * sum_of_likelihoods(n - h, k - 1)
        for h in range(n + 1)
    )


def for_many_rows(n, k):
    """Szpankowski (1998), to the order of 1 / n."""
    ratio = math.gamma(k / 2) / math.gamma(k / 2 - 1 / 2)
    return (
        (k - 1) / 2 * math.log(n / 2)
        + math.log(math.sqrt(math.pi) / math.gamma(k / 2))
        + math.sqrt(2) * k * ratio / (3 * math.sqrt(n))
        + ((3 + k * (k - 2) * (2 * k + 1)) / 36 - ratio**2 * k**2 / 9) / n
    )


def for_many_values(n, k):
    """Szpankowski and Weinberger (2012), for k in proportion to n."""
    a = k / n
    c = 1 / 2 + 1 / 2 * math.sqrt(1 + 4 / a)
    return n * (math.log(a) + (a + 2) * math.log(c) - 1 / c) - 1 / 2 * math.log(c + 2 / a)


def regret(n, k):
    """Regret as bnlearn has it: exact for few rows and values, the smaller of two closed forms elsewhere.

    Beyond 300 values gamma is no number, and up to 100,000 rows the second form is the smaller one.
    """
    if n == 1:
        return math.log(k)
    if k == 1:
        return 0.0
    if n <= 1000 and k <= 100:
        return math.log(sum_of_likelihoods(n, k))
    return min(for_many_rows(n, k), for_many_values(n, k)) if k <= 300 else for_many_values(n, k)
