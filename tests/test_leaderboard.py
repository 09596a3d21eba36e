"""The file of the networks of the bnlearn repository: each case once and in order, and what is measured again."""

import argparse
import csv
from pathlib import Path

import networkx as nx

from benchmarks import repository
from benchmarks.repository import ALGORITHMS, HEADER, ORDER, Case, in_order

FILE = Path(repository.__file__).parents[1] / "figures" / "repository.csv"


def lines_of(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_the_file_has_each_case_once_and_in_order():
    header, *lines = lines_of(FILE)
    assert header == HEADER
    cases = [tuple(line[: len(Case._fields)]) for line in lines]
    assert len(set(cases)) == len(cases) > 100
    assert in_order(lines) == lines


def test_thorough_search_is_beaten_nowhere():
    """Its BIC is at least that of every other search by BIC on the same rows, unless the limit ended it."""
    _, *lines = lines_of(FILE)
    best, thorough = {}, {}
    for network, rows, _, score, algorithm, *_, bic, _, seconds, _ in lines:
        if score == "bic" and bic:
            if algorithm == "thorough" and not seconds.startswith(">"):
                thorough[network, rows] = float(bic)
            best[network, rows] = max(best.get((network, rows), float(bic)), float(bic))
    assert len(thorough) > 15
    assert set(ALGORITHMS) <= set(ORDER)
    assert {case: best[case] - bic for case, bic in thorough.items() if bic < best[case] - 0.2} == {}


def test_a_case_that_is_measured_again_takes_the_place_of_the_old_one(tmp_path, monkeypatch):
    """A file that was made by two runs, of which the second measured some cases again."""
    asked = []
    monkeypatch.setattr(repository, "unpack", lambda cache: {"asia": None})
    monkeypatch.setattr(repository, "draw_rows", lambda *_: None)
    monkeypatch.setattr(repository.bnjit, "read_network", lambda path: argparse.Namespace(dag=nx.DiGraph([("a", "b")])))
    monkeypatch.setattr(
        repository, "measure", lambda case, *_: asked.append(case.algorithm) or [8, 0, "0.0", "0.0", str(len(asked))]
    )
    out = tmp_path / "made.csv"
    options = ["repository.py", "--cache", str(tmp_path), "--out", str(out), "--algorithms"]
    for more in (["thorough,hc"], ["hc,ges"], ["hc", "--again"]):
        monkeypatch.setattr("sys.argv", [*options, *more])
        repository.main()
    assert asked == ["thorough", "hc", "ges", "hc"]
    assert [(line[4], line[11]) for line in lines_of(out)[1:]] == [("hc", "4"), ("ges", "3"), ("thorough", "1")]
