"""The tags of a fact after a person corrected it."""

from __future__ import annotations

import pytest

from taishi.domain import fact_decisions, facts
from taishi.types import Partition

HOME = Partition("default", "private", "ann")


@pytest.mark.parametrize(
    "old, new, tags, left",
    [
        ("Ann lives in Cork", "Ann lives in Dublin", ["Cork", "residence"], ["residence"]),
        ("Ann lives in Cork", "Ann works in Cork", ["cork", "residence"], ["cork", "residence"]),
        ("小安住在上海", "小安住在杭州", ["上海", "住址"], ["住址"]),
        ("小安住在上海", "小安住在上海浦东", ["上海"], ["上海"]),
        ("Ann started a shop", "Ann opened a shop", ["art", "shop"], ["art", "shop"]),
        ("Ann lives in New York", "Ann lives in York", ["New York", "York"], ["York"]),
        ("Ann lives in Cork", "Ann lives in Dublin", [], []),
        ("Ann works at Harlow", "Ann keeps books at Harlow & Pike", ["Harlow"], ["Harlow & Pike"]),
        ("Ann works at Harlow", "Ann works for Harlow Ltd in Cork", ["Harlow"], ["Harlow Ltd"]),
        ("Ann lives in Oslo", "Ann lives in Oslo and Bergen", ["Oslo"], ["Oslo"]),
    ],
)
def test_a_tag_that_is_a_word_of_the_old_text_alone_goes_with_it(
    old: str, new: str, tags: list[str], left: list[str]
) -> None:
    fact = facts.new_fact(old, HOME, "e1", 0.0, "ann", tags=tags)
    _, edit = fact_decisions.correct(fact, new, 1.0)
    assert edit.record is not None
    assert list(edit.record.data.get("tags") or ()) == left
