"""Networks and tables for examples, experiments and tests, made by code from fixed seeds.

May import network and what comes before it.
"""

from bnjit.datasets.mehra import mehra_like
from bnjit.datasets.small import random_network, small_discrete, small_gaussian, small_mixed

__all__ = ["mehra_like", "random_network", "small_discrete", "small_gaussian", "small_mixed"]
