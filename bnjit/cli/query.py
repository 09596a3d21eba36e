"""bnjit query: what is likely, given what is known."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from bnjit.cli.commands import add_command
from bnjit.cli.texts import names_of, node_of, values_of

if TYPE_CHECKING:
    from bnjit.network import Network

EPILOG = """examples:
  bnjit query net.json --given sex=male --target species
  bnjit query net.json --given body_mass_g=4200 --given island=Dream --target species,sex
  bnjit query net.json --do treatment=yes --target outcome
  bnjit query net.json --given species=Gentoo

Without --target there is an answer for every node that is not known. What follows from --do is what happens if somebody
sets a node to a value, and is right only if the arcs of the network are causes.

exit status: 0 if it worked, 2 for input that cannot be used."""


def add_query(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands, "query", run_query, help="ask a network what is likely, given what is known",
        usage="bnjit query NETWORK [--given X=VALUE ...] [--target Y] [options]", epilog=EPILOG,
        description="Print the distribution of some nodes of a network, given what is known of others.",
    )  # fmt: skip
    parser.add_argument("network", metavar="NETWORK", help="a .json file of bnjit, .bif, or .rda or .rds of bnlearn")
    for name, text in (("given", "what is known"), ("do", "a node that is set from outside")):
        parser.add_argument(
            f"--{name}", action="append", default=[], metavar="X=VALUE",
            help=f"{text}: a node and its level or number; may be repeated",
        )  # fmt: skip
    parser.add_argument(
        "--target", action="append", metavar="NODES",
        help="what is asked for: one node, or several, separated by commas, for their joint distribution",
    )  # fmt: skip
    parser.add_argument(
        "--method", choices=("exact", "sampling"), default="exact",
        help="exact (default), or by sampling, with standard errors",
    )  # fmt: skip
    parser.add_argument("--particles", type=int, default=100_000, metavar="N", help="of sampling (default 100000)")
    parser.add_argument("--seed", type=int, metavar="S", help="of sampling")


def run_query(given: argparse.Namespace) -> None:
    """Ask, and print the answer."""
    from bnjit.network.files import read_network

    network = read_network(given.network)
    known, done = values_of(network, given.given, "--given"), values_of(network, given.do, "--do")
    if given.target is None and given.method == "exact":
        answers = network.marginals(known, done)
        sys.stdout.write("\n".join(_text(answer) for answer in answers.values()))
        return
    targets = _targets(network, given.target, {*known, *done})
    options = {"method": given.method, "particles": given.particles, "seed": given.seed}
    for some in targets:
        sys.stdout.write(_text(network.query(some, known, done, **options)))


def _targets(network: "Network", texts: list[str] | None, known: set[Any]) -> list[list[Any]]:
    """Nodes to ask for together; each by itself where none is named."""
    if texts is None:
        return [[name] for name in network.names if name not in known]
    return [[node_of(network, text, "--target") for text in names_of(texts)]]


def _text(answer: Any) -> str:
    """Answer as lines: a table without the line that says of which type it is."""
    import pandas as pd

    if isinstance(answer, pd.Series):
        answer = answer.to_frame()
    return f"{answer.to_string() if isinstance(answer, pd.DataFrame) else repr(answer)}\n"
