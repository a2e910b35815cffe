"""Who a text is about, on a table of sentences in each language (H4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from taishi.historian.rule_writer import write
from taishi.types import Job

TABLES = Path(__file__).parent / "tables"
PEOPLE = {
    "en": {"sender_name": "Ann", "bot_name": "Momo", "group": "Hikers", "others": ("Bob", "Eve")},
    "zh": {"sender_name": "安", "bot_name": "小墨", "group": "徒步群", "others": ("小明", "小红")},
}
PLACE = {"en": "Oslo", "zh": "奥斯陆"}


def rows(language: str) -> list[Any]:
    lines = (TABLES / f"who-{language}.tsv").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [
        pytest.param(
            language, where, *(cell.replace("\\n", "\n") for cell in rest), id=f"{where}-{rest[0]}"
        )
        for where, *rest in cells
    ]


def job(language: str, where: str, said: str) -> Job:
    people = PEOPLE[language]
    is_group = where.endswith("group")
    done = where.startswith("done")
    others = tuple({"speaker": name, "text": "…"} for name in people["others"]) if is_group else ()
    return Job(
        request_id="r1",
        end_seq=1,
        action_summary=said if done else "",
        new_info=() if done else (said,),
        timestamp_utc="2026-02-20T06:30:00+00:00",
        timestamp_local="2026-02-20T14:30:00+08:00",
        timezone="Asia/Shanghai",
        epoch=1771569000.0,
        workspace="default",
        request_type="group" if is_group else "private",
        user_id="u7",
        group_id="g42" if is_group else None,
        sender_name=str(people["sender_name"]),
        group_name=str(people["group"]) if is_group else None,
        bot_name=str(people["bot_name"]),
        location=PLACE[language] if where == "oslo" else None,
        recent_messages=others,
    )


@pytest.mark.parametrize(("language", "where", "said", "recorded", "left"), rows("en") + rows("zh"))
def test_H4_who(language: str, where: str, said: str, recorded: str, left: str) -> None:
    draft = write(job(language, where, said))
    text = draft.did_what if where.startswith("done") else draft.new_info[0]
    words = dict.fromkeys(left.split("|")) if left else {}
    assert text == recorded
    assert [warning.split("' not resolved: ")[0][1:] for warning in draft.warnings] == list(words)
    assert draft.is_absolute == (not words)


def test_the_tables_are_as_large_as_they_claim() -> None:
    assert len(rows("en")) >= 200 and len(rows("zh")) >= 100
