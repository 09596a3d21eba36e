"""Normalised times and their intervals, against hand computation."""

import math

import pandas as pd
import pytest

from bnjit.paper.intervals import interval, normalise, t_quantile


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (9, 2.2622), (24, 2.0639), (100, 1.9840)],
)
def test_quantiles_are_those_of_the_tables(degrees, expected):
    assert t_quantile(degrees) == pytest.approx(expected, abs=5e-5)


def test_interval():
    assert interval([2.0, 4.0]) == pytest.approx((3.0, 3.0 - 12.7062, 3.0 + 12.7062), abs=1e-4)
    mean, low, high = interval([5.0])
    assert mean == 5.0
    assert math.isnan(low)
    assert math.isnan(high)


def _measured(rows):
    return pd.DataFrame(rows, columns=["n", "sample", "run", "estimator", "seconds"])


def test_each_sample_is_normalised_by_its_own_qr():
    table = normalise(
        _measured([
            (10, 0, 0, "QR", 1.0), (10, 0, 1, "QR", 3.0), (10, 0, 0, "2P", 1.0), (10, 0, 1, "2P", 2.0),
            (10, 1, 0, "QR", 4.0), (10, 1, 1, "QR", 4.0), (10, 1, 0, "2P", 1.0), (10, 1, 1, "2P", 3.0),
        ]), "n",
    ).set_index("estimator")  # fmt: skip
    # Sample 0: mean 1.5 of 2.0; sample 1: mean 2.0 of 4.0. Ratios 0.75 and 0.5; standard error 0.125.
    assert table.loc["2P", "ratio"] == pytest.approx(0.625)
    assert table.loc["2P", "high"] - 0.625 == pytest.approx(12.7062 * 0.125, abs=1e-4)
    assert 0.625 - table.loc["2P", "low"] == pytest.approx(12.7062 * 0.125, abs=1e-4)
    assert table.loc["QR", ["ratio", "low", "high"]].tolist() == [1.0, 1.0, 1.0]
    assert table.loc["QR", "seconds"] == 3.0
    assert table["samples"].tolist() == table["runs"].tolist() == [2, 2]


def test_one_sample_uses_its_runs_and_one_run_has_no_interval():
    rows = [("QR", 2.0), ("QR", 4.0), ("2P", 1.0), ("2P", 2.0)]
    table = normalise(_measured([(10, 0, i % 2, *row) for i, row in enumerate(rows)]), "n").set_index("estimator")
    # 1/3 and 2/3 of QR's mean of 3; standard error 1/6.
    assert table.loc["2P", "ratio"] == pytest.approx(0.5)
    assert table.loc["2P", "high"] == pytest.approx(0.5 + 12.7062 / 6, abs=1e-4)
    single = normalise(_measured([(10, 0, 0, "QR", 2.0), (10, 0, 0, "2P", 1.0)]), "n")
    assert single["ratio"].tolist() == [1.0, 0.5]
    assert single["low"].isna().all()


def test_samples_that_qr_has_not_are_left_out():
    table = normalise(_measured([(10, 0, 0, "QR", 2.0), (10, 0, 0, "2P", 1.0), (10, 1, 0, "2P", 9.0)]), "n")
    assert table["ratio"].tolist() == [1.0, 0.5]
