"""What a user writes on the command line about arcs and columns, as `bnjit.learn` takes it; and messages back."""

import re
import shlex
from ast import literal_eval
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnjit.errors import ArgumentError, FileFormatError

if TYPE_CHECKING:
    from bnjit.network import Network

IN_PYTHON: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (  # and what to type in its place
    (
        r"bnjit\.check\(data\) shows every column, and its prepared\(\) the table with remedies",
        "`bnjit check TABLE` shows every column, and with --out FILE writes the table with remedies",
    ),
    (r"bnjit\.check\(data\)\.prepared\(\)", "`bnjit check TABLE --out FILE`"),
    (r"bnjit\.check\(data\)", "`bnjit check TABLE`"),
    (r"report\.prepared\(\) is the table with (.*) of report\.remedies", r"--out FILE writes the table with \1"),
    (r"see report\.(problems|columns)", "--html FILE has them all"),
    (r"see report\.violations", "--out FILE has all tests"),
    (r"algorithm=bnjit\.Boss\(restarts=(\d+)\)", r"--algorithm boss --restarts \1"),
    (
        r"strength = bnjit\.arc_strength\(data\) (.*), and result\.report\(.*\) shows it",
        r"--replicates 100 \1, and shows it",
    ),
    (r"score=bnjit\.BIC\(penalty=\"local\"\)", "--penalty local"),
    (r"bnjit\.averaged_network\(strength\)", "in Python, bnjit.averaged_network(strength)"),
    (r"max_parents, or result\.fit\(prior_rows=1\)", "--max-parents, or `bnjit fit --prior-rows 1`"),
    (r"blacklist= or tiers=", "--blacklist or --tiers"),
    (r"pandas\.read_csv\(path", "in Python pandas.read_csv(path"),
    (r"missing=\"(\w+)\"", r"--missing \1"),
    (r"(--missing .*)", lambda found: re.sub(r" \"(drop|available|em)\"", r" \1", found[1])),
    (r"discrete=(\[['\"].*?['\"]\])", lambda found: _discrete_option(found[0], found[1])),
)


def _discrete_option(argument: str, names: str) -> str:
    """The option for an argument `discrete=[...]`, which stays as it is where names have quotes of both kinds."""
    try:
        return f"--discrete {shlex.quote(','.join(literal_eval(names)))}"
    except SyntaxError:
        return argument


def for_the_command_line(message: str) -> str:
    """Put what to type on the command line in place of what to write in Python.

    Examples
    --------
    >>> for_the_command_line('missing="drop" leaves out rows with gaps, "em" fills them')
    '--missing drop leaves out rows with gaps, em fills them'
    >>> for_the_command_line("give discrete=['class', 'working day']")
    "give --discrete 'class,working day'"
    """
    for python, typed in IN_PYTHON:
        message = re.sub(python, typed, message)
    return message


def names_of(texts: list[str]) -> list[str]:
    """Columns that an option names, separated by commas.

    Examples
    --------
    >>> names_of(["a, b", "c"])
    ['a', 'b', 'c']
    """
    return [name.strip() for text in texts for name in text.split(",")]


def arcs_of(texts: list[str], option: str) -> list[tuple[str, str]] | None:
    """Arcs of an option: A->B,C->D, or a CSV file with the columns from and to."""
    arcs: list[tuple[str, str]] = []
    for text in texts:
        if Path(text).suffix.lower() == ".csv":
            arcs += _arcs_of_file(Path(text), option)
            continue
        for part in text.split(","):
            source, arrow, target = part.partition("->")
            if not arrow:
                raise ArgumentError(f"{option} {text}: {part!r} is no arc; write 'A->B', or the name of a .csv file")
            arcs.append((source.strip(), target.strip()))
    return arcs or None


