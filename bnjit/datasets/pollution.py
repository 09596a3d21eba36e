"""MEHRA, the paper's own network (Vitolo et al. 2018): as published, and its structure with parameters made by code."""

from typing import TYPE_CHECKING, Any

from bnjit.datasets.build import build_network
from bnjit.datasets.fetch import Remote, fetch, find_original
from bnjit.network.files import read_network
from bnjit.network.network import Network

if TYPE_CHECKING:
    import pandas as pd

PUBLISHED = Remote(
    "mehra-complete.rda",
    ("https://www.bnlearn.com/bnrepository/mehra/mehra-complete.rda",),
    "a494c0125221f03477f57533abb349d01b053a77a3d846f3f598b0be0fa066e5",
)

# Published structure (the bnlearn repository): levels of discrete nodes, then parents of continuous ones, which
# here come after their parents.
LEVELS = {"Region": 9, "Zone": 31, "Type": 6, "Year": 20, "Season": 4, "Month": 12, "Day": 31, "Hour": 24}
PARENTS = {
    "Latitude": "",
    "Longitude": "",
    "Altitude": "",
    "CVD60": "Region Year Season Month",
    "wd": "Region Year Month Day",
    "t2m": "Year Month Hour Latitude wd",
    "ws": "Year Month Day Latitude Longitude t2m wd",
    "blh": "Region Month Hour Longitude t2m ws wd",
    "co": "Zone Type Year",
    "pm10": "Zone Type Year",
    "pm2.5": "Region Type Year pm10",
    "o3": "Zone Type Year blh",
    "so2": "Zone Type Year co",
    "no2": "Zone Type Year Altitude blh o3 co pm10",
    "ssr": "Hour Latitude Longitude Altitude t2m ws wd blh no2 o3 so2 co pm10",
    "tp": "Year Month Hour ws ssr",
}
# The variables of place and time, which nothing in the data can cause: background knowledge forbids arcs into them.
PLACE_AND_TIME = (*LEVELS, "Latitude", "Longitude", "Altitude")
SEED = 2019
POLLUTANTS = ("co", "pm10", "pm2.5", "o3", "so2", "no2")
MEASURED_BY, LOST = 12, 0.1  # years by which everything is measured; share of values that is lost then


def mehra(*, download: bool = True) -> Network:
    """Conditional Gaussian network of the paper's Figure 1, with the parameters that the bnlearn repository publishes.

    Reading it needs the extra `r`; fetching it, the extra `data`. Some of its parameters are extreme: columns drawn
    from it span ten orders of magnitude.

    Parameters
    ----------
    download : bool
        Whether to download the file where `data_directory` does not hold it.
    """
    return read_network(find_original(PUBLISHED) or fetch("MEHRA", PUBLISHED, download))


class PollutionNetwork(Network):
    """A network whose samples have gaps as MEHRA's data had: pollutants are measured by region and year.

    In every region each pollutant is measured from some year on, drawn by a fixed seed; later a tenth of its values is
    missing by chance. Where a value is missing depends on what is observed, region and year.
    """

    def sample(self, n: int, seed: int | None = None, do: Any = None) -> "pd.DataFrame":
        """Draw rows, and leave out what was not measured; see Network.sample."""
        import numpy as np

        frame = super().sample(n, seed, do)
        region, year = (frame[name].cat.codes.to_numpy() for name in ("Region", "Year"))
        begins = np.random.default_rng(SEED).integers(0, MEASURED_BY, (len(POLLUTANTS), LEVELS["Region"]))
        lost = np.random.default_rng([SEED, 0 if seed is None else seed]).random((len(POLLUTANTS), n)) < LOST
        for name, own, gaps in zip(POLLUTANTS, begins, lost, strict=True):
            frame[name] = frame[name].mask(gaps | (year < own[region]))
        return frame


def mehra_like(gaps: bool = False) -> Network:
    """Conditional Gaussian network with MEHRA's 24 nodes, 71 arcs and levels; its parameters are synthetic.

    Every arc matters and no configuration is degenerate, so that hill climbing finds the structure in enough rows.

    Parameters
    ----------
    gaps : bool
        Whether `sample` leaves out values as in the data that the paper's network was learned from: pollutants are
        measured from some year on that depends on the region, and then with gaps.

    Examples
    --------
    >>> mehra_like()
    bnjit.Network: 24 nodes (8 discrete, 16 continuous), 71 arcs
    >>> mehra_like(gaps=True).sample(1000, seed=1)["pm2.5"].isna().mean().round(2)
    np.float64(0.39)
    """
    names = [*LEVELS, *PARENTS]
    labels = [tuple(f"{name}{k + 1:02d}" for k in range(r)) for name, r in LEVELS.items()]
    at = {name: i for i, name in enumerate(names)}
    parents = [tuple(sorted(at[p] for p in PARENTS.get(name, "").split())) for name in names]
    made = build_network(names, [*labels, *([None] * len(PARENTS))], parents, SEED, rows=5e5)
    return PollutionNetwork(made.names, made.labels, made.nodes) if gaps else made
