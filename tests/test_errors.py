"""Warnings of bnjit can be silenced in one thread without a word lost in another."""

import threading
import warnings

import pytest

from bnjit.errors import BnjitWarning, quiet, warn


def test_quiet_is_of_one_thread():
    inside, said = threading.Event(), threading.Event()

    def be_quiet():
        with quiet():
            warn("not this")
            inside.set()
            said.wait(10)
            warn("nor this")

    def speak():
        other = threading.Thread(target=be_quiet)
        other.start()
        assert inside.wait(10)
        warn("this")
        said.set()
        other.join()
        with quiet(), quiet():
            warn("not that")
        warn("that")

    before = list(warnings.filters)
    with pytest.warns(BnjitWarning) as caught:
        speak()
    assert [str(one.message) for one in caught] == ["this", "that"]
    assert list(warnings.filters) == before
