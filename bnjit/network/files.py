"""Read and write networks by the extension of the file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnjit.errors import FileFormatError, GraphError
from bnjit.network.packed import ending

if TYPE_CHECKING:
    from bnjit.network.network import Network

READABLE = (".json", ".bif", ".bif.gz", ".net", ".net.gz", ".rda", ".rds", ".rdata")
WRITABLE = (".json", ".bif", ".bif.gz", ".net", ".net.gz")


def read_network(path: Any) -> "Network":
    """Read a network with its parameters.

    Parameters
    ----------
    path : str or path
        .json (bnjit's own form, all classes, or that of the Gaussian networks of the bnlearn repository), .bif
        (discrete), .net (Hugin's form, discrete and mixed), both also as .bif.gz and .net.gz, or .rda, .rds (a bn.fit
        object of R's bnlearn; needs the extra `r`).

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
    elif suffix.startswith(".bif"):
        from bnjit.network.bif import read_bif as read
    elif suffix.startswith(".net"):
        from bnjit.network.netfile import read_net as read
    else:
        from bnjit.network.rfile import read_r as read
    try:
        return read(path)
    except GraphError as error:  # a cycle
        raise FileFormatError(f"{path.name}: {error}") from None


def write_network(network: "Network", path: Any) -> None:
    """Write a network with its parameters: .json (all classes), .bif (discrete), .net, .bif.gz or .net.gz.

    A .net file lists every configuration and has a mean and a variance for each regression, so that those without
    parameters get their fallback, as in .bif.
    """
    path = Path(path)
    suffix = ending(path)
    if suffix == ".json":
        network.to_json(path)
    elif suffix in (".bif", ".bif.gz"):
        from bnjit.network.bifwriter import write_bif

        write_bif(network, path)
    elif suffix in (".net", ".net.gz"):
        from bnjit.network.netwriter import write_net

        write_net(network, path)
    else:
        raise FileFormatError(f"cannot tell how to write {path.name!r}; the name must end in {', '.join(WRITABLE)}")
