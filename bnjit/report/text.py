"""A report as text and as HTML."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from bnjit.report.findings import ERROR, HINT, WARNING, percent
from bnjit.report.tuning import SHOWN_COLUMNS, SHOWN_PROBLEMS

if TYPE_CHECKING:
    from bnjit.report.report import Report

WIDTH = 116
MOST_ROWS = 500  # of a table in HTML
CELL = "text-align:left;vertical-align:top;padding-right:1em"
LONG, WRAPPED = ("what was seen", "remedy", "levels or range"), ";overflow-wrap:anywhere;min-width:12em"
COLOURS = {ERROR: "#b3261e", WARNING: "#8a5a00", HINT: "#3f5f8a"}


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def headline(report: "Report") -> list[str]:
    """Size of the table, complete rows, and how much was found."""
    found = Counter(one.severity for one in report.findings)
    lines = [f"{_counted(report.n_rows, 'row')}, {_counted(report.n_columns, 'column')}"]
    if report.complete_rows < report.n_rows:
        lines[0] += f"; {report.complete_in_words}"
    if not found[ERROR] and not found[WARNING]:
        lines.append("nothing stands in the way of learning")
    else:
        lines.append(
            f"{_counted(found[ERROR], 'problem')} that stop{'s' if found[ERROR] == 1 else ''} learning, "
            f"{found[WARNING]} that mislead{'s' if found[WARNING] == 1 else ''} it"
        )
    if found[HINT]:
        lines[-1] += f"; {_counted(found[HINT], 'hint')}"
    return lines


def as_text(
    report: "Report", say: Callable[[str], str] = str, problems: int = SHOWN_PROBLEMS, lines_each: int = 2
) -> str:
    """What was found, and the columns; `say` puts what a user types in place of what one writes in Python.

    At most `problems` are listed, of some lines each, so that a Report is no longer than a screen by default.
    """
    lines = [
        f"Report: {report_line}" if i == 0 else f"  {report_line}" for i, report_line in enumerate(headline(report))
    ]
    shown = report.findings[:problems]
    if shown:
        lines.append("")
        word = max(len(one.severity) for one in shown)
        for one in shown:
            lines += _wrapped(f"  {one.severity:<{word}}  ", say(f"{one.detail}: {one.remedy}"), lines_each)
    left = len(report.findings) - len(shown)
    if left:
        lines.append(say(f"  ... and {left:,} more; see report.problems"))
    columns = report.columns.head(SHOWN_COLUMNS)
    if len(columns):
        lines.append("")
        missing = [_percent(share) for share in columns["missing"]]
        fields: list[Iterable[Any]] = [
            columns["column"], columns["kind"], columns["values"], missing, columns["problem"],
        ]  # fmt: skip
        lines += _aligned(("column", "kind", "values", "missing", "problem"), fields, (24, 12, 44, 8, 24))
    if report.n_columns > len(columns):
        left = report.n_columns - len(columns)
        lines.append(say(f"  ... and {_counted(left, 'more column')}; see report.columns"))
    if report.remedies:
        changes = _counted(len(report.remedies), "change")
        lines += ["", say(f"  report.prepared() is the table with {changes} of report.remedies")]
    return "\n".join(lines)


def _aligned(heads: Sequence[str], fields: Sequence[Iterable[Any]], widths: Sequence[int]) -> list[str]:
    columns = [[head, *(_cut(_line(value), width) for value in field)]
               for head, field, width in zip(heads, fields, widths, strict=True)]  # fmt: skip
    padded = [[text.ljust(max(map(len, column))) for text in column] for column in columns]
    return [f"  {'  '.join(row).rstrip()}" for row in zip(*padded, strict=True)]


def _wrapped(head: str, text: str, most: int) -> list[str]:
    return wrap(
        _line(text), WIDTH, initial_indent=head, subsequent_indent=" " * len(head), max_lines=most, placeholder=" ...",
        break_on_hyphens=False,
    )  # fmt: skip


def _line(value: Any) -> str:
    return " ".join(str(value).split())


def _cut(text: str, width: int = WIDTH) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _percent(part: float) -> str:
    return percent(part) if part else ""


def as_html(report: "Report", say: Callable[[str], str] = str) -> str:
    """What was found first, then all columns; both scroll where they are long. `say` is as in `as_text`."""
    parts = ["<div style='max-width:100%'>"]
    head, *rest = headline(report)
    parts.append(f"<p><b>{escape(head)}</b><br>{'<br>'.join(map(escape, rest))}</p>")
    if report.findings:
        rows: list[tuple[str, ...]] = [
            (
                f"<span style='color:{COLOURS[one.severity]};font-weight:600'>{one.severity}</span>",
                escape("table" if one.column is None and one.position is None else str(one.column)),
                escape(one.problem), escape(say(one.detail)), escape(say(one.remedy)),
            )
            for one in report.findings[:MOST_ROWS]
        ]  # fmt: skip
        parts.append(_html_table(("", "column", "problem", "what was seen", "remedy"), rows))
        parts.append(_left_out(len(report.findings) - MOST_ROWS, "report.problems"))
    columns = report.columns
    if len(columns):
        rows = [
            tuple(escape(_line(value)) for value in (name, kind, values, _percent(share), problem))
            for name, kind, values, share, problem in columns[["column", "kind", "values", "missing", "problem"]]
            .head(MOST_ROWS)
            .itertuples(index=False)
        ]
        parts.append(_html_table(("column", "kind", "levels or range", "missing", "in the way"), rows))
        parts.append(_left_out(len(columns) - MOST_ROWS, "report.columns"))
    if report.remedies:
        items = "".join(f"<li>{escape(text)}</li>" for text in report.remedies[:MOST_ROWS])
        what = escape(
            say(f"report.prepared() is the table with {_counted(len(report.remedies), 'change')} of report.remedies")
        )
        parts.append(f"<details><summary>{what}</summary><ul>{items}</ul></details>")
    return "".join([*parts, "</div>"])


def _left_out(number: int, where: str) -> str:
    return f"<p>... and {number:,} more; see <code>{where}</code></p>" if number > 0 else ""


def _html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in which only long texts are broken anywhere, without columns that are empty in every row."""
    shown = [k for k in range(len(heads)) if any(row[k] for row in rows)]
    heads, rows = [heads[k] for k in shown], [[row[k] for k in shown] for row in rows]
    styles = [f"{CELL}{WRAPPED if head in LONG else ''}" for head in heads]
    head = "".join(f"<th style='{style}'>{text}</th>" for text, style in zip(heads, styles, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td style={style!r}>{cell}</td>' for cell, style in zip(row, styles, strict=True))}</tr>"
        for row in rows
    )
    return (
        "<div tabindex='0' role='region' aria-label='Table' style='max-height:24em;overflow:auto;margin-bottom:0.8em'>"
        "<table style='width:100%'>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
