"""Short-term memory: lives by kind, visits by session, promotion, "remember this" (F4)."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from taishi.domain import short_term
from taishi.domain.drafts import FactDraft
from taishi.settings.schema import ShortTermSettings
from taishi.types import Edit, Partition, Record

HOME = Partition("default", "private", "ann")
NOW = 1_772_366_400.0
DAY = 86_400.0
SETTINGS = ShortTermSettings()
TEA = FactDraft("Ann prefers green tea", "preference", "Ann", "green tea", 0.8, life="preference")


def keep(draft: FactDraft, *known: Record, event: str = "r:1", now: float = NOW) -> list[Record]:
    edits = short_term.keep([draft], known, event, HOME, now, SETTINGS, "ann", "s1")
    return [edit.record for edit in edits if edit.record]


def visited(record: Record, *sessions: str | None) -> Record:
    for session in sessions:
        edit = short_term.visit(record, session)
        if edit and edit.record:
            record = edit.record
    return record


@pytest.mark.parametrize(
    ("life", "days"), [("preference", 7), ("decision", 7), ("follow_up", 3), ("mood", 1)]
)
def test_F4_each_kind_has_its_life(life: str, days: float) -> None:
    (record,) = keep(replace(TEA, life=life))
    assert record.kind == "short_term"
    assert record.data["life"] == life
    assert record.data["expires"] == NOW + days * DAY
    assert record.data["visited_sessions"] == []
    assert short_term.expired([record], NOW + days * DAY - 1) == []
    assert short_term.expired([record], NOW + days * DAY) == [
        Edit("remove", place=HOME, id=record.id)
    ]


def test_F4_lasting_facts_are_not_kept_here() -> None:
    assert keep(replace(TEA, life="lasting")) == []
    assert keep(replace(TEA, content=" ")) == []


def test_F4_said_again_it_begins_anew_once_per_event() -> None:
    (record,) = keep(TEA)
    (again,) = keep(replace(TEA, content="ann prefers green tea."), record, event="r:2",
                    now=NOW + DAY)  # fmt: skip
    assert again.id == record.id
    assert again.data["expires"] == NOW + 8 * DAY
    assert keep(TEA, again, event="r:2", now=NOW + 2 * DAY) == []


def test_F4_a_session_counts_once_however_often_it_recalls() -> None:
    (record,) = keep(TEA)
    many = visited(record, *["s1"] * 50, None, "", "s2", "s1", "s2")
    assert many.data["visited_sessions"] == ["s1", "s2"]
    assert not short_term.promotable(many, SETTINGS)
    assert short_term.promotable(visited(many, "s3"), SETTINGS)
    assert short_term.promotable(visited(record, "s1"), ShortTermSettings(promote_after_sessions=1))


def test_F4_each_visit_buys_one_more_life() -> None:
    (record,) = keep(TEA)
    record = visited(record, "s1")
    (edit,) = short_term.expired([record], NOW + 7 * DAY)
    assert edit.record
    assert edit.record.data["expires"] == NOW + 14 * DAY
    (end,) = short_term.expired([edit.record], NOW + 14 * DAY)
    assert end.op == "remove"
    # however late anybody looks, the end is the same
    (late,) = short_term.expired([record], NOW + 15 * DAY)
    assert late.op == "remove"
    (twice,) = short_term.expired([visited(record, "s2")], NOW + 15 * DAY)
    assert twice.record
    assert twice.record.data["expires"] == NOW + 21 * DAY


def test_F4_promotion_makes_a_fact_and_takes_it_away_here() -> None:
    (record,) = keep(TEA)
    put, remove = short_term.promote(record, [], NOW + DAY)
    assert put.record
    assert (put.record.kind, put.record.text, put.record.state) == ("fact", record.text, "approved")
    assert put.record.data["sources"] == ["r:1"]
    assert remove == Edit("remove", place=HOME, id=record.id)


@pytest.mark.parametrize("state", ["approved", "rejected"])
def test_F4_promotion_adds_nothing_that_is_known_or_was_rejected(state: str) -> None:
    (record,) = keep(TEA)
    known = Record("fact-1", HOME, "fact", "Ann prefers green tea!", state=state)
    assert [edit.op for edit in short_term.promote(record, [known], NOW)] == ["remove"]


ASKED = """remember this
Remember this: I am allergic to nuts.
please remember that I hate coriander
Can you remember this for me?
could you please keep that in mind?
Keep in mind that I work nights
I want you to remember this
you should remember this
Make a note of that
write this down
Don't forget that I moved
don’t forget: the code is 4711
Please memorize this
commit this to memory
bear in mind that Ann is shy
save this to your memory
记住这个
请记住这一点
帮我记一下，我对花生过敏
你要记住我喜欢喝茶
把这个记下来
这件事要牢记
别忘了我周五有考试
不要忘记这个
記住這個
幫我記下來
麻烦你记着点
记好了：钥匙在左边
我要你记住这个""".splitlines()

NOT_ASKED = """do you remember this?
Remember that time in Oslo?
I remember this place
I don't remember that
don't remember this
please do not remember that
you don't have to remember this
no need to remember this
she'll remember this
I can't remember it
save this file
keep it simple
I never forget a face
you never forget anything
不用记住这个
别记住这个
不要记下来
我记住了
你记住了吗
没记住
谁记住了这个
无需记录下来
我不会忘记你
你还记得这个吗
我忘了
记者来了""".splitlines()


@pytest.mark.parametrize("text", ASKED)
def test_F4_remember_this_is_heard(text: str) -> None:
    assert short_term.says_remember(text)
    assert short_term.says_remember(f"Well. {text}\n好的。")


@pytest.mark.parametrize("text", NOT_ASKED)
def test_F4_what_does_not_ask_is_not_heard(text: str) -> None:
    assert not short_term.says_remember(text)


def test_F4_asked_to_remember_makes_short_lives_facts() -> None:
    lasting = replace(TEA, life="lasting")
    assert short_term.remembered([TEA, lasting], ["记住这个"]) == [TEA]
    assert short_term.remembered([TEA], ["green tea it is"]) == []


@pytest.mark.parametrize(
    "text",
    ["remember " * 120_000, "记" * 10**6, "i " * 400_000 + "remember this", "\n" * 10**6,
     "not to " * 150_000 + "remember this", "不用" * 400_000 + "记住", "\ud800\x00" * 10**5],
)  # fmt: skip
def test_F4_a_megabyte_is_read_in_a_moment(text: str) -> None:
    start = time.thread_time()
    short_term.says_remember(text)
    assert time.thread_time() - start < 3
