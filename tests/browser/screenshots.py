"""Takes the pictures in docs/images anew: `make screenshots`."""

from __future__ import annotations

import json
import sys
import time
from contextlib import chdir
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from playwright.sync_api import Page, Route, sync_playwright  # noqa: E402

from browser.browser_setup import FLAGS, chromium  # noqa: E402
from browser.site import Site, running_site  # noqa: E402
from taishi import Memory, Scope  # noqa: E402
from taishi.types import Edit, Record  # noqa: E402

IMAGES = ROOT / "docs" / "images"
MIA = Scope(user="mia")
CREW = Scope(group="weekend-crew", user="mia")
LIN = Scope(user="林")
MINUTES = 60
DAY = 86_400.0

ZONE = "Europe/Oslo"
# How many days ago, what was done, what was said.
TURNS = [
    (41, "", "I moved to Bergen in March to work at the aquarium"),
    (35, "Suggested three restaurants", "I am allergic to peanuts"),
    (29, "", "I drink oolong tea in the morning, never coffee"),
    (20, "Made a packing list", "I am training for the Oslo marathon"),
    (12, "", "My sister Ida is getting married on 2027-06-12"),
    (6, "Explained how to repot an orchid", "I speak Norwegian and Mandarin"),
    (2, "Booked the ferry to Stavanger for 2026-12-04", "I prefer window seats"),
]
TURNS_ZH = [
    (20, "", "我住在厦门鼓浪屿，是小学语文老师"),
    (11, "推荐了三本书", "我喜欢喝铁观音，不喝咖啡"),
    (3, "订了周六的球场", "我每周六下午打羽毛球"),
]


LOOKED_UP = [
    "ferry times to Stavanger", "weather in Bergen on Saturday", "how to repot an orchid",
    "marathon training plan for beginners", "peanut-free restaurants", "oolong tea shops",
    "wedding gifts for a sister", "lighthouses on the west coast", "Mandarin evening classes",
    "opening hours of the aquarium", "head torch batteries", "how to sail upwind",
]  # fmt: skip
HANDBOOK = """# Cabin handbook

How to open, heat and leave the cabin at Nordfjord. Please read it before the first stay.

## Arriving

The key is in the box beside the woodshed. Switch the main fuse on first, then open the water.

## Heating

The stove takes two logs at a time. The heat pump holds 16 degrees while nobody is there.

## Ferry

The ferry from Stavanger runs at 9:15 and 16:40, on Sundays only at 16:40. Dogs travel free.

## Leaving

Close the water, empty the fridge, leave the damper half open, and write into the cabin book.
"""
WEDDING = """# Ida's wedding

## Plan

The ceremony is on 12 June 2027 at two o'clock, in the boathouse. The dinner begins at five.

## To bring

Mia brings the flowers and the music. No dish may contain peanuts.
"""


def ago(days: float) -> datetime:
    return datetime.now(UTC) - timedelta(days=days)


def tell(memory: Memory, clock: Clock) -> None:
    pages: Any = memory._services.runtime.parts.profiles
    pages._clock = lambda: datetime.fromtimestamp(clock(), UTC)
    waiting(memory)
    clock.behind = 42 * DAY
    memory.profiles.set(MIA, "## Likes\n- Mia loves old lighthouses", "Mia", ["runner"])
    memory.remember(Scope(shared=True), "Prices on the site include VAT", kind="fact", time=ago(8),
                    metadata={"tags": ["convention"]})  # fmt: skip
    for who, name, turns in ((MIA, "Mia", TURNS), (LIN, "林老师", TURNS_ZH)):
        for number, (days, did, said) in enumerate(turns):
            clock.behind = days * DAY
            memory.end_turn(who, action_summary=did, new_info=said, sender_name=name,
                            messages=[{"text": said, "speaker": name}], time=ago(days),
                            request_id=f"{name}-{number}")  # fmt: skip
            memory.drain()
    clock.behind = 4 * DAY
    memory.end_turn(CREW, new_info="We meet at the pier on Saturdays", sender_name="Mia",
                    group_name="Weekend crew", time=ago(4))  # fmt: skip
    memory.drain()
    shared(memory)
    memory.knowledge.add(MIA, HANDBOOK, name="cabin-handbook.md")
    memory.knowledge.add(MIA, WEDDING, name="wedding/plan.md")
    memory.knowledge.add(MIA, "# Packing list\n\nWool socks, rain jacket, head torch, maps.",
                         name="packing.md")  # fmt: skip
    memory.drain()
    clock.behind = DAY
    memory.remember(MIA, "To plan a trip: check the ferry first, then the weather, then book the "
                    "cabin", kind="procedure", id="trip", time=ago(1),
                    metadata={"tags": ["travel"], "success_rate": 0.92})  # fmt: skip


