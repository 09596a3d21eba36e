"""Tails of distributions for golden values; and how these are recorded: python -m tests.golden.tails.

Recording needs `pip install mpmath`, which the project itself never uses: it computes with 60 digits.
"""

import json
from pathlib import Path

OUT = Path(__file__).with_name("tails.json")
DEGREES = (0.5, 1, 2, 3, 7, 10, 31, 100, 1000, 10_000)
DEVIATIONS = (-3.0, -1.0, -0.1, 0.0, 0.5, 1.5, 4.0, 10.0, 25.0)  # from the mean, in standard deviations
POINTS = (1e-8, 0.01, 0.5, 1.0, 1.96, 4.0, 12.0, 40.0, 1e6, 1e12)


def record() -> dict[str, list[list[float]]]:
    import mpmath as mp

    mp.mp.dps = 60
    found: dict[str, list[list[float]]] = {"chi_squared_above": [], "t_outside": [], "digamma": [], "log_beta_half": []}
    for df in DEGREES:
        m = mp.mpf(df)
        for deviation in DEVIATIONS:
            x = df + deviation * (2.0 * df) ** 0.5
            if x > 0.0:
                value = mp.gammainc(m / 2, mp.mpf(x) / 2, mp.inf, regularized=True)
                found["chi_squared_above"].append([x, df, float(value)])
        for t in POINTS:
            value = mp.betainc(m / 2, mp.mpf(1) / 2, 0, m / (m + mp.mpf(t) ** 2), regularized=True)
            found["t_outside"].append([t, df, float(value)])
        found["digamma"].append([df, float(mp.digamma(m))])
        found["log_beta_half"].append([df, float(mp.log(mp.beta(m, mp.mpf(1) / 2)))])
    return found


if __name__ == "__main__":
    lines = [f' "{name}": [\n  ' + ",\n  ".join(map(json.dumps, rows)) + "\n ]" for name, rows in record().items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
