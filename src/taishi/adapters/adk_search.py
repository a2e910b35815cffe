"""What a search shows of a session's events, each thing once and with what became of it.

An event of ADK is kept word for word, as a note. The historian's event and facts of the same words
are records of their own; corrections are kept with the historian's event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..domain import corrections
from ..domain.text_identity import normal
from ..domain.turn_ids import request_of
from ..language.analyzer import has_cjk, terms
from ..language.statements import statements
from ..memory import Memory
from ..types import Hit, Record, Scope

USER = "user"  # how ADK calls the author of what a person wrote
TURNS = ("turn", "event")
MOST_CORRECTED = 200  # the latest events that were corrected
IS_CORRECTED = {f"metadata.{corrections.CORRECTIONS}": {"exists": True}}


def shown(memory: Memory, scope: Scope, hits: Sequence[Hit], name: str) -> list[Hit]:
    """The hits without a person's questions, without what another hit says already, and with
    "(since corrected: …)" behind words that hold no longer. `name` is what the person is called."""
    kept = [hit for hit in hits if not _only_asks(hit)]
    kept = [hit for hit in kept if not _is_told_by(hit, {one.id for one in kept})]
    said = {normal(hit.text) for hit in hits if hit.kind != "profile"}
    kept = [one for hit in kept if (one := _without_lines(hit, said)) is not None]
    if not any(hit.kind == "note" for hit in kept):
        return kept
    corrected = memory.records.newest(
        scope, ("event",), limit=MOST_CORRECTED, filters=IS_CORRECTED, order_by="updated"
    )
    return [_marked(hit, corrected.records, name) for hit in kept]


def _only_asks(hit: Hit) -> bool:
    return hit.kind == "note" and hit.speaker == USER and not statements(hit.text)


def event_of(turn: Hit) -> str:
    """The event of ADK that a turn came from: the message that it cites."""
    return turn.source or turn.id


def _is_told_by(hit: Hit, shown_ids: set[str]) -> bool:
    """Whether the event of ADK that a turn, event or fact came from is a hit itself."""
    if hit.kind in TURNS:
        return event_of(hit) in shown_ids and event_of(hit) != hit.id
    if hit.kind != "fact":
        return False
    told = [request_of(str(id)) for id in hit.metadata.get("sources") or ()]
    return bool(told) and all(id in shown_ids for id in told)


def _without_lines(hit: Hit, said: set[str]) -> Hit | None:
    """A page without the lines that were found by themselves; None if that is all of it."""
    if hit.kind != "profile":
        return hit
    lines = [line for line in hit.text.splitlines() if normal(line.lstrip(" -*•")) not in said]
    text = "\n".join(lines).strip()
    return replace(hit, text=text, passage=None) if text else None


def _marked(hit: Hit, corrected: Sequence[Record], name: str) -> Hit:
    if hit.kind != "note":
        return hit
    words = set(terms(hit.text))
    found: list[Mapping[str, Any]] = []
    for event in corrected:
        of_it = corrections.corrections_of(event.data)
        found += of_it if event.source == hit.id else _said_in(words, of_it, name)
    mark = corrections.note({corrections.CORRECTIONS: found}, has_cjk(hit.text))
    return replace(hit, text=hit.text + mark) if mark else hit


def _said_in(
    words: set[str], of_event: Sequence[Mapping[str, str]], name: str
) -> Iterator[Mapping[str, str]]:
    """The corrections of what these words say, too, whoever they call by name or by "you"."""
    for one in of_event:
        about = set(terms(one["said"].replace(name, " ")))
        if about and about <= words:
            yield one
