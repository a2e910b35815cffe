"""What a person does on the memory page, timed inside a real browser.

A duration begins with the time stamp of the user's own event (click, key, change, wheel) and ends
two frames after the page shows the result, when that is painted.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

from benchmarks.pages_folder import (
    COMMON,
    FEW,
    PLACE,
    RARE,
    RARE_PERSON,
    RARE_TAG,
)

WHEELS = 50
WHEEL_PIXELS = 620
WAIT_MS = 15_000
# Waits for the frame in which something is true, then for two more: it is painted.
HARNESS = """
window.bench = {
  shift: 0, lcp: 0,
  frame: () => new Promise((done) => requestAnimationFrame(done)),
  async until(shown) {
    await new Promise((done) => setTimeout(done)); // the page has taken the event in
    const ends = performance.now() + 10_000;
    while (!shown()) {
      if (performance.now() > ends) {
        throw new Error(`not shown after 10 s: ${shown} ${document.body.innerText.slice(0, 900)}`);
      }
      await this.frame();
    }
    await this.frame();
    await this.frame();
    return performance.now();
  },
  arm(type, shown) {
    performance.clearResourceTimings();
    this.result = new Promise((done, fail) => {
      setTimeout(() => fail(new Error(`no ${type} after 12 s`)), 12_000);
      addEventListener(type, (event) => {
        const asked = event.timeStamp;
        done(this.until(shown).then((at) => ({ ms: at - asked, server: this.server(asked) })));
      }, { capture: true, once: true });
    });
  },
  server: (since) => Math.max(0, ...performance.getEntriesByType("resource")
    .filter((one) => one.startTime >= since && /[/]v1[/](?!changes)/.test(one.name))
    .map((one) => one.responseStart - one.requestStart)),
  busy: () => document.querySelector(".memory-page")?.getAttribute("aria-busy") !== "false",
  cards: () => document.querySelectorAll(".card").length,
};
new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  if (!one.hadRecentInput) bench.shift += one.value;
})).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  bench.lcp = one.startTime;
})).observe({ type: "largest-contentful-paint", buffered: true });
if (location.hash.startsWith("#/memory")) {
  bench.opened = bench.until(() => bench.cards() > 0 && !bench.busy());
}
"""
LISTED = "!bench.busy() && bench.cards() > 0"
NONE = "!bench.busy() && document.querySelector('.empty')"
SETTLED = "!bench.busy()"
ANSWERED = "document.querySelector('.card .tone-purple, .empty')"
NARROWED = "document.querySelector('.toolbar .count')"  # how many filters there are
# The row in the middle of the list is there, not blank.
AT_MIDDLE = """(() => { const box = document.querySelector('.list').getBoundingClientRect();
  const middle = box.top + box.height / 2;
  return [...document.querySelectorAll('.list li')].some((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return top <= middle && middle <= bottom && row.querySelector('.card');
  }); })()"""


@dataclass
class Samples:
    """Seconds by action: from the event to the painted result, and the longest wait for the server
    among them."""

    painted: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    server: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    first_paint: list[float] = field(default_factory=list)
    largest_paint: list[float] = field(default_factory=list)
    shift: list[float] = field(default_factory=list)
    most_cards: int = 0
    most_nodes: int = 0

    def add(self, name: str, result: dict[str, float]) -> None:
        self.painted[name].append(result["ms"] / 1000)
        self.server[name].append(result["server"] / 1000)


class Person:
    """Does one thing after another on one page, and notes how long each took."""

    def __init__(self, page: Page, url: str, samples: Samples) -> None:
        self._page = page
        self._url = url
        self._samples = samples

    def opens(self, name: str = "opens the page", **more: str) -> None:
        rest = "".join(f"&{key}={value}" for key, value in more.items())
        self._page.goto("about:blank")
        self._page.goto(f"{self._url}/#/memory?place={PLACE}{rest}")
        ms = self._page.evaluate("bench.opened")
        server = self._page.evaluate("bench.server(0)")
        self._samples.add(name, {"ms": ms, "server": server})

    def leaves(self) -> None:
        """What the browser measured by itself since the page was opened."""
        page, samples = self._page, self._samples
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        samples.first_paint.append(paint / 1000)
        samples.largest_paint.append(page.evaluate("bench.lcp") / 1000)
        samples.shift.append(page.evaluate("bench.shift"))

    def does(self, name: str, event: str, shown: str, act: Any) -> None:
        self._page.evaluate(f"bench.arm('{event}', () => {shown})")
        act()
        self._page.set_default_timeout(WAIT_MS)
        self._samples.add(name, self._page.evaluate("bench.result"))

    def changes_tabs(self) -> None:
        for tab, shown in (("Facts", LISTED), ("Events", LISTED), ("Procedures", LISTED),
                           ("Knowledge", NONE)):  # fmt: skip
            self._tab(f"tab {tab}", tab, shown)
        self._tab("tab All, seen before", "All", LISTED)

    def _tab(self, name: str, tab: str, shown: str) -> None:
        button = self._page.locator(".tabs").get_by_role("button", name=tab, exact=True)
        pressed = (
            f"document.querySelector('.tab[aria-pressed=true]').textContent.trim() === '{tab}'"
        )
        self.does(name, "click", f"{pressed} && {shown}", button.click)

    def filters(self, oldest_day: str) -> None:
        page = self._page
        page.get_by_role("button", name="Filters").click()
        page.wait_for_selector("#filters")
        field = page.locator("#filters").get_by_label
        days = page.locator("#filters input[type=date]")
        clear = page.locator("#filters").get_by_role("button")
        for name, label, value, shown in (
            ("filter state, some", "State", "candidate", LISTED),
            ("filter state, none", "State", "conflict", NONE),
            ("filter confidence", "At least", "0.9", LISTED),
            ("filter tag, many", "Tag", "work", LISTED),
            ("filter tag, two old ones", "Tag", RARE_TAG, "!bench.busy() && bench.cards() === 2"),
            ("filter tag, none", "Tag", "nowhere", NONE),
            ("filter person, two old ones", "Person", RARE_PERSON,
             "!bench.busy() && bench.cards() === 2"),
            ("filter to a day two years ago", "To", oldest_day, LISTED),
        ):  # fmt: skip
            box = days.last if label == "To" else field(label)
            if label in ("State", "At least"):
                act = lambda: box.select_option(value)  # noqa: B023, E731
            elif label == "To":
                act = lambda: box.fill(value)  # noqa: B023, E731
            else:
                box.fill(value)
                act = lambda: box.press("Tab")  # noqa: B023, E731
            self.does(name, "change", f"{NARROWED} && {shown}", act)
            clear.click()
            page.evaluate(f"bench.until(() => !{NARROWED} && {LISTED})")
        page.get_by_role("button", name="Filters").click()

    def searches_words(self) -> None:
        self._page.locator(".segments").get_by_role("button", name="Words").click()
        for name, words, shown in (
            ("words, one old record", RARE, "bench.cards() === 1"),
            ("words, three records (Chinese)", FEW, "bench.cards() === 3"),
            ("words, thousands of records", COMMON, "bench.cards() > 5"),
            ("words, part of a word", RARE[3:-2], "bench.cards() === 1"),
            ("words, one letter", "e", "bench.cards() > 5"),
            ("words, none", "qqxqq", "document.querySelector('.empty')"),
        ):
            self._types(name, words, f"{SETTLED} && {shown}")
        self._empty_search()
        self._page.locator(".segments").get_by_role("button", name="Meaning").click()

    def asks(self, name: str, question: str) -> None:
        self._types(name, question, f"{SETTLED} && {ANSWERED}")
        self._empty_search()

    def _types(self, name: str, words: str, shown: str) -> None:
        box = self._page.locator(".memory-page .search input")
        self._empty_search()
        box.press_sequentially(words[:-1])
        typed = f"document.querySelector('.search input').value.length === {len(words)}"
        self.does(name, "input", f"{typed} && {shown}", lambda: box.press_sequentially(words[-1]))

    def _empty_search(self) -> None:
        self._page.locator(".memory-page .search input").fill("")
        self._page.evaluate(f"bench.until(() => {LISTED})")

    def scrolls(self) -> None:
        page = self._page
        page.locator(".list").hover()
        for _ in range(WHEELS):
            at = page.evaluate("document.querySelector('.list').scrollTop")
            wanted = f"document.querySelector('.list').scrollTop >= {at + 100} && {AT_MIDDLE}"
            self.does(f"scroll, {WHEELS} screens", "wheel", wanted,
                      lambda: page.mouse.wheel(0, WHEEL_PIXELS))  # fmt: skip
            nodes = page.evaluate("document.getElementsByTagName('*').length")
            self._samples.most_nodes = max(self._samples.most_nodes, nodes)
            self._samples.most_cards = max(self._samples.most_cards, page.evaluate("bench.cards()"))
        page.evaluate("document.querySelector('.list').scrollTop = 0")
        self._page.evaluate(f"bench.until(() => {LISTED})")

    def opens_one(self) -> None:
        card = self._page.locator(".card").nth(2)
        drawer = "document.querySelector('.drawer .detail-text')"
        self.does("open a memory, its text", "click", drawer, card.click)
        self._page.wait_for_selector(".drawer .facts-list")
        self._page.keyboard.press("Escape")
        self._page.wait_for_selector(".drawer", state="detached")
        whole = "document.querySelector('.drawer .facts-list')"
        self.does(
            "open a memory, all of it", "click", whole, self._page.locator(".card").nth(4).click
        )
        self._page.keyboard.press("Escape")
        self._page.wait_for_selector(".drawer", state="detached")

    def edits(self, id: str, words: str) -> None:
        """Until it is in the drawer and in the list behind it."""
        page = self._page
        page.evaluate(f"location.hash += '&open={id}'")
        page.locator(".drawer").get_by_role("button", name="Edit").click()
        page.locator(".drawer textarea").fill(words)
        shown = (f"document.querySelector('.detail-text')?.textContent.includes('{words}') && "
                 f"[...document.querySelectorAll('.card-text')].some((one) => "
                 f"one.textContent.includes('{words}'))")  # fmt: skip
        save = page.locator(".drawer").get_by_role("button", name="Save")
        self.does("edit and save", "click", shown, save.click)

    def deletes(self, words: str) -> None:
        """The one that is open; then takes it back."""
        page = self._page
        there = ("[...document.querySelectorAll('.card-text')].some((one) => "
                 f"one.textContent.includes('{words}'))")  # fmt: skip
        delete = page.locator(".drawer").get_by_role("button", name="Delete")
        gone = f"!document.querySelector('.drawer') && !{there}"
        self.does("delete", "click", gone, delete.click)
        undo = page.locator(".toasts").get_by_role("button", name="Undo").last
        self.does("undo", "click", there, undo.click)
