"""Paired ratios, and the runs that are added while they are uncertain."""

import math

import pandas as pd
import pytest

from bnjit.paper.adaptive import more_runs
from bnjit.paper.intervals import interval_of_ratios
from bnjit.paper.plan import ESTIMATORS, Measurement
from bnjit.paper.ratios import paired_ratios, per_local, widest

COLUMNS = ["n", "sample", "run", "estimator", "cpu_seconds", "n_local_scores"]


def _measured(rows):
    return pd.DataFrame([(*row, 10)[:6] for row in rows], columns=COLUMNS)


def test_each_run_is_divided_by_its_own_qr():
    table = paired_ratios(
        _measured([
            (10, 0, 0, "QR", 1.0), (10, 0, 1, "QR", 4.0), (10, 0, 0, "2P", 0.5), (10, 0, 1, "2P", 1.0),
        ]), "n",
    ).set_index("estimator")  # fmt: skip
    # One sample: over runs. Ratios 1/2 and 1/4, and not the ratio of the means, 0.3.
    expected = interval_of_ratios([math.log(0.5), math.log(0.25)])
    assert table.loc["2P", ["ratio", "low", "high"]].tolist() == pytest.approx(list(expected))
    assert table.loc["2P", "ratio"] == pytest.approx(math.sqrt(0.125))
    assert table.loc["QR", ["ratio", "low", "high"]].tolist() == [1.0, 1.0, 1.0]
    assert table.loc["2P", ["samples", "runs", "interval over"]].tolist() == [1, 2, "runs"]
    assert table.loc["QR", "seconds"] == 2.5


def test_of_three_samples_the_fastest_runs_count():
    rows = []
    for sample, (qr, one) in enumerate([((2.0, 3.0), (1.5, 1.1)), ((9.0, 4.0), (1.0, 2.0)), ((5.0, 6.0), (4.0, 8.0))]):
        for run in range(2):
            rows += [(10, sample, run, "QR", qr[run]), (10, sample, run, "1P", one[run])]
    table = paired_ratios(_measured(rows), "n").set_index("estimator")
    expected = interval_of_ratios([math.log(1.1 / 2.0), math.log(1.0 / 4.0), math.log(4.0 / 5.0)])
    assert table.loc["1P", ["ratio", "low", "high"]].tolist() == pytest.approx(list(expected))
    assert table.loc["1P", "seconds"] == pytest.approx(6.1 / 3)
    assert table.loc["1P", ["samples", "runs", "interval over"]].tolist() == [3, 2, "samples"]
    assert widest(table) == pytest.approx((expected[2] - expected[1]) / 2)


def test_runs_that_qr_has_not_are_left_out():
    rows = [(10, 0, 0, "QR", 2.0), (10, 0, 0, "2P", 1.0), (10, 0, 1, "2P", 9.0), (10, 1, 0, "2P", 9.0)]
    table = paired_ratios(_measured(rows), "n")
    assert table["ratio"].tolist() == [1.0, pytest.approx(0.5)]
    assert math.isinf(widest(table))


def test_time_for_one_local_distribution():
    rows = [(10, 0, 0, "QR", 2.0, 100), (10, 0, 0, "PRED", 2.0, 200)]
    measured = pd.DataFrame(rows, columns=COLUMNS)
    assert paired_ratios(per_local(measured), "n")["ratio"].tolist() == [1.0, pytest.approx(0.5)]


def test_threads_are_compared_within_an_estimator():
    rows = [(10, 0, 0, name, seconds, 1, k) for name, k, seconds in
            (("2P", 1, 4.0), ("2P", 2, 2.0), ("STATS", 1, 1.0), ("STATS", 2, 0.8))]  # fmt: skip
    measured = pd.DataFrame(rows, columns=[*COLUMNS, "threads"])
    table = paired_ratios(measured, "n", versus=("threads", 1)).set_index(["estimator", "threads"])
    assert table.loc[("2P", 2), "ratio"] == pytest.approx(0.5)
    assert table.loc[("STATS", 2), "ratio"] == pytest.approx(0.8)


@pytest.fixture
def timed():
    """Two sizes with two samples of two runs: times of the larger one scatter."""
    planned = [Measurement("mehra", "MEHRA", n, sample, run, name, True)
               for n in (10, 20) for sample in range(2) for run in range(2) for name in ESTIMATORS]  # fmt: skip
    rows = []
    for m in planned:
        noise = 0.1 * (m.sample - m.run) if m.n == 20 and m.estimator == "1P" else 0.001 * (m.sample - m.run)
        rows.append({**m._asdict(), "cpu_seconds": 1.0 + noise, "wall_seconds": 1.0, "n_local_scores": 10})
    return planned, pd.DataFrame(rows)


def test_runs_are_added_where_an_interval_is_wide(timed):
    planned, measured = timed
    more = more_runs(["fig2"], planned, measured, {"fig2": 1_000.0, "fig3": 0.0})
    assert {(m.n, m.run) for m in more} == {(20, 2)}
    assert {m.sample for m in more} == {0, 1}
    assert len(more) == 2 * len(ESTIMATORS)


def test_samples_are_added_where_they_make_the_interval():
    planned = [Measurement("mehra", "MEHRA", 10, sample, 0, name, True) for sample in range(4) for name in ESTIMATORS]
    rows = []
    for m in planned:
        noise = 0.2 * (m.sample % 2) if m.estimator == "PRED" else 0.001 * m.sample
        rows.append({**m._asdict(), "cpu_seconds": 1.0 + noise, "wall_seconds": 1.0, "n_local_scores": 10})
    measured = pd.DataFrame(rows)
    more = more_runs(["fig2"], planned, measured, {"fig2": 1_000.0})
    assert {(m.sample, m.run, m.estimator) for m in more} == {(4, 0, "QR"), (4, 0, "PRED")}
    assert more_runs(["fig2"], planned, measured, {"fig2": len(rows) + 1.0}) == []  # two searches are beyond the budget
    many = pd.concat([measured.assign(sample=measured["sample"] + 4 * k) for k in range(6)])
    assert more_runs(["fig2"], planned, many, {"fig2": 1e9}) == []  # so many samples are the most
    twice = [m._replace(run=run) for m in planned for run in range(2)]
    again = pd.concat([measured, measured.assign(run=1)])
    more = more_runs(["fig2"], twice, again, {"fig2": 1e9})
    assert {(m.sample, m.run, m.estimator) for m in more} == {(4, k, name) for k in (0, 1) for name in ("QR", "PRED")}


def test_none_beyond_the_budget_or_for_narrow_intervals(timed):
    planned, measured = timed
    spent = float(measured["wall_seconds"].sum())
    round_of_20 = 2 * len(ESTIMATORS)
    assert more_runs(["fig2"], planned, measured, {"fig2": spent + round_of_20 - 1.0}) == []
    assert len(more_runs(["fig2"], planned, measured, {"fig2": spent + round_of_20})) == round_of_20
    often = pd.concat([measured.assign(run=measured["run"] + 2 * k) for k in range(5)])
    assert more_runs(["fig2"], planned, often, {"fig2": 1e9}) == []  # ten runs are the most
    narrow = measured[measured["n"] == 10]
    assert more_runs(["fig2"], planned, narrow, {"fig2": 1e9}) == []
    assert more_runs(["fig1", "table1"], planned, measured, {}) == []
