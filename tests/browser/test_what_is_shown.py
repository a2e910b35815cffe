"""What a page says of a memory is what there is: counts, names, days and ages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.site import ANN, GUIDE, Site, running_site
from browser.test_looks import axe, faults
from taishi import Scope
from taishi.types import Edit, Record

Fresh = Callable[[], Site]
EVERYBODY = Scope(shared=True)
BOAT = Scope(group="g-boat", user="nora")


@pytest.fixture
def shanghai(browser: Browser, tmp_path: Path) -> Iterator[Site]:
    """A memory in Asia/Shanghai, looked at by a browser in UTC."""
    with running_site(tmp_path, browser, **{"memory.timezone": "Asia/Shanghai"}) as site:
        yield site


def row(page: Page, name: str) -> Locator:
    return page.locator(".drawer .facts-list > div", has_text=name).locator("dd")


def test_documents_are_not_counted_as_memories_and_one_is_led_to_them(fresh: Fresh) -> None:
    site = fresh()
    site.memory.shared.reject(EVERYBODY, site.memory.shared.list(EVERYBODY)[0].id)
    for entry in site.memory.records.newest(EVERYBODY).records:
        site.memory.forget(EVERYBODY, id=entry.id)
    site.memory.knowledge.add(EVERYBODY, GUIDE, name="kettle.md")
    site.memory.drain()
    kinds = site.memory.records.digest(EVERYBODY).kinds
    passages, stored = kinds["chunk"], kinds["chunk"] + kinds["document"]
    with site.page() as page:
        page.goto(site.address("memory", "workspace:"))
        tile = page.locator(".tile", has_text="Memories")
        expect(tile.locator(".tile-value")).to_have_text(f"0 +{stored} from documents")
        expect(page.locator(".empty")).to_contain_text(f"{passages} passages of documents")
        tile.get_by_role("link", name=f"+{stored} from documents").click()
        expect(page.locator(".document")).to_have_count(1)
        page.locator(".place-button").click()
        row = page.locator("dialog .place-row", has_text="Shared memory")
        expect(row).to_contain_text("in all")
    assert site.problems == []


def test_what_is_not_true_is_not_among_the_memories(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("memory"))
        value = page.locator(".tile", has_text="Memories").locator(".tile-value")
        all_listed = len(listed(site))
        ended = [one for one in listed(site) if one in ("rejected", "superseded")]
        kinds = site.memory.records.digest(ANN).kinds
        more = f"+{kinds['chunk'] + kinds['document']} from documents +1 page about people"
        words = f"{all_listed - len(ended)} +{len(ended)} not in force {more}"
        expect(value).to_have_text(words)
        site.memory.facts.reject(ANN, "cello")
        words = f"{all_listed - len(ended) - 1} +{len(ended) + 1} not in force {more}"
        expect(value).to_have_text(words, timeout=6000)
        page.locator(".card", has_text="cello").click()
        expect(page.locator(".drawer .confidence .fill-grey")).to_have_count(1)
        corrected = site.memory.facts.correct(ANN, "maybe-1", "Ann is right-handed")
        page.goto(site.address("memory", open=str(corrected)))
        heads = page.locator(".drawer .source-head")
        expect(heads.filter(has_text="A person").first).to_be_visible()
        assert all("person person" not in one for one in heads.all_inner_texts())
    assert site.problems == []


def listed(site: Site) -> list[str]:
    """The states of what the list has."""
    hidden = ("profile", "chunk", "document")
    found = site.memory.records.newest(ANN, limit=500).records
    return [one.state for one in found if one.kind not in hidden]


@pytest.mark.parametrize(
    ("tab", "words"),
    [("Procedures", "No procedures yet"), ("Facts", "No facts yet"), ("Events", "No events yet")],
)
def test_an_empty_tab_says_what_would_be_there(fresh: Fresh, tab: str, words: str) -> None:
    site = fresh()
    site.memory.remember(Scope(user="bo"), "a note", kind="note")
    with site.page() as page:
        page.goto(site.address("memory", "private:bo"))
        page.get_by_role("button", name=tab).click()
        expect(page.locator(".empty h2")).to_have_text(words)
        expect(page.get_by_role("button", name="Clear search")).to_have_count(0)
        page.get_by_role("button", name="Words", exact=True).click()
        page.get_by_placeholder("Search").fill("xyzzy")
        expect(page.locator(".empty")).to_contain_text("or search by meaning")
        expect(page.locator(".empty")).not_to_contain_text("filters,")
    assert site.problems == []


def test_a_place_is_found_by_its_name_and_by_its_id(fresh: Fresh) -> None:
    site = fresh()
    site.memory.end_turn(BOAT, new_info="We sail on Sundays", sender_name="Nora",
                         group_name="Harbour Lights")  # fmt: skip
    site.memory.profiles.set(Scope(group="g-boat"), "- sails on Sundays", name="Harbour Lights")
    site.memory.drain()
    with site.page() as page:
        page.goto(site.address("memory", "group:g-boat"))
        button = page.locator(".place-button")
        expect(button.locator(".place-id")).to_have_text("Harbour Lights")
        expect(button.locator(".place-kind")).to_have_text("Group · g-boat")
        button.click()
        for words in ("harbour", "G-BOAT"):
            page.locator("dialog input[type=search]").fill(words)
            expect(page.locator("dialog .place-row")).to_have_count(1)
            expect(page.locator("dialog .place-row")).to_contain_text("Harbour Lights")
    assert site.problems == []


def test_what_is_said_in_a_group_is_recorded_with_its_name(fresh: Fresh) -> None:
    site = fresh()
    site.memory.profiles.set(Scope(group="g-boat"), "- sails on Sundays", name="Harbour Lights")
    site.memory.drain()
    with site.page() as page:
        page.goto(site.address("chat", "group:g-boat"))
        page.locator(".chat-name input").fill("Nora")
        page.get_by_placeholder("Say something").fill("I bought a red anchor")
        page.keyboard.press("Enter")
        expect(page.locator(".chat-line.assistant")).to_have_count(1)
    site.memory.drain()
    events = site.memory.records.newest(BOAT, kinds=["event"]).records
    assert [one.text for one in events if "anchor" in one.text and "Harbour Lights" in one.text]
    assert site.problems == []


def test_tags_and_shares_are_in_chinese_on_chinese_pages(fresh: Fresh) -> None:
    site = fresh()
    site.memory.remember(ANN, "安对花生过敏", kind="fact", id="nuts",
                         metadata={"tags": ["health", "坚果"]})  # fmt: skip
    with site.page(locale="zh-CN") as page:
        page.goto(site.address("memory", open="nuts"))
        expect(page.locator(".detail-tags .tag")).to_have_text(["健康", "坚果"])
        expect(page.locator(".drawer .confidence .numbers").first).to_have_text("100%")
    assert site.problems == []


def test_what_is_connected_is_shown_by_its_words(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("memory", open="bike"))
        expect(page.locator(".drawer .linked")).to_have_text(
            "In conflict with: Ann goes to work by tram"
        )
        page.locator(".drawer .linked").click()
        expect(page.locator(".detail-text")).to_have_text("Ann goes to work by tram")
    assert site.problems == []


def test_a_day_of_which_nobody_named_an_hour_is_a_day(shanghai: Site) -> None:
    memory = shanghai.memory
    memory.remember(ANN, "Ann moved to Haicang on 2026-03-29", kind="fact", id="moved",
                    time="2026-03-29T00:00:00+08:00")  # fmt: skip
    memory.remember(ANN, "Ann called", kind="event", id="called", time="2026-04-03T12:15:00Z")
    memory.end_turn(ANN, action_summary="Sent the file", new_info="The file was sent",
                    sender_name="Ann", time="2026-04-03T12:15:00Z")  # fmt: skip
    memory.drain()
    with shanghai.page() as page:
        page.goto(shanghai.address("memory", open="moved"))
        expect(row(page, "Happened")).to_have_text("29 Mar 2026")
        page.goto(shanghai.address("memory", open="called"))
        expect(page.locator(".detail-text")).to_have_text("Ann called")
        expect(row(page, "Happened")).to_contain_text("12:15")
        page.goto(shanghai.address("memory", view="timeline"))
        sent = page.locator(".moment", has_text="file").first
        expect(sent.locator(".numbers")).to_have_text("20:15")
        assert "2026-04-03" not in sent.inner_text(), "once is enough"
        day = page.locator(".timeline section", has_text="29 March 2026")
        expect(day.locator(".moment .numbers")).to_have_text("")
    assert shanghai.problems == []


def test_a_memory_has_one_age_everywhere(shanghai: Site) -> None:
    """269 days are eight months and 29 days: eight months, as in the block."""
    memory = shanghai.memory
    then = datetime.now(UTC) - timedelta(days=269)
    fact = Record("oslo", ANN.home, "fact", "Ann lives in Oslo", time=then.timestamp(),
                  created=datetime.now(UTC).timestamp(), state="approved",
                  redaction=memory._services.runtime.redactor.stamp)  # fmt: skip
    memory._services.runtime.parts.store.apply([Edit("put", fact)])
    with shanghai.page() as page:
        page.goto(shanghai.address("memory"))
        expect(page.locator(".card .card-age")).to_have_text("8 months ago")
        page.goto(shanghai.address("chat"))
        expect(page.locator(".growing li")).to_contain_text("8 months ago")
        page.goto(shanghai.address("recall"))
        page.locator(".recall-page .search input").fill("Where does Ann live? In Oslo?")
        page.keyboard.press("Enter")
        expect(page.locator(".hits li")).to_contain_text("8 months ago")
        expect(page.locator("pre.block")).to_contain_text("8 months ago")
    assert shanghai.problems == []


def test_on_a_phone_the_other_pages_are_behind_more(story: Site) -> None:
    with story.page(390) as page:
        page.add_init_script(path=axe())
        page.goto(story.address("memory"))
        shown = page.locator("nav a:visible, nav button:visible")
        expect(shown).to_have_count(6)
        sizes = shown.evaluate_all(
            "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))"
        )
        assert min(sizes) >= 11
        page.get_by_role("button", name="More").click()
        pages = page.locator("dialog .more-pages a")
        expect(pages).to_have_text(["Recall", "Activity", "Jobs", "Settings"])
        assert faults(page) == []
        pages.first.click()
        expect(page.locator("h1")).to_have_text("Recall")
        expect(page.locator("dialog")).to_have_count(0)
    assert story.problems == []


def test_the_map_names_the_chosen_one_and_counts_what_is_seen(embedded: Site) -> None:
    with embedded.page() as page:
        page.goto(embedded.address("memory", view="map", kind="fact"))
        expect(page.locator(".map-label > span").first).to_be_visible()
        dots = page.locator(".map-frame .dot").count()
        expect(page.locator(".legend")).to_contain_text(f"Fact {dots}")
        page.locator(".map-frame").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".map-label.chosen")).to_have_count(1)
    assert embedded.problems == []
