"""Names that are spelled out are learned by rule, and what only looks like one is not."""

from __future__ import annotations

import time

import pytest

from taishi.historian.fact_patterns import facts_by_rule
from taishi.historian.fact_patterns.spelled_names import with_plain_name
from taishi.types import Job


def learned(text: str) -> list[tuple[str, str]]:
    job = Job(
        request_id="r", end_seq=1, action_summary="", new_info=(text,), timestamp_utc="",
        timestamp_local="", timezone="UTC", epoch=1.77e9, workspace="default",
        request_type="private", user_id="ann7", sender_id="ann7", sender_name="ann7",
    )  # fmt: skip
    return [(fact.category, fact.content) for fact in facts_by_rule(job)]


@pytest.mark.parametrize(
    "text, name",
    [
        ("My name is spelt Margarete, with an e.", "Margarete"),
        ("My name is spelled Margarete with an e at the end.", "Margarete"),
        ("my name is spelled Jon, without an h", "Jon"),
        ("My first name is actually spelt Philippa, with one l and two p's.", "Philippa"),
        ("I spell my name Zsofia.", "Zsofia"),
        ("I spell my name J-o-n.", "Jon"),
        ("My name is spelled M-A-R-G-A-R-E-T-E", "Margarete"),
        ("By the way, my name's spelt Anneli, not Annely.", "Anneli"),
        ("My name is written Siobhan and I live in Cork.", "Siobhan"),
        ("My name is Margarete, with an e.", "Margarete"),
        ("My name is spelt Marie-Claire.", "Marie-Claire"),
    ],
)
def test_a_spelled_name_is_a_name(text: str, name: str) -> None:
    names = [content for category, content in learned(text) if category == "name"]
    assert names == [f"ann7's name is {name}"]


@pytest.mark.parametrize(
    "text",
    [
        "My name is spelt with an e.",
        "My name is often misspelt Margret.",
        "My name is not spelt Margret.",
        "My name is spelt wrong in the contract.",
        "My name is spelled Margret in the contract.",
        "My name is spelled Margret on my badge, which is wrong.",
        "Is my name spelt Margarete?",
        "If my name is spelt Margarete, the form rejects it.",
        "The function is spelt Margarete.",
        "It is spelt Margarete.",
        "I spell my name differently from my sister.",
        "Spell my name properly, please.",
    ],
)
def test_what_spells_no_name(text: str) -> None:
    assert not [content for category, content in learned(text) if category == "name"]


@pytest.mark.parametrize(
    "text, told",
    [
        ("我的名字是安静的静。", ("other", "ann7名字里的“静”是“安静”的“静”")),
        ("我名字里的静是安静的静。", ("other", "ann7名字里的“静”是“安静”的“静”")),
        ("我的名字就是琵琶的琶", ("other", "ann7名字里的“琶”是“琵琶”的“琶”")),
        ("我的名字叫雨露的露字", ("other", "ann7名字里的“露”是“雨露”的“露”")),
        ("我的名字写作陈静。", ("name", "ann7的名字是陈静")),
        ("我叫陈静，安静的静。", ("name", "ann7的名字是陈静")),
        ("我的名字叫陈静。", ("name", "ann7的名字是陈静")),
    ],
)
def test_how_a_chinese_name_is_written(text: str, told: tuple[str, str]) -> None:
    assert told in learned(text)
    assert "的静" not in "".join(one for kind, one in learned(text) if kind == "name")


@pytest.mark.parametrize(
    "text",
    [
        "我的名字里有个静字吗？",
        "这首歌的名字是安静的静。",
        "我喜欢安静的静。",
        "她的名字是安静的静。",
        "我的名字是爷爷取的。",
        "静是安静的静。",
    ],
)
def test_what_says_nothing_of_the_speakers_name(text: str) -> None:
    assert not [one for _, one in learned(text) if "名字里的" in one]


@pytest.mark.parametrize(
    "text",
    ["My name is spelt A-" * 80, "my name is spelt Ann with a" * 80, "I spell my name " * 99],
)
def test_long_texts_take_no_time(text: str) -> None:
    started = time.perf_counter()
    with_plain_name(text * 20)
    assert time.perf_counter() - started < 0.5
