"""A Parquet path read by the workers of a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from bnjit.data.tuning import SCHEDULER_SECONDS
from bnjit.errors import ArgumentError, DataError


@contextmanager
def read_on_cluster(path: str, address: str, seconds: float = SCHEDULER_SECONDS) -> Iterator[Any]:
    """A dask.dataframe of a Parquet path, while the scheduler at an address is what computes.

    Workers open the path themselves, so it must be one that they see. The scheduler must answer within some seconds.
    """
    try:
        import dask.dataframe as dd
        from distributed import Client
    except ImportError:
        raise ArgumentError("Dask is not installed: pip install 'bnjit[dask]'") from None
    try:
        # A client that is the default for all threads would stay so after it failed to connect.
        client = Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ArgumentError(f"no Dask scheduler answers at {address!r}: {why}") from None
    with client, client.as_current():
        try:
            frame = dd.read_parquet(path)
            partitions = frame.npartitions
        except (pa.ArrowException, OSError, ValueError, IndexError) as error:
            cause = error.__cause__ or error  # it says more than Dask's own words around it
            lines = [line for line in str(cause).splitlines() if line.strip()] or [type(cause).__name__]
            raise DataError(f"cannot read {path!r} as Parquet: {lines[-1].strip()}") from error
        if not partitions:
            raise DataError(f"{path!r} has no rows")
        yield frame
