"""Tables in Markdown come from CSV files: those that say so agree with their file, number by number."""

import re
from pathlib import Path

import pytest

from benchmarks.write_tables import PROJECT, TABLE, Marker, documents, render, rewritten

DOCUMENTS = {str(path.relative_to(PROJECT)): path for path in documents()}
CSV = """data,rows,estimator,ratio,seconds
gas,1000,QR,1.0,12.345
gas,1000,2P,0.755,9.32
air,1000,QR,1.0,1234.5
air,1000,2P,,
air,50,QR,1.0,0.25
"""


def test_documents_are_found():
    assert {"README.md", "benchmarks/README.md", "docs/paper.md"} <= set(DOCUMENTS)
    marked = [name for name, path in DOCUMENTS.items() if TABLE.search(path.read_text(encoding="utf-8"))]
    assert "README.md" in marked
    for name, path in DOCUMENTS.items():  # every marker is one that is read
        text = path.read_text(encoding="utf-8")
        assert text.count("<!-- table:") == len(TABLE.findall(text)), name


@pytest.mark.parametrize("name", DOCUMENTS)
def test_tables_agree_with_their_files(name):
    text = DOCUMENTS[name].read_text(encoding="utf-8")
    for found in TABLE.finditer(text):
        marker = Marker.read(found["marker"])
        assert found["table"] == render(marker), f"{name}: run python benchmarks/write_tables.py ({marker.path})"


def of_numbers(table: str) -> bool:
    """Whether more than half of the cells beside the first column begin with a number."""
    cells = [cell.strip(" *") for line in table.splitlines()[2:] for cell in line.strip("|").split("|")[1:]]
    return sum(bool(re.match(r"-?\d", cell)) for cell in cells) > len(cells) / 2


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if "decisions" not in name])  # of the time of a decision
def test_new_tables_of_numbers_come_from_files(name):
    text = TABLE.sub("", DOCUMENTS[name].read_text(encoding="utf-8"))
    for table in re.findall(r"(?:^\|[^\n]*\n)+", text, re.MULTILINE):
        assert not of_numbers(table), f"{name}: a table without a file, {table.splitlines()[0]}"


def test_tables_of_numbers_are_told_from_others():
    assert of_numbers("| a | b |\n| --- | --- |\n| x | 1.5 |\n| y | **-2 %** |\n")
    assert not of_numbers("| a | b |\n| --- | --- |\n| 1 | one |\n| 2 | 2 |\n")


def table_of(tmp_path: Path, *options: str) -> list[str]:
    (tmp_path / "x.csv").write_text(CSV)
    marker = "\n".join(["<!-- table: x.csv", *options, "-->"])
    old = "| anything |\n| --- |\n| 1 |\n"
    text = rewritten(f"before\n\n{marker}\n{old}\nafter\n", tmp_path)
    assert text.startswith(f"before\n\n{marker}\n|")
    assert text.endswith("|\n\nafter\n")
    assert rewritten(text, tmp_path) == text
    assert "anything" not in text
    return text.removeprefix(f"before\n\n{marker}\n").removesuffix("\nafter\n").splitlines()


def test_a_table_as_the_file_has_it(tmp_path):
    lines = table_of(tmp_path)
    assert lines[:3] == [
        "| data | rows | estimator | ratio | seconds |",
        "| --- | --- | --- | --- | --- |",
        "| gas | 1000 | QR | 1.0 | 12.345 |",
    ]
    assert lines[5] == "| air | 1000 | 2P |  |  |"
    assert len(lines) == 7


def test_columns_formats_rows_and_labels(tmp_path):
    options = [
        "columns: data; estimator as how; seconds:,.2g; ratio:.1% as of QR",
        "where: rows = 1000; data = gas, air",
    ]
    assert table_of(tmp_path, *options, "labels: gas = GAS; QR = by QR", "merge: data") == [
        "| data | how | seconds | of QR |",
        "| --- | --- | --- | --- |",
        "| GAS | by QR | 12 | 100.0% |",
        "|  | 2P | 9.3 | 75.5% |",
        "| air | by QR | 1.2e+03 | 100.0% |",
        "|  | 2P |  |  |",
    ]


def test_pivot(tmp_path):
    assert table_of(tmp_path, "columns: data; rows:,.0f", "pivot: estimator of ratio:.2f", "labels: QR = QR, rows") == [
        "| data | rows | QR, rows | 2P |",
        "| --- | --- | --- | --- |",
        "| gas | 1,000 | 1.00 | 0.76 |",
        "| air | 1,000 | 1.00 |  |",
        "| air | 50 | 1.00 |  |",
    ]


def test_mistakes_are_errors(tmp_path):
    with pytest.raises(ValueError, match=r"x\.csv has no column 'second'; it has data, rows"):
        table_of(tmp_path, "columns: second:.1f")
    with pytest.raises(ValueError, match="no column 'size'"):
        table_of(tmp_path, "where: size = 3")
    with pytest.raises(ValueError, match="options of a table are columns, where"):
        table_of(tmp_path, "column: data")
    with pytest.raises(FileNotFoundError):
        rewritten("<!-- table: y.csv -->\n", tmp_path)


def test_a_changed_number_is_found(tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    text = rewritten("<!-- table: x.csv -->\n", tmp_path)
    (tmp_path / "x.csv").write_text(CSV.replace("12.345", "12.346"))
    assert rewritten(text, tmp_path) == text.replace("12.345", "12.346") != text
