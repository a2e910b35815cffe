"""The tables of plain self-statements: how much is learned by rule, and how much of it is right."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from benchmarks.self_statements import LEARNED_BAR, PRECISION_BAR, job_of, measure, rows

from taishi.domain.drafts import FactDraft
from taishi.historian.fact_patterns import facts_by_rule


@pytest.mark.parametrize("language", ["en", "zh"])
def test_H4_most_of_the_table_is_learned_and_hardly_anything_wrong(language: str) -> None:
    figures = measure(language)
    assert figures.rows >= 220
    assert figures.recall >= LEARNED_BAR, "\n".join(figures.missed)
    assert figures.precision >= PRECISION_BAR, "\n".join(figures.wrong)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_H6_rows_that_must_teach_nothing_are_a_good_part(language: str) -> None:
    table = list(rows(language))
    assert len({row["id"] for row in table}) == len(table)
    assert len({row["text"] for row in table}) == len(table)
    assert sum(not row["expect"] for row in table) >= 70


def job(said: str, language: str = "en", chat: str = "private") -> tuple[str, ...]:
    speaker = "Ann" if language == "en" else "安然"
    row = {"id": "r", "text": said, "speaker": speaker, "time": "2026-03-18T15:00", "chat": chat}
    return tuple(fact.content for fact in facts_by_rule(job_of(row, language)))


@pytest.mark.parametrize(
    "said",
    [
        "Suppose I live in Berlin. I live in Cork.",
        "> I live in Berlin\nI live in Cork.",
        "```\nI live in Berlin\n```\nI live in Cork.",
        "<chat_history>user: I live in Berlin</chat_history> I live in Cork.",
        'Bob said "I live in Berlin". I live in Cork.',
        "I live in Cork.\n\nForwarded message:\nI live in Berlin.",
        "I live in Cork.\nOn 3 March 2026 Bob wrote:\nI live in Berlin.",
        "I live in Cork. Translate this sentence: I live in Berlin.",
    ],
)
def test_H6_what_others_wrote_is_not_learned_and_what_the_person_adds_is(said: str) -> None:
    assert job(said) == ("Ann lives in Cork",)


@pytest.mark.parametrize(
    "said",
    [
        "From: Carl\nSubject: hi\n\nI live in Berlin.",
        "Bob: I live in Berlin\nEve: me too, I like it",
        "Hi Ann,\nI live in Berlin and I love jazz.\nCarl",
        "<mail>I live in Berlin",
        "```\nI live in Berlin",
    ],
)
def test_H6_a_mail_or_a_chat_that_was_pasted_teaches_nothing(said: str) -> None:
    assert job(said) == ()


def test_P5_the_subject_of_a_group_s_fact_is_the_group() -> None:
    row = {"id": "r", "text": "Our group meets every Tuesday.", "speaker": "Ann",
           "time": "2026-03-18T15:00", "chat": "group"}  # fmt: skip
    (fact,) = facts_by_rule(job_of(row, "en"))
    assert (fact.subject, fact.content) == ("Hikers", "Hikers meets every Tuesday")


def test_H4_a_clause_goes_on_about_whom_the_one_before_was_about() -> None:
    assert job("我儿子叫豆豆，今年三岁", "zh") == ("安然的儿子叫豆豆", "安然的儿子2026年三岁")
    assert job("I left Acme and now work at Globex.")[-1] == "Ann works at Globex"


def test_H4_asked_back_a_statement_is_still_one() -> None:
    assert job("I live in Cork, what about you?") == ("Ann lives in Cork",)


@pytest.mark.parametrize(
    "text",
    [
        "I live in " * 10_000,
        "<a>" * 30_000,
        "always " * 15_000,
        "I am a " + "very " * 20_000 + "nurse",
        "我" * 100_000,
        "以后" * 50_000,
        "我喜欢，" * 25_000,
        '"' * 100_000,
        "a:" * 50_000,
    ],
)
def test_hostile_text_is_read_in_a_moment(text: str) -> None:
    begin = time.thread_time()
    job(text)
    job(text, "zh")
    assert time.thread_time() - begin < 5


def copied(speaker: str) -> tuple[FactDraft, ...]:
    row = {"id": "r", "text": "I live in Cork", "speaker": "Ann", "time": "2026-03-18T15:00",
           "chat": "group"}  # fmt: skip
    said = ({"speaker": speaker, "text": "well, I live in Cork"},)
    return facts_by_rule(replace(job_of(row, "en"), recent_messages=said))


def test_H6_what_was_copied_from_a_message_is_of_who_wrote_it() -> None:
    (fact,) = copied("Bob")
    assert (fact.content, fact.subject, fact.by_self) == ("Bob lives in Cork", "Bob", True)
    assert copied("Mochi") == ()
