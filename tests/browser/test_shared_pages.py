"""Shared memory on the pages: what agents proposed is decided by clicking, or with one key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.site import ANN, Site, running_site
from browser.test_looks import axe, faults
from taishi import Scope

EVERYBODY = Scope(shared=True)
CODER, WRITER = Scope(agent="coder"), Scope(agent="writer")


@pytest.fixture
def site(browser: Browser, tmp_path: Path) -> Iterator[Site]:
    """Two proposals, and two that contradict each other."""
    with running_site(tmp_path, browser) as running:
        memory = running.memory
        memory.remember(ANN, "Ann plays the cello", kind="fact")
        propose = memory.shared.propose
        tabs = propose(CODER, "Indent with tabs", "convention", topic="indent", confidence=0.65)
        spaces = propose(WRITER, "Indent with spaces", "convention", topic="indent",
                         confidence=0.4)  # fmt: skip
        memory.shared.approve(EVERYBODY, str(tabs))
        memory.shared.approve(EVERYBODY, str(spaces))
        propose(CODER, "The API speaks JSON only", "project_context")
        propose(CODER, "Releases are on Fridays", "decision_record", topic="release")
        yield running


def states(site: Site) -> dict[str, str]:
    return {one.text: one.state for one in site.memory.shared.list(EVERYBODY)}


def current(page: Page) -> str:
    return page.locator(".review.current .review-text").first.inner_text()


def test_F5_proposals_and_conflicts_are_decided_with_one_key(site: Site) -> None:
    assert states(site)["Indent with spaces"] == "conflict"
    with site.page() as page:
        page.add_init_script(path=axe())
        page.goto(site.address("review"))
        expect(page.locator(".review")).to_have_count(3)
        expect(page.locator("nav .count")).to_have_text("3 waiting")
        assert faults(page) == []
        expect(page.get_by_text("Which of these holds for everybody?")).to_be_visible()
        page.keyboard.press("2")
        expect(page.locator(".sides")).to_have_count(0)
        first = current(page)
        page.keyboard.press("a")
        expect(page.locator(".review")).to_have_count(1)
        second = current(page)
        page.keyboard.press("r")
        expect(page.get_by_text("Nothing waits for you")).to_be_visible()
        expect(page.locator("nav .count")).to_have_count(0)
    after = states(site)
    assert (after[first], after[second]) == ("approved", "rejected")
    assert after["Indent with spaces"] == "approved"
    assert after["Indent with tabs"] in ("rejected", "superseded")
    approved = site.memory.context(ANN, "Indent with what?", deadline=5)
    assert "spaces" in approved and "tabs" not in approved  # in every chat from now on
    assert site.problems == []


def test_F5_a_proposal_is_put_in_other_words(site: Site) -> None:
    with site.page() as page:
        page.goto(site.address("review"))
        item = page.locator(".review", has_text="Releases are on Fridays")
        item.get_by_role("button", name="Correct").click()
        page.get_by_label("What is right?").fill("Releases are on Tuesdays")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".review")).to_have_count(2)
    assert states(site)["Releases are on Tuesdays"] == "approved"
    assert states(site)["Releases are on Fridays"] != "approved"
    assert site.problems == []


def test_F5_the_tab_lists_entries_with_their_audit(site: Site) -> None:
    with site.page() as page:
        page.goto(site.address("memory"))
        page.get_by_role("button", name="Shared", exact=True).click()
        cards = page.locator(".shared-list .card")
        expect(cards).to_have_count(4)
        page.get_by_placeholder("Search").fill("json")
        expect(cards).to_have_count(1)
        expect(cards).to_contain_text("To be reviewed")
        cards.click()
        expect(page.locator(".audit li")).to_have_count(1)
        expect(page.locator(".audit")).to_contain_text("Proposed · agent:coder")
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".audit li")).to_have_count(2)
        expect(page.locator(".audit li").last).to_contain_text("REST")
        page.keyboard.press("Escape")
        expect(cards).not_to_contain_text("To be reviewed")
    assert states(site)["The API speaks JSON only"] == "approved"
    assert site.problems == []


def test_S2_a_key_for_one_user_sees_what_was_approved_and_decides_nothing(site: Site) -> None:
    site.keys.create("owner", rights="admin")
    _, key = site.keys.create("ann", rights="write", user="ann")
    with site.page() as page:
        page.goto(site.address("memory", kind="shared"))
        page.get_by_label("API key").fill(key)
        page.get_by_role("button", name="Sign in").click()
        page.locator(".shared-list .card", has_text="Indent").first.click()
        expect(page.locator(".audit li").first).to_be_visible()
        expect(page.get_by_role("button", name="Reject")).to_have_count(0)
        page.keyboard.press("Escape")
        expect(page.locator(".card", has_text="JSON only")).to_have_count(0)
        page.goto(site.address("review"))
        expect(page.get_by_text("Nothing waits for you")).to_be_visible()


def test_F5_in_the_shared_place_an_entry_is_decided_as_one(site: Site) -> None:
    with site.page() as page:
        page.goto(site.address("memory", "workspace:"))
        page.locator(".card", has_text="Releases are on Fridays").click()
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".audit li")).to_have_count(2)
    assert states(site)["Releases are on Fridays"] == "approved"
    assert site.problems == []


def test_what_is_shared_appears_in_a_private_chat_by_itself(
    fresh: Callable[[], Site],
) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("memory", kind="shared"))
        expect(page.locator(".shared-list .card")).to_have_count(1)
        page.wait_for_selector(".live.on")
        page.wait_for_timeout(1200)
        site.memory.shared.propose(Scope(agent="seller"), "Kiosks close at nine", "convention")
        expect(page.locator(".shared-list .card", has_text="Kiosks close")).to_be_visible()
        expect(page.get_by_role("link", name="Review").locator(".count")).to_contain_text("4")
    assert site.problems == []
