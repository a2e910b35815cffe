"""Secrets said in English: "my password is …", "the door code is …", "… is your code".

Written with `=` or in quotes a secret is plain; said, it stands among words. So a name is followed
by a link ("is", ":", "changed to"), and the value must be one that no sentence would hold there.
Each look at a name is bounded, which keeps a text of nothing but names linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from .everyday_words import EVERYDAY, WORD_ENDINGS
from .placeholders import is_placeholder
from .spoken_codes import ENDS_CLAUSE, HARMLESS_BEFORE, NUMBER_NAMES, UNIT, code
from .value_shapes import is_numbered_thing, looks_chosen, looks_like_key, looks_mixed

Span = tuple[int, int, str]

_NAME = re.compile(
    r"(?<![a-z0-9])(?:(?:seed|recovery|secret|backup|wallet|metamask|ledger|trezor|phantom"
    r"|12|24|twelve)(?: phrase| words)|puk|authenticator(?: app)?"
    r"|(?:app|client|consumer|corp|api)[_ -]?secret|secret[_ -]?(?:access[_ -]?)?key|a(?:pp|pi)key"
    r"|pass?wo?r[dt]s?|pas{2,3}words?|pass(?:owrd|wrod|ord)|pas?swd|psw|pswd|ps?swrd|pass[ -]word"
    r"|pass(?:words?|wd|phrase|codes?)?|pwd?|p/w|pin|otp|cvv2?|cvc2?|codes?"
    r"|combination|combo|keys?|tokens?|secret|creds?|credentials"
    r"|mnemonic(?: phrase| words)?|security (?:question|answer)|logins?)(?![a-z0-9_])"
)
_QUALIFIER = (
    r"[ ](?:for|to|of|on|at|in|from|they|she|he|i|you|we|it|that|which|number|no\.?|code)"
    r"(?:[ ][\w@.'&/-]{1,24}){0,5}?"
)
_LINK = (
    r"(?:(?P<strong>[ ]{0,2}(?:[:=]|：|->|=>|→)[ ]{0,2})"
    r"|(?P<to>[ ](?:to|as)[ ])"
    r"|'s[ ]"
    r"|[ ](?:is|was|are|were|should be|will be|must be|is now|has been changed to|changed to"
    r"|set to|says|reads|shows)"
    r"[ :]{1,3}(?:now |still |just |actually |simply |currently |really |literally )?"
    r"|,?[ ](?:it's|its|it is|it was|which is|that's|namely)[ ]"
    r"|(?P<bare>[ ]))"
)
_NO_LINK = r"(?P<strong>(?!))?(?P<to>(?!))?(?P<bare>(?!))?"
_ROUNDABOUT = (
    _NO_LINK + r"(?:[ ](?:is|was|has|got|just|changed)(?:[ ][a-z]{1,12}){0,3})?[,;.][ ]"
    r"(?:(?:(?:the )?new one(?:'s| is|:)|it's|its|it is|now)(?: now| it's| its| it is)?[ ])?"
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
        _NO_LINK + r",[ ][a-z' ]{3,60},[ ](?:is|was)[ ]",
        _NO_LINK + r"[ ](?:for|to)(?:[ ][a-z']{1,12}){1,4}\?[ ]",
    )
)
# A second guess after the first: "… or …", "otherwise …".
_OR = re.compile(
    r"[\"'”’`]?,?[ ]?"
    r"(?:or maybe|or else|or|otherwise|if not|maybe|或者?是?|要不|不行就|不然)[ ,，]{0,2}"
    r"(?:it's |try |with |就?是|试试)?[\"'“‘`]?([!#-+\--:=?-~]{5,64}+)"
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
# Of the small words, those that a seed phrase may hold.
_SEED_WORDS = frozenset(
    "about after also always because before can have just more need never only other same still "
    "that they this very what when where will you must until".split()
)
_SEED_BREAKS = _SMALL_WORDS - _SEED_WORDS
_SEED_SIZES = (24, 21, 18, 15, 12)
_SEED_NEXT = r"[ ,]{1,2}(?:[0-9]{1,2}[.):]?[ ])?"
_SEED_LINK = (
    r"(?:(?:[ ](?:for|of|to|from)(?:[ ][\w'-]{1,16}){1,4}?)?(?:[ ]\([^()\r\n]{1,20}\))?"
    r"(?:[ ](?:is|was|are|goes|reads)(?:[ ](?:as follows|in order|these))?[ :,]{1,2}"
    r"|(?:[ ]in order)?[ ]?[:：=,-][ ]{0,2})|[ ])"
)
_SEED = re.compile(
    rf"{_SEED_LINK}[^a-z\r\n]{{0,4}}"
    rf"([a-z]{{3,8}}(?:{_SEED_NEXT}[a-z]{{3,8}}){{11,23}})(?![a-z])",
    re.I,
)
# "… security question …, I put Xyz": a name that was made up for it.
_ANSWER = re.compile(
    r"[^.?!\r\n]{0,80}?(?<![a-z])[Ii] (?:put|answered|entered|chose)(?: down)?"
    r" [\"'“]?([A-Z][\w'-]{3,40})"
    r"(?=[\"'”]?(?:[ ]?[.,;(!\r\n]|$|[ ](?:so|and|but|as|instead|because)[ ]))"
)
_NUMBERED = ("pin", "otp", "cvv", "cvc", "code", "combination", "combo", "key", "token")
_DIGIT = re.compile("[0-9]")
ROUNDABOUT = 2  # from here on, the patterns of _AFTER have no link
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
            if label == "password":
                yield from second_guess(text, position)
    yield from _before_name(text, lowered)


def second_guess(text: str, end: int) -> Iterator[Span]:
    """People give two passwords where they are not sure."""
    if other := _OR.match(text, end):
        value = other[1].rstrip(".,;:?)\"'`")
        if looks_chosen(value) and not is_placeholder(value):
            yield other.start(1), other.start(1) + len(value), "password"


def _after_name(text: str, lowered: str, name: str, before: str, end: int) -> Span | None:
    if name.endswith(("phrase", " words")) or name.startswith("mnemonic"):
        if seed := _seed(text, end):
            return seed
        if name != "passphrase":
            return None
    if name.startswith("security ") and (answer := _ANSWER.match(text, end)):
        return answer.start(1), answer.end(1), "secret"
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
    odd = "=" in value or "'" in value or is_numbered_thing(value)
    return bool(_DIGIT.search(value)) and not odd


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
    if (len(value) < 2 and not name.startswith("comb")) or (
        name not in NUMBER_NAMES and is_placeholder(value)
    ):
        return None
    return _judged(text, match, name, before, start, stop)


def _judged(
    text: str, match: re.Match[str], name: str, before: str, start: int, stop: int
) -> Span | None:
    value, quoted = text[start:stop], match["quoted"] is not None
    if name.startswith("security "):
        return (start, stop, "secret") if not match["bare"] and value[0].isupper() else None
    if name.startswith(("code", "comb", "auth")) or name in NUMBER_NAMES:
        return code(text, match, name, before, start, stop)
    if name.startswith(("key", "token", "secret")) or name.endswith(("secret", "key")):
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
    if match["to"] and is_numbered_thing(value):
        return None
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


_KEY_BEFORE = ("accesskey ", "access key ", "app ", "client ", "consumer ", "accesskey_")


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
    of_vendor = name.endswith("secret") and (name != "secret" or before.endswith(_KEY_BEFORE))
    if looks_like_key(value, least) or (of_vendor and looks_mixed(value)):
        return start, stop, label
    return None


def _pair(text: str, match: re.Match[str], start: int) -> Span | None:
    """`credentials: admin / …`: a user's name, a stroke or a colon, the password."""
    if match["bare"] or match["to"]:
        return None
    pair = re.compile(r"[\w.@-]{2,40}[ ]?[/:|][ ]?([!-~]{4,64})").match(text, start)
    if pair is None or not looks_chosen(pair[1]):
        return None
    return pair.start(1), pair.end(1), "password"


def _seed(text: str, end: int) -> Span | None:
    """Twelve words and more, up to where the sentence goes on."""
    words = _SEED.match(text, end)
    if words is None:
        return None
    said = list(re.finditer("[a-z]+", words[1], re.I))
    of_seed = list(takewhile(lambda word: word[0].lower() not in _SEED_BREAKS, said))
    size = next((size for size in _SEED_SIZES if size <= len(of_seed)), 0)
    if not size or sum(word[0].lower() in _SEED_WORDS for word in of_seed[:size]) > size // 4:
        return None
    size = len(of_seed) if len(of_seed) == len(said) else size
    return words.start(1), words.start(1) + of_seed[size - 1].end(), "seed-phrase"


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
            yield from second_guess(text, match.end())
