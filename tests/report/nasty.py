"""Tables that nobody prepared: fixed ones, and random ones for Hypothesis."""

import datetime
import decimal
import string

import numpy as np
import pandas as pd
from hypothesis import strategies as st

N = 40


def messy(n: int = 300, seed: int = 0) -> pd.DataFrame:
    """One column for each thing that can be wrong."""
    rng = np.random.default_rng(seed)
    grams = rng.normal(size=n) * 500 + 4000
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    frame = pd.DataFrame(
        {
            "Unnamed: 0": np.arange(n),
            "patient_id": rng.permutation(10 * n)[:n],
            "name": [f"p{i}" for i in range(n)],
            "species": rng.choice(["A", "B", "C"], n),
            "grams": grams,
            "kilos": grams * 0.001,
            "sex": pd.Series(rng.choice(["m", "f", "?"], n)).replace("?", None),
            "visits": rng.integers(1, 4, n),
            "when": days,
            "day": days.strftime("%Y-%m-%d"),
            "same": 1.5,
            "one": "x",
            "empty": np.nan,
            "infinite": np.where(np.arange(n) % 50 == 0, np.inf, rng.normal(size=n)),
            "huge": rng.normal(size=n) * 1e200,
            "price": [f"{x:.2f}".replace(".", ",") for x in rng.normal(size=n)],
            "income": np.where(rng.random(n) < 0.6, np.nan, rng.normal(size=n)),
            "wait": pd.to_timedelta(rng.integers(0, 999, n), "s"),
            "power": np.where(np.arange(n) % 60 == 3, "?", rng.integers(50, 99, n).astype(str)),
        }
    )
    frame["latin"] = frame["species"].map({"A": "adeliae", "B": "antarcticus", "C": "papua"})
    return frame


ALIKE = pd.Index([(1, 2), "(1, 2)"], tupleize_cols=False)
ODD = pd.Index([1, "1", (2, 3)], tupleize_cols=False)

COLUMNS = {
    "floats": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300),
    "single": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "gappy": lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.1, -np.inf, rng.normal(size=n)),
    "only infinite": lambda rng, n: np.where(rng.random(n) < 0.5, np.inf, np.nan),
    "integers": lambda rng, n: rng.integers(-3, 4, n),
    "large": lambda rng, n: rng.integers(0, 2**64, n, dtype=np.uint64),
    "nullable": lambda rng, n: pd.array(np.where(rng.random(n) < 0.2, None, rng.integers(0, 9, n)), "Int64"),
    "row": lambda rng, n: np.arange(n) + int(rng.integers(0, 3000)),
    "constant": lambda rng, n: np.full(n, 0.1),
    "nearly constant": lambda rng, n: 1e9 + 1e-9 * rng.normal(size=n),
    "complex": lambda rng, n: rng.normal(size=n) * 1j,
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "bool gaps": lambda rng, n: pd.Series(np.where(rng.random(n) < 0.2, None, rng.random(n) < 0.5), dtype=object),
    "text": lambda rng, n: pd.Series(rng.choice(["", "a", "b", " ", "NA"], n)),
    "text gaps": lambda rng, n: pd.Series(rng.choice(np.array(["a", "b", None], object), n), dtype=object),
    "words": lambda rng, n: pd.Series(["".join(rng.choice(list(string.ascii_letters), 3)) for _ in range(n)]),
    "number text": lambda rng, n: pd.Series(rng.choice(["1", "2.5", "3e2", " 4 "], n)),
    "dates": lambda rng, n: pd.Series(pd.Timestamp("2019-12-30") + pd.to_timedelta(rng.integers(0, 9999, n), "h")),
    "zoned": lambda rng, n: pd.Series(pd.date_range("2020", periods=n, freq="h", tz="Europe/Berlin")),
    "one date": lambda rng, n: np.full(n, np.datetime64("2020-02-29")),
    "date objects": lambda rng, n: pd.Series([datetime.date(2020, 1, 1 + i % 28) for i in range(n)], dtype=object),
    "date text": lambda rng, n: pd.Series(rng.choice(["2020-01-01", "2021-02-28 12:30", "2020-02-30"], n)),
    "times": lambda rng, n: pd.Series([datetime.time(i % 24) for i in range(n)], dtype=object),
    "durations": lambda rng, n: pd.Series(pd.to_timedelta(rng.integers(0, 10**6, n), "s")),
    "periods": lambda rng, n: pd.Series(pd.period_range("2020", periods=n, freq="D")),
    "decimals": lambda rng, n: pd.Series([decimal.Decimal(int(i)) / 4 for i in rng.integers(0, 50, n)], dtype=object),
    "mixed": lambda rng, n: pd.Series(rng.choice(np.array([1, "a", 2.5, None], object), n), dtype=object),
    "lists": lambda rng, n: pd.Series([[i] for i in range(n)], dtype=object),
    "dicts": lambda rng, n: pd.Series([{"a": i} for i in range(n)], dtype=object),
    "bytes": lambda rng, n: pd.Series([b"\xff%d" % i for i in range(n)], dtype=object),
    "objects": lambda rng, n: pd.Series([object() for _ in range(n)], dtype=object),
    "surrogates": lambda rng, n: pd.Series(["\ud800", "a"] * (n // 2) + ["b"] * (n % 2), dtype=object),
    "none": lambda rng, n: pd.Series([None] * n, dtype=object),
    "categories": lambda rng, n: pd.Categorical.from_codes(rng.integers(-1, 2, n), ["p", "q", "never"]),
    "intervals": lambda rng, n: pd.cut(rng.normal(size=n), 3),
    "interval objects": lambda rng, n: pd.Series(pd.cut(rng.normal(size=n), 3)).astype(object),
    "interval type": lambda rng, n: pd.arrays.IntervalArray.from_tuples([(i, i + 1) for i in rng.integers(0, 3, n)]),
    "alike categories": lambda rng, n: pd.Categorical.from_codes(rng.integers(0, 2, n), ALIKE),
    "odd categories": lambda rng, n: pd.Categorical.from_codes(rng.integers(0, 3, n), ODD),
    "sparse": lambda rng, n: pd.arrays.SparseArray(np.where(rng.random(n) < 0.8, 0.0, rng.normal(size=n))),
}  # fmt: skip


@st.composite
def nasty_frames(draw, n: int = N) -> pd.DataFrame:
    """A DataFrame of odd columns, under odd names, of which some may come twice."""
    kinds = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=6))
    names = draw(
        st.lists(
            st.sampled_from(["a", "b", "", "Unnamed: 0", "row_id", None, float("nan"), 3, ("x", 1), "when_year"]),
            min_size=len(kinds),
            max_size=len(kinds),
        )
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frame = pd.concat([pd.Series(COLUMNS[kind](rng, n)) for kind in kinds], axis=1)
    frame.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    return frame
