"""Whose memory it is: nobody speaks as a group, and an address with a slip in it opens nobody's."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from browser.site import Site
from taishi import Scope

Fresh = Callable[[], Site]
BOAT = Scope(group="g-boat")


def writes_of(page: Page) -> list[str]:
    sent: list[str] = []
    page.on("request", lambda one: one.method != "GET" and sent.append(one.url))
    return sent


def test_in_a_group_one_says_who_one_is(fresh: Fresh) -> None:
    site = fresh()
    site.memory.remember(BOAT, "The boat leaves at six", kind="fact")
    with site.page() as page:
        sent = writes_of(page)
        page.goto(site.address("chat", "group:g-boat"))
        expect(page.locator("#name-hint")).to_contain_text("say who you are")
        page.get_by_label("Message").fill("I moved to Bergen yesterday")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Your name")).to_be_focused()
        expect(page.get_by_label("Message")).to_have_value("I moved to Bergen yesterday")
        page.wait_for_timeout(300)
        assert [one for one in sent if "/turns" in one] == []
        page.get_by_label("Your name").fill("Nora")
        expect(page.locator("#name-hint")).to_contain_text("Nora")
        page.get_by_label("Message").press("Enter")
        expect(page.locator(".growing")).to_contain_text("Nora", timeout=8000)
    site.memory.drain()
    texts = [one.text for one in site.memory.records.newest(BOAT, limit=50).records]
    assert any("Nora" in text and "Bergen" in text for text in texts)
    assert [text for text in texts if "g-boat" in text.replace("group g-boat: ", "")] == []
    assert site.problems == []


def test_an_unknown_place_is_not_taken_for_another(fresh: Fresh) -> None:
    site = fresh()
    before = [info.partition for info in site.memory.partitions()]
    with site.page() as page:
        sent = writes_of(page)
        page.goto(site.address("chat", "user:u-nora"))  # there is no such kind
        expect(page.get_by_role("heading", name="No such place").last).to_be_visible()
        expect(page.get_by_label("Message")).to_have_count(0)
        assert "user%3Au-nora" in page.url or "user:u-nora" in page.url
        page.goto(site.address("chat", "private:u-nora"))  # nor such a user
        expect(page.get_by_role("heading", name="No such place").last).to_be_visible()
        expect(page.get_by_label("Message")).to_have_count(0)
        assert sent == []
        page.get_by_role("main").get_by_role("button", name="Whose memory?").click()
        page.locator("dialog .place-row", has_text="ann").click()
        expect(page.get_by_label("Message")).to_be_visible()
        page.goto(site.address("chat", "private:u-nora"))
        page.get_by_role("button", name="Begin a new memory here").click()
        expect(page.get_by_label("Message")).to_be_visible()
    assert [info.partition for info in site.memory.partitions()] == before
    assert site.problems == []
