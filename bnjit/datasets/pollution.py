"""MEHRA, the paper's own network (Vitolo et al. 2018): as published, and its structure with parameters made by code."""

from bnjit.datasets.build import build_network
from bnjit.datasets.fetch import Remote, fetch, find_original
from bnjit.network.files import read_network
from bnjit.network.network import Network

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


def mehra_like() -> Network:
    """Conditional Gaussian network with MEHRA's 24 nodes, 71 arcs and levels; its parameters are synthetic.

    Every arc matters and no configuration is degenerate, so that hill climbing finds the structure in enough rows.

    Examples
    --------
    >>> mehra_like()
    bnjit.Network: 24 nodes (8 discrete, 16 continuous), 71 arcs
    """
    names = [*LEVELS, *PARENTS]
    labels = [tuple(f"{name}{k + 1:02d}" for k in range(r)) for name, r in LEVELS.items()]
    at = {name: i for i, name in enumerate(names)}
    parents = [tuple(sorted(at[p] for p in PARENTS.get(name, "").split())) for name in names]
    return build_network(names, [*labels, *([None] * len(PARENTS))], parents, SEED, rows=5e5)
