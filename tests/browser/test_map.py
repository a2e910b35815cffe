"""The map: memories by meaning, found by pointing and by keyboard, and opened."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.site import ANN, Site
from browser.test_looks import axe, faults


@pytest.mark.parametrize(("locale", "colours", "width"),
                         [pytest.param("en-US", "light", 1440, marks=pytest.mark.thorough),
                          ("zh-CN", "dark", 390)])  # fmt: skip
def test_a_memory_is_found_on_the_map_and_opened(
    embedded: Site, locale: str, colours: str, width: int
) -> None:
    site = embedded
    with site.page(width, locale=locale, color_scheme=colours, reduced_motion="reduce") as page:
        page.add_init_script(path=axe())
        page.goto(site.address("memory", view="map", kind="fact"))
        dots = page.locator(".dot")
        facts = site.memory.records.map(ANN, kinds=["fact"])
        expect(dots).to_have_count(len(facts.points))
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.locator(".map-frame").focus()
        page.keyboard.press("ArrowRight")
        said = page.locator(".map-words .said").inner_text()
        assert said in [point.record.text for point in facts.points]
        page.keyboard.press("Enter")
        expect(page.locator(".drawer .detail-text")).to_have_text(said)
        page.keyboard.press("Escape")
        expect(page.locator(".drawer")).to_have_count(0)
        before = page.locator(".map-frame svg").get_attribute("viewBox")
        page.get_by_role("button", name="放大" if width == 390 else "Zoom in").click()
        expect(page.locator(".map-frame svg")).not_to_have_attribute("viewBox", str(before))
        page.locator(".map-frame").focus()
        page.keyboard.press("0")
        expect(page.locator(".map-frame svg")).to_have_attribute("viewBox", str(before))
        first = page.locator(".map-frame .dot").nth(0)
        first.dispatch_event("click")
        expect(page.locator(".drawer .detail-text")).to_be_visible()
    assert site.problems == []


def test_without_vectors_the_map_says_what_it_needs(story: Site) -> None:
    with story.page() as page:
        page.goto(story.address("memory"))
        page.get_by_role("button", name="Map").click()
        expect(page.get_by_text("No map yet")).to_be_visible()
        expect(page.get_by_text("an embedder computes")).to_be_visible()
    assert story.problems == []
