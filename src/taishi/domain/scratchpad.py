"""The scratchpad of a session: what an agent is at, patched field by field, gone when idle (M3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from ..errors import InputError

MAX_ITEMS = 50
MAX_CHARS = 2000
_TEXTS = ("current_goal", "current_step")
_LISTS = ("sub_goals", "completed", "blockers")


@dataclass(frozen=True, slots=True)
class Decision:
    what: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """What an agent is doing in a session."""

    current_goal: str = ""
    sub_goals: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    current_step: str = ""
    decisions: tuple[Decision, ...] = ()
    blockers: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


EMPTY = Scratchpad()
NAMES = tuple(field.name for field in fields(Scratchpad))
Clean = Callable[[object, str], str]


def _as_given(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} must be text, not {type(value).__name__}")
    return value


def patched(pad: Scratchpad, given: Mapping[str, Any], clean: Clean = _as_given) -> Scratchpad:
    """The scratchpad with these fields in place of the old ones; None empties a field."""
    unknown = sorted(map(str, given.keys() - set(NAMES)))
    if unknown:
        raise InputError(f"a scratchpad has no field {unknown[0]!r:.40}; it has {', '.join(NAMES)}")
    return replace(pad, **{name: _field(name, value, clean) for name, value in given.items()})


def read(values: Mapping[str, Any]) -> Scratchpad:
    """From its stored form."""
    return patched(EMPTY, values)


def fields_of(pad: Scratchpad) -> dict[str, Any]:
    """As it is stored and shown: the fields that are not empty."""
    values = asdict(pad)
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value
    }


def stored(pad: Scratchpad) -> str:
    values = fields_of(pad)
    return json.dumps(values, ensure_ascii=False) if values else ""


def is_idle(last_active: float, now: float, minutes: float) -> bool:
    return now - last_active > minutes * 60


def _field(name: str, value: object, clean: Clean) -> Any:
    if name in _TEXTS:
        return "" if value is None else _short(value, name, clean)
    items = _items(value, name)
    if name in _LISTS:
        return tuple(text for item in items if (text := _short(item, name, clean)))
    return tuple(one for item in items if (one := _decision(item, clean)).what)


def _items(value: object, name: str) -> Sequence[Any]:
    if value is None:
        return ()
    items = [value] if isinstance(value, (str, Mapping, Decision)) else value
    if not isinstance(items, Sequence):
        raise InputError(f"{name} must be a list, not {type(value).__name__}")
    if len(items) > MAX_ITEMS:
        raise InputError(f"{name} has {len(items)} entries; at most {MAX_ITEMS} are kept")
    return items


def _decision(item: object, clean: Clean) -> Decision:
    if isinstance(item, str):
        return Decision(_short(item, "decisions", clean))
    if isinstance(item, Decision):
        item = asdict(item)
    if not isinstance(item, Mapping) or "what" not in item or item.keys() - {"what", "why"}:
        raise InputError('a decision is {"what": "…", "why": "…"}')
    why = item.get("why")
    return Decision(
        _short(item["what"], "decisions", clean),
        "" if why is None else _short(why, "decisions", clean),
    )


def _short(value: object, name: str, clean: Clean) -> str:
    text = " ".join(clean(value, name).split())
    if len(text) > MAX_CHARS:
        raise InputError(f"{name}: an entry has {len(text)} characters; at most {MAX_CHARS}")
    return text
