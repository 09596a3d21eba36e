"""Fill the gaps of a table: most probable levels and expected values, or random completions."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnjit._threads import in_ranges
from bnjit.data import Table
from bnjit.data.check import check_names
from bnjit.data.read import raw_columns
from bnjit.errors import as_count, as_seed
from bnjit.kernels.expectations import expect_gaps
from bnjit.kernels.sampling import stream_of
from bnjit.network.evidence import Known, label_codes, read_evidence
from bnjit.network.gaps import GAP_STREAM, GapFiller, copy_columns, find_rows, flatten, mask_addresses
from bnjit.network.tuning import GAP_PARTS, PREDICTED_CONFIGURATIONS

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network


def impute(
    network: "Network", data: Any, draws: int | None, sweeps: int, seed: int | None
) -> "pd.DataFrame | list[pd.DataFrame]":
    """Fill the gaps of a table; see Network.impute."""
    sweeps, seed = as_count("sweeps", sweeps, least=1), as_seed(seed)
    number = None if draws is None else as_count("draws", draws, least=1)
    source = _columns(data)
    table, known = read_evidence(network, source)
    frame = _as_frame(source)
    if number is None:
        return _filled(network, frame, _expected(network, table, known, sweeps, seed), known)
    filler = GapFiller(network, sweeps)
    made = []
    for i in range(number):
        stream = int(stream_of(np.uint64(seed % 2**64), i))  # type: ignore[arg-type]
        made.append(_filled(network, frame, filler.fill(table, known.masks, stream), known))
    return made


def _expected(network: "Network", table: Table, known: Known, sweeps: int, seed: int) -> Table:
    """Table with most probable levels and expected values in the gaps of the columns that are there."""
    masks, rows = find_rows(known.masks, table.n)
    if not known.has_gaps():
        return table
    filled = copy_columns(table, masks)
    stream = np.uint64(stream_of(np.uint64(seed % 2**64), GAP_STREAM))  # type: ignore[arg-type]
    parts = min(len(rows), GAP_PARTS)
    in_ranges(
        expect_gaps, parts, flatten(network), filled.view, mask_addresses(masks), rows, parts, stream, sweeps,
        PREDICTED_CONFIGURATIONS, np.array(known.present),
    )  # fmt: skip
    return filled


def _columns(data: Any) -> Any:
    """A DataFrame as it is; any other table as a dict of its columns, so that a file is read once."""
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        return data
    raw = raw_columns(data, None)
    check_names([name for name, _ in raw])
    return dict(raw)


def _as_frame(source: Any) -> "pd.DataFrame":
    """DataFrame or columns as a DataFrame."""
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        return source
    columns = [c.to_pandas() if isinstance(c, pa.Array | pa.ChunkedArray) else c for c in source.values()]
    frame = pd.DataFrame(dict(enumerate(columns)))
    return frame.set_axis(pd.Index(list(source), tupleize_cols=False), axis=1)


def _filled(network: "Network", frame: "pd.DataFrame", table: Table, known: Known) -> "pd.DataFrame":
    """Copy of a DataFrame with the gaps of nodes filled from a table."""
    import pandas as pd

    made = frame.copy()
    for i, name in enumerate(frame.columns):
        j = network.names.index(name) if name in network.names else None
        mask = None if j is None else known.masks[j]
        if j is None or mask is None:
            continue
        series, values, labels = frame.iloc[:, i], table.columns[j].values[mask], network.labels[j]
        if isinstance(series.dtype, pd.SparseDtype):
            series = pd.Series(np.asarray(series))
        array = _with_numbers(series, mask, values) if labels is None else _with_levels(series, mask, values, labels)
        made.isetitem(i, pd.Series(array, frame.index, dtype=array.dtype))
    return made


def _with_numbers(series: "pd.Series[Any]", mask: NDArray[np.bool_], values: NDArray[np.float64]) -> Any:
    """Array of a continuous column with its gaps filled; its type stays if that has fractions."""
    import pandas as pd

    if pd.api.types.is_integer_dtype(series.dtype):  # those that have gaps are not NumPy's
        series = series.astype("Float64")
    elif not pd.api.types.is_float_dtype(series.dtype):
        series = pd.Series(np.where(mask, np.nan, series.to_numpy(object)).astype(np.float64))
    array = _copy(series)
    array[mask] = values
    return array


def _with_levels(
    series: "pd.Series[Any]", mask: NDArray[np.bool_], codes: NDArray[Any], labels: tuple[Hashable, ...]
) -> Any:
    """Array of a discrete column with its gaps filled by levels as the column writes them, if it has them."""
    import pandas as pd

    categorical = isinstance(series.dtype, pd.CategoricalDtype)
    own = list(series.cat.categories if categorical else series[~mask].unique())
    written = list(labels)
    for value, code in zip(own, label_codes(labels, tuple(own)).tolist(), strict=True):
        if code >= 0:
            written[code] = value
    levels = np.empty(len(codes), object)
    levels[:] = [written[code] for code in codes.tolist()]
    if categorical:
        series = series.cat.add_categories([level for level in dict.fromkeys(levels) if level not in set(own)])
    array = _copy(series)
    try:
        array[mask] = levels
    except (TypeError, ValueError):  # a column of another type, such as one without any value
        array = series.to_numpy(object, copy=True)
        array[mask] = levels
    return array


def _copy(series: "pd.Series[Any]") -> Any:
    """Copy of the values: NumPy's array if they are of its types, else that of pandas."""
    return series.to_numpy(copy=True) if isinstance(series.dtype, np.dtype) else series.array.copy()
