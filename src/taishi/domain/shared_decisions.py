"""What a proposal or a decision does to the entries of shared memory (F5), as edits of one
transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import InputError
from ..types import Edit, Record
from .authority import MODEL_MOST
from .fact_lifecycle import SHARED, confirmed, having, ids_in, iso, superseded
from .shared_memory import (
    AUDIT,
    COMPATIBLE,
    OPEN,
    Act,
    Did,
    audit_rows,
    has_acted,
    says_the_same,
    shared_part,
    was_approved,
)

Opposes = Callable[[Record, Record], bool]

# -- proposing -----------------------------------------------------------------------------------


def proposal(new: Record, known: Sequence[Record], act: Act, opposes: Opposes) -> list[Edit]:
    """What a new entry does to the others; the entry itself, or the one that says it already, comes
    first. `known` are the entries of the workspace."""
    mine = next((one for one in known if one.id == new.id), None)
    if mine is not None and mine.state in OPEN and mine.text == new.text:
        return [Edit("put", mine)]
    others = [one for one in known if one.id != new.id and one.state in OPEN]
    twin = next((one for one in others if says_the_same(new, one)), None)
    if twin is not None:
        return [Edit("put", _supported(twin, act))]
    if mine is not None:
        new = _renewed(mine, new, act)
    return _entered(new, [one for one in others if opposes(new, one)], act)


def _entered(new: Record, rivals: Sequence[Record], act: Act) -> list[Edit]:
    if not rivals:
        return [Edit("put", new)]
    new = having(act.on(new, "conflict", "conflict"), conflict_with=[one.id for one in rivals])
    return [Edit("put", new), *(Edit("put", _opposed(one, new.id)) for one in rivals)]


def _supported(twin: Record, act: Act) -> Record:
    """Another writer says the same; one who says it twice is counted once."""
    writer = act.writer
    if has_acted(twin, writer):
        return twin
    most = MODEL_MOST if writer.actor == "model" else 1.0
    grown = having(confirmed(twin, "", act.now, "", act.zone), sources=ids_in(twin, "sources"))
    surer = max(twin.confidence, min(grown.confidence, most))
    return act.on(replace(grown, confidence=surer), "supported")


def _renewed(old: Record, new: Record, act: Act) -> Record:
    """Its creator brings back what was rejected or replaced, or has new steps for it."""
    shared: dict[str, Any] = {**shared_part(new), AUDIT: list(audit_rows(old))}
    return act.on(having(new, **{SHARED: shared}), "proposed")


def _opposed(record: Record, by: str) -> Record:
    rivals = dict.fromkeys([*ids_in(record, "conflict_with"), by])
    return having(record, conflict_with=list(rivals))


# -- deciding ------------------------------------------------------------------------------------


def approval(record: Record, known: Mapping[str, Record], act: Act) -> list[Edit]:
    """A coordinator says that an entry holds. Its edit comes first.

    Against an approved entry that it contradicts, the newest and most confident one wins. If these
    are not the same one, both stay as they are, for `resolution`. What it was proposed to replace
    goes, however confident that was.
    """
    replaced = _those(record, "supersedes", known, ("approved",))
    rivals = _those(record, "conflict_with", known, ("approved",))
    rivals = [one for one in rivals if one not in replaced]
    winners = [stronger(record, one) for one in rivals]
    if any(winner is None for winner in winners):
        return [Edit("put", act.on(record, "conflict", "conflict"))]
    lost_to = next((rival for rival in rivals if stronger(record, rival) is rival), None)
    if lost_to is not None:
        return [Edit("put", _ended(record, lost_to.id, act))]
    gone = {one.id for one in (*replaced, *rivals)}
    waiting = [id for id in ids_in(record, "conflict_with") if id not in gone]
    approved = having(_approved(record, act), conflict_with=waiting)
    ended = [_ended(one, record.id, act) for one in (*replaced, *rivals)]
    return [Edit("put", one) for one in (approved, *ended)]


def stronger(one: Record, other: Record) -> Record | None:
    """The newest and most confident of two; None if these are not the same one."""
    newer = _sign((one.time or 0.0) - (other.time or 0.0))
    surer = _sign(round(one.confidence - other.confidence, 6))
    if newer + surer == 0:
        return None
    return one if newer + surer > 0 else other


def rejection(record: Record, act: Act) -> list[Edit]:
    """It does not hold, and the same statement is not taken in again (P5)."""
    gone = having(record, conflict_with=[], rejected_at=iso(act.now, act.zone))
    return [Edit("put", act.on(gone, "rejected", "rejected"))]


def succession(
    old: Record, new: Record, known: Sequence[Record], act: Act, opposes: Opposes
) -> list[Edit]:
    """Other words take the place of an entry; the new one's edit comes first.

    A coordinator's are approved at once. Its creator's wait for approval: until then an approved
    entry stays, and one that was never approved goes.
    """
    new = having(new, supersedes=[old.id], related=[old.id])
    if act.writer.decides:
        return [Edit("put", one) for one in (_approved(new, act), _ended(old, new.id, act))]
    others = [one for one in known if one.id not in (old.id, new.id) and one.state in OPEN]
    edits = _entered(new, [one for one in others if opposes(new, one)], act)
    return edits if old.state == "approved" else [*edits, Edit("put", _ended(old, new.id, act))]


def resolution(kept: Record, dropped: Record, act: Act) -> list[Edit]:
    """A coordinator settles a conflict: one holds, the other does not."""
    _check_two(kept, dropped)
    winner = _approved(_without_rival(kept, dropped.id), act, "resolved")
    return [Edit("put", winner), Edit("put", _ended(dropped, kept.id, act, "resolved"))]


def reconciliation(one: Record, other: Record, act: Act) -> list[Edit]:
    """A coordinator says that two entries do not contradict each other: both hold."""
    _check_two(one, other)
    pairs = ((one, other), (other, one))
    return [
        Edit("put", _approved(_compatible(_without_rival(a, b.id), b.id), act, "resolved"))
        for a, b in pairs
    ]


def conflicts(entries: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Pairs that contradict each other, each once, the older first: until a coordinator settles
    it, or one of them is no longer open."""
    by_id = {one.id: one for one in entries if one.state in OPEN}
    pairs: dict[frozenset[str], tuple[Record, Record]] = {}
    for one in by_id.values():
        for id in ids_in(one, "conflict_with"):
            other = by_id.get(id)
            if other is not None and other is not one:
                older, newer = sorted((one, other), key=lambda r: (r.time or 0.0, r.id))
                pairs.setdefault(frozenset((one.id, id)), (older, newer))
    return sorted(pairs.values(), key=lambda pair: (pair[1].time or 0.0, pair[1].id))


