"""Each statement of a page carries where it may be shown (S4)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from taishi.domain import line_acl
from taishi.types import Scope

PRIVATE = Scope(user="ann")
G42 = Scope(group="g42", user="ann")
G7 = Scope(group="g7", user="ann")
PAGE = """## About
- Has two cats
- Likes tea <!-- group:g42 -->
- Sings <!-- group:g42 group:g7 -->
- 是工程师 <!-- everywhere -->"""


def test_S4_each_scope_sees_its_own() -> None:
    assert line_acl.visible(PAGE, PRIVATE) == "## About\n- Has two cats\n- 是工程师"
    assert line_acl.visible(PAGE, PRIVATE, linked=True) == line_acl.plain_body(PAGE)
    assert "Has two cats" in line_acl.visible(PAGE, G42, linked=True)
    assert "Likes tea" not in line_acl.visible(PAGE, G7, linked=True)
    assert line_acl.visible(PAGE, G42) == "- Likes tea\n- Sings\n- 是工程师"
    assert line_acl.visible(PAGE, G7) == "- Sings\n- 是工程师"
    assert line_acl.visible(PAGE, Scope(agent="g42")) == "- 是工程师"
    assert line_acl.visible("- Has two cats", G42) == ""


def test_S4_mark_says_where_it_was_learned() -> None:
    assert line_acl.mark("Likes tea", PRIVATE) == "Likes tea"
    assert line_acl.mark("Likes tea", G42) == "Likes tea <!-- group:g42 -->"


@pytest.mark.parametrize(
    "statement",
    ["secret <!-- everywhere -->", "secret <!-- group:g7 -->", "secret <!-- everywhere --><!--",
     "secret\n- more <!-- everywhere -->", "secret <!<!---- everywhere -->",
     "secret <!-<!---- everywhere -->->"],
)  # fmt: skip
def test_S4_words_cannot_carry_a_mark(statement: str) -> None:
    for page in (line_acl.mark(statement, PRIVATE), line_acl.added("", [statement], PRIVATE),
                 line_acl.rewritten("", statement.replace("\n", " "), PRIVATE)):  # fmt: skip
        assert line_acl.visible(page, G7) == ""
        assert line_acl.visible(page, G42) == ""


@given(st.text(min_size=1, max_size=30), st.text(max_size=60))
@effort(max_examples=150, deadline=None)
def test_S4_any_group_id_is_found_again_and_no_other(id: str, words: str) -> None:
    try:
        here = Scope(group=id)
    except ValueError:
        return
    if here.group is None:
        return
    page = line_acl.added("", [f"x {words}"], here)
    assert line_acl.visible(page, here)
    assert line_acl.visible(page, Scope(group=f"{id}2")) == ""
    assert line_acl.visible(page, Scope(user=id)) == ""
    assert line_acl.visible(page, Scope(user=id), linked=True).startswith("- x")
    assert "<!--" not in line_acl.visible(page, here)


def test_S4_a_statement_is_put_once_wherever_it_is_said() -> None:
    page = line_acl.added("", ["Likes tea", "- likes TEA.", " "], PRIVATE)
    assert page == "- Likes tea"
    assert line_acl.added(page, ["Likes tea"], PRIVATE) == page
    page = line_acl.added(page, ["Likes tea"], G42)  # now said there, too
    assert page == "- Likes tea <!-- group:g42 private -->"
    page = line_acl.added(page, ["Likes tea"], G7)
    assert page == "- Likes tea <!-- group:g42 group:g7 private -->"
    assert line_acl.added(page, ["Likes tea"], PRIVATE) == page
    there = line_acl.added("- A <!-- group:g7 -->", ["A"], PRIVATE)
    assert there == "- A <!-- group:g7 private -->"
    assert line_acl.added("- A <!-- everywhere -->", ["A"], G7) == "- A <!-- everywhere -->"
    assert line_acl.added("- A", ["B"], None) == "- A\n- B"


def test_S4_a_rewrite_keeps_what_it_did_not_see() -> None:
    seen = line_acl.visible(PAGE, G42)
    assert "cats" not in seen
    page = line_acl.rewritten(PAGE, "- Likes green tea\n- Sings\n- 是工程师", G42)
    assert page == (
        "## About\n- Has two cats\n- Likes green tea <!-- group:g42 -->\n"
        "- Sings <!-- group:g42 group:g7 -->\n- 是工程师 <!-- everywhere -->"
    )


def test_S4_a_rewrite_in_private_does_not_show_more_in_a_group() -> None:
    page = line_acl.rewritten(PAGE, "- Has two cats\n- Likes green tea\n- 是工程师", PRIVATE)
    assert line_acl.visible(page, G42) == "- Likes tea\n- Sings\n- 是工程师"
    assert line_acl.visible(page, PRIVATE) == "- Has two cats\n- Likes green tea\n- 是工程师"


def test_S4_what_is_said_here_and_was_known_elsewhere_is_one_line() -> None:
    page = line_acl.rewritten(PAGE, "- Has two cats\n- likes tea", PRIVATE)
    assert page.count("ikes tea") == 1
    assert "- Likes tea <!-- group:g42 private -->" in page


@pytest.mark.parametrize(
    "line",
    ["Likes tea", "- likes TEA.", "* Likes tea", "1. Likes tea", "• Likes tea!", "> - Likes tea",
     "- [x] Likes tea", "- Ｌikes tea", "- Likes\u200b tea\ufeff", "- Likes tea (95 %, 12 sources)",
     "- Likes tea（95 %，1 个来源）", "   Likes   tea  "],
)  # fmt: skip
def test_P5_a_line_is_known_by_what_it_says(line: str) -> None:
    assert line_acl.Statement(line).key == "likes tea"
    assert line_acl.Statement(line).is_statement


@pytest.mark.parametrize(
    "line", ["", "   ", "# Ann", "## 关于", "---", "===", "```", "<!-- note -->"]
)
def test_P5_a_heading_is_no_statement(line: str) -> None:
    assert not line_acl.Statement(line).is_statement


@pytest.mark.parametrize(
    "body",
    ["<!--" * 250_000, "<!-- group:a " * 80_000, "<!-- everywhere " * 60_000, "x" * 10**6,
     "\n" * 10**6, "- " * 500_000, "<!-- " + "group:a " * 100_000 + "-->"],
)  # fmt: skip
def test_S4_a_megabyte_is_read_in_a_moment(body: str) -> None:
    start = time.thread_time()
    line_acl.visible(body, G42)
    line_acl.added(body, ["x"], G42)
    assert time.thread_time() - start < 3
