"""The pages of the installed wheel: there, whole, and without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from browser.browser_setup import give_up
from support.built_wheel import ROOT, Environment, build, install
from taishi.server.pages import STATIC

pytestmark = pytest.mark.thorough  # builds a wheel; tests/distribution look into one
ASSET = re.compile(r'(?:src|href)="(/[^"]+)"')


@dataclass(frozen=True)
class Installed:
    environment: Environment
    address: str


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    if not (STATIC / "index.html").exists():
        give_up("the pages are not built: make pages")
    folder = tmp_path_factory.mktemp("installed")
    wheel, _ = build(ROOT, folder / "wheels")
    environment = install(folder / "environment", wheel, extras="server")
    where = environment.run("python", "-c", "import taishi; print(taishi.__file__)", cwd=folder)
    assert Path(where).is_relative_to(environment.folder), where
    with environment.pages(folder / "data") as address:
        yield Installed(environment, address)


def test_T2_an_installed_wheel_serves_its_pages_offline(installed: Installed) -> None:
    page = httpx.get(f"{installed.address}/", timeout=20)
    assert page.status_code == 200 and "make pages" not in page.text
    assets = ASSET.findall(page.text)
    assert {Path(asset).suffix for asset in assets} == {".css", ".js", ".svg"}
    for asset in assets:
        answer = httpx.get(installed.address + asset, timeout=20)
        assert answer.status_code == 200 and len(answer.content) > 100, asset
    assert not installed.environment.refused.exists(), installed.environment.refused.read_text()


def test_T2_the_pages_of_an_installed_wheel_open_in_a_browser(
    installed: Installed, browser: Browser
) -> None:
    failed: list[str] = []
    with browser.new_context(locale="en-US") as context:
        page = context.new_page()
        page.on("requestfailed", lambda asked: failed.append(f"{asked.url}: {asked.failure}"))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("request", lambda asked: failed.append(asked.url)
                if not asked.url.startswith(installed.address) else None)  # fmt: skip
        page.on("response", lambda answer: failed.append(f"{answer.status} {answer.url}")
                if answer.status >= 400 else None)  # fmt: skip
        page.goto(f"{installed.address}/")
        page.get_by_role("navigation").first.wait_for(timeout=10_000)
        words = page.inner_text("body")
        assert "Memory" in words and "Settings" in words, words
        assert failed == []
