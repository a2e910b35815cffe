"""The documentation, opened from its folder: no server, no network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.docs_site import build_site

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("docs-site"))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.set_default_timeout(20_000)
        yield page


@pytest.mark.parametrize(
    ("home", "words", "found"),
    [
        ("index.html", "kubernetes", "/how-to/deploy.html"),
        ("zh-CN/index.html", "部署", "/zh-CN/how-to/deploy.html"),
        ("zh-CN/index.html", "向量", "/zh-CN/how-to/vector-engines.html"),
    ],
)
def test_the_search_answers_in_both_languages(
    site: Path, page: Page, home: str, words: str, found: str
) -> None:
    page.goto((site / home).as_uri())
    page.locator("[data-md-component=search-query]").click()  # loads the index
    page.keyboard.type(words)
    page.keyboard.press("End")  # an input method ends with a key, which the theme waits for
    result = page.locator(f".md-search-result__link[href*='/site{found}']").first
    expect(result).to_be_visible(timeout=20_000)
    result.click()
    expect(page).to_have_url(re.compile(re.escape(f"/site{found}")))
    expect(page.locator("article h1")).to_be_visible()


def test_a_page_switches_to_the_other_language_and_shows_its_pictures(
    site: Path, page: Page
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site / "how-to" / "pages.html").as_uri())
    page.locator("article img").last.scroll_into_view_if_needed()
    widths = page.locator("article img").evaluate_all("all => all.map((one) => one.naturalWidth)")
    assert widths and all(widths), widths
    page.locator("[hreflang=zh-CN].md-select__link").evaluate("link => link.click()")
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    assert page.url.endswith("/zh-CN/how-to/pages.html") and not errors
