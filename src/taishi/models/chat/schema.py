"""A model's answer against the JSON schema of its tool: small harmless liberties are put right.

Enough of JSON schema for tools: type, properties, required, items, enum. Models write "3" for 3,
"Add" for "add" and one value where a list of one is meant; that is what they meant, so it is
taken. Everything else is a complaint in words that the model itself can act on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...language.text import storable

Schema = Mapping[str, Any]

MAX_COMPLAINTS = 5
LONGEST_SHOWN = 60
MAX_WRAPPINGS = 3


class MismatchError(ValueError):
    """The answer does not fit. Its words are meant for the model, too."""


def fit(value: Any, schema: Schema) -> Any:
    """The value as the schema wants it. Raises MismatchError."""
    complaints: list[str] = []
    fitted = _fit(value, schema, "", complaints)
    if complaints:
        raise MismatchError("; ".join(complaints[:MAX_COMPLAINTS]))
    return fitted


def unwrap(value: Any, name: str, schema: Schema) -> Any:
    """The arguments inside the wrappings that models put around them."""
    known = schema.get("properties", {})
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], Mapping) and _shares(value[0], known):
            return value[0]
        lists = [key for key, part in known.items() if "array" in _types(part)]
        return {lists[0]: value} if len(lists) == 1 else value
    for _ in range(MAX_WRAPPINGS):
        if not isinstance(value, Mapping) or _shares(value, known):
            break
        inner = (value.get(key) for key in (name, "arguments", "parameters", "function", "input"))
        value = next((part for part in inner if isinstance(part, Mapping)), value)
    return value


def _shares(value: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    return not known or any(key in known for key in value)


def _types(schema: Schema) -> Sequence[str]:
    kind = schema.get("type", ())
    return (kind,) if isinstance(kind, str) else tuple(kind)


def _fit(value: Any, schema: Schema, path: str, complaints: list[str]) -> Any:
    types = _types(schema)
    if value is None and "null" in types:
        return None
    fitted = value
    if "object" in types:
        fitted = _object(value, schema, path, complaints)
    elif "array" in types:
        fitted = _list(value, schema, path, complaints)
    elif types:
        try:
            fitted = _scalar(value, types)
        except ValueError:
            complaints.append(
                f"{path or 'the answer'} must be {' or '.join(types)}, not {_show(value)}"
            )
            return value
    return _chosen(fitted, schema, path, complaints) if "enum" in schema else fitted


def _object(value: Any, schema: Schema, path: str, complaints: list[str]) -> Any:
    if not isinstance(value, Mapping):
        complaints.append(f"{path or 'the answer'} must be an object, not {_show(value)}")
        return value
    known = schema.get("properties")
    if known is None:
        return dict(value)
    required = schema.get("required", ())
    fitted = {}
    for key, part in known.items():
        where = f"{path}.{key}" if path else key
        given = value.get(key)
        # Null for something that may be left out means that it is left out.
        if key in value and (given is not None or key in required or "null" in _types(part)):
            fitted[key] = _fit(given, part, where, complaints)
        elif key in required:
            complaints.append(f"{where} is missing")
    return fitted


def _list(value: Any, schema: Schema, path: str, complaints: list[str]) -> list[Any]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    part = schema.get("items", {})
    return [_fit(item, part, f"{path}[{at}]", complaints) for at, item in enumerate(items)]


def _scalar(value: Any, types: Sequence[str]) -> Any:
    """The value in the first of the types that it can be read as, exact ones first."""
    for kind in types:
        if _is(value, kind):
            return storable(value) if isinstance(value, str) else value
    for kind in types:
        try:
            return _read(value, kind)
        except (ValueError, OverflowError):
            continue
    raise ValueError


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            whole = isinstance(value, int) and not isinstance(value, bool)
            return whole or (isinstance(value, float) and math.isfinite(value))
        case _:
            return False


def _read(value: Any, kind: str) -> Any:
    if isinstance(value, str) and kind != "string":
        value = value.strip()
        if kind == "boolean" and value.lower() in ("true", "false"):
            return value.lower() == "true"
        if kind in ("integer", "number"):
            value = float(value) if not value.lstrip("+-").isdecimal() else int(value)
    if kind == "integer" and isinstance(value, float) and value == int(value):
        return int(value)
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kind in ("integer", "number") and _is(value, kind):
        return value
    raise ValueError


def _chosen(value: Any, schema: Schema, path: str, complaints: list[str]) -> Any:
    choices = schema["enum"]
    if value in choices:
        return value
    if isinstance(value, str):
        wanted = value.strip().casefold()
        for choice in choices:
            if isinstance(choice, str) and choice.casefold() == wanted:
                return choice
    names = ", ".join(map(str, choices))
    complaints.append(f"{path or 'the answer'} must be one of {names}, not {_show(value)}")
    return value


def _show(value: Any) -> str:
    if isinstance(value, str):
        shown = json.dumps(storable(value[:LONGEST_SHOWN]), ensure_ascii=False)
    else:
        shown = type(value).__name__ if isinstance(value, list | dict) else repr(value)
    return shown[: LONGEST_SHOWN + 2]
