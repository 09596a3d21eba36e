"""Data is read whole, in chunks or in its partitions, by what it is and by the memory that it may take."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bnjit.data.chunked.chunks import Chunks
from bnjit.data.open import open_source
from bnjit.errors import ArgumentError, DataError

FRAME = pd.DataFrame({"x": np.arange(40_000.0), "y": np.arange(40_000.0) ** 0.5, "g": ["a", "b"] * 20_000})


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    FRAME.to_parquet(path)
    return path


def test_memory_decides_unless_the_user_does(path):
    assert open_source(path, (), None, None, None) is None
    assert open_source(path, (), None, "1GB", None) is None
    assert isinstance(open_source(path, (), None, "1MB", None), Chunks)
    assert open_source(path, (), None, "1MB", False) is None
    assert isinstance(open_source(path, (), None, "1GB", True), Chunks)
    assert open_source(FRAME, (), None, "1MB", None) is None
    assert isinstance(open_source(lambda: pa.Table.from_pandas(FRAME).to_batches(), (), None, None, None), Chunks)


def test_rows_of_a_chunk(path):
    assert open_source(path, (), None, "1GB", True).chunk_rows == 1 << 20
    assert open_source(path, (), None, "1GB", True, 77).chunk_rows == 77
    assert open_source(path, (), None, "1MB", True).chunk_rows == 10**6 // 16 // (8 + 8 + 4)
    assert open_source(path, (), None, "1MB", True, 10**6).chunk_rows == 10**6 // 16 // (8 + 8 + 4)


def test_what_cannot_come_in_chunks(path, tmp_path):
    with pytest.raises(ArgumentError, match="out_of_core=1 must be True, False or None"):
        open_source(path, (), None, None, 1)
    with pytest.raises(ArgumentError, match="out_of_core=True is for"):
        open_source(FRAME, (), None, None, True)
    with pytest.raises(ArgumentError, match="names is for a plain NumPy array"):
        open_source(path, (), ["a", "b", "c"], None, True)
    with pytest.raises(ArgumentError, match="discrete names the column 'Q'"):
        open_source(path, ["Q"], None, None, True)
    with pytest.raises(ArgumentError, match="max_memory='much'"):
        open_source(FRAME, (), None, "much", None)
    assert open_source(tmp_path / "none.parquet", (), None, None, True) is None  # reading says that there is no file
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and nothing more")
    assert open_source(tmp_path / "bad.parquet", (), None, None, None) is None
    with pytest.raises(DataError, match=r"cannot read .*bad.parquet"):
        open_source(tmp_path / "bad.parquet", (), None, None, True)
