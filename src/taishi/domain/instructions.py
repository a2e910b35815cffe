"""Selects the standing instructions that apply to a question (H8).

They outrank similarity: an instruction such as "always answer in Chinese" is never like the
question that it applies to. A fact of the category "instruction" is one; its tags say whether it
holds under a condition, and whether it was asked for everybody in a group.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..language.analyzer import terms
from ..language.token_count import estimate_tokens
from ..ports import Store
from ..types import Partition, Record, Scope
from .fact_lifecycle import INSTRUCTION, ids_in

CONDITIONAL, FOR_ALL = "conditional", "for_all"
MOST_SHOWN = 8
MOST_KEPT = 200
SHARE = 4  # of the block's room, one part in so many


def standing(store: Store, place: Partition) -> list[Record]:
    """The approved instructions of a place, newest first; found by their ids, cheaply."""
    return store.find(place, ("fact",), ("approved",), MOST_KEPT, f"{INSTRUCTION}-")


def is_instruction(record: Record) -> bool:
    return record.kind == "fact" and record.data.get("category") == INSTRUCTION


def applicable(kept: Sequence[Record], scope: Scope, query: str, tokens: int) -> list[Record]:
    """The instructions to show, within a share of the block's `tokens`.

    In a group, those of the person who asks and those for everybody. All that hold always come
    first, then the conditional ones, those first whose words the question shares.
    """
    in_group = scope.home.kind == "group"
    own = [one for one in kept if not in_group or one.user == scope.user or _has(one, FOR_ALL)]
    asked = set(terms(query))
    own.sort(key=lambda one: _rank(one, asked))
    shown: list[Record] = []
    room = tokens // SHARE
    for one in own[:MOST_SHOWN]:
        room -= estimate_tokens(one.text) + 1
        if room < 0 and shown:
            break
        shown.append(one)
    return shown


def _has(record: Record, tag: str) -> bool:
    return tag in ids_in(record, "tags")


def _rank(record: Record, asked: set[str]) -> int:
    if not _has(record, CONDITIONAL):
        return 0
    return 1 if asked & set(terms(record.text)) else 2
