"""No file is trusted: whatever is in it, the answer is a result or a BnjitError."""

import sys

import pytest

from tests.fuzz.campaign import run
from tests.fuzz.readers import READERS, good_files

FAST, SLOW = 120, 5400  # mutated files for each reader: some thousands, and 10^5 in all

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux'")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return good_files(tmp_path_factory.mktemp("good"))


def check(good, name, first, last, folder):
    found = run(good[name], name, first, last, folder)
    assert not found.crashes, "\n".join(found.crashes)
    assert not found.leaks, "\n".join(found.leaks)


@pytest.mark.parametrize("name", READERS)
def test_mutated_files(good, tmp_path, name):
    check(good, name, 0, FAST, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_many_mutated_files(good, tmp_path, name):
    check(good, name, FAST, FAST + SLOW, tmp_path)
