"""What the bars of Figures 2 and 3 show, in words, beside what the paper and others report."""

import math
from typing import TYPE_CHECKING

from bnjit.paper.bars import Mark
from bnjit.paper.plan import ESTIMATORS
from bnjit.paper.ratios import FEWEST_SAMPLES, widest
from bnjit.paper.tuning import HALF_WIDTH, MOST_RUNS, MOST_SAMPLES

if TYPE_CHECKING:
    import pandas as pd

# Running times as shares of QR's that the paper reports in its text, for MEHRA and for the tables.
PAPER_RATIOS = {"fig2": {"1P": 0.80, "2P": 0.75, "PRED": 0.40}, "fig3": {"1P": 0.85, "2P": 0.78, "PRED": 0.40}}
# bnlearn 4.5, the authors' own code, with its closed forms switched off for QR: processor time on rows drawn from the
# published network, arcs into place and time forbidden, 75 % training rows. By the rows it was measured on.
BNLEARN_RATIOS = {100_000: {"2P": 0.83, "PRED": 0.61}, 300_000: {"2P": 0.76, "PRED": 0.59}}


def paper_mark(figure: str) -> Mark:
    """The paper's own values."""
    where = "MEHRA, 1 to 50 million rows" if figure == "fig2" else "mean of its five data sets"
    return Mark(f"the paper's own values ({where})", "D", "#111111", 0.25, {None: PAPER_RATIOS[figure]})


def bnlearn_mark(sizes: "list[int]") -> Mark:
    """Values of bnlearn, at the recorded size that is nearest to each size."""
    nearest = {n: min(BNLEARN_RATIOS, key=lambda rows: abs(math.log(rows / n))) for n in sizes}
    at = " and ".join(f"{rows:,}" for rows in sorted(set(nearest.values())))
    label = f"bnlearn 4.5, the authors' own code (recorded on {at} rows of the published network)"
    return Mark(label, "v", "#7B2CBF", -0.25, {n: BNLEARN_RATIOS[rows] for n, rows in nearest.items()})


def compare(ratios: "pd.DataFrame", figure: str) -> tuple[str, ...]:
    """Mean speed-up of each estimator over QR, beside what the paper reports."""
    found = []
    for name in list(ESTIMATORS)[1:]:
        own = ratios[ratios["estimator"] == name]
        if own.empty:
            continue
        mean = math.exp(math.fsum(map(math.log, own["ratio"])) / len(own))
        spread = "" if len(own) == 1 else f" on average, {own['ratio'].min():.2f} to {own['ratio'].max():.2f} of QR's"
        spread = f" ({own['low'].iloc[0]:.2f} to {own['high'].iloc[0]:.2f} of QR's)" if len(own) == 1 else spread
        reported = PAPER_RATIOS[figure].get(name)
        paper = f"; the paper: about {1 - reported:.0%} faster" if reported is not None else "; not in the paper"
        found.append(f"{name} {_describe_ratio(mean)}{spread}{paper}.")
    return (*found, _order(ratios))


def _describe_ratio(ratio: float) -> str:
    """Describe a running time, given as a share of QR's, in words."""
    if ratio <= 0.5:
        return f"is {1 - ratio:.0%} faster than QR, {1 / ratio:.1f} times as fast"
    return f"is {1 - ratio:.0%} faster than QR" if ratio < 1 else f"takes {ratio - 1:.0%} longer than QR"


def _order(ratios: "pd.DataFrame") -> str:
    """Whether QR >= 1P >= 2P, as far as the intervals can tell."""
    by = str(ratios.columns[0])
    shown = ratios.set_index([by, "estimator"])
    broken = []
    for group in dict.fromkeys(ratios[by]):
        for slow, fast in (("QR", "1P"), ("1P", "2P")):
            if float(shown.loc[(group, fast), "low"]) > float(shown.loc[(group, slow), "high"]):
                broken.append(f"{fast} is slower than {slow} for {group}")
    return f"QR, 1P, 2P is the order of times within intervals{', but ' + '; '.join(broken) if broken else ''}."


def repetitions(ratios: "pd.DataFrame", budget: float) -> str:
    """How many samples and runs the bars are means of, what the intervals are, and how narrow they became."""
    samples, most = int(ratios["samples"].max()), ratios["runs"].max()
    drawn, runs = _span(ratios["samples"]), _span(ratios["runs"])
    counted = f"{drawn} sample{'' if samples == 1 else 's'}, {runs} run{'' if most == 1 else 's'} of each"
    over = "samples" if samples >= FEWEST_SAMPLES else "runs"
    half = widest(ratios)
    if math.isinf(half):
        return f"{counted}; a single measurement has no interval"
    narrow = (
        f"the widest is {half:.3f} to each side"
        if half <= HALF_WIDTH
        else f"the widest is {half:.3f} to each side: the budget of {budget:,.0f} s, {MOST_RUNS} runs or "
        f"{MOST_SAMPLES} samples were used up before {HALF_WIDTH} was reached"
    )
    divided = (
        "the fastest run on a sample is divided by QR's fastest" if over == "samples" else "each run is divided by QR's"
    )
    return (
        f"{counted}. One thread, processor time; {divided} on the same sample. Bars "
        f"are geometric means; whiskers are 95 % confidence intervals over {over} by Student's t of the logarithms, "
        f"transformed back, which is right for few ratios and never below zero; {narrow}"
    )


def _span(numbers: "pd.Series[float]") -> str:
    """Least and most of some numbers, or the one number that they are."""
    least, most = numbers.min(), numbers.max()
    return f"{most:g}" if most == least else f"{least:g} to {most:g}"
