"""Finds secrets and contact data in a text: labelled spans, nothing is changed here.

Each rule names the literals that must occur before its pattern is even compiled, so ordinary chat
pays for a few substring tests. Every pattern either fails within a bounded number of characters
or consumes what it looked at, which keeps a hostile megabyte linear.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..possessive import possessive
from .assignments import find_assigned, may_assign
from .folded_text import folded
from .placeholders import is_placeholder
from .spoken import find_all_said
from .vendor_keys import VENDOR_RULES, Rule, apply, compiled


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One sensitive span of a text."""

    start: int
    end: int
    label: str


# What stands right before a number. \Z and not $, which lets a line break stand in between.
ID_BEFORE = (
    r"(?:(?<![A-Za-z])(?:[a-z]*id|qq|msg|message|chat|group|channel|guild|room|order|invoice|"
    r"tracking|seq|ref|ticket|epoch|timestamp|ts|time)|[群号单码]|编号|时间戳?)"
    r"(?:[_ -]?(?:id|no|nr|num|number)s?\.?)?[\"'\s:：=#([是为-]{0,4}\Z|[#@]\Z"
)
CARD_BEFORE = r"(?:card|visa|amex|mastercard|pan|卡号?|银行|信用|储蓄)[^0-9]{0,16}\Z"


def _before(pattern: str, text: str, start: int) -> bool:
    return bool(compiled(pattern, re.I).search(text[max(0, start - 24) : start]))


def _basic_credentials(match: re.Match[str]) -> bool:
    """`Basic` is an everyday word; only base64 of `user:password` counts."""
    encoded = match[1].rstrip("=")
    try:
        plain = base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in plain and plain.isprintable()


def _is_value(match: re.Match[str]) -> bool:
    return not is_placeholder(match[1])


def _bearer_credentials(match: re.Match[str]) -> bool:
    """`bearer` is a word, too: a token has digits, mixed case or more length than words have."""
    token = match[1]
    if is_placeholder(token.rstrip("\"'),;")):
        return False
    mixed = token[1:] != token[1:].lower() and not token.isupper()
    return len(token) >= 24 or mixed or bool(re.search("[0-9_=]", token))


CREDENTIAL_RULES: tuple[Rule, ...] = (
    Rule("bearer", ("bearer",), r"(?i)bearer[\s:]{1,3}([!#-&*-;=?-~]{8,})", _bearer_credentials),
    Rule("basic", ("basic",), r"(?i)basic[\s:]{1,3}([A-Za-z0-9+/]{6,}={0,2})", _basic_credentials),
    Rule(
        "url-password",
        ("://",),
        r"://[^\s:/?#@\"'<>]{0,128}:([!$-.0-;=@-~]{1,256})@(?=[\[\w])",
        _is_value,
    ),
    Rule(
        "url-secret",
        ("sig", "code=", "key="),
        r"(?i)[?&;](?:sig|signature|x-amz-(?:signature|credential)|code|key)=([^\s&#\"'<>]{8,})",
        _is_value,
    ),
    Rule(
        "password",
        ("-u", "--user"),
        r"(?<!\S)(?:-u|--(?:proxy-)?user)[ =]?[\"']?[^\s:\"']{1,64}:([^\s\"']{1,256})",
        _is_value,
    ),
)

PHONE_RULES: tuple[Rule, ...] = (
    Rule(
        "phone",
        ("+", "＋"),
        r"(?<![0-9A-Za-z_+])[+＋][1-9](?:[ .()\u00a0-]{0,2}[0-9]){7,14}(?![0-9])",
    ),
    Rule(
        "phone",
        ("1",),
        r"(?<![0-9A-Za-z_.+-])(?:(?:00)?86[ -]?)?1[3-9][0-9][ -]?[0-9]{4}[ -]?[0-9]{4}"
        r"(?![0-9A-Za-z_])",
        lambda m: not _before(ID_BEFORE, m.string, m.start()),
    ),
    Rule(
        "phone",
        ("-", ".", " "),
        r"(?<![0-9A-Za-z_.+-])(?:1[ .-])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[0-9]{3}[ .-]"
        r"[0-9]{4}(?![0-9A-Za-z_]|[.-][0-9])",
        lambda m: not _before(ID_BEFORE, m.string, m.start()),
    ),
    Rule(
        "phone",
        ("0", "00"),
        r"(?<![0-9A-Za-z_.+-])(?:\(0[1-9][0-9]{1,2}\) ?|0[1-9][0-9]{0,2}[ -])"
        r"(?:[0-9]{7,8}|[0-9]{3,4}[ -][0-9]{4})(?![0-9A-Za-z_]|[.-][0-9])",
    ),
    Rule(
        "phone",
        ("tel", "phone", "mobile", "cell", "call", "电话", "手机", "whatsapp"),
        r"(?i)(?:tel|phone|mobile|cell|whatsapp|电话|手机)(?:[ _]?(?:no|number)|号码?)?[\"'.]?"
        r"[ \t]?(?:[:：=]|is|是|为)?[ \t\"']{0,2}([0-9(](?:[ ().-]{0,2}[0-9]){5,13})"
        r"(?![0-9A-Za-z_])",
    ),
)

