"""Applies a person's correction to all that was derived from the wrong statement (P5).

That is the fact, short-term memories in the same words, and the events that said it, which stay and
carry the correction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import Any

from ..language.analyzer import has_cjk
from ..types import Edit, Record
from . import facts
from .authority import of_model
from .fact_lifecycle import buried, having, ids_in, superseded
from .pending_edits import PendingEdits
from .text_identity import normal, same

CORRECTIONS = "corrections"
MOST_CORRECTIONS = 20
LATEST = 1000  # events and summaries that are looked through for the words of a fact
SPOKEN = ("event", "turn")
TOLD = (*SPOKEN, "summary")
CHANGED = "changed"


def correction(
    records: PendingEdits, fact: Record, new_text: str, now: float, zone: tzinfo = UTC
) -> list[Edit]:
    """A person supplies the right wording. The new fact is the first edit."""
    old, new = facts.correct(fact, new_text, now, zone)
    return [new, old, *replaced(records, fact, new_text)]


def rejection(records: PendingEdits, fact: Record, now: float, zone: tzinfo = UTC) -> list[Edit]:
    """A person says that a fact is wrong."""
    return [*facts.reject(fact, now, zone), *replaced(records, fact, "")]


def model_correction(
    records: PendingEdits, fact: Record, new_text: str, now: float, zone: tzinfo = UTC
) -> list[Edit]:
    """A model supplies another wording: it is trusted less, the old one may be learned again."""
    _, made = facts.correct(fact, new_text, now, zone)
    assert made.record is not None
    new = replace(of_model(made.record), source="model")
    new = having(new, sources=["model"])
    old = superseded(fact, new.id, now, zone)
    return [Edit("put", new), Edit("put", old), *replaced(records, fact, new_text)]


def ending(records: PendingEdits, fact: Record, now: float, zone: tzinfo = UTC) -> list[Edit]:
    """A model says that a fact is wrong: it ends, without a tombstone."""
    return [Edit("put", superseded(fact, "model", now, zone)), *replaced(records, fact, "")]


def succession(
    records: PendingEdits, fact: Record, heir: Record, now: float, zone: tzinfo = UTC
) -> list[Edit]:
    """A person says that another known fact holds instead."""
    gone = having(buried(fact, now, zone), superseded_by=heir.id)
    return [Edit("put", gone), *replaced(records, fact, heir.text)]


def approval(
    records: PendingEdits, fact: Record, now: float | None = None, zone: tzinfo = UTC
) -> list[Edit]:
    """A person approves a fact, so that its events need no correction any more."""
    cleared = (_without(event, fact.text) for event in _told(records, fact))
    return [
        *facts.approve(fact, now, zone),
        *(Edit("put", one) for one in cleared if one is not None),
    ]


def replaced(records: PendingEdits, fact: Record, now: str) -> Iterator[Edit]:
    """Edits of other records that said it: short-term ones go, events get a note. `now` is what
    holds instead."""
    for passing in records.find(fact.place, ("short_term",), LATEST):
        if same(passing.text, fact.text):
            yield Edit("remove", place=passing.place, id=passing.id)
    for event in _told(records, fact):
        yield Edit("put", noted(event, fact.text, now))


def _told(records: PendingEdits, fact: Record) -> list[Record]:
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


def _ancestors(
    records: PendingEdits, fact: Record, states: Collection[str] = ("rejected",)
) -> Iterator[Record]:
    """The fact, and those that a person corrected until they became this one."""
    seen: dict[str, Record] = {}
    waiting = [fact]
    while waiting and len(seen) < MOST_CORRECTIONS:
        one = waiting.pop()
        seen[one.id] = one
        before = (records.get(one.place, id) for id in ids_in(one, "supersedes"))
        waiting += [old for old in before if old and old.id not in seen and old.state in states]
    yield from seen.values()


def successions(records: PendingEdits, learned: Sequence[Edit], own_event: str) -> list[Edit]:
    """What was so, and is no longer since a newer word: the events that said it say what holds
    now. `own_event` is being written and is not looked at."""
    made: list[Edit] = []
    records.take([*learned])
    ended = [edit.record for edit in learned if edit.record is not None]
    for old in (one for one in ended if one.kind == "fact" and one.state == "superseded"):
        for event in sources(records, old):
            if event.id != own_event:
                edit = Edit("put", ended_note(records, event, old))
                records.take([edit])
                made.append(edit)
    return made


def ended_note(records: PendingEdits, event: Record, old: Record) -> Record:
    """The event with what holds since a fact that it said has ended, if anything does."""
    heir = records.get(old.place, str(old.data.get("superseded_by")))
    holds = heir is not None and heir.kind == "fact" and heir.state == "approved"
    return noted(event, old.text, heir.text if heir is not None and holds else "", CHANGED)


def sources(records: PendingEdits, fact: Record) -> list[Record]:
    """The events that a fact, and those before it, were learned from."""
    line = _ancestors(records, fact, ("rejected", "superseded"))
    ids = dict.fromkeys(id for one in line for id in ids_in(one, "sources"))
    found = (records.get(fact.place, id) for id in ids)
    return [one for one in found if one is not None and one.kind in TOLD]


def noted(event: Record, said: str, now: str, why: str = "") -> Record:
    """The event with what became of a thing that it said; `now` is empty if nothing holds instead.
    `why` is CHANGED if it was so before, else it was wrong."""
    kept = [one for one in corrections_of(event.data) if not same(one["said"], said)]
    # What was put right before, and is now put right again, has one correction: the last.
    chain = [{**one, "now": now} if one["now"] and same(one["now"], said) else one for one in kept]
    mine = [{"said": said, "now": now, "why": why}] if chain == kept else []
    told = [one for one in (*chain, *mine) if not same(one["said"], one["now"])]
    return having(event, **{CORRECTIONS: told[-MOST_CORRECTIONS:]})


def speaks_of(event: Record, part: str) -> bool:
    """Whether a correction is there already for something that this part says."""
    words = normal(part)
    return any(normal(one["said"]) in words for one in corrections_of(event.data) if one["said"])


def parts(event: Record) -> list[str]:
    """What an event tells that was new, each thing by itself; else its text."""
    told = event.data.get("new_info")
    found = [str(one) for one in told if one] if isinstance(told, (list, tuple)) else []
    return found or [event.text]


def _without(event: Record, said: str) -> Record | None:
    there = corrections_of(event.data)
    left = [one for one in there if not same(one["said"], said)]
    return having(event, **{CORRECTIONS: left}) if len(left) < len(there) else None


def corrections_of(data: Mapping[str, Any]) -> list[dict[str, str]]:
    """Those of a record; callers may keep anything there under our name."""
    found = data.get(CORRECTIONS)
    return [
        {key: str(one.get(key) or "") for key in ("said", "now", "why")}
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, Mapping)
    ]


def note(data: Mapping[str, Any], chinese: bool) -> str:
    """What follows an event's words where it is shown: "(since corrected: Ann likes mango)"."""
    found = corrections_of(data)
    parts = []
    for why, holds, zh, en in _WORDINGS:
        of_these = [one for one in found if one["why"] == why and bool(one["now"]) == holds]
        texts = list(dict.fromkeys(one["now"] or one["said"] for one in of_these))
        if texts:
            parts.append(_said(zh, en, texts, chinese))
    if not parts:
        return ""
    return f"（{'；'.join(parts)}）" if chinese else f" ({'; '.join(parts)})"


def is_noted(text: str, data: Mapping[str, Any]) -> bool:
    """Whether a record's note stands behind the text already."""
    notes = note(data, chinese=True), note(data, chinese=False)
    return any(one and text.endswith(one) for one in notes)


_WORDINGS = (
    ("", True, "后更正：", "since corrected: "),
    (CHANGED, True, "后来：", "since then: "),
    ("", False, "后撤回：", "since withdrawn: "),
    (CHANGED, False, "已不再：", "no longer so: "),
)


def _said(zh: str, en: str, texts: Iterable[str], chinese: bool) -> str:
    bare = [text.rstrip("。.") for text in texts]
    return f"{zh}{'；'.join(bare)}" if chinese else f"{en}{'; '.join(bare)}"
