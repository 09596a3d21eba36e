"""Every writer leaves a file whole, or as it was: on a full disk, after an error, through links."""

import os
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pytest

import bnjit
from bnjit import datasets
from bnjit._files import write_whole
from bnjit.stats.files import UNPACKED_BYTES

FRAME = datasets.random_network("discrete", 4, seed=2).sample(500, seed=1)

WRITERS = {
    "network.json": "bnjit.write_network(network, path)",
    "network.bif": "bnjit.write_network(network, path)",
    "graph.graphml": "bnjit.write_dag(network.dag, path)",
    "graph.dot": "bnjit.write_dag(network.dag, path)",
    "graph.txt": "bnjit.write_dag(network.dag, path)",
    "rows.stats": "bnjit.Statistics.collect(frame).save(path)",
    "learned.result": "bnjit.learn(frame).save(path)",
    "scores.checkpoint": "bnjit.learn(frame, checkpoint=path, max_iter=0 if first else None)",
    "rows.parquet": "network.sample_to(path, 900, seed=1)",
    "graph.png": "save_dag(network.dag, path)",
    "graph.svg": "save_dag(network.dag, path)",
    "table.csv": "save_table(frame, pathlib.Path(path).parent, 'table')",
}

# The disk is full after some bytes of any file: the system says so as it does for a quota.
CODE = """
    import pathlib, resource, signal, sys
    import bnjit
    from bnjit import datasets
    from bnjit.paper.figure import save_table
    from bnjit.plots import save_dag
    network = datasets.random_network("discrete", 4, seed=2)
    frame = network.sample(500, seed=1)
    path = sys.argv[1]
    first = True
    try:
        {write}
    except bnjit.BnjitError as error:
        sys.exit(f"cannot be written at all: {{error}}")
    first = False
    before = pathlib.Path(path).read_bytes()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8))
    try:
        {write}
    except (OSError, bnjit.BnjitError):
        pass
    else:
        sys.exit("the disk was full, and nobody noticed")
    assert pathlib.Path(path).read_bytes() == before
    left = [other.name for other in pathlib.Path(path).parent.iterdir() if other != pathlib.Path(path)]
    assert not left, left
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of file sizes")
@pytest.mark.parametrize("name", list(WRITERS))
def test_full_disk(tmp_path, name):
    code = textwrap.dedent(CODE).format(write=WRITERS[name])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / name)], capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_error_while_writing(tmp_path):
    path = tmp_path / "file"
    path.write_text("before")

    def write_half():
        with write_whole(path) as part:
            part.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permissions of this kind")
def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)
    with write_whole(link) as part:
        part.write_text("after")
    assert link.is_symlink()
    assert path.read_text() == "after"
    assert path.stat().st_mode & 0o777 == 0o640
    fresh = tmp_path / "new"
    with write_whole(fresh) as part:
        part.write_text("")
    mask = os.umask(0)
    os.umask(mask)
    assert fresh.stat().st_mode & 0o777 == 0o666 & ~mask


def test_statistics_that_would_unpack_to_gigabytes(tmp_path):
    """A small file of zeros is refused by its directory, before any memory is taken."""
    bnjit.Statistics.collect(FRAME).save(tmp_path / "good.stats")
    bomb = tmp_path / "bomb.stats"
    with zipfile.ZipFile(tmp_path / "good.stats") as good, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        for member in good.namelist():
            file.writestr(member, good.read(member))
        with file.open("more.npy", "w") as out:
            out.write(good.read("version.npy"))
            for _ in range(2 * UNPACKED_BYTES // (1 << 20)):
                out.write(bytes(1 << 20))
    assert bomb.stat().st_size < 1 << 20
    with pytest.raises(bnjit.FileFormatError, match="damaged"):
        bnjit.Statistics.load(bomb)
    assert np.isfinite(bnjit.learn(bnjit.Statistics.load(tmp_path / "good.stats"), max_parents=1).score)


def test_statistics_that_shrink_a_lot_are_read_again(tmp_path):
    rng = np.random.default_rng(1)
    table = {f"x{j}": rng.integers(0, 3, 600).astype(float) for j in range(400)}
    table |= {name: rng.choice(list("ab"), 600).tolist() for name in "gh"}
    bnjit.Statistics.collect(table).save(tmp_path / "rows.stats")
    assert bnjit.Statistics.load(tmp_path / "rows.stats").n == 600
