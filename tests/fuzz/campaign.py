"""Run many mutated files through the readers, in processes that may die.

python -m tests.fuzz.campaign [--cases 5400] [--out docs/campaign.csv]
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds without a sign of life


class Found(NamedTuple):
    """What a campaign found: files that were read, and refused; crashes and hangs; errors that are not bnjit's."""

    read: int
    refused: int
    crashes: list[str]
    leaks: list[str]


def run(good: str, name: str, first: int, last: int, folder: Path) -> Found:
    """Read files number first ... last - 1; a process that dies is replaced by one that goes on after its case."""
    crashes, leaks, at = [], [], first
    read = refused = 0
    while at < last:
        command = [sys.executable, "-m", "tests.fuzz.worker", good, name, str(at), str(last), str(folder)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=LIMIT + (last - at),
            )  # fmt: skip
            ended, output, errors = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            ended, errors = "hangs", ""
            output = late.stdout.decode() if isinstance(late.stdout, bytes) else (late.stdout or "")
        lines = output.splitlines()
        leaks += [line for line in lines if line.startswith("LEAK")]
        cases = [line.split()[1:] for line in lines if line.startswith("CASE")]
        if not cases:
            raise RuntimeError(f"{name}: the good file cannot be read: {errors[-3000:]}")
        number, more_read, more_refused = map(int, cases[-1])
        read, refused = read + more_read, refused + more_refused
        if ended != 0:
            crashes.append(f"case {number} ended with {ended}: {errors[-600:]}")
        at = number + 1
    return Found(read, refused, crashes, leaks)


def main() -> None:
    from tests.fuzz.readers import READERS, good_files

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=5400, help="mutated files for each reader")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--out", type=Path, help="a CSV file to keep the table in")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        good = good_files(Path(folder))
        for name in READERS:
            place = Path(folder) / f"{name} cases"
            place.mkdir()
            found = run(good[name], name, given.first, given.first + given.cases, place)
            for line in (*found.crashes, *found.leaks):
                sys.stdout.write(f"{name}: {line}\n")
            rows.append([name, given.cases, found.read, found.refused, len(found.leaks), len(found.crashes)])
            sys.stdout.write(f"{rows[-1]}\n")
            sys.stdout.flush()
    if given.out:
        with given.out.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["reader", "files", "read", "refused", "other errors", "crashes and hangs"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
