"""Published tables, from tiny files in their original formats."""

import bz2
import gzip
import zipfile

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit import datasets
from bnjit.datasets import flights, physics, sensors, streams

COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress}


def place(path, text):
    """Write text as the name of the file says."""
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(COMPRESS.get(path.suffix, bytes)(data))


def collisions(n, columns, start=0):
    """Rows as in the files of UCI, and their values."""
    values = np.random.RandomState(start).randn(n, columns - 1).round(6)
    classes = (np.arange(n) + start) % 2
    lines = [
        ",".join([f"{c:.18e}", *(f"{v:.18e}" for v in row)]) + "\n" for c, row in zip(classes, values, strict=True)
    ]
    return lines, classes.astype(str), values


@pytest.mark.parametrize(
    ("name", "columns", "file"),
    [("higgs", physics.HIGGS_COLUMNS, "HIGGS.csv"), ("susy", physics.SUSY_COLUMNS, "SUSY.csv")],
)
@pytest.mark.parametrize("form", ["", ".gz", ".zip"])
def test_higgs_and_susy(folder, monkeypatch, name, columns, file, form):
    monkeypatch.setattr(physics, "HIGGS_FILES", (physics.HIGGS_FILES[0]._replace(sha256=None),))
    lines, classes, values = collisions(7, len(columns))
    used = f"{name}.zip" if form == ".zip" else file + form
    if form == ".zip":
        with zipfile.ZipFile(folder / used, "w") as archive:
            archive.writestr(f"{file}.gz", gzip.compress("".join(lines).encode()))
    else:
        place(folder / used, "".join(lines))
    frame = getattr(datasets, name)(download=False)
    assert list(frame) == list(columns)
    assert frame.attrs["source"] == f"{name.upper()} (original, {used})"
    assert list(frame[columns[0]]) == list(classes)
    assert list(frame[columns[0]].cat.categories) == ["0", "1"]
    np.testing.assert_array_equal(frame[list(columns[1:])].to_numpy(), values)
    assert (frame.dtypes[1:] == np.float64).all()
    short = getattr(datasets, name)(n_rows=3)
    pd.testing.assert_frame_equal(short, frame.iloc[:3])


def test_the_published_names_are_those_of_the_samples(shared):
    for name, columns in (("higgs", physics.HIGGS_COLUMNS), ("susy", physics.SUSY_COLUMNS)):
        assert set(pd.read_parquet(shared / "data" / f"{name}-sample.parquet")) == set(columns)
    ours = {**flights.DISCRETE, **flights.CONTINUOUS, **flights.CAUSES, **flights.NUMBER}.values()
    assert list(pd.read_parquet(shared / "data" / "airline-sample.parquet")) == list(ours)


def test_the_checksum_of_higgs(folder):
    place(folder / "HIGGS.csv.gz", "".join(collisions(2, 29)[0]))
    with pytest.raises(bnjit.DataError, match=r"HIGGS\.csv\.gz' has the sha256 checksum .* damaged, incomplete"):
        datasets.higgs()


def test_hepmass_is_two_files(folder):
    header = ",".join(["# label", *physics.HEPMASS_COLUMNS[1:]]) + "\n"
    parts = [collisions(5, 29), collisions(4, 29, start=5)]
    place(folder / "all_train.csv.gz", header + "".join(parts[0][0]))
    first = datasets.hepmass(download=False, n_rows=5)  # needs no test rows
    assert first.attrs["source"] == "HEPMASS (original, all_train.csv.gz)"
    with pytest.raises(bnjit.DataError, match=r"there is no all_test\.csv\.gz or all_test\.csv or hepmass\.zip in"):
        datasets.hepmass(download=False)
    with pytest.raises(bnjit.DataError, match=r"there is no all_test\.csv\.gz"):
        datasets.hepmass(download=False, n_rows=6)
    place(folder / "all_test.csv", header + "".join(parts[1][0]))
    frame = datasets.hepmass()
    assert frame.attrs["source"] == "HEPMASS (original, all_train.csv.gz, all_test.csv)"
    assert list(frame["label"]) == [*parts[0][1], *parts[1][1]]
    np.testing.assert_array_equal(frame.iloc[:, 1:].to_numpy(), np.vstack([parts[0][2], parts[1][2]]))
    assert len(datasets.hepmass(n_rows=7)) == 7
    assert len(datasets.hepmass(n_rows=70)) == 9


