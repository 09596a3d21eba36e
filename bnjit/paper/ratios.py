"""Running times as shares of QR's, paired within a run on a sample, with intervals for few of them."""

import math
from typing import TYPE_CHECKING

from bnjit.paper.intervals import interval_of_ratios

if TYPE_CHECKING:
    import pandas as pd

BASELINE = "QR"
FEWEST_SAMPLES = 3  # for an interval over samples; with fewer it is over all runs


def per_local(measured: "pd.DataFrame") -> "pd.DataFrame":
    """The same measurements with processor times for one local distribution."""
    return measured.assign(cpu_seconds=measured["cpu_seconds"] / measured["n_local_scores"])


def paired_ratios(
    measured: "pd.DataFrame", by: str, column: str = "cpu_seconds", versus: tuple[str, object] = ("estimator", BASELINE)
) -> "pd.DataFrame":
    """Times as shares of QR's time on the same sample.

    The mean is geometric, and the interval is Student's t of the logarithms, transformed back: ratios are positive
    and spread by factors. With three samples or more, the fastest of a sample's runs is divided by the fastest of QR's
    (they are the same search, and what else goes on can only make one longer), and the interval is over samples;
    otherwise each run is divided by QR's, and it is over all runs.

    Parameters
    ----------
    measured : DataFrame
        Measurements.
    by : str
        The column that tells the groups of bars apart: "n" or "data".
    column : str
        The times.
    versus : (str, value)
        Another column and its value that mark the denominators; bars are then told apart by that column as well.

    Returns
    -------
    DataFrame
        One row for each group and estimator, in the order of `measured`: ratio, low, high, seconds, samples, runs, and
        what the interval is over.
    """
    import pandas as pd

    mark, value = versus
    within = [by, "sample", "run", *(["estimator"] if mark != "estimator" else [])]
    base = measured[measured[mark] == value].set_index(within)[column].rename("base")
    pairs = measured.join(base, on=within, how="inner")
    rows = []
    names = list(dict.fromkeys([by, "estimator", mark]))
    for group, own in pairs.groupby(names, sort=False):
        samples = own["sample"].nunique()
        over = "samples" if samples >= FEWEST_SAMPLES else "runs"
        times = own.groupby("sample")[[column, "base"]].min() if over == "samples" else own
        logs = (times[column] / times["base"]).map(math.log)
        runs = len(own) / samples
        rows.append((*group, *interval_of_ratios(logs.tolist()), times[column].mean(), samples, runs, over))
    columns = [*names, "ratio", "low", "high", "seconds", "samples", "runs", "interval over"]
    return pd.DataFrame(rows, columns=columns)


def widest(ratios: "pd.DataFrame") -> float:
    """Half of the widest interval; infinite if a bar has none."""
    halves = (ratios["high"] - ratios["low"]) / 2.0
    return math.inf if halves.isna().any() or halves.empty else float(halves.max())
