"""Somebody whom a sentence introduces: "I have a sister, she is …", "I have a cat called Ink".

What is said next is about that one, so it is no fact about the speaker; a name belongs to the one
who was introduced.
"""

from __future__ import annotations

from ...language.lazy_regex import lazy_compile
from .english_words import ACQUAINTANCES, PARTNERS, PETS, PROFESSIONS, RELATIVES, alternation

_KNOWN = f"{PARTNERS} {RELATIVES} {ACQUAINTANCES} {PETS}"
_BEING = (
    rf"(?:{alternation(_KNOWN)}|{alternation(PROFESSIONS)}|guy|girl|man|woman|boy|kid|child|person"
    r"|lady|buddy|pal|mate|sibling|housemate|classmate|teammate|client|customer|student)"
)
_MEETS = (
    r"(?:have|['’]ve|know|met|adopted|got|own|hired|found|rescued|keep|see|am seeing|['’]m seeing"
    r"|am dating|['’]m dating|work with|live with)"
)
_WITH = r"(?: (?:an?|one|this|two|three|four|some|my|\d))(?: [\w'’-]+){0,3}?"
_INTRODUCES = lazy_compile(rf"I(?: just| also| recently)? ?{_MEETS}{_WITH} {_BEING}(?:e?s)?\b")
_ONE = lazy_compile(
    rf"I(?: just| also| recently)? ?{_MEETS} (?:an?|one)(?: [\w'’-]+){{0,3}}? {_BEING}$"
)
_MINE = lazy_compile(rf"[Mm]y(?: [\w'’-]+){{0,2}}? {_BEING}\b")
_OF_THE_OTHER = lazy_compile(
    r",\s*(?:and |but )?(?=(?:he|she|they|it|who|lives?|works?|likes?|loves?|hates?|is|are|was|has"
    r"|speaks?|studies|studying|living|working|based|allergic|wants?|plays?|goes|eats?|drinks?"
    r"|enjoys?|prefers?|moved|born|aged)\b)"
    r"|\s+(?:and|but)\s+(?=(?:he|she|they|it)\b)"
)
_NAMES = lazy_compile(
    r",?\s+(?:and |but )?(?:(?:he|she|it)(?:['’]s| is) (?:called|named)|(?:his|her|its) name(?: is"
    r"|['’]s))(?= [A-Z])"
)


def introduces(sentence: str) -> bool:
    """Whether the speaker brings in somebody else whom the next words may be about."""
    return _INTRODUCES.match(sentence) is not None


def with_names(sentence: str) -> str:
    """ "My cat is old, her name is Ink" → "My cat is old, my cat is called Ink"."""
    found = _NAMES.search(sentence)
    if found is None:
        return sentence
    before, after = sentence[: found.start()], sentence[found.end() :]
    if _ONE.fullmatch(before):
        return f"{before} called{after}"
    mine = _MINE.match(before)
    return f"{before}, my{mine[0][2:]} is called{after}" if mine else sentence


def own_part(sentence: str) -> str:
    """The sentence up to where it goes on about the one who was introduced."""
    if not introduces(sentence):
        return sentence
    return _OF_THE_OTHER.split(sentence, maxsplit=1)[0]
