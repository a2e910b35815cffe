"""What a search shows of a session's events, each thing once and with what became of it.

An event of ADK is kept word for word, as a note. The historian's event and facts of the same words
are records of their own; corrections are kept with the historian's event.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..language.analyzer import terms
from ..language.clauses import clauses
from ..language.statements import statements
from ..language.text import one_line
from ..memory import Memory
from ..types import Hit, Record, Scope

USER = "user"  # how ADK calls the author of what a person wrote
TURNS = ("turn", "event")
MOST_CORRECTED = 200  # the latest events that were corrected
IS_CORRECTED = {"metadata.corrections": {"exists": True}}
_YOU = re.compile(r"\byou(?:rs?|['’]re)?\b|[你您](?:的|['’]s\b)?", re.IGNORECASE)
_TURN_NUMBER = r"(?:\.[0-9a-f]{32})?:\d+"  # of a turn's id, after the request's


def shown(memory: Memory, scope: Scope, hits: Sequence[Hit], name: str) -> list[Hit]:
    """The hits without a person's questions, without what another hit says already, and with
    "(since corrected: …)" behind words that hold no longer. `name` is what the person is called."""
    kept = [hit for hit in hits if not _only_asks(hit)]
    ids = {hit.id for hit in kept}
    kept = [hit for hit in kept if not _is_told_by(hit, ids)]
    said = {_plain(hit.text) for hit in hits if hit.kind != "profile"}
    kept = [one for hit in kept if (one := _without_lines(hit, said)) is not None]
    if not any(hit.kind == "note" for hit in kept):
        return kept
    corrected = memory.records.newest(
        scope, ("event",), limit=MOST_CORRECTED, filters=IS_CORRECTED, order_by="updated"
    )
    return [_marked(memory, scope, hit, corrected.records, name) for hit in kept]


def event_of(turn: Hit) -> str:
    """The event of ADK that a turn came from: the message that it cites."""
    return turn.source or turn.id


def _only_asks(hit: Hit) -> bool:
    return hit.kind == "note" and hit.speaker == USER and not statements(hit.text)


def _is_told_by(hit: Hit, shown_ids: Collection[str]) -> bool:
    """Whether the event of ADK that a turn, event or fact came from is a hit itself."""
    if hit.kind in TURNS:
        return event_of(hit) in shown_ids and event_of(hit) != hit.id
    sources = hit.metadata.get("sources") if hit.kind == "fact" else None
    told = [str(one) for one in sources] if isinstance(sources, (list, tuple)) else []
    return bool(told) and all(any(_is_turn_of(one, id) for id in shown_ids) for one in told)


def _is_turn_of(turn_id: str, request_id: str) -> bool:
    return re.fullmatch(re.escape(request_id) + _TURN_NUMBER, turn_id, re.ASCII) is not None


def _without_lines(hit: Hit, said: Collection[str]) -> Hit | None:
    """A page without the lines that were found by themselves; None if that is all of it."""
    if hit.kind != "profile":
        return hit
    lines = [line for line in hit.text.splitlines() if _plain(line) not in said]
    text = "\n".join(lines).strip()
    return replace(hit, text=text, passage=None) if text else None


def _plain(line: str) -> str:
    return one_line(line).lstrip("-*• ").rstrip(".。 ").casefold()


def _marked(memory: Memory, scope: Scope, hit: Hit, corrected: Sequence[Record], name: str) -> Hit:
    """What a user said is marked if its own event was corrected; what an agent said, if it says
    the same."""
    if hit.kind != "note":
        return hit
    is_users = hit.speaker == USER
    about = [
        one
        for one in corrected
        if one.source == hit.id or (not is_users and _repeats(hit.text, one, name))
    ]
    marks = dict.fromkeys(mark for event in about if (mark := _mark_of(memory, scope, event)))
    return replace(hit, text=hit.text + "".join(marks)) if marks else hit


def _repeats(text: str, event: Record, name: str) -> bool:
    """Whether a clause of a text says what was corrected and no more, whoever it calls by name or
    by "you"; "you no longer live in Cork" and "you left Cork" do not."""
    told = [(_words(clause.text, name), bool(clause.denied)) for clause in clauses(text)]
    return any(
        bool(words := _words(said, name)) and (words, _denies(said)) in told
        for one in _corrections(event)
        if (said := str(one.get("said") or ""))
    )


def _words(text: str, name: str) -> frozenset[str]:
    return frozenset(terms(_YOU.sub(" ", text.replace(name, "你"))))


def _denies(text: str) -> bool:
    return any(clause.denied for clause in clauses(text))


def _corrections(event: Record) -> Iterator[Mapping[str, Any]]:
    listed = event.data.get("corrections")
    return (one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, Mapping))


def _mark_of(memory: Memory, scope: Scope, event: Record) -> str:
    """What an event is shown with behind its own words."""
    told = memory.get(scope, event.id)
    return told.text.removeprefix(event.text) if told is not None else ""
