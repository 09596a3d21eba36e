"""Any table that a user has comes in; a Table (rows in memory) or a Source (rows that come in chunks) goes out.

May import kernels, progress and errors only. Names of columns live here; what comes after speaks integers.

Rows come as *batches* (Arrow's record batches, as a user gives them), are read as *chunks* (of a fixed number of rows,
whatever the batches are) and live in *partitions* (Dask's, each on some worker). A backend has a folder of its own:
`chunked` for files and batches, `dask` for dask.dataframe. `open` chooses between them and memory.
"""

from bnjit.data.column import Column
from bnjit.data.read import read_table, type_columns
from bnjit.data.table import Table

__all__ = ["Column", "Table", "read_table", "type_columns"]