_HEADER = (
    r"(?i)(?P<outer>[\"'`])?(?<![A-Za-z])(?:(?:proxy-)?authorization|(?:set-)?cookie2?)"
    r"(?P<inner>\\*[\"'])?[ \t]{0,4}[:：=][ \t]{0,4}"
)
_PROSE = r"[A-Za-z][a-z]* [a-z]+[ .,]|[a-z]+[.!?]?$"
_SCHEME = (
    r"(?i)(?:bearer|basic|digest|token|apikey|api-key|negotiate|ntlm|hawk|aws4?|oauth|key|tc3)\b"
)


def _find_headers(text: str) -> Iterator[tuple[int, int, str]]:
    """Authorization and cookie headers, to the end of their line or of their quotes."""
    lowered = text.lower()
    if "authorization" not in lowered and "cookie" not in lowered:
        return
    position = 0
    opening, line_end = compiled(_HEADER), compiled(r"[\r\n]")
    while match := opening.search(text, position):
        start = position = match.end()
        stop = line_end.search(text, start)
        end = stop.start() if stop else len(text)
        if match["inner"]:
            continue  # a quoted key with its own value: find_assigned reads those
        if quote := match["outer"]:
            closing = text.find(quote, start, end)
            end = closing if closing >= 0 else end
        label = "cookie" if "cookie" in match[0].lower() else "authorization"
        head = text[start : start + 80]
        if label == "cookie":
            wanted = bool(re.match(r"[^\s=;,\"]{1,64}=", head))
        else:
            wanted = bool(re.match(_SCHEME, head)) or not re.match(_PROSE, head)
            scheme = re.match(_SCHEME + r"[\s:]*", head)
            credentials = text[start + (scheme.end() if scheme else 0) : end]
            wanted = wanted and not is_placeholder(credentials)
        if wanted and start < end:
            yield start, end, label
            position = end


_PEM_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"


def _find_private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """PEM blocks; one whose end is missing goes as far as its characters do."""
    body, position = compiled(possessive(r"[A-Za-z0-9+/=\\\s:,]|-(?!-{4}BEGIN)")), 0
    last_end = text.rfind("-----END")
    while match := compiled(_PEM_BEGIN).search(text, position):
        if match.end() <= last_end:
            end = text.find("-----END", match.end())
            closing = text.find("-----", end + 8, end + 80)
            position = closing + 5 if closing >= 0 else end + 8
        else:
            run = body.match(text, match.end())
            position = run.end() if run else match.end()
        yield match.start(), position, "private-key"


_ISSUER = r"(?:4[0-9]{3}|5[1-5][0-9]{2}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)"
_MAJOR = _ISSUER + r"|6011|64[4-9][0-9]|65[0-9]{2}|62[0-9]{2}|35(?:2[89]|[3-8][0-9])|220[0-4])"
_SEP = "[ \u00a0\u2013-]"
_GROUPED_CARD = (
    rf"(?<![0-9A-Za-z_])(?=((?:{_MAJOR}|(?:50|5[6-8]|6[0-9]|8[12])[0-9]{{2}}){_SEP}[0-9]{{4}}{_SEP}"
    rf"[0-9]{{4}}{_SEP}(?:[0-9]{{4}}(?:{_SEP}[0-9]{{3}})?|[0-9])(?![0-9A-Za-z_])"
    rf"|3[47][0-9]{{2}}{_SEP}[0-9]{{6}}{_SEP}[0-9]{{5}}(?![0-9A-Za-z_])"
    rf"|3(?:0[0-5]|[689][0-9])[0-9]{_SEP}[0-9]{{6}}{_SEP}[0-9]{{4}}(?![0-9A-Za-z_])"
    rf"|62[0-9]{{4}}{_SEP}[0-9]{{13}}(?![0-9A-Za-z_])))"
)
_BARE_CARD = (
    rf"(?<![0-9A-Za-z_])(?<![0-9][.-])((?:{_MAJOR}[0-9]{{12}}|4[0-9]{{12}}|3[47][0-9]{{13}}"
    r"|3(?:0[0-5]|[689][0-9])[0-9]{11}|62[0-9]{17}))(?![0-9A-Za-z_]|[.-][0-9])"
)


