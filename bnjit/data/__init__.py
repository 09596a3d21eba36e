"""Any table a user has comes in; a Table of typed columns goes out.

May import kernels and errors only. Names of columns live here; what comes after speaks integers.
"""

from bnjit.data.column import Column
from bnjit.data.readers import read_table, type_columns
from bnjit.data.table import Table

__all__ = ["Column", "Table", "read_table", "type_columns"]
