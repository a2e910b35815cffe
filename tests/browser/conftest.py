"""One browser and one server for all the tests of this folder.

Where Chromium or the built pages cannot be had, they are skipped; with CI=true that is a failure.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser.browser_setup import FLAGS, chromium, give_up
from taishi.server.pages import STATIC

try:
    from playwright.sync_api import Browser, sync_playwright

    from browser.site import ANN, Site, running_site, share, tell
    from support.hash_embedder import HashEmbedder
except ModuleNotFoundError:  # reported by the fixture
    sync_playwright = None  # type: ignore[assignment]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if sync_playwright is None:
        give_up("the Python package playwright is not installed: pip install '.[dev]'")
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


WORDS = " ".join(["wash the cup, dry it, put it back on its shelf"] * 12)


@pytest.fixture(scope="package")
def embedded(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The same with vectors: for what goes by meaning. Tests leave it as it is, too."""
    with running_site(tmp_path_factory.mktemp("embedded"), browser, HashEmbedder()) as site:
        tell(site.memory)
        for number in range(6):
            site.memory.remember(ANN, f"green tea leaves cup water {number}", kind="fact")
        long = "\n\n".join(
            f"## Rule {number}\n\nRule {number} says: {WORDS}." for number in range(130)
        )
        site.memory.knowledge.add(ANN, long, name="rules.md")
        share(site.memory)
        site.memory.drain()
        yield site


@pytest.fixture(scope="package")
def told(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `tell` puts into it, to be copied."""
    folder = tmp_path_factory.mktemp("told")
    with running_site(folder, browser) as site:
        tell(site.memory)
    return folder


@pytest.fixture
def fresh(browser: Browser, told: Path, tmp_path: Path) -> Iterator[Callable[[], Site]]:
    """For tests that change something: a memory of their own."""
    shutil.copytree(told, tmp_path / "site")
    with running_site(tmp_path / "site", browser) as site:
        yield lambda: site
