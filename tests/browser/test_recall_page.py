"""The recall playground: what took how long, what the block costs, two settings side by side."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.site import ANN, Site


def test_timings_tokens_and_two_settings(embedded: Site) -> None:
    with embedded.page() as page:
        page.goto(embedded.address("recall"))
        page.get_by_role("button", name="Compare two settings").click()
        first = page.locator(".choices").nth(0)
        first.get_by_label("Hits at most").fill("2")
        first.get_by_label("Tokens at most").fill("300")
        expect(first.locator(".differs")).to_have_count(2)
        page.locator(".recall-page .search input").fill("green tea water")
        page.keyboard.press("Enter")
        page.wait_for_selector(".block >> nth=1")
        answers = page.locator(".recall-page [aria-live] > div")
        for side in (answers.nth(0), answers.nth(1)):
            shown = side.locator(".waterfall tr[data-stage]")
            stages = shown.evaluate_all("rows => rows.map(row => row.dataset.stage)")
            assert {"embed", "keyword", "recency", "vector", "score", "fetch", "block"} <= {*stages}
            assert all(
                text.endswith(" ms")
                for text in side.locator(".waterfall td:last-child").all_inner_texts()
            )
        expect(answers.nth(0).locator(".hits > li")).to_have_count(2)
        expect(answers.nth(0).locator(".hits > .differs")).to_have_count(0)
        assert answers.nth(1).locator(".hits > .differs").count() >= 3
        assert "only in B" in answers.nth(1).locator(".hits").inner_text()
        block = answers.nth(1).locator(".block").inner_text()
        tokens = embedded.memory.brief(
            ANN, "green tea water", 1600, deadline=5, explain=True
        ).tokens
        assert tokens is not None and block.startswith("=== Memory")
        said = answers.nth(1).get_by_text("tokens, as the budget counts them").inner_text()
        assert said.startswith(f"{tokens.total:,} of 1,600 tokens")
        rows = answers.nth(1).locator(".token-sections > div")
        counted = {
            str(row.get_attribute("data-section")): int(row.locator(".numbers").inner_text())
            for row in rows.all()
        }
        assert counted == {**tokens.sections, "frame": tokens.frame}
        assert sum(counted.values()) == tokens.total
    assert embedded.problems == []
