"""Secrets said in English: "my password is …", "the door code is …", "… is your code".

Written with `=` or in quotes a secret is plain; said, it stands among words. So a name is followed
by a link ("is", ":", "changed to"), and the value must be one that no sentence would hold there.
Each look at a name is bounded, which keeps a text of nothing but names linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .everyday_words import EVERYDAY, WORD_ENDINGS
from .placeholders import is_placeholder
from .value_shapes import looks_chosen, looks_like_key

Span = tuple[int, int, str]

_NAME = re.compile(
    r"(?<![a-z0-9])(?:pass(?:words?|wd|phrase|codes?)?|pwd?|p/w|pin|otp|cvv2?|cvc2?|codes?"
    r"|combination|keys?|tokens?|secret|creds?|credentials|(?:seed|recovery|secret|backup) phrase"
    r"|mnemonic(?: phrase)?|security question|logins?)(?![a-z0-9_])"
)
LITERALS = (
    "pass", "pw", "p/w", "pin", "otp", "cvv", "cvc", "code", "combination", "key", "token",
    "secret", "cred", "phrase", "mnemonic", "login", "security question",
)  # fmt: skip
_QUALIFIER = (
    r"[ ](?:for|to|of|on|at|in|from|they|she|he|i|you|we|that|which|number|no\.?|code)"
    r"(?:[ ][\w@.'&/-]{1,24}){0,5}?"
)
_LINK = (
    r"(?:(?P<strong>[ ]{0,2}(?:[:=]|：|->|=>|→)[ ]{0,2})"
    r"|(?P<to>[ ](?:to|as)[ ])"
    r"|'s[ ]"
    r"|[ ](?:is|was|are|were|should be|will be|must be|is now|has been changed to|changed to"
    r"|set to)"
    r"[ :]{1,3}(?:now |still |just |actually |simply |currently )?"
    r"|,?[ ](?:it's|it is|it was|which is|that's|namely)[ ]"
    r"|(?P<bare>[ ]))"
)
_ROUNDABOUT = (
    r"(?P<strong>(?!))?(?P<to>(?!))?(?P<bare>(?!))?"
    r"(?:[ ]is[ ](?:all |in |just )?[a-z]{1,12}(?:[ ][a-z]{1,12})?)?,[ ]"
)
_VALUE = (
    r"(?:(?P<quote>[\"'“‘`])(?P<quoted>[^\"'”’`\r\n]{1,80})[\"'”’`]"
    r"|(?P<plain>[!#-+\--:=?-~£€]{1,64}+))"
)
# Tried in this order: the name alone, what it is for, what is said of it first.
_AFTER = tuple(
    re.compile(before + _VALUE)
    for before in (
        _LINK,
        _QUALIFIER + _LINK.replace("|(?P<bare>[ ])", "|(?P<bare>(?!))"),
        _ROUNDABOUT,
    )
)
_HARMLESS_BEFORE = re.compile(
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
_LOCK_BEFORE = re.compile(r"(?:lock|safe|locker|padlock|vault|bike|luggage|gym)[ ]\Z")
_ENDS_CLAUSE = re.compile(
    r"[ ]?(?:[.!?,;)\r\n]|$)|[ ](?:and|but|so|for|btw|please|pls|ok|thanks|don)\b"
)
_REST = re.compile(r"[A-Za-z0-9_+/=~-]*+")
_SMALL_WORDS = frozenset(
    "a an the on in at to of is are was were be been not no and or but for with from by as than "
    "that this it its my your his her our their too very so if when always never still already "
    "just only also me you him them i we they he she what who how where why can will would should "
    "could has have had do does did about after before because until while more most same other "
    "needs need must may might".split()
)
_PASSPHRASE = re.compile(r"[a-z]{2,12}(?:[ -][a-z]{2,12}){2,11}(?=[.!?,;\r\n]|$)")
_SEED = re.compile(r"[^a-z\r\n]{0,3}([a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![a-z])", re.I)
_DIGITS = re.compile(
    r"(?:[A-Z]{1,2}-)?([0-9]{2,4}[ -][0-9]{2,4}|[0-9]{3,9})(#|\*)?(?![0-9A-Za-z%:/])(?![.,][0-9])"
)
_GROUPS = re.compile(r"[A-Za-z0-9]{3,8}(?:-[A-Za-z0-9]{3,8}){1,8}(?![A-Za-z0-9])")
_UNIT = re.compile(
    r"[ ]?(?:lines?|words?|characters?|chars?|bytes?|digits?|letters?|bits?|minutes?|mins?|"
    r"seconds?|secs?|hours?|days?|weeks?|months?|years?|times?|people|points?|pages?|files?|tokens?|keys?|"
    r"k\b|kb|mb|gb|ms|s\b|px|cm|mm|km|kg|dollars?|usd|eur|percent|attempts?|tries|items?|rows?|"
    r"of\b)",
    re.I,
)
_NUMBERED = ("pin", "otp", "cvv", "cvc", "code", "combination", "key", "token")
_DIGIT = re.compile("[0-9]")
ROUNDABOUT = 2  # the last of _AFTER
FAR = 200  # no qualifier, link and value together are longer
_NUMBER_NAMES = ("pin", "otp", "passcode", "cvv", "cvv2", "cvc", "cvc2")


def find_said(text: str, lowered: str) -> Iterator[Span]:
    """Values that were given a secret's name in words."""
    position = 0
    while named := _NAME.search(lowered, position):
        position = named.end()
        before = lowered[max(0, named.start() - 28) : named.start()]
        found = _after_name(text, lowered, named[0], before, position)
        if found is not None:
            start, end, label = found
            position = end if text[end - 1 : end] in "#*" else _run_end(text, end)
            yield start, position, label
    yield from _before_name(text, lowered)


