"""Codes said in English: PINs, one-time codes, CVVs, combinations of locks.

Four digits may be anything, so the word before "code" decides: a door has a secret one, a zip code
and an error code are none. And a number that goes on with a unit is a count.
"""

from __future__ import annotations

import re

Span = tuple[int, int, str]

HARMLESS_BEFORE = re.compile(
    r"(?:zip|post(?:al)?|area|country|dial(?:ing|ling)?|error|status|exit|return|response|promo|"
    r"discount|coupon|voucher|referral|gift|product|item|bar|qr|dress|source|morse|course|class|"
    r"colou?r|stock|airport|flight|building|tax|sort|swift|bank|currency|language|model|part|room|"
    r"order|booking|reservation|check-?in|tracking|http|fault|diagnostic|trouble|public|primary|foreign|cache|partition|sort|object|"
    r"candidate|answer|piano|arrow|shortcut|hot|function|idempotency|publishable|clean|legacy|"
    r"machine|sample|example|boarding|bus|train|day|map|house|car|of conduct)[ _-]?\Z"
)
_CODE_OF = (
    r"(?:verification|security|login|log-?in|sign-?in|access|one[- ]time|2fa|mfa|two[- ]factor|"
    r"auth(?:entication)?|confirmation|sms|otp|door|gate|alarm|entry|garage|safe|locker|"
    r"backup|recovery|unlock|pass|activation|reset|pairing)[ ]\Z"
)
_TELLING_BEFORE = re.compile(_CODE_OF)
_CODE_BEFORE = re.compile(
    rf"{_CODE_OF}|(?:text|lock|pin|bank|your|my|the|this)[ ]\Z|(?:your|my)[ ][a-z]{{2,16}}[ ]\Z"
)
_LOCK_BEFORE = re.compile(
    r"(?:lock|safe|locker|padlock|vault|bike|luggage|gym)"
    r"(?:[ ]?#?[0-9]{1,4})?(?:'s)?[,:]?[ ](?:the )?\Z"
)
_DIAL = re.compile("[0-9]{1,2}(?:(?:, |[- /])[0-9]{1,2}){2,4}(?![0-9])")
_FOUR = re.compile("[0-9]{3,6}(?![0-9A-Za-z%:/])")
_SENT = re.compile(r"[ ](?:it|they|you|he|she|i|we|that)[ ]")
ENDS_CLAUSE = re.compile(
    r"[ ]?(?:[.!?,;)\r\n]|$)|[ ][-–—][ ]|[ ](?:and|but|so|for|btw|please|pls|ok|thanks|don)\b"
)
# After the digits of a code that is called one: what no count goes on with.
_GOES_ON = re.compile(
    r"[ ](?:now|today|again|in case|i think|if|then|when|until|since|from|just|or|on|at|lol|haha"
    r"|thx|tho|though|because|which|write|remember|save|keep|to (?:get|open|enter))\b"
)
_DIGITS = re.compile(
    r"(?:[A-Z]{1,2}-)?([0-9]{2,3}(?:[ -][0-9]{2,3}){2}|[0-9]{2,4}[ -][0-9]{2,4}|[0-9]{3,9})"
    r"(#|\*)?(?![0-9A-Za-z%:/])(?![.,][0-9])"
)
_GROUPS = re.compile(r"[A-Za-z0-9]{3,8}(?:-[A-Za-z0-9]{3,8}){1,8}(?![A-Za-z0-9])")
UNIT = re.compile(
    r"[ ]?(?:lines?|words?|characters?|chars?|bytes?|digits?|letters?|bits?|minutes?|mins?|"
    r"seconds?|secs?|hours?|days?|weeks?|months?|years?|times?|people|points?|pages?|files?|tokens?|keys?|"
    r"k\b|kb|mb|gb|ms|s\b|px|cm|mm|km|kg|dollars?|usd|eur|percent|attempts?|tries|items?|rows?|"
    r"of\b)",
    re.I,
)
NUMBER_NAMES = ("pin", "puk", "otp", "passcode", "cvv", "cvv2", "cvc", "cvc2")


