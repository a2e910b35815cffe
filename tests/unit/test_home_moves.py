"""What "moved to", "switched to", 搬到 and 换到 teach: a home or a job only where it is one."""

from __future__ import annotations

import time

import pytest
from benchmarks.self_statements import job_of

from taishi.domain.drafts import FactDraft
from taishi.historian.fact_patterns import facts_by_rule
from taishi.language.place_names import is_place_name
from taishi.language.software_names import is_software_name

HOMES = [
    ("I moved to Lisbon.", "Lisbon"),
    ("I moved to Cork last week.", "Cork"),
    ("I moved back to Tromsø.", "Tromsø"),
    ("I moved to Clonakilty in May.", "Clonakilty"),
    ("I moved to St. Ives.", "St. Ives"),
    ("I moved to Ludwigsburg.", "Ludwigsburg"),
    ("I moved to Carlingford.", "Carlingford"),
    ("I moved to Berlin Mitte.", "Berlin Mitte"),
    ("I moved to Java, Indonesia.", "Java, Indonesia"),
    ("I moved to Phoenix.", "Phoenix"),
    ("I've moved from Oslo to Voss.", "Voss"),
    ("I moved to Voss from Oslo.", "Voss"),
    ("I moved to Kinvara with my husband.", "Kinvara"),
    ("I moved to Oberammergau for a new job.", "Oberammergau"),
    ("I relocated to Kinvara.", "Kinvara"),
    ("I moved to Kinvara. My new flat is tiny.", "Kinvara"),
    ("I don't live in Cork any more, moved to Kinvara.", "Kinvara"),
    ("我搬到了杭州", "杭州"),
    ("我搬去宁波了", "宁波"),
    ("我上周搬到曲靖了", "曲靖"),
    ("我搬到驻马店了", "驻马店"),
    ("我搬到鼓楼了", "鼓楼"),
    ("我搬到新乡了", "新乡"),
    ("我搬到阳光小区了", "阳光小区"),
    ("我搬到Galway了", "Galway"),
    ("我从上海搬到了Kinvara", "Kinvara"),
    ("我搬家到西雅图了", "西雅图"),
]
NOTHING = [
    "I moved from Vim to Helix last week.",
    "I moved to Linear from Jira.",
    "I moved to Neovim.",
    "I moved to TypeScript two years ago.",
    "I've just moved to Fish.",
    "I moved to Phoenix from Rails.",
    "I moved from Jira to Plane.",
    "I moved to Radix, please adapt the plugins.",
    "I moved to SvelteKit.",
    "I moved to Google Docs.",
    "I moved to Postgres 17.",
    "I switched to Linux.",
    "I've switched to Firefox.",
    "My dad moved to Linux.",
    "我搬到了新工位。",
    "我搬到靠窗的座位了",
    "我搬到二楼了。",
    "我搬到研发部了",
    "我搬到隔壁会议室了",
    "我搬到乡下了",
    "我搬到Notion了",
    "我们从Slack搬到飞书了",
    "我从飞书搬到了语雀",
    "我换到了Helix",
    "我换到了靠窗的位置",
    "我从Vim迁移到了Helix。",
    "我从北京去了上海。",
    "我从家走到了公司。",
    "我从公司去了医院",
    "我从腾讯离职去了美国",
    "我弟弟搬到了新工位",
]
AS_SAID = [
    ("I moved to Kinvara.", "Ann moved to Kinvara"),
    ("I moved to Zubrowka last week.", "Ann moved to Zubrowka in the week of 2026-03-09"),
    ("I moved to Marketing.", "Ann moved to Marketing"),
    ("My sister moved to Kinvara.", "Ann's sister moved to Kinvara"),
    ("我搬到Kinvara了", "安然搬到Kinvara了"),
]
EMPLOYERS = [
    ("I joined Acme.", "Ann works at Acme"),
    ("I switched jobs to Acme.", "Ann works at Acme"),
    ("我跳槽到字节了", "安然在字节工作"),
    ("我入职了小米", "安然在小米工作"),
    ("我从VSCode跳槽到了Cursor", "安然在Cursor工作"),
    ("我从滴滴加入了美团", "安然在美团工作"),
    ("我从百度离职后去了理想汽车", "安然在理想汽车工作"),
    ("我换到华为上班了", "安然在华为工作"),
    ("我从腾讯换到了字节工作", "安然在字节工作"),
    ("我从一家小公司换到了字节", "安然在字节工作"),
    ("我从金杜换到了君合律所", "安然在君合律所工作"),
]
ONLY_FROM_A_KNOWN_ONE = [
    ("我从VSCode换到了Cursor。", "VSCode", "安然在Cursor工作"),
    ("我从早班换到了晚班", "早班", "安然在晚班工作"),
    ("我从华为换到了荣耀", "华为", "安然在荣耀工作"),
    ("I moved from Acme to Globex.", "Acme", "Ann works at Globex"),
    ("I moved from Ystad to Kinvara.", "Ystad", "Ann lives in Kinvara"),
]


