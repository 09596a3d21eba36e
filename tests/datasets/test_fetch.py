"""Finding published files in the data directory, and downloading them."""

import gzip
import hashlib
import json
import logging
import socket
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import bnjit
from bnjit import datasets
from bnjit.datasets import fetch
from bnjit.datasets.fetch import Remote

CONTENT = gzip.compress(b"1,2\n")
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def test_the_data_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("BNJIT_DATA", str(tmp_path))
    assert datasets.data_directory() == tmp_path
    monkeypatch.delenv("BNJIT_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert datasets.data_directory().name.lower() in ("bnjit", "cache")
    with pytest.raises(bnjit.DataError, match=r"no SUSY.csv.gz .*bnjit.*download it from https://"):
        datasets.susy(download=False)


def test_names_in_the_folder():
    remote = Remote("a.csv.gz", ("https://x/a.csv.gz", "https://x/all.zip"))
    assert remote.names() == ["a.csv.gz", "a.csv", "all.zip"]


def test_present_prefers_the_file_as_published(folder):
    remote = Remote("a.csv.gz", ("https://x/a.csv.gz", "https://x/all.zip"))
    assert fetch.find_original(remote) is None
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("other.csv", "1\n")
    assert fetch.find_original(remote) is None
    with zipfile.ZipFile(folder / "all.zip", "a") as archive:
        archive.writestr("within/a.csv.gz", CONTENT)
    assert fetch.find_original(remote) == folder / "all.zip"
    (folder / "a.csv").write_text("1,2\n")
    assert fetch.find_original(remote) == folder / "a.csv"
    (folder / "a.csv.gz").write_bytes(CONTENT)
    assert fetch.find_original(remote) == folder / "a.csv.gz"


def test_a_file_put_there_by_hand_is_checked(folder):
    remote = Remote("a.csv.gz", ("https://x/a.csv.gz",), SHA256)
    path = folder / "a.csv.gz"
    path.write_bytes(CONTENT)
    assert fetch.find_original(remote) == path
    path.write_bytes(CONTENT + b"x")
    with pytest.raises(bnjit.DataError, match=rf"a\.csv\.gz' has the sha256 checksum .*, not {SHA256}: it is damaged"):
        fetch.find_original(remote)


def test_downloads_are_checked_and_kept(folder, server):
    url, root = server
    (root / "a.csv.gz").write_bytes(CONTENT)
    remote = Remote("a.csv.gz", (f"{url}/a.csv.gz",), SHA256)
    assert fetch.fetch("A", remote, True) == folder / "a.csv.gz"
    assert (folder / "a.csv.gz").read_bytes() == CONTENT
    assert fetch.find_original(remote) == folder / "a.csv.gz"


def test_a_folder_that_is_not_there_is_made(folder, server, monkeypatch):
    url, root = server
    (root / "a.csv.gz").write_bytes(CONTENT)
    monkeypatch.setenv("BNJIT_DATA", str(folder / "new" / "one"))
    assert fetch.fetch("A", Remote("a.csv.gz", (f"{url}/a.csv.gz",)), True).is_file()


def test_a_download_with_another_checksum_is_not_kept(folder, server, capfd):
    url, root = server
    (root / "a.csv.gz").write_bytes(CONTENT + b"x")
    with pytest.raises(bnjit.DataError, match=r"A: there is no a\.csv\.gz .*the download failed: .* hash"):
        fetch.fetch("A", Remote("a.csv.gz", (f"{url}/a.csv.gz",), SHA256), True)
    assert not list(folder.iterdir())
    assert capfd.readouterr() == ("", "")


def test_an_error_page_is_not_kept(folder, server):
    url, root = server
    (root / "a.csv.gz").write_text("<html>Sorry</html>")
    with pytest.raises(bnjit.DataError, match=r"something that is no \.gz file with a\.csv\.gz"):
        fetch.fetch("A", Remote("a.csv.gz", (f"{url}/a.csv.gz",)), True)
    with zipfile.ZipFile(root / "all.zip", "w") as archive:
        archive.writestr("other.csv", "1\n")
    with pytest.raises(bnjit.DataError, match=r"something that is no \.zip file with a\.csv\.gz"):
        fetch.fetch("A", Remote("a.csv.gz", (f"{url}/all.zip",)), True)
    assert not list(folder.iterdir())


def test_the_second_address_is_tried(folder, server):
    url, root = server
    with zipfile.ZipFile(root / "all.zip", "w") as archive:
        archive.writestr("a.csv.gz", CONTENT)
    remote = Remote("a.csv.gz", (f"{url}/a.csv.gz", f"{url}/all.zip"), SHA256)
    assert fetch.fetch("A", remote, True) == folder / "all.zip"


def test_a_dead_server(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}/a.csv.gz"
    with pytest.raises(bnjit.DataError) as caught:
        fetch.fetch("A", Remote("a.csv.gz", (address,), SHA256), True)
    for part in ("the download failed", address, "a.csv.gz or a.csv", str(folder), "BNJIT_DATA"):
        assert part in str(caught.value)
    assert not list(folder.iterdir())


def test_without_pooch(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(bnjit.DataError, match=r"needs the package pooch: pip install 'bnjit\[data\]'\); download it"):
        datasets.susy()


def serve_repository(root: Path, md5: str) -> None:
    """What a Dataverse answers about a dataset with one file."""
    for part in ("api/datasets", "api/access/datafile"):
        (root / part).mkdir(parents=True)
    record = {"dataFile": {"filename": "a.csv.gz", "id": 7, "md5": md5}}
    (root / "api/datasets/_persistentId").write_text(json.dumps({"data": {"latestVersion": {"files": [record]}}}))
    (root / "api/access/datafile/7").write_bytes(CONTENT)


def test_files_of_a_repository_have_its_checksum(folder, server, monkeypatch):
    url, root = server
    monkeypatch.setattr("pooch.downloaders.doi_to_url", lambda doi, **_: f"{url}/dataset.xhtml?persistentId=doi:{doi}")
    serve_repository(root, hashlib.md5(CONTENT).hexdigest())
    remote = Remote("a.csv.gz", ("doi:10.1234/ABC/DEF/a.csv.gz",))
    assert fetch.fetch("A", remote, True).read_bytes() == CONTENT
    (folder / "a.csv.gz").unlink()
    (root / "api/access/datafile/7").write_bytes(CONTENT + b"x")
    with pytest.raises(bnjit.DataError, match=r"the download failed: https://doi\.org/10\.1234/ABC/DEF: .*hash"):
        fetch.fetch("A", remote, True)
    with pytest.raises(bnjit.DataError, match=r"download it from https://doi\.org/10\.1234/ABC/DEF and put"):
        fetch.fetch("B", Remote("b.csv.gz", ("doi:10.1234/ABC/DEF/b.csv.gz",)), True)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", ["airline", "gas", "hepmass", "higgs", "mehra", "susy"])
def test_nothing_there_and_no_download(name, folder):
    with pytest.raises(bnjit.DataError) as caught:
        getattr(datasets, name)(download=False)
    for part in (name.upper(), "https://", str(folder), "download=False", "BNJIT_DATA"):
        assert part in str(caught.value)


def test_prepared_tables_are_found_stand_ins_last(folder):
    assert datasets.find("gas") is None
    for name in ("gas-a-standin", "gas-sample", "gasoline"):
        (folder / f"{name}.parquet").touch()
    assert datasets.find("gas") == folder / "gas-sample.parquet"
    (folder / "gas.parquet").touch()
    assert datasets.find("gas") == folder / "gas.parquet"


def test_mehra(shared, monkeypatch):
    monkeypatch.setenv("BNJIT_DATA", str(shared / "data"))
    network = datasets.mehra(download=False)
    assert repr(network) == "bnjit.Network: 24 nodes (8 discrete, 16 continuous), 71 arcs"
    assert set(network.dag.edges) == set(datasets.mehra_like().dag.edges)


def test_mehra_must_have_its_checksum(folder):
    (folder / "mehra-complete.rda").write_bytes(b"RDX2")
    with pytest.raises(bnjit.DataError, match=r"not a494c0125221f03477"):
        datasets.mehra()


def test_a_stand_in_is_warned_of_once(folder, caplog):
    pd.DataFrame({"time": [1.0, 2.0], "CO": [0.5, 0.25]}).to_parquet(folder / "gas-standin.parquet")
    for n_rows in (1, 2, 2):
        assert len(datasets.gas(n_rows=n_rows)) == n_rows
    assert [record.message for record in caplog.records] == [
        "gas-standin.parquet is a stand-in, not the published data of GAS"
    ]


def test_samples_and_stand_ins_say_what_they_are(shared, monkeypatch, caplog):
    monkeypatch.setenv("BNJIT_DATA", str(shared / "data"))
    sources = {
        "airline": "AIRLINE sample (airline-sample.parquet)",
        "higgs": "HIGGS sample (higgs-sample.parquet)",
        "susy": "SUSY sample (susy-sample.parquet)",
    }
    for name, source in sources.items():
        assert getattr(datasets, name)(n_rows=100).attrs["source"] == source
    assert not caplog.records
    with caplog.at_level(logging.WARNING):
        assert datasets.gas(n_rows=5).attrs["source"] == "stand-in for GAS (gas-standin.parquet)"
        assert datasets.hepmass(n_rows=5).attrs["source"] == "stand-in for HEPMASS (hepmass-standin.parquet)"
    assert "is a stand-in" in caplog.text
