"""A Parquet path is read by the workers of a cluster."""

import pytest

from bnjit.cli import main
from bnjit.data.dask.cluster import read_on_cluster
from bnjit.errors import ArgumentError, DataError
from tests.data.dask.frames import every_kind


def test_command_line(cluster, tmp_path, capsys):
    frame = every_kind()
    (tmp_path / "rows").mkdir()
    for number, part in enumerate([frame.iloc[:100], frame.iloc[100:]]):
        part.to_parquet(tmp_path / "rows" / f"{number}.parquet")
    rows, address = str(tmp_path / "rows"), cluster.scheduler.address
    assert main(["learn", rows, "--discrete", "dose", "--out", str(tmp_path / "here.txt"), "--quiet"]) == 0
    options = ["--dask", address, "--discrete", "dose", "--out", str(tmp_path / "there.txt")]
    assert main(["learn", rows, *options]) == 0
    shown = capsys.readouterr().out
    assert f"{rows}: 300 rows, 6 columns in 2 partitions, 2 workers with 2 threads: about 60 passes" in shown
    assert "out of core" in shown
    assert (tmp_path / "there.txt").read_text() == (tmp_path / "here.txt").read_text()
    assert main(["learn", str(tmp_path / "none"), "--dask", address]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_no_scheduler_there(tmp_path, capsys):
    """One that does not answer in time, and an address that is none."""
    every_kind().to_parquet(tmp_path / "rows.parquet")
    path = str(tmp_path / "rows.parquet")
    with (
        pytest.raises(ArgumentError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        read_on_cluster(path, "tcp://127.0.0.1:9", seconds=0.5),
    ):
        pass
    assert main(["learn", path, "--dask", "tcp://127.0.0.1:port"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("bnjit: no Dask scheduler answers at 'tcp://127.0.0.1:port'")
    assert err.count("\n") == 1


def test_a_path_without_rows(cluster, tmp_path):
    (tmp_path / "rows").mkdir()
    with (
        pytest.raises(DataError, match=r"cannot read .*rows' as Parquet"),
        read_on_cluster(str(tmp_path / "rows"), cluster.scheduler.address),
    ):
        pass
