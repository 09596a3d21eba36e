"""What fit is given as y."""

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_consistent_length

from bnjit.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd


def check_target(estimator: Any, frame: "pd.DataFrame", y: Any) -> Any:
    """Raise unless there is a target for every row."""
    if y is None:
        raise ArgumentError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None; give a value for each row"
        )
    check_consistent_length(frame, y)
    return y
