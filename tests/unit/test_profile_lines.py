"""Which line of a page says which statement, and what a person changed (P5)."""

from __future__ import annotations

import time

import pytest

from taishi.domain import line_acl
from taishi.domain.line_acl import Statement
from taishi.domain.profile_lines import LineChange, changes, likeness, restated, says

ANN = ("Ann", "小安", "7")
# (line, statement, whether the one says the other)
CASES = [
    ("- Ann likes kiwi", "Ann likes kiwi", True),
    ("* likes KIWI.", "Ann likes kiwi", True),
    ("- Ann: likes kiwi", "likes kiwi", True),
    ("- Likes kiwi, tea and jazz", "Ann likes tea", True),
    ("- Likes kiwi, tea and jazz", "Ann likes jazz", True),
    ("- Lives in Oslo; works at Acme", "Ann works at Acme", True),
    ("- Is allergic to nuts and shellfish", "Ann is allergic to shellfish", True),
    ("- 喜欢猕猴桃、橄榄和爵士乐", "小安喜欢橄榄", True),
    ("- 小安住在北京，在小米工作", "小安在小米工作", True),
    ("- Does not like kiwi", "Ann likes kiwi", False),
    ("- Likes kiwi birds", "Ann likes kiwi", False),
    ("- Ann's sister likes kiwi", "Ann likes kiwi", False),
    ("- Bob likes kiwi", "Ann likes kiwi", False),
    ("- 不喜欢橄榄", "小安喜欢橄榄", False),
    ("- 喜欢橄榄油", "小安喜欢橄榄", False),
    ("- 住在上海，在北京工作", "小安住在北京", False),
    ("## Likes kiwi", "Ann likes kiwi", False),
    ("- ", "", False),
]


@pytest.mark.parametrize(("line", "statement", "expected"), CASES)
def test_P5_a_line_says_what_it_says(line: str, statement: str, expected: bool) -> None:
    assert says(Statement(line), statement, ANN) is expected


def whole(line: Statement) -> tuple[Statement | None, Statement | None]:
    return line, None


@pytest.mark.parametrize(
    ("body", "old", "new", "others", "expected"),
    [
        ("# Ann\n- Ann likes kiwi\n- Sings", "Ann likes kiwi", "Ann likes mango", [],
         "# Ann\n- Ann likes mango\n- Sings"),
        ("- Ann likes kiwi\n- Sings", "Ann likes kiwi", "", ["Sings"], "- Sings"),
        ("* likes kiwi", "Ann likes kiwi", "Ann likes mango", [], "* Ann likes mango"),
        ("- Likes kiwi, tea and jazz", "Ann likes kiwi", "Ann likes mango",
         ["Ann likes tea", "Ann likes jazz", "Bob sings"],
         "- Ann likes mango\n- Ann likes tea\n- Ann likes jazz"),
        ("- 喜欢猕猴桃和橄榄", "小安喜欢猕猴桃", "", ["小安喜欢橄榄"], "- 小安喜欢橄榄"),
        ("- Ann likes mango\n- Ann likes kiwi", "Ann likes kiwi", "Ann likes mango", [],
         "- Ann likes mango"),
        # in a model's words
        ("- Enjoys kiwi\n- Loves jazz", "Ann likes kiwi", "Ann likes mango", ["Ann loves jazz"],
         "- Ann likes mango\n- Loves jazz"),
        ("- 爱吃猕猴桃\n- 爱听爵士乐", "小安喜欢猕猴桃", "", ["小安爱听爵士乐"], "- 爱听爵士乐"),
        ("- Software engineer at Google\n- Sings", "Ann works at Google as an engineer", "",
         ["Sings"], "- Sings"),
        # what another fact says word for word is not that
        ("- Ann is allergic to kiwi", "Ann likes kiwi", "", ["Ann is allergic to kiwi"],
         "- Ann is allergic to kiwi"),
        ("- Never eats kiwi", "Ann eats kiwi", "", [], "- Never eats kiwi"),
        ("- Plays chess", "Ann likes kiwi", "Ann likes mango", [], "- Plays chess"),
    ],
)  # fmt: skip
def test_P5_a_line_is_put_right(
    body: str, old: str, new: str, others: list[str], expected: str
) -> None:
    assert restated(body, old, new, whole, ANN, others) == expected


def test_S4_only_the_part_that_was_learned_there_is_put_right() -> None:
    page = "- Ann likes kiwi <!-- group:g1 private -->"
    here = restated(page, "Ann likes kiwi", "Ann likes mango",
                    lambda line: line_acl.split(line, "group:g1"), ANN)  # fmt: skip
    assert here == "- Ann likes kiwi\n- Ann likes mango <!-- group:g1 -->"
    other = restated(page, "Ann likes kiwi", "", lambda line: line_acl.split(line, "group:g2"))
    assert other == page


def changed(before: str, after: str) -> list[tuple[str | None, str | None]]:
    return [tuple(one and one.said for one in change)  # type: ignore[misc]
            for change in changes(before, after)]  # fmt: skip


def test_P5_what_a_person_changed_line_by_line() -> None:
    page = "# Ann\n- Likes kiwi\n- Lives in Oslo\n- Sings"
    assert changed(page, page.replace("- ", "* ") + "!\n\n") == []
    assert changed(page, page.replace("kiwi", "mango")) == [("Likes kiwi", "Likes mango")]
    assert changed(page, page.replace("- Likes kiwi\n", "")) == [("Likes kiwi", None)]
    assert changed(page, f"{page}\n- Has cats") == [(None, "Has cats")]
    assert changed(page, page.replace("- Sings", "- Has cats")) == [
        ("Sings", None), (None, "Has cats"),
    ]  # fmt: skip
    assert changed(page, "- Sings\n- Lives in Oslo\n- Likes kiwi") == [], "moved is not changed"
    assert changed("- 喜欢猕猴桃", "- 喜欢芒果") == [("喜欢猕猴桃", "喜欢芒果")]
    assert isinstance(changes("", "- a b")[0], LineChange)


@pytest.mark.parametrize(
    "body",
    ["a, " * 30_000, "- a\n" * 25_000, "和" * 100_000, "- a b c\n" * 10_000 + "x, y " * 9000],
)
def test_P5_a_hostile_page_takes_a_moment(body: str) -> None:
    start = time.thread_time()
    restated(body, "Ann likes kiwi", "Ann likes mango", whole, ANN, ["a", "b c"])
    changes(body, f"{body}\n- x")
    likeness(Statement(body), body, ANN)
    assert time.thread_time() - start < 5