def _approved(record: Record, act: Act, did: Did = "approved") -> Record:
    shared = {
        **shared_part(record),
        "approved_at": iso(act.now, act.zone),
        "approved_by": act.writer.name,
    }
    open_again = having(
        record, rejected_at=None, superseded_by=None, valid_to=None, **{SHARED: shared}
    )
    return act.on(replace(open_again, until=None), did, "approved")


def _ended(old: Record, by: str, act: Act, did: Did = "superseded") -> Record:
    """As history if it was approved once; else it is as if it had been rejected."""
    if was_approved(old):
        return act.on(superseded(old, by, act.now, act.zone), did)
    gone = having(old, conflict_with=[], superseded_by=by, rejected_at=iso(act.now, act.zone))
    return act.on(gone, did, "rejected")


def _those(
    record: Record, key: str, known: Mapping[str, Record], states: Sequence[str]
) -> list[Record]:
    found = (known.get(id) for id in ids_in(record, key))
    return [one for one in found if one is not None and one.state in states]


def _without_rival(record: Record, id: str) -> Record:
    left = [one for one in ids_in(record, "conflict_with") if one != id]
    return having(record, conflict_with=left)


def _compatible(record: Record, id: str) -> Record:
    return having(record, **{COMPATIBLE: list(dict.fromkeys([*ids_in(record, COMPATIBLE), id]))})


def _check_two(one: Record, other: Record) -> None:
    if one.id == other.id:
        raise InputError("a conflict is between two entries; name the one to keep and the other")


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
