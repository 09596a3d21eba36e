"""bnjit: learn Bayesian networks from tables with millions of rows, at the price of a few passes over them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bnjit.errors import (
    ArgumentError,
    BnjitError,
    BnjitWarning,
    DataError,
    FileFormatError,
    GraphError,
    StatisticsError,
)

if TYPE_CHECKING:
    from bnjit.api import fit as fit
    from bnjit.api import learn as learn
    from bnjit.api import score as score
    from bnjit.averaging import averaged_network as averaged_network
    from bnjit.compiling import compile as compile
    from bnjit.graph import ancestors as ancestors
    from bnjit.graph import compare as compare
    from bnjit.graph import consistent_extension as consistent_extension
    from bnjit.graph import cpdag as cpdag
    from bnjit.graph import d_separated as d_separated
    from bnjit.graph import descendants as descendants
    from bnjit.graph import hamming as hamming
    from bnjit.graph import implied_independencies as implied_independencies
    from bnjit.graph import markov_blanket as markov_blanket
    from bnjit.graph import paths as paths
    from bnjit.graph import read_dag as read_dag
    from bnjit.graph import shd as shd
    from bnjit.graph import sid as sid
    from bnjit.graph import to_modelstring as to_modelstring
    from bnjit.graph import v_structures as v_structures
    from bnjit.graph import write_dag as write_dag
    from bnjit.markov import check_markov as check_markov
    from bnjit.markov import independence as independence
    from bnjit.network import Network as Network
    from bnjit.network.files import read_network as read_network
    from bnjit.network.files import write_network as write_network
    from bnjit.network.pgmpy import from_pgmpy as from_pgmpy
    from bnjit.network.pyagrum import from_pyagrum as from_pyagrum
    from bnjit.options import AIC as AIC
    from bnjit.options import BIC as BIC
    from bnjit.options import EBIC as EBIC
    from bnjit.options import EM as EM
    from bnjit.options import FNML as FNML
    from bnjit.options import GES as GES
    from bnjit.options import K2 as K2
    from bnjit.options import QNML as QNML
    from bnjit.options import Algorithm as Algorithm
    from bnjit.options import Available as Available
    from bnjit.options import BDe as BDe
    from bnjit.options import BDs as BDs
    from bnjit.options import BGe as BGe
    from bnjit.options import Boss as Boss
    from bnjit.options import CrossValidation as CrossValidation
    from bnjit.options import DropRows as DropRows
    from bnjit.options import Exact as Exact
    from bnjit.options import HeldOut as HeldOut
    from bnjit.options import HillClimbing as HillClimbing
    from bnjit.options import LocalScore as LocalScore
    from bnjit.options import LogLik as LogLik
    from bnjit.options import MarginalLikelihood as MarginalLikelihood
    from bnjit.options import RejectMissing as RejectMissing
    from bnjit.options import Score as Score
    from bnjit.options import Tabu as Tabu
    from bnjit.options import Thorough as Thorough
    from bnjit.report import Report as Report
    from bnjit.report import check as check
    from bnjit.result import Result as Result
    from bnjit.result_file import load_result as load_result
    from bnjit.stats.statistics import Statistics as Statistics
    from bnjit.strength import arc_strength as arc_strength

__version__ = "0.2.0.dev0"

# Where public names live; they are imported when first used, so that importing bnjit loads nothing heavy.
_LAZY = {
    "check_markov": "bnjit.markov",
    "independence": "bnjit.markov",
    "paths": "bnjit.graph",
    "markov_blanket": "bnjit.graph",
    "implied_independencies": "bnjit.graph",
    "descendants": "bnjit.graph",
    "d_separated": "bnjit.graph",
    "ancestors": "bnjit.graph",
    "AIC": "bnjit.options",
    "Algorithm": "bnjit.options",
    "BDe": "bnjit.options",
    "BDs": "bnjit.options",
    "BGe": "bnjit.options",
    "BIC": "bnjit.options",
    "Boss": "bnjit.options",
    "CrossValidation": "bnjit.options",
    "EBIC": "bnjit.options",
    "FNML": "bnjit.options",
    "Exact": "bnjit.options",
    "GES": "bnjit.options",
    "HeldOut": "bnjit.options",
    "HillClimbing": "bnjit.options",
    "K2": "bnjit.options",
    "LocalScore": "bnjit.options",
    "LogLik": "bnjit.options",
    "MarginalLikelihood": "bnjit.options",
    "QNML": "bnjit.options",
    "Available": "bnjit.options",
    "DropRows": "bnjit.options",
    "EM": "bnjit.options",
    "RejectMissing": "bnjit.options",
    "Score": "bnjit.options",
    "Tabu": "bnjit.options",
    "Thorough": "bnjit.options",
    "Network": "bnjit.network",
    "Report": "bnjit.report",
    "Result": "bnjit.result",
    "arc_strength": "bnjit.strength",
    "compile": "bnjit.compiling",
    "averaged_network": "bnjit.averaging",
    "Statistics": "bnjit.stats.statistics",
    "check": "bnjit.report",
    "compare": "bnjit.graph",
    "consistent_extension": "bnjit.graph",
    "cpdag": "bnjit.graph",
    "fit": "bnjit.api",
    "from_pgmpy": "bnjit.network.pgmpy",
    "from_pyagrum": "bnjit.network.pyagrum",
    "hamming": "bnjit.graph",
    "learn": "bnjit.api",
    "load_result": "bnjit.result_file",
    "read_dag": "bnjit.graph",
    "read_network": "bnjit.network.files",
    "score": "bnjit.api",
    "shd": "bnjit.graph",
    "sid": "bnjit.graph",
    "to_modelstring": "bnjit.graph",
    "v_structures": "bnjit.graph",
    "write_dag": "bnjit.graph",
    "write_network": "bnjit.network.files",
}
_MODULES = ("complexity", "datasets", "options", "paper", "plots", "sklearn")

__all__ = [
    "AIC",
    "BIC",
    "EBIC",
    "EM",
    "FNML",
    "GES",
    "K2",
    "QNML",
    "Algorithm",
    "ArgumentError",
    "Available",
    "BDe",
    "BDs",
    "BGe",
    "BnjitError",
    "BnjitWarning",
    "Boss",
    "CrossValidation",
    "DataError",
    "DropRows",
    "Exact",
    "FileFormatError",
    "GraphError",
    "HeldOut",
    "HillClimbing",
    "LocalScore",
    "LogLik",
    "MarginalLikelihood",
    "Network",
    "RejectMissing",
    "Report",
    "Result",
    "Score",
    "Statistics",
    "StatisticsError",
    "Tabu",
    "Thorough",
    "ancestors",
    "arc_strength",
    "averaged_network",
    "check",
    "check_markov",
    "compare",
    "consistent_extension",
    "cpdag",
    "d_separated",
    "descendants",
    "fit",
    "from_pgmpy",
    "from_pyagrum",
    "hamming",
    "implied_independencies",
    "independence",
    "learn",
    "load_result",
    "markov_blanket",
    "paths",
    "read_dag",
    "read_network",
    "score",
    "shd",
    "sid",
    "to_modelstring",
    "v_structures",
    "write_dag",
    "write_network",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"bnjit.{name}")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'bnjit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_MODULES})
