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
from .said_codes import ENDS_CLAUSE, HARMLESS_BEFORE, NUMBER_NAMES, UNIT, code
from .value_shapes import looks_chosen, looks_like_key

Span = tuple[int, int, str]

_NAME = re.compile(
    r"(?<![a-z0-9])(?:pass(?:words?|wd|phrase|codes?)?|pwd?|p/w|pin|otp|cvv2?|cvc2?|codes?"
    r"|combination|keys?|tokens?|secret|creds?|credentials|(?:seed|recovery|secret|backup) phrase"
    r"|mnemonic(?: phrase)?|security question|logins?)(?![a-z0-9_])"
)
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
_NUMBERED = ("pin", "otp", "cvv", "cvc", "code", "combination", "key", "token")
_DIGIT = re.compile("[0-9]")
ROUNDABOUT = 2  # the last of _AFTER
FAR = 200  # no qualifier, link and value together are longer


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
    if len(value) < 2 or (name not in NUMBER_NAMES and is_placeholder(value)):
        return None
    return _judged(text, match, name, before, start, stop)


def _judged(
    text: str, match: re.Match[str], name: str, before: str, start: int, stop: int
) -> Span | None:
    value, quoted = text[start:stop], match["quoted"] is not None
    if name == "security question":
        return (start, stop, "secret") if not match["bare"] and value[0].isupper() else None
    if name.startswith("code") or name in NUMBER_NAMES or name == "combination":
        return code(text, match, name, before, start, stop)
    if name.startswith(("key", "token", "secret")):
        return _key(match, name, before, start, stop, value)
    if name.startswith(("cred", "login")):
        return _pair(text, match, start)
    if name == "pass" and (HARMLESS_BEFORE.search(before) or match["to"]):
        return None
    if quoted:
        return None if match["bare"] else (start, stop, "password")
    return _password(text, match, start, stop)


def _password(text: str, match: re.Match[str], start: int, stop: int) -> Span | None:
    value = text[start:stop]
    if looks_chosen(value, 6 if match["bare"] else 4) and not UNIT.match(text, stop):
        return start, stop, "password"
    if value.isdigit() and len(value) >= 4 and not match["to"]:
        return None if UNIT.match(text, stop) else (start, stop, "password")
    if match["bare"] or match["to"]:
        return None
    phrase = _PASSPHRASE.match(text, start)
    if phrase and phrase[0].count(" ") >= 3 and not _SMALL_WORDS & set(phrase[0].split()):
        return phrase.start(), phrase.end(), "password"
    if "-" in value and re.fullmatch(r"[a-z]+(?:-[a-z]+){2,8}", value):
        return start, stop, "password"
    bare = value.lower().rstrip("!?:")
    worded = len(bare) < 4 or bare in EVERYDAY or bare.endswith(WORD_ENDINGS)
    ends = ENDS_CLAUSE.match(text, stop) is not None
    return (start, stop, "password") if ends and bare.isalpha() and not worded else None


def _key(
    match: re.Match[str], name: str, before: str, start: int, stop: int, value: str
) -> Span | None:
    if name in ("tokens", "keys") or HARMLESS_BEFORE.search(before) or match["to"]:
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
