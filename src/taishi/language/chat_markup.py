"""Marks of chat platforms around what somebody says: CQ codes of OneBot, and whom it is said to.

[CQ:at,qq=1] becomes @1 and the other codes go, as they say nothing: "[CQ:reply,id=9]我住成都".
"""

from __future__ import annotations

import re

from .lazy_regex import lazy_compile

_CODE = lazy_compile(
    r"`[^`\n]{1,300}`|```.*?```"
    r"|\[CQ:(?P<kind>[a-zA-Z_.-]{1,40})(?P<data>(?:,[^\]]{0,4000})?)\] ?"
)
_NAME = lazy_compile(r",(?:name|text)=@?([^,\]]{1,80})")
_ID = lazy_compile(r",qq=([^,\]]{1,40})")
_MENTION = lazy_compile(r"\s*@[^\s@，,。！!？?：:]{1,40}(?:[\s，,]+|$)")


def without_codes(text: str) -> str:
    """The text without CQ codes, except in inline code."""
    return _CODE.sub(_plain, text) if "[CQ:" in text else text


def _plain(match: re.Match[str]) -> str:
    if match["kind"] is None:
        return match[0]
    if match["kind"].lower() != "at":
        return ""
    whom = _NAME.search(match["data"]) or _ID.search(match["data"])
    return f"@{whom[1]} " if whom else ""


def without_address(text: str, bot: str | None = None) -> str:
    """What is said, without the mentions before it and the bot's name: "@bot I like ramen"."""
    left = text
    while found := _leading(left, bot):
        left = left[found.end() :]
    return left if re.search(r"\w", left) else text


def _leading(text: str, bot: str | None) -> re.Match[str] | None:
    return _bot(text, bot) or _MENTION.match(text)


def _bot(text: str, bot: str | None) -> re.Match[str] | None:
    if not bot:
        return None
    name = re.escape(bot)
    edge = r"(?![A-Za-z0-9_])" if bot[-1:].isascii() else ""
    return re.match(rf"(?i)\s*(?:@{name}{edge}[\s，,、!！]*|{name}[\s，,、!！]+)", text)
