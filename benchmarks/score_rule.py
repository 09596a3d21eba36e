"""Which discrete score finds the network, over several draws; and a rule: of two networks the one with the higher qnml.

python benchmarks/score_rule.py [--draws 3] [--rows 50000] [--networks insurance,water] [--cache repository]
    [--out figures]

Order search without restarts by every discrete score on the same rows of networks of the bnlearn repository. Keeps SHD
to the true network and the qnml of every network found, as score_rule.csv, and mean SHD over the draws with that of the
rule beside it, as score_rule_mean.csv. Continues where it was interrupted.
"""

import argparse
import csv
from pathlib import Path

import pandas as pd
from repository import draw_rows, unpack

import bnjit

NETWORKS = "child,insurance,water,mildew,alarm,barley,hailfinder,win95pts"
SCORES = ("bic", "aic", "bde", "bds", "qnml", "fnml")
CHOSEN_FROM = ("bic", "bde")
RULE = "bic or bde by qnml"
HEADER = ["network", "rows", "draw", "score", "SHD", "qnml"]


def measure(network: bnjit.Network, frame: pd.DataFrame, score: str) -> tuple[int, float]:
    """SHD of the network that a score leads to, and its qnml."""
    found = bnjit.learn(frame, score, "boss", progress=False).dag
    return bnjit.shd(found, network.dag), bnjit.score(found, frame, "qnml")


def means(table: pd.DataFrame) -> pd.DataFrame:
    """Mean SHD by network and score, and of the rule."""
    chosen = table[table["score"].isin(CHOSEN_FROM)]
    chosen = chosen.loc[chosen.groupby(["network", "draw"])["qnml"].idxmax()].assign(score=RULE)
    both = pd.concat([table, chosen])
    wide = both.pivot_table(index=["network", "rows"], columns="score", values="SHD", sort=False)[[*SCORES, RULE]]
    wide["best score"] = wide[list(SCORES)].min(axis=1)
    return wide.reset_index()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--cache", type=Path, default=Path("repository"), help="folder for networks and rows")
    parser.add_argument("--out", type=Path, default=Path("figures"))
    given = parser.parse_args()
    files, path = unpack(given.cache), given.out / "score_rule.csv"
    given.out.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text(",".join(HEADER) + "\n", encoding="utf-8")
    before = pd.read_csv(path)
    done = set(zip(before["network"], before["rows"], before["draw"], before["score"], strict=True))
    for name in given.networks.split(","):
        network = bnjit.read_network(files[name])
        for draw in range(1, given.draws + 1):
            frame = pd.read_parquet(draw_rows(network, name, given.rows, draw, given.cache))
            for score in SCORES:
                if (name, given.rows, draw, score) in done:
                    continue
                shd, qnml = measure(network, frame, score)
                line = [name, given.rows, draw, score, shd, f"{qnml:.1f}"]
                print(*line, flush=True)
                with path.open("a", newline="", encoding="utf-8") as file:
                    csv.writer(file, lineterminator="\n").writerow(line)
    found = means(pd.read_csv(path))
    found.to_csv(given.out / "score_rule_mean.csv", index=False, float_format="%.1f")
    print(found.to_string(index=False, float_format="%.1f"))


if __name__ == "__main__":
    main()
