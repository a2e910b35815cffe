"""Reader for the official LongMemEval files (`longmemeval_s.json`, `longmemeval_oracle.json`).

Each question has its own haystack of sessions; the sessions that answer it are the gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from .cases import CaseFile, Corpus, first_answerable, item, question

UNANSWERABLE = "_abs"
_TIME = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?: \(\w{1,12}\))?(?: (\d{1,2}):(\d\d))?")


def is_format(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, dict) and "haystack_sessions" in first and "question" in first


def read(
    name: str, data: list[dict[str, Any]], limit: int | None, gold_only: bool = True
) -> CaseFile:
    """Questions that the haystack does not answer (ids ending in `_abs`) have no gold."""
    corpora, left_out = first_answerable([_corpus(entry) for entry in data], limit, gold_only)
    return CaseFile(name, "session", corpora, left_out)


def to_iso(text: str) -> str:
    """`2023/05/30 (Tue) 23:40` as ISO."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r:.60} is not a time such as '2023/05/30 (Tue) 23:40'")
    return datetime(*(int(part or 0) for part in match.groups())).isoformat()  # type: ignore[arg-type]


def _corpus(entry: dict[str, Any]) -> Corpus:
    items = tuple(_turns(entry))
    id, ids = str(entry["question_id"]), {turn["source"] for turn in items}
    unanswerable = id.endswith(UNANSWERABLE)
    answers = [] if unanswerable else entry["answer_session_ids"]
    time_text = entry.get("question_date")
    asked_question = question(
        {
            "query": entry["question"],
            "gold": [session for session in map(str, answers) if session in ids],
            "category": entry.get("question_type", "all"),
            "time": to_iso(time_text) if time_text else None,
            "id": id,
            "answer": entry.get("answer"),
            "unanswerable": unanswerable,
        }
    )
    return Corpus(id, items, (asked_question,))


def _turns(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    sessions = entry["haystack_sessions"]
    dates = entry.get("haystack_dates") or [None] * len(sessions)
    for id, time_text, turns in zip(entry["haystack_session_ids"], dates, sessions, strict=True):
        time = to_iso(time_text) if time_text else None
        for turn in turns:
            text = turn["content"]
            if text.strip():
                fields = {"text": text, "speaker": turn["role"], "time": time, "session": str(id)}
                yield item(fields, id)
