"""Parses a question by rules: its terms, its sentences, the times and the speakers it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from ..language import analyzer
from ..language.courtesies import says_nothing
from ..language.lazy_regex import lazy_compile
from ..language.text import one_line, sentence_spans
from ..language.when import find_times
from ..times import to_epoch

MAX_TIMED_CHARS = 500
# "An hour ago" asks about an event, not about what was true then.
TOO_FINE = ("minute", "hour", "part")
# Days after (or before) the time in question within which people tell of it, by its grain.
TELLING_DAYS = {
    "day": 2,
    "weekend": 3,
    "week": 5,
    "month": 15,
    "season": 30,
    "quarter": 30,
    "year": 90,
    "decade": 900,
}
OTHER_TELLING_DAYS = 7
SECONDS_PER_DAY = 86_400.0

MIN_PIECE = 15
MIN_PIECE_CJK = 6
MAX_PIECES = 3
MAX_ADVICE_CHARS = 500  # what is asked comes last

# Words that ask and name nothing. Only a question loses them: in what is told they may matter.
_ASKING_ZH = lazy_compile(
    "什么|多少|哪个|哪些|哪里|哪儿|哪一项|哪一个|哪位|哪|几个|怎么样|怎么|谁|吗|呢|来着|请问|是不是|另外|啥"
)
# A number, a code or an address: who gives it means the record that has it.
_NUMBER = lazy_compile(r"\d{3}")
_ID = lazy_compile(r"(?=.*\d{3})[\w.@:/-]{5,}")
_FIRST_PERSON = lazy_compile(r"\b(?:[iI]|[mM][yY]|[mM][eE]|[mM][iI][nN][eE])\b|我")

# Advice is wanted for now, not what somebody once advised: "you recommended", 你推荐的, is told.
_COUNSEL = r"(?:tips?|advice|suggestions?|recommendations?|ideas?|thoughts)"
_ADVICE_SIGNS = ("any", "some", "you", "should")  # one of them is in it: sooner told than the rest
_ADVICE_EN = lazy_compile(
    rf"(?:^|[.!?;,:]\s*|\byou (?:have|got) )(?:any|some)(?: [\w'-]+){{0,3}} {_COUNSEL}\b"
    r"|\b(?:can|could|would) you (?:please |maybe )?(?:recommend|suggest|advise)\b"
    r"|\b(?:do|would) you (?:think|recommend|suggest)\b|\bshould (?:i|we)\b"
)
_ADVICE_ZH = lazy_compile(
    "(?:^|[，。？！、,.?!\\s你您])有(?:什么|啥|没有|哪些)[^，。？！]{0,8}?(?:推荐|建议|主意|想法)"
    "|[给帮](?:我|我们|咱们?)[^，。？！]{0,6}?(?:推荐|建议|参谋|出个?主意)"
    "|(?:能|可以|能不能|能否|请)推荐|[我咱]们?(?:该|应该|要不要)|[你您](?:觉得|建议|认为)我"
)


# Somebody asks what was said or done, and not for help with something now.
_LOOKS_BACK_EN = lazy_compile(
    r"\b(?:did|was|were|had|(?:have|has) (?:i|we|you|he|she|they|my|our)|mention(?:ed)?|told|said"
    r"|talked|discussed|previous(?:ly)?|earlier|last time|remind me|remember|so far|over time"
    r"|summar(?:y|i[sz]e)|(?:our|my|these|those) (?:\w+ )?"
    r"(?:conversation|chat|discussion|session|message|request)s?)\b"
)
_LOOKS_BACK_ZH = lazy_compile(
    "过吗|过没|过什么|过哪|之前|以前|上次|那次|当时|说过|提到|提过|聊过|告诉过|记得|总结|了吗|了没|回顾"
)
_WANTS_HELP_EN = lazy_compile(
    r"\b(?:can|could|would|will) you\b|\bhow (?:do|should|can|would|could|might|to)\b"
    r"|\bwhat (?:\w+ ){0,5}(?:should|can|could|would) (?:i|we|you)\b|\bshould (?:i|we)\b"
    r"|\b(?:help|show|teach) me\b|\bsuggest|\brecommend|\bdo i need\b|\bdo you think\b"
    r"|\bwhere (?:should|can) (?:i|we)\b"
)
_WANTS_HELP_ZH = lazy_compile(
    "[帮教给](?:我|我们|咱们?)|帮忙|怎么(?:办|做|写|弄|选|安排|才|用|准备|规划)|如何|推荐|建议|能不能|能否"
    "|可以[^，。？！]{0,6}吗|应该|要不要|我该|该(?:怎么|选|买|去)"
)


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A time that the question names, and how long after it people still tell of it (seconds)."""

    begin: float
    until: float
    telling: float


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it is searched for: its terms, and which of them are ids; its sentences and
    their terms, if there are several; whether it is about what was said or done, or for help with
    something now."""

    text: str
    terms: tuple[int, ...]
    pieces: tuple[str, ...] = ()
    parts: tuple[tuple[int, ...], ...] = ()
    ids: frozenset[int] = frozenset()
    looks_back: bool = False
    wants_help: bool = False


def read(text: str) -> Query:
    sentences = tuple(pieces(text))
    parts = tuple(terms for piece in sentences if (terms := _terms(piece)))
    return Query(
        text,
        _terms(text),
        sentences,
        parts if len(parts) > 1 else (),
        _ids(text),
        looks_back := _looks_back((sentences or (text,))[-1].lower()),
        not looks_back and _wants_help(text[-MAX_ADVICE_CHARS:].lower()),
    )


def _looks_back(text: str) -> bool:
    if not text.isascii() and _LOOKS_BACK_ZH.search(text):
        return True
    return _LOOKS_BACK_EN.search(text) is not None


def _wants_help(text: str) -> bool:
    if not text.isascii() and _WANTS_HELP_ZH.search(text):
        return True
    return _WANTS_HELP_EN.search(text) is not None


def in_first_person(text: str) -> bool:
    """Whether somebody asks about himself."""
    return _FIRST_PERSON.search(text) is not None


def asks_advice(text: str) -> bool:
    text = text[-MAX_ADVICE_CHARS:].lower()
    if not text.isascii() and _ADVICE_ZH.search(text):
        return True
    return any(sign in text for sign in _ADVICE_SIGNS) and _ADVICE_EN.search(text) is not None


def _ids(text: str) -> frozenset[int]:
    if not _NUMBER.search(text):
        return frozenset()
    words = analyzer.terms(text)
    return frozenset(analyzer.number_of(word) for word in words if _ID.fullmatch(word))


@cache
def _asking_words() -> frozenset[str]:
    return frozenset(analyzer.terms("many much kind type sort mention"))


def _terms(text: str) -> tuple[int, ...]:
    asking = _asking_words()
    is_whole = text.isascii() or says_nothing(text)  # 在吗 is not about 在
    words = dict.fromkeys(analyzer.terms(text if is_whole else _ASKING_ZH.sub(" ", text)))
    kept = [word for word in words if word not in asking] or dict.fromkeys(analyzer.terms(text))
    return tuple(analyzer.number_of(word) for word in kept)


def pieces(text: str) -> list[str]:
    """The sentences of a question of several; what is too short to mean much joins the next.

    People lead up to what they ask: a sentence may find what the whole, taken together, blurs.
    """
    found: list[str] = []
    held = ""
    for span in sentence_spans(text):
        held = f"{held} {text[span.start : span.stop]}".strip()
        if len(held) >= (MIN_PIECE_CJK if analyzer.has_cjk(held) else MIN_PIECE):
            found.append(held)
            held = ""
    if held and found:
        found[-1] = f"{found[-1]} {held}"
    return found[-MAX_PIECES:] if len(found) > 1 else []


def times_in(
    text: str, now: datetime
) -> tuple[tuple[float, float] | None, tuple[TimeMention, ...]]:
    """The stretch of the past that the question is about ("in March", 去年), if it names one;
    and every time it names, near which the answer may have been told."""
    stretch: tuple[float, float] | None = None
    moments: list[TimeMention] = []
    for span in find_times(text[:MAX_TIMED_CHARS], now):
        if span.grain in TOO_FINE or span.begin > now:
            continue
        begin, until = to_epoch(span.begin, UTC), to_epoch(span.until, UTC)
        days = TELLING_DAYS.get(span.grain, OTHER_TELLING_DAYS)
        moments.append(TimeMention(begin, until, days * SECONDS_PER_DAY))
        if stretch is None and span.until <= now:
            stretch = begin, until
    return stretch, tuple(moments)


def named_speakers(text: str, speakers: Sequence[str]) -> list[str]:
    """The speakers whom the text names, as whole words (or as they are, in Chinese)."""
    lowered = text.casefold()
    return [name for name in speakers if name.strip() and _names(lowered, name.casefold())]


def without(text: str, names: Iterable[str]) -> str:
    """The text with these names taken out, for the search by meaning.

    A name says who spoke, not what was said; left in, it pulls every message that greets that
    person. The text is returned whole if nothing but the names would be lost.
    """
    names = list(names)
    if not names:
        return text
    rest = text
    for name in names:
        rest = re.sub(rf"{_bounded(name)}(?:['’]s)?", " ", rest, flags=re.IGNORECASE)
    rest = one_line(rest)
    return rest if analyzer.terms(rest) else text


def _names(lowered: str, name: str) -> bool:
    return name in lowered and re.search(_bounded(name), lowered) is not None


def _bounded(name: str) -> str:
    escaped = re.escape(name)
    return escaped if analyzer.has_cjk(name) else rf"(?<!\w){escaped}(?!\w)"
