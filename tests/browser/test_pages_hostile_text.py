"""What strangers wrote is text, on every page: it runs nothing, loads nothing, breaks nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.site import Site, running_site
from taishi import Scope
from taishi.types import Edit, Record

EVE = Scope(user="<img src=x onerror=alert(1)>")
PLACE = f"private:{EVE.user}"
SCRIPTS = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "<svg onload=window.hacked=1><iframe srcdoc='<script>parent.hacked=1</script>'>",
    "[click](javascript:window.hacked=1) ![x](http://127.0.0.1:9/pixel.png)",
    "</textarea></script><script>window.hacked=1</script>",
    "{{constructor.constructor('window.hacked=1')()}} ${window.hacked=1}",
    "\u202egnirts desrever\u202c \u2066isolate",
    "مرحبا بالعالم hello עולם",
    "zero\u200bwidth\u200djoin\ufeff\u00ad",
    "\U0001f469\u200d\U0001f680" * 50,
]
BODY = "\n\n".join(
    [*SCRIPTS, "# <b>head</b>", "<javascript:window.hacked=1>", "- item", "`<i>`", "| a |\n|---|"]
)


@pytest.fixture(scope="module")
def hostile(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("hostile"), browser) as site:
        memory = site.memory
        memory.remember_many(EVE, [
            {"text": text, "kind": "fact", "id": f"h{number}<b>", "speaker": text[:60],
             "metadata": {"tags": [text[:80]], "quotes": [text]}}
            for number, text in enumerate(SCRIPTS)
        ])  # fmt: skip
        tags = [f"tag <b>{number}</b>" for number in range(10_000)]
        many = Record("tags", EVE.home, "note", "many tags", created=1.0, data={"tags": tags})
        memory._services.runtime.parts.store.apply([Edit("put", many)])  # a verb keeps fewer
        memory.remember(EVE, "W" * 1_000_000, kind="note", id="long")
        memory.profiles.set(EVE, BODY, name=SCRIPTS[0], tags=[SCRIPTS[1]])
        memory.profiles.set(EVE, BODY + "\n\n--- +++ @@", name=SCRIPTS[0], tags=[SCRIPTS[1]])
        yield site


def harmless(site: Site, page: Page) -> None:
    assert page.evaluate("window.hacked") is None
    strange = "main script, main iframe, main img, main [onerror], main [onload], dialog img"
    assert page.locator(strange).count() == 0
    links = page.evaluate("[...document.querySelectorAll('a')].map(one => one.protocol)")
    assert set(links) <= {"http:", "https:"}, links
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{wide} px too wide"
    assert site.problems == []


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.thorough), 390])
def test_stored_scripts_links_and_odd_letters_are_shown_as_text(hostile: Site, width: int) -> None:
    with hostile.page(width) as page:
        page.goto(hostile.address("memory", PLACE))
        expect(page.locator(".card").first).to_be_visible()
        page.locator(".list").evaluate("list => list.scrollTo(0, 1e6)")
        page.wait_for_timeout(150)
        harmless(hostile, page)
        for number in (0, 3, 6):
            page.goto(hostile.address("memory", PLACE, open=f"h{number}<b>"))
            expect(page.locator(".detail-text")).to_have_text(SCRIPTS[number])
            page.locator("details summary").click()
            harmless(hostile, page)
        page.goto(hostile.address("profiles", PLACE))
        expect(page.locator(".profile h2")).to_have_text(SCRIPTS[0])
        expect(page.locator(".markdown")).to_contain_text("<script>window.hacked = 1</script>")
        expect(page.locator(".markdown a")).to_have_count(0)
        page.locator(".revisions button").first.click()
        expect(page.locator(".diff-line.added").last).to_contain_text("--- +++ @@")
        harmless(hostile, page)
        page.goto(hostile.address("recall", PLACE))
        page.locator(".recall-page .search input").fill("window hacked script")
        page.keyboard.press("Enter")
        expect(page.locator(".block")).to_be_visible()
        harmless(hostile, page)


def test_a_megabyte_and_ten_thousand_tags_do_not_hold_the_page_up(hostile: Site) -> None:
    with hostile.page() as page:
        page.goto(hostile.address("memory", PLACE))
        expect(page.locator(".card").first).to_be_visible()
        assert page.evaluate("document.body.innerText.length") < 20_000
        page.goto(hostile.address("memory", PLACE, open="long"))
        expect(page.locator(".detail-text")).to_be_visible()
        assert page.evaluate("document.querySelector('.detail-text').innerText.length") < 6000
        page.get_by_role("button", name="Show all").click()
        count = "document.querySelector('.detail-text').innerText.length"
        assert page.evaluate(count) >= 1_000_000
        page.goto(hostile.address("memory", PLACE, open="tags"))
        expect(page.locator(".drawer .tag")).to_have_count(25)
        expect(page.locator(".drawer .tag").last).to_have_text("+9976")
        harmless(hostile, page)


def test_a_foreign_script_is_refused_by_the_policy(hostile: Site) -> None:
    with hostile.page() as page:
        page.goto(hostile.address("memory", PLACE))
        expect(page.locator(".card").first).to_be_visible()
        tried = page.evaluate(
            """() => { const done = [];
            const script = document.createElement("script");
            try { script.text = "window.hacked = 1"; document.body.append(script); }
            catch { done.push("script"); }
            try { document.body.innerHTML = "<img src=x onerror='window.hacked=1'>"; }
            catch { done.push("html"); }
            return done; }"""
        )
        assert tried == ["script", "html"]
        assert page.evaluate("window.hacked") is None


def test_a_made_up_address_is_no_error(hostile: Site, tmp_path: Path) -> None:
    with hostile.page() as page:
        for odd in ("#/%3Cscript%3E", "#/memory?place=planet:mars", "#/memory?place=group:", "#//"):
            page.goto(f"{hostile.url}/{odd}")
            page.reload()
            expect(page.locator("main")).to_be_visible()
            expect(page.locator("h1")).to_have_count(1)
            assert page.evaluate("window.hacked") is None
