"""AIRLINE: arrivals of flights in the USA, from the JSM Data Exposition 2009.

Files 1987.csv.bz2 to 2008.csv.bz2 (doi:10.7910/DVN/HG7NV7, formerly stat-computing.org/dataexpo/2009), each with the
same header of 29 columns, NA for missing values. Checksums of downloads are those of the repository's own record; a
file put into the folder by hand must have the header and the right kind of value in every column.

The paper has n = 53.6 million, 9 discrete and 19 continuous columns, but does not say which. Our reading: the years
2001 to 2008 have 53.6 million rows; without the tail number, which names an aircraft, 28 columns are left; with the
year among the numbers, 19 of them are continuous. Since the 9 discrete columns include whether a flight was cancelled
or diverted, the rows of such flights, which miss times, must have been kept. `incomplete="keep"` is that table. By
default those rows are dropped, and with them the three columns that are then constant.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from bnjit.datasets.fetch import Remote
from bnjit.datasets.load import load
from bnjit.datasets.streams import read_blocks
from bnjit.errors import ArgumentError, DataError

if TYPE_CHECKING:
    import pandas as pd

DOI = "doi:10.7910/DVN/HG7NV7"
YEARS = range(1987, 2009)
PAPER = range(2001, 2009)
HEADER = (
    "Year,Month,DayofMonth,DayOfWeek,DepTime,CRSDepTime,ArrTime,CRSArrTime,UniqueCarrier,FlightNum,TailNum,"
    "ActualElapsedTime,CRSElapsedTime,AirTime,ArrDelay,DepDelay,Origin,Dest,Distance,TaxiIn,TaxiOut,Cancelled,"
    "CancellationCode,Diverted,CarrierDelay,WeatherDelay,NASDelay,SecurityDelay,LateAircraftDelay"
)
# Names in the frame, by those in the files.
DISCRETE = {
    "Month": "month", "DayofMonth": "dayOfMonth", "DayOfWeek": "dayOfWeek", "UniqueCarrier": "uniqueCarrier",
    "Origin": "origin", "Dest": "destination",
}  # fmt: skip
OUTCOMES = {"Cancelled": "cancelled", "CancellationCode": "cancellationCode", "Diverted": "diverted"}
CONTINUOUS = {
    "DepTime": "depTime", "CRSDepTime": "crsDepTime", "ArrTime": "arrTime", "CRSArrTime": "crsArrTime",
    "ActualElapsedTime": "actualElapsedTime", "CRSElapsedTime": "crsElapsedTime", "AirTime": "airTime",
    "ArrDelay": "arrDelay", "DepDelay": "depDelay", "Distance": "distance", "TaxiIn": "taxiIn", "TaxiOut": "taxiOut",
}  # fmt: skip
CAUSES = {
    "CarrierDelay": "carrierDelay", "WeatherDelay": "weatherDelay", "NASDelay": "nasDelay",
    "SecurityDelay": "securityDelay", "LateAircraftDelay": "lateAircraftDelay",
}  # fmt: skip
NUMBER = {"FlightNum": "flightNum"}
YEAR = {"Year": "year"}


def airline(
    years: int | Iterable[int] = PAPER, *, incomplete: str = "drop", download: bool = True,
    n_rows: int | None = None,
) -> "pd.DataFrame":  # fmt: skip
    """AIRLINE: flights, about 7 million a year.

    Parameters
    ----------
    years : int or iterable of int
        From 1987 to 2008; the paper's are 2001 to 2008. The year is a column if there are several.
    incomplete : {"drop", "keep"}
        What to do with flights that miss a time, most of them cancelled or diverted. "keep" writes 0 for it, which
        makes the paper's 53.6 million rows of 9 discrete and 19 continuous columns, with `cancelled`,
        `cancellationCode` and `diverted`. "drop" leaves them out, and with them these columns, which are then
        constant: 6 and 19 columns. Missing causes of delay are 0 in both.
    download : bool
        Whether to download files (0.1 GB a year) where `data_directory` does not hold them; needs the extra `data`.
    n_rows : int, optional
        Read only the first rows; later years are then fetched only if there are too few others.

    Returns
    -------
    pandas.DataFrame
        `frame.attrs["source"]` says whether the rows are the original ones: a prepared table takes their place only
        where `years` and `incomplete` are left as they are. Eight years take 10 GB.
    """
    chosen = _check_years(years)
    if incomplete not in ("drop", "keep"):
        raise ArgumentError(f"incomplete={incomplete!r} is not known; it is 'drop' or 'keep'")
    keep = incomplete == "keep"
    discrete = {**DISCRETE, **OUTCOMES} if keep else DISCRETE
    continuous = {**CONTINUOUS, **CAUSES, **NUMBER, **(YEAR if len(chosen) > 1 else {})}
    types = {**dict.fromkeys(discrete, pa.string()), **dict.fromkeys(continuous, pa.float64())}
    names = {**discrete, **continuous}

    def read(remote: Remote, path: Path) -> Iterator[pa.Table]:
        rows = 0
        for raw in read_blocks(path, remote.file, HEADER.split(","), types, header=HEADER, missing=("NA", "")):
            table = _complete(raw, keep).rename_columns([names[name] for name in raw.column_names])
            rows += table.num_rows
            yield table
        if not rows:
            raise DataError(
                f"no flight of {str(path)!r} is complete: airTime, taxiIn and taxiOut are recorded since 1995; choose "
                "later years, or incomplete='keep'"
            )

    as_prepared = chosen == list(PAPER) and not keep
    return load("airline", original_files(chosen), read, tuple(discrete.values()), download, n_rows, as_prepared)


def original_files(years: Iterable[int]) -> list[Remote]:
    """Files of some years, as they were published."""
    return [Remote(f"{year}.csv.bz2", (f"{DOI}/{year}.csv.bz2",)) for year in years]


def _complete(table: pa.Table, keep: bool) -> pa.Table:
    """Fill in 0 or "none" for causes of delay that are missing; drop, or fill in, other missing values."""
    for i, name in enumerate(table.column_names):
        if keep or name in CAUSES:
            filler = "none" if pa.types.is_string(table[name].type) else 0.0
            table = table.set_column(i, name, pc.fill_null(table[name], filler))
    return table if keep else table.drop_null()


def _check_years(years: int | Iterable[int]) -> list[int]:
    chosen = list(years) if isinstance(years, Iterable) and not isinstance(years, str) else [years]
    if not chosen or any(year not in YEARS for year in chosen) or len(set(chosen)) < len(chosen):
        raise ArgumentError(f"years={years!r} must be different years from {YEARS[0]} to {YEARS[-1]}")
    return [int(year) for year in chosen]
