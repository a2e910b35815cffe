"""Who is meant by a name that was given as an id: a request names a person, a command an id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import ForbiddenError, UnsupportedError
from ..types import Partition, Scope
from .context import CliContext
from .output import note, one_line

if TYPE_CHECKING:
    from ..memory import Memory

MOST = 20


def ids_called(memory: Memory, home: Partition) -> list[str]:
    """The ids of users (or groups) of the workspace that have the id of this place as their name:
    on their page, or as speakers of records. None for a key that may not look."""
    if home.kind not in ("private", "group"):
        return []
    try:
        places = [one for one in memory.partitions(home.workspace) if one.partition != home]
        found = [
            one.partition.id
            for one in places
            if one.partition.kind == home.kind and one.name.casefold() == home.id.casefold()
        ]
        if home.kind == "private":
            for one in places:
                found.extend(_speakers(memory, one.partition, home.id, found))
    except (ForbiddenError, UnsupportedError):
        return []
    return sorted(found)[:MOST]


def show_called(app: CliContext, scope: Scope, ids: Sequence[str]) -> None:
    """Each with the command that forgets it."""
    is_group = scope.home.kind == "group"
    kind = "group" if is_group else "user"
    for id in ids:
        space = scope.workspace
        where = Scope(workspace=space, group=id) if is_group else Scope(workspace=space, user=id)
        texts = {"name": one_line(scope.home.id), "id": one_line(id)}
        note(app.message(f"called_{kind}", **texts, command=app.command("forget", where)))


def _speakers(memory: Memory, place: Partition, name: str, known: list[str]) -> Iterator[str]:
    """Users who spoke there under this name, each once."""
    scope = _scope_of(place)
    seen = list(known)
    while scope is not None and len(seen) < MOST:
        fits = [{"speaker": name}, {"user": {"exists": True}}, {"user": {"nin": seen}}]
        page = memory.records.newest(scope, filters={"and": fits if seen else fits[:2]}, limit=1)
        user = page.records[0].user if page.records else None
        if not user or user in seen:
            return
        seen.append(user)
        if user != name:
            yield user


def _scope_of(place: Partition) -> Scope | None:
    if place.kind == "private":
        return Scope(workspace=place.workspace, user=place.id)
    if place.kind == "group":
        return Scope(workspace=place.workspace, group=place.id)
    return None
