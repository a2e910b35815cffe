"""Who is speaking: the memory, the scope and the name that an adapter is given, checked when it is
made and not at its first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import InputError, ScopeError
from ..types import Scope

# From the framework's own context to who is speaking, where one agent serves many people.
ScopeOf = Scope | Callable[[Any], Scope]
NameOf = str | Callable[[Any], str | None] | None
_EXAMPLE = "such as Scope(user='ann')"


def checked_scope(scope: object) -> Scope:
    if not isinstance(scope, Scope):
        raise InputError(f"scope must be a Scope, {_EXAMPLE}, not {type(scope).__name__}")
    return scope


def checked_scope_of(scope: object, context: str = "the run's context") -> Any:
    """A `Scope`, or a function that returns one for a run."""
    if isinstance(scope, Scope) or callable(scope):
        return scope
    raise InputError(
        f"scope must be a Scope, {_EXAMPLE}, or a function from {context} to one, not "
        f"{type(scope).__name__}"
    )


def checked_name_of(name: object, context: str = "the run's context") -> Any:
    if name is None or isinstance(name, str) or callable(name):
        return name
    raise InputError(
        f"sender_name must be a text, or a function from {context} to one, not "
        f"{type(name).__name__}"
    )


def scope_for(scope: ScopeOf, context: Any) -> Scope:
    """Whom a run belongs to. Nobody is no answer: another's memory would be next."""
    found = scope if isinstance(scope, Scope) else scope(context)
    if not isinstance(found, Scope):
        raise ScopeError(
            f"who is speaking? the function for scope returned {type(found).__name__}; return a "
            f"Scope, {_EXAMPLE}"
        )
    return found


def name_for(name: NameOf, context: Any) -> str | None:
    """How the person is called in what is remembered; None: by the id."""
    found = name(context) if callable(name) else name
    if not isinstance(found, (str, type(None))):
        raise InputError(f"sender_name must be a text, not {type(found).__name__}")
    return (found or "").strip() or None
