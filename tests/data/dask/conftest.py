"""A cluster for all tests of this folder."""

import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="package")
def cluster():
    """Two workers, each a process of its own."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as made,
        Client(made, set_as_default=False) as client,
    ):
        yield client
