"""Tables of sentences with times, and what is recorded of them.

Each line of `tests/tables/when-*.tsv` has what was said and, after a tab, what is recorded; "="
means that the words stay as they are.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from taishi.language.rewriter import RewriteContext, rewrite

TABLES = Path(__file__).parents[1] / "tables"
NEW_YORK = datetime(2026, 3, 18, 14, 30, tzinfo=ZoneInfo("America/New_York"))
SHANGHAI = datetime(2026, 3, 18, 14, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
SETTINGS = {
    "en": RewriteContext(NEW_YORK, None),
    "zh": RewriteContext(SHANGHAI, None, others=("安", "小明")),
}


def rows(language: str) -> list[tuple[str, str]]:
    lines = (TABLES / f"when-{language}.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(said, said if told == "=" else told) for said, told in pairs]


CASES = [(language, said, told) for language in SETTINGS for said, told in rows(language)]


def test_the_tables_are_large_enough() -> None:
    assert len(rows("en")) >= 150 and len(rows("zh")) >= 150


@pytest.mark.parametrize(("language", "said", "told"), CASES)
def test_H4_times_are_told_only_where_they_are_sure(language: str, said: str, told: str) -> None:
    assert rewrite(said, SETTINGS[language]).text == told


@pytest.mark.parametrize(("language", "said", "told"), CASES)
def test_H4_what_was_told_stays_as_it_is(language: str, said: str, told: str) -> None:
    assert rewrite(told, SETTINGS[language]).text == told


@pytest.mark.parametrize(
    ("moment", "said", "told"),
    [
        ("2026-03-18T02:00", "Ann slept badly last night", "="),
        ("2026-03-18T02:00", "安昨晚没睡好", "="),
        ("2026-03-18T05:00", "安昨晚没睡好", "安2026年3月17日晚上没睡好"),
        ("2026-01-03T12:00", "安年底结婚", "="),
        ("2026-01-03T12:00", "安年底要结婚", "安2026年底要结婚"),
        ("2026-02-03T12:00", "安月底领奖金", "="),
        ("2026-02-03T12:00", "安月底要搬家", "安2026年2月底要搬家"),
        (
            "2026-02-03T12:00",
            "Ann pays by the end of the month",
            "Ann pays by the end of February 2026",
        ),
        ("2026-03-15T12:00", "Ann is off next Friday", "="),
        ("2026-03-21T12:00", "Ann is off next Friday", "Ann is off on 2026-03-27"),
    ],
)
def test_H4_times_that_depend_on_when_they_were_said(moment: str, said: str, told: str) -> None:
    reference = datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo("Asia/Shanghai"))
    assert rewrite(said, RewriteContext(reference, None)).text == (said if told == "=" else told)