def shared(memory: Memory) -> None:
    """What agents proposed to everybody: decided, in conflict, waiting."""
    seller, editor = Scope(agent="ticket-desk"), Scope(agent="editor")
    everybody = Scope(shared=True)
    propose = memory.shared.propose
    for who, text, kind, sure, topic in (
        (editor, "The aquarium is closed on Mondays", "project_context", 0.7, ""),
        (seller, "Group tickets need ten visitors", "convention", 0.65, "groups"),
        (editor, "Group tickets need eight visitors", "convention", 0.4, "groups"),
    ):
        id = propose(who, text, kind, topic=topic, confidence=sure)
        memory.shared.approve(everybody, str(id), reason="checked with the front desk")
    propose(seller, "Card payments fail on Linux kiosks", "known_issue", confidence=0.6)


def waiting(memory: Memory) -> None:
    """What a person has to decide, and a month of growth."""
    runtime = memory._services.runtime

    def fact(id: str, text: str, state: str, days: float, sure: float, **more: Any) -> Edit:
        data = more.pop("data", {})
        at = ago(days).timestamp()
        return Edit("put", Record(id, MIA.home, "fact", text, time=at, created=at, state=state,
                                  confidence=sure, redaction=runtime.redactor.stamp, data=data,
                                  **more))  # fmt: skip

    runtime.parts.store.apply([
        fact("ferry", "Mia takes the ferry to work", "approved", 14, 0.8,
             data={"conflict_with": ["bus"], "evidence_count": 3}),
        fact("bus", "Mia takes the bus to work", "conflict", 5, 0.8,
             data={"conflict_with": ["ferry"], "evidence_count": 2}),
        fact("left", "Mia is probably left-handed", "candidate", 3, 0.45,
             data={"quotes": ["these scissors are made for the wrong hand, again"],
                   "evidence_count": 1}),
        fact("sail", "Mia wants to learn to sail", "candidate", 1, 0.55,
             data={"quotes": ["one day I want to sail that thing myself"], "evidence_count": 2}),
        fact("leave", "Mia is on leave until October", "approved", 70, 0.9,
             until=ago(38).timestamp()),
        fact("orchid", "Mia grows orchids", "approved", 6, 0.95,
             data={"tags": ["hobby", "plants"], "evidence_count": 5}),
    ])  # fmt: skip
    rows = []
    for day in range(28):
        at = ago(day + 0.3).timestamp()
        for number in range((day * 7) % 5):
            looked_up = LOOKED_UP[(day + number * 5) % len(LOOKED_UP)]
            rows.append(Edit("put", Record(f"o{day}-{number}", MIA.home, "observation",
                                           f"web_search: {looked_up}", time=at, created=at,
                                           redaction=runtime.redactor.stamp)))  # fmt: skip
    runtime.parts.store.apply(rows)


class Clock:
    """Begins an hour ago, so that an hour of work can be shown after a few seconds of it."""

    def __init__(self) -> None:
        self.behind = 60.0 * MINUTES

    def __call__(self) -> float:
        return time.time() - self.behind


def an_hour(memory: Memory, clock: Clock) -> None:
    """Turns and questions, as fast as they are on this machine, a few in each minute."""
    asked = [
        "What is Mia allergic to?",
        "When does the ferry run?",
        "Who is Ida?",
        "tea or coffee?",
    ]
    for minute in range(MINUTES):
        for number in range(2 + minute % 5):
            memory.recall(MIA, f"{asked[(minute + number) % 4]} {minute}")
        if minute % 3 == 0:
            memory.end_turn(CREW, action_summary="Looked up the tide", new_info="The tide is fine",
                            sender_name="Mia", request_id=f"tide-{minute}")  # fmt: skip
        memory.status(records=False)
        memory.drain()
        clock.behind = max(0.0, clock.behind - 60)
    clock.behind = 0.0


