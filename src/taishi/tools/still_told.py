"""Forgets one record and says what went, what it was taken out of, and what still says the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import UnsupportedError
from ..language.analyzer import has_cjk
from ..memory import Memory
from ..types import Record, Scope

SOURCES = ("event", "turn")
STATEMENTS = ("fact", "note", "short_term")
HISTORY = ("superseded", "rejected")  # kept, but not told as true
MAX_SOURCES = 20
MAX_FOUND = 5
MAX_WORDS = 1000  # characters that a listing can be searched for


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget_one` did. `record` is what was forgotten, as it was; `went` are events that told
    nothing else and the versions of a fact that it had replaced, `changed` events that stay without
    it, as they are now; `left` still says the same, is a version that only a person may remove or,
    if it is an event that the record was learned from, may say it in other words."""

    count: int
    record: Record | None
    went: tuple[Record, ...] = ()
    changed: tuple[Record, ...] = ()
    left: tuple[Record, ...] = ()


def forget_one(memory: Memory, scope: Scope, id: str, **writer: Any) -> Forgotten:
    """Forget one record of the scope's partition; `writer` is who does it."""
    record = memory.records.get(scope, id) if id.strip() else None
    versions = _versions(memory, scope, record) if record is not None else []
    before = _told_in(memory, scope, record, versions) if record is not None else []
    count = memory.forget(scope, id, **writer) if id.strip() else 0
    if record is None or not count:
        return Forgotten(count, record)
    now = {one.id: memory.records.get(scope, one.id) for one in before}
    went = [one for one in before if now[one.id] is None]
    changed = [new for one in before if (new := now[one.id]) and new.text != one.text]
    known = {one.id for one in changed}
    versions = [one for one in versions if now[one.id] is not None]
    told = _told_in(memory, scope, record, versions)
    left = [one for one in told if one.id not in known]
    return Forgotten(count, record, tuple(went), tuple(changed), tuple(left))


def _versions(memory: Memory, scope: Scope, record: Record) -> list[Record]:
    """What a fact replaced until it held."""
    if record.kind != "fact":
        return []
    known = memory.facts.list(scope, HISTORY)
    found = [record]
    for newer in found:  # grows
        before = newer.data.get("supersedes") or ()
        found += [
            one
            for one in known
            if one not in found and (one.data.get("superseded_by") == newer.id or one.id in before)
        ]
    return found[1:]


def _told_in(
    memory: Memory, scope: Scope, record: Record, versions: Sequence[Record]
) -> list[Record]:
    """The versions, and what tells them or the record itself."""
    found = {one.id: one for one in versions}
    for one in (record, *versions):
        found |= {told.id: told for told in still_told(memory, scope, one)}
    found.pop(record.id, None)
    return list(found.values())


def still_told(memory: Memory, scope: Scope, gone: Record) -> list[Record]:
    """Records of this scope's partition that tell what a forgotten statement told, as a search
    shows them. Whoever forgets an event loses what rests on it alone, so that is not looked at."""
    if gone.kind not in STATEMENTS:
        return []
    found: dict[str, Record] = {}
    for id in _sources(gone):
        record = memory.records.get(scope, id)
        if record is not None and record.kind in SOURCES:
            found[record.id] = record
    words = gone.text.strip().rstrip(".。!！")
    if words and len(words) <= MAX_WORDS:
        page = memory.records.newest(scope, text=words, limit=MAX_SOURCES)
        found |= {one.id: one for one in page.records if _tells(one, words)}
    found.pop(gone.id, None)
    return list(found.values())[:MAX_FOUND]


def similar_users(memory: Memory, scope: Scope) -> dict[str, int]:
    """Whose ids are that of the forgotten user but for a prefix, with their records; a server does
    not say."""
    try:
        return memory.deletions.similar_users(scope)
    except UnsupportedError:
        return {}


def _sources(record: Record) -> list[str]:
    known = record.data.get("sources")
    ids = [record.source, *(known if isinstance(known, list) else ())]
    return list(dict.fromkeys(str(id) for id in ids if id))[:MAX_SOURCES]


def _tells(record: Record, words: str) -> bool:
    """Whether the words stand in it on their own, not as a part of longer ones."""
    if record.state in HISTORY or record.kind in ("profile", "document"):
        return False
    edge = "" if has_cjk(words) else r"(?!\w)"
    start = "" if has_cjk(words) else r"(?<!\w)"
    return re.search(f"{start}{re.escape(words)}{edge}", record.text, re.IGNORECASE) is not None
