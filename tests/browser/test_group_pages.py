"""What a group is shown of its people: on the Profile page, and in the block for who asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.site import Site, running_site
from taishi import Scope

XIAOYU, AQIANG = Scope(user="10002", group="880"), Scope(user="10003", group="880")


@pytest.fixture(scope="module")
def group(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("group"), browser) as site:
        for scope, name, said in (
            (XIAOYU, "小雨", "我对花生过敏"),
            (XIAOYU, "小雨", "以后回答我都要用文言文"),
            (AQIANG, "阿强", "我养了一只猫叫布丁"),
        ):
            site.memory.consider(
                scope,
                [{"speaker": name, "text": said}],
                sender_name=name,
                group_name="摸鱼群",
                time="2026-06-01T12:00:00Z",
            )
            site.memory.drain()
        site.memory.profiles.set(Scope(group="880"), "- 每周六聚餐", name="摸鱼群")
        site.memory.profiles.set(
            Scope(user="10004"),
            "- 住在成都 <!-- group:880 private -->\n- 喜欢火锅 <!-- everywhere -->\n"
            "- 会游泳 <!-- group:a%2Fb group:880 -->\n- 只在私聊说过\n- 别的 <!-- 备注 -->",
            name="老周",
        )
        site.memory.drain()
        yield site


def test_the_page_of_a_group_lists_its_people(group: Site) -> None:
    with group.page(locale="zh-CN") as page:
        page.goto(group.address("memory", "group:880"))
        page.get_by_role("link", name="画像 4 页").click()
        members = page.get_by_role("region", name="群里的人")
        expect(members.locator("li h3")).to_have_count(3)
        expect(members).to_contain_text("小雨对花生过敏")
        expect(members).to_contain_text("会游泳")
        expect(members).not_to_contain_text("只在私聊说过")
        expect(members).not_to_contain_text("<!--")
        members.get_by_role("link", name="小雨").click()
        expect(page.locator(".profile h2")).to_have_text("小雨")
        expect(page.locator(".profile .markdown li")).to_have_text("小雨对花生过敏 仅在群 880")
        expect(page.get_by_role("region", name="群里的人")).to_have_count(0)
    assert group.problems == []


def test_marks_of_lines_are_said_in_words(group: Site) -> None:
    with group.page() as page:
        page.goto(group.address("profiles", "private:10004"))
        lines = page.locator(".profile .markdown li")
        expect(lines).to_have_text(
            [
                "住在成都 also in group 880",
                "喜欢火锅 everywhere",
                "会游泳 only in group a/b, 880",
                "只在私聊说过",
                "别的 <!-- 备注 -->",
            ]
        )
        page.get_by_role("button", name="Edit").click()
        expect(page.locator("textarea")).to_have_value(
            group.memory.profiles.source(Scope(user="10004")).body  # type: ignore[union-attr]
        )
    assert group.problems == []


def test_a_question_in_a_group_may_be_somebodys(group: Site) -> None:
    with group.page() as page:
        page.goto(group.address("recall", "group:880"))
        question, asker = page.get_by_label("Question"), page.get_by_label("Who asks")
        question.fill("我能吃什么")
        page.keyboard.press("Enter")
        expect(page.locator(".block")).to_contain_text("每周六聚餐")
        expect(page.locator(".block")).not_to_contain_text("文言文")
        people = page.locator("#askers option").evaluate_all("all => all.map(one => one.value)")
        assert {*people} == {"10002", "10003", "10004"}
        asker.fill("10002")
        page.keyboard.press("Enter")
        expect(page.locator(".block")).to_contain_text("文言文")
        shown = page.locator(".block").inner_text()
        assert shown == group.memory.context(XIAOYU, "我能吃什么", 800)
        page.goto(group.address("recall", "private:10002"))
        expect(page.get_by_label("Question")).to_be_visible()
        expect(page.get_by_label("Who asks")).to_have_count(0)
        page.goto(group.address("recall", "group:880"))
        expect(page.get_by_label("Who asks")).to_have_value("")
    assert group.problems == []


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off(group: Site, width: int, scheme: str, tmp_path: Path) -> None:
    with group.page(width, color_scheme=scheme, locale="zh-CN") as page:
        for name, place in (
            ("profiles", "group:880"),
            ("profiles", "private:10004"),
            ("recall", "group:880"),
        ):
            page.goto(group.address(name, place))
            expect(page.locator(".members li, .profile li, .asker").first).to_be_visible()
            page.screenshot(path=tmp_path / f"{name}-{place[:5]}-{width}-{scheme}.png")
            assert page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            )
    assert group.problems == []
