"""The pages say what is so, in words for people: sources, versions, states, counts, addresses."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.site import ANN, Site, running_site
from browser.test_looks import axe, faults
from taishi import tools
from taishi.server.oauth.state import Approval
from taishi.server.oauth.store import OAuthStore


@pytest.fixture
def site(browser: Browser, tmp_path: Path) -> Iterator[Site]:
    with running_site(tmp_path, browser) as running:
        yield running


def by_model(site: Site, name: str, **given: object) -> str:
    answer = tools.call(site.memory, name, given, ANN, names=[name])
    assert answer.ok, answer.text
    return str(answer.data.get("id", ""))


def drawer(site: Site, page: Page, id: str, **more: str) -> str:
    page.goto(site.address("memory", open=id, **more))
    expect(page.locator(".drawer .facts-list")).to_be_visible()
    expect(page.locator(".drawer .source").first).to_be_visible()
    return page.locator(".drawer").inner_text()


def test_what_a_model_corrected_rests_on_the_model_and_nothing_is_deleted(site: Site) -> None:
    old = by_model(site, "remember", text="Ann lives in Cork")
    new = by_model(site, "correct", id=old, text="Ann lives in Oslo")
    with site.page() as page:
        told = drawer(site, page, new)
        assert "The model" in told and "Deleted" not in told
        expect(page.locator(".drawer .history li")).to_contain_text(re.compile("until .*20\\d\\d"))
    assert site.problems == []


def test_an_earlier_version_that_a_person_corrected_has_a_date(site: Site) -> None:
    old = site.memory.remember(ANN, "Ann lives in Cork", kind="fact")
    new = site.memory.facts.correct(ANN, str(old), "Ann lives in Oslo")
    with site.page() as page:
        drawer(site, page, str(new))
        expect(page.locator(".drawer .history li")).to_contain_text(re.compile("until .*20\\d\\d"))
    assert site.problems == []


def test_a_withdrawn_fact_is_not_called_replaced(site: Site) -> None:
    id = by_model(site, "remember", text="Ann has a cat")
    by_model(site, "correct", id=id)
    with site.page() as page:
        page.goto(site.address("memory"))
        expect(page.locator(".card", has_text="Ann has a cat")).to_contain_text("Withdrawn")
        told = drawer(site, page, id)
        assert "Withdrawn" in told and "Replaced" not in told and "Deleted" not in told
    assert site.problems == []


def test_what_is_remembered_beside_a_chat_holds(site: Site) -> None:
    old = by_model(site, "remember", text="Ann lives in Cork")
    by_model(site, "correct", id=old, text="Ann lives in Oslo")
    with site.page() as page:
        page.goto(site.address("chat"))
        panel = page.locator(".growing")
        expect(panel).to_contain_text("Ann lives in Oslo")
        expect(panel).not_to_contain_text("Cork")
    assert site.problems == []


def test_the_counts_of_the_memory_page_add_up_to_that_of_the_place(site: Site) -> None:
    old = by_model(site, "remember", text="Ann has a cat")
    by_model(site, "correct", id=old, text="Ann has a dog")
    site.memory.profiles.set(ANN, "- likes tea", name="Ann")
    site.memory.knowledge.add(ANN, "# Guide\n\nThe kettle holds two litres.", name="guide.md")
    site.memory.drain()
    with site.page() as page:
        page.goto(site.address("memory"))
        value = page.locator(".tile", has_text="Memories").locator(".tile-value")
        expect(value).to_contain_text("+1 page about people")
        counted = sum(map(int, re.findall(r"\d+", value.inner_text())))
        page.locator(".place-button").click()
        expect(page.locator("dialog .place-row").first).to_contain_text(f"{counted} in all")
    assert site.problems == []


@pytest.mark.parametrize("page_name", ["profile", "nonsense"])
def test_an_address_that_names_no_page_is_said_to(site: Site, page_name: str) -> None:
    site.memory.remember(ANN, "Ann plays the cello", kind="fact")
    with site.page() as page:
        page.goto(site.address(page_name))
        expect(page.locator(".empty h2")).to_have_text("No such page")
        expect(page.locator(".empty")).to_contain_text(page_name)
        expect(page.locator(".card")).to_have_count(0)
        page.locator(".empty").get_by_role("link", name="Memory").click()
        expect(page.locator(".card", has_text="cello")).to_be_visible()
    assert site.problems == []


def test_categories_are_in_chinese_on_chinese_pages(site: Site) -> None:
    data = {"tags": ["residence", "Bergen"]}
    site.memory.remember(ANN, "安住在卑尔根", kind="fact", metadata=data)
    with site.page(locale="zh-CN") as page:
        page.goto(site.address("memory"))
        expect(page.locator(".card .tag").first).to_have_text("住处")
        expect(page.locator(".card .tag").nth(1)).to_have_text("Bergen")
        page.goto(site.address("memory", tag="住处"))
        expect(page.locator(".card")).to_have_count(1)
    assert site.problems == []


def test_who_proposed_is_a_name(site: Site) -> None:
    site.memory.remember(ANN, "Ann plays the cello", kind="fact")
    by_model(site, "propose_shared", text="Releases are on Fridays", type="convention")
    with site.page() as page:
        page.goto(site.address("review"))
        item = page.locator(".review", has_text="Releases are on Fridays")
        expect(item).to_contain_text("Proposed by the assistant of ann")
        expect(item).not_to_contain_text("chat:")
    assert site.problems == []


@pytest.mark.parametrize(
    ("said", "header"), [("I live in Bergen", "2026-09-10"), ("我住在卑尔根", "2026年")]
)
def test_a_card_shows_the_time_of_an_event_once(site: Site, said: str, header: str) -> None:
    site.memory.end_turn(ANN, new_info=said, sender_name="Ann", time="2026-09-10T09:00:00Z")
    site.memory.drain()
    with site.page() as page:
        page.goto(site.address("memory", kind="event,turn,summary"))
        text = page.locator(".card .card-text").first
        expect(text).to_be_visible()
        assert header not in text.inner_text()
    assert site.problems == []


def test_a_program_that_connected_by_oauth_is_listed_and_disconnected(site: Site) -> None:
    _, secret = site.keys.create("me", rights="admin", workspace=None)
    store = OAuthStore(site.keys)
    client = store.register("Claude", ("https://claude.example/cb",))
    key = site.keys.list()[0].id
    approval = Approval(client.id, client.name, key, "write", "https://memory.example/mcp", "ann")
    verifier = "v" * 64
    hashed = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    code = store.approve(approval, client.redirect_uris[0], hashed.decode().rstrip("="))
    store.exchange(code, client.id, client.redirect_uris[0], verifier, approval.resource)
    site.memory.remember(ANN, "Ann plays the cello", kind="fact")
    with site.page() as page:
        page.add_init_script(path=axe())
        page.goto(site.address("settings"))
        page.locator("input[type=password]").fill(secret)
        page.keyboard.press("Enter")
        panel = page.locator(".panel", has_text="Connected programs")
        expect(panel.locator(".key-row")).to_contain_text("Claude")
        expect(panel).to_contain_text("ann")
        assert faults(page) == []
        panel.get_by_role("button", name="Disconnect").click()
        page.locator("dialog").get_by_role("button", name="Disconnect").click()
        expect(page.locator(".panel", has_text="Connected programs")).to_have_count(0)
    assert store.list() == [] and site.problems == []