def test_blocks_make_no_difference(folder, monkeypatch):
    place(folder / "SUSY.csv", "".join(collisions(50, 19)[0]))
    whole = datasets.susy()
    monkeypatch.setattr(streams, "TEXT_BLOCK", 700)
    pd.testing.assert_frame_equal(datasets.susy(), whole)
    assert len(datasets.susy(n_rows=33)) == 33


def damaged(kind):
    lines = collisions(300, 19)[0]
    text = "".join(lines)
    if kind == "cut":
        return "SUSY.csv.gz", gzip.compress(text.encode())[:-4000], "end-of-stream|ended before"
    if kind == "flipped":
        data = bytearray(gzip.compress(text.encode()))
        data[len(data) // 2] ^= 0xFF
        return "SUSY.csv.gz", bytes(data), "SUSY"
    if kind == "not packed":
        return "SUSY.csv.gz", text.encode(), "[Nn]ot a gzip"
    content = {
        "columns": text.replace(lines[9], "1,2,3\n"),
        "many": text.replace(lines[9], lines[9].strip() + ",1\n"),
        "words": text.replace(lines[9], lines[9].replace(lines[9].split(",")[3], "oops")),
        "nan": text.replace(lines[9], lines[9].replace(lines[9].split(",")[3], "nan")),
        "gap": text.replace(lines[9], lines[9].replace(lines[9].split(",")[3], "")),
        "class": text.replace(lines[9], "7" + lines[9][1:]),
        "empty": "",
    }[kind]
    match = {
        "columns": "Expected 19 columns, got 3", "many": "Expected 19 columns, got 20", "words": "oops",
        "nan": "no finite numbers", "gap": "SUSY", "class": "has the class 7.0, not 0 or 1", "empty": "has no rows",
    }[kind]  # fmt: skip
    return "SUSY.csv", content.encode(), match


@pytest.mark.parametrize(
    "kind", ["cut", "flipped", "not packed", "columns", "many", "words", "nan", "gap", "class", "empty"]
)
def test_damaged_files(folder, kind):
    name, data, match = damaged(kind)
    (folder / name).write_bytes(data)
    with pytest.raises(bnjit.DataError, match=match) as caught:
        datasets.susy()
    assert str(folder / name) in str(caught.value)
    assert "get it again" in str(caught.value)


def gas_lines(n, seed):
    values = np.random.RandomState(seed).uniform(0, 5000, (n, 19)).round(2)
    return "".join("   ".join(f"{v:.2f}" for v in row) + " \r\n" for row in values), values


HEADERS = [f"Time (seconds), {g} conc (ppm), Ethylene conc (ppm), sensor readings (16 channels)\r\n" for g in "CM"]


@pytest.mark.parametrize("packed", [False, True])
def test_gas_is_two_files_side_by_side(folder, packed):
    (co, left), (methane, right) = gas_lines(9, 1), gas_lines(6, 2)
    texts = {"ethylene_CO.txt": HEADERS[0] + co, "ethylene_methane.txt": HEADERS[1] + methane}
    if packed:
        with zipfile.ZipFile(folder / "data.zip", "w") as archive:
            for name, text in texts.items():
                archive.writestr(f"data/{name}", text)
    else:
        for name, text in texts.items():
            place(folder / name, text)
    frame = datasets.gas(download=False)
    assert frame.shape == (6, 37)
    assert list(frame) == list(sensors.COLUMNS)
    assert len(set(frame)) == 37
    np.testing.assert_array_equal(frame.to_numpy(), np.hstack([left[:6], right[:, 1:]]))
    files = "data.zip" if packed else "ethylene_CO.txt, ethylene_methane.txt"
    assert frame.attrs["source"] == f"GAS (original, {files}, side by side)"
    pd.testing.assert_frame_equal(datasets.gas(n_rows=4), frame.iloc[:4])


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (gas_lines(3, 1)[0], "its first line is .* and not a header that begins with 'Time'"),
        (HEADERS[0] + gas_lines(3, 1)[0] + "1 2 3\n", "Expected 19 columns, got 3"),
    ],
)
def test_damaged_gas(folder, text, match):
    place(folder / "ethylene_CO.txt", text)
    place(folder / "ethylene_methane.txt", HEADERS[1] + gas_lines(3, 1)[0])
    with pytest.raises(bnjit.DataError, match=match) as caught:
        datasets.gas()
    assert "ethylene_CO.txt" in str(caught.value)


