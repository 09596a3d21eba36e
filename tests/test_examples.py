"""Examples in pages that show no answers are run as well: on small rows, with a cluster of this process."""

import re
import shlex
import warnings
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.cli import main, make_parser

ROOT = Path(__file__).resolve().parents[1]
PAGES = {path.relative_to(ROOT).as_posix(): path for path in sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])}
PAGES |= {name: ROOT / name for name in ("CONTRIBUTING.md", "benchmarks/README.md")}
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Shell commands that a test cannot run: they make an environment, or run what runs the tests.
SETS_UP = ("python3 -m venv", "pip install", "git clone", ".venv/bin/")
LISTS = ("getting-started", "guide", "how-it-is-built", "index")  # of pages
# What is made smaller, or put in the place of a machine that is not there.
SMALLER = {"50_000_000": "5_000", "tcp://scheduler:8786": "{scheduler}", "/shared/years/": "years/"}


def blocks(name):
    """Blocks of a page without prompts, by language."""
    found = BLOCK.findall(PAGES[name].read_text(encoding="utf-8"))
    return [(language, code) for language, code in found if not code.startswith((">>> ", *SETS_UP))]


RUN = [name for name in PAGES if blocks(name)]


def survey(n=300):
    """Rows of several kinds, with what the examples name."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"a": rng.choice(["x", "y"], n), "b": rng.normal(size=n), "month": np.arange(n) % 3})
    return table.assign(c=table["b"] + rng.normal(size=n), households=1.0 + np.arange(n) % 4)


def penguins(n=333):
    rng = np.random.default_rng(2)
    species, sex = rng.choice(["Adelie", "Gentoo"], n), rng.choice(["male", "female"], n)
    table = pd.DataFrame({"species": species, "sex": sex, "island": rng.choice(["Dream", "Biscoe"], n)})
    return table.assign(mass=3500.0 + 900 * (species == "Gentoo") + 500 * (sex == "male") + rng.normal(0, 200, n))


@pytest.fixture
def names(tmp_path, monkeypatch):
    """A folder with the files that the examples read, and the names that they use."""
    monkeypatch.chdir(tmp_path)
    table = survey()
    for name in ("flights.parquet", "monday.parquet", "survey.parquet"):
        table.to_parquet(name, index=False)
    (tmp_path / "years").mkdir()
    for k in range(3):
        table[100 * k : 100 * k + 100].to_parquet(f"years/{k}.parquet", index=False)
    rows = penguins()
    rows.mask(np.arange(len(rows))[:, None] % 20 == np.arange(4)).to_csv("penguins.csv", index=False)
    rows.drop(columns="species").to_csv("new.csv", index=False)
    penguins(500).to_csv("other.csv", index=False)
    network = bnjit.datasets.small_mixed()
    january, february = network.sample(300, seed=1), network.sample(200, seed=2)
    return {
        "bnjit": bnjit, "table": table, "counts": np.ones(len(table)), "network": network, "dag": network.dag,
        "january": january, "february": february,
    }  # fmt: skip


@pytest.fixture
def scheduler():
    distributed = pytest.importorskip("distributed")
    with (
        warnings.catch_warnings(action="ignore"),
        dask.config.set({"distributed.worker.daemon": False, "distributed.diagnostics.nvml": False}),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
    ):
        yield cluster.scheduler_address
        for client in list(distributed.client._global_clients.values()):  # which the examples leave open
            if client is not None:
                client.close()


@pytest.mark.filterwarnings("ignore")  # of rows that are few
@pytest.mark.parametrize("name", RUN)
def test_examples_run(name, names, scheduler, capsys):
    for language, code in blocks(name):
        for large, small in SMALLER.items():
            code = code.replace(large, small.format(scheduler=scheduler))  # noqa: PLW2901
        if language == "python":
            run = dict(names) if "import" in code else names
            exec(compile(code, name, "exec"), run)  # a page of this project
            continue
        for line in code.splitlines():
            program, *words = shlex.split(line)
            assert program == "bnjit", line
            found = 1 if words[0] in ("check", "markov") else 0  # that something is in the way, or contradicts
            assert main(words) in (0, found), line
    capsys.readouterr()


def test_there_are_no_other_blocks():
    """What is in no block of Python or of the shell is no example: a list of pages, and a file of Benchpress."""
    others = {"docs/benchpress.md": {"json"}} | {f"docs/{name}.md": {"{toctree}"} for name in LISTS}
    for name, path in PAGES.items():
        fences = re.findall(r"^[ \t>]*(?:```+|~~~+)(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) % 2 == 0, name
        assert set(fences[1::2]) <= {""}, name
        assert set(fences[::2]) <= {"python", "sh"} | others.get(name, set()), name
        assert sum(word in ("python", "sh") for word in fences) == len(BLOCK.findall(path.read_text(encoding="utf-8")))


def commands():
    """Commands in running text, and examples that --help shows."""
    for name, path in PAGES.items():
        for text in re.findall(r"`(bnjit [a-z][^`]*)`", path.read_text(encoding="utf-8")):
            yield name, text
    for module in sorted((ROOT / "bnjit" / "cli").glob("*.py")):
        for text in re.findall(r"^  (?:[A-Z_]+=\S+ )?(bnjit .*)$", module.read_text(encoding="utf-8"), re.MULTILINE):
            yield module.name, text


def test_commands_in_text_have_options_that_are_there(capsys):
    seen = 0
    for name, text in commands():
        for one in text.split(" && "):
            words = shlex.split(one, comments=True)[1:]
            if "--help" in words or "COMMAND" in words or len(words) == 1:
                continue
            try:
                make_parser().parse_args(words)
            except SystemExit:
                pytest.fail(f"{name}: {one}: {capsys.readouterr().err}")
            seen += 1
    assert seen > 30


def test_all_pages_with_examples_are_there():
    assert {"docs/index.md", "docs/options.md", "docs/scale.md", "docs/clusters.md", "docs/weights.md"} <= set(RUN)
    assert "docs/asking.md" in RUN


def test_what_is_not_run_sets_up():
    """Every other block of Python has prompts, so that doctest runs it."""
    for name, path in PAGES.items():
        for language, code in BLOCK.findall(path.read_text(encoding="utf-8")):
            if language == "python" and (language, code) not in blocks(name):
                assert code.startswith(">>> "), name
            if language == "sh" and code.startswith(SETS_UP):
                assert not re.search(r"^bnjit ", code, re.MULTILINE), name
