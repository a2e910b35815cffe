"""What takes the place of what is known, or ends it, in words that do not repeat it (P5).

"I'm not allergic to sesame but to peanuts", "I was let go by Rowe", "my daughter is seven now", "my
boss is Karim now", and what looks like one of them and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

import pytest

from support.correction_tables import SPEAKERS, play
from taishi import Memory, Scope

ONE_DAY = timedelta(days=1)


class Row(NamedTuple):
    said: tuple[str, ...]
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


def _row(*said: str, says: str = "", never: str = "") -> Row:
    return Row(
        said, tuple(filter(None, says.split(" | "))), tuple(filter(None, never.split(" | ")))
    )


NOT_THAT = {
    "en": [
        _row("I'm allergic to peanuts.", "I'm allergic to cashews, not to peanuts.",
             says="cashews", never="peanuts"),
        _row("I'm allergic to peanuts.", "I'm allergic to cashews and not to peanuts.",
             says="allergic to cashews", never="peanuts"),
        _row("I play the violin.", "I play the cello, not the violin.",
             says="plays the cello", never="violin"),
        _row("I drink coffee every day.", "I drink tea every day, not coffee.",
             says="drinks tea every day", never="coffee"),
        _row("I am allergic to sesame.", "I'm not allergic to sesame but to peanuts.",
             says="allergic to peanuts", never="sesame"),
        _row("I am allergic to sesame.", "Correction: I am not allergic to sesame, it is peanuts.",
             says="allergic to peanuts", never="sesame"),
        _row("I'm allergic to soy.", "I'm not allergic to soy, it's peanuts I'm allergic to.",
             says="allergic to peanuts", never="soy"),
        _row("I live in Rome.", "I don't live in Rome but in Milan.",
             says="lives in Milan", never="Rome"),
        _row("I speak Danish.", "I don't speak Danish but Swedish.",
             says="speaks Swedish", never="Danish"),
        _row("I have a cat.", "I don't have a cat but a dog.", says="has a dog", never="cat"),
        _row("I'm allergic to peanuts.", "I'm allergic to walnuts, not to pea.",
             says="peanuts | walnuts"),
        # What limits the denial, says something else, or may be a remark.
        _row("I'm allergic to peanuts.", "I'm allergic to cashews, not only to peanuts.",
             says="peanuts | cashews"),
        _row("I'm allergic to peanut butter.", "I'm allergic to cashews, not to peanuts.",
             says="peanut butter | cashews"),
        _row("I like coffee.", "I like tea in the morning, not coffee.", says="likes coffee"),
        _row("I'm allergic to soy.", "I'm not allergic to soy, it's fine.", never="fine"),
        _row("I'm allergic to soy.", "Correction: I'm not allergic to soy, it's genetic.",
             never="genetic"),
        _row("I'm allergic to soy.", "Correction: I'm not allergic to soy, it's garlic.",
             says="garlic", never="soy"),
        _row("I'm allergic to soy.", "I'm not allergic to soy but to be safe I avoid it.",
             never="to be safe"),
        _row("I live in Rome.", "I don't live in Rome, it's Monday.", never="Monday"),
        _row("I live in Rome.", "I don't live in Rome but Tom does.", never="Tom"),
    ],
    "zh": [
        _row("我住在罗马。", "我不住在罗马，而是住在米兰。", says="住在米兰", never="罗马"),
        _row("我会说丹麦语。", "我不会说丹麦语，而是瑞典语。", says="会说瑞典语", never="丹麦"),
        _row("我在腾讯上班。", "我不是在腾讯上班，而是在阿里。", says="在阿里上班", never="腾讯"),
        _row("我是护士。", "我不是护士，是医生。", says="是医生", never="护士"),
        _row("我在腾讯上班。", "我不在腾讯上班，而是在家带孩子。", never="在家带孩子上班 | 腾讯"),
        _row("我喜欢喝茶。", "我不喝茶，而是因为失眠。", never="喝因为"),
    ],
}  # fmt: skip
JOBS = {
    "en": [
        _row("I work as a plumber at Rowe.", "I was let go by Rowe.", never="Rowe"),
        _row("I work as a plumber at Rowe.", "Rowe let me go.", never="Rowe"),
        _row("I work as a nurse at County Hospital.", "I quit my job at County Hospital.",
             never="County"),
        _row("I work as a nurse at County Hospital.", "I don't work at County Hospital anymore.",
             never="County"),
        _row("I work as a plumber at Rowe.", "I work at Globex now.",
             says="works at Globex", never="Rowe"),
        _row("I'm a plumber at Rowe & Sons.", "I'm not a plumber anymore.",
             says="works at Rowe & Sons", never="plumber"),
        _row("I'm a plumber at Rowe & Sons.", "I used to be a plumber.", never="is a plumber"),
        _row("I'm a plumber at Rowe & Sons.", "I quit.", never="Rowe"),
        _row("I work as a nurse.", "I quit my job as a nurse.", never="nurse"),
        _row("I work as a nurse.", "I quit.", never="nurse"),
        _row("I work as a nurse at Mercy.", "I resigned as a nurse at Mercy.", never="Mercy"),
        _row("I work at the Bank of Ireland.", "I left the Bank of Ireland.", never="Ireland"),
        # What is not the same job, is somebody else's, is to come, or says more.
        _row("I'm a nurse.", "I quit.", says="is a nurse"),
        _row("I'm a nurse at Mercy.", "My sister was let go by Mercy.", says="a nurse at Mercy"),
        _row("I'm a nurse at Mercy.", "I quit my job as a nurse next month.",
             says="is a nurse at Mercy"),
        _row("I work as a chef at Noma.", "I left Acme.", says="as a chef at Noma"),
        _row("I work as a chef at Noma.", "I don't work as a chef at Acme.", says="chef at Noma"),
        _row("I work at the Bank of Ireland.", "I left Ireland.", says="Bank of Ireland"),
        _row("I'm a nurse manager.", "I'm not a nurse.", says="nurse manager"),
        _row("I'm a teacher at Leeds High and a poet.", "I quit.", says="poet"),
    ],
    "zh": [
        _row("我是腾讯的工程师。", "我从腾讯离职了。", never="腾讯"),
        _row("我在国航当飞行员。", "我从国航离职了。", never="国航"),
        _row("我在国航当飞行员。", "我不当飞行员了。", never="飞行员"),
        _row("我是护士。", "我不当护士了。", never="护士"),
        _row("我是护士。", "我辞掉了护士的工作。", never="护士"),
        _row("我当保安。", "我辞职了。", never="保安"),
        _row("我是护士。", "我辞职了。", says="是护士"),
        _row("我是护士。", "我不是护士长。", says="是护士"),
        _row("我在协和当医生。", "我下个月从协和辞职。", says="在协和当医生"),
    ],
}  # fmt: skip
AGES = {
    "en": [
        _row("My daughter Ida is six.", "My daughter Ida is seven now.", says="seven", never="six"),
        _row("My daughter is six.", "My daughter is 7.", says="is 7", never="six"),
        _row("My mother is 70.", "My mother is 71 now.", says="71", never="70"),
        _row("My mom is 70.", "My mother is 71 years old.", says="71", never="70"),
        _row("My dog Rex is 3 years old.", "My dog Rex is 4 years old.", says="4", never="3"),
        _row("My baby is six months old.", "My baby is seven months old.",
             says="seven", never="six"),
        _row("My sister is 20.", "My sister is 35 now.", says="35", never="20"),
        _row("My daughter Ida is six.", "My daughter Mia is seven.", says="six | seven"),
        _row("My son is 5.", "My daughter is 6 now.", says="is 5 | is 6"),
        _row("My daughter is six.", "My daughter is six feet tall now.", says="is six\n"),
    ],
    "zh": [
        _row("我女儿六岁。", "我女儿七岁了。", says="七岁", never="六岁"),
        _row("我妈70岁。", "我妈妈71岁了。", says="71岁", never="70岁"),
        _row("我儿子5岁。", "我女儿6岁了。", says="5岁 | 6岁"),
    ],
}  # fmt: skip
ROLES = {
    "en": [
        _row("My boss is called Tess.", "My boss is Karim now.", says="Karim", never="Tess"),
        _row("My boss is Tess.", "My new boss is called Karim.",
             says="boss is called Karim", never="Tess | new boss"),
        _row("My boss is Tess.", "I have a new boss, Karim.", says="Karim", never="Tess"),
        _row("My boss is Tess.", "Karim is my boss now.", says="Karim", never="Tess"),
        _row("My boss is Tess.", "My boss is Karim, not Tess.", says="Karim", never="Tess"),
        _row("My landlord is Mr. Okafor.", "My landlord is Mrs. Byrne now.",
             says="Byrne", never="Okafor"),
        _row("My boss is Mr. Byrne.", "My boss is Mrs. Byrne now.", says="Mrs.", never="Mr."),
        _row("My boss is called Tess.", "My boss is called Karim.", "My boss is Karim now.",
             says="Karim", never="Tess"),
        _row("My boss is Tess.", "My boss is Karim now.", "My boss is Tess again.",
             says="Tess", never="Karim"),
        _row("My boss is Tess.", "My boss is Danish now.", says="Tess | Danish"),
        _row("My boss is Tess.", "My boss is Tess Miller now.", says="Tess Miller"),
        _row("My boss is Tess.", "My boss is on holiday now.", says="Tess"),
        _row("My friend is called Tess.", "My new friend is called Karim.", says="Tess | Karim"),
        _row("My friend is called Tess.", "I moved to Bonn. My friend is called Karim.",
             says="Tess | Karim"),
        _row("My doctor is Dr. Hill.", "My doctor is Dr. Wu now.", says="Hill | Wu"),
        _row("My brother is called Tom.", "My brother is called Karim now.", says="Tom"),
    ],
    "zh": [
        _row("我老板叫老王。", "我老板现在是老李。", says="老李", never="老王"),
        _row("我老板是王强。", "我的新老板叫李刚。", says="老板叫李刚", never="王强"),
        _row("我老板叫老王。", "我老板换成李刚了。", says="李刚", never="老王"),
        _row("我房东姓王。", "我房东现在姓李。", says="姓李", never="姓王"),
        _row("我老板叫王强。", "我老板现在是王总。", says="王强"),
        _row("我老板是王强。", "我老板是广东人。", says="王强"),
        _row("我朋友叫小王。", "我朋友现在是小李。", says="小王 | 小李"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("language", SPEAKERS)
@pytest.mark.parametrize(
    "table", [NOT_THAT, JOBS, AGES, ROLES], ids=["not", "jobs", "ages", "roles"]
)
def test_P5_what_is_said_in_its_place_replaces_it(
    open_memory: Callable[..., Memory], table: dict[str, list[Row]], language: str
) -> None:
    rows: list[dict[str, Any]] = [
        {"id": f"u{number}", "said": row.said, "says": row.says, "never": row.never}
        for number, row in enumerate(table[language])
    ]
    played = play(open_memory(), language, ONE_DAY, rows, by_tool=False)
    for row in rows:
        played_page = played[row["id"]].page + "\n"
        faults = [words for words in row["says"] if words not in played_page]
        faults += [words for words in row["never"] if words in played_page]
        assert not faults, (row["said"], faults, played_page)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My boss is called Tess.", "My boss is called Karim."),
        ("My sister is 20.", "My sister is 35."),
        ("我姐姐三十岁。", "我姐姐二十岁。"),
    ],
)
def test_P5_what_nothing_decides_is_a_conflict(
    open_memory: Callable[..., Memory], first: str, second: str
) -> None:
    memory, scope = open_memory(), Scope(user="ann")
    for day, said in enumerate((first, second)):
        memory.end_turn(scope, new_info=said, sender_name="Ann", time=f"2026-03-1{day} 10:00")
    memory.drain(20)
    assert sorted(fact.state for fact in memory.facts.list(scope)) == ["approved", "conflict"]


@pytest.mark.parametrize(
    ("said", "firm"),
    [
        ("I'm a chemist at Johnson & Johnson.", "Johnson & Johnson"),
        ("I'm a plumber at Rowe & Sons.", "Rowe & Sons"),
        ("I'm a banker at J.P. Morgan.", "J.P. Morgan"),
        ("I work as an analyst at Procter & Gamble in Geneva.", "Procter & Gamble"),
        ("I'm a clerk at the Bank of Ireland.", "the Bank of Ireland"),
        ("I'm a baker at Ben & Jerry's.", "Ben & Jerry's"),
        ("I'm a lecturer at the University of the Arts.", "the University of the Arts"),
        ("I'm a teacher at St. Mary's School.", "St. Mary's School"),
        ("I'm a driver for Rowe & sons.", ""),
        ("I'm an engineer at Rolls-Royce plc.", ""),
        ("I work at Rolls-Royce plc.", ""),
        ("I'm a plumber at Rowe and sons.", ""),
        ("I work at Rolls-Royce.", "Rolls-Royce"),
        ("I work at Google and live in Cork.", "Google"),
    ],
)
def test_H4_the_name_of_a_firm_is_read_whole_or_not_at_all(
    open_memory: Callable[..., Memory], said: str, firm: str
) -> None:
    memory, scope = open_memory(), Scope(user="ann")
    memory.end_turn(scope, new_info=said, sender_name="Ann", time="2026-03-18 10:00")
    memory.drain(20)
    known = {fact.text for fact in memory.facts.list(scope) if " works at " in fact.text}
    assert known == ({f"Ann works at {firm}"} if firm else set())


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("My boss is Karim now, Tess left.", "Ann's boss is Karim"),
        ("My boss is Karim now and Tess retired.", "Ann's boss is Karim"),
        ("My boss is currently Karim, Tess was promoted.", "Ann's boss is Karim"),
        ("I live in Cork now, not far from the sea.", "Ann lives in Cork"),
        ("我老板现在是老李，老王走了。", "Ann的老板是老李"),
        ("我老板叫李刚了。", "Ann的老板叫李刚"),
    ],
)
def test_H4_a_line_says_one_thing(open_memory: Callable[..., Memory], said: str, line: str) -> None:
    memory, scope = open_memory(), Scope(user="ann")
    memory.end_turn(scope, new_info=said, sender_name="Ann", time="2026-03-18 10:00")
    memory.drain(20)
    assert [fact.text for fact in memory.facts.list(scope)] == [line]
