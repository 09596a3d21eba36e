"""Tests of independence for golden values; and how these are recorded: python -m tests.golden.independence.

Recording needs `pip install bnlearn-port`, which the project itself never uses.
"""

import itertools
import json
from pathlib import Path

from tests.golden.tables import TABLES

OUT = Path(__file__).with_name("independence.json")
TESTS = {
    "discrete": ("mi", "mi-adf", "x2", "x2-adf"),
    "gaussian": ("cor", "zf", "mi-g", "mi-cg"),
    "cgaussian": ("mi-cg",),
}


def statements(kind: str) -> list[tuple[str, str, list[str]]]:
    """Pairs of columns, each given none, one, two and three others; none with two discrete columns given others."""
    table = TABLES[kind]()
    names, found = list(table.columns), []
    continuous = {name for name in names if table[name].dtype == float}
    for i, (x, y) in enumerate(itertools.combinations(names, 2)):
        rest = [name for name in names if name not in (x, y)]
        for k in range(4):
            given = sorted({rest[(i + step * (k + 1)) % len(rest)] for step in range(k)})
            if {x, y} & continuous or not continuous & set(given):
                found.append((x, y, given))
    return found


def record(kind: str) -> list[list[object]]:
    """Statistic, degrees of freedom and p-value of every statement by every test."""
    import pybnlearn

    table, found = TABLES[kind](), []
    for x, y, given in statements(kind):
        for test in TESTS[kind]:
            made = pybnlearn.ci_test(table, x, y, given, test=test)
            numbers = made["statistic"][test], made["parameter"]["df"], made["p.value"]
            found.append([x, y, given, test, *map(float, numbers)])
    return found


if __name__ == "__main__":
    lines = [f' "{kind}": [\n  ' + ",\n  ".join(map(json.dumps, record(kind))) + "\n ]" for kind in TABLES]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
