"""What callers pass, checked by its type, alike for a memory of one's own and one on a server.

Each error says what to pass instead. Words and times are checked where they are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from ..errors import InputError
from ..types import Message, Profile

MOST_LISTED = 1_000_000
ITEM_KEYS = frozenset(
    {"text", "kind", "speaker", "time", "session", "source", "id", "user", "confidence", "metadata"}
    | {"expires"}
)
_NO_LISTS = (str, bytes, bytearray, memoryview, Mapping)  # a dict would be taken for its keys


def number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
        raise InputError(f"{what} must be a number from 0 up, not {value!r:.40}")
    return float(value)


def share(value: object, what: str) -> float:
    """A similarity or a confidence."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InputError(f"{what} must be a number from 0 to 1, not {value!r:.40}")
    return float(value)


def whole_number(value: object, what: str, most: int, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{what} must be a whole number from {least} to {most}")
    return value


def flag(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{what} must be True or False, not {value!r:.40}")
    return value


def text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} must be text, not {type(value).__name__}")
    return value


def one_of(value: object, known: Collection[str], what: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise InputError(f"unknown {what} {value!r:.40}; use {', '.join(known)}")
    return value


def entity_type_of(value: object) -> str | None:
    """Of a profile page; None: of either."""
    return None if value is None else one_of(value, ("user", "group"), "entity_type")


def mapping(value: object, what: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{what} must be a dict, not {type(value).__name__}")
    return value


def each(value: object, what: str) -> Iterator[Any]:
    """What is in a list, or in whatever else can be gone through once."""
    if isinstance(value, _NO_LISTS) or not isinstance(value, Iterable):
        raise InputError(f"{what} must be a list, not {type(value).__name__}")
    return iter(value)


def line(value: object) -> str | bytes:
    """Of an export."""
    if not isinstance(value, (str, bytes)):
        raise InputError(f"a line must be text or bytes, not {type(value).__name__}")
    return value


def new_info(value: object) -> list[Any]:
    if value is None or isinstance(value, str):
        return [value]
    if isinstance(value, _NO_LISTS) or not isinstance(value, Iterable):
        raise InputError(f"new_info must be a text or a list of texts, not {type(value).__name__}")
    return list(value)


def messages(value: object) -> list[Message]:
    """Of a turn, or of a session that is only summarised."""
    return [as_message(one) for one in message_list(value)]


def message_list(value: object) -> list[Any]:
    if isinstance(value, (Message, Mapping)):
        raise InputError("messages must be a list of messages; put the one into [ ]")
    if isinstance(value, _NO_LISTS) or not isinstance(value, Iterable):
        raise InputError(
            'messages must be a list of messages such as {"speaker": "Ann", "text": "hello"}, '
            f"not {type(value).__name__}"
        )
    return list(value)


def chat_messages(value: object) -> list[Mapping[str, Any] | Message]:
    """One message for `session.append`, or several."""
    several = [value] if isinstance(value, (Message, Mapping)) else list(each(value, "messages"))
    for one in several:
        if not isinstance(one, (Message, Mapping)):
            named = type(one).__name__
            raise InputError(f"a message must be a dict with role and content, not {named}")
    return several


def as_message(given: Message | Mapping[str, Any]) -> Message:
    if isinstance(given, Message):
        return given
    if not isinstance(given, Mapping):
        raise InputError(
            'a message must be a Message or a dict such as {"speaker": "Ann", "text": "hello"}, '
            f"not {type(given).__name__}"
        )
    known = {field.name for field in fields(Message)}
    unknown = set(given) - known
    if unknown & {"role", "content"}:
        raise InputError(
            "a message of a turn has speaker and text instead of role and content: "
            '{"speaker": "Ann", "text": "hello"}, the bot\'s with the speaker given as bot_name. '
            "memory.session(scope).append takes role and content"
        )
    if unknown or "text" not in given:
        raise InputError(
            f"a message has the keys {', '.join(sorted(known))} and needs a text; "
            f"got {', '.join(sorted(map(str, given)))}"
        )
    return Message(**given)


def item(value: object) -> Mapping[str, Any]:
    """One of `remember_many`."""
    if not isinstance(value, Mapping):
        raise InputError(
            f'a memory must be a dict such as {{"text": "hello"}}, not {type(value).__name__}'
        )
    if unknown := set(value) - ITEM_KEYS:
        raise InputError(
            f"unknown key {', '.join(sorted(map(str, unknown)))}; "
            f"a memory has {', '.join(sorted(ITEM_KEYS))}"
        )
    words = value.get("text")
    need_text("" if words is None else text(words, "text"))
    return value


def need_text(words: str) -> None:
    if not words.strip():
        raise InputError("text is empty: there is nothing to remember; give a text")


def page(value: object) -> Profile | None:
    if value is not None and not isinstance(value, Profile):
        named = type(value).__name__
        raise InputError(f"before must be the page that profiles.source returned, not {named}")
    return value
