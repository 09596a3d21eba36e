"""Seeded tables of the three classes, for golden values; RandomState's streams never change."""

import itertools

import numpy as np
import pandas as pd

from bnjit import Tabu


def discrete_table(n: int = 2000) -> pd.DataFrame:
    """Six discrete columns with dependencies; one level of D is declared and never seen."""
    rng = np.random.RandomState(11)
    a = rng.randint(0, 3, n)
    b = (a + (rng.rand(n) < 0.3)) % 3
    c = rng.randint(0, 2, n)
    d = (a + c + (rng.rand(n) < 0.2)) % 4
    e = (b * (d % 2) + rng.randint(0, 2, n)) % 3
    f = (rng.rand(n) < 0.2 + 0.5 * (c == e)).astype(int)
    columns = {
        "A": (a, "xyz"),
        "B": (b, "xyz"),
        "C": (c, "uv"),
        "D": (d, "pqrst"),
        "E": (e, "klm"),
        "F": (f, "uv"),
    }
    return pd.DataFrame({k: pd.Categorical.from_codes(v, list(levels)) for k, (v, levels) in columns.items()})


def gaussian_table(n: int = 1500) -> pd.DataFrame:
    """Seven continuous columns, one with a mean a thousand times its deviation."""
    rng = np.random.RandomState(12)
    a, b = rng.randn(n), 3.0 * rng.randn(n) + 1000.0 * 3.0
    c = 0.5 * a - 0.2 * b + rng.randn(n)
    d = 1.5 * c + 0.3 * rng.randn(n)
    e = rng.randn(n) - a
    f = 0.4 * d + 0.8 * e + 0.5 * rng.randn(n)
    g = 1e-3 * (f + rng.randn(n))
    return pd.DataFrame(dict(zip("ABCDEFG", (a, b, c, d, e, f, g), strict=True)))


def mixed_table(n: int = 3000) -> pd.DataFrame:
    """Four discrete and four continuous columns, interleaved."""
    rng = np.random.RandomState(13)
    a = rng.randint(0, 2, n)
    b = (a + (rng.rand(n) < 0.25)) % 3
    c = rng.randint(0, 3, n)
    x = np.array([0.0, 2.0])[a] + rng.randn(n)
    y = x * np.array([0.5, -1.0, 2.0])[b] + np.array([0.2, 1.0, 3.0])[c] * rng.randn(n) + 50.0
    d = (c + (rng.rand(n) < 0.3)) % 4
    z = 0.3 * y - 0.7 * x + 0.4 * rng.randn(n)
    w = np.array([-1.0, 0.0, 1.0, 2.0])[d] + 0.5 * rng.randn(n)
    return pd.DataFrame(
        {
            "A": pd.Categorical.from_codes(a, ["no", "yes"]), "X": x, "B": pd.Categorical.from_codes(b, list("lmh")),
            "Y": y, "C": pd.Categorical.from_codes(c, list("123")), "Z": z,
            "D": pd.Categorical.from_codes(d, list("abcd")), "W": w,
        }
    )  # fmt: skip


TABLES = {"discrete": discrete_table, "gaussian": gaussian_table, "cgaussian": mixed_table}
GRAPHS = {
    "discrete": {
        "empty": [],
        "some": [("F", "A"), ("A", "C"), ("B", "C"), ("D", "E"), ("A", "E"), ("B", "E")],
    },
    "gaussian": {
        "empty": [],
        "some": [
            ("G", "A"),
            ("A", "B"),
            ("C", "B"),
            ("D", "E"),
            ("A", "E"),
            ("B", "E"),
            ("F", "E"),
            ("G", "F"),
        ],
    },
    "cgaussian": {
        "empty": [],
        "some": [
            ("A", "X"),
            ("C", "X"),
            ("X", "Z"),
            ("W", "Z"),
            ("Y", "Z"),
            ("B", "Z"),
            ("D", "A"),
            ("X", "W"),
            ("B", "W"),
        ],
    },
}
SUFFIX = {"discrete": "", "gaussian": "-g", "cgaussian": "-cg"}
SCORES = {
    "discrete": ["loglik", "aic", "bic", "ebic", "bde", "bds", "k2", "qnml", "fnml"],
    "gaussian": ["loglik", "aic", "bic", "ebic", "bge"],
    "cgaussian": ["loglik", "aic", "bic", "ebic"],
}

# Searches beyond the plain ones: arguments for bnjit, in the words of bnjit.
SEARCHES = {
    "discrete": [
        {"score": "aic"}, {"score": "bde"}, {"score": "k2"}, {"score": "bds", "algorithm": "tabu"}, {"max_parents": 1},
        {"algorithm": Tabu(length=3)},
        {"whitelist": [("F", "A"), ("E", "C")], "blacklist": [("A", "B"), ("C", "D")]},
        {"start": [("F", "E"), ("E", "D"), ("A", "F")]}, {"blacklist": [("B", "A")], "max_parents": 2},
        {"score": "qnml"}, {"score": "fnml", "algorithm": "tabu"},
    ],
    "gaussian": [
        {"score": "aic"}, {"score": "bge"}, {"score": "ebic", "algorithm": "tabu"}, {"max_parents": 1},
        {"algorithm": Tabu(length=3)},
        {"whitelist": [("G", "A"), ("E", "C")], "blacklist": [("A", "C"), ("D", "C")]},
        {"start": [("G", "F"), ("F", "E"), ("A", "F")]}, {"blacklist": [("A", "E"), ("C", "D")], "max_parents": 2},
    ],
    "cgaussian": [
        {"score": "aic"}, {"score": "loglik", "max_parents": 2}, {"score": "ebic", "algorithm": "tabu"},
        {"max_parents": 1}, {"algorithm": Tabu(length=3)},
        {"whitelist": [("D", "X"), ("W", "Z")], "blacklist": [("A", "B"), ("C", "D")]},
        {"start": [("Z", "X"), ("X", "W"), ("B", "C")]}, {"blacklist": [("B", "A"), ("X", "Y")], "max_parents": 3},
    ],
}  # fmt: skip


def strengths(seed: int) -> pd.DataFrame:
    """Arc strengths as a bootstrap might find them: most pairs rarely joined, some nearly always."""
    rng = np.random.RandomState(seed)
    nodes, replicates = [f"V{i}" for i in range(rng.randint(4, 9))], int(rng.choice([20, 100, 200]))
    rows = []
    for a, b in itertools.combinations(nodes, 2):
        share = rng.beta(6, 0.7) if rng.rand() < 0.4 else rng.beta(0.5, 4)
        found = int(rng.binomial(replicates, share))
        forward = int(rng.randint(0, 2 * found + 1)) / 2
        for ends, times in (((a, b), forward), ((b, a), found - forward)):
            rows.append((*ends, found / replicates, times / found if found else 0.0))
    return pd.DataFrame(sorted(rows), columns=["from", "to", "strength", "direction"])


STRENGTHS = range(25)  # seeds
