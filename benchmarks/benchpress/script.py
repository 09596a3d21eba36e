"""One run of bnjit in Benchpress, which is to say in Snakemake: a table in, an adjacency matrix and the time out."""

import sys
import time

sys.path.append("workflow/scripts/utils")

import pandas as pd
from add_timeout import timeoutf  # of Benchpress

import bnjit

job = globals()["snakemake"]  # Snakemake puts it here
given, paths = job.wildcards, job.output


def run() -> None:
    """Learn, and write what Benchpress reads."""
    table = pd.read_csv(job.input["data"])
    discrete = list(table) if given["datatype"] == "discrete" else []
    if discrete:
        table = table.iloc[1:]  # the first row has numbers of levels
    limit = None if given["max_parents"] == "None" else int(given["max_parents"])
    result = bnjit.learn(
        table, given["score"], given["algorithm"], discrete=discrete, max_parents=limit, n_threads=1, progress=False
    )
    seconds = time.perf_counter() - start
    names = list(table)
    rows = [[int(result.dag.has_edge(a, b)) for b in names] for a in names]
    pd.DataFrame(rows, columns=names).to_csv(paths["adjmat"], index=False)
    for name, text in (("time", str(seconds)), ("ntests", str(result.n_local_scores))):
        with open(paths[name], "w", encoding="utf-8") as file:
            file.write(text)


bnjit.compile(everything=True)  # before the clock starts
start = time.perf_counter()
if given["timeout"] == "None":
    run()
else:
    with timeoutf(int(given["timeout"]), paths["adjmat"], paths["time"], paths["ntests"], start):
        run()
