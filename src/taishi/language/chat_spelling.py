"""Expands chat spelling of pronouns and verbs (im, dont, u, gonna) to standard English.

Only what the other rules need is changed. Words that are something else as well ("ill", "id",
"ur") change only where the next word decides.
"""

from __future__ import annotations

import re
from functools import cache

from .text_edits import capital_like

_WORDS = {
    "im": "I'm", "ive": "I've", "idk": "I don't know", "imo": "in my opinion", "i": "I",
    "u": "you", "ya": "you", "yall": "you all", "youre": "you're", "youve": "you've",
    "youll": "you'll", "hes": "he's", "shes": "she's", "theyre": "they're", "theyve": "they've",
    "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't", "arent": "aren't",
    "wasnt": "wasn't", "werent": "weren't", "havent": "haven't", "hasnt": "hasn't",
    "hadnt": "hadn't", "cant": "can't", "couldnt": "couldn't", "wouldnt": "wouldn't",
    "shouldnt": "shouldn't", "wont": "won't", "aint": "ain't", "thats": "that's",
    "wanna": "want to", "gotta": "have to", "lemme": "let me",
    "gimme": "give me", "dunno": "don't know", "cuz": "because", "coz": "because",
    "bcuz": "because", "bcoz": "because", "becuz": "because", "myslef": "myself",
}  # fmt: skip
_IS = (
    r"(?: (?:so|very|really|not|too|an?|the|right|wrong|welcome|funny|cute|sweet|great"
    r"|amazing|awesome"
    r"|late|nice|cool|kind|smart|crazy|gonna|always|just|still|my|sure|[a-z]{2,12}ing)\b)"
)
_BASE = (
    r"(?: (?:never|always|also|probably|really|just))?"
    r" (?:be|have|go|get|do|take|make|come|see|try|call|send|need|say|love|like|prefer|rather|want"
    r"|buy|bring|start|give|tell|let|meet|pay|ask|check|think|keep|stay|leave|move|work"
    r"|help|eat|drink"
    r"|visit|wait|finish)\b"
)
_SOMETIMES = (
    (r"\bid(?=" + _BASE + r"|(?: never)? (?:been|better|already)\b)", "I'd"),
    (rf"\bill(?={_BASE})", "I'll"),
    (rf"\bur(?={_IS})", "you're"),
    (r"\bur(?= [a-z])", "your"),
    (r"\bu r\b", "you are"),
    (r"\br(?= (?:u|you)\b)", "are"),
    (r"\bi gotta\b", "I have to"),
    (r"\b(?:got|have) to to\b", "have to"),
)


def standard_spelling(text: str) -> str:
    """The text with chat spelling written out."""
    if not _informal().search(text):
        return text
    for pattern, written in _SOMETIMES:
        text = re.sub(f"(?i){pattern}", lambda match, to=written: _written(match, to), text)  # type: ignore[misc]
    text = re.sub(
        r"(?i)((?:['’](?:m|s|re)|\b(?:am|is|are|im|hes|shes)) )gonna\b", r"\1going to", text
    )
    text = re.sub(r"(?i)(?<=\bi've )gotta\b|(?<=\bhave )gotta\b", "got to", text)
    return _words().sub(lambda match: _written(match, _WORDS[match[0].lower()]), text)


def _written(match: re.Match[str], word: str) -> str:
    return capital_like(match[0], word) if match[0] != match[0].upper() or word[0] == "I" else word


_LEFT, _RIGHT = r"(?<![\w'’@#./-])", r"(?![\w'’@/-]|\.\w)"


@cache
def _words() -> re.Pattern[str]:
    words = "|".join(sorted((word for word in _WORDS if word != "i"), key=len, reverse=True))
    return re.compile(rf"(?i:{_LEFT}(?:{words}){_RIGHT})")


@cache
def _informal() -> re.Pattern[str]:
    words = "|".join(word for word in _WORDS if word != "i")
    return re.compile(rf"(?i){_LEFT}(?:{words}|id|ill|ur){_RIGHT}")
