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


# What is said to somebody whose name stands before it without a mark between: 小桨以后叫我舟哥.
_TOLD_ZH = (
    r"(?=\s*(?:你|您|请|麻烦|拜托|别|不要|不许|不准|甭|以后|今后|往后|从今|从现在|下次|下回|可以|能不能|能别"
    r"|记住|记得|忘掉|帮我|给我|叫我|喊我|称呼我|永远|一定|务必|千万|每次|每天|用(?:[中英日法德韩俄粤]|文言)"
    r"|回[答复]|说话|不用|不必))"
)
_GREETS = r"(?:(?:hey|hi|hello|ok|okay|yo)\b[\s,]*|(?:嘿|喂|嗨|哎|诶|欸|哈喽|你好|亲爱的)[\s，,]*)?"


def without_address(text: str, bot: str | None = None) -> str:
    """What is said, without the mentions before it and the bot's name before or after it: "@bot I
    like ramen", 小桨以后叫我舟哥."""
    left = text
    while found := _leading(left, bot):
        left = left[found.end() :]
    if found := _named_last(left, bot):
        left = left[: found.start()]
    return left if re.search(r"\w", left) else text


def _leading(text: str, bot: str | None) -> re.Match[str] | None:
    return _bot(text, bot) or _MENTION.match(text)


def _bot(text: str, bot: str | None) -> re.Match[str] | None:
    if not bot:
        return None
    name, edge = _name(bot)
    return re.match(
        rf"(?i)\s*(?:{_GREETS}@{name}{edge}[\s，,、!！]*"
        rf"|{_GREETS}{name}{edge}(?:{name})?[啊呀哦呐]?(?:[\s，,、!！~～]+|{_TOLD_ZH}))",
        text,
    )


def _named_last(text: str, bot: str | None) -> re.Match[str] | None:
    if not bot:
        return None
    name, edge = _name(bot)
    return re.search(rf"(?i)[，,]\s*@?{name}{edge}[\s。.!！~～]*$", text)


def _name(bot: str) -> tuple[str, str]:
    """The bot's name as a pattern, and what ends a name in Latin letters."""
    return re.escape(bot), r"(?![A-Za-z0-9_])" if bot[-1:].isascii() else ""