def _after_name(text: str, lowered: str, name: str, before: str, end: int) -> Span | None:
    if name.endswith("phrase") or name.startswith("mnemonic"):
        if seed := _seed(text, end):
            return seed
        if name != "passphrase":
            return None
    if name.startswith(_NUMBERED) and not _DIGIT.search(lowered, end, end + FAR):
        return None
    for number, after in enumerate(_AFTER):
        match = after.match(lowered, end)
        if match is not None and not (number and match["bare"]):
            found = _read(text, match, name, before)
            if found is not None and (number < ROUNDABOUT or _told_apart(text, found)):
                return found
    return None


def _told_apart(text: str, found: Span) -> bool:
    """After a comma anything may follow: only a value with digits, and no assignment, counts."""
    value = text[found[0] : found[1]]
    return bool(_DIGIT.search(value)) and "=" not in value and "'" not in value


def _run_end(text: str, end: int) -> int:
    """A value is judged by its opening; all of it goes."""
    if text[end - 1 : end].isspace() or end >= len(text):
        return end
    more = _REST.match(text, end)
    return more.end() if more else end


def _read(text: str, match: re.Match[str], name: str, before: str) -> Span | None:
    start, stop = match.span("quoted" if match["quoted"] is not None else "plain")
    if match["plain"]:
        if "=" in (match["strong"] or "") and (more := text.find("&", start, stop)) > 0:
            stop = more  # the next field of a query
        stop = start + len(re.sub(r"(?:\*\*|__|[.,;:)\]}>\"'`])+\Z", "", text[start:stop]))
    value = text[start:stop]
    if len(value) < 2 or (name not in _NUMBER_NAMES and is_placeholder(value)):
        return None
    return _judged(text, match, name, before, start, stop)


def _judged(
    text: str, match: re.Match[str], name: str, before: str, start: int, stop: int
) -> Span | None:
    value, quoted = text[start:stop], match["quoted"] is not None
    if name == "security question":
        return (start, stop, "secret") if not match["bare"] and value[0].isupper() else None
    if name.startswith("code") or name in _NUMBER_NAMES or name == "combination":
        return _code(text, match, name, before, start, stop)
    if name.startswith(("key", "token", "secret")):
        return _key(match, name, before, start, stop, value)
    if name.startswith(("cred", "login")):
        return _pair(text, match, start)
    if name == "pass" and (_HARMLESS_BEFORE.search(before) or match["to"]):
        return None
    if quoted:
        return None if match["bare"] else (start, stop, "password")
    return _password(text, match, start, stop)


def _password(text: str, match: re.Match[str], start: int, stop: int) -> Span | None:
    value = text[start:stop]
    if looks_chosen(value, 6 if match["bare"] else 4) and not _UNIT.match(text, stop):
        return start, stop, "password"
    if value.isdigit() and len(value) >= 4 and not match["to"]:
        return None if _UNIT.match(text, stop) else (start, stop, "password")
    if match["bare"] or match["to"]:
        return None
    phrase = _PASSPHRASE.match(text, start)
    if phrase and phrase[0].count(" ") >= 3 and not _SMALL_WORDS & set(phrase[0].split()):
        return phrase.start(), phrase.end(), "password"
    if "-" in value and re.fullmatch(r"[a-z]+(?:-[a-z]+){2,8}", value):
        return start, stop, "password"
    bare = value.lower().rstrip("!?:")
    worded = len(bare) < 4 or bare in EVERYDAY or bare.endswith(WORD_ENDINGS)
    ends = _ENDS_CLAUSE.match(text, stop) is not None
    return (start, stop, "password") if ends and bare.isalpha() and not worded else None


