"""What opens on a page, and what it says when there is nothing or something went wrong: it can be
read and used by everybody, in both languages and colours, on a phone and on a desk."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.site import ANN, Site
from browser.test_knowledge_page import DROP
from browser.test_looks import LOOKS, axe, faults

# What each page says of a place in which there is nothing: in English, in Chinese.
EMPTY = {
    "memory": ("Nothing here yet", "这里还没有记忆"),
    "review": ("Kiosks close at nine", "Kiosks close at nine"),  # it is everybody's
    "knowledge": ("No documents yet", "还没有文档"),
    "profiles": ("No page yet", "还没有画像"),
    "recall": ("Ask something", "提一个问题"),
    "chat": ("No model is set up", "没有配置模型"),
    "activity": ("Nothing came in the last 30 days", "最近 30 天没有新增"),
    "jobs": ("Nothing waits", "没有等待的任务"),
}
DRAG = """() => {
    const files = new DataTransfer();
    files.items.add(new File(["x"], "x.txt"));
    dispatchEvent(new DragEvent("dragover", {dataTransfer: files, cancelable: true}));
}"""


class Look:
    """A page that is looked at again and again, and what was wrong with it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []

    def at(self, what: str) -> None:
        self.wrong += [f"{what}: {one}" for one in faults(self.page)]
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if wide > 0:
            self.wrong.append(f"{what}: {wide} px too wide")


@pytest.mark.parametrize(("language", "colours", "width"), LOOKS)
def test_dialogs_the_map_and_failures(
    embedded: Site, language: str, colours: str, width: int
) -> None:
    locale, zh = ("zh-CN", 1) if language == "zh" else ("en-US", 0)
    site = embedded
    with site.page(width, locale=locale, color_scheme=colours, reduced_motion="reduce") as page:
        page.add_init_script(path=axe())
        look = Look(page)
        page.goto(site.address("memory", view="map"))
        page.wait_for_selector(".dot", state="attached")
        look.at("map")
        page.locator(".place-button").click()
        page.wait_for_selector(".place-row")
        look.at("places")
        page.keyboard.press("Escape")
        page.goto(site.address("memory", expired="1"))
        page.get_by_role("button", name=("Clean up", "清理")[zh]).click()
        expect(page.locator("dialog[open] li")).to_have_count(1)
        look.at("clean-up")
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
        page.goto(site.address("review"))
        page.wait_for_selector(".review .sides")
        expect(page.locator(".review")).to_have_count(5)  # two of them are everybody's
        look.at("review with shared entries")
        page.goto(site.address("memory", open="cello"))
        page.wait_for_selector(".drawer .facts-list")
        look.at("detail")
        page.goto(site.address("profiles"))
        page.locator(".revisions button").first.click()
        page.wait_for_selector(".diff")
        look.at("revision")
        page.keyboard.press("Escape")
        page.goto(site.address("knowledge"))
        page.wait_for_selector(".document")
        page.evaluate(DRAG)
        expect(page.locator(".drop-sign")).to_be_visible()
        look.at("drop")
        page.evaluate("dispatchEvent(new DragEvent('dragleave'))")
        page.evaluate(DROP, ["broken.pdf", "%PDF-1.7 not one"])
        expect(page.locator(".upload-failed .upload-reason")).not_to_be_empty()
        look.at("failed upload")
        page.goto(site.address("settings"))
        page.locator(".settings .search input").fill("nothing is called so")
        expect(
            page.get_by_text(("No setting has these words", "没有符合的设置")[zh])
        ).to_be_visible()
        look.at("no setting")
        page.get_by_role("button", name=("Make a key", "创建密钥")[zh]).click()
        page.wait_for_selector("dialog form")
        look.at("key")
    assert look.wrong == []
    assert [one for one in site.problems if "400" not in one and "422" not in one] == []


@pytest.mark.parametrize(("language", "colours", "width"), LOOKS)
def test_empty_pages_say_what_to_do(
    embedded: Site, language: str, colours: str, width: int
) -> None:
    locale, zh = ("zh-CN", 1) if language == "zh" else ("en-US", 0)
    with embedded.page(width, locale=locale, color_scheme=colours) as page:
        page.add_init_script(path=axe())
        look = Look(page)
        page.goto(embedded.address("memory", "private:nobody"))
        begin = page.get_by_role("button", name=("Begin a new memory", "在这里新建记忆")[zh])
        expect(begin).to_be_visible()
        look.at("no such place")
        begin.click()
        for name, said in EMPTY.items():
            page.goto(embedded.address(name, "private:nobody"))
            expect(page.locator("main")).to_contain_text(said[zh])
            look.at(f"empty {name}")
        page.goto(embedded.address("memory"))
        page.locator(".memory-page .search input").fill("xyzzy")
        page.get_by_role("button", name=("Words", "原文")[zh]).click()
        expect(page.get_by_text(("Nothing fits", "没有符合的记忆")[zh])).to_be_visible()
        look.at("nothing found")
    assert look.wrong == []
    missing = "404 (Not Found)"  # a page that nobody wrote yet
    assert [one for one in embedded.problems if missing not in one] == []


def test_a_server_that_is_gone_and_a_network_that_is_off_are_told_apart(story: Site) -> None:
    with story.page() as page:
        page.add_init_script(path=axe())
        page.goto(story.address("review"))
        page.wait_for_selector(".review")
        page.wait_for_selector(".live.on")
        page.route("**/v1/**", lambda route: route.abort())
        page.get_by_role("link", name="Recall").click()
        page.locator(".recall-page .search input").fill("Where does Ann live?")
        page.keyboard.press("Enter")
        box = page.locator(".error-box")
        expect(box).to_contain_text("The server does not answer")
        expect(box).to_contain_text("taishi serve")
        page.reload()
        expect(page.locator(".error-box")).to_contain_text("The server does not answer")
        assert faults(page) == []
        page.unroute("**/v1/**")
        page.get_by_role("button", name="Try again").click()
        page.wait_for_selector(".choices")
        page.context.set_offline(True)  # and a new stream
        page.evaluate("location.hash = location.hash.replace(/private(:|%3A)ann/, 'workspace:')")
        expect(page.locator(".gone")).to_contain_text("You are offline")
        page.context.set_offline(False)


