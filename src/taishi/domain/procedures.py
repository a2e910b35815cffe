"""Procedures (F3): creates, updates and rates learned ways of working."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo

from ..language.analyzer import has_cjk, terms
from ..language.text import storable
from ..times import to_datetime
from ..types import Edit, Partition, Record
from .drafts import ProcedureDraft
from .text_identity import normal, stable_id

ALIKE = 0.6
MAX_STEPS = 50
MAX_SOURCES = 200
MAX_CHARS = 1000


def to_edits(
    drafts: Sequence[ProcedureDraft],
    known: Iterable[Record],
    event_id: str,
    place: Partition,
    now: float,
    user: str | None = None,
    zone: tzinfo = UTC,
) -> list[Edit]:
    """The edits of one event. A known procedure is counted as used again and updated."""
    there = {one.id: one for one in known if one.kind == "procedure" and one.state == "approved"}
    changed: dict[str, Record] = {}
    for draft in drafts:
        steps = tuple(storable(step, MAX_CHARS) for step in draft.steps if step.strip())[:MAX_STEPS]
        if not normal(draft.name) or not steps:
            continue
        match = _match(draft, there.values())
        if match is None:
            made = _new(draft, steps, event_id, place, now, user, zone)
        elif event_id in match.data.get("sources", ()):
            continue
        else:
            made = _used_again(match, draft, steps, event_id, now, zone)
        there[made.id] = changed[made.id] = made
    return [Edit("put", record) for record in changed.values()]


def feedback(record: Record, worked: bool) -> Edit:
    """Records an outcome: success_rate is the mean of all reported outcomes."""
    count = int(record.data.get("feedback_count", 0))
    rate = float(record.data.get("success_rate", 1.0)) if count else 0.0
    rate += (float(worked) - rate) / (count + 1)
    data = {**record.data, "success_rate": rate, "feedback_count": count + 1}
    return Edit("put", replace(record, data=data))


def statement(name: str, trigger: str, steps: Sequence[str]) -> str:
    """The whole procedure in one searchable line."""
    chinese = has_cjk(name + trigger)
    numbered = ("；" if chinese else "; ").join(f"{n}. {step}" for n, step in enumerate(steps, 1))
    when = "" if not trigger.strip() else f"（{trigger}时）" if chinese else f" (when: {trigger})"
    if when.endswith("时时）"):
        when = f"（{trigger}）"
    return f"{name}{when}{'：' if chinese else ': '}{numbered}"


def _match(draft: ProcedureDraft, known: Iterable[Record]) -> Record | None:
    """A known procedure of the same name, or with nearly the same words in name and trigger."""
    wanted = _words(draft.name, draft.trigger)
    best, nearest = None, ALIKE
    for one in known:
        name, trigger = str(one.data.get("name", "")), str(one.data.get("trigger", ""))
        if normal(name) == normal(draft.name):
            return one
        words = _words(name, trigger)
        alike = len(wanted & words) / max(1, len(wanted | words))
        if alike >= nearest:
            best, nearest = one, alike
    return best


def _words(name: str, trigger: str) -> set[str]:
    return set(terms(f"{name[:MAX_CHARS]} {trigger[:MAX_CHARS]}"))


def _new(
    draft: ProcedureDraft,
    steps: Sequence[str],
    event_id: str,
    place: Partition,
    now: float,
    user: str | None,
    zone: tzinfo,
) -> Record:
    name, trigger = storable(draft.name, MAX_CHARS), storable(draft.trigger, MAX_CHARS)
    return Record(
        id=stable_id("procedure", place, event_id, name),
        place=place,
        kind="procedure",
        text=statement(name, trigger, steps),
        time=now,
        user=user,
        source=event_id,
        data={
            "type": "procedural",
            "name": name,
            "trigger": trigger,
            "steps": list(steps),
            "success_rate": 1.0,
            "feedback_count": 0,
            "usage_count": 1,
            "last_updated": to_datetime(now, zone).isoformat(),
            "sources": [event_id],
        },
    )


def _used_again(
    known: Record,
    draft: ProcedureDraft,
    steps: Sequence[str],
    event_id: str,
    now: float,
    zone: tzinfo,
) -> Record:
    """Newer steps win; a job that comes late counts as a use and changes nothing else."""
    data = {
        **known.data,
        "usage_count": int(known.data.get("usage_count", 0)) + 1,
        "sources": [*known.data.get("sources", ()), event_id][-MAX_SOURCES:],
    }
    if known.time is not None and now < known.time:
        return replace(known, data=data)
    name = str(known.data.get("name") or draft.name)
    trigger = storable(draft.trigger, MAX_CHARS) or str(known.data.get("trigger", ""))
    data |= {
        "name": name,
        "trigger": trigger,
        "steps": list(steps),
        "last_updated": to_datetime(now, zone).isoformat(),
    }
    return replace(known, text=statement(name, trigger, steps), time=now, data=data)
