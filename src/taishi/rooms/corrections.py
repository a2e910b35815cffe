"""What a person puts right reaches all that was made of it: the fact, passing memories in the same
words, and the events that said it, which stay and carry the correction (P5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, tzinfo
from typing import Any

from ..language.segment import has_cjk
from ..types import Edit, Record
from . import facts
from .fact_records import buried, having, ids_in
from .overlay import Overlay
from .sameness import normal, same

CORRECTIONS = "corrections"
MOST_CORRECTIONS = 20
LATEST = 1000  # events and summaries that are looked through for the words of a fact
TOLD = ("event", "turn", "summary")


def correction(
    records: Overlay, fact: Record, new_text: str, now: float, zone: tzinfo = UTC
) -> list[Edit]:
    """A person gives the right words. The new fact is the first edit."""
    old, new = facts.correct(fact, new_text, now, zone)
    return [new, old, *replaced(records, fact, new_text)]


def rejection(records: Overlay, fact: Record, now: float, zone: tzinfo = UTC) -> list[Edit]:
    """A person says that it is not so."""
    return [*facts.reject(fact, now, zone), *replaced(records, fact, "")]


def succession(
    records: Overlay, fact: Record, heir: Record, now: float, zone: tzinfo = UTC
) -> list[Edit]:
    """A person says that another fact, which was known before, holds instead."""
    gone = having(buried(fact, now, zone), superseded_by=heir.id)
    return [Edit("put", gone), *replaced(records, fact, heir.text)]


def approval(
    records: Overlay, fact: Record, now: float | None = None, zone: tzinfo = UTC
) -> list[Edit]:
    """A person says that it is so, perhaps after all: its events need no correction any more."""
    cleared = (_without(event, fact.text) for event in _told(records, fact))
    return [
        *facts.approve(fact, now, zone),
        *(Edit("put", one) for one in cleared if one is not None),
    ]


def replaced(records: Overlay, fact: Record, now: str) -> Iterator[Edit]:
    """What else said it: passing memories go, events are noted. `now` is what holds instead."""
    for passing in records.find(fact.place, ("short_term",), LATEST):
        if same(passing.text, fact.text):
            yield Edit("remove", place=passing.place, id=passing.id)
    for event in _told(records, fact):
        yield Edit("put", noted(event, fact.text, now))


def _told(records: Overlay, fact: Record) -> list[Record]:
    """The events that a fact was learned from, and others that say it in the same words."""
    line = list(_ancestors(records, fact))
    ids = dict.fromkeys(id for one in line for id in ids_in(one, "sources"))
    by_id = (records.get(fact.place, id) for id in ids)
    found = {one.id: one for one in by_id if one is not None and one.kind in TOLD}
    words = [normal(text) for one in line for text in (one.text, *ids_in(one, "quotes"))]
    words = [one for one in dict.fromkeys(words) if one]
    for one in records.find(fact.place, TOLD, LATEST):
        text = records.words(one.text)
        if any(f" {said} " in f" {text} " or (has_cjk(said) and said in text) for said in words):
            found.setdefault(one.id, one)
    return list(found.values())


def _ancestors(records: Overlay, fact: Record) -> Iterator[Record]:
    """The fact, and those that a person corrected until they became this one."""
    seen: dict[str, Record] = {}
    waiting = [fact]
    while waiting and len(seen) < MOST_CORRECTIONS:
        one = waiting.pop()
        seen[one.id] = one
        before = (records.get(one.place, id) for id in ids_in(one, "supersedes"))
        waiting += [old for old in before if old and old.id not in seen and _is_tomb(old)]
    yield from seen.values()


def _is_tomb(record: Record) -> bool:
    return record.state == "rejected"


def noted(event: Record, said: str, now: str) -> Record:
    """The event with what became of a thing that it said; `now` is empty if it is not so at all."""
    kept = [one for one in corrections_of(event.data) if not same(one["said"], said)]
    # What was put right before, and is now put right again, has one correction: the last.
    chain = [{**one, "now": now} if one["now"] and same(one["now"], said) else one for one in kept]
    mine = [{"said": said, "now": now}] if chain == kept else []
    told = [one for one in (*chain, *mine) if not same(one["said"], one["now"])]
    return having(event, **{CORRECTIONS: told[-MOST_CORRECTIONS:]})


def _without(event: Record, said: str) -> Record | None:
    there = corrections_of(event.data)
    left = [one for one in there if not same(one["said"], said)]
    return having(event, **{CORRECTIONS: left}) if len(left) < len(there) else None


def corrections_of(data: Mapping[str, Any]) -> list[dict[str, str]]:
    """Those of a record; callers may keep anything there under our name."""
    found = data.get(CORRECTIONS)
    return [
        {"said": str(one.get("said") or ""), "now": str(one.get("now") or "")}
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, Mapping)
    ]


def note(data: Mapping[str, Any], chinese: bool) -> str:
    """What follows an event's words where it is shown: "(since corrected: Ann likes mango)"."""
    found = corrections_of(data)
    now = list(dict.fromkeys(one["now"] for one in found if one["now"]))
    gone = list(dict.fromkeys(one["said"] for one in found if not one["now"]))
    parts = []
    if now:
        parts.append(_said("后更正：", "since corrected: ", now, chinese))
    if gone:
        parts.append(_said("后撤回：", "since withdrawn: ", gone, chinese))
    if not parts:
        return ""
    return f"（{'；'.join(parts)}）" if chinese else f" ({'; '.join(parts)})"


def _said(zh: str, en: str, texts: Iterable[str], chinese: bool) -> str:
    bare = [text.rstrip("。.") for text in texts]
    return f"{zh}{'；'.join(bare)}" if chinese else f"{en}{'; '.join(bare)}"
