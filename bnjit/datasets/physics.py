"""HEPMASS, HIGGS and SUSY: simulated collisions, a class and continuous features.

From the UCI Machine Learning Repository: HEPMASS (dataset 347) is all_train.csv.gz followed by all_test.csv.gz, with a
header "# label,f0,...,f26,mass"; HIGGS (280) is HIGGS.csv.gz and SUSY (279) is SUSY.csv.gz, both without a header, the
class in front. Only the checksum of HIGGS.csv.gz is known for certain. In the others, every row must have the right
number of columns, every number must be finite and every class 0 or 1.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from bnjit.datasets.fetch import Remote
from bnjit.datasets.load import Reader, as_labels, load
from bnjit.datasets.streams import read_blocks
from bnjit.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

UCI = "https://archive.ics.uci.edu"
UCI_ARCHIVE = f"{UCI}/ml/machine-learning-databases"
HEPMASS_FILES = tuple(
    Remote(file, (f"{UCI_ARCHIVE}/00347/{file}", f"{UCI}/static/public/347/hepmass.zip"))
    for file in ("all_train.csv.gz", "all_test.csv.gz")
)
HIGGS_FILES = (
    Remote(
        "HIGGS.csv.gz",
        (f"{UCI_ARCHIVE}/00280/HIGGS.csv.gz", f"{UCI}/static/public/280/higgs.zip"),
        "ea302c18164d4e3d916a1e2e83a9a8d07069fa6ebc7771e4c0540d54e593b698",
    ),
)
SUSY_FILES = (Remote("SUSY.csv.gz", (f"{UCI_ARCHIVE}/00279/SUSY.csv.gz", f"{UCI}/static/public/279/susy.zip")),)

HEPMASS_COLUMNS = ("label", *(f"f{i}" for i in range(27)), "mass")
HIGGS_COLUMNS = (
    "label", "lepton_pT", "lepton_eta", "lepton_phi", "missing_energy_magnitude", "missing_energy_phi",
    *(f"jet_{j}_{feature}" for j in range(1, 5) for feature in ("pt", "eta", "phi", "btag")),
    "m_jj", "m_jjj", "m_lv", "m_jlv", "m_bb", "m_wbb", "m_wwbb",
)  # fmt: skip
SUSY_COLUMNS = (
    "SUSY", *(f"lepton {j} {feature}" for j in (1, 2) for feature in ("pT", "eta", "phi")), "missing energy magnitude",
    "missing energy phi", "MET_rel", "axial MET", "M_R", "M_TR_2", "R", "MT2", "S_R", "M_Delta_R", "dPhi_r_b",
    "cos(theta_r1)",
)  # fmt: skip


def hepmass(*, download: bool = True, n_rows: int | None = None) -> "pd.DataFrame":
    """HEPMASS: 10.5 million rows, the class `label` and 28 continuous columns, the last of them the mass.

    Parameters
    ----------
    download : bool
        Whether to download the files (about 5 GB) where `data_directory` does not hold them; needs the extra `data`.
    n_rows : int, optional
        Read only the first rows; the test rows, which come last, are then fetched only if there are too few others.

    Returns
    -------
    pandas.DataFrame
        `frame.attrs["source"]` says whether the rows are the original ones.
    """
    return load("hepmass", HEPMASS_FILES, _reader(HEPMASS_COLUMNS, "# label"), ("label",), download, n_rows)


def higgs(*, download: bool = True, n_rows: int | None = None) -> "pd.DataFrame":
    """HIGGS: 11 million rows, the class `label` and 28 continuous columns; the file has 2.8 GB.

    Parameters and result are those of `hepmass`.
    """
    return load("higgs", HIGGS_FILES, _reader(HIGGS_COLUMNS), ("label",), download, n_rows)


def susy(*, download: bool = True, n_rows: int | None = None) -> "pd.DataFrame":
    """SUSY: 5 million rows, the class `SUSY` and 18 continuous columns; the file has 0.9 GB.

    Parameters and result are those of `hepmass`.
    """
    return load("susy", SUSY_FILES, _reader(SUSY_COLUMNS), ("SUSY",), download, n_rows)


def _reader(names: tuple[str, ...], header: str | None = None) -> Reader:
    """Reader of files whose first column is the class."""

    def read(remote: Remote, path: Path) -> Iterator[pa.Table]:
        for table in read_blocks(path, remote.file, names, dict.fromkeys(names, pa.float64()), header=header):
            classes = set(table[0].unique().to_pylist())
            if not classes <= {0.0, 1.0}:
                wrong = sorted(classes - {0.0, 1.0})[0]
                raise DataError(f"{str(path)!r} has the class {wrong}, not 0 or 1; delete it and get it again")
            yield table.set_column(0, names[0], as_labels(table[0]))

    return read