def code(
    text: str, match: re.Match[str], name: str, before: str, start: int, stop: int
) -> Span | None:
    """A code that follows its name and a link; `before` is what stands before the name."""
    if HARMLESS_BEFORE.search(before) or match["to"]:
        return None
    if name.startswith(("cvv", "cvc")):
        three = re.compile("[0-9]{3,4}(?![0-9])").match(text, start)
        return (three.start(), three.end(), "code") if three else None
    if name.startswith("comb"):
        return _combination(text, match, before, start)
    digits = _DIGITS.match(text, start)
    if digits is not None:
        return _digit_code(text, match, name, before, digits)
    known = name in NUMBER_NAMES or _CODE_BEFORE.search(before) is not None
    value = text[start:stop]
    grouped = _GROUPS.match(text, start)
    if known and not match["bare"] and grouped and any(c.isdigit() for c in grouped[0]):
        return start, _more_groups(text, grouped.end()), "code"
    shouted = re.fullmatch(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9]{4,12}", value)
    named = not before.endswith(("the ", "my ", "your ", "this ", "a ", "confirmation "))
    # "the code it sent me says …"; a letter and a number is what machines show for a fault
    told = _SENT.match(match[0]) and re.fullmatch("[A-Z0-9]{5,8}", value)
    named = named or bool(told and not re.fullmatch("[A-Z]{1,3}[0-9]+|[A-Z]+[0-9]{1,3}", value))
    if known and named and shouted and not match["bare"] and not UNIT.match(text, stop):
        return start, stop, "code"
    return None


_MORE_GROUPS = re.compile(r",?[ ]?(?:and )?[A-Za-z0-9]{3,8}-[A-Za-z0-9]{3,8}(?![A-Za-z0-9])")


def _more_groups(text: str, end: int) -> int:
    """Backup codes come as a list."""
    while (more := _MORE_GROUPS.match(text, end)) and any(c.isdigit() for c in more[0]):
        end = more.end()
    return end


_BACKUP_BEFORE = re.compile(r"(?:back-?up|recovery|rescue|one[- ]time|emergency|scratch|2fa)[ ]\Z")
_MORE_NUMBERS = re.compile(
    r"[ ]?(?:[,，、;；/]|and|和)?[ ]?[0-9]{4,5}[ -]?[0-9]{4,5}(?![0-9A-Za-z])"
)


def more_numbers(text: str, end: int) -> int:
    """Backup codes of digits come as a list, too."""
    while more := _MORE_NUMBERS.match(text, end):
        end = more.end()
    return end


def _combination(text: str, match: re.Match[str], before: str, start: int) -> Span | None:
    """Numbers of a dial; four digits only where a lock is named."""
    locked = _LOCK_BEFORE.search(before) is not None
    dial = _DIAL.match(text, start)
    if dial and (locked or match["strong"] or not match["bare"]):
        return (start, dial.end(), "code") if not UNIT.match(text, dial.end()) else None
    four = _FOUR.match(text, start)
    lock_after = re.search(r"lock|safe|vault|bike|luggage|suitcase|briefcase|gym", match[0])
    if four and (locked or lock_after) and not UNIT.match(text, four.end()):
        return start, four.end(), "code"
    return None


def _digit_code(
    text: str, match: re.Match[str], name: str, before: str, digits: re.Match[str]
) -> Span | None:
    plain = re.sub("[^0-9]", "", digits[1])
    least = 3 if before.endswith("security ") else 4
    if not least <= len(plain) <= 9 or UNIT.match(text, digits.end()):
        return None
    end = digits.end()
    if name == "codes" and _BACKUP_BEFORE.search(before):
        end = more_numbers(text, end)
    span = digits.start(1), end, "code"
    if name in NUMBER_NAMES:
        return span
    if name.startswith("auth"):
        return span if len(plain) in (6, 8) and not match["bare"] else None
    if match["bare"]:
        sent = len(plain) == 6 and before.endswith(("use ", "enter "))
        return span if sent or _TELLING_BEFORE.search(before) else None
    if not _CODE_BEFORE.search(before) and not match["strong"] and before.strip():
        return None
    if _TELLING_BEFORE.search(before):  # it is no count, whatever comes next
        return span
    ends = ENDS_CLAUSE.match(text, end) or _GOES_ON.match(text, end)
    return span if ends else None
