"""A dask.dataframe comes in; a Source that sends computation to its partitions goes out.

May import the modules of data that hold no backend: schema, column, levels, check, table, passes, source.
"""

import sys
from typing import Any


def is_dask(data: Any) -> bool:
    """Whether data is a dask.dataframe; if so, somebody has loaded dask."""
    loaded = sys.modules.get("dask.dataframe")
    return loaded is not None and isinstance(data, loaded.DataFrame)
