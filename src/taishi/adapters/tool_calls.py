"""A model's call of one of `taishi.tools`, for frameworks with tools of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InputError
from ..memory import Memory
from ..tools import CATALOGUE, Answer, call
from ..tools.messages import message
from ..tools.tool_types import Form
from ..types import Scope
from .quiet_calls import log

# For frameworks that describe a tool's arguments by Python's types.
TYPES: dict[Form, Any] = {
    "text": str,
    "statement": str,
    "id": str,
    "time": str,
    "expiry": str,
    "count": int,
    "number": int,
    "texts": list[str],
    "flag": bool,
    "object": dict[str, Any],
}


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names of tools; one that is not known is an error at once, not at the model's first call."""
    given = (names,) if isinstance(names, str) else tuple(names)
    unknown = [name for name in given if name not in CATALOGUE]
    if unknown:
        raise InputError(f"there is no tool {unknown[0]!r:.40}; use some of {', '.join(CATALOGUE)}")
    return given


def call_tool(
    memory: Memory, scope: Scope, name: str, arguments: Mapping[str, Any], language: str
) -> Answer:
    """What to tell the model. A memory that cannot answer says so and raises nothing."""
    try:
        return call(memory, name, dict(arguments), scope, names=[name])
    except Exception as error:
        log.warning("the tool %s failed: %s", name, type(error).__name__)
        return Answer(message(language, "trouble"), False)
