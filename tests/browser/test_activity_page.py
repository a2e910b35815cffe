"""Growth by kind, latency and queue age over time: drawn, and as a table."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from browser.site import ANN, Site
from browser.test_looks import axe, faults


def test_growth_and_latency_are_shown(embedded: Site) -> None:
    embedded.memory.recall(ANN, "green tea")
    embedded.memory.status()
    growth = embedded.memory.records.growth(ANN)
    with embedded.page(color_scheme="dark", reduced_motion="reduce") as page:
        page.add_init_script(path=axe())
        page.goto(embedded.address("activity"))
        plots = page.locator(".plot")
        expect(plots).to_have_count(4)
        assert faults(page) == []
        expect(plots.first.locator("svg title")).to_have_text("Growth")
        facts = plots.first.locator("svg g.ink-purple rect")
        assert facts.count() == len(growth["fact"])
        plots.first.locator("summary").click()
        last = plots.first.locator("tbody tr").last
        day = max(growth["fact"])
        expect(last).to_contain_text(str(growth["fact"][day]))
        recall = plots.nth(1)
        assert recall.locator("svg circle").count() >= 2
        box = recall.locator("svg").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] - 6, box["y"] + box["height"] / 2)
        expect(recall.locator(".legend strong").first).to_contain_text("ms")
        expect(plots.nth(3).locator("svg title")).to_have_text("Age of the queue")
    assert embedded.problems == []


def test_nothing_yet_says_what_will_be_here(story: Site) -> None:
    with story.page(locale="zh-CN") as page:
        page.goto(story.address("activity", "private:nobody"))
        page.get_by_role("button", name="在这里新建记忆").click()
        expect(page.get_by_text("最近 30 天没有新增")).to_be_visible()
    assert story.problems == []


def test_a_key_for_one_user_sees_growth_but_no_latency(
    fresh: Callable[[], Site],
) -> None:
    site = fresh()
    _, secret = site.keys.create("ann", rights="read", workspace="default", user="ann")
    with site.page() as page:
        page.goto(site.address("activity"))
        page.get_by_label("API key").fill(secret)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".plot")).to_have_count(1)
        expect(page.get_by_text("an admin key for every workspace")).to_be_visible()
    assert site.problems == []
