"""GAS: sixteen gas sensors in two experiments.

From the UCI Machine Learning Repository, dataset 322, "Gas sensor array under dynamic gas mixtures": ethylene_CO.txt
(4,208,261 rows) and ethylene_methane.txt (4,178,504 rows), columns separated by spaces below one line of header: time,
the concentrations of two gases, the readings of sixteen sensors. No checksum is known for certain: every row must have
19 finite numbers.

The paper has n = 4.2 million and 37 continuous columns, but does not say how they were obtained. Our reading: the two
files stand side by side by row number, up to the end of the shorter; of the 19 + 19 columns one of the times is left
out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from bnjit.datasets.fetch import Remote, find, find_original
from bnjit.datasets.load import load_prepared, locate, set_source
from bnjit.datasets.streams import collect, read_blocks
from bnjit.errors import check_count

if TYPE_CHECKING:
    import pandas as pd

URLS = (
    "https://archive.ics.uci.edu/static/public/322/gas+sensor+array+under+dynamic+gas+mixtures.zip",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/00322/data.zip",
)
CO, METHANE = Remote("ethylene_CO.txt", URLS), Remote("ethylene_methane.txt", URLS)
CO_COLUMNS = ("time", "CO", "ethylene_CO", *(f"CO_sensor_{i}" for i in range(1, 17)))
METHANE_COLUMNS = ("time", "methane", "ethylene_methane", *(f"methane_sensor_{i}" for i in range(1, 17)))
COLUMNS = (*CO_COLUMNS, *METHANE_COLUMNS[1:])


def gas(*, download: bool = True, n_rows: int | None = None) -> "pd.DataFrame":
    """GAS: 4.2 million rows of 37 continuous columns.

    The columns of the experiment with carbon monoxide, then those of the one with methane, by row number.

    Parameters
    ----------
    download : bool
        Whether to download the files (0.4 GB) where `data_directory` does not hold them; needs the extra `data`.
    n_rows : int, optional
        Read only the first rows.

    Returns
    -------
    pandas.DataFrame
        `frame.attrs["source"]` says whether the rows are the original ones.
    """
    import pandas as pd

    check_count("n_rows", n_rows, least=1)
    prepared = None if any(map(find_original, (CO, METHANE))) else find("gas")
    if prepared is not None:
        return load_prepared("gas", prepared, (), n_rows)
    paths = [locate("gas", remote, download) for remote in (CO, METHANE)]
    first = collect(_read(paths[0], CO, CO_COLUMNS), (), n_rows)
    second = collect(_read(paths[1], METHANE, METHANE_COLUMNS), (), n_rows).drop(columns="time")
    rows = min(len(first), len(second))
    frame = pd.concat([first.iloc[:rows], second.iloc[:rows]], axis=1)
    used = dict.fromkeys(path.name for path in paths)
    return set_source(frame, f"GAS (original, {', '.join(used)}, side by side)")


def _read(path: Path, remote: Remote, names: tuple[str, ...]) -> Iterator[pa.Table]:
    return read_blocks(path, remote.file, names, dict.fromkeys(names, pa.float64()), header="Time", spaces=True)
