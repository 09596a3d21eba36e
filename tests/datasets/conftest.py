"""A data directory of its own, and a web server, for the tests of published data."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bnjit.datasets import load


@pytest.fixture(autouse=True)
def nothing_logged_yet():
    """Forget which stand-ins were warned of: each test is to see its own warnings."""
    load.warn_of_stand_in.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("BNJIT_DATA", str(folder))
    return folder


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        self.path = self.path.split("?")[0].replace(":", "_")  # as in the addresses of a Dataverse
        super().do_GET()


@pytest.fixture
def server(tmp_path):
    """Address of a server, and the folder that it serves."""
    root = tmp_path / "www"
    root.mkdir()
    web = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(root)))
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{web.server_port}", root
    web.shutdown()
    thread.join()
    web.server_close()
