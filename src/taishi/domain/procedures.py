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
from .fact_lifecycle import SHARED
from .text_identity import normal, stable_id

ALIKE = 0.6
MAX_STEPS = 50
MAX_SOURCES = 200
MAX_CHARS = 1000
REPORTED_USES = "reported_uses"
REVIEW_OUTCOMES = 3
REVIEW_BELOW = 0.5


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
    procedures = {
        stored.id: stored
        for stored in known
        if stored.kind == "procedure" and stored.state == "approved" and SHARED not in stored.data
    }
    changed: dict[str, Record] = {}
    for draft in drafts:
        steps = tuple(storable(step, MAX_CHARS) for step in draft.steps if step.strip())[:MAX_STEPS]
        if not normal(draft.name) or not steps:
            continue
        match = _match(draft, procedures.values())
        if match is None:
            procedure = _new(draft, steps, event_id, place, now, user, zone)
        elif event_id in match.data.get("sources", ()):
            continue
        else:
            procedure = _used_again(match, draft, steps, event_id, now, zone)
        procedures[procedure.id] = changed[procedure.id] = procedure
    return [Edit("put", record) for record in changed.values()]


def feedback(record: Record, worked: bool) -> Record:
    """With one more outcome: success_rate is the mean of all reported outcomes."""
    count = outcomes(record)
    rate = success_rate(record) if count else 0.0
    rate += (float(worked) - rate) / (count + 1)
    return replace(record, data={**record.data, "success_rate": rate, "feedback_count": count + 1})


def used(record: Record, now: float, zone: tzinfo = UTC) -> Record:
    """Applied once more. Reported uses are counted by themselves, too: a rebuild from events knows
    only of the others."""
    data = {
        **record.data,
        "usage_count": _count(record, "usage_count") + 1,
        REPORTED_USES: _count(record, REPORTED_USES) + 1,
        "last_used": to_datetime(now, zone).isoformat(),
    }
    return replace(record, data=data)


def with_reported_uses(record: Record, before: Record) -> Record:
    """A record that was derived from events again, with the uses that were reported before."""
    uses = _count(before, REPORTED_USES)
    if not uses:
        return record
    data = {**record.data, "usage_count": _count(record, "usage_count") + uses}
    kept = {key: before.data[key] for key in (REPORTED_USES, "last_used") if key in before.data}
    return replace(record, data={**data, **kept})


def outcomes(record: Record) -> int:
    return _count(record, "feedback_count")


def success_rate(record: Record) -> float:
    """A caller's own data may have anything under this name."""
    rate = record.data.get("success_rate", 1.0)
    is_share = isinstance(rate, (int, float)) and not isinstance(rate, bool) and 0 <= rate <= 1
    return float(rate) if is_share else 1.0


def is_failing(record: Record) -> bool:
    """Whether a person should look at it: tried often enough, and it failed more than it worked."""
    return outcomes(record) >= REVIEW_OUTCOMES and success_rate(record) < REVIEW_BELOW


def _count(record: Record, key: str) -> int:
    count = record.data.get(key)
    return max(count, 0) if type(count) is int else 0


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
    for procedure in known:
        name, trigger = str(procedure.data.get("name", "")), str(procedure.data.get("trigger", ""))
        if normal(name) == normal(draft.name):
            return procedure
        words = _words(name, trigger)
        alike = len(wanted & words) / max(1, len(wanted | words))
        if alike >= nearest:
            best, nearest = procedure, alike
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
