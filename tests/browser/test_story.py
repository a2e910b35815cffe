"""The story of a correction, by clicking: put right, it stays right; conflicts, pages, keys."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from browser.site import ANN, Site, running_site
from support.scripted_upstream import ScriptedUpstream
from taishi import Scope

Fresh = Callable[[], Site]


def fact_about(site: Site, words: str) -> str:
    (found,) = [one for one in site.memory.facts.list(ANN, ["approved"]) if words in one.text]
    return found.text


def card(page: Page, words: str):  # type: ignore[no-untyped-def]
    return page.locator(".card", has_text=words)


def wait_until(is_so: Callable[[], bool], seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def test_P5_a_fact_is_corrected_and_stays_so_in_the_next_chat(fresh: Fresh) -> None:
    site = fresh()
    was = fact_about(site, "Bergen")
    with site.page() as page:
        page.goto(site.address("memory", kind="fact"))
        card(page, was).first.click()
        expect(page.locator(".drawer .quote").first).to_contain_text("I live in Bergen")
        page.get_by_role("button", name="Correct").click()
        page.get_by_label("What is right?").fill("Ann lives in Trondheim")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".detail-text")).to_have_text("Ann lives in Trondheim")
        expect(page.locator(".history")).to_contain_text(was)  # what it replaced
        page.keyboard.press("Escape")
        expect(card(page, "Trondheim")).to_have_count(1)
    assert site.problems == []
    site.memory.end_turn(ANN, action_summary="Talked about the weather", request_id="next",
                         messages=[{"text": "It rains.", "speaker": "Ann"}])  # fmt: skip
    site.memory.end_turn(Scope(user="ann", session="new"), request_id="next-2",
                         new_info="I live in Bergen", sender_name="Ann", actor="model")  # fmt: skip
    site.memory.drain()
    with site.page() as page:  # the next chat, with a session of its own
        page.goto(site.address("chat"))
        page.get_by_label("Message").fill("Where does Ann live?")
        page.keyboard.press("Enter")
        told = page.locator(".chat-line.assistant .told li")
        expect(told.get_by_text("Ann lives in Trondheim", exact=True)).to_be_visible()
        lines = told.all_inner_texts()
    for line in lines:  # what was said then is told as what it is: corrected since
        assert "Bergen" not in line or "since corrected: Ann lives in Trondheim" in line, line
    assert was not in [one.text for one in site.memory.facts.list(ANN, ["approved"])]


def test_F1_a_conflict_is_settled_side_by_side_and_candidates_with_one_key(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("memory"))
        page.locator("a.tile", has_text="Conflicts").click()  # from the strip on top
        sides = page.locator(".side-fact")
        expect(sides).to_have_count(2)
        expect(sides.nth(0)).to_contain_text("by bike")
        sides.nth(1).get_by_role("button", name="This one").click()
        expect(page.locator(".sides")).to_have_count(0)
        expect(page.locator(".review")).to_have_count(2)
        page.keyboard.press("j")
        page.wait_for_selector(".review.current >> nth=0")
        expect(page.locator(".review").nth(1)).to_contain_class("current")
        first = page.locator(".review.current .review-text").inner_text()
        page.keyboard.press("a")
        expect(page.locator(".review")).to_have_count(1)
        second = page.locator(".review .review-text").inner_text()
        page.keyboard.press("r")
        expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    states = {one.text: one.state for one in site.memory.facts.list(ANN)}
    assert states["Ann goes to work by tram"] == "approved"
    assert states["Ann goes to work by bike"] in ("rejected", "superseded")
    assert (states[first], states[second]) == ("approved", "rejected")
    assert site.problems == []


def test_P3_a_page_is_rolled_back_and_edited(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("profiles"))
        expect(page.locator(".profile")).to_contain_text("lives in Bergen")
        page.locator(".revisions button").first.click()
        expect(page.locator(".diff-line.removed mark").last).to_have_text("Oslo")
        expect(page.locator(".diff-line.added mark").last).to_have_text("Bergen")
        page.get_by_role("button", name="Back to this version").click()
        expect(page.locator(".profile")).to_contain_text("lives in Oslo")
        page.get_by_role("button", name="Edit").click()
        page.get_by_label("The page, in Markdown").fill("- lives in Oslo\n- likes **coffee**")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".profile strong")).to_have_text("coffee")
        expect(page.locator(".profile .facts-list")).to_contain_text("A person (on these pages)")
        writers = page.locator(".revision-writer")
        expect(writers.first).to_have_text("Rolled back (on these pages)")
        expect(writers.nth(1)).to_have_text("A person (Python)")
        expect(writers.last).to_contain_text("The historian · the event")
        writers.last.get_by_role("link").click()
        expect(page.locator(".drawer .detail-text")).to_contain_text("lives in Bergen")
    page_now = site.memory.profiles.source(ANN)
    assert page_now is not None and "coffee" in page_now.body and "Bergen" not in page_now.body
    assert site.problems == []


def test_a_deletion_can_be_taken_back_and_then_happens(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.clock.install()
        page.goto(site.address("memory"))
        for undo in (True, False):
            card(page, "cello").click()
            page.get_by_role("button", name="Delete").click()
            expect(card(page, "cello")).to_have_count(0)
            assert site.memory.records.get(ANN, "cello") is not None
            if undo:
                page.get_by_role("button", name="Undo").click()
                expect(card(page, "cello")).to_have_count(1)
        with page.expect_response(lambda answer: answer.request.method == "DELETE"):
            page.clock.run_for(7000)
    assert site.memory.records.get(ANN, "cello") is None
    assert site.problems == []


def test_expired_memories_are_listed_before_they_go(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("memory"))
        page.locator("a.tile", has_text="Expired").click()
        expect(page.locator(".card")).to_have_count(1)
        page.get_by_role("button", name="Clean up").click()
        expect(page.locator("dialog li")).to_have_text(["Fact Ann is on holiday 100 %"])
        page.get_by_role("button", name="Delete 1").click()
        expect(page.locator(".card")).to_have_count(0)
        assert site.memory.records.get(ANN, "over") is not None
        page.goto("about:blank")  # left before the time for taking it back is over: it is done
        wait_until(lambda: site.memory.records.get(ANN, "over") is None)
    assert [one for one in site.problems if "about:blank" not in one] == []


def test_what_is_told_appears_without_reloading(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("memory"))
        expect(page.locator(".card").first).to_be_visible()
        page.wait_for_timeout(300)
        site.memory.remember(ANN, "Ann bought a red canoe", kind="fact")
        expect(card(page, "red canoe")).to_have_count(1, timeout=6000)
        page.get_by_role("button", name="Words", exact=True).click()
        page.get_by_placeholder("Search").fill("CANOE")
        expect(page.locator(".card")).to_have_count(1)
        page.get_by_placeholder("Search").fill("")
        page.get_by_role("button", name="Procedures").click()
        expect(page.locator(".card")).to_have_count(1)
        expect(card(page, "push the tag")).to_have_count(1)
        page.get_by_role("button", name="All").click()
        page.get_by_role("button", name="Filters").click()
        page.get_by_label("Tag").fill("music")
        page.get_by_label("Tag").press("Enter")
        expect(page.locator(".card")).to_have_count(1)
        expect(card(page, "cello")).to_have_count(1)
    assert site.problems == []


def test_the_first_key_is_made_here_and_then_one_signs_in(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("settings"))
        page.get_by_role("button", name="Make a key").click()
        page.get_by_label("Name", exact=True).fill("me")
        page.locator("dialog").get_by_role("button", name="Make a key").click()
        secret = page.locator(".secret code").inner_text()
        page.keyboard.press("Escape")
        expect(page.locator(".key-row")).to_contain_text("me")  # signed in with it already
        kept = page.evaluate("JSON.stringify([document.cookie, {...localStorage}])")
        assert secret not in kept and "taishi_session" not in kept
        page.get_by_role("button", name="Sign out").click()
        page.get_by_label("API key").fill("tsk_wrong_key")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("API key").fill(secret)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".key-row")).to_contain_text("me")
        (cookie,) = page.context.cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
        site.keys.revoke(site.keys.list()[0].id)
        page.get_by_role("link", name="Jobs").click()
        expect(page.get_by_label("API key")).to_be_visible()  # the session ended with its key
    _, reader = site.keys.create("reader", rights="read", user="ann")
    with site.page() as page:
        page.goto(site.address("memory"))
        page.get_by_label("API key").fill(reader)
        page.get_by_role("button", name="Sign in").click()
        page.locator(".card").first.click()
        expect(page.locator(".drawer h3").first).to_be_visible()
        expect(page.get_by_role("button", name="Delete")).to_have_count(0)
        page.goto(site.address("memory", "private:bob"))
        expect(page.locator(".error-box")).to_contain_text("This key does not allow that")
        page.wait_for_timeout(300)
        expect(page.get_by_text("The server does not answer")).to_have_count(0)


def test_C2_a_setting_is_checked_and_saved(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("settings"))
        page.get_by_placeholder("Find a setting").fill("recall_top_k")
        field = page.get_by_label("recall_top_k")
        expect(field).to_have_value("5")
        field.fill("7")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".save-bar")).to_contain_text("In force now: query.recall_top_k")
        assert site.memory.settings.query.recall_top_k == 7
        page.get_by_placeholder("Find a setting").fill("timezone")
        page.get_by_label("timezone").fill("Nowhere/Land")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".save-bar")).to_contain_text("IANA")
    file = site.memory.settings.origin.file
    assert file is not None and "recall_top_k = 7" in file.read_text("utf-8")
    assert "Nowhere" not in file.read_text("utf-8")


def test_a_chat_without_a_model_shows_what_one_would_be_told(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("chat"))
        page.get_by_label("Message").fill("Does Ann play the cello?")
        page.keyboard.press("Enter")
        expect(page.locator(".chat-line.assistant .told")).to_contain_text("Ann plays the cello")
        page.get_by_label("Message").fill("I adopted a dog called Rex")
        page.keyboard.press("Enter")
        expect(page.locator(".growing")).to_contain_text("Rex", timeout=8000)
        expect(page.locator(".growing li").first).to_be_visible()
        page.get_by_label("Your name").fill("Annie")
        page.get_by_label("Message").fill("I bought a red kayak")
        page.keyboard.press("Enter")
        expect(page.locator(".growing")).to_contain_text("Annie", timeout=8000)
        page.reload()
        expect(page.get_by_label("Your name")).to_have_value("Annie")
    assert any("Rex" in one.text for one in site.memory.records.newest(ANN, limit=20).records)
    assert site.problems == []


def test_a_chat_with_a_model_goes_through_the_proxy(browser: Browser, tmp_path: Path) -> None:
    settings = {"proxy.api_key": "sk-scripted"}
    with (
        ScriptedUpstream() as upstream,
        running_site(tmp_path, browser, **settings, **{"proxy.upstream_url": upstream.url}) as site,
    ):
        site.memory.remember(ANN, "Ann plays the cello", kind="fact")
        with site.page() as page:
            page.goto(site.address("chat"))
            expect(page.locator(".chat-lines")).to_contain_text("through Taishi's own proxy")
            page.get_by_label("Message").fill("Which instrument does Ann play? The cello?")
            page.keyboard.press("Enter")
            expect(page.locator(".chat-line.assistant p")).not_to_be_empty()
        asked = next(one for one in upstream.requests if one.path.endswith("completions"))
        assert "Ann plays the cello" in str(asked.body)
        assert site.problems == []


def test_many_are_decided_at_once(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.goto(site.address("memory", state="candidate", kind="fact"))
        expect(page.locator(".card")).to_have_count(2)
        page.get_by_role("button", name="Select several").click()
        page.get_by_role("button", name="Select all shown").click()
        expect(page.locator(".bulk")).to_contain_text("2 selected")
        page.get_by_role("button", name="Not true").click()
        expect(page.locator(".card")).to_have_count(0)
    states = {one.id: one.state for one in site.memory.facts.list(ANN)}
    assert states["maybe-1"] == states["maybe-2"] == "rejected"
    assert site.problems == []


def test_S2_what_is_shared_is_found_and_opened_in_its_own_place(fresh: Fresh) -> None:
    site = fresh()
    site.memory.remember(Scope(shared=True), "The office closes at six", kind="fact", id="office")
    with site.page() as page:
        page.goto(site.address("memory"))
        page.get_by_placeholder("Search").fill("when does the office close")
        card(page, "office closes").click()
        page.get_by_role("link", name="Look in the shared memory").click()
        expect(page.locator(".detail-text")).to_have_text("The office closes at six")
        expect(page.locator(".place-kind").first).to_have_text("Shared memory")
