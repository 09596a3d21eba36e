"""What the estimators share: arguments, tables from whatever scikit-learn passes, and how a network is learned."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from bnjit.errors import ArgumentError, quiet
from bnjit.options import AlgorithmLike, MissingLike, ScoreLike

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network import Network


class BayesianNetworkEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators.

    A column with one value is left out of the network. Arrays are continuous but for the columns of `discrete`, and
    are called x0, x1, ...; in a DataFrame text, booleans and categories are discrete too.
    """

    network_: "Network | None"  # None where the target is always the same

    def __init__(
        self, criterion: ScoreLike = "bic", algorithm: AlgorithmLike = "hc", *, max_parents: int | None = None,
        whitelist: Any = None, blacklist: Any = None, tiers: Any = None, prior_rows: float = 1.0,
        discrete: Sequence[Hashable] = (), missing: MissingLike = "error", random_state: Any = None,
        n_threads: int | None = None,
    ) -> None:  # fmt: skip
        self.criterion, self.algorithm, self.max_parents = criterion, algorithm, max_parents
        self.whitelist, self.blacklist, self.tiers = whitelist, blacklist, tiers
        self.prior_rows, self.discrete, self.missing = prior_rows, discrete, missing
        self.random_state, self.n_threads = random_state, n_threads

    def __sklearn_tags__(self) -> Any:
        """Gaps are for the rules of `missing`."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _read(self, X: Any, reset: bool) -> "pd.DataFrame":
        """Return a DataFrame with names that are strings where X has none."""
        import pandas as pd

        if hasattr(X, "columns"):
            validate_data(self, X, skip_check_array=True, reset=reset)
            frame = X if isinstance(X, pd.DataFrame) else X.to_pandas()
            least = 2 if reset else 1
            if len(frame) < least:
                raise ArgumentError(f"X has {len(frame)} sample(s), and a minimum of {least} is required")
            return frame
        finite = "allow-nan" if self.missing != "error" else True
        array = validate_data(
            self, X, reset=reset, dtype=np.float64, ensure_all_finite=finite, ensure_min_samples=2 if reset else 1
        )
        return pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])])

    def _learn(self, frame: "pd.DataFrame", target: Any = None) -> None:
        """Learn a network of the columns that vary, and of the target if there is one, under the name target_."""
        from bnjit.api import fit, learn

        some = [name for name in frame.columns if _varies(frame[name])]
        table = frame[some]
        self.target_ = None
        if target is not None:
            self.target_ = _unused("target", set(frame.columns))
            table = table.assign(**{self.target_: target})
        self.constants_ = {name: frame[name].iloc[0] for name in frame.columns if name not in set(some)}
        self.columns_ = list(some)
        if table.shape[1] == 0:
            raise ArgumentError(f"X has {frame.shape[1]} column(s), each with one value; there is nothing to learn")
        discrete = [name for name in self._discrete_names(frame) if name in set(some)]
        seed = self.random_state
        if seed is not None and not isinstance(seed, int | np.integer):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        with quiet():  # fits are repeated many times; bnjit.check says what is odd about a table
            self.result_ = learn(
                table, self.criterion, self.algorithm, max_parents=self.max_parents, whitelist=self.whitelist,
                blacklist=self.blacklist, tiers=self.tiers, missing=self.missing, seed=seed, discrete=discrete,
                n_threads=self.n_threads, progress=False,
            )  # fmt: skip
            if self.missing == "error":
                self.network_ = self.result_.fit(prior_rows=self.prior_rows)
            else:
                self.network_ = fit(
                    self.result_, table, prior_rows=self.prior_rows, missing=self.missing, discrete=discrete,
                    n_threads=self.n_threads,
                )  # fmt: skip

    def _discrete_names(self, frame: "pd.DataFrame") -> list[Hashable]:
        """Names of `discrete`, which may also be positions."""
        names = list(frame.columns)
        found: list[Hashable] = []
        for one in self.discrete:
            if one in names:
                found.append(one)
            elif isinstance(one, int | np.integer) and 0 <= one < len(names):
                found.append(names[int(one)])
            else:
                raise ArgumentError(f"discrete has {one!r}, which is neither a column of X nor the position of one")
        return found

    def _rows(self, X: Any) -> "pd.DataFrame":
        """Columns of the network for rows to predict."""
        check_is_fitted(self)
        return self._read(X, reset=False)[self.columns_]

    @property
    def dag_(self) -> Any:
        """The learned structure, a networkx.DiGraph; see `markov_blanket` for what the target depends on."""
        check_is_fitted(self)
        if self.network_ is None:
            raise ArgumentError("there is no network: the target is always the same")
        return self.network_.dag

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a network."""
        raise NotImplementedError


def _varies(column: "pd.Series[Any]") -> bool:
    """Whether a column has more than one value, gaps apart."""
    from bnjit.data.check import LEAST_DEVIATION

    if column.dtype.kind in "fiu":
        values = column.to_numpy(np.float64)
        values = values[~np.isnan(values)]
        return len(values) > 1 and float(np.ptp(values)) > LEAST_DEVIATION * float(np.abs(values).max())
    return bool(column.nunique(dropna=True) > 1)


def _unused(name: str, taken: set[Hashable]) -> str:
    while name in taken:
        name += "_"
    return name
