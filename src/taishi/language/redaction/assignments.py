"""Finds secrets by the name they have: `password=…`, `"apiKey": "…"`, `密码是…`, `--token …`.

The name alone decides little, since people also write about tokens and passwords. What follows
the name does: a sign such as `=` is proof, a colon is a hint, "is" needs a value that no sentence
would hold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ..possessive import possessive
from .everyday_words import CHINESE_PROSE, EVERYDAY, FIGURATIVE, WORD_ENDINGS
from .placeholders import is_placeholder
from .value_shapes import looks_random

# Searched in lower-cased text: without case folding, the regex engine skips ahead by first letters.
_NAME = (
    "pass(?:words?|wd|phrase|code)?|pwd|tokens?|cookie|authorization|jwt|secret|key|credentials?"
    "|密码|口令|通行码|令牌|授权码|密钥|秘钥|私钥"
)
_KEY_OF = (
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "encryption",
    "account",
    "master",
    "auth",
    "app",
    "service",
)
_PLAIN = r"[^\s\"'`<>,;&，。；、！？）】」』]"
_JOINED = r"[,;&](?!\s|$|[\w.-]{1,40}[=:])"
# A value is judged by its opening: a name that turns out harmless must stay cheap.
_AFTER_NAME = (
    r"(?:[_-]?(?:id|secret|prod|dev|test|staging|new|old|confirm|confirmation|hash|value|[0-9]{1,3}))?"
    r"(?:(?P<closing>\\*[\"'`])?\]?\s{0,4}(?:(?P<equals>={1,3}>?|:=)|(?P<colon>[:：][*_]{0,3}))\s{0,4}"
    r"|[ \t]{0,2}(?P<verb>就是|是|为|改成|改为|设为|设成)[ \t]{0,2}[:：]?[ \t]{0,2}(?=[!-~])"
    r"|[ \t]{1,3}(?:is|was)[ \t]{0,2}:?[ \t]{1,3}"
    r"|(?P<tag>>)"
    r"|(?P<space>[ \t]{1,3}))"
    r"(?:(?P<quote>\\{0,8}[\"'`])(?P<quoted>"
    + possessive(r"(?!(?P=quote))(?:[^\\\r\n]|\\[^\r\n])")
    + r")"
    r"|(?P<list>(?(closing)|(?(equals)|(?!)))[\[{]\s{0,4}[\"'][^\]}\r\n]*+)"
    rf"|(?P<plain>(?:{_PLAIN}|{_JOINED}){_PLAIN}{{0,63}}+))"
)
_LITERALS = (
    "pass",
    "pwd",
    "token",
    "cookie",
    "authorization",
    "jwt",
    "secret",
    "key",
    "credential",
    "密",
    "口令",
    "通行码",
    "令牌",
    "授权码",
    "秘钥",
    "私钥",
)

_CJK_START = re.compile(r"[\u3400-\u9fff]")
_TRAILING = ")]}.*_|"
_UNITS = tuple("位个字次天年月的种把条")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class _Assignment(NamedTuple):
    """A name, what kind of secret it names, and what follows it."""

    name: str
    kind: str
    before: str
    match: re.Match[str]


def may_assign(lowered: str) -> bool:
    """A cheap no for texts that name no secret."""
    return any(map(lowered.__contains__, _LITERALS))


def find_assigned(text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """Spans of values that were given a secret's name. `lowered` is as long as `text`."""
    names, after, position = _compiled(_NAME), _compiled(_AFTER_NAME), 0
    while named := names.search(lowered, position):
        position = named.end()
        before = lowered[max(0, named.start() - 24) : named.start()]
        kind = _kind(named[0], before)
        match = after.match(text, position) if kind else None
        if match and _is_secret(_Assignment(named[0], kind, before, match)):
            start, position = _whole(match)
            yield start, position, kind


def _kind(name: str, before: str) -> str:
    if name == "key":
        return "secret" if before.rstrip("_ -").endswith(_KEY_OF) else ""
    if name == "pass":
        return "" if before[-1:].isalpha() else "password"
    if name.startswith("pass") or name in ("pwd", "密码", "口令", "通行码"):
        return "password"
    if name in ("cookie", "authorization"):
        return name
    return "token" if name in ("token", "tokens", "jwt", "令牌", "授权码") else "secret"


