"""The web pages over 100,000 records: every action of the memory page, timed in real Chromium.

`taishi serve` runs in a process of its own, with the local embedder; somebody signs in, lists,
filters, searches, scrolls, edits and deletes, ten times over. An action may take 200 ms from the
user's event to the painted result. Needs Chromium, Playwright (the extra `dev`) and `make pages`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.library import load_average
from benchmarks.load import served
from benchmarks.measure import Results, Row, Spread, show, table_of
from benchmarks.pages_browser import HARNESS, Person, Samples
from benchmarks.pages_folder import ANN, DAY, NOW, TWO_YEARS, folder_for
from taishi import Memory, load
from taishi.api_keys import Keys

RECORDS = 100_000
QUICK_RECORDS = 10_000
ROUNDS = 10
QUICK_ROUNDS = 3
ACTION_MS = 200.0
PAINT_MS = 1000.0
SHIFT = 0.1
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking")
EDITED = ("note", "event", "procedure")
QUESTION_CHARS = 24
COLD = "meaning, as the server has just been started"  # its index is being read; no bar
OPENING = "opens the page"  # is a load, not an action


def run(quick: bool = False) -> Results:
    records, rounds = (QUICK_RECORDS, QUICK_ROUNDS) if quick else (RECORDS, ROUNDS)
    built, seconds = folder_for(records)
    before = load_average()
    samples = Samples()
    with tempfile.TemporaryDirectory(prefix="taishi-bench-") as name:
        folder = Path(name) / "data"
        shutil.copytree(built / "data", folder)
        note, questions = _chosen(folder, records, rounds)
        _, secret = Keys(folder).create("bench", None, "admin")
        with served(folder) as (_, url), _page() as page:
            _sign_in(page, url, secret)
            for number, question in enumerate(questions):
                _round(Person(page, url, samples), note, question, number)
    rows = _rows(samples)
    show(f"pages: {records:,} records in one scope, {rounds} rounds, load average "
         f"{before} before, {load_average()} after", rows)  # fmt: skip
    over = [row.what for row in rows if row.met is False]
    return {
        "records": records,
        "build_seconds": round(seconds, 1),
        "actions": {
            name: {**Spread.of(times).as_dict(), "server_p50": Spread.of(samples.server[name]).p50}
            for name, times in samples.painted.items()
        },
        "rows": table_of(rows),
        "over": over,
    }


def _round(person: Person, id: str, question: str, number: int) -> None:
    person.opens(OPENING)
    person.asks("meaning" if number else COLD, question)
    person.changes_tabs()
    person.filters(datetime.fromtimestamp(NOW - TWO_YEARS + 2 * DAY, UTC).date().isoformat())
    person.searches_words()
    person.scrolls()
    person.opens_one()
    words = f"as put right in round {number}"
    person.edits(id, words)
    person.deletes(words)
    person.leaves()


def _rows(samples: Samples) -> list[Row]:
    rows = []
    for name, times in samples.painted.items():
        painted, server = Spread.of(times), Spread.of(samples.server[name])
        if name == COLD:
            rows.append(Row(name, f"{painted.p50:.0f} ms (server {server.p50:.0f})"))
            continue
        bar = PAINT_MS if name == OPENING else ACTION_MS
        rows.append(Row(name, f"{painted.p50:.0f} / {painted.p95:.0f} ms (server {server.p50:.0f})",
                        f"p50 < {bar:g} ms", painted.p50 < bar))  # fmt: skip
    first, largest = Spread.of(samples.first_paint), Spread.of(samples.largest_paint)
    return [
        *rows,
        Row("first paint, p50 / p95", f"{first.p50:.0f} / {first.p95:.0f} ms",
            f"< {PAINT_MS:g} ms", first.p95 < PAINT_MS),
        Row("largest paint, p50 / p95", f"{largest.p50:.0f} / {largest.p95:.0f} ms"),
        Row("layout shift, most", f"{max(samples.shift):.3f}", f"< {SHIFT}",
            max(samples.shift) < SHIFT),
        Row("cards / elements in the page, most", f"{samples.most_cards} / {samples.most_nodes}"),
    ]  # fmt: skip


def _chosen(folder: Path, records: int, count: int) -> tuple[str, list[str]]:
    """The newest record that can be edited, which the list shows without scrolling, and for each
    round a question in the words of an older one."""
    with Memory.open(folder, load(overrides={"models.embedding.kind": "none"})) as memory:
        (note,) = memory.records.newest(ANN, kinds=EDITED, limit=1).records
        ids = [f"r{records * number // (count + 1)}" for number in range(1, count + 1)]
        asked = [record for id in ids if (record := memory.records.get(ANN, id)) is not None]
    return note.id, [record.text[:QUESTION_CHARS].strip() for record in asked]


@contextmanager
def _page() -> Iterator[Page]:
    path = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if path is None:
        raise SystemExit("no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="en-US")
            page.add_init_script(HARNESS)
            yield page
        finally:
            browser.close()


def _sign_in(page: Page, url: str, secret: str) -> None:
    page.goto(url)
    page.locator("input[type=password]").fill(secret)
    page.keyboard.press("Enter")
    page.wait_for_selector(".memory-page")
