"""Names that are spelled out: "My name is spelt Margarete, with an e", "I spell my name J-o-n"."""

from __future__ import annotations

import re

from ...language.lazy_regex import lazy_compile

_WHICH = r"(?:(?:full|first|real|given) )?"
_SPELT = (
    r"(?:(?:actually|really|in fact|correctly) )?(?:spelled|spelt|written)(?: out)?(?: as"
    r"| like this:?|:)?"
)
_LETTERS = r"[A-Z](?:[-–. ][A-Za-z]){2,20}(?![\w'’-])"
_WORD = r"[A-Z][\w'’]+(?:-[A-Z][\w'’]+)?"
_NAME = rf"(?P<name>{_LETTERS}|{_WORD}(?: {_WORD}){{0,2}})"
_HOW_MANY = r"(?:an?|one|two|three|only one|just one|a single|double|no)"
_HOW = (  # which letters it has: no part of the name
    rf"(?:,? (?:and )?(?:with|without) {_HOW_MANY} [\w'’-]{{1,12}}"
    rf"(?: (?:and|but|not) (?:with |without )?{_HOW_MANY} [\w'’-]{{1,12}}){{0,2}}"
    r"(?: (?:at|in) the (?:start|beginning|middle|end))?)?"
)
# What the name is spelled like somewhere ("in the contract") may be the wrong way.
_ENDS = r"(?=\s*(?:$|[.;:!]|,(?! (?:in|on|by|but in|at)\b)|,? (?:and )?not\b| and I\b| but I\b))"
_STATES = lazy_compile(
    rf"\b[Mm]y {_WHICH}name(?: is|['’]s) {_SPELT} {_NAME}{_HOW}{_ENDS}"
    rf"|\bI (?:spell|write) my {_WHICH}name (?:as |like this:? |with the letters )?"
    rf"{_NAME.replace('<name>', '<spelled>')}{_HOW}{_ENDS}"
)


def with_plain_name(text: str) -> str:
    """ "My name is spelt Margarete, with an e" → "My name is Margarete"."""

    def plain(found: re.Match[str]) -> str:
        name = found["name"] or found["spelled"]
        if re.fullmatch(_LETTERS, name):
            name = "".join(re.findall("[A-Za-z]", name)).capitalize()
        return f"My name is {name}" if found.start() == 0 else f"my name is {name}"

    return _STATES.sub(plain, text)
