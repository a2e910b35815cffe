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
from . import fact_decisions
from .authority import is_persons, of_model
from .fact_lifecycle import MODEL, buried, having, ids_in, never_so, superseded
from .own_facts import may_be_of, user_meant
from .pending_edits import PendingEdits
from .text_identity import normal, same
from .twins import REJECTED, twins

CORRECTIONS = "corrections"
MOST_CORRECTIONS = 20
LATEST = 1000  # events and summaries that are looked through for the words of a fact
SPOKEN = ("event", "turn")
TOLD = (*SPOKEN, "summary")
CHANGED = "changed"
DENIED = "denied"  # by the person it is about


def correction(
    records: PendingEdits, fact: Record, new_text: str, now: float, zone: tzinfo = UTC
) -> list[Edit]:
    """A person supplies the right wording. The new fact is the first edit."""
    old, new = fact_decisions.correct(fact, new_text, now, zone)
    assert new.record is not None
    others = twins(records, fact)
    held = having(new.record, supersedes=[fact.id, *(one.id for one in others)])
    gone = [Edit("put", _replaced_by(held, one, now, zone)) for one in others]
    return [Edit("put", held), old, *gone, *_restated(records, [fact, *others], new_text)]


def rejection(records: PendingEdits, fact: Record, now: float, zone: tzinfo = UTC) -> list[Edit]:
    """A person says that a fact is wrong."""
    wrong = [fact, *twins(records, fact)]
    gone = [edit for one in wrong for edit in fact_decisions.reject(one, now, zone)]
    return [*gone, *_restated(records, wrong, "")]


def model_correction(
    records: PendingEdits, fact: Record, new_text: str, now: float, zone: tzinfo = UTC
) -> list[Edit]:
    """A model supplies another wording: it is trusted less, the old one may be learned again."""
    _, edit = fact_decisions.correct(fact, new_text, now, zone)
    assert edit.record is not None
    old = [fact, *_models_to_end(records, fact)]
    new = of_model(edit.record)
    new = replace(new, source="model") if new.source == "person" else new
    new = having(new, sources=["model"], supersedes=[one.id for one in old])
    ended = [Edit("put", superseded(one, new.id, now, zone)) for one in old]
    return [Edit("put", new), *ended, *_restated(records, old, new_text)]


def withdrawal(records: PendingEdits, fact: Record, now: float, zone: tzinfo = UTC) -> list[Edit]:
    """A model says that a fact is wrong: it was never so, and may be learned again."""
    old = [fact, *_models_to_end(records, fact)]
    withdrawn = [Edit("put", never_so(one, MODEL, now, zone)) for one in old]
    return [*withdrawn, *_restated(records, old, "")]


def succession(
    records: PendingEdits, fact: Record, heir: Record, now: float, zone: tzinfo = UTC
) -> list[Edit]:
    """A person says that another known fact holds instead."""
    wrong = [fact, *twins(records, fact)]
    gone = [Edit("put", _replaced_by(heir, one, now, zone)) for one in wrong]
    return [*gone, *_restated(records, wrong, heir.text)]


def resolution(
    records: PendingEdits, winner: Record, loser: Record, now: float, zone: tzinfo = UTC
) -> list[Edit]:
    """A person decides which of two contradicting facts holds."""
    kept, lost = fact_decisions.resolve(winner, loser, now, zone)
    wrong = [loser, *twins(records, loser)]
    gone = [Edit("put", _replaced_by(winner, one, now, zone)) for one in wrong[1:]]
    waiting = [one for one in twins(records, winner, ("conflict",)) if _contradicts(one, wrong)]
    held = [edit for one in waiting for edit in fact_decisions.approve(one, now, zone)]
    return [kept, lost, *gone, *held, *_restated(records, wrong, winner.text)]


def approval(
    records: PendingEdits, fact: Record, now: float | None = None, zone: tzinfo = UTC
) -> list[Edit]:
    """A person approves a fact, so that its events need no correction any more. What states the
    same and was rejected with it holds again, or that would still say that it is not so."""
    held = [fact, *twins(records, fact, REJECTED)]
    approved = [edit for one in held for edit in fact_decisions.approve(one, now, zone)]
    return [*approved, *(edit for one in held for edit in _cleared(records, one))]


def _replaced_by(heir: Record, fact: Record, now: float, zone: tzinfo) -> Record:
    return having(buried(fact, now, zone), superseded_by=heir.id)


