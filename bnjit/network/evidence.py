"""What rows say of the nodes of a network: codes and numbers, and where there is nothing."""

from collections.abc import Hashable, Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit.data import Column, Table, type_columns
from bnjit.data.check import check_names, reject_not_finite
from bnjit.data.column import code_type
from bnjit.data.complete import missing_values, take_rows
from bnjit.data.read import raw_columns
from bnjit.errors import DataError
from bnjit.network.sampling import as_table, empty_columns

if TYPE_CHECKING:
    from bnjit.network.network import Network

Mask = NDArray[np.bool_] | None  # where a column has no value; None for nowhere


class Known(NamedTuple):
    """Which nodes are among the columns, and where each has no value: all rows, if it is not."""

    present: list[bool]
    masks: list[Mask]

    def has_gaps(self) -> bool:
        """Whether a column that is there has a gap."""
        return any(there and mask is not None for there, mask in zip(self.present, self.masks, strict=True))


def read_evidence(network: "Network", data: Any, nodes: Iterable[int] | None = None) -> tuple[Table, Known]:
    """Rows of a table as codes and numbers of some nodes, all by default, and what the table has of them.

    Gaps, and nodes that are not among the columns, hold anything; other columns are ignored.
    """
    wanted = {network.names[j]: j for j in (range(len(network.names)) if nodes is None else nodes)}
    filled, gaps = _fill(data, wanted)
    given = type_columns(filled, [name for name, j in wanted.items() if network.discrete[j]], only=wanted)
    columns = empty_columns(network, given.n)
    present, masks = [False] * len(columns), [None] * len(columns)  # type: tuple[list[bool], list[Mask]]
    for name, mask in gaps.items():
        present[wanted[name]], masks[wanted[name]] = True, mask
    for name, column in zip(given.names, given.columns, strict=True):
        j = wanted.get(name)
        if j is not None:
            columns[j], present[j] = _values(network, j, name, column, gaps.get(name)), True
    everywhere = np.ones(given.n, bool)
    masks = [mask if there else everywhere for there, mask in zip(present, masks, strict=True)]
    return as_table(network, columns), Known(present, masks)


def _fill(data: Any, wanted: Mapping[Hashable, int]) -> tuple[Any, dict[Hashable, NDArray[np.bool_]]]:
    """Columns with a value of their own in each gap, without those that have no values, and where the gaps are."""
    if isinstance(data, Table):
        return data, {}
    raw = raw_columns(data, None)
    names = [name for name, _ in raw]
    check_names([name for name in names if name in wanted] or names)
    columns, gaps = {}, {}
    for name, values in raw:
        mask = missing_values(values) if name in wanted and _is_column(values) else np.zeros(0, bool)
        if not mask.any():
            columns[name] = values
            continue
        gaps[name] = mask
        if not mask.all():
            rows = np.arange(len(mask))
            rows[mask] = np.argmin(mask)
            columns[name] = take_rows(values, rows)
    if not columns and raw:  # type_columns asks a column for the number of rows
        columns[object()] = np.zeros(len(raw[0][1]))
    return columns, gaps


def _is_column(values: Any) -> bool:
    """Whether something may be a column; type_columns says what is wrong with anything else."""
    return (
        hasattr(values, "__len__")
        and not isinstance(values, str | bytes | Mapping | Set)
        and getattr(values, "ndim", 1) == 1
        and len(values) > 0
    )


def _values(network: "Network", j: int, name: Hashable, column: Column, mask: Mask) -> NDArray[Any]:
    """Values of a column as codes or numbers of node j."""
    labels = network.labels[j]
    if labels is None:
        if column.labels is not None:
            raise DataError(f"column {name!r} is discrete, and the network's node is continuous; give numbers")
        reject_not_finite(name, column.values)
        return column.values.astype(np.float64)
    assert column.labels is not None
    mapping = label_codes(labels, column.labels)
    codes = mapping[column.values]
    if len(codes) and codes.min() < 0:
        unknown = codes < 0 if mask is None else (codes < 0) & ~mask
        row = int(np.argmax(unknown))
        label = column.labels[int(column.values[row])]
        more = "" if unknown.sum() == 1 else f" ({unknown.sum():,} rows have such levels)"
        raise DataError(
            f"column {name!r} has the level {label!r} in row {row}, which the network does not know{more}; make it "
            "missing there, which means unknown, or learn from a categorical column that has all levels"
        )
    return codes.astype(code_type(len(labels)))


def label_codes(labels: tuple[Hashable, ...], others: tuple[Hashable, ...]) -> NDArray[np.int64]:
    """Code of each of some labels among the labels of a node, -1 for those that it does not have."""
    position: dict[Hashable, int] = {}
    for code, label in enumerate(labels):  # files often hold labels as text
        position.setdefault(label, code)
        position.setdefault(str(label), code)
    codes = []
    for label in others:
        code = position.get(label, position.get(str(label), -1))
        if code < 0 and isinstance(label, float) and label.is_integer():  # a whole number, in a column with NaN
            code = position.get(str(int(label)), -1)
        codes.append(code)
    return np.array(codes, np.int64)
