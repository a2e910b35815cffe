"""The versions of a fact: what it replaced, by correction or because it had changed."""

from __future__ import annotations

from collections.abc import Iterable

from ..types import Record
from .fact_lifecycle import ids_in

REPLACED = ("superseded", "rejected")


def earlier_versions(record: Record, known: Iterable[Record]) -> list[Record]:
    """The facts that were replaced until this one held, the newest first."""
    replaced = [one for one in known if one.kind == "fact" and one.state in REPLACED]
    found = {record.id: record}
    waiting = [record]
    while waiting:
        newer = waiting.pop(0)
        before = ids_in(newer, "supersedes")
        for one in replaced:
            is_before = one.data.get("superseded_by") == newer.id or one.id in before
            if is_before and one.id not in found:
                found[one.id] = one
                waiting.append(one)
    return list(found.values())[1:]
