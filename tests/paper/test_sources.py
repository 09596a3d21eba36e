"""Where rows come from: real ones wherever the data folder has them."""

import bz2
import logging

import pandas as pd
import pytest

from bnjit.datasets.flights import HEADER
from bnjit.paper.fig3 import describe_sources, kind_of
from bnjit.paper.plan import Measurement
from bnjit.paper.sources import load, source_of


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BNJIT_DATA", str(tmp_path))
    return tmp_path


def _rows(data, n=50):
    return load(Measurement("table2", data, n, 0, 0, "QR", False, 5), 1).table


def test_samples_are_found(folder):
    values = [float(i) for i in range(80)]
    frame = pd.DataFrame({"month": ["1", "2"] * 40, "depTime": values, "distance": values[::-1]})
    frame.to_parquet(folder / "airline-sample.parquet")
    assert source_of("AIRLINE") == "AIRLINE sample (airline-sample.parquet)"
    table = _rows("AIRLINE")
    assert (table.n, table.names) == (50, ("month", "depTime", "distance"))
    frame.drop(columns="month").to_parquet(folder / "gas-standin.parquet")
    assert source_of("GAS") == "stand-in for GAS (gas-standin.parquet)"
    assert source_of("SUSY").startswith("synthetic")


def test_original_flights_come_first(folder):
    pd.DataFrame({"month": ["1", "2"], "depTime": [1.0, 2.0]}).to_parquet(folder / "airline-sample.parquet")
    flight = dict.fromkeys(HEADER.split(","), "1")
    lines = [",".join({**flight, "Month": str(month), "Cancelled": "0"}.values()) for month in (1, 2)]
    (folder / "2001.csv.bz2").write_bytes(bz2.compress("\n".join([HEADER, *lines, ""]).encode()))
    assert source_of("AIRLINE") == "AIRLINE (original)"
    assert "cancelled" not in _rows("AIRLINE", 2).names  # constant columns are left out
    assert "month" in _rows("AIRLINE", 2).names


def test_stand_ins_are_named_once(folder, caplog):
    frame = pd.DataFrame({"a": [0.0, 1.0, 3.0], "b": [1.0, 0.0, 5.0]})
    frame.to_parquet(folder / "gas-standin.parquet")
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            _rows("GAS", 3)
            _rows("HIGGS", 3)
    assert sum("stand-in" in message for message in caplog.messages) == 1
    assert sum("synthetic" in message for message in caplog.messages) <= 1


def test_words_on_the_page():
    sources = {
        "AIRLINE": "AIRLINE sample (airline-sample.parquet)", "GAS": "stand-in for GAS (gas-standin.parquet)",
        "HIGGS": "HIGGS (original)", "SUSY": "synthetic stand-in for SUSY", "HEPMASS": "synthetic stand-in for HEPMASS",
    }  # fmt: skip
    assert [kind_of(source) for source in sources.values()] == [
        "sample", "stand-in", "original", "synthetic", "synthetic"
    ]  # fmt: skip
    said = describe_sources(sources)
    assert "AIRLINE: real rows, a part of the published ones" in said
    assert "GAS: stand-ins: other data of the same shape" in said
    assert "SUSY, HEPMASS: stand-ins: synthetic rows of the same shape" in said
