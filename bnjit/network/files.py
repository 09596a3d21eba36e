"""Read and write networks by the extension of the file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnjit.errors import FileFormatError, GraphError
from bnjit.network.packed import ending

if TYPE_CHECKING:
    from bnjit.network.network import Network

READABLE = (".json", ".bif", ".bif.gz", ".rda", ".rds", ".rdata")
WRITABLE = (".json", ".bif", ".bif.gz")


def read_network(path: Any) -> "Network":
    """Read a network with its parameters.

    Parameters
    ----------
    path : str or path
        .json (bnjit's own form, all classes, or that of the Gaussian networks of the bnlearn repository), .bif or
        .bif.gz (discrete), or .rda, .rds (a bn.fit object of R's bnlearn; needs the extra `r`).

    Returns
    -------
    Network
    """
    path = Path(path)
    suffix = ending(path)
    if suffix not in READABLE:
        raise FileFormatError(f"cannot tell what {path.name!r} is; the name must end in {', '.join(READABLE)}")
    if suffix == ".json":
        from bnjit.network.jsonfile import read_json as read
    elif suffix in (".bif", ".bif.gz"):
        from bnjit.network.bif import read_bif as read
    else:
        from bnjit.network.rfile import read_r as read
    try:
        return read(path)
    except GraphError as error:  # a cycle
        raise FileFormatError(f"{path.name}: {error}") from None


def write_network(network: "Network", path: Any) -> None:
    """Write a network with its parameters: .json (all classes), .bif or .bif.gz (discrete)."""
    path = Path(path)
    suffix = ending(path)
    if suffix == ".json":
        network.to_json(path)
    elif suffix in (".bif", ".bif.gz"):
        from bnjit.network.bifwriter import write_bif

        write_bif(network, path)
    else:
        raise FileFormatError(f"cannot tell how to write {path.name!r}; the name must end in {', '.join(WRITABLE)}")
