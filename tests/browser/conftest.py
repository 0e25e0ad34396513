"""One JupyterLab server and one chromium for all browser tests."""

from collections.abc import Iterator
from typing import Any

import pytest

from lib.cli.browser import FLAGS, Lab, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("jupyter"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def lab(server: Server, browser: Any) -> Lab:
    return Lab(server, browser)
