"""Fixtures for all tests, through conftest.py: a real browser without a window, if there is one, and pages in it."""

import os
import shutil

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1200,800",
)  # fmt: skip


def missing():
    """What the tests need and is not there; BNJIT_BROWSER=required makes that a failure."""
    programs = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    try:
        import selenium  # noqa: F401
    except ImportError:
        programs.append("selenium")
    return programs


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    lacking = missing()
    if lacking:
        if os.environ.get("BNJIT_BROWSER") == "required":
            pytest.fail(f"BNJIT_BROWSER=required, but there is no {', '.join(lacking)}")
        pytest.skip(f"there is no {', '.join(lacking)} (Debian: chromium, chromium-driver; PyPI: selenium)")
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service(shutil.which("chromedriver")))  # a path, so nothing is fetched
    yield driver
    driver.quit()


@pytest.fixture
def show(chromium, tmp_path):
    """Open a page of HTML, without a connection; in the end its console must have been silent."""

    def open_page(html, width=1200, height=800):
        (tmp_path / "page.html").write_text(html, encoding="utf-8")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        chromium.execute_cdp_cmd("Network.enable", {})
        nothing = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        chromium.execute_cdp_cmd("Network.emulateNetworkConditions", nothing)
        chromium.get((tmp_path / "page.html").as_uri())
        return chromium

    yield open_page
    assert chromium.get_log("browser") == []