def flight(year, **other):
    """A line of a file of flights."""
    values = dict.fromkeys(flights.HEADER.split(","), "1") | {
        "Year": str(year), "Month": "1", "DayofMonth": "3", "DayOfWeek": "4", "DepTime": "2003", "UniqueCarrier": "WN",
        "FlightNum": "335", "TailNum": "N712SW", "ArrDelay": "-14", "Origin": "IAD", "Dest": "TPA", "Cancelled": "0",
        "CancellationCode": "", "Diverted": "0", "CarrierDelay": "NA", "WeatherDelay": "NA", "NASDelay": "NA",
        "SecurityDelay": "NA", "LateAircraftDelay": "NA",
    }  # fmt: skip
    return (",".join((values | other).values()) + "\n").encode("latin-1")


CANCELLED = dict.fromkeys(["DepTime", "ArrTime", "ActualElapsedTime", "AirTime", "ArrDelay", "DepDelay"], "NA")
FLIGHTS = {
    2007: [
        flight(2007, Month="10", Origin="ABE", CarrierDelay="2", LateAircraftDelay="32"),
        flight(2007, Cancelled="1", CancellationCode="A", **CANCELLED),
        flight(2007, Month="2", TailNum="N\xe4"),  # some tail numbers are in no known encoding
    ],
    2008: [flight(2008, UniqueCarrier="9E"), flight(2008, Diverted="1", ArrTime="NA", AirTime="NA")],
}


@pytest.fixture
def flown(folder):
    for year, lines in FLIGHTS.items():
        place(folder / f"{year}.csv.bz2", flights.HEADER.encode() + b"\n" + b"".join(lines))
    return folder


def test_airline_without_incomplete_flights(flown):
    frame = datasets.airline([2007, 2008], download=False)
    assert frame.shape == (3, 25)
    assert list(frame.select_dtypes("category")) == list(flights.DISCRETE.values()) == list(frame)[:6]
    assert frame["month"].tolist() == ["10", "2", "1"]
    assert frame["month"].cat.categories.tolist() == ["1", "2", "10"]
    assert frame["origin"].tolist() == ["ABE", "IAD", "IAD"]
    assert frame["uniqueCarrier"].tolist() == ["WN", "WN", "9E"]
    assert frame["carrierDelay"].tolist() == [2.0, 0.0, 0.0]
    assert frame["lateAircraftDelay"].tolist() == [32.0, 0.0, 0.0]
    assert frame["arrDelay"].tolist() == [-14.0] * 3
    assert frame["year"].tolist() == [2007.0, 2007.0, 2008.0]
    assert frame.attrs["source"] == "AIRLINE (original, 2007.csv.bz2, 2008.csv.bz2)"
    one = datasets.airline(2007)
    assert one.shape == (2, 24)
    assert "year" not in one
    assert len(datasets.airline([2007, 2008], n_rows=2)) == 2


def test_airline_with_all_flights_is_the_papers(flown):
    frame = datasets.airline([2007, 2008], incomplete="keep")
    assert len(frame) == 5
    assert len(frame.select_dtypes("category").columns) == 9
    assert len(frame.select_dtypes("float64").columns) == 19
    assert frame["cancelled"].tolist() == ["0", "1", "0", "0", "0"]
    assert frame["cancellationCode"].tolist() == ["none", "A", "none", "none", "none"]
    assert frame["diverted"].tolist() == ["0", "0", "0", "0", "1"]
    assert frame["depTime"].tolist() == [2003.0, 0.0, 2003.0, 2003.0, 2003.0]


def test_a_plain_year_and_a_year_that_is_not_there(flown):
    (flown / "2008.csv.bz2").unlink()
    place(flown / "2008.csv", flights.HEADER + "\n" + FLIGHTS[2008][0].decode())
    assert len(datasets.airline(2008)) == 1
    with pytest.raises(bnjit.DataError, match=r"no 2006\.csv\.bz2 or 2006\.csv in .*https://doi\.org/10\.7910/DVN/HG7"):
        datasets.airline([2008, 2006], download=False)


