"""Machine code on disk: damaged files, folders that cannot be written, and changed sources."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bnjit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="folders are Linux'")

CODE = """
import numpy as np, warnings
from bnjit.kernels.splitmix import mix
print(int(mix(np.uint64(7))))
"""


def run(folder=None, code=CODE, expected=0, **environment):
    settings = {name: value for name, value in os.environ.items() if name not in ("BNJIT_CACHE", "NUMBA_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False, cwd=folder,
        env={**settings, **environment},
    )  # fmt: skip
    assert done.returncode == expected, done.stderr
    return done


@pytest.fixture(scope="module")
def answer():
    return run().stdout


def test_code_is_kept_in_a_given_folder(tmp_path, answer):
    assert run(BNJIT_CACHE=str(tmp_path / "new" / "folder")).stdout == answer
    (kept,) = (tmp_path / "new" / "folder").glob("*.kernel")
    before = kept.stat().st_mtime_ns
    assert run(BNJIT_CACHE=str(tmp_path / "new" / "folder")).stdout == answer
    assert kept.stat().st_mtime_ns == before


def test_code_that_nobody_reads_is_removed(tmp_path, answer):
    """Where new code is written, old code goes; what is read stays, however long ago it was made."""
    run(BNJIT_CACHE=str(tmp_path))
    (kept,) = tmp_path.glob("*.kernel")
    old = tmp_path / "cells.add.0123.kernel"
    old.write_bytes(b"of another release")
    long_ago = time.time() - 100 * 86_400
    for path in (kept, old):
        os.utime(path, (long_ago, long_ago))
    run(BNJIT_CACHE=str(tmp_path))
    assert old.exists()
    assert kept.stat().st_mtime > long_ago + 86_400
    run(BNJIT_CACHE=str(tmp_path), code=CODE.replace("mix(np.uint64(7))", "mix(np.int64(7))"))
    assert not old.exists()
    assert kept.exists()


def test_no_cache(tmp_path, answer):
    assert run(BNJIT_CACHE="0", NUMBA_CACHE_DIR=str(tmp_path)).stdout == answer
    assert not list(tmp_path.rglob("*.kernel"))


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "text", "another pickle"])
def test_damaged_code_is_compiled_again(tmp_path, answer, damage):
    import hashlib
    import pickle

    run(BNJIT_CACHE=str(tmp_path))
    (kept,) = tmp_path.glob("*.kernel")
    whole = kept.read_bytes()
    other = pickle.dumps({"not": "code"})
    kept.write_bytes({
        "empty": b"", "cut": whole[: len(whole) // 2], "text": b"machine code" * 50,
        "flipped": whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:],
        "another pickle": hashlib.sha256(other).digest() + other,
    }[damage])  # fmt: skip
    assert run(BNJIT_CACHE=str(tmp_path)).stdout == answer
    assert kept.read_bytes() != b""
    assert len(kept.read_bytes()) == pytest.approx(len(whole), rel=0.01)


def installed(tmp_path):
    """Copy the package to a folder where its kernels' code cannot be written: a file stands in the way."""
    source = Path(bnjit.__file__).parent
    target = tmp_path / "site" / "bnjit"
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    (target / "kernels" / "__pycache__").write_text("")
    return tmp_path / "site"


def test_installation_that_cannot_be_written(tmp_path, answer):
    site = installed(tmp_path)
    user = {"XDG_CACHE_HOME": str(tmp_path / "user"), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(site)}
    done = run(tmp_path, **user)
    assert (done.stdout, done.stderr) == (answer, "")
    assert list((tmp_path / "user").rglob("*.kernel"))


def test_neither_installation_nor_home_can_be_written(tmp_path, answer):
    site = installed(tmp_path)
    (tmp_path / "temporary").mkdir()
    nowhere = {"XDG_CACHE_HOME": "/dev/null", "HOME": "/dev/null", "PYTHONDONTWRITEBYTECODE": "1"}
    done = run(tmp_path, PYTHONPATH=str(site), TMPDIR=str(tmp_path / "temporary"), **nowhere)
    assert done.stdout == answer
    assert done.stderr.count("BnjitWarning") == 1
    assert "BNJIT_CACHE" in done.stderr
    assert list((tmp_path / "temporary").rglob("*.kernel"))
    quiet = run(tmp_path, PYTHONPATH=str(site), TMPDIR=str(tmp_path / "temporary"), **nowhere)
    assert (quiet.stdout, quiet.stderr) == (answer, "")  # there is nothing to write


def test_folder_of_others_is_not_trusted(tmp_path, answer):
    site = installed(tmp_path)
    temporary = tmp_path / "temporary"
    (temporary / f"bnjit-kernels-{os.getuid()}").mkdir(parents=True)
    (temporary / f"bnjit-kernels-{os.getuid()}").chmod(0o777)
    nowhere = {"XDG_CACHE_HOME": "/dev/null", "HOME": "/dev/null", "PYTHONDONTWRITEBYTECODE": "1"}
    done = run(tmp_path, PYTHONPATH=str(site), TMPDIR=str(temporary), **nowhere)
    assert done.stdout == answer
    assert "every process takes long to start" in done.stderr
    assert not list(temporary.rglob("*.kernel"))


def test_given_folder_cannot_be_made(answer):
    done = run(BNJIT_CACHE="/dev/null/kernels")
    assert done.stdout == answer
    assert done.stderr.count("BnjitWarning") == 1


def test_changed_sources_are_compiled_again(tmp_path, answer):
    """Also if the change is in another module, and even if it comes between the import and the first call."""
    site = installed(tmp_path)
    settings = {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", "BNJIT_CACHE": str(tmp_path / "kernels")}
    source = site / "bnjit" / "kernels" / "splitmix.py"
    late = CODE.replace("print", f"open({str(source)!r}, 'a').write('#');print")
    assert run(tmp_path, late, **settings).stdout == answer
    before = {path.name for path in (tmp_path / "kernels").iterdir()}
    assert run(tmp_path, **settings).stdout == answer
    between = {path.name for path in (tmp_path / "kernels").iterdir()}
    assert before < between
    tuning = site / "bnjit" / "kernels" / "tuning.py"
    tuning.write_text(tuning.read_text() + "# changed")
    assert run(tmp_path, **settings).stdout == answer
    assert between < {path.name for path in (tmp_path / "kernels").iterdir()}


def test_user_without_a_home(monkeypatch):
    from bnjit import _kernel_cache

    def nobody(*_, **__):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("platformdirs.user_cache_path", nobody)
    assert _kernel_cache._of_user.__wrapped__() is None
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("~/.cache/bnjit"))
    assert _kernel_cache._of_user.__wrapped__() is None
