"""What several tests of networks use."""

import pytest


@pytest.fixture(scope="session")
def pyagrum():
    """The package, which warns of itself when it is imported, and crashes where that is an error."""
    from bnjit.network.pyagrum import import_part

    import_part("pyagrum.clg", "tests")
    return import_part("pyagrum", "tests")