def _models_to_end(records: PendingEdits, fact: Record) -> list[Record]:
    """What states the same, without what a person decided."""
    return [one for one in twins(records, fact) if not is_persons(one)]


def _contradicts(fact: Record, others: Iterable[Record]) -> bool:
    return not {one.id for one in others}.isdisjoint(ids_in(fact, "conflict_with"))


def _restated(records: PendingEdits, gone: Iterable[Record], now: str) -> Iterator[Edit]:
    for fact in gone:
        yield from replaced(records, fact, now)


def held_again(records: PendingEdits, learned: Sequence[Edit]) -> list[Edit]:
    """Facts that were taken back and now hold again: their events need no correction any more."""
    made: list[Edit] = []
    for fact in (edit.record for edit in learned if edit.record is not None):
        before = records.get(fact.place, fact.id) if fact.state == "approved" else None
        if before is not None and before.kind == "fact" and before.state == "rejected":
            cleared = list(_cleared(records, fact))
            records.take(cleared)
            made += cleared
    return made


def _cleared(records: PendingEdits, fact: Record) -> Iterator[Edit]:
    for event in _told(records, fact):
        cleared = _without(event, fact.text)
        if cleared is not None:
            yield Edit("put", cleared)


def replaced(records: PendingEdits, fact: Record, now: str) -> Iterator[Edit]:
    """Edits of other records that said it: short-term ones go, events get a note. `now` is what
    holds instead."""
    user = user_meant(fact, fact.text)
    for passing in records.find(fact.place, ("short_term",), LATEST):
        if same(passing.text, fact.text) and may_be_of(user, passing):
            yield Edit("remove", place=passing.place, id=passing.id)
    for event in _told(records, fact):
        yield Edit("put", noted(event, fact.text, now))


def _told(records: PendingEdits, fact: Record) -> list[Record]:
    """The events that a fact was learned from, others that say it in the same words, and those of
    which it is said that it holds since then."""
    line = list(_ancestors(records, fact))
    ids = dict.fromkeys(id for one in line for id in ids_in(one, "sources"))
    by_id = (records.get(fact.place, id) for id in ids)
    found = {one.id: one for one in by_id if one is not None and one.kind in TOLD}
    words = {
        (normal(text), user_meant(one, text))
        for one in line
        for text in (one.text, *ids_in(one, "quotes"))
    }
    for one in records.find(fact.place, TOLD, LATEST):
        of_them = [text for text, user in words if text and may_be_of(user, one)]
        holds_now = {normal(correction["now"]) for correction in corrections_of(one.data)}
        if _says(records.words(one.text), of_them) or not holds_now.isdisjoint(of_them):
            found.setdefault(one.id, one)
    return list(found.values())


def _says(text: str, statements: Iterable[str]) -> bool:
    """Whether one of these is in a text, both normalised."""
    return any(
        f" {said} " in f" {text} " or (has_cjk(said) and said in text) for said in statements
    )


def _ancestors(
    records: PendingEdits, fact: Record, states: Collection[str] = ("rejected",)
) -> Iterator[Record]:
    """The fact, and those that a person corrected until they became this one."""
    visited: dict[str, Record] = {}
    waiting = [fact]
    while waiting and len(visited) < MOST_CORRECTIONS:
        ancestor = waiting.pop()
        visited[ancestor.id] = ancestor
        before = (records.get(ancestor.place, id) for id in ids_in(ancestor, "supersedes"))
        waiting += [old for old in before if old and old.id not in visited and old.state in states]
    yield from visited.values()


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
    ids = dict.fromkeys(id for record in line for id in ids_in(record, "sources"))
    events = (records.get(fact.place, id) for id in ids)
    return [record for record in events if record is not None and record.kind in TOLD]


def noted(event: Record, said: str, now: str, why: str = "") -> Record:
    """The event with what became of a thing that it said; `now` is empty if nothing holds instead.
    `why` is CHANGED if it was so before, DENIED if somebody else had said so; else it was wrong."""
    others = [
        correction
        for correction in corrections_of(event.data)
        if not same(correction["said"], said)
    ]
    # What was put right before, and is now put right again, has one correction: the last.
    chain = [
        {**correction, "now": now}
        if correction["now"] and same(correction["now"], said)
        else correction
        for correction in others
    ]
    mine = [{"said": said, "now": now, "why": why}] if chain == others else []
    corrected = [
        correction
        for correction in (*chain, *mine)
        if not same(correction["said"], correction["now"])
    ]
    return having(event, **{CORRECTIONS: corrected[-MOST_CORRECTIONS:]})


