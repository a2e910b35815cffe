"""Shared memory (F5): agents propose, a coordinator decides, everyone in the workspace reads.

An entry is a fact (or a procedure) in the workspace's partition. Only the state `approved` is
recalled. Whatever is done to an entry is written into its own audit, in the same edit. An entry
that is replaced before it was ever approved becomes `rejected`, not `superseded`, because a
question about the past finds what was superseded. Nothing here stores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Any, Literal

from ..errors import AuthorityError
from ..exported import AuditEntry
from ..types import Partition, Record, Scope
from .authority import MODEL_MOST, Actor, signed
from .deletion_marks import Marks
from .fact_lifecycle import SHARED, having, ids_in, iso, new_fact
from .text_identity import same, stable_id

TYPES = ("project_context", "decision_record", "convention", "known_issue", "user_preference")
PROCEDURE = "procedure"  # the type of a procedure that was shared
LISTED_TYPES = (*TYPES, PROCEDURE)
KINDS = ("fact", "procedure")
AUDIT = "audit"
ID_PREFIX = "shared"
MOST_AUDITED = 100  # acts that are kept of one entry, the first one among them
OPEN = ("candidate", "approved", "conflict")
WAITING = ("candidate", "conflict")
COMPATIBLE = "compatible_with"
CONFIDENCE: dict[Actor, float] = {"person": 1.0, "host": 0.7, "model": MODEL_MOST}

Role = Literal["agent", "coordinator", "person", "host"]
Opposes = Callable[[Record, Record], bool]
Did = Literal["proposed", "supported", "approved", "rejected", "superseded", "conflict", "resolved"]


@dataclass(frozen=True, slots=True)
class Writer:
    """Who acts on shared memory: by `name` an entry's creator is known again.

    An agent is known by its id. A chat without an agent is known by a keyed hash of its partition,
    so that an entry names no user.
    """

    name: str
    role: Role
    actor: Actor
    door: str

    @property
    def decides(self) -> bool:
        """Whether this writer approves and settles: a coordinator, or the program itself."""
        return self.role in ("coordinator", "host")


def writer_of(
    scope: Scope, actor: Actor, actor_id: str, door: str, coordinators: Iterable[str], marks: Marks
) -> Writer:
    """`coordinators` are names, as in the setting: `person`, `agent:lead`."""
    listed = frozenset(coordinators)
    if actor == "person":
        name = f"person:{actor_id}" if actor_id else "person"
        is_listed = "person" in listed or name in listed
        return Writer(name, "coordinator" if is_listed else "person", actor, door)
    if scope.agent:
        name = f"agent:{scope.agent}"
        return Writer(name, "coordinator" if name in listed else "agent", actor, door)
    if actor == "host":
        return Writer("host", "host", actor, door)
    return Writer(f"chat:{marks.place(scope.home).hex()[:16]}", "agent", actor, door)


@dataclass(frozen=True, slots=True)
class Act:
    """One act on shared memory: who does it, when, and why."""

    writer: Writer
    now: float
    zone: tzinfo = UTC
    reason: str = ""

    def on(self, record: Record, did: Did, state: str | None = None) -> Record:
        """The record with this act in its audit."""
        entry = {
            "at": iso(self.now, self.zone),
            "did": did,
            "by": self.writer.name,
            "role": self.writer.role,
            "door": self.writer.door,
            "reason": self.reason,
        }
        before = audit_rows(record)
        kept = [*before[:1], *before[1:][-(MOST_AUDITED - 2) :]] if before else []
        changed = with_shared(record, **{AUDIT: [*kept, entry]})
        return replace(changed, state=changed.state if state is None else state)


# -- entries -------------------------------------------------------------------------------------


def is_entry(record: Record) -> bool:
    """Whether a record was proposed to shared memory."""
    return record.place.kind == "workspace" and isinstance(record.data.get(SHARED), Mapping)


def type_of(record: Record) -> str:
    return str(shared_part(record).get("type") or "")


def topic_of(record: Record) -> str:
    return str(shared_part(record).get("topic") or "")


def creator_of(record: Record) -> str:
    return str(shared_part(record).get("by") or "")


def was_approved(record: Record) -> bool:
    return bool(shared_part(record).get("approved_at"))


def audit_of(record: Record) -> tuple[AuditEntry, ...]:
    """Everything that was done to an entry, oldest first."""
    keys = ("at", "did", "by", "role", "door", "reason")
    return tuple(
        AuditEntry(*(str(one.get(key) or "") for key in keys)) for one in audit_rows(record)
    )


def new_entry(
    text: str,
    type: str,
    topic: str,
    place: Partition,
    user: str | None,
    confidence: float,
    act: Act,
) -> Record:
    """A statement as it is proposed. The same writer proposing the same again makes the same id."""
    record = new_fact(
        text,
        place,
        "",
        act.now,
        user,
        state="candidate",
        confidence=confidence,
        category=type,
        zone=act.zone,
        **_born(type, topic, act),
    )
    whose = f"{user} " if type == "user_preference" else ""
    id = stable_id(ID_PREFIX, place, act.writer.name, f"{type} {whose}{topic} {text}")
    return act.on(signed(replace(record, id=id), act.writer.actor), "proposed")


def shared_procedure(original: Record, place: Partition, act: Act) -> Record:
    """A procedure as it is proposed to everybody: its steps, and none of its history."""
    data = original.data
    kept = {key: data[key] for key in ("name", "trigger", "steps") if key in data}
    name = str(data.get("name") or original.text)
    record = replace(
        original,
        id=stable_id(ID_PREFIX, place, act.writer.name, f"{PROCEDURE} {original.text}"),
        place=place,
        state="candidate",
        time=act.now,
        created=0.0,
        session=None,
        source=None,
        owner=None,
        data={
            "type": "procedural",
            **kept,
            "success_rate": 1.0,
            "feedback_count": 0,
            "usage_count": 0,
            "last_updated": iso(act.now, act.zone),
            "sources": [],
            **_born(PROCEDURE, name, act),
            "conflict_with": [],
            "supersedes": [],
            "superseded_by": None,
        },
    )
    return act.on(signed(record, act.writer.actor), "proposed")


def _born(type: str, topic: str, act: Act) -> dict[str, Any]:
    by = act.writer.name
    shared: dict[str, Any] = {
        "type": type,
        "topic": topic,
        "by": by,
        "approved_at": None,
        AUDIT: [],
    }
    return {SHARED: shared, COMPATIBLE: []}


# -- who may do what ------------------------------------------------------------------------------


def check_decides(writer: Writer) -> None:
    if not writer.decides:
        raise AuthorityError(
            f"{writer.name[:80]} is no coordinator of shared memory; a coordinator decides this "
            "(`shared.coordinators` in the settings lists them)"
        )


def check_may_change(record: Record, writer: Writer) -> None:
    if not writer.decides and creator_of(record) != writer.name:
        raise AuthorityError(
            "only who proposed a shared entry, or a coordinator (`shared.coordinators`), changes "
            "it; propose one of your own"
        )


def has_acted(record: Record, writer: Writer) -> bool:
    return any(one.get("by") == writer.name for one in audit_rows(record))


def may_see(record: Record, writer: Writer) -> bool:
    """What was approved is everybody's; what waits, or was turned down, is for those who decide and
    for those who proposed it, because it may hold words of a private chat."""
    if writer.decides or has_acted(record, writer):
        return True
    return record.state in ("approved", "superseded") and was_approved(record)


def says_the_same(one: Record, other: Record) -> bool:
    """The same statement of the same type; a preference also of the same person."""
    if (one.kind, type_of(one)) != (other.kind, type_of(other)):
        return False
    return same(one.text, other.text) and are_comparable(one, other)


def are_comparable(one: Record, other: Record) -> bool:
    """What two people prefer never is about the same thing."""
    return type_of(one) != "user_preference" or one.user == other.user


def are_settled(one: Record, other: Record) -> bool:
    """Whether a coordinator said that both hold."""
    return other.id in ids_in(one, COMPATIBLE) or one.id in ids_in(other, COMPATIBLE)


def shared_part(record: Record) -> Mapping[str, Any]:
    found = record.data.get(SHARED)
    return found if isinstance(found, Mapping) else {}


def audit_rows(record: Record) -> list[Mapping[str, Any]]:
    found = shared_part(record).get(AUDIT)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def with_shared(record: Record, **changes: Any) -> Record:
    return having(record, **{SHARED: {**shared_part(record), **changes}})
