"""One browser and one server for all the tests of this folder.

Where Chromium or the built pages cannot be had, they are skipped; with CI=true that is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser.browser_setup import FLAGS, chromium, give_up
from taishi.server.pages import STATIC

try:
    from playwright.sync_api import Browser, sync_playwright

    from browser.site import Site, running_site, tell
except ModuleNotFoundError:  # reported by the fixture
    sync_playwright = None  # type: ignore[assignment]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if sync_playwright is None:
        give_up("the Python package playwright is not installed: pip install 'taishi[dev]'")
    if not (STATIC / "index.html").exists():
        give_up("the pages are not built: make pages")
    try:
        path = chromium()
    except LookupError as reason:
        give_up(str(reason))
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="package")
def story(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """For tests that leave it as it is."""
    with running_site(tmp_path_factory.mktemp("story"), browser) as site:
        tell(site.memory)
        yield site


@pytest.fixture
def fresh(browser: Browser, tmp_path: Path) -> Iterator[Callable[[], Site]]:
    """For tests that change something: an empty memory, and what `tell` puts into it."""
    with running_site(tmp_path / "site", browser) as site:

        def make() -> Site:
            tell(site.memory)
            return site

        yield make
