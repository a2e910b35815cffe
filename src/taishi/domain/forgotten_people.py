"""The name of a forgotten person in events of other people: who took part, who spoke around it.

Names within what other people said are their words, and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from ..language.text import one_line
from ..types import Record
from .event_evidence import messages_of, without_messages

CONTEXT, PARTICIPANTS, PERSPECTIVE = "context", "participants", "perspective"
Said = Callable[[Mapping[str, Any]], bool]


def without_person(event: Record, said: Said, names: Collection[str]) -> Record | None:
    """The event without these messages and without the names of who said them; None if it has
    none of it. A name that somebody else has in the same turn is theirs, and stays."""
    left = without_messages(event, said, silent=True)
    spoken = {str(one.get("speaker") or "") for one in messages_of(event) if said(one)}
    gone = _plain((*names, *spoken)) - _plain(_others(event, said))
    context = event.data.get(CONTEXT)
    people = _participants(event)
    kept = [one for one in people if one_line(one) not in gone]
    if kept == people or not isinstance(context, Mapping):
        return left
    changed = left or event
    return replace(changed, data={**changed.data, CONTEXT: {**context, PARTICIPANTS: kept}})


def tells_as(event: Record, names: Collection[str]) -> bool:
    """Whether an event is told as it was for the bearer of one of these names."""
    whose = event.data.get(PERSPECTIVE)
    return isinstance(whose, str) and whose != event.speaker and one_line(whose) in _plain(names)


def names_in(event: Record, user: str, names: Collection[str]) -> set[str]:
    """The names under which an event of somebody else still lists a user."""
    spoken = {str(one.get("speaker") or user) for one in messages_of(event) if _is_by(one, user)}
    others = _plain(_others(event, lambda one: _is_by(one, user)))
    listed = {one for one in _participants(event) if one_line(one) in _plain(names) - others}
    return spoken | listed | ({str(event.data[PERSPECTIVE])} if tells_as(event, names) else set())


def _others(event: Record, said: Said) -> list[str]:
    """Everybody else in the turn."""
    spoken = [str(one.get("speaker") or "") for one in messages_of(event) if not said(one)]
    return [*spoken, event.speaker or ""]


def _is_by(message: Mapping[str, Any], user: str) -> bool:
    return message.get("speaker_id") == user


def _participants(event: Record) -> list[str]:
    context = event.data.get(CONTEXT)
    people = context.get(PARTICIPANTS) if isinstance(context, Mapping) else None
    return [one for one in people if isinstance(one, str)] if isinstance(people, list) else []


def _plain(names: Collection[str]) -> frozenset[str]:
    return frozenset(map(one_line, names)) - {""}
