"""Parts of dates, compared with those of pandas."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from bnjit.report.dates import MONTHS, WEEKDAYS, hours_of, months_of, sum_up_dates, weekdays_of, years_of


@given(st.lists(st.datetimes(pd.Timestamp("1600-01-01"), pd.Timestamp("2400-01-01")), min_size=1, max_size=20))
def test_parts(dates):
    series = pd.Series(dates).astype("datetime64[us]")
    at = series.to_numpy().astype(np.int64)
    assert years_of(at).tolist() == series.dt.year.tolist()
    assert [MONTHS[i] for i in months_of(at)] == series.dt.strftime("%b").tolist()
    assert [WEEKDAYS[i] for i in weekdays_of(at)] == series.dt.strftime("%a").tolist()
    assert hours_of(at).tolist() == series.dt.hour.tolist()
    half = len(at) // 2
    whole, parts = sum_up_dates(at), [sum_up_dates(some) for some in (at[:half], at[half:])]
    assert whole == (parts[1] if parts[0] is None else parts[0].merged(parts[1]))
    assert ("year" in whole.parts) == (series.dt.year.nunique() > 1)
    assert ("hour" in whole.parts) == (series.dt.hour.nunique() > 1)


def test_nothing():
    assert sum_up_dates(np.empty(0, np.int64)) is None
