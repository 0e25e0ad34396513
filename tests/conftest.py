"""What all tests share: files that take long start first, and a browser is there or asked for."""

import os
import signal
from pathlib import Path

import pytest

from lib.cli.probes import chromium_path

# Files that take longest, the longest first: xdist hands out whole files, and a long one that
# starts last would keep everybody waiting. The rest follow in the order of their names.
LONG = (
    "browser",
    "lessons",
    "test_solitaire_truth.py",
    "grading",
    "agents",
    "boards",
)


def pytest_configure() -> None:
    """Ctrl-C counts, in commands that tests start too: background jobs are born deaf to it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _place(path: Path) -> int:
    """How early a file should start: 0 for the first entry of LONG that is part of its path."""
    return next((place for place, name in enumerate(LONG) if name in path.parts), len(LONG))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first; a stable sort, so that the tests of a file keep their order."""
    items.sort(key=lambda item: _place(item.path))


def _browser() -> str:
    """The path of a browser; without one the test is skipped, but fails where CI is set."""
    found = chromium_path()
    if not found and os.environ.get("CI"):
        pytest.fail("no Chromium here, and CI is set: install one (Debian: apt install chromium)")
    if not found:
        pytest.skip("no Chromium here: `course.py doctor` says how to get one")
    return found


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser that the tests drive."""
    return _browser()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test marked `browser` needs one, whether or not it asks for its path."""
    if item.get_closest_marker("browser"):
        _browser()
