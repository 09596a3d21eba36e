"""What `pip install bnjit` brings: megabytes on disk, in a fresh environment for each Python.

python benchmarks/install.py python3.11 python3.12 python3.13 --out figures/install.csv

The wheel is built from this checkout. Megabytes are of 10^6 bytes of files, compiled Python included, pip not.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from bnjit import __version__

PROJECT = Path(__file__).resolve().parents[1]
SHOWN = 3  # of the largest packages


def size(folder: Path) -> float:
    """Megabytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def installed(python: str, wheel: Path, folder: Path) -> tuple[str, int, float, float, str]:
    """Version of Python, packages, megabytes of all and of bnjit alone, and the largest of them."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    (bin_folder,) = (folder / name for name in ("bin", "Scripts") if (folder / name).is_dir())
    before = size(folder)
    run = [bin_folder / "python", "-m", "pip"]
    subprocess.run([*run, "install", "--quiet", "--disable-pip-version-check", wheel], check=True)
    listed = subprocess.run([*run, "list", "--format=freeze"], check=True, capture_output=True, text=True).stdout
    version = subprocess.run([bin_folder / "python", "--version"], check=True, capture_output=True, text=True).stdout
    (packages,) = folder.glob("[lL]ib/**/site-packages")
    sizes = {path.name.removesuffix(".libs"): 0.0 for path in packages.iterdir() if path.is_dir()}
    for path in packages.iterdir():
        if path.is_dir():
            sizes[path.name.removesuffix(".libs")] += size(path)
    largest = sorted(sizes, key=lambda name: -sizes[name])[:SHOWN]
    others = [line for line in listed.splitlines() if not line.startswith(("pip==", "setuptools=="))]
    shares = ", ".join(f"{name} {sizes[name]:.0f}" for name in largest)
    return version.split()[1], len(others), size(folder) - before, sizes["bnjit"], shares


def main() -> None:
    """Measure, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", scratch, PROJECT]
        subprocess.run(build, check=True)
        (wheel,) = Path(scratch).glob("*.whl")
        for i, python in enumerate(given.pythons):
            rows.append((*installed(python, wheel, Path(scratch) / f"environment{i}"), __version__))
            print(*rows[-1], sep="  ")
    if given.out is not None:
        with given.out.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["python", "packages", "MB", "MB of bnjit", "largest, MB", "code"])
            writer.writerows((*row[:2], round(row[2]), round(row[3], 1), *row[4:]) for row in rows)


if __name__ == "__main__":
    main()
