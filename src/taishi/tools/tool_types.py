"""What a tool is: its arguments, its description in two languages, and what it may change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal[
    "text", "statement", "id", "count", "number", "time", "expiry", "texts", "flag", "object"
]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: its description (English, Chinese) and how its value is parsed."""

    name: str
    form: Form
    description: tuple[str, str]
    required: bool = False
    choices: tuple[str, ...] = ()
    old_name: str = ""  # still accepted, no longer in the schema


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: name, description (English, Chinese), arguments, and what it may change."""

    name: str
    description: tuple[str, str]
    arguments: tuple[Argument, ...]
    writes: bool = False
    is_destructive: bool = False  # may overwrite or remove what is there
    is_repeatable: bool = False  # it writes, and a second call changes nothing more
