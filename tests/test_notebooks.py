"""Notebooks run, and lie there as they came out: with outputs, without errors, warnings and paths of a machine.

To make their outputs again, with the extra `notebooks`: TQDM_DISABLE=1 jupyter execute --inplace notebooks/*.ipynb
"""

import re
from itertools import groupby
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# Absolute paths, also those of Windows, and addresses in memory, which differ in every run.
MACHINE = re.compile(r"(?<![\w.:/])/(?:tmp|root|home|Users|usr|opt|var|private|mnt|work)\b|\b[A-Z]:\\|\b0x[0-9a-f]{6,}")
MOST_BYTES = 400_000

by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(output):
    """What an output is made of: its forms, or the stream that it went to."""
    return sorted(output.get("data", [output.get("name", output.output_type)]))


def texts(notebook):
    """All that a reader sees, but for pictures."""
    for cell in notebook.cells:
        yield cell.source
        for output in cell.get("outputs", ()):
            yield output.get("text", "")
            yield from (str(data) for form, data in output.get("data", {}).items() if form != "image/png")


def check_outputs(notebook):
    for cell in code_cells(notebook):
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", output.text


@pytest.fixture
def execute(tmp_path, monkeypatch):
    """Run a notebook on few rows in an empty folder, with this code and no data but its own."""
    monkeypatch.setenv("BNJIT_NOTEBOOK_ROWS", "2000")
    monkeypatch.setenv("BNJIT_NOTEBOOK_SAMPLES", "1")
    monkeypatch.setenv("BNJIT_DATA", str(tmp_path / "nodata"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("TQDM_DISABLE", "1")

    def run(notebook):
        NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
        ).execute()
        return notebook

    return run


def shown(notebook):
    """Kinds of output of every cell; a kernel may send what is printed in one piece or in several."""
    return [[kind for kind, _ in groupby(map(kinds, cell.outputs))] for cell in code_cells(notebook)]


def check_run(execute, notebook):
    expected = shown(notebook)
    done = execute(notebook)
    check_outputs(done)
    assert shown(done) == expected


def test_all_are_there():
    assert [path.stem for path in NOTEBOOKS] == [
        "ask_the_network", "missing_data", "quickstart", "reproduce_the_paper", "your_own_data",
    ]  # fmt: skip


@by_name
def test_committed_outputs(path):
    notebook = read(path)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1)), "run all cells in order"
    assert sum(bool(cell.outputs) for cell in cells) > len(cells) / 2
    assert any("image/png" in kinds(output) for cell in cells for output in cell.outputs)
    check_outputs(notebook)
    assert [found for text in texts(notebook) for found in MACHINE.findall(text)] == []
    assert path.stat().st_size < MOST_BYTES


@by_name
def test_runs(path, execute):
    """All but the cells with the tag "slow"."""
    notebook = read(path)
    notebook.cells = [cell for cell in notebook.cells if "slow" not in cell.metadata.get("tags", ())]
    check_run(execute, notebook)


@pytest.mark.slow
def test_runs_whole(execute):
    check_run(execute, read(ROOT / "notebooks" / "reproduce_the_paper.ipynb"))


@pytest.mark.parametrize("text", ["in /tmp/x", "'/home/me/a.csv'", r"C:\data", "<Styler at 0x7fbc6d7fec10>"])
def test_machine_is_found(text):
    assert MACHINE.search(text)


@pytest.mark.parametrize("text", ["output/tmp/x", "https://example.org/home", "and/or", "1/2"])
def test_other_text_is_not(text):
    assert not MACHINE.search(text)