def without_words_of(fact: Record, events: Iterable[Record]) -> Iterator[Edit]:
    """A fact is deleted: events that were corrected by its words say that they were wrong, and not
    what held instead."""
    for event in events:
        before = corrections_of(event.data)
        after = [
            {**one, "now": ""} if one["now"] and same(one["now"], fact.text) else one
            for one in before
        ]
        if after != before:
            yield Edit("put", having(event, **{CORRECTIONS: after}))


def speaks_of(event: Record, part: str) -> bool:
    """Whether a correction is there already for something that this part says."""
    words = normal(part)
    return any(
        normal(correction["said"]) in words
        for correction in corrections_of(event.data)
        if correction["said"]
    )


def parts(event: Record) -> list[str]:
    """What an event tells that was new, each thing by itself; else its text."""
    new_info = event.data.get("new_info")
    statements = (
        [str(statement) for statement in new_info if statement]
        if isinstance(new_info, (list, tuple))
        else []
    )
    return statements or [event.text]


def _without(event: Record, said: str) -> Record | None:
    noted_before = corrections_of(event.data)
    corrections_left = [
        correction for correction in noted_before if not same(correction["said"], said)
    ]
    return (
        having(event, **{CORRECTIONS: corrections_left})
        if len(corrections_left) < len(noted_before)
        else None
    )


def corrections_of(data: Mapping[str, Any]) -> list[dict[str, str]]:
    """Those of a record; callers may keep anything there under our name."""
    stored = data.get(CORRECTIONS)
    return [
        {key: str(correction.get(key) or "") for key in ("said", "now", "why")}
        for correction in (stored if isinstance(stored, list) else [])
        if isinstance(correction, Mapping)
    ]


def note(data: Mapping[str, Any], chinese: bool, shown: Iterable[str] = ()) -> str:
    """What follows an event's words where it is shown: "(since corrected: Ann likes mango)".
    `shown` are the statements in front of it; if it would only repeat them, it does not."""
    found = corrections_of(data)
    if not found:
        return ""
    is_bare = _is_all_of(found, shown)
    parts = []
    for why, holds, zh, en in _WORDINGS:
        of_these = [one for one in found if one["why"] == why and bool(one["now"]) == holds]
        texts = list(dict.fromkeys(one["now"] or one["said"] for one in of_these))
        if texts:
            parts.append(_said(zh, en, () if is_bare else texts, chinese))
    if not parts:
        return ""
    return f"（{'；'.join(parts)}）" if chinese else f" ({'; '.join(parts)})"


def with_note(text: str, data: Mapping[str, Any]) -> str:
    """An event's text, and what became of what it tells."""
    if CORRECTIONS not in data:
        return text
    return text + note(data, has_cjk(text), statements_of(data, text))


def _is_all_of(found: Sequence[Mapping[str, str]], shown: Iterable[str]) -> bool:
    """Whether the shown statements are those that ended, all of them, with nothing instead."""
    ended = {normal(one["said"]) for one in found}
    return not any(one["now"] for one in found) and ended == {normal(text) for text in shown}


def statements_of(data: Mapping[str, Any], text: str) -> list[str]:
    """What an event tells, each thing by itself, from its data; else its text."""
    new_info = data.get("new_info")
    told = [data.get("did_what"), *(new_info if isinstance(new_info, (list, tuple)) else ())]
    return [str(statement) for statement in told if statement] or [text]


def is_noted(text: str, data: Mapping[str, Any]) -> bool:
    """Whether a record's note stands behind the text already."""
    said = [one["said"] for one in corrections_of(data)]
    notes = (note(data, chinese, shown) for chinese in (True, False) for shown in ((), said))
    return any(noted_text and text.endswith(noted_text) for noted_text in notes)


_WORDINGS = (
    ("", True, "后更正", "since corrected"),
    (CHANGED, True, "后来", "since then"),
    ("", False, "后撤回", "since withdrawn"),
    (CHANGED, False, "已不再", "no longer so"),
    (DENIED, True, "本人否认", "denied in person"),
    (DENIED, False, "本人否认", "denied in person"),
)


def _said(zh: str, en: str, texts: Iterable[str], chinese: bool) -> str:
    bare = [text.rstrip("。.") for text in texts]
    if not bare:
        return _ALONE_ZH.get(zh, zh) if chinese else en
    return f"{zh}：{'；'.join(bare)}" if chinese else f"{en}: {'; '.join(bare)}"


_ALONE_ZH = {"已不再": "已不再如此"}  # which is no sentence by itself
