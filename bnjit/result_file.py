"""Results as files: NumPy's npz with a header in JSON, no pickle."""

import os
from typing import Any

import networkx as nx

from bnjit.graph import make_dag
from bnjit.result import STEP, Result

VERSION = 1


def save_result(result: Result, path: "str | os.PathLike[str]") -> None:
    """Write a result, in one piece or not at all."""
    from bnjit.network import Network
    from bnjit.network.jsonfile import to_document
    from bnjit.stats.files import check_savable, pack, write_arrays

    header = {
        "nodes": [[name, kind] for name, kind in result.dag.nodes(data="kind")],
        "arcs": [list(arc) for arc in result.dag.edges], "score": result.score,
        "steps": result._steps, "n_local_scores": result.n_local_scores, "seconds": result.seconds,
        "stopped_by": result.stopped_by, "arguments": result.arguments, "reading": [result.passes, result.bytes_read],
        "n_restarts": result.n_restarts, "n_rows": result.n_rows,
        "certificate": result.certificate,
        "statistics": result._statistics if isinstance(result._statistics, str) else None,
    }  # fmt: skip
    arrays: dict[str, Any] = {}
    check_savable(list(result.dag), [])
    if isinstance(result._statistics, Network):
        header["statistics"] = to_document(result._statistics)
    elif not isinstance(result._statistics, str):
        header["statistics"], arrays = pack(*result._statistics)
    write_arrays(path, VERSION, header, arrays, compress=True)


def load_result(path: "str | os.PathLike[str]") -> Result:
    """Read a result that `Result.save` wrote; a file that is damaged, or is something else, raises FileFormatError.

    Examples
    --------
    >>> import bnjit, tempfile
    >>> from pathlib import Path
    >>> result = bnjit.learn({"x": [1.0, 2.0, 4.0, 3.0], "y": [1.5, 2.0, 4.5, 3.0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(Path(folder) / "result.npz")
    ...     again = bnjit.load_result(Path(folder) / "result.npz")
    >>> again.score == result.score
    True
    """
    from bnjit.stats.files import DAMAGED, not_a_file, read_arrays

    header, arrays = read_arrays(path, VERSION, "bnjit.Result")
    try:
        return _unpacked(header, arrays)
    except DAMAGED as error:
        raise not_a_file(path, "bnjit.Result") from error


def _unpacked(header: dict[str, Any], arrays: dict[str, Any]) -> Result:
    """Result of a file's contents, if they are what a result can be; anything else raises."""
    from bnjit.network import Network
    from bnjit.network.jsonfile import from_document
    from bnjit.stats.files import unpack
    from bnjit.stats.graph_statistics import GraphStatistics

    nodes = header["nodes"]
    names = [name for name, _ in nodes]
    if not all(isinstance(name, str) and kind in ("discrete", "continuous") for name, kind in nodes):
        raise ValueError("nodes")
    arcs = [(a, b) for a, b in header["arcs"]]
    dag = make_dag(names, [kind == "discrete" for _, kind in nodes], arcs)
    if list(dag) != names or not nx.is_directed_acyclic_graph(dag):
        raise ValueError("arcs")
    statistics: GraphStatistics | Network | str = header["statistics"]
    if isinstance(statistics, dict) and "format" in statistics:
        statistics = from_document(statistics, "the result's network")
        if list(statistics.names) != names:
            raise ValueError("columns")
    elif not isinstance(statistics, str):
        statistics = GraphStatistics(*unpack(statistics, arrays))
        if list(statistics.schema.names) != names:
            raise ValueError("columns")
    steps = [(str(move), *ends, float(delta), float(score), str(phase), float(seconds))
             for move, *ends, delta, score, phase, seconds in header["steps"]]  # fmt: skip
    if any(len(step) != len(STEP) for step in steps):
        raise ValueError("steps")
    passes, bytes_read = map(int, header["reading"])
    seconds = {str(name): float(value) for name, value in header["seconds"].items()}
    stopped_by, arguments, n_rows = header["stopped_by"], dict(header["arguments"]), header.get("n_rows")
    if stopped_by is not None and not (isinstance(stopped_by, str) and steps):
        raise ValueError("stopped_by")
    if not {"score", "estimator", "algorithm"} <= set(arguments):
        raise ValueError("arguments")
    if n_rows is not None and not (isinstance(n_rows, int) and n_rows >= 0):
        raise ValueError("n_rows")
    certificate = header.get("certificate")  # files of old have none
    if not isinstance(certificate, str | None):
        raise ValueError("certificate")
    return Result(
        dag, float(header["score"]), steps, int(header["n_local_scores"]), seconds, stopped_by,
        arguments, statistics, (passes, bytes_read), int(header.get("n_restarts", 0)),  # files of old have none
        n_rows, certificate,
    )  # fmt: skip