def _arcs_of_file(path: Path, option: str) -> list[tuple[str, str]]:
    import csv

    if not path.exists():
        raise ArgumentError(f"{option} {path}: there is no such file")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except UnicodeDecodeError:
        raise ArgumentError(f"{option} {path}: the file is not in UTF-8") from None
    for row in rows:
        if not row.get("from") or not row.get("to"):
            raise ArgumentError(f"{option} {path}: the file needs the columns from and to, filled in every row")
    return [(row["from"].strip(), row["to"].strip()) for row in rows]


def tiers_of(text: str | None) -> list[list[str]] | None:
    """Tiers of an option: A,B|C,D from the first to the last, or a .txt file with a line for each.

    Examples
    --------
    >>> tiers_of("a, b | c")
    [['a', 'b'], ['c']]
    """
    if text is None:
        return None
    parts = text.split("|")
    if Path(text).suffix.lower() == ".txt":
        if not Path(text).exists():
            raise ArgumentError(f"--tiers {text}: there is no such file")
        try:
            parts = Path(text).read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise ArgumentError(f"--tiers {text}: the file is not in UTF-8") from None
        parts = [line for line in parts if line.strip()]
    return [names_of([part]) for part in parts]


def graph_of(text: str | None, option: str) -> Any:
    """Graph of an option: a model string, arcs A->B,C->D, a CSV file of arcs, or a file that `bnjit.read_dag` reads."""
    if text is None or text.lstrip().startswith("["):
        return text
    if "->" in text or Path(text).suffix.lower() == ".csv":
        return arcs_of([text], option)
    if not Path(text).exists():
        raise ArgumentError(
            f"{option} {text}: there is no such file; write '[A][B|A]', 'A->B', or the name of a file with the graph"
        )
    from bnjit.graph import read_dag

    return read_dag(text)


def graph_or_network(text: str, option: str) -> Any:
    """Graph of an argument that may also be a file with a network."""
    suffix = Path(text).suffix.lower()
    if suffix in (".json", ".bif", ".rda", ".rds", ".rdata") and Path(text).exists():
        from bnjit.network.files import read_network

        try:
            return read_network(text).dag
        except FileFormatError:
            if suffix != ".json":  # which may be a graph alone
                raise
    return graph_of(text, option)


def node_of(network: "Network", text: str, option: str) -> Any:
    """Node that a text names; names need not be texts."""
    from bnjit.data.schema import listing

    found = [name for name in network.names if str(name) == text]
    if len(found) != 1:
        what = f"{len(found)} nodes" if found else "no node"
        raise ArgumentError(f"{option} {text}: the network has {what} {text!r}; there are {listing(network.names)}")
    return found[0]


def values_of(network: "Network", texts: list[str], option: str) -> dict[Any, Any]:
    """Levels and numbers of nodes, from texts such as sex=male."""
    values: dict[Any, Any] = {}
    for text in texts:
        # A name may have the sign, too: the longest name that is a node counts.
        at = [i for i, sign in enumerate(text) if sign == "=" and text[:i].strip() in map(str, network.names)]
        if not at:
            first, sign, _ = text.partition("=")
            if not sign:
                raise ArgumentError(f"{option} {text}: write a node and its value, as in {option} sex=male")
            node_of(network, first.strip(), option)
        name, value = node_of(network, text[: at[-1]].strip(), option), text[at[-1] + 1 :].strip()
        if name in values:
            raise ArgumentError(f"{option} {text}: {name!r} has a value already; give one")
        values[name] = _value_of(network, name, value, f"{option} {text}")
    return values


def _value_of(network: "Network", name: Any, text: str, where: str) -> Any:
    """Level of a discrete node, or number of a continuous one."""
    from bnjit.data.schema import listing

    labels = network.labels[network.index(name)]
    if labels is not None:
        found = [label for label in labels if str(label) == text]
        if not found:
            raise ArgumentError(f"{where}: {name!r} has no level {text!r}; its levels are {listing(labels)}")
        return found[0]
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"{where}: {name!r} is continuous, and {text!r} is no number") from None
