"""A server with a small story behind it, and a browser that looks at it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, BrowserContext, Page

from support.running_app import RunningApp
from taishi import Memory, Scope, load
from taishi.api_keys import Keys
from taishi.ports import Embedder
from taishi.server.app import create_app
from taishi.types import Edit, Record

ANN = Scope(user="ann")
NOW = 1_790_000_000.0
DAY = 86_400
GUIDE = """# Kettle guide

The kettle is made of steel and holds two litres.

## Warranty

The warranty of the kettle lasts thirty months from the day of sale.

## Cleaning

Boil vinegar in it once a month, then rinse it well.
"""


def tell(memory: Memory) -> None:
    """Facts with evidence, events, a way of working; something to decide; a page with a past."""
    memory.end_turn(ANN, new_info="I live in Bergen", sender_name="Ann",
                    messages=[{"text": "I live in Bergen now.", "speaker": "Ann"}],
                    request_id="told-1", time="2026-09-10T09:00:00Z")  # fmt: skip
    memory.drain()  # else both turns may become one version of the page
    memory.end_turn(ANN, action_summary="Booked a table", new_info="I am allergic to peanuts",
                    sender_name="Ann", request_id="told-2", time="2026-09-12T18:30:00Z",
                    messages=[{"text": "I am allergic to peanuts!", "speaker": "Ann"}])  # fmt: skip
    memory.drain()
    memory.remember(ANN, "To deploy: run the tests, then push the tag", kind="procedure",
                    id="deploy", metadata={"tags": ["release"]})  # fmt: skip
    memory.remember(ANN, "Ann plays the cello", kind="fact", id="cello", confidence=0.9,
                    metadata={"tags": ["music"], "evidence_count": 4})  # fmt: skip
    decide(memory)
    memory.knowledge.add(ANN, GUIDE, name="kettle.md")
    memory.drain()
    vat = memory.shared.propose(Scope(agent="seller"), "Prices include VAT", "convention")
    memory.shared.approve(Scope(shared=True), str(vat))
    memory.profiles.set(ANN, "- lives in Oslo\n- likes tea", name="Ann", tags=["friend"])
    memory.profiles.set(ANN, "- lives in Bergen\n- likes tea", name="Ann", tags=["friend"])


def share(memory: Memory) -> None:
    """What agents proposed to everybody: one that waits, and two that contradict each other."""
    seller, editor = Scope(agent="seller"), Scope(agent="editor")
    propose = memory.shared.propose
    for who, text, sure in (
        (seller, "Groups need ten visitors", 0.65),
        (editor, "Groups need eight visitors", 0.4),
    ):
        entry = propose(who, text, "convention", topic="groups", confidence=sure)
        memory.shared.approve(Scope(shared=True), str(entry))
    propose(seller, "Kiosks close at nine", "known_issue")


def decide(memory: Memory) -> None:
    """What waits for a person: two candidates, a contradiction, and one whose time is over."""
    home = ANN.home
    store = memory._services.runtime.parts.store
    redaction = memory._services.runtime.redactor.stamp

    def fact(id: str, text: str, state: str, **more: Any) -> Edit:
        data = more.pop("data", {})
        return Edit("put", Record(id, home, "fact", text, time=NOW, created=NOW, state=state,
                                  redaction=redaction, data=data, **more))  # fmt: skip

    store.apply([
        fact("maybe-1", "Ann may be left-handed", "candidate", confidence=0.4,
             data={"quotes": ["I hold the pen in my left hand"], "evidence_count": 1}),
        fact("maybe-2", "Ann wants to learn Basque", "candidate", confidence=0.5),
        fact("bike", "Ann goes to work by bike", "approved", data={"conflict_with": ["tram"]}),
        fact("tram", "Ann goes to work by tram", "conflict", data={"conflict_with": ["bike"]}),
        fact("over", "Ann is on holiday", "approved", until=NOW - DAY),
    ])  # fmt: skip


@dataclass
class Site:
    """A running server, its memory, and pages that look at it."""

    memory: Memory
    keys: Keys
    url: str
    browser: Browser
    problems: list[str] = field(default_factory=list)

    def context(self, width: int = 1440, **options: Any) -> BrowserContext:
        height = 844 if width < 600 else 900
        options = {"locale": "en-US", "timezone_id": "UTC", **options}
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(8000)
        return context

    @contextmanager
    def page(self, width: int = 1440, **options: Any) -> Iterator[Page]:
        """A page of its own. Whatever it complains about, or tries to load from elsewhere, is
        among the problems."""
        self.problems.clear()
        with self.context(width, **options) as context:
            page = context.new_page()
            page.on("console", lambda said: self._note(said.type, said.text))
            page.on("pageerror", lambda error: self._note("error", str(error)))
            page.on("request", lambda asked: self._check_address(asked.url))
            yield page
            page.close()

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and "401" not in text:
            self.problems.append(f"{kind}: {text[:300]}")

    def _check_address(self, url: str) -> None:
        if not url.startswith((self.url, "data:", "blob:")):
            self.problems.append(f"asked for {url}")

    def address(self, page: str, place: str = "private:ann", **more: str) -> str:
        rest = "".join(f"&{name}={quote(value)}" for name, value in more.items())
        return f"{self.url}/#/{page}?place={quote(place)}{rest}"


@contextmanager
def running_site(
    folder: Path,
    browser: Browser,
    embedder: Embedder | None = None,
    clock: Callable[[], float] = time.time,
    **settings: Any,
) -> Iterator[Site]:
    config = folder / "taishi.toml"
    folder.mkdir(parents=True, exist_ok=True)
    config.write_text("[query]\nrecall_top_k = 5\n", encoding="utf-8")
    chosen = {"models.embedding.kind": "none", "memory.timezone": "UTC", **settings}
    loaded = load(config, environ={}, overrides=chosen)
    with Memory.open(folder / "data", loaded, embedder=embedder, clock=clock) as memory:
        memory.start_worker()
        keys = Keys(folder / "data")
        app = create_app(memory, keys=keys, hosts=["127.0.0.1"])
        closing = False
        app.state.is_closing = lambda: closing
        with RunningApp(app, memory.settings.server) as server:
            yield Site(memory, keys, server.url, browser)
            closing = True
