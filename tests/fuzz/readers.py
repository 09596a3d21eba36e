"""Every reader of files: a good file for it, and what it does with one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import bnjit
from bnjit import datasets


class Reader(NamedTuple):
    """A good file of some name, how it is made, and how any file of that name is read."""

    name: str
    write: Callable[[Path], object]
    read: Callable[[Path], object]


def frame() -> pd.DataFrame:
    """Few rows of all kinds of columns."""
    rng = np.random.default_rng(5)
    n = 60
    x = rng.normal(size=n)
    return pd.DataFrame({
        "x": x, "y": (2 * x + rng.normal(size=n)).astype(np.float32), "count": rng.integers(0, 50, n),
        "flag": rng.random(n) < 0.5, "group": pd.Categorical(rng.choice(["a", "b", "c"], n)),
        "text": rng.choice(["red", "gr\u00fcn", "blue"], n),
    })  # fmt: skip


def discrete() -> bnjit.Network:
    return datasets.random_network("discrete", 4, seed=2)


def mixed() -> bnjit.Network:
    return datasets.random_network("cgaussian", 5, seed=2)


def learn(path: Path, **options: object) -> object:
    return bnjit.learn(path, max_iter=2, max_parents=2, progress=False, **options)


def in_chunks(path: Path) -> object:
    return learn(path, out_of_core=True)


def resume(path: Path) -> object:
    return bnjit.learn(frame(), checkpoint=path, max_iter=1, progress=False)


def write_feather(path: Path, compression: str) -> None:
    frame().to_feather(path, compression=compression)


def write_r_object(path: Path) -> None:
    """Two Gaussian nodes as bnlearn's bn.fit has them, not compressed: a mutation would not pass gzip's checksum."""
    import rdata

    none = np.array([], str)
    nodes = {
        "a": {"node": "a", "parents": none, "coefficients": np.array([1.5]), "sd": np.array([0.5])},
        "b": {"node": "b", "parents": np.array(["a"]), "coefficients": np.array([1.5, 2.0]), "sd": np.array([0.7])},
    }
    rdata.write_rds(path, nodes, compression=None)


READERS = {
    "csv": Reader("rows.csv", lambda path: frame().to_csv(path, index=False), learn),
    "tsv": Reader("rows.tsv", lambda path: frame().to_csv(path, index=False, sep="\t"), learn),
    "csv, semicolons": Reader(
        "rows.csv", lambda path: frame().to_csv(path, index=False, sep=";", decimal=","), learn
    ),
    "csv, checked and prepared": Reader(
        "rows.csv", lambda path: frame().to_csv(path, index=False), lambda path: bnjit.check(path).prepared()
    ),
    "csv.gz": Reader("rows.csv.gz", lambda path: frame().to_csv(path, index=False), learn),
    "parquet": Reader("rows.parquet", lambda path: frame().to_parquet(path), learn),
    "parquet in chunks": Reader("rows.parquet", lambda path: frame().to_parquet(path, row_group_size=20), in_chunks),
    "parquet, plain": Reader(
        "rows.parquet", lambda path: frame().to_parquet(path, compression=None, use_dictionary=False), learn
    ),
    "parquet, checked and prepared": Reader(
        "rows.parquet", lambda path: frame().to_parquet(path), lambda path: bnjit.check(path).prepared()
    ),
    "arrow": Reader("rows.arrow", lambda path: write_feather(path, "uncompressed"), learn),
    "arrow in chunks": Reader("rows.arrow", lambda path: write_feather(path, "uncompressed"), in_chunks),
    "arrow, compressed": Reader("rows.feather", lambda path: write_feather(path, "lz4"), learn),
    "statistics": Reader(
        "rows.stats", lambda path: bnjit.Statistics.collect(frame()).save(path),
        lambda path: bnjit.learn(bnjit.Statistics.load(path), max_parents=1, progress=False),
    ),
    "result": Reader(
        "learned.result", lambda path: bnjit.learn(frame(), progress=False).save(path),
        lambda path: bnjit.load_result(path).fit(),
    ),
    "checkpoint": Reader("scores", resume, resume),
    "network json": Reader(
        "mixed.json", lambda path: bnjit.write_network(mixed(), path), lambda path: bnjit.read_network(path).sample(5)
    ),
    "network bif": Reader(
        "discrete.bif", lambda path: bnjit.write_network(discrete(), path),
        lambda path: bnjit.read_network(path).sample(5),
    ),
    "network bif.gz": Reader(
        "discrete.bif.gz", lambda path: bnjit.write_network(discrete(), path),
        lambda path: bnjit.read_network(path).sample(5),
    ),
    "network net": Reader(
        "discrete.net", lambda path: bnjit.write_network(discrete(), path),
        lambda path: bnjit.read_network(path).sample(5),
    ),
    "network net, mixed": Reader(
        "mixed.net", lambda path: bnjit.write_network(mixed(), path), lambda path: bnjit.read_network(path).sample(5)
    ),
    "network rds": Reader("network.rds", write_r_object, lambda path: bnjit.read_network(path).sample(5)),
    "graph graphml": Reader("graph.graphml", lambda path: bnjit.write_dag(mixed().dag, path), bnjit.read_dag),
    "graph dot": Reader("graph.dot", lambda path: bnjit.write_dag(mixed().dag, path), bnjit.read_dag),
    "graph json": Reader("graph.json", lambda path: bnjit.write_dag(mixed().dag, path), bnjit.read_dag),
    "graph txt": Reader("graph.txt", lambda path: bnjit.write_dag(mixed().dag, path), bnjit.read_dag),
}  # fmt: skip


def good_files(folder: Path) -> dict[str, str]:
    """Write a good file for every reader; return their paths as JSON can keep them."""
    made = {}
    for number, (name, reader) in enumerate(READERS.items()):
        place = folder / str(number)
        place.mkdir()
        reader.write(place / reader.name)
        made[name] = str(place / reader.name)
    (folder / "files.json").write_text(json.dumps(made))
    return made
