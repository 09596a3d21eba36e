"""Fixtures: the recorded answers of R, which a user's clone does not have, and small random tables."""

import gzip
import json
import os
from pathlib import Path

os.environ.setdefault("NUMBA_NUM_THREADS", "4")  # more than there may be cores, to test that threads change nothing

import pandas as pd
import pytest
from hypothesis import settings

from tests.browser import chromium, show

__all__ = ["chromium", "show"]  # fixtures

# Reference data that stays outside the project. Where it is missing, the golden values stand in for it, unless the
# environment variable BNJIT_REFERENCE is "required".
SHARED = Path(__file__).resolve().parents[2] / "shared"

collect_ignore = ["golden/record.py"]  # needs bnlearn-port, which is no dependency

settings.register_profile("bnjit", deadline=None, derandomize=True, max_examples=60, print_blob=True)
settings.load_profile("bnjit")


@pytest.fixture(scope="session")
def shared() -> Path:
    if not SHARED.is_dir():
        if os.environ.get("BNJIT_REFERENCE") == "required":
            pytest.fail(f"{SHARED} is missing, and BNJIT_REFERENCE=required")
        pytest.skip("the reference data lies outside the project and is not here; tests/golden covers the same ground")
    return SHARED


@pytest.fixture(scope="session")
def reference(shared: Path) -> dict:
    with gzip.open(shared / "reference" / "bnlearn-5.2.1.json.gz") as file:
        return json.load(file)


@pytest.fixture(scope="session")
def golden() -> dict:
    return json.loads(Path(__file__).with_name("golden").joinpath("bnlearn.json").read_text())


@pytest.fixture(scope="session")
def reference_table(shared: Path):
    tables: dict[str, pd.DataFrame] = {}

    def load(name: str) -> pd.DataFrame:
        if name not in tables:
            frame = pd.read_csv(shared / "reference" / "data" / f"{name}.csv.gz", keep_default_na=False)
            for column in frame:
                numeric = pd.api.types.is_numeric_dtype(frame[column]) and frame[column].dtype != bool
                frame[column] = frame[column].astype(float if numeric else "category")
            tables[name] = frame
        return tables[name]

    return load
