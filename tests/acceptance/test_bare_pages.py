"""A page whose facts have all ended: nothing of it is handed out as knowledge."""

from __future__ import annotations

import pytest

from taishi import Memory, Scope

ANN = Scope(user="u7")


@pytest.mark.parametrize(
    ("name", "told", "ended", "asked", "tag"),
    [
        ("Ann", "I work at Fiat.", "I no longer work at Fiat.", "Where does Ann work?", "employer"),
        ("小安", "我在华为工作。", "我不在华为工作了。", "小安在哪里工作？", "employer"),
    ],
)
def test_a_page_without_a_line_is_no_hit_and_its_tags_go(
    memory: Memory, name: str, told: str, ended: str, asked: str, tag: str
) -> None:
    memory.end_turn(ANN, new_info=told, sender_name=name)
    memory.drain()
    page = memory.get_profile(ANN, "user", "u7")
    assert page is not None and page.body and tag in page.tags
    memory.end_turn(ANN, new_info=ended, sender_name=name)
    memory.drain()
    page = memory.get_profile(ANN, "user", "u7")
    assert page is not None and (page.body.strip(), page.tags, page.name) == ("", (), name)
    hits = memory.recall(ANN, asked, deadline=5).hits
    assert hits and not [hit for hit in hits if hit.kind == "profile"]
    (found,) = memory.search_profiles(ANN, name, deadline=5).hits
    assert found.metadata["entity_id"] == "u7", "who is called that can still be looked up"


def test_a_tag_stays_while_another_fact_gives_it(memory: Memory) -> None:
    memory.end_turn(ANN, new_info=["I work at Fiat.", "I work at Lidl."], sender_name="Ann")
    memory.drain()
    memory.end_turn(ANN, new_info="I no longer work at Fiat.", sender_name="Ann")
    memory.drain()
    page = memory.get_profile(ANN, "user", "u7")
    assert page is not None and "employer" in page.tags and "Lidl" in page.body
