"""For whom memory is on: the lists `memory.only_scopes` and `memory.except_scopes` (C4)."""

from __future__ import annotations

from typing import NamedTuple

from ..types import Scope
from .schema import MemorySettings

ANY = "*"


class Named(NamedTuple):
    """One entry: `group:club`. The id `*` is every one of that kind."""

    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


def scopes_in(text: str) -> tuple[Named, ...]:
    """The entries of a list that the settings have checked."""
    parts = (part.strip().partition(":") for part in text.split(",") if part.strip())
    return tuple(Named(kind.strip(), id.strip()) for kind, _, id in parts)


def is_on_for(settings: MemorySettings, scope: Scope) -> bool:
    """Whether memory works in this scope. What is in both lists is left out."""
    if not settings.enabled:
        return False
    if not settings.only_scopes and not settings.except_scopes:
        return True
    only = scopes_in(settings.only_scopes)
    if only and not any(_is_home(named, scope) for named in only):
        return False
    return not any(_is_part(named, scope) for named in scopes_in(settings.except_scopes))


def _is_home(named: Named, scope: Scope) -> bool:
    """Where the scope's memories live. A user's home is the private chat, not the groups."""
    if named.kind == "workspace":
        return named.id in (ANY, scope.workspace)
    home = scope.home
    kind = "user" if home.kind == "private" else home.kind
    return named.kind == kind and named.id in (ANY, home.id)


def _is_part(named: Named, scope: Scope) -> bool:
    """Also who speaks there: a user who is left out is left out in groups, too."""
    if named.kind == "user" and scope.user:
        return named.id in (ANY, scope.user)
    return _is_home(named, scope)
