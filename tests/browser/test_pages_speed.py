"""The memory page over many records: few and small requests for each action, a bounded number of
elements, nothing that jumps; and every page paints at once. `python -m benchmarks pages` measures
the milliseconds, on a machine that does nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import SplitResult, parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.site import ANN, Site, running_site, tell
from browser.test_looks import READY
from taishi.types import Edit, Partition, Record

RECORDS = 9000
HOME = Partition("default", "private", "ann")
NOW = 1_790_000_000.0
# Of a row on the screen that is not a fact, which would be corrected instead: how many rows are
# above it, and its id.
AT_TOP = """() => { const list = document.querySelector(".list").getBoundingClientRect();
const card = [...document.querySelectorAll(".card")].find(one => one.textContent.includes("Note")
  && one.getBoundingClientRect().top > list.top);
const below = card.getBoundingClientRect().top - list.top;
return [Math.floor((document.querySelector(".list").scrollTop + below) / 92),
  "r" + /entry ([0-9]+)/.exec(card.textContent)[1]]; }"""
WORD, OLD_WORD = "lighthouse", "zanzibarite"
PAGE = 100
MOST_ROWS = 1000  # when what is shown is read again
MOST_CARDS = 40
OBSERVER = """window.shift = 0; new PerformanceObserver(list => list.getEntries().forEach(
one => { if (!one.hadRecentInput) window.shift += one.value; }))
.observe({type: "layout-shift", buffered: true});"""


@pytest.fixture(scope="module")
def large(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("large"), browser) as site:
        tell(site.memory)
        runtime = site.memory._services.runtime
        for start in range(0, RECORDS, 3000):
            runtime.parts.store.apply(
                [Edit("add", one(n, runtime.redactor.stamp)) for n in range(start, start + 3000)]
            )
        yield site


def one(number: int, redaction: int) -> Record:
    words = [f"entry {number} 第{number}条"]
    words += [WORD] if number % 10 == 0 else []
    words += [OLD_WORD] if number == 7 else []
    return Record(
        f"r{number}", HOME, ("note", "fact", "event")[number % 3], " ".join(words), user="ann",
        time=NOW - (RECORDS - number) * 600, created=NOW, confidence=0.8, redaction=redaction,
        data={"tags": ["rare" if number == 9 else "often"]},
    )  # fmt: skip


class Requests:
    """What a page asked for since the last `take`: the query of each list that it read."""

    def __init__(self, page: Page) -> None:
        self._lists: list[dict[str, list[str]]] = []
        page.on("request", lambda request: self._note(urlsplit(request.url)))

    def _note(self, address: SplitResult) -> None:
        if address.path == "/v1/browse":
            self._lists.append(parse_qs(address.query))

    def take(self, most: int = MOST_ROWS) -> list[dict[str, list[str]]]:
        """None of them asked for more than `most` rows, all for previews."""
        taken, self._lists = self._lists, []
        for query in taken:
            assert int(query["limit"][0]) <= most
            assert query["preview"] == ["true"]
        return taken


def settled(page: Page) -> None:
    expect(page.locator(".memory-page")).to_have_attribute("aria-busy", "false")


def test_Q10_few_small_requests_for_each_action(large: Site) -> None:
    with large.page() as page:
        requests = Requests(page)
        page.goto(large.address("memory"))
        page.wait_for_selector(".card")
        assert len(requests.take(PAGE)) == 1

        tabs = page.locator(".tabs")
        tabs.get_by_role("button", name="Facts").click()
        expect(page.locator(".tab[aria-pressed=true]")).to_have_text("Facts")
        settled(page)
        assert [query["kinds"] for query in requests.take(PAGE)] == [["fact"]]
        tabs.get_by_role("button", name="All").click()
        expect(page.locator(".tab[aria-pressed=true]")).to_have_text("All")
        settled(page)

        page.get_by_role("button", name="Words").click()
        requests.take()
        search = page.locator(".memory-page .search input")
        search.press_sequentially(OLD_WORD, delay=5)
        expect(page.locator(".card")).to_have_count(1)
        expect(page.locator(".card-text")).to_contain_text(OLD_WORD)
        settled(page)
        assert 1 <= len(requests.take(PAGE)) <= len(OLD_WORD)
        search.fill("第77")
        expect(page.locator(".card-text").first).to_contain_text("第77")
        settled(page)
        search.fill("")
        expect(page.locator(".card-text").first).not_to_contain_text("第77")

        page.get_by_role("button", name="Filters").click()
        requests.take()
        page.locator("#filters").get_by_label("Tag").fill("rare")
        page.keyboard.press("Tab")
        expect(page.locator(".card")).to_have_count(1)
        settled(page)
        assert [query["tag"] for query in requests.take(PAGE)] == [["rare"]]
        page.locator("#filters").get_by_label("State").select_option("conflict")
        page.get_by_role("button", name="Clear search and filters").click()
        expect(page.locator(".card").nth(3)).to_be_visible()
        expect(page.locator("#filters").get_by_label("Tag")).to_have_value("")
    assert large.problems == []


def test_an_endless_list_keeps_few_elements_and_the_place(large: Site) -> None:
    with large.page() as page:
        page.add_init_script(OBSERVER)
        requests = Requests(page)
        page.goto(large.address("memory"))
        page.wait_for_selector(".card")
        page.locator(".list").hover()
        most = 0
        for turn in range(30):
            page.mouse.wheel(0, 4000)
            page.wait_for_timeout(40)
            most = max(most, page.locator(".card").count())
            if turn == 12:
                nodes = page.evaluate("document.getElementsByTagName('*').length")
        page.wait_for_timeout(200)
        assert most <= MOST_CARDS
        assert page.evaluate("document.getElementsByTagName('*').length") < nodes * 1.5
        assert len(requests.take(PAGE)) >= 5
        at = page.evaluate("document.querySelector('.list').scrollTop")
        assert at > 40_000
        large.memory.remember(ANN, "something new arrives")
        expect(page.locator(".tile-value").first).to_contain_text("9,0")
        page.wait_for_timeout(1500)  # the page has followed the change
        moved = page.evaluate("document.querySelector('.list').scrollTop") - at
        assert moved == 92, "the list has one row more above, and shows the same rows as before"
        requests.take()
        assert page.evaluate("window.shift") < 0.05
        index, id = page.evaluate(AT_TOP)
        assert index >= MOST_ROWS, "further down than what one request reads again"
        large.memory.records.update(ANN, id, "changed far down the list")
        expect(page.locator(".card", has_text="changed far down the list")).to_have_count(1)
    assert large.problems == []


def test_what_was_listed_before_is_shown_at_once(large: Site) -> None:
    with large.page() as page:
        page.goto(large.address("memory"))
        page.wait_for_selector(".card")
        first = page.locator(".card-text").first.inner_text()
        page.locator(".tabs").get_by_role("button", name="Procedures").click()
        expect(page.locator(".card-text").first).not_to_have_text(first)
        page.route("**/v1/browse*", lambda route: None)  # no answer comes
        page.locator(".tabs").get_by_role("button", name="All").click()
        expect(page.locator(".card-text").first).to_have_text(first)
        page.unroute_all(behavior="ignoreErrors")


TRIES = 3


def test_first_paint_and_layout_shift_of_every_page(large: Site) -> None:
    first_paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    with large.page() as page:
        page.add_init_script(OBSERVER)
        for name, ready in READY.items():
            for _ in range(TRIES):  # a busy machine paints late; a slow page does so every time
                page.goto("about:blank")
                page.goto(large.address(name))
                page.wait_for_selector(ready)
                page.wait_for_timeout(300)
                paint, shift = page.evaluate(f"[{first_paint}, window.shift]")
                print(f"\n{name}: first paint {paint:.0f} ms, layout shift {shift:.3f}")
                assert shift < 0.05, name
                if paint < 1000:
                    break
            assert paint < 1000, name
    assert [one for one in large.problems if "about:blank" not in one] == []
