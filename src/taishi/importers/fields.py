"""Values of foreign JSON and CSV, checked: whatever has the wrong type counts as absent."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from ..types import EMPTY, MAX_ID_CHARS

MAX_NAME = 200
_PLACEHOLDERS = re.compile(
    r"(?:\s*\[(?:图片|表情|动画表情|语音|语音消息|视频|闪照|红包|image|photo|video|voice|sticker)\])+\s*",
    re.IGNORECASE,
)


def obj(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else EMPTY


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def name(*values: object) -> str | None:
    """The first that is a name."""
    for value in values:
        if isinstance(value, str) and (short := " ".join(value.split())[:MAX_NAME]):
            return short
    return None


def ident(*values: object) -> str | None:
    """The first that is an id, as a string that can be an id here."""
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            continue
        found = str(value)
        if len(found) <= MAX_ID_CHARS and found.isprintable() and found.strip():
            return found
        return digest(found)
    return None


def digest(*parts: object) -> str:
    """A short name for things that have none: the same parts always have the same."""
    joined = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:32]


def with_files(said: str, files: list[str]) -> str:
    """The text, and the names of what was attached: they can be searched for."""
    return "\n".join([*([said] if said.strip() else []), *(f"[{one}]" for one in files)])


def is_placeholder(said: str) -> bool:
    """Whether it only says that there was a picture, a sticker or a voice message."""
    return _PLACEHOLDERS.fullmatch(said) is not None