def test_a_file_that_is_too_large_is_not_even_sent(embedded: Site) -> None:
    with embedded.page() as page:
        page.goto(embedded.address("knowledge"))
        page.wait_for_selector(".document")
        page.wait_for_selector(".live.on")
        sent: list[str] = []
        page.on("request", lambda asked: sent.append(asked.method))
        page.wait_for_function("fetch('/v1/whoami')")
        page.evaluate(
            """() => { const files = new DataTransfer();
            files.items.add(new File([new Uint8Array(9 << 20)], "film.md"));
            dispatchEvent(new DragEvent("drop", {dataTransfer: files, cancelable: true})); }"""
        )
        failed = page.locator(".upload-failed")
        expect(failed).to_contain_text("server.max_body_mb")
        assert "POST" not in sent
    assert embedded.memory.knowledge.get(ANN, "film.md") is None
    assert embedded.problems == []


def test_Q10_similar_memories_are_shown_and_opened(embedded: Site) -> None:
    (one, *_) = [fact for fact in embedded.memory.facts.list(ANN) if "green tea" in fact.text]
    with embedded.page() as page:
        page.goto(embedded.address("memory", open=one.id))
        similar = page.locator(".similar .moment")
        expect(similar).to_have_count(5)
        expect(similar.first).to_contain_text("green tea leaves")
        expect(similar.first.locator(".similar-score")).to_contain_text("%")
        words = similar.first.locator(".said").inner_text()
        similar.first.click()
        expect(page.locator(".drawer .detail-text")).to_have_text(words)
    assert embedded.problems == []


def test_K1_the_chunks_of_a_long_document_come_a_hundred_at_a_time(embedded: Site) -> None:
    with embedded.page() as page:
        page.goto(embedded.address("knowledge"))
        page.locator(".document-open", has_text="rules.md").click()
        page.wait_for_selector(".chunk")
        first = page.locator(".chunk").count()
        assert 0 < first <= 100
        assert "Rule 129" not in page.locator(".document-section").all_inner_texts()
        page.get_by_role("button", name="Load more").click()
        expect(page.locator(".chunk")).not_to_have_count(first)
        expect(page.locator(".drawer")).to_contain_text("Rule 129")
        expect(page.get_by_role("button", name="Load more")).to_have_count(0)
    assert embedded.problems == []


def test_the_map_is_moved_with_the_mouse(embedded: Site) -> None:
    with embedded.page() as page:
        page.goto(embedded.address("memory", view="map", kind="fact"))
        page.wait_for_selector(".dot", state="attached")
        frame, drawn = page.locator(".map-frame"), page.locator(".map-frame svg")
        box = frame.bounding_box()
        assert box is not None
        view: Callable[[], list[float]] = lambda: [  # noqa: E731
            float(one) for one in str(drawn.get_attribute("viewBox")).split()
        ]
        whole = view()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.wheel(0, -400)
        expect(drawn).not_to_have_attribute("viewBox", " ".join(f"{one:g}" for one in whole))
        near = view()
        assert near[2] < whole[2] and near[3] < whole[3]
        page.mouse.down()
        page.mouse.move(
            box["x"] + box["width"] / 2 - 80, box["y"] + box["height"] / 2 - 40, steps=4
        )
        page.mouse.up()
        moved = view()
        assert moved[0] > near[0] and moved[1] > near[1] and moved[2] == pytest.approx(near[2])
        assert page.locator(".drawer").count() == 0, "a drag is not a click"
        page.keyboard.press("0")
        page.get_by_role("button", name="Show all").click()
        dot = page.locator(".map-frame .dot").first
        at = dot.bounding_box()
        assert at is not None
        page.mouse.click(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
        expect(page.locator(".drawer .detail-text")).to_be_visible()
    assert embedded.problems == []


def test_by_keyboard_from_the_first_tab_on(story: Site) -> None:
    focused = "document.activeElement.textContent.trim() || document.activeElement.ariaLabel"
    with story.page() as page:
        page.goto(story.address("memory"))
        page.wait_for_selector(".card")
        page.keyboard.press("Tab")
        assert page.evaluate(focused) == "Skip to content"
        page.keyboard.press("Tab")
        assert "ann" in page.evaluate(focused)
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open]")
        assert page.evaluate("document.activeElement.type") == "search"
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
        assert page.evaluate("document.activeElement.className") == "place-button"
        for name in ("Memory", "Review"):
            page.keyboard.press("Tab")
            assert page.evaluate(focused).startswith(name)
        page.keyboard.press("Enter")
        page.wait_for_selector(".review.current")
        assert page.evaluate("location.hash").startswith("#/review")
        before = page.locator(".review.current").inner_text()
        page.keyboard.press("j")
        expect(page.locator(".review.current")).not_to_have_text(before, use_inner_text=True)
        page.keyboard.press("k")
        expect(page.locator(".review.current")).to_have_text(before, use_inner_text=True)
        page.keyboard.press("j")
        expect(page.locator(".review.current")).not_to_have_text(before, use_inner_text=True)
        page.keyboard.press("e")
        page.wait_for_selector(".review textarea")
        page.keyboard.press("a")  # a letter, not a decision
        assert story.memory.facts.list(ANN, ["candidate"])
    assert story.problems == []
