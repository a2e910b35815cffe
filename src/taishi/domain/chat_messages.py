"""Checks messages in the OpenAI chat format, and takes them apart (M1)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import InputError, RefusedError
from ..ports.chat_message import IMAGE_DATA, ROLES, ChatMessage, body_of, read_body, with_texts
from ..types import clean_id

MAX_PARTS = 64
MAX_CALLS = 128
MAX_URL_CHARS = 8192
MAX_IMAGE_CHARS = 2_000_000  # of a picture in the message itself: about 1.5 MB
# What a person may have typed or a program sent: cleaned and redacted. The second argument names
# it in errors.
Clean = Callable[[object, str], str]

_PICTURE = re.compile(r"data:image/[a-z0-9.+-]{1,40};base64,[A-Za-z0-9+/]*={0,2}", re.ASCII)
_WIRE_KEYS = frozenset({"role", "content", "name", "tool_calls", "tool_call_id"})
_OWN_KEYS = frozenset({"id", "time", "speaker", "speaker_id", "original"})


def parsed(given: object, clean: Clean) -> ChatMessage:
    """A message of the caller's, without id, time, speaker and original."""
    if not isinstance(given, Mapping):
        raise InputError(f"a message must be a dict with role and content, not {_named(given)}")
    role = _role(given)
    unknown = [
        str(key) for key, value in given.items() if key not in _WIRE_KEYS | _OWN_KEYS and value
    ]
    if unknown:
        raise InputError(
            f"a message has no key {unknown[0]!r:.40}; use {', '.join(sorted(_WIRE_KEYS))}, "
            f"and of our own {', '.join(sorted(_OWN_KEYS))}"
        )
    text, parts = _content(given.get("content"), clean)
    calls = _calls(given.get("tool_calls"), clean)
    if calls and role != "assistant":
        raise InputError("only a message of the role assistant has tool_calls")
    answered = clean_id(given.get("tool_call_id"), "tool_call_id")
    if (role == "tool") != (answered is not None):
        raise InputError("a message of the role tool, and no other, has a tool_call_id")
    name = given.get("name")
    named = None if name is None else clean(name, "a name").strip()[:200]
    return ChatMessage(role, text, parts, calls, answered, named or None)


def checked_body(role: str, body: Mapping[str, Any]) -> str:
    """The body of a message in an export, checked like any other message."""
    values = dict(body)
    wire = {
        "role": role,
        "content": values.pop("parts", None),
        "tool_calls": values.pop("tool_calls", None),
        "tool_call_id": values.pop("tool_call_id", None),
        "name": values.pop("name", None),
    }
    original = values.pop("original", None)
    if values:
        raise InputError(f"a message's body has no field {min(map(str, values))!r:.40}")
    if not isinstance(original, (Mapping, type(None))):
        raise InputError(f"a message's original must be a dict, not {_named(original)}")
    return body_of(replace(parsed(wire, _as_text), original=original))


def with_changed_texts(message: ChatMessage, change: Callable[[str], str]) -> ChatMessage:
    """The message with every text of it changed, in its parts and its tool calls as well."""
    body = body_of(message)
    changed = with_texts(body, change)
    fields = read_body(changed) if changed != body else {}
    return replace(message, text=change(message.text), **fields)


def _role(given: Mapping[str, Any]) -> str:
    role = given.get("role")
    if role == "developer":  # the newer name of it
        return "system"
    if role not in ROLES:
        raise InputError(f"unknown role {role!r:.40}; use one of {', '.join(ROLES)}")
    return str(role)


def _content(value: object, clean: Clean) -> tuple[str, tuple[Mapping[str, Any], ...] | None]:
    if value is None or isinstance(value, str):
        return clean(value, "a message's content"), None
    if not isinstance(value, Sequence) or isinstance(value, (bytes, bytearray)):
        raise InputError(f"content must be text or a list of parts, not {_named(value)}")
    if len(value) > MAX_PARTS:
        raise InputError(f"content has {len(value)} parts; at most {MAX_PARTS} are taken")
    parts = tuple(_part(part, clean) for part in value)
    return "\n".join(part["text"] for part in parts if part["type"] == "text"), parts


def _part(part: object, clean: Clean) -> Mapping[str, Any]:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if isinstance(part, Mapping) and kind == "text":
        return {"type": "text", "text": clean(part.get("text"), "a part's text")}
    if isinstance(part, Mapping) and kind == "image_url":
        return {"type": "image_url", "image_url": _image(part.get("image_url"), clean)}
    raise InputError(f"a part has the type text or image_url, not {kind!r:.40}")


def _image(value: object, clean: Clean) -> Mapping[str, Any]:
    given = {"url": value} if isinstance(value, str) else value
    url = given.get("url") if isinstance(given, Mapping) else None
    if not isinstance(given, Mapping) or not isinstance(url, str):
        raise InputError('an image_url is {"url": "https://…"}, with detail if need be')
    detail = given.get("detail")
    if detail not in (None, "auto", "low", "high"):
        raise InputError(f"unknown detail {detail!r:.40}; use auto, low or high")
    image = {"url": _url(url, clean)}
    return {**image, "detail": detail} if detail else image


def _url(url: str, clean: Clean) -> str:
    if url.startswith(IMAGE_DATA):
        if len(url) > MAX_IMAGE_CHARS:
            raise RefusedError(
                f"a picture has {len(url):,} characters as a data URL; at most "
                f"{MAX_IMAGE_CHARS:,} are taken. Make it smaller, or give its web address",
                "too_long",
            )
        if not _PICTURE.fullmatch(url):
            raise InputError("a picture in a message must be data:image/TYPE;base64,…")
        return url
    if not url.startswith(("https://", "http://")) or len(url) > MAX_URL_CHARS:
        raise InputError(
            f"an image's url must begin with https://, http:// or {IMAGE_DATA} and have at most "
            f"{MAX_URL_CHARS} characters"
        )
    return clean(url, "an image's url")


def _calls(value: object, clean: Clean) -> tuple[Mapping[str, Any], ...]:
    if not value:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise InputError(f"tool_calls must be a list, not {_named(value)}")
    if len(value) > MAX_CALLS:
        raise InputError(f"a message has {len(value)} tool calls; at most {MAX_CALLS} are taken")
    calls = tuple(_call(call, clean) for call in value)
    if len({call["id"] for call in calls}) < len(calls):
        raise InputError("two tool calls of a message have the same id")
    return calls


def _call(call: object, clean: Clean) -> Mapping[str, Any]:
    function = call.get("function") if isinstance(call, Mapping) else None
    id = clean_id(call.get("id"), "a tool call's id") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or id is None or not function.get("name"):
        raise InputError(
            'a tool call is {"id": …, "type": "function", "function": {"name": …, "arguments": …}}'
        )
    arguments = function.get("arguments")
    if not isinstance(arguments, (str, type(None))):
        try:
            arguments = json.dumps(arguments, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"a tool call's arguments are not JSON: {error!s:.80}") from error
    name = clean(function["name"], "a tool's name").strip()[:200]
    return {
        "id": id,
        "type": "function",
        "function": {"name": name, "arguments": clean(arguments or "", "a tool's arguments")},
    }


def _as_text(value: object, what: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{what} must be text, not {_named(value)}")
    return value


def _named(value: object) -> str:
    return type(value).__name__