def test_damaged_flights(flown):
    path = flown / "2008.csv.bz2"
    for text, match in (
        ("Year,Month\n1,2\n", "its first line is 'Year,Month', and not"),
        (flights.HEADER + "\n1,2\n", "Expected 29 columns, got 2"),
        (flights.HEADER + "\n" + flight(2008, ArrDelay="late").decode(), "late"),
    ):
        place(path, text)
        with pytest.raises(bnjit.DataError, match=match) as caught:
            datasets.airline(2008)
        assert "2008.csv.bz2" in str(caught.value)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(bnjit.DataError, match="end-of-stream"):
        datasets.airline(2008)
    place(path, flights.HEADER.encode() + b"\n" + flight(2008, AirTime="NA"))
    with pytest.raises(bnjit.DataError, match=r"no flight of .* is complete: airTime, taxiIn .* incomplete='keep'"):
        datasets.airline(2008)


@pytest.mark.parametrize("years", [1986, [], [2001, 2001], "2001", [2001.5], [None]])
def test_years_that_there_are_not(years):
    with pytest.raises(bnjit.ArgumentError, match=r"years=.* must be different years from 1987 to 2008"):
        datasets.airline(years)


def test_arguments(folder):
    with pytest.raises(bnjit.ArgumentError, match="incomplete='fill' is not known"):
        datasets.airline(incomplete="fill")
    for load in (datasets.airline, datasets.gas, datasets.higgs):
        with pytest.raises(bnjit.ArgumentError, match="n_rows=0 must be a whole number, 1 or more"):
            load(n_rows=0)


def test_prepared_tables(folder):
    table = pd.DataFrame({"x": [1, 2, 3], "label": [1.0, 0.0, 1.0], "kind": ["b", "a", "b"]})
    table.to_parquet(folder / "higgs-mine.parquet")
    frame = datasets.higgs(download=False)
    assert list(frame) == ["label", "kind", "x"]
    assert frame["label"].tolist() == ["1", "0", "1"]
    assert frame["x"].tolist() == [1.0, 2.0, 3.0]
    assert frame["x"].dtype == np.float64
    assert frame.attrs["source"] == "HIGGS prepared (higgs-mine.parquet)"
    assert len(datasets.higgs(n_rows=2)) == 2


def test_original_files_come_before_prepared_ones(folder):
    pd.DataFrame({"SUSY": [1]}).to_parquet(folder / "susy-sample.parquet")
    assert datasets.susy().attrs["source"] == "SUSY sample (susy-sample.parquet)"
    place(folder / "SUSY.csv.gz", "".join(collisions(2, 19)[0]))
    assert datasets.susy().attrs["source"] == "SUSY (original, SUSY.csv.gz)"


@pytest.mark.parametrize("column", [[1.0, None], [1.0, np.inf], [0.5, 1.0]])
def test_damaged_prepared_tables(folder, column):
    pd.DataFrame({"label": column}).to_parquet(folder / "higgs-sample.parquet")
    with pytest.raises(bnjit.DataError, match=r"cannot read .*higgs-sample\.parquet.*; repair or delete it"):
        datasets.higgs()
    (folder / "higgs-sample.parquet").write_text("PAR1")
    with pytest.raises(bnjit.DataError, match=r"cannot read .*higgs-sample\.parquet.*; repair or delete it"):
        datasets.higgs()


def test_a_prepared_table_stands_for_no_other(folder):
    pd.DataFrame({"month": ["1"], "depTime": [1.0]}).to_parquet(folder / "airline-sample.parquet")
    assert datasets.airline(download=False).attrs["source"] == "AIRLINE sample (airline-sample.parquet)"
    for arguments in ({"years": 1990}, {"incomplete": "keep"}):
        with pytest.raises(bnjit.DataError, match=r"there is no (1990|2001)\.csv\.bz2"):
            datasets.airline(**arguments, download=False)


def test_levels_in_natural_order(folder):
    levels = ["10", "9" * 5000, "²", "2"]
    pd.DataFrame({"label": levels}).to_parquet(folder / "higgs-mine.parquet")
    assert datasets.higgs()["label"].cat.categories.tolist() == ["2", "10", "9" * 5000, "²"]