def _span(match: re.Match[str]) -> tuple[int, int]:
    if match["quoted"] is not None:
        return match.span("quoted")
    if match["list"] is not None:
        closed = match.string[match.end() : match.end() + 1] in ("]", "}")
        return match.start("list"), match.end("list") + closed
    start, end = match.span("plain")
    if match["verb"] and (ascii_run := _compiled("[!-~]+").match(match["plain"])):
        end = start + ascii_run.end()
    return start, start + len(match.string[start:end].rstrip(_TRAILING))


def _whole(match: re.Match[str]) -> tuple[int, int]:
    """The span of a value that is known to be secret, however long it is."""
    start, end = _span(match)
    cut_short = match["verb"] and not (match["plain"] or "").isascii()
    if match["plain"] and not cut_short:
        more = "[!-~]*+" if match["verb"] else possessive(f"{_PLAIN}|{_JOINED}")
        rest = _compiled(more).match(match.string, match.end())
        if rest and rest[0]:
            end = start + len(match.string[start : rest.end()].rstrip(_TRAILING))
    return start, end


def _is_secret(found: _Assignment) -> bool:
    match = found.match
    start, end = _span(match)
    value = match.string[start:end]
    if not value or is_placeholder(value):
        return False
    if found.name == "pwd" and value[0] in "/~":
        return False  # the working directory of a shell
    if match["tag"]:
        return match.string.startswith("</", match.end())
    if match["space"]:
        is_flag = re.search("--[a-z-]*$", found.before) is not None
        return is_flag and not value.startswith("-")
    if found.kind in ("cookie", "authorization"):
        return match["closing"] is not None  # without quotes they are headers, or food
    certain = match["closing"] is not None or match["equals"] is not None
    if match["list"]:
        return certain
    if match["quoted"] is not None:
        if len(value) < 2:
            return False
        return certain or found.kind == "password" or " " not in value
    if found.name == "tokens":
        return False  # a count
    following = match.string[end : end + 1]
    return _plain_is_secret(found, value, following)


def _plain_is_secret(found: _Assignment, value: str, following: str) -> bool:
    match, is_password = found.match, found.kind == "password"
    if not is_password and value.isdigit() and len(value) < 6:
        return False  # a count
    if match["equals"]:
        return True
    if value.lower().rstrip("!?:") in EVERYDAY or following in _UNITS:
        return False
    if _CJK_START.match(value):
        told = bool(match["colon"]) and found.kind != "token" and value[0] not in CHINESE_PROSE
        return told and not found.before.endswith(FIGURATIVE)
    prose = value.isalpha() and re.match(r" [a-z]", match.string[match.end() : match.end() + 2])
    if prose and not (match["closing"] or "").endswith('"'):
        return False  # `reset_password`: Sends …
    if looks_random(value) or match["closing"]:
        return True
    if match["colon"] and found.before.endswith(("_", "-")):
        return True  # `client_secret: …` is a setting, while `secret: …` may start a sentence
    if found.before[-1:].isdigit():
        return False  # 1Password is a product
    ends_clause = not following or following in "\r\n,;.)}]|，。；、！？）"
    worded = len(value) < 4 or value.lower().endswith(WORD_ENDINGS)
    return is_password and found.name != "pass" and ends_clause and not worded


_KEY_ENDS = (
    "token",
    "secret",
    "secrets",
    "apikey",
    "apikeys",
    "accesskey",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "accountkey",
    "masterkey",
    "authkey",
    "appkey",
    "servicekey",
    "accesskeyid",
    "authorization",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "pwd",
    "passphrase",
    "passcode",
    "jwt",
    "bearer",
    "令牌",
    "密钥",
    "秘钥",
    "私钥",
    "授权码",
)
_KEY_PARTS = "password|passwd|clientsecret|secretkey|privatekey|密码|口令"
_KEY_WHOLE = frozenset(
    ("pass", "pw", "auth", "pin", "cvv", "cvc", "cvv2", "otp", "xauth", "tokens")
)


def is_sensitive_key(key: str) -> bool:
    """Does a dict key, a header or a column of this name hold a secret? In any case style."""
    if not key.isascii():
        key = unicodedata.normalize("NFKC", key)
    compact = key[:200]
    if not compact.isalnum():
        compact = "".join(filter(str.isalnum, compact))
    compact = compact.lower().rstrip("0123456789")
    return (
        compact.endswith(_KEY_ENDS)
        or compact in _KEY_WHOLE
        or _compiled(_KEY_PARTS).search(compact) is not None
    )
