"""Trust levels: how far a record is trusted follows from how it came in, never from its own claims.

A `person` writes through a person's door: the command line, a page, a key with that right, a verb
with `actor="person"`. A `host` is the program that holds the memory. A `model` writes through its
tools, or with a key that has no person's right: it is trusted less, and what it says of its own
standing in metadata is refused (`metadata_checks`).
"""

from __future__ import annotations

from dataclasses import replace

from ..errors import AuthorityError, RefusedError
from ..types import Record
from .actors import ACTORS as ACTORS
from .actors import Actor as Actor
from .actors import checked as checked
from .fact_lifecycle import INSTRUCTION, SHARED, having

RECORDED_BY = "recorded_by"
MODEL_MOST = 0.6  # a person's word is 1.0, what a person says in a chat 0.7 and more
_RANKS = {"model": 0, "person": 2}
# What a model may keep by itself; events, summaries and pages are made from what was said.
MODEL_KINDS = ("fact", "note", "chunk", "observation", "short_term")

_DECIDED = (
    "a person decided this; only a person may change or forget it (`taishi facts`, a page, a key "
    "created with `--as-person`)"
)
_OF_SHARED = (
    "this was proposed to shared memory: who proposed it, or a coordinator, takes it back there "
    "(`taishi shared reject`, memory.shared)"
)


def rank(record: Record) -> int:
    """Trust, lowest first: a model, a chat message or the host, a person's own decision."""
    return _RANKS.get(str(record.data.get(RECORDED_BY) or ""), 1)


def is_models_own(record: Record) -> bool:
    """Whether only a model, and no person, stands behind a record."""
    return rank(record) == _RANKS["model"]


def is_persons(record: Record) -> bool:
    return rank(record) == _RANKS["person"]


def signed(record: Record, actor: Actor) -> Record:
    """The record with its actual author; what it claimed about that is dropped."""
    data = {key: value for key, value in record.data.items() if key != RECORDED_BY}
    if actor != "host":
        data[RECORDED_BY] = actor
    return replace(record, data=data)


def let_in(record: Record, actor: Actor) -> Record:
    """The record as this caller may store it; RefusedError if not at all."""
    if actor == "model":
        if record.kind not in MODEL_KINDS:
            raise AuthorityError(
                f"a model may not write {record.kind} records; use one of "
                f"{', '.join(MODEL_KINDS)}, or a key created with `--as-person`"
            )
        if record.place.kind == "workspace":
            raise AuthorityError(
                "shared entries are proposed first, and a coordinator approves them; use "
                "memory.shared.propose, the tool propose_shared, or a key created with "
                "`--as-person`"
            )
        if record.id.startswith(f"{INSTRUCTION}-"):
            raise AuthorityError(
                "ids of standing instructions are made from what people ask for; leave the id out"
            )
        record = replace(record, confidence=min(record.confidence, MODEL_MOST))
    return signed(record, actor)


def check_overwrite(stored: Record | None, actor: Actor) -> None:
    """An existing id may only be overwritten by a caller who may change that record."""
    if stored is None:
        return
    if _is_above(stored, actor):
        raise AuthorityError(
            "a model may not change this record; a person can, or leave the id out"
        )


def check_update(stored: Record, actor: Actor) -> None:
    """The same for a caller who asks to change that record, and says no other way out of it."""
    if not _is_above(stored, actor):
        return
    if stored.kind == "event":
        raise AuthorityError(
            "an event stays as it was said: correct the fact that was learned from it, or delete "
            "the event; only a person may change it (a page, a key created with `--as-person`)"
        )
    raise AuthorityError(
        "this was not written by a model, so a model may not change it; a person may (a page, a "
        "key created with `--as-person`)"
    )


def _is_above(stored: Record, actor: Actor) -> bool:
    """Whether a record is of somebody whom this caller may not overrule; RefusedError for what is
    changed in another way."""
    if actor == "person":
        return False
    if actor == "model" and SHARED in stored.data:
        raise AuthorityError(_OF_SHARED)
    if stored.state == "rejected":
        raise RefusedError(
            "a person rejected this record; to take that back, approve it "
            "(`taishi facts approve`, approve_fact)",
            "rejected",
        )
    return rank(stored) > _RANKS["model"] and actor == "model"


def check_person(actor: str) -> None:
    """For what only a person decides: approving a fact, editing a page."""
    if checked(actor) == "model":
        raise AuthorityError(
            "only a person may decide this: on the command line, on a page, or with a key "
            "created with `taishi keys create --as-person`"
        )


def check_decision(fact: Record, actor: Actor) -> None:
    """A model may correct what was learned, not what a person decided."""
    if actor != "model":
        return
    if fact.state == "rejected" or is_persons(fact):
        raise AuthorityError(_DECIDED)


def check_forget(record: Record | None, actor: str) -> None:
    """A model may not remove what a person decided, no more than change it: a tombstone would
    protect nothing. Nor a shared entry."""
    if record is None or actor != "model":
        return
    check_decision(record, "model")
    if SHARED in record.data:
        raise AuthorityError(_OF_SHARED)


def may_forget(record: Record, actor: str) -> bool:
    try:
        check_forget(record, actor)
    except AuthorityError:
        return False
    return True


def of_model(record: Record) -> Record:
    """The fact with only a model, and no person, behind it."""
    capped = replace(record, confidence=min(record.confidence, MODEL_MOST))
    return having(capped, **{RECORDED_BY: "model", "by_self": False})
