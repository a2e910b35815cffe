"""What a person said in other people's turns, and the person's name in their events (O2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from ..domain.event_evidence import messages_of
from ..domain.forgotten_people import tells_as, without_person
from ..ports import Store
from ..types import Edit, Partition

Said = Callable[[Mapping[str, Any]], bool]


def spoken(store: Store, home: Partition) -> Iterator[Mapping[str, Any]]:
    """The messages of a user that events keep."""
    for event in store.erasure.naming(home.workspace, home.id, ()):
        yield from filter(_by(home.id), messages_of(event))


def edits(
    store: Store,
    home: Partition,
    names: Collection[str],
    groups: Collection[Partition],
    own: Collection[str],
    said: Said,
) -> Iterator[Edit]:
    """What changes in others' events. `own` are the ids of the person's events, which go by
    themselves; a name alone, without an id, says who spoke in `groups` only."""
    for event in store.erasure.naming(home.workspace, home.id, names):
        if event.id in own or event.place == home:
            continue
        if tells_as(event, names):
            yield Edit("remove", place=event.place, id=event.id)
            continue
        spoke = said if event.place in groups else _by(home.id)
        if new := without_person(event, spoke, names):
            yield Edit("put", new)


def _by(user: str) -> Said:
    return lambda message: message.get("speaker_id") == user
