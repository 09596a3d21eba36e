"""Write the tables and numbers of README.md, benchmarks/README.md and docs from the CSV files that they come from.

python benchmarks/write_tables.py [--check]

A table is made from a CSV file if a comment stands right before it:

    <!-- table: figures/peers.csv
    columns: data; system; seconds:.2g; times bnjit's:.3g as times; BIC:,.0f
    where: rows = 100000; system = bnjit, bnlearn
    labels: gaussian = Gaussian, 37 nodes; alarm = ALARM
    merge: data
    -->

The path is relative to the project. All lines but the first are optional; items are separated by semicolons.

columns   columns to show, all by default, each with a Python format for its numbers (":.2g", ":,.0f", ":.1%") and the
          text to stand above it ("as ..."). Without a format a cell is shown as it is in the file.
where     rows to show: those with one of these values, as the file has them, separated by commas.
pivot     "estimator of ratio:.2f": one more column for every value of the column "estimator", which shows "ratio";
          the other columns then say which rows belong together.
labels    texts to show for values and, with a pivot, above its columns.
merge     columns of which a value is shown only once where it is repeated from row to row.

An empty cell of the file is an empty cell of the table.

A number in running text is one cell of a file, which stands between two comments:

    <!-- number: figures/peers.csv | seconds:.2g | data = alarm; rows = 100000; system = bnjit -->0.05<!-- /number -->

File, column with its format, and the one row that is meant, as under `where`. The first comment may not begin a line,
where Markdown would take it for a paragraph of its own.

With --check nothing is written, and files that differ are named; tests/test_tables.py and tests/test_numbers.py run the
same check.
"""

import argparse
import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"^(?P<marker><!-- table: (?:(?!-->)[\s\S])*-->)\n(?P<table>(?:\|[^\n]*(?:\n|\Z))*)", re.MULTILINE)
NUMBER = re.compile(r"(?P<marker><!-- number: (?P<what>(?:(?!-->)[\s\S])*)-->)(?P<number>[^<]*)<!-- /number -->")
OPTIONS = ("columns", "where", "pivot", "labels", "merge")
Row = dict[str, str]


class Column(NamedTuple):
    """A column of the file, the format of its numbers, and what stands above it."""

    name: str
    format: str
    header: str

    @classmethod
    def read(cls, text: str) -> "Column":
        """Column of "name", "name:format", "name as header" or "name:format as header"."""
        left, _, header = text.partition(" as ")
        name, _, style = left.partition(":")
        return cls(name.strip(), style.strip(), header.strip() or name.strip())

    def show(self, value: str) -> str:
        """Cell of the table for a cell of the file."""
        return format(float(value), self.format) if self.format and value else value


class Marker(NamedTuple):
    """What a comment says: the file, and an option by name with its items."""

    path: str
    options: dict[str, list[str]]

    @classmethod
    def read(cls, text: str) -> "Marker":
        """Marker of a comment; an option that is not known is an error."""
        first, *rest = text.removeprefix("<!--").removesuffix("-->").strip().splitlines()
        options = {}
        for line in rest:
            name, _, items = line.partition(":")
            if name.strip() not in OPTIONS:
                raise ValueError(f"{line.strip()!r}: options of a table are {', '.join(OPTIONS)}")
            options[name.strip()] = [item.strip() for item in items.split(";") if item.strip()]
        return cls(first.removeprefix("table:").strip(), options)

    def pairs(self, option: str) -> dict[str, str]:
        """Items of the form "left = right"."""
        parts = (item.partition("=") for item in self.options.get(option, []))
        return {left.strip(): right.strip() for left, _, right in parts}


def render(marker: Marker, project: Path = PROJECT) -> str:
    """Markdown table of a file, as a marker says."""
    rows, names = _read(project / marker.path)
    for name, values in marker.pairs("where").items():
        wanted = [value.strip() for value in values.split(",")]
        rows = [row for row in rows if _cell(row, name, marker.path) in wanted]
    columns = [Column.read(item) for item in marker.options.get("columns", names)]
    if "pivot" in marker.options:
        columns, rows = _pivot(marker, columns, rows)
    labels, merged = marker.pairs("labels"), set(marker.options.get("merge", []))
    lines = [[labels.get(column.header, column.header) for column in columns], ["---"] * len(columns)]
    before: Row = {}
    for row in rows:
        cells = []
        for column in columns:
            value = _cell(row, column.name, marker.path)
            again = column.name in merged and before.get(column.name) == value
            cells.append("" if again else labels.get(value, column.show(value)))
        lines.append(cells)
        before = row
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def render_number(what: str, project: Path = PROJECT) -> str:
    """Return the cell of a file that a comment in running text names."""
    parts = [" ".join(part.split()) for part in what.split("|")]
    if len(parts) != 3:
        raise ValueError(f"{what.strip()!r}: a number is 'file | column | which row'")
    path, (rows, _), column = parts[0], _read(project / parts[0]), Column.read(parts[1])
    for item in parts[2].split(";"):
        name, _, value = (part.strip() for part in item.partition(" = "))
        rows = [row for row in rows if _cell(row, name, path) == value]
    if len(rows) != 1:
        raise ValueError(f"{path} has {len(rows)} rows with {parts[2]}; a number is of one")
    return column.show(_cell(rows[0], column.name, path))


def _read(path: Path) -> tuple[list[Row], list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        return list(reader), list(reader.fieldnames or [])


def _cell(row: Row, name: str, path: str) -> str:
    if name not in row:
        raise ValueError(f"{path} has no column {name!r}; it has {', '.join(row)}")
    return row[name]


def _pivot(marker: Marker, columns: list[Column], rows: list[Row]) -> tuple[list[Column], list[Row]]:
    """One row for all that agree in `columns`, and a column for every value of another."""
    over, _, what = marker.options["pivot"][0].partition(" of ")
    shown = Column.read(what)
    found: dict[tuple[str, ...], Row] = {}
    values = dict.fromkeys(_cell(row, over.strip(), marker.path) for row in rows)
    for row in rows:
        key = tuple(_cell(row, column.name, marker.path) for column in columns)
        wide = found.setdefault(key, dict(zip((c.name for c in columns), key, strict=True)) | dict.fromkeys(values, ""))
        wide[row[over.strip()]] = _cell(row, shown.name, marker.path)
    return [*columns, *(Column(value, shown.format, value) for value in values)], list(found.values())


def documents(project: Path = PROJECT) -> Iterator[Path]:
    """Files that may have tables and numbers."""
    yield from sorted([*project.glob("*.md"), *project.glob("benchmarks/*.md"), *project.glob("docs/**/*.md")])


def rewritten(text: str, project: Path = PROJECT) -> str:
    """Text with all marked tables and numbers made anew."""
    text = TABLE.sub(lambda m: f"{m['marker']}\n{render(Marker.read(m['marker']), project)}", text)
    return NUMBER.sub(lambda m: f"{m['marker']}{render_number(m['what'], project)}<!-- /number -->", text)


def main() -> None:
    """Write tables and numbers, or say which files differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page differs from its CSV files")
    given = parser.parse_args()
    differing = []
    for path in documents():
        text = path.read_text(encoding="utf-8")
        new = rewritten(text)
        if new != text:
            differing.append(path)
            if not given.check:
                path.write_text(new, encoding="utf-8")
    for path in differing:
        print(f"{path.relative_to(PROJECT)}: {'differs from' if given.check else 'written from'} its CSV files")
    sys.exit(bool(differing) and given.check)


if __name__ == "__main__":
    main()
