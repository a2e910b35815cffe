"""The Knowledge page: files are taken in, read section by section, asked, and removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from browser.site import ANN, GUIDE, Site, running_site
from taishi import Scope

Fresh = Callable[[], Site]
SCRIPT = "<script>document.title='broken'</script><img src=x onerror=alert(1)>"
DROP = """([name, text]) => {
    const files = new DataTransfer();
    files.items.add(new File([text], name));
    for (const kind of ["dragover", "drop"])
        dispatchEvent(new DragEvent(kind, {dataTransfer: files, bubbles: true, cancelable: true}));
}"""


def choose(page: Page, *files: tuple[str, bytes]) -> None:
    page.get_by_label("Choose files").set_input_files(
        [{"name": name, "mimeType": "", "buffer": data} for name, data in files]
    )


def test_K1_files_are_chosen_or_dropped_and_a_bad_one_says_why(
    browser: Browser, tmp_path: Path
) -> None:
    with running_site(tmp_path, browser) as site:
        site.memory.remember(ANN, "Ann plays the cello", kind="fact")
        with site.page() as page:
            page.goto(site.address("knowledge"))
            expect(page.get_by_text("No documents yet")).to_be_visible()
            choose(page, ("kettle.md", GUIDE.encode()), ("broken.pdf", b"%PDF-1.7 not one"))
            expect(page.locator(".document")).to_contain_text("kettle.md")
            expect(page.locator(".document")).to_contain_text("3 passages")
            failed = page.locator(".upload-failed")
            expect(failed).to_contain_text("broken.pdf")
            expect(failed.locator(".upload-reason")).not_to_be_empty()
            failed.get_by_role("button", name="Close").click()
            expect(failed).to_have_count(0)
            page.evaluate(DROP, ["rules.txt", "Shoes stay at the door."])
            expect(page.locator(".document")).to_have_count(2)
            expect(page.locator(".drop-sign")).to_have_count(0)
        assert [one.name for one in site.memory.knowledge.list(ANN)] == ["kettle.md", "rules.txt"]
        assert site.memory.knowledge.original(ANN, "kettle.md") == GUIDE.encode()
        assert [one for one in site.problems if "400" not in one and "422" not in one] == []


def test_K2_a_question_finds_a_passage_marks_its_words_and_opens_its_document(fresh: Fresh) -> None:
    site = fresh()
    site.memory.knowledge.add(Scope(shared=True), "# House\n\nThe bins go out on Tuesday.",
                              name="house.md")  # fmt: skip
    with site.page() as page:
        page.goto(site.address("knowledge"))
        expect(page.locator(".document")).to_have_count(1)
        page.keyboard.press("/")
        page.keyboard.type("How long is the warranty?")
        hit = page.locator(".passage").first
        expect(hit.locator(".citation")).to_contain_text("kettle.md › Kettle guide › Warranty")
        expect(hit.locator("mark").first).to_have_text("warranty", ignore_case=True)
        hit.locator(".citation").click()
        expect(page.locator(".chunk.chosen")).to_contain_text("thirty months")
        expect(page.locator(".document-section")).to_have_count(3)
        with page.expect_download() as saved:
            page.get_by_role("button", name="Download").click()
        assert saved.value.path().read_text("utf-8") == GUIDE
        page.keyboard.press("Escape")
        expect(page.locator(".drawer")).to_have_count(0)
        page.get_by_placeholder("Ask the documents").fill("when do the bins go out")
        shared = page.locator(".passage", has_text="Tuesday")
        expect(shared).to_contain_text("Shared")
        shared.locator(".citation").click()
        expect(page.locator(".chunk.chosen")).to_contain_text("bins go out")
        expect(page.locator(".place-kind").first).to_have_text("Shared memory")
    assert site.problems == []


def test_a_document_is_removed_after_the_time_to_take_it_back(fresh: Fresh) -> None:
    site = fresh()
    with site.page() as page:
        page.clock.install()
        page.goto(site.address("knowledge"))
        for undo in (True, False):
            page.get_by_role("button", name="Remove kettle.md").click()
            expect(page.locator(".document")).to_have_count(0)
            assert site.memory.knowledge.get(ANN, "kettle.md") is not None
            if undo:
                page.get_by_role("button", name="Undo").click()
                expect(page.locator(".document")).to_have_count(1)
        with page.expect_response(lambda answer: answer.request.method == "DELETE"):
            page.clock.run_for(7000)
    assert site.memory.knowledge.get(ANN, "kettle.md") is None
    assert site.problems == []


def test_what_a_document_says_is_shown_as_text(fresh: Fresh) -> None:
    site = fresh()
    site.memory.knowledge.add(ANN, f"# {SCRIPT}\n\nA kettle {SCRIPT}", name=f"{SCRIPT[:60]}.md")
    with site.page(390) as page:
        page.goto(site.address("knowledge"))
        expect(page.locator(".document")).to_have_count(2)
        page.locator(".document-open", has_text="<script>").click()
        expect(page.locator(".chunk").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".drawer")).to_have_count(0)
        page.get_by_placeholder("Ask the documents").fill("kettle")
        expect(page.locator(".passage").first).to_be_visible()
        assert page.locator("main img, main script").count() == 0
        assert page.title() != "broken"
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert site.problems == []


def test_a_key_that_may_only_read_sees_documents_and_changes_none(fresh: Fresh) -> None:
    site = fresh()
    site.keys.create("owner", rights="admin")
    _, reader = site.keys.create("reader", rights="read", user="ann")
    with site.page() as page:
        page.goto(site.address("knowledge"))
        page.get_by_label("API key").fill(reader)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".document")).to_contain_text("kettle.md")
        expect(page.get_by_role("button", name="Add files")).to_have_count(0)
        expect(page.get_by_role("button", name="Remove kettle.md")).to_have_count(0)
