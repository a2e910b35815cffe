"""mem0's user_id, agent_id, run_id and app_id: which partition they mean, and which part of it.

A user's memories are in that user's partition, an agent's in the agent's. A run is a session
within it; a run that belongs to nobody has a partition of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from ...errors import InputError
from ...types import Partition, Scope, clean_id

ENTITY_FIELDS = ("user_id", "agent_id", "run_id", "app_id")
ENTITIES = ("user", "agent", "run")
LABELS = "mem0"  # where a record's data has what mem0 has and our records do not
RUN_PREFIX = "run:"  # of the agent that stands for a run without a user or an agent
# Who may see what is decided by whoever makes the scope: a key, or the program itself.
Resolve = Callable[..., Scope]
_ENTITY_OF_PLACE = {"private": "user", "agent": "agent", "group": "group"}
_REQUIRED = (
    "name one of user_id, agent_id or run_id; search and get_all take it in filters, such as "
    "filters={'user_id': 'ann'}"
)


class UnknownMemoryError(InputError):
    """There is no memory with this id that the caller may see."""

    def __init__(self, id: object) -> None:
        super().__init__(f"Memory with id {str(id)[:80]} not found")


@dataclass(frozen=True, slots=True)
class Entities:
    """Whom a call is about, as the caller named them."""

    user: str | None = None
    agent: str | None = None
    run: str | None = None
    app: str | None = None

    @classmethod
    def of(cls, named: Mapping[str, object]) -> Entities:
        """From a mapping with mem0's names; others in it are left alone."""
        return cls(*(_id(named.get(field), field) for field in ENTITY_FIELDS))

    @classmethod
    def one(cls, entity: str, name: str) -> Entities:
        """One entity, as `entity_of` names it."""
        if entity not in ENTITIES:
            known = ", ".join(ENTITIES)
            raise InputError(f"entities are of the types {known}, not {entity!r:.40}")
        return cls.of({f"{entity}_id": name})

    def scope(self, resolve: Resolve) -> Scope:
        """The scope to read and write in. An agent that is named beside a user is a label, as its
        own memory is none of the user's."""
        if self.user:
            return resolve(user=self.user, session=self.run)
        if self.agent:
            return resolve(agent=self.agent, session=self.run)
        if self.run:
            return resolve(agent=RUN_PREFIX + self.run, session=self.run)
        raise InputError(_REQUIRED)

    def narrowing(self, home: Partition) -> list[dict[str, Any]]:
        """Filters for what was named beyond the partition. A key that is bound to a place may
        have led to another one than was named."""
        named: dict[str, Any] = {}
        if self.user and home.kind != "private":
            named["user"] = self.user
        if self.agent and (home.kind, home.id) != ("agent", self.agent):
            named[f"metadata.{LABELS}.agent_id"] = self.agent
        if self.run and (home.kind, home.id) != ("agent", RUN_PREFIX + self.run):
            named["session"] = self.run
        if self.app:
            named[f"metadata.{LABELS}.app_id"] = self.app
        return [{field: value} for field, value in named.items()]

    @property
    def labels(self) -> dict[str, str]:
        """What a record has to carry to be found again under these names."""
        given = {"agent_id": self.agent, "app_id": self.app}
        return {name: value for name, value in given.items() if value}


def _id(value: object, field: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, str) and not value.strip():
        raise InputError(f"{field} is empty; leave it out, or pass an id")
    return clean_id(value.strip() if isinstance(value, str) else value, field)


def public_id(home: Partition, record_id: str) -> str:
    """An id that says where the record is: mem0 reads and changes memories by their id alone."""
    entity, name = entity_of(home)
    return f"{entity}:{quote(name, safe='')}:{quote(record_id, safe=':')}"


def parse_public_id(id: object) -> tuple[dict[str, str], str]:
    """What to ask a scope for, and the record's id in it."""
    parts = id.split(":", 2) if isinstance(id, str) else []
    if len(parts) != 3 or not all(parts) or parts[0] not in (*ENTITIES, "group"):
        raise UnknownMemoryError(id)
    entity, name, record_id = parts[0], unquote(parts[1]), unquote(parts[2])
    if entity == "run":
        entity, name = "agent", RUN_PREFIX + name
    return {entity: name}, record_id


def entity_of(home: Partition) -> tuple[str, str]:
    """A partition as mem0 calls it: ("user", "ann")."""
    if home.kind == "agent" and home.id.startswith(RUN_PREFIX) and home.id != RUN_PREFIX:
        return "run", home.id.removeprefix(RUN_PREFIX)
    return _ENTITY_OF_PLACE.get(home.kind, home.kind), home.id
