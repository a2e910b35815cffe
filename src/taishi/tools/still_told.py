"""Forgets one record and says what went, what it was taken out of, and what still says the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import TaishiError, UnsupportedError
from ..language.analyzer import has_cjk
from ..language.clauses import clauses, content
from ..language.other_values import names_other_value
from ..memory import Memory
from ..types import Record, Scope

SOURCES = ("event", "turn")
STATEMENTS = ("fact", "note", "short_term")
HISTORY = ("superseded", "rejected")  # kept, but not told as true
CORRECTED_BY = (["person"], ["model"])  # in `sources`, instead of the events that taught a fact
MAX_SOURCES = 20
MAX_FOUND = 5
MAX_DERIVED = 100
MAX_RELATED = 8
MAX_CLOSE = 3
CLOSE_COSINE = 0.74  # statements of one thing in other words; of another value of it, too
TELLING = (*SOURCES, *STATEMENTS)
ENDING_CHARS = 4
MAX_WORDS = 1000  # characters that a listing can be searched for


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget_one` did. `record` is what was forgotten, as it was; `went` are events that told
    nothing else and the versions of a fact that it had replaced, `changed` events that stay without
    it, as they are now; `left` still says the same, is a version that only a person may remove or,
    if it is an event that the record was learned from, may say it in other words. `close` may say
    it in other words, too. With an event, `went` has what was learned from it alone."""

    count: int
    record: Record | None
    went: tuple[Record, ...] = ()
    changed: tuple[Record, ...] = ()
    left: tuple[Record, ...] = ()
    close: tuple[Record, ...] = ()


def forget_one(memory: Memory, scope: Scope, id: str, **writer: Any) -> Forgotten:
    """Forget one record of the scope's partition; `writer` is who does it."""
    record = memory.records.get(scope, id) if id.strip() else None
    versions = _versions(memory, scope, record) if record is not None else []
    before = _told_in(memory, scope, record, versions) if record is not None else []
    before += learned_from(memory, scope, record) if record is not None else []
    before += _events_with(memory, scope, record, before) if record is not None else []
    near = in_other_words(memory, scope, record) if record is not None else []
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
    named = known | {one.id for one in left}
    close = [one for one in near if one.id not in named and memory.records.get(scope, one.id)]
    lists = (tuple(went), tuple(changed), tuple(left), tuple(close))
    return Forgotten(count, record, *lists)


def _events_with(
    memory: Memory, scope: Scope, gone: Record, known: Sequence[Record]
) -> list[Record]:
    """Further events that have the last words of a statement: it may be taken out of them."""
    ending = gone.text.strip().rstrip(".。!！")[-ENDING_CHARS:].strip()
    if gone.kind not in STATEMENTS or not ending:
        return []
    page = memory.records.newest(scope, SOURCES, text=ending, limit=MAX_DERIVED)
    ids = {gone.id, *(one.id for one in known)}
    return [one for one in page.records if one.id not in ids]


def learned_from(memory: Memory, scope: Scope, event: Record) -> list[Record]:
    """What rests on an event, and goes with it if it rests on nothing else."""
    if event.kind not in SOURCES:
        return []
    page = memory.records.newest(scope, ["short_term", "procedure"], limit=MAX_DERIVED)
    derived = [*memory.facts.list(scope), *page.records]
    return [one for one in derived if event.id in _sources(one)]


def in_other_words(memory: Memory, scope: Scope, gone: Record) -> list[Record]:
    """Records that seem to tell what a statement tells, by their vectors; asked for while it is
    there. Not one that names another value in the same sentence."""
    if gone.kind not in STATEMENTS:
        return []
    try:
        near = memory.records.related(scope, gone.id, limit=MAX_RELATED)
    except TaishiError:  # an old server, or a search that is away: nothing is made up
        return []
    found = []
    for hit in near:
        if hit.kind not in TELLING or hit.score < CLOSE_COSINE or not hit.text.strip():
            continue
        record = memory.records.get(scope, hit.id)
        if record is not None and record.state not in HISTORY:
            is_other = names_other_value(gone.text, record.text) or denies(record.text, gone.text)
            found += [] if is_other else [record]
    return found[:MAX_CLOSE]


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


def has_replaced(one: Record, gone: Record) -> bool:
    """Whether a fact that tells the same was put in the place of another one since: what was
    forgotten may be its duplicate, kept before `correct` was called, and it is what holds."""
    if one.kind != "fact" or one.state in HISTORY or not _is_put_right(one):
        return False
    replaced = one.data.get("supersedes")
    is_other = isinstance(replaced, list) and bool(replaced) and gone.id not in replaced
    return is_other and one.created >= gone.created


def _is_put_right(fact: Record) -> bool:
    """By `correct`. Its `source` may still be the one that a caller gave."""
    return fact.data.get("sources") in CORRECTED_BY


def similar_users(memory: Memory, scope: Scope) -> dict[str, int]:
    """Whose ids are that of the forgotten user but for a prefix, with their records; an old server
    does not say."""
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
    if denies(record.text, words):
        return False
    return re.search(f"{start}{re.escape(words)}{edge}", record.text, re.IGNORECASE) is not None


def denies(text: str, statement: str) -> bool:
    """Whether a text says the opposite: "Don't call me Annie" does not tell "Call me Annie"."""
    said = content(statement)
    if not said or any(one.denied for one in clauses(statement)):
        return False
    is_denied = False
    for clause in clauses(text[:MAX_WORDS]):
        if 2 * len(said.intersection(clause.denied)) > len(said):
            is_denied = True
        elif said <= clause.words:
            return False
    return is_denied
