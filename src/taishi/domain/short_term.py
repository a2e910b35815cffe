"""Short-term memory (F4): statements that expire after days unless repeated use makes them facts.

A visit is a recall in a session that has not recalled it before. Each visit buys one more life;
enough of them make it a fact. Recalls in one session count once, however many: what is shown
must not become true by being shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo

from ..language.text import storable
from ..settings.schema import ShortTermSettings
from ..types import Edit, Partition, Record
from .drafts import FactDraft
from .fact_lifecycle import MAX_CONTENT_CHARS, MAX_QUOTE_CHARS, ids_in, iso, new_fact
from .remember_request import says_remember as says_remember
from .text_identity import normal, same, stable_id

LIVES = ("preference", "decision", "follow_up", "mood")
DAY_SECONDS = 86_400.0
MAX_SESSIONS = 50


def keep(
    drafts: Sequence[FactDraft],
    known: Iterable[Record],
    event_id: str,
    place: Partition,
    now: float,
    settings: ShortTermSettings,
    user: str | None = None,
    session: str | None = None,
) -> list[Edit]:
    """The edits of one event for short-term drafts. Repeating a statement restarts its life."""
    statements = {
        stored.id: stored
        for stored in known
        if stored.kind == "short_term" and stored.place == place
    }
    changed: dict[str, Record] = {}
    for draft in drafts:
        if draft.life not in LIVES or not normal(draft.content):
            continue
        life = days(draft.life, settings) * DAY_SECONDS
        twin = next(
            (stored for stored in statements.values() if same(stored.text, draft.content)), None
        )
        if twin is None:
            statement = _new(draft, event_id, place, now, life, user, session)
        elif event_id in ids_in(twin, "sources"):
            continue
        else:
            sources = [*ids_in(twin, "sources"), event_id]
            expires = max(_expiry(twin) or 0.0, now + life)
            statement = _with(twin, expires=expires, life_seconds=life, sources=sources)
        statements[statement.id] = changed[statement.id] = statement
    return [Edit("put", record) for record in changed.values()]


def days(life: str, settings: ShortTermSettings) -> float:
    return float(getattr(settings, f"{life}_days"))


def visit(record: Record, session: str | None) -> Edit | None:
    """Counts a recall by this session; None if it does not count."""
    visited = ids_in(record, "visited_sessions")
    if not session or session in visited or len(visited) >= MAX_SESSIONS:
        return None
    return Edit("put", _with(record, visited_sessions=[*visited, session]))


def promotable(record: Record, settings: ShortTermSettings) -> bool:
    """Whether it was recalled in enough distinct sessions to become a fact."""
    return len(set(ids_in(record, "visited_sessions"))) >= settings.promote_after_sessions


def promote(record: Record, known: Iterable[Record], now: float, zone: tzinfo = UTC) -> list[Edit]:
    """It becomes a fact, unless a fact says so already or a person has rejected it."""
    removal = Edit("remove", place=record.place, id=record.id)
    if any(other.kind == "fact" and same(other.text, record.text) for other in known):
        return [removal]
    data = record.data
    fact = new_fact(
        record.text,
        record.place,
        record.id,
        record.time or now,
        record.user,
        confidence=record.confidence,
        category=str(data.get("category", "other")),
        subject=str(data.get("subject", "")),
        zone=zone,
        sources=ids_in(record, "sources"),
        quotes=ids_in(record, "quotes"),
        last_confirmed=iso(now, zone),
        promoted=True,
    )
    return [Edit("put", replace(fact, source=record.source)), removal]


def expired(records: Iterable[Record], now: float) -> list[Edit]:
    """Handles expired records: each recall renews a record once; others are removed."""
    edits = []
    for record in records:
        expires, lived = _expiry(record), int(_number(record, "renewals"))
        if record.kind != "short_term" or expires is None or expires > now:
            continue
        life = max(_number(record, "life_seconds"), 1.0)
        visits = len(ids_in(record, "visited_sessions"))
        while expires <= now and lived < visits:
            expires, lived = expires + life, lived + 1
        if expires > now:
            edits.append(Edit("put", _with(record, expires=expires, renewals=lived)))
        else:
            edits.append(Edit("remove", place=record.place, id=record.id))
    return edits


def _new(
    draft: FactDraft,
    event_id: str,
    place: Partition,
    now: float,
    life: float,
    user: str | None,
    session: str | None,
) -> Record:
    confidence = draft.confidence
    return Record(
        id=stable_id("short", place, event_id, draft.content),
        place=place,
        kind="short_term",
        text=storable(draft.content, MAX_CONTENT_CHARS),
        time=now,
        until=now + life,
        expires=now + life,
        user=user,
        session=session,
        source=event_id,
        confidence=confidence if 0.0 <= confidence <= 1.0 else 0.5,
        data={
            "life": draft.life,
            "expires": now + life,
            "life_seconds": life,
            "renewals": 0,
            "visited_sessions": [],
            "category": storable(draft.category, 200),
            "subject": storable(draft.subject, 200),
            "sources": [event_id],
            "quotes": [storable(draft.quote, MAX_QUOTE_CHARS)] if draft.quote.strip() else [],
        },
    )


def _with(record: Record, **data: object) -> Record:
    expires = data.get("expires", _expiry(record))
    end = expires if isinstance(expires, (int, float)) else None
    return replace(record, data={**record.data, **data}, until=end, expires=end)


def _expiry(record: Record) -> float | None:
    """None: a host kept it without an end. Older ones have it in their data alone."""
    if record.expires is not None or "expires" not in record.data:
        return record.expires
    return _number(record, "expires")


def _number(record: Record, key: str) -> float:
    value = record.data.get(key)
    return float(value) if isinstance(value, (int, float)) else 0.0


def remembered(drafts: Sequence[FactDraft], said: Collection[str]) -> list[FactDraft]:
    """The short-lived drafts of a turn that a person asked to remember: they are facts at once."""
    if not any(says_remember(text) for text in said):
        return []
    return [draft for draft in drafts if draft.life in LIVES]
