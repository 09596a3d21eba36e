"""What missing values cost, for missing.py: seconds and memory of each rule on MEHRA with gaps by region and year.

Rows are drawn from mehra_like(gaps=True), those of "complete" from the same network with the same seed and no gaps. It
is known that no arc goes into place and time. Each rule runs in a process of its own, once on a few rows and then once
on all, with all threads. Peaks are of resident memory: in memory, of what learning takes beside the table, in units of
the table and with the table as 1; out of core, in GB, with the libraries' 0.3 GB.
"""

import gc
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import bnjit
from bnjit import datasets
from bnjit.paper.timing import arcs_into_place_and_time

RULES = {"complete": "error", "drop": "drop", "available": "available", "em": "em"}
BLOCK = 1_000_000  # rows that are written at a time
MAX_MEMORY = "2GB"


def write_rows(path: Path, rows: int, gaps: bool) -> None:
    """Sample into a Parquet file, block by block."""
    network = datasets.mehra_like(gaps=gaps)
    writer = None
    for block in range(-(-rows // BLOCK)):
        frame = network.sample(min(BLOCK, rows - block * BLOCK), seed=block + 1)
        table = pa.Table.from_pandas(frame, preserve_index=False)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def peak_bytes() -> int:
    """Return the most memory that this process held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def worker(rule: str, path: str, chunked: bool) -> None:
    """Learn in this process; print one line of JSON."""
    known: dict[str, Any] = {"missing": RULES[rule], "progress": False}
    small = datasets.mehra_like(gaps=rule != "complete").sample(3000, seed=1)  # not of the file, which Arrow would keep
    known["blacklist"] = arcs_into_place_and_time(list(small))
    bnjit.learn(small, **known)
    gc.collect()
    if chunked:
        began = time.perf_counter()
        result = bnjit.learn(path, max_memory=MAX_MEMORY, out_of_core=True, **known)
        found: dict[str, Any] = {"passes": result.passes, "peak": peak_bytes() / 1e9}
    else:
        frame = pd.read_parquet(path)
        size = float(frame.memory_usage(index=False).sum())
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak of reading
        before = _now("VmRSS")
        began = time.perf_counter()
        result = bnjit.learn(frame, **known)
        found = {"passes": result.passes, "peak": 1.0 + (_now("VmHWM") - before) / size}
    found["seconds"] = time.perf_counter() - began
    found["SHD"] = bnjit.shd(result.dag, datasets.mehra_like().dag)
    print(json.dumps(found))


def _now(what: str) -> int:
    """VmRSS, the memory that this process holds, or VmHWM, the most that it held."""
    return int(Path("/proc/self/status").read_text().split(f"{what}:")[1].split()[0]) * 1024


def measure_speed(rows: int, rows_out_of_core: int, rules: list[str], out: Path) -> None:
    """Measure some rules, and keep the table; lines of it that are not measured again stay."""
    path = out / "missing_speed.csv"
    key = ["where", "rows", "rule"]
    with tempfile.TemporaryDirectory(dir=out) as folder:
        for where, n in (("in memory", rows), ("out of core", rows_out_of_core)):
            files: dict[bool, Path] = {}
            whole = float("nan")
            for rule in rules if n else ():
                gaps = rule != "complete"
                if gaps not in files:
                    files[gaps] = Path(folder) / f"{where.replace(' ', '_')}_{gaps}.parquet"
                    write_rows(files[gaps], n, gaps)
                command = [sys.executable, "-W", "ignore", __file__, rule, str(files[gaps]), where]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found = json.loads(done.stdout.strip().splitlines()[-1])
                whole = found["seconds"] if rule == "complete" else whole
                line = {"where": where, "rows": n, "rule": rule, "times complete": found["seconds"] / whole, **found}
                print(line, flush=True)
                before = pd.read_csv(path) if path.exists() else pd.DataFrame()
                table = pd.concat([before, pd.DataFrame([line])]).drop_duplicates(key, keep="last")
                order = table["rule"].map(list(RULES).index)
                table = table.assign(order=order).sort_values(["where", "rows", "order"], kind="stable")
                table.drop(columns="order").to_csv(path, index=False, float_format="%.4g")
            for made in files.values():
                made.unlink()


if __name__ == "__main__":
    worker(sys.argv[1], sys.argv[2], sys.argv[3] == "out of core")
