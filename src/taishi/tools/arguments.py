"""Parses tool arguments as models write them.

What cannot be used raises an InputError with a sentence that a model can act on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any

from ..context_block.block import sanitize_id, sanitize_line
from ..errors import InputError, TimeError
from ..language.analyzer import has_cjk
from ..language.json_repair import parse_json
from ..language.text import well_formed
from ..times import to_epoch
from ..types import clean_id
from .definitions import MAX_TOP_K, Argument, Tool
from .messages import message
from .suggestions import meant

MAX_CHARS = 4_000_000
SHOWN_CHARS = 40
ID_CHARS = 80
SAMPLE_CHARS = 2000
_COUNT = re.compile(r"\d{1,9}")
_BARE_NUMBER = re.compile(r"[+-]?\d[\d.,]{0,60}")
_EPOCH = re.compile(r"-?\d{9,12}(?:\.\d{1,9})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_FLAGS = {
    "true": True,
    "yes": True,
    "1": True,
    "是": True,
    "false": False,
    "no": False,
    "0": False,
    "否": False,
}
NEVER = "never"
_SCALARS = (str, int, float, type(None))


def text_sample(arguments: object) -> str:
    """Some text of the arguments, to detect their language. Of a list it is what most items are
    written in: one Chinese note among three does not make the others Chinese."""
    if isinstance(arguments, str):
        return arguments[:SAMPLE_CHARS]
    values = list(arguments.values()) if isinstance(arguments, Mapping) else arguments
    items = values[:20] if isinstance(values, (list, tuple)) else ()
    inner = [
        one for item in items if isinstance(item, (list, tuple)) for one in _of_most(item[:20])
    ]
    return " ".join(item[:SAMPLE_CHARS] for item in (*items, *inner) if isinstance(item, str))


def _of_most(items: Sequence[object]) -> list[object]:
    """Without the texts in the language of the fewer; without the English ones if as many."""
    texts = [one[:SAMPLE_CHARS] for one in items if isinstance(one, str)]
    is_chinese = sum(map(has_cjk, texts)) * 2 >= len(texts)
    return [
        one
        for one in items
        if not isinstance(one, str) or has_cjk(one[:SAMPLE_CHARS]) == is_chinese
    ]


def printable(value: object) -> str:
    """A value for an error message: short, on one line, without control characters."""
    if isinstance(value, str):
        text = sanitize_line(well_formed(value[:SHOWN_CHARS]))
        return f'"{text}{"…" if len(value) > SHOWN_CHARS else ""}"'
    if value is None or isinstance(value, (bool, float)):
        return str(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else "a very large number"
    return "an object" if isinstance(value, Mapping) else "a list"


def printable_id(id: str) -> str:
    """An id for a message: as it can be passed back."""
    text = sanitize_id(well_formed(id[:ID_CHARS]))
    return f'"{text}{"…" if len(id) > ID_CHARS else ""}"'


@dataclass(frozen=True, slots=True)
class ArgumentReader:
    """Reads the arguments of one tool. A time without a zone is in `zone`."""

    tool: Tool
    language: str
    zone: tzinfo = UTC

    def read(self, arguments: object) -> dict[str, Any]:
        """The values by name, without arguments that are missing or empty."""
        names = {argument.name: argument for argument in self.tool.arguments}
        old_names = {
            argument.old_name: argument.name
            for argument in self.tool.arguments
            if argument.old_name
        }
        raw: dict[str, Any] = {}
        for key, value in self._named(arguments).items():
            name = old_names.get(key, key)
            if name not in names:
                raise self._error(
                    "unknown_argument",
                    name=printable(key),
                    all=", ".join(names),
                    meant=meant(str(key), list(names), self.language),
                )
            if name == key or not raw.get(name):
                raw[name] = value
        values = {name: self._value(names[name], value) for name, value in raw.items()}
        for argument in self.tool.arguments:
            if argument.required and values.get(argument.name) is None:
                description = argument.description[self.language == "zh"]
                raise self._error("missing", name=argument.name, description=description)
        return {name: value for name, value in values.items() if value is not None}

    def _error(self, key: str, **values: object) -> InputError:
        return InputError(message(self.language, key, **{"tool": self.tool.name, **values}))

    def _named(self, arguments: object) -> dict[str, Any]:
        value = self._parsed(arguments) if isinstance(arguments, str) else arguments
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return dict(value)
        if isinstance(value, (list, tuple)) and (merged := self._from_list(value)) is not None:
            return merged
        raise self._not_json()

    def _parsed(self, text: str) -> Any:
        if not text.strip():
            return None
        if len(text) > MAX_CHARS:
            raise self._not_json()
        try:
            return parse_json(text)
        except ValueError:
            raise self._not_json() from None

    def _from_list(self, items: Sequence[Any]) -> dict[str, Any] | None:
        """Merge objects, read pairs as items, and match plain values by position."""
        if all(isinstance(item, Mapping) for item in items):
            return {key: value for item in items for key, value in item.items()}
        if all(_is_pair(item) for item in items):
            return dict(items)
        names = [argument.name for argument in self.tool.arguments]
        if len(items) <= len(names) and all(isinstance(item, _SCALARS) for item in items):
            return dict(zip(names, items, strict=False))
        return None

    def _not_json(self) -> InputError:
        return self._error(
            "not_json", all=", ".join(argument.name for argument in self.tool.arguments)
        )

    def _value(self, argument: Argument, value: Any) -> Any:
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        read: Callable[[Argument, Any], Any] = getattr(self, f"_{argument.form}")
        return read(argument, value)

    def _wrong_type(self, argument: Argument, value: Any, **values: object) -> InputError:
        form = "time" if argument.form == "expiry" else argument.form
        key = f"must_be_{form}"
        return self._error(key, name=argument.name, value=printable(value), **values)

    def _text(self, argument: Argument, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self._wrong_type(argument, value)
        text = value if isinstance(value, str) else printable(value)
        if not argument.choices:
            return text
        choice = text.strip().lower()
        if choice not in argument.choices:
            raise self._error(
                "must_be_one_of",
                name=argument.name,
                value=printable(value),
                choices=", ".join(argument.choices),
            )
        return choice

    def _statement(self, argument: Argument, value: Any) -> str:
        """What is to be kept: a number says nothing, and is a mistake of the caller's."""
        if not isinstance(value, str):
            raise self._wrong_type(argument, value)
        if _BARE_NUMBER.fullmatch(value.strip()):
            raise self._error(
                "must_be_more_than_a_number", name=argument.name, value=printable(value)
            )
        return value

    def _id(self, argument: Argument, value: Any) -> str | None:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        is_integer = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**250
        if not isinstance(value, str) and not is_integer:
            raise self._wrong_type(argument, value)
        return clean_id(value, argument.name)

    def _count(self, argument: Argument, value: Any) -> int:
        if isinstance(value, str) and _COUNT.fullmatch(value.strip()):
            value = int(value)
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self._wrong_type(argument, value, most=MAX_TOP_K)
        return min(value, MAX_TOP_K)

    def _number(self, argument: Argument, value: Any) -> int:
        if isinstance(value, str) and _COUNT.fullmatch(value.strip()):
            value = int(value)
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._wrong_type(argument, value)
        return value

    def _time(self, argument: Argument, value: Any) -> float:
        if isinstance(value, str):
            value = value.strip()
            if _EPOCH.fullmatch(value):
                value = float(value)
            elif argument.name == "time_to" and _DATE.fullmatch(value):
                value += "T23:59:59.999999"  # a bare date means the whole day
        try:
            return to_epoch(value, self.zone)
        except (TimeError, OverflowError):
            raise self._wrong_type(argument, value) from None

    def _expiry(self, argument: Argument, value: Any) -> float | str:
        is_never = isinstance(value, str) and value.strip().lower() == NEVER
        return NEVER if is_never else self._time(argument, value)

    def _texts(self, argument: Argument, value: Any) -> list[str]:
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = _parse_list(value)
        items = list(value) if isinstance(value, (list, tuple)) else [value]
        if not all(isinstance(item, _SCALARS) for item in items):
            raise self._wrong_type(argument, value)
        return [
            item if isinstance(item, str) else printable(item) for item in items if item is not None
        ]

    def _flag(self, argument: Argument, value: Any) -> bool:
        flag = _FLAGS.get(str(value).strip().lower()) if isinstance(value, (bool, str)) else None
        if flag is None:
            raise self._wrong_type(argument, value)
        return flag

    def _object(self, argument: Argument, value: Any) -> dict[str, Any]:
        if isinstance(value, str):
            try:
                value = parse_json(value)
            except ValueError:
                raise self._wrong_type(argument, value) from None
        if not isinstance(value, Mapping):
            raise self._wrong_type(argument, value)
        return dict(value)


def _is_pair(item: object) -> bool:
    return isinstance(item, (list, tuple)) and len(item) == 2 and isinstance(item[0], str)


def _parse_list(text: str) -> Any:
    """A list that was written as text; the text itself if it is not a list."""
    try:
        value = parse_json(text)
    except ValueError:
        return text
    return value if isinstance(value, list) else text
