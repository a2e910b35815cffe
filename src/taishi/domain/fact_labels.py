"""What callers keep beside a fact: it stays with the fact through a correction, and may be changed
without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..types import Record

TAGS = "tags"  # anybody's, and never lost by leaving them out
# What the engine keeps of a fact: what it states, what it rests on, what became of it.
OF_FACTS = frozenset(
    """about_user by_self category conflict_with copied_from corrections decided_at decided_by
    earlier evidence_count expires first_observed imported_from last_confirmed promoted quotes
    recorded_by rejected_at rejected_by related renewals restated retained_turn shared sources
    subject superseded_by supersedes type valid_from valid_to visited_sessions""".split()
)


def labels_of(fact: Record) -> dict[str, Any]:
    """A caller's own metadata; tags are not among them."""
    own = OF_FACTS | {TAGS}
    return {name: value for name, value in fact.data.items() if name not in own}


def relabelled(held: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A fact's data with other metadata. InputError for a name of the engine's with another value:
    what it holds may be given back."""
    for name, value in given.items():
        if name in OF_FACTS and (name not in held or held[name] != value):
            raise InputError(
                f"metadata of a fact may not be named {name!r}, where Taishi keeps its own: name "
                "it otherwise"
            )
    kept = {name: value for name, value in held.items() if name in OF_FACTS or name == TAGS}
    return {**kept, **given}
