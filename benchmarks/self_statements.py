"""Facts learned by rule from plain statements: how many of those expected, how many wrong.

The tables are `tests/tables/self_statements.*.jsonl`. A row is said by `speaker` in a private chat
or a group; `expect` lists what must be learned (a category and words of the content), `may` the
categories that may be learned besides, `never` those that must not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.measure import Results
from taishi.domain.drafts import FactDraft
from taishi.historian.rule_writer import write
from taishi.types import Job

TABLES = Path(__file__).parent.parent / "tests" / "tables"
LANGUAGES = {"en": ("Mochi", "Hikers", "Europe/Dublin"), "zh": ("小墨", "徒步群", "Asia/Shanghai")}
LEARNED_BAR, PRECISION_BAR = 0.75, 0.97


@dataclass(slots=True)
class Figures:
    """Counts over one table; `missed` and `wrong` say which rows."""

    rows: int = 0
    expected: int = 0
    learned: int = 0
    drafted: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.learned / max(self.expected, 1)

    @property
    def precision(self) -> float:
        return 1 - len(self.wrong) / max(self.drafted, 1)


def run(quick: bool = False) -> Results:
    results: Results = {}
    for language in LANGUAGES:
        figures = measure(language)
        results[language] = {
            "rows": figures.rows,
            "expected_learned": round(figures.recall, 4),
            "precision": round(figures.precision, 4),
        }
        print(
            f"self_statements {language}: {figures.rows} rows, "
            f"learned {figures.learned}/{figures.expected} = {figures.recall:.1%} "
            f"(bar {LEARNED_BAR:.0%}), right {figures.drafted - len(figures.wrong)}/"
            f"{figures.drafted} = {figures.precision:.1%} (bar {PRECISION_BAR:.0%})"
        )
        if not quick:
            for line in (*figures.missed, *figures.wrong):
                print("  " + line)
    return results


def measure(language: str) -> Figures:
    figures = Figures()
    for row in rows(language):
        drafts = write(job_of(row, language)).facts
        # Those that only end a fact, or only count beside a known one, teach nothing.
        facts = [one for one in drafts if not (one.retracts or one.only_against or one.leaves)]
        figures.rows += 1
        figures.expected += len(row["expect"])
        figures.drafted += len(facts)
        for one in row["expect"]:
            if any(_is_expected(fact, one) for fact in facts):
                figures.learned += 1
            else:
                figures.missed.append(f"missed {row['id']} {row['text']!r}: {one}")
        for fact in facts:
            if not _is_right(fact, row):
                said = f"{fact.category}: {fact.content!r}"
                figures.wrong.append(f"wrong {row['id']} {row['text']!r}: {said}")
    return figures


def rows(language: str) -> Iterator[dict[str, Any]]:
    path = TABLES / f"self_statements.{language}.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def job_of(row: Mapping[str, Any], language: str) -> Job:
    bot, group, zone = LANGUAGES[language]
    when = datetime.fromisoformat(row["time"]).replace(tzinfo=ZoneInfo(zone))
    in_group, by_bot = row["chat"] == "group", row.get("as") == "action"
    return Job(
        request_id=row["id"],
        end_seq=1,
        action_summary=row["text"] if by_bot else "",
        new_info=() if by_bot else (row["text"],),
        timestamp_utc="",
        timestamp_local=when.isoformat(),
        timezone=zone,
        epoch=when.timestamp(),
        workspace="default",
        request_type="group" if in_group else "private",
        user_id="u7",
        group_id="g42" if in_group else None,
        sender_name=row["speaker"],
        group_name=group if in_group else None,
        bot_name=bot,
    )


def _is_expected(fact: FactDraft, one: Mapping[str, Any]) -> bool:
    content = fact.content.casefold()
    return fact.category in one["category"] and all(w.casefold() in content for w in one["must"])


def _is_right(fact: FactDraft, row: Mapping[str, Any]) -> bool:
    if fact.category in row["never"]:
        return False
    return fact.category in row.get("may", ()) or any(
        _is_expected(fact, one) for one in row["expect"]
    )
