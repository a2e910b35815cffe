"""The official LongMemEval files (`longmemeval_s.json`, `longmemeval_oracle.json`).

Each question has a haystack of sessions of its own; the sessions that answer it are the gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from .cases import CaseFile, Corpus, first_answerable, item, question

UNANSWERABLE = "_abs"
_TIME = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?: \(\w{1,12}\))?(?: (\d{1,2}):(\d\d))?")


def is_one(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, dict) and "haystack_sessions" in first and "question" in first


def read(name: str, data: list[dict[str, Any]], limit: int | None) -> CaseFile:
    """Questions that the haystack does not answer (ids ending in `_abs`) have no gold."""
    corpora, left_out = first_answerable([_corpus(entry) for entry in data], limit)
    return CaseFile(name, "session", corpora, left_out)


def to_iso(said: str) -> str:
    """`2023/05/30 (Tue) 23:40` as ISO."""
    found = _TIME.fullmatch(said.strip())
    if found is None:
        raise ValueError(f"{said!r:.60} is not a time such as '2023/05/30 (Tue) 23:40'")
    return datetime(*(int(part or 0) for part in found.groups())).isoformat()  # type: ignore[arg-type]


def _corpus(entry: dict[str, Any]) -> Corpus:
    items = tuple(_turns(entry))
    id, ids = str(entry["question_id"]), {one["source"] for one in items}
    answers = [] if id.endswith(UNANSWERABLE) else entry["answer_session_ids"]
    said = entry.get("question_date")
    asked = question(
        {
            "query": entry["question"],
            "gold": [session for session in map(str, answers) if session in ids],
            "category": entry.get("question_type", "all"),
            "time": to_iso(said) if said else None,
        }
    )
    return Corpus(id, items, (asked,))


def _turns(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    sessions = entry["haystack_sessions"]
    dates = entry.get("haystack_dates") or [None] * len(sessions)
    for id, said, turns in zip(entry["haystack_session_ids"], dates, sessions, strict=True):
        time = to_iso(said) if said else None
        for turn in turns:
            text = turn["content"]
            if text.strip():
                known = {"text": text, "speaker": turn["role"], "time": time, "session": str(id)}
                yield item(known, id)