def facts(said: str) -> tuple[FactDraft, ...]:
    chinese = any("\u3400" <= one <= "\u9fff" for one in said)
    row = {"id": "r", "text": said, "speaker": "安然" if chinese else "Ann",
           "time": "2026-03-18T15:00", "chat": "private"}  # fmt: skip
    return facts_by_rule(job_of(row, "zh" if chinese else "en"))


def taught(said: str) -> list[str]:
    return [one.content for one in facts(said) if not (one.retracts or one.leaves)]


@pytest.mark.parametrize(("said", "place"), HOMES)
def test_H4_a_move_to_a_place_teaches_a_home(said: str, place: str) -> None:
    homes = [one for one in facts(said) if not one.retracts]
    assert [(one.category, one.value) for one in homes] == [("residence", place)]


@pytest.mark.parametrize("said", NOTHING)
def test_H6_a_move_to_what_is_no_place_teaches_nothing(said: str) -> None:
    assert taught(said) == []


@pytest.mark.parametrize(("said", "content"), AS_SAID)
def test_H6_a_move_to_what_may_be_a_place_stays_as_it_was_said(said: str, content: str) -> None:
    assert [(one.content, one.category != "residence") for one in facts(said)] == [(content, True)]


@pytest.mark.parametrize(("said", "content"), EMPLOYERS)
def test_H4_a_change_of_job_teaches_an_employer(said: str, content: str) -> None:
    assert taught(said) == [content]


@pytest.mark.parametrize(("said", "left", "content"), ONLY_FROM_A_KNOWN_ONE)
def test_H6_what_was_left_has_to_be_known(said: str, left: str, content: str) -> None:
    assert (content, left) in [(one.content, one.leaves) for one in facts(said)]
    assert content not in taught(said)


def test_H6_what_is_said_beside_it_tells_only_of_its_own_sentence() -> None:
    assert taught("I live in Cork with my husband. I moved to Helix last week.") == [
        "Ann lives in Cork"
    ]


@pytest.mark.parametrize(
    "name", ["Oslo", "málaga", "LA", "The Hague", "Port Ellen", "Clearwater Bay", "Bend, Oregon"]
)
def test_a_name_of_a_place_is_known_or_has_a_part_of_one(name: str) -> None:
    assert is_place_name(name)


@pytest.mark.parametrize("name", ["Helix", "Fish", "La", "Linear", "Hyprland", "", "Plan B"])
def test_other_names_are_not_taken_for_places(name: str) -> None:
    assert not is_place_name(name)


@pytest.mark.parametrize("name", ["vim", "Sublime Text", "SvelteKit", "Next.js", "C++", "飞书"])
def test_names_of_software_are_known_by_list_and_spelling(name: str) -> None:
    assert is_software_name(name)


@pytest.mark.parametrize("name", ["Oslo", "McAllen", "LaSalle", "Kinvara", "", "Galway City"])
def test_other_names_are_not_taken_for_software(name: str) -> None:
    assert not is_software_name(name)


def test_H6_many_moves_in_a_long_text_are_read_in_good_time() -> None:
    start = time.monotonic()
    facts("I moved to Zubrowka. My dog barked at it. " * 2000)
    assert time.monotonic() - start < 10
