"""Order search and equivalence classes on large discrete networks, and exact search: seconds, scores, distances.

python benchmarks/searches.py [--models FOLDER] [--cases pigs:20000:ges,andes:20000:boss] [--out FILE]

FOLDER has the networks as name.bif.gz; by default it is the one of pgmpy 1.0.0, if that is installed; "gaussian" is a
random network of 25 columns. Each case runs in a process of its own, with 2 threads, after a small search that loads
the kernels. A line of FILE (CSV) is written when its case ends, in place of an older one of the same case. Scores are
BIC, compared with that of the true network; SHD is that of the equivalence classes.
"""

import argparse
import gzip
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import pandas as pd

ASKED = {  # seconds on two idle cores
    "win95pts:100000:boss": 2, "andes:20000:boss": 6, "pigs:20000:boss": 30, "andes:20000:ges": 4, "pigs:20000:ges": 15,
    "diabetes:20000:ges": 25, "link:20000:ges": 60, "munin:20000:ges": 240, "child:100000:exact": 60,
    "gaussian:100000:exact": 180,
}  # fmt: skip


def models_of_pgmpy() -> Path:
    found = importlib.util.find_spec("pgmpy")
    if found is None or not found.origin:
        raise SystemExit("the networks come with pgmpy: pip install pgmpy==1.0.0, or give --models")
    return Path(found.origin).parent / "utils" / "example_models"


def measure(models: Path, name: str, rows: int, algorithm: str) -> dict[str, object]:
    """Learn from rows of one network, drawn anew."""
    import bnjit

    warnings.simplefilter("ignore")
    frame, network = sample(models, name, rows)
    bnjit.learn(frame.iloc[:2000, :12], algorithm=algorithm, progress=False)
    began = time.perf_counter()
    result = bnjit.learn(frame, algorithm=algorithm, progress=False)
    seconds = time.perf_counter() - began
    return {
        "network": name, "columns": frame.shape[1], "rows": rows, "algorithm": algorithm, "seconds": seconds,
        "score": result.score, "above the truth": result.score - bnjit.score(network.dag, frame),
        "SHD": bnjit.shd(result.dag, network.dag), "local scores": result.n_local_scores,
        "peak, GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }  # fmt: skip


def sample(models: Path, name: str, rows: int) -> tuple[pd.DataFrame, Any]:
    """Rows of a network, drawn anew, and the network."""
    import bnjit

    if name == "gaussian":
        network = bnjit.datasets.random_network("gaussian", 25, parents=2.0, rows=1e4, seed=1)
        return network.sample(rows, seed=1), network
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / f"{name}.bif"
        plain.write_bytes(gzip.decompress((models / f"{name}.bif.gz").read_bytes()))
        network = bnjit.read_network(plain)
    return network.sample(rows, seed=1), network


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--cases", default=",".join(ASKED), help="network:rows:algorithm, with commas")
    parser.add_argument("--out", type=Path, default=Path("figures/searches.csv"))
    parser.add_argument("--one", default=None, help="run this case here, and print what it found as JSON")
    given = parser.parse_args()
    models = given.models or models_of_pgmpy()
    if given.one:
        name, rows, algorithm = given.one.split(":")
        print(json.dumps(measure(models, name, int(rows), algorithm)))
        return
    cases = list(ASKED)
    for case in given.cases.split(","):
        command = [sys.executable, __file__, "--models", str(models), "--one", case]
        done = subprocess.run(command, env=os.environ | {"NUMBA_NUM_THREADS": "2"}, stdout=subprocess.PIPE, check=True)
        line = json.loads(done.stdout.splitlines()[-1]) | {"asked": ASKED.get(case)}
        print(line, flush=True)
        before = pd.read_csv(given.out) if given.out.exists() else pd.DataFrame()
        table = pd.concat([before, pd.DataFrame([line])])
        case_of = table["network"] + ":" + table["rows"].astype(str) + ":" + table["algorithm"]
        table = table.assign(case=case_of).drop_duplicates("case", keep="last")
        place = table["case"].map(lambda one: cases.index(one) if one in cases else len(cases))
        table = table.assign(place=place).sort_values("place", kind="stable")
        table.drop(columns=["case", "place"]).to_csv(given.out, index=False)


if __name__ == "__main__":
    main()