def show(page: Page, site: Site, name: str, place: str = "private:mia", **more: str) -> None:
    page.goto(site.address(name, place, **more))
    page.wait_for_timeout(900)


def take(page: Page, name: str) -> None:
    page.mouse.move(2, 2)  # nothing is pointed at
    page.evaluate("document.activeElement?.blur?.()")
    page.screenshot(path=IMAGES / f"{name}.png")
    print(f"docs/images/{name}.png")


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder, chdir(folder), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        kind = {"models.embedding.kind": "local", "memory.timezone": ZONE}
        clock = Clock()
        with running_site(Path("bot"), browser, clock=clock, **kind) as site:
            tell(site.memory, clock)
            clock.behind = 60.0 * MINUTES
            site.memory.warm_up(MIA)
            site.memory.drain()
            an_hour(site.memory, clock)
            phone(site)
            desk(site)
        browser.close()


def desk(site: Site) -> None:
    with site.page(1280, color_scheme="light", timezone_id=ZONE) as page:
        show(page, site, "memory")
        take(page, "memory")
        page.locator(".card", has_text="Bergen").first.click()
        page.wait_for_timeout(800)
        take(page, "detail")
        show(page, site, "review")
        take(page, "review")
        show(page, site, "memory", kind="shared")
        page.locator(".card", has_text="Mondays").click()
        page.wait_for_timeout(600)
        take(page, "shared")
        show(page, site, "knowledge")
        page.locator(".document-open").first.click()
        page.wait_for_timeout(600)
        take(page, "document")
        show(page, site, "knowledge")
        page.locator(".knowledge-page .search input").fill(
            "What does Mia bring, and when does the ferry run on Sundays?"
        )
        page.wait_for_selector(".passage")
        page.wait_for_timeout(400)
        take(page, "knowledge")
        show(page, site, "profiles")
        page.locator(".revisions button").first.click()
        page.wait_for_timeout(600)
        take(page, "profile")
        show(page, site, "recall")
        for question in (
            "How are you?",
            "When does the ferry run?",
            "Who is Ida?",
            "What is Mia allergic to?",
        ):  # the first loads what it needs
            page.locator(".recall-page .search input").fill(question)
            page.keyboard.press("Enter")
            page.wait_for_timeout(1500)
        take(page, "recall")
        page.get_by_role("button", name="Compare two settings").click()
        page.locator(".choices").nth(0).get_by_label("Hits at most").fill("2")
        page.locator(".choices").nth(0).get_by_label("Tokens at most").fill("300")
        page.locator(".recall-page .search input").press("Enter")
        page.wait_for_selector(".block >> nth=1")
        page.wait_for_timeout(500)
        page.locator("main").evaluate("main => main.scrollTo(0, 0)")
        take(page, "recall-compare")
        show(page, site, "activity")
        page.wait_for_selector(".plot svg")
        take(page, "activity")
        show(page, site, "chat")
        page.get_by_label("Your name").fill("Mia")
        page.get_by_label("Message").fill("Is there anything Mia must not eat?")
        page.keyboard.press("Enter")
        page.wait_for_selector(".told")
        page.get_by_label("Message").fill("I take the ferry to the wedding of my sister Ida")
        page.keyboard.press("Enter")
        page.wait_for_timeout(4000)
        take(page, "chat")
        show(page, site, "memory", view="timeline")
        take(page, "timeline")
        show(page, site, "memory", view="map")
        page.locator(".map-frame").focus()
        page.keyboard.press("ArrowRight")
        take(page, "map")
        page.route("**/v1/settings/form", a_folder_of_its_own)
        show(page, site, "settings")
        take(page, "settings")
    with site.page(1280, color_scheme="dark", locale="zh-CN", timezone_id=ZONE) as page:
        show(page, site, "memory", "private:林")
        take(page, "memory-zh")


def a_folder_of_its_own(route: Route) -> None:
    """The folder of these pictures has a random name."""
    answer = route.fetch()
    body = json.loads(answer.text()) | {"file": "/srv/bot/taishi.toml"}
    route.fulfill(response=answer, json=body)


def phone(site: Site) -> None:
    with site.page(390, color_scheme="light", timezone_id=ZONE) as page:
        show(page, site, "memory")
        take(page, "phone")


if __name__ == "__main__":
    main()