_DOUBLED = str.maketrans("0123456789", "0246813579")
_NO_SEPARATORS = str.maketrans("", "", " \u00a0\u2013-")


def _luhn(digits: str) -> bool:
    odd, even = digits[-1::-2], digits[-2::-2].translate(_DOUBLED)
    return (sum(map(int, odd)) + sum(map(int, even))) % 10 == 0


def _find_cards(text: str) -> Iterator[tuple[int, int, str]]:
    """Card numbers by issuer prefix, length, grouping and checksum.

    Ids and clocks stay: no issuer starts with 1 (epochs in any unit, today's snowflakes), none
    has 17 or 18 digits here, and bare digits after a word such as "id" or "order" are ids.
    """
    for match in compiled(_GROUPED_CARD).finditer(text):
        candidate = match[1]
        for digits, end in _card_ends(candidate):
            if _luhn(digits):
                yield match.start(1), match.start(1) + end, "card"
                break
    for match in compiled(_BARE_CARD).finditer(text):
        named = _before(CARD_BEFORE, text, match.start())
        if _luhn(match[1]) and (named or not _before(ID_BEFORE, text, match.start())):
            yield match.start(1), match.end(1), "card"


def _card_ends(candidate: str) -> Iterator[tuple[str, int]]:
    """The number as matched, and without a trailing group of three (a security code)."""
    digits = candidate.translate(_NO_SEPARATORS)
    yield digits, len(candidate)
    if len(digits) == 19 and len(candidate) == 23:
        yield digits[:16], 19


_LOCAL_PART = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"


def _find_emails(text: str) -> Iterator[tuple[int, int, str]]:
    """Found from the @ outwards, so that a text without domains costs nothing."""
    domain = compiled(r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}")
    for match in domain.finditer(text):
        before = text[max(0, match.start() - 64) : match.start()]
        local = len(before) - len(before.rstrip(_LOCAL_PART))
        if local:
            yield match.start() - local, match.end(), "email"


_LONG_RUN = r"[A-Za-z0-9_/+=-]{16}"
_MANY_DIGITS = r"[0-9](?:[ \u00a0\u2013-]?[0-9]){12}"
# Letter beside digit, twice: a key that was cut into pieces has many of these.
_PIECES = r"(?:[A-Za-z][0-9]|[0-9][A-Za-z]|[0-9] [A-Za-z] )"


_CREDENTIAL_LITERALS = tuple(literal for rule in CREDENTIAL_RULES for literal in rule.literals)


def find_sensitive(text: str, *, email: bool, phone: bool) -> Iterator[tuple[int, int, str]]:
    """Every sensitive span, overlapping ones included; the more specific rule comes first."""
    view = folded(text)
    for start, end, label in _find(view.text, email, phone):
        yield *view.span(start, end), label


def _find(text: str, email: bool, phone: bool) -> Iterator[tuple[int, int, str]]:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text.replace("\u0130", "I").lower()  # the one letter that grows in lower case
    if "-----BEGIN" in text:
        yield from _find_private_keys(text)
    if compiled(_LONG_RUN).search(text):
        yield from apply(VENDOR_RULES, text, text)
    if compiled(_PIECES).search(text):
        from .spaced_keys import find_spaced

        yield from find_spaced(text)
    if any(map(lowered.__contains__, _CREDENTIAL_LITERALS)):
        yield from apply(CREDENTIAL_RULES, text, lowered)
    if may_assign(lowered):
        yield from _find_headers(text)
        yield from find_assigned(text, lowered)
    yield from find_all_said(text, lowered)
    if compiled(_MANY_DIGITS).search(text):
        yield from _find_cards(text)
    if email and "@" in text:
        yield from _find_emails(text)
    if phone:
        yield from apply(PHONE_RULES, text, lowered)
