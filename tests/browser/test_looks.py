"""Every page, in both languages, light and dark, on a phone and on a desk: it can be read, it can
be used by everybody, and nothing is loaded from elsewhere."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.browser_setup import give_up
from browser.site import Site
from taishi.server.pages import STATIC

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
MOST_BYTES = 300 << 10
READY = {
    "memory": ".card",
    "review": ".review",
    "knowledge": ".document",
    "profiles": ".profile",
    "recall": ".choices",
    "chat": ".growing li",
    "activity": ".plot",
    "jobs": ".page h1",
    "settings": ".setting",
}
# fmt: off
TITLES = {
    "en": ["Memory", "Review", "Knowledge", "Profile", "Recall", "Chat", "Activity",
           "Jobs", "Settings"],
    "zh": ["记忆", "审阅", "知识库", "画像", "召回", "对话", "动态", "任务", "设置"],
}
# fmt: on
TWO = [("en", "light", 1440), ("zh", "dark", 390)]
OTHERS = [(language, colours, width) for language in ("en", "zh") for colours in ("light", "dark")
          for width in (390, 1440) if (language, colours, width) not in TWO]  # fmt: skip
LOOKS = [*TWO, *(pytest.param(*one, marks=pytest.mark.thorough) for one in OTHERS)]


def axe() -> Path:
    if not AXE.exists():
        give_up("axe-core is not there: make pages")
    return AXE


def faults(page: Page) -> list[str]:
    """What axe-core calls serious or critical."""
    found = page.evaluate(
        """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
        .filter(one => ["serious", "critical"].includes(one.impact))
        .map(one => `${one.id}: ${one.nodes.slice(0, 3).map(node =>
            node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")}`)"""
    )
    return list(found)


def open_page(site: Site, page: Page, name: str) -> None:
    page.goto(site.address(name))
    page.wait_for_selector(READY[name])


@pytest.mark.parametrize(("language", "colours", "width"), LOOKS)
def test_every_page_can_be_read_and_used(
    story: Site, language: str, colours: str, width: int
) -> None:
    locale = "zh-CN" if language == "zh" else "en-US"
    wrong: list[str] = []
    with story.page(width, locale=locale, color_scheme=colours, reduced_motion="reduce") as page:
        page.add_init_script(path=axe())
        for name, title in zip(READY, TITLES[language], strict=True):
            open_page(story, page, name)
            assert page.locator("h1").inner_text() == title
            assert page.locator("html").get_attribute("lang") == locale.replace("en-US", "en")
            if name == "memory":
                page.locator(".card").first.click()
                page.wait_for_selector(".drawer h3")
                wrong += [f"detail: {one}" for one in faults(page)]
                page.keyboard.press("Escape")
                page.wait_for_selector(".drawer", state="detached")
                page.get_by_role(
                    "button", name="时间线" if language == "zh" else "Timeline"
                ).click()
                page.wait_for_selector(".moment")
                wrong += [f"timeline: {one}" for one in faults(page)]
                page.get_by_role(
                    "button", name="共享" if language == "zh" else "Shared", exact=True
                ).click()
                page.locator(".shared-list .card").first.click()
                page.wait_for_selector(".audit li")
                wrong += [f"shared: {one}" for one in faults(page)]
                page.keyboard.press("Escape")
                page.wait_for_selector(".drawer", state="detached")
            if name == "knowledge":
                page.locator(".document-open").first.click()
                page.wait_for_selector(".chunk")
                wrong += [f"document: {one}" for one in faults(page)]
                page.keyboard.press("Escape")
                page.wait_for_selector(".drawer", state="detached")
                page.locator(".knowledge-page .search input").fill("warranty of the kettle")
                page.wait_for_selector(".passage mark")
            if name == "recall":
                page.locator(".recall-page .search input").fill("Where does Ann live?")
                page.keyboard.press("Enter")
                page.wait_for_selector(".block")
            wrong += [f"{name}: {one}" for one in faults(page)]
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{name} is {wide} px too wide"
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (max(map(int, back[4:-1].split(","))) < 60) == (colours == "dark"), back
    assert not wrong, "\n".join(wrong)
    assert story.problems == []


def test_the_pages_are_light() -> None:
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    if not files:
        give_up("the pages are not built: make pages")
    weight = sum(len(gzip.compress(path.read_bytes())) for path in files)
    assert weight <= MOST_BYTES
    print(f"\n{weight / 1024:.0f} KB gzipped")


def test_language_and_colours_can_be_chosen_and_are_kept(story: Site) -> None:
    with story.page(color_scheme="light") as page:
        page.goto(story.address("review"))
        page.get_by_role("button", name="中文").click()
        assert page.locator("h1").inner_text() == "审阅"
        page.get_by_role("button", name="配色").click()
        page.get_by_role("button", name="配色").click()
        page.reload()
        page.wait_for_selector(".review")
        assert page.locator("h1").inner_text() == "审阅"
        assert page.locator("html").get_attribute("data-theme") == "dark"
        assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"


def test_by_keyboard_alone(story: Site) -> None:
    with story.page() as page:
        page.goto(story.address("memory"))
        page.wait_for_selector(".card")
        page.keyboard.press("/")
        page.keyboard.type("cello")
        expect(page.locator(".card")).to_have_count(1)
        page.locator(".card").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".drawer .detail-text")
        assert page.locator(".detail-text").inner_text() == "Ann plays the cello"
        page.keyboard.press("Escape")
        page.wait_for_selector(".drawer", state="detached")
        assert page.evaluate("document.activeElement.className").startswith("card")