def _code(
    text: str, match: re.Match[str], name: str, before: str, start: int, stop: int
) -> Span | None:
    if _HARMLESS_BEFORE.search(before) or match["to"]:
        return None
    if name.startswith(("cvv", "cvc")):
        three = re.compile("[0-9]{3,4}(?![0-9])").match(text, start)
        return (three.start(), three.end(), "code") if three else None
    if name == "combination":
        dial = re.compile("[0-9]{1,2}(?:[- ][0-9]{1,2}){2,4}(?![0-9])").match(text, start)
        wanted = dial and (_LOCK_BEFORE.search(before) or match["strong"])
        return (start, dial.end(), "code") if dial and wanted else None
    digits = _DIGITS.match(text, start)
    if digits is not None:
        return _digit_code(text, match, name, before, digits)
    known = name in _NUMBER_NAMES or _CODE_BEFORE.search(before) is not None
    value = text[start:stop]
    grouped = _GROUPS.match(text, start)
    if known and not match["bare"] and grouped and any(c.isdigit() for c in grouped[0]):
        return start, _more_groups(text, grouped.end()), "code"
    shouted = re.fullmatch(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9]{4,12}", value)
    named = not before.endswith(("the ", "my ", "your ", "this ", "a ", "confirmation "))
    if known and named and shouted and not match["bare"] and not _UNIT.match(text, stop):
        return start, stop, "code"
    return None


def _more_groups(text: str, end: int) -> int:
    """Backup codes come as a list."""
    while (
        more := re.compile(r",?[ ]?[A-Za-z0-9]{3,8}-[A-Za-z0-9]{3,8}(?![A-Za-z0-9])").match(
            text, end
        )
    ) and any(c.isdigit() for c in more[0]):
        end = more.end()
    return end


def _digit_code(
    text: str, match: re.Match[str], name: str, before: str, digits: re.Match[str]
) -> Span | None:
    plain = re.sub("[^0-9]", "", digits[1])
    least = 3 if before.endswith("security ") else 4
    if not least <= len(plain) <= 9 or _UNIT.match(text, digits.end()):
        return None
    span = digits.start(1), digits.end(), "code"
    if name in _NUMBER_NAMES:
        return span
    if match["bare"]:
        sent = len(plain) == 6 and before.endswith(("use ", "enter "))
        return span if sent or _TELLING_BEFORE.search(before) else None
    if not _CODE_BEFORE.search(before) and not match["strong"] and before.strip():
        return None
    ends = _ENDS_CLAUSE.match(text, digits.end()) is not None
    return span if ends else None


def _key(
    match: re.Match[str], name: str, before: str, start: int, stop: int, value: str
) -> Span | None:
    if name in ("tokens", "keys") or _HARMLESS_BEFORE.search(before) or match["to"]:
        return None
    license = re.fullmatch(r"[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,6}", value)
    if license and any(c.isdigit() for c in value):
        return start, stop, "secret"
    least = 10 if name.startswith(("token", "secret")) and not match["bare"] else 16
    label = "token" if name == "token" else "secret"
    return (start, stop, label) if looks_like_key(value, least) else None


def _pair(text: str, match: re.Match[str], start: int) -> Span | None:
    """`credentials: admin / …`: a user's name, a stroke or a colon, the password."""
    if match["bare"] or match["to"]:
        return None
    pair = re.compile(r"[\w.@-]{2,40}[ ]?[/:|][ ]?([!-~]{4,64})").match(text, start)
    if pair is None or not looks_chosen(pair[1]):
        return None
    return pair.start(1), pair.end(1), "password"


def _seed(text: str, end: int) -> Span | None:
    link = re.compile(r"(?:[ ](?:is|was|are)[ :]{1,2}|[ ]?[:：=][ ]?|[ ])").match(text, end)
    words = _SEED.match(text, link.end()) if link else None
    if words is None:
        return None
    said = re.split("[ ,]+", words[1].lower())
    if _SMALL_WORDS & set(said):
        return None
    return words.start(1), words.end(1), "seed-phrase"


_BACK = re.compile(
    r"(?:[ ](?:is|as|was)|,?[ ]that's|,?[ ]that is)[ ](?:(?:my|the|our|your|his|her|their|a)[ ])?"
    r"(?:[a-z0-9'-]{1,16}[ ]){0,3}(?:pass(?:word|phrase|code|wd)|pin|otp|code)(?![a-z])"
)


def _before_name(text: str, lowered: str) -> Iterator[Span]:
    """The value first: "… is my password", "use … as your code"."""
    for match in _BACK.finditer(lowered):
        head = text[max(0, match.start() - 80) : match.start()]
        value = head.rsplit(None, 1)[-1] if head.strip() else ""
        value = value.lstrip("\"'“([").rstrip("\"'”)],")
        start = match.start() - len(head) + head.rfind(value) if value else 0
        if match[0].endswith(("code", "pin", "otp", "passcode")):
            digits = re.fullmatch(r"(?:[A-Za-z]{1,2}-)?([0-9]{4,9})", value)
            if digits and not re.search("(?:error|status|zip|area|source|exit|country)", match[0]):
                yield start + digits.start(1), start + digits.end(1), "code"
        elif looks_chosen(value) and not is_placeholder(value):
            yield start, start + len(value), "password"
