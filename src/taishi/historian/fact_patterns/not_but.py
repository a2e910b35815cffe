"""Not this but that, in one breath: "I'm not allergic to sesame but to peanuts".

The second half has no verb of its own. It gets that of the first, "I'm not allergic to sesame, I'm
allergic to peanuts", only where its form shows what it stands for: the same preposition, an
article, a name for a name. "I don't drink coffee but love tea" stays as it is.
"""

from __future__ import annotations

import re

from ...language.first_names import is_first_name
from ...language.lazy_regex import lazy_compile
from .correction_words import is_marked

_PREPOSITIONS = r"(?:to|in|at|from|for|with|of|as|on)"
_MARK = rf"(?:{_PREPOSITIONS}(?: (?:an?|the))?|an?|the)"
_BUT = r"(?:,? but (?:rather |actually |instead )?|, (?:rather |instead ))"
_WORD = r"[\w'’&-]+(?:\.[\w'’&-]+)*"
_VALUE = rf"{_WORD}(?: {_WORD}){{0,4}}?"
_ENDS = r"(?=\s*(?:[,;:!—–]|\.(?:\s|$)|$))"
_BEGINS = r"(?:^|(?<=[,;:.!—–-] )|(?<=\bactually )|(?<=\bthat )|(?<=\bno ))"
_NOT = (
    r"(?P<i>I)(?:(?P<be>['’]m| am) not|(?P<do> don['’]t| do not))"
    r" (?P<head>(?:[a-z-]+ ){0,2}?)"
)
_SAID_TWICE = lazy_compile(
    rf"{_BEGINS}(?P<first>{_NOT}(?P<mark>{_MARK}) (?P<old>{_VALUE}))"
    rf"(?:{_BUT}|, it(?:['’]s| is) )(?P<other>{_MARK}) (?P<new>{_VALUE}){_ENDS}"
)
_NAMES = lazy_compile(
    rf"{_BEGINS}(?P<first>{_NOT}(?:(?P<mark>{_PREPOSITIONS}) )?"
    r"(?P<old>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*))"
    rf"(?:{_BUT}|, it(?:['’]s| is) )(?P<new>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*){_ENDS}"
)
_IT_IS = lazy_compile(
    rf"{_BEGINS}(?P<first>{_NOT}(?P<mark>{_MARK}) (?P<old>{_VALUE}))"
    rf"[,;] ?(?:but )?it(?:['’]s| is) (?P<new>{_VALUE})"
    rf"(?P<repeated> (?:that |which )?I(?:['’]m| am|) (?P<again>[a-z -]+))?{_ENDS}"
)
_AND_NOT = lazy_compile(rf" and (?=not {_PREPOSITIONS} [\w'’-]+(?: [\w'’-]+){{0,2}}\W*$)")
# No thing: a purpose, a remark, or a clause of its own.
_NO_VALUE = lazy_compile(
    r"(?i)(?:be|avoid|keep|make|say|tell|stay|play|get|go|give|have|help|let|put|see|show|take|try"
    r"|use|work|live|sleep|eat|drink|quit|clarify|explain|answer|sum|some|this|that|no|all|now"
    r"|today|tomorrow|sure|long|fun|pity|shame|joke|time|moment|while|bit|lot|least|once|fact|truth)\b"
    r"|.*\b(?:I|you|he|she|it|we|they|me|my|your|is|are|was|were|do|does|did|that|which|who|because"
    r"|if|so|though|not|can|will|love|like|hate)\b"
)
_DAY_OR_MONTH = lazy_compile(
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July"
    r"|August|September|October|November|December)s?$"
)
_PLURAL = lazy_compile(r"(?!.*\b(?:always|perhaps|yes|theirs|yours|hers)$)[\w'’ -]{2,}(?<![usi])s$")
# After "it's": how something is, not what.
_JUDGES = lazy_compile(
    r"(?i)(?!(?:garlic|turmeric|cereals?|metal|canary|olive|eggplant|plant|seaweed|herring)s?$)"
    r"(?:.*(?:ic|al|ary|ive|able|ible|ful|ous|ed|ing|ly|less|ent|ant)$|.*\b(?:fine|ok|okay|good"
    r"|bad|true|wrong|false|right|over|gone|better|worse|great|nice|easy|hard|clear|mild|rare"
    r"|weird|odd|silly|funny|crazy|scary|tricky|annoying|new|old|me|him|her|them|so|too|very|here"
    r"|there|complicated|different|same|serious|severe|late|early|safe|sad|cool)$)"
)


def says_how(words: str) -> bool:
    """Whether the words say how something is and not what: "it's fine", "it's genetic"."""
    return _JUDGES.match(words) is not None


def both_said(text: str) -> str:
    """The text with the second half as a statement of its own."""
    if " not " not in text and "n't " not in text and "n’t " not in text:
        return text
    marked = is_marked(text)
    text = _AND_NOT.sub(", ", text)
    text = _SAID_TWICE.sub(_with_same_mark, text)
    text = _NAMES.sub(_with_name, text)
    return _IT_IS.sub(lambda found: _with_thing(found, marked), text)


def _stated(found: re.Match[str], value: str) -> str:
    verb = f"I{found['be']} " if found["be"] else "I "
    return f"{found['first']}, {verb}{found['head']}{value}"


def _with_same_mark(found: re.Match[str]) -> str:
    first, other = found["mark"].split(), found["other"].split()
    articles = {"a", "an", "the"}
    is_same = first[0] == other[0] or (first[0] in articles and other[0] in articles)
    if not is_same or _NO_VALUE.match(found["new"]):
        return found[0]
    return _stated(found, f"{found['other']} {found['new']}")


def _with_name(found: re.Match[str]) -> str:
    new = found["new"]
    if _DAY_OR_MONTH.match(new) or is_first_name(new.split()[0]):
        return found[0]
    mark = f"{found['mark']} " if found["mark"] else ""
    return _stated(found, f"{mark}{new}")


def _with_thing(found: re.Match[str], marked: bool) -> str:
    new, mark = found["new"], found["mark"]
    if mark in ("a", "an", "the") or _NO_VALUE.match(new):
        return found[0]
    if found["repeated"]:
        same = found["again"].strip() == f"{found['head']}{mark}".strip()
    elif found["old"][:1].isupper() or new[:1].isupper():
        same = False
    else:
        same = bool(_PLURAL.match(new)) or (marked and not says_how(new))
    return _stated(found, f"{mark} {new}") if same else found[0]
