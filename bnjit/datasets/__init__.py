"""Networks and tables for examples, experiments and tests: made by code from fixed seeds, or published by others.

May import network and what comes before it.
"""

from bnjit.datasets.fetch import data_directory, find
from bnjit.datasets.flights import airline
from bnjit.datasets.physics import hepmass, higgs, susy
from bnjit.datasets.pollution import mehra, mehra_like
from bnjit.datasets.sensors import gas
from bnjit.datasets.small import random_network, small_discrete, small_gaussian, small_mixed
from bnjit.datasets.table2 import table2_like

__all__ = [
    "airline",
    "data_directory",
    "find",
    "gas",
    "hepmass",
    "higgs",
    "mehra",
    "mehra_like",
    "random_network",
    "small_discrete",
    "small_gaussian",
    "small_mixed",
    "susy",
    "table2_like",
]
