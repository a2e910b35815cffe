"""What in a text is not the speaker's own statement: code, quoted mail, chats, hypotheses."""

from __future__ import annotations

import time

import pytest
from benchmarks.hostile import job_of

from taishi.historian.fact_patterns import facts_by_rule
from taishi.language.quoted_text import hypotheses, map_own_words, unread_ranges


def own_words(text: str) -> str:
    """What is handed on to be read."""
    read: list[str] = []

    def note(part: str) -> str:
        read.append(part)
        return part

    assert map_own_words(text, note) == text
    return "".join(read)


def parts(text: str) -> list[tuple[str, str]]:
    return [(part.kind, text[part.start : part.end]) for part in unread_ranges(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I like tea.", "I like tea."),
        ("I run `now()` daily", "I run  daily"),
        ("Look:\n```python\ni = my_list\nnow = 1\n```\nI like it", "Look:\n\nI like it"),
        ("open ```\nI am code", "open "),
        ("Yes, I agree.\n> I live in Cork\n> and you?\nThanks", "Yes, I agree.\n\n\nThanks"),
        (
            "I agree.\nOn Mon, 2 Mar 2026, Tom Reed wrote:\nI live in Cork.\nTom",
            "I agree.\n",
        ),
        ("I agree.\nOn 2 March Tom wrote:\n> I live in Cork\nI do", "I agree.\n\n\nI do"),
        ("好的。\n-----原始邮件-----\n我住在成都", "好的。\n"),
        ("好的。\n王伟于2026年3月1日写道：\n我住在成都", "好的。\n"),
        (
            "<chat_history>\nuser: I live in Rome\n</chat_history>\nI live in Oslo",
            "\nI live in Oslo",
        ),
        ("<chat_history>\nI live in Rome", ""),
        ("<context>I am Bob</context> I like tea", " I like tea"),
        ("I <b>really</b> like tea", "I <b>really</b> like tea"),
        ("2 < 3 and I know", "2 < 3 and I know"),
        ("User: I live in Rome\nAssistant: Nice", ""),
        ("see this:\nTom: I live in Rome\nEva: me too\nTom: ok\nI laughed",
         "see this:\n\nI laughed"),
        ("[10:02] Tom: I quit\n[10:03] Eva: why", ""),
        ("张三 10:23\n我明天不来了\n李四 10:24\n好的", ""),
        ("Name: Ann\nAge: 30", "Name: Ann\nAge: 30"),
        ("地址：成都\n电话：我稍后给", "地址：成都\n电话：我稍后给"),
        ("I said: tea", "I said: tea"),
        ("我跟他说：不去", "我跟他说：不去"),
        ("The class starts at 10:30", "The class starts at 10:30"),
    ],
)  # fmt: skip
def test_H4_only_the_speakers_own_words_are_read(text: str, expected: str) -> None:
    assert own_words(text) == expected


def test_code_and_quotes_are_told_apart() -> None:
    text = "`a`\n> b\n<pre>c</pre> <chat_log>d</chat_log>"
    assert [kind for kind, _ in parts(text)] == ["code", "quoted", "code", "quoted"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Suppose I live in Berlin.",
        "Imagine I had a boat",
        "If I move to Rome, I'll learn Italian",
        "What if my name were Bob?",
        "Let's say I work at Acme",
        "I wish I lived in Oslo",
        "Say I have 3 apples",
        "assume that I am a doctor",
        "假如我住在柏林",
        "假设我是医生",
        "如果我搬到上海，就换工作",
        "要是我有钱就好了",
        "我搬到上海的话，就换工作",
        "想象一下我是船长",
    ],
)
def test_H4_a_supposed_case_is_no_statement(sentence: str) -> None:
    assert not facts_by_rule(job_of(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "I live in Berlin",
        "I'm supposed to call Tom",
        "I asked if Tom came",
        "People say I look young",
        "I have a great imagination",
        "我住在柏林",
        "主要是我喜欢茶",
        "我说的话没人听",
    ],
)
def test_H4_a_plain_statement_is_no_hypothesis(sentence: str) -> None:
    assert not list(hypotheses(sentence))


def test_H4_what_is_supposed_is_left_as_it_is_and_what_stands_beside_it_is_not() -> None:
    said = "I live in Oslo. Suppose I live in Berlin. 我养猫。假如我住在柏林。"
    supposed = [said[start:end].strip() for start, end in hypotheses(said)]
    assert supposed == ["Suppose I live in Berlin.", "假如我住在柏林。"]
    known = [fact.content for fact in facts_by_rule(job_of("I live in Oslo. Suppose I own a cat."))]
    assert known == ["Ann lives in Oslo"]


@pytest.mark.parametrize(
    "unit", ["`", "```", "<a1>", "</a1>", "> ", "a: b\n", "On ", ":", "x 10:20\n", "<x", "\n> "]
)
def test_a_megabyte_is_cut_in_a_moment(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    begin = time.thread_time()
    own_words(text)
    list(hypotheses(text))
    assert time.thread_time() - begin < 10
