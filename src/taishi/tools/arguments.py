"""Reading a tool's arguments as models write them. What cannot be used gives a sentence that a
model can act on (an InputError), never a traceback."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from difflib import get_close_matches
from typing import Any

from ..context_block.block import harmless
from ..errors import InputError, TimeError
from ..language.json_repair import parse_json
from ..language.text import well_formed
from ..times import to_epoch
from ..types import clean_id
from .definitions import MAX_TOP_K, Argument, Tool
from .messages import word

MAX_CHARS = 4_000_000
SHOWN_CHARS = 40
SAMPLE_CHARS = 2000
_COUNT = re.compile(r"\d{1,9}")
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
_SCALARS = (str, int, float, type(None))


def sample(given: object) -> str:
    """Some of the words in the arguments, to tell their language by."""
    if isinstance(given, str):
        return given[:SAMPLE_CHARS]
    values = list(given.values()) if isinstance(given, Mapping) else given
    items = values if isinstance(values, (list, tuple)) else ()
    return " ".join(item[:SAMPLE_CHARS] for item in items[:20] if isinstance(item, str))


def shown(value: object) -> str:
    """A value for a sentence: short, on one line, harmless."""
    if isinstance(value, str):
        text = harmless(well_formed(value[:SHOWN_CHARS]))
        return f'"{text}{"…" if len(value) > SHOWN_CHARS else ""}"'
    if value is None or isinstance(value, (bool, float)):
        return str(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else "a very large number"
    return "an object" if isinstance(value, Mapping) else "a list"


def nearest(name: str, names: Sequence[str]) -> str:
    """The name that was probably meant: one that has it inside, or else the most alike."""
    around = [one for one in names if name.strip() and name.strip().lower() in one]
    if around:
        return around[0]
    return get_close_matches(name[:SHOWN_CHARS], names, n=1, cutoff=0.0)[0]


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the arguments of one tool. A time without a zone is in `zone`."""

    tool: Tool
    language: str
    zone: tzinfo = UTC

    def read(self, given: object) -> dict[str, Any]:
        """What was given, by name; what was left out or left empty is not in it."""
        names = {one.name: one for one in self.tool.arguments}
        old_names = {one.old_name: one.name for one in self.tool.arguments if one.old_name}
        raw: dict[str, Any] = {}
        for key, value in self._mapping(given).items():
            name = old_names.get(key, key)
            if name not in names:
                raise self._wrong(
                    "unknown_argument",
                    name=shown(key),
                    all=", ".join(names),
                    nearest=nearest(str(key), list(names)),
                )
            if name == key or not raw.get(name):
                raw[name] = value
        values = {name: self._value(names[name], value) for name, value in raw.items()}
        for one in self.tool.arguments:
            if one.required and values.get(one.name) is None:
                said = one.told[self.language == "zh"]
                raise self._wrong("missing", name=one.name, told=said)
        return {name: value for name, value in values.items() if value is not None}

    def _wrong(self, key: str, **values: object) -> InputError:
        return InputError(word(self.language, key, **{"tool": self.tool.name, **values}))

    # -- the whole ---------------------------------------------------------------------------

    def _mapping(self, given: object) -> dict[str, Any]:
        value = self._parsed(given) if isinstance(given, str) else given
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return dict(value)
        if isinstance(value, (list, tuple)) and (made := self._from_list(value)) is not None:
            return made
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
        """Objects are put together, pairs are taken as such, and plain values in their order."""
        if all(isinstance(item, Mapping) for item in items):
            return {key: value for item in items for key, value in item.items()}
        if all(_is_pair(item) for item in items):
            return dict(items)
        names = [one.name for one in self.tool.arguments]
        if len(items) <= len(names) and all(isinstance(item, _SCALARS) for item in items):
            return dict(zip(names, items, strict=False))
        return None

    def _not_json(self) -> InputError:
        return self._wrong("not_json", all=", ".join(one.name for one in self.tool.arguments))

    # -- one value ---------------------------------------------------------------------------

    def _value(self, argument: Argument, value: Any) -> Any:
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        read: Callable[[Argument, Any], Any] = getattr(self, f"_{argument.form}")
        return read(argument, value)

    def _must(self, argument: Argument, value: Any, **values: object) -> InputError:
        key = f"must_be_{argument.form}"
        return self._wrong(key, name=argument.name, value=shown(value), **values)

    def _text(self, argument: Argument, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self._must(argument, value)
        text = value if isinstance(value, str) else shown(value)
        if not argument.choices:
            return text
        choice = text.strip().lower()
        if choice not in argument.choices:
            raise self._wrong(
                "must_be_one_of",
                name=argument.name,
                value=shown(value),
                choices=", ".join(argument.choices),
            )
        return choice

    def _id(self, argument: Argument, value: Any) -> str | None:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**250
        if not isinstance(value, str) and not whole:
            raise self._must(argument, value)
        return clean_id(value, argument.name)

    def _count(self, argument: Argument, value: Any) -> int:
        if isinstance(value, str) and _COUNT.fullmatch(value.strip()):
            value = int(value)
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self._must(argument, value, most=MAX_TOP_K)
        return min(value, MAX_TOP_K)

    def _time(self, argument: Argument, value: Any) -> float:
        if isinstance(value, str):
            value = value.strip()
            if _EPOCH.fullmatch(value):
                value = float(value)
            elif argument.name == "time_to" and _DATE.fullmatch(value):
                value += "T23:59:59.999999"  # whoever names a day means all of it
        try:
            return to_epoch(value, self.zone)
        except (TimeError, OverflowError):
            raise self._must(argument, value) from None

    def _texts(self, argument: Argument, value: Any) -> list[str]:
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = _listed(value)
        items = list(value) if isinstance(value, (list, tuple)) else [value]
        if not all(isinstance(item, _SCALARS) for item in items):
            raise self._must(argument, value)
        return [
            item if isinstance(item, str) else shown(item) for item in items if item is not None
        ]

    def _flag(self, argument: Argument, value: Any) -> bool:
        flag = _FLAGS.get(str(value).strip().lower()) if isinstance(value, (bool, str)) else None
        if flag is None:
            raise self._must(argument, value)
        return flag


def _is_pair(item: object) -> bool:
    return isinstance(item, (list, tuple)) and len(item) == 2 and isinstance(item[0], str)


def _listed(text: str) -> Any:
    """A list that was written as text; the text itself if it only begins like one."""
    try:
        value = parse_json(text)
    except ValueError:
        return text
    return value if isinstance(value, list) else text
