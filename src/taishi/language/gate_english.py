"""English words that lose their meaning out of context."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import cast

from .gate_faults import Reason
from .text import ascii_lower

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_LEFT, _RIGHT = r"(?<![A-Za-zÀ-ɏ0-9_@#-])", r"(?![A-Za-zÀ-ɏ0-9_-]|\.[A-Za-z0-9]|@)"
_EN_PRONOUN = (
    r"(?:i|you|he|she|it|we|they)(?:['’](?:m|s|re|ve|ll|d))?|me|him|her|them|us|my|your"
    r"|his|its|their"
    r"|our|yours|hers|theirs|ours|mine|myself|yourself|yourselves|himself|herself|itself|ourselves"
    r"|themselves|y['’]all|let['’]s|(?:this|that)['’](?:s|ll|d)|(?:this|that|these"
    r"|those)(?=\s+(?:is"
    r"|are|was|were|(?:is|are|was|does)n['’]t|won['’]t|will|would|can|could|should|might"
    r"|has|had|does"
    r"|did|means|meant|makes|made|seems|seemed|sounds|sounded|looks|looked|works|worked"
    r"|helps|helped"
    r"|happened)\b)"
)
_EN_COUNT = (
    r"(?:\d{1,6}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half an?|several"
    r"|many|(?:a )?few|(?:a )?couple(?: of)?|some)"
)
_EN_UNIT = r"(?:second|minute|hour|day|night|week|weekend|fortnight|month|quarter|year|decade)s?"
_EN_PERIOD = (
    r"(?:week|weekend|month|year|quarter|semester|spring|summer|autumn|fall|winter|night|morning"
    r"|afternoon|evening|decade|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu"
    r"|fri|january|february|march|april|(?<!this )may|june|july|august|september|october|november"
    r"|december)"
)
_EN_PAST = (
    r"(?!(?:tired|bored|excited|interested|confused|worried|scared|based|limited|wanted"
    r"|needed|liked"
    r"|loved)\b)(?:[a-z]{2,20}ed|got|came|went|saw|bought|sold|left|began|found|heard|told"
    r"|met|made|took"
    r"|ate|won|lost|sent|wrote|read|broke|had|gave|became|finished|now)\b"
)
_EN_THEN = (  # passes after a date: it points into the text
    r"that (?:day|night|morning|afternoon|evening|week|weekend|month|year|summer|winter)"
    r"|(?:at|by|until|since) (?:that time|then)|at the time(?! of)|back then"
)
_EN_TIME = (
    r"(?:the )?day (?:before yesterday|after tomorrow)|today|yesterday|tomorrow|tonight|tmrw?"
    r"|one of these days|some ?day|some other (?:day|time)"
    r"|(?:right |just )?now|recently|lately|currently|nowadays|these days|the other day"
    r"|at the moment|week before last|week after next|later|(?:a (?:long )?while|"
    rf"{_EN_COUNT}\s+(?:and a half )?{_EN_UNIT})\s+ago|ago"
    rf"|(?:last|next|this|(?<=the )past|coming)\s(?:past |coming )?{_EN_PERIOD}"
    rf"(?!\s+(?:of|in (?:{'|'.join(MONTHS)})[a-z]*)\b)"
    rf"|(?:last|past|next)\s{_EN_COUNT}\s{_EN_UNIT}|just(?=\s+{_EN_PAST})"
    r"|(?:the )?end of (?:q[1-4]|h[12]"
    r"|the (?:first|second|third|fourth|last) quarter)(?!,? (?:of )?(?:fy ?)?['’]?\d)"
    r"|(?:the )?end of the (?:day|week|month|quarter|year)(?! of)|(?:month|year)[- ]end|eo[dwmy]"
    r"|(?<!every )(?<!each )the weekend(?! of)|(?:next|last) time(?! (?:zone|slot))"
    r"|soon(?!\s+(?:after|as))|shortly(?!\s+(?:after|before))|in a (?:bit|while|moment|minute|sec)"
    r"|earlier(?!\s+(?:than|today|this|on|in|versions?|works|models?|releases))"
    rf"|(?P<anchored>{_EN_THEN})"
)
_EN_PLACE = (
    r"here(?:['’]s)?|there(?!['’]|\s+(?:is|are|was|were|isn|aren|wasn|weren|will|would|won"
    r"|has|have|had"
    r"|may|might|can|could|should|must|exists?|existed|seems?|seemed|appears?|appeared|remains?"
    r"|remained|used|be)\b)|locally(?!\s+(?:hosted|deployed|installed|stored|cached"
    r"|compact|optimal|linear))"
    r"|this (?:group|channel|chat|place)(?! of\b)|nearby|close by|next door(?! to)"
    r"|(?:the|our|my) usual (?:place|spot|bar|table)|the same (?:place|spot)(?! as)"
    r"|around the corner(?! from)"
)


@cache
def _english() -> re.Pattern[str]:
    return re.compile(
        f"(?=[a-z0-9]){_LEFT}(?:(?P<pronoun>{_EN_PRONOUN})|(?P<relative_place>{_EN_PLACE})"
        f"|(?P<relative_time>{_EN_TIME})){_RIGHT}"
    )


def english_words(masked: str) -> Iterator[tuple[Reason, int, int]]:
    lower = ascii_lower(masked)
    shouting = len(re.findall("[A-Z]+", masked)) > 2 and not re.search("[a-z]", masked)
    for match in _english().finditer(lower):
        start, end = match.span()
        word, before = masked[start:end], masked[max(0, start - 24) : start]
        if word in _ACRONYMS and not (shouting and word != "US"):
            continue
        if _is_part_of_name(word, before, masked[end : end + 24]):
            continue
        if match["anchored"] and re.search(_EN_DATE, masked[max(0, start - 300) : start]):
            continue
        excuse = _EN_EXCUSES.get(re.split("['’]", match[0])[0])
        if excuse and re.search(excuse, f"{before}\0{word}\0{masked[end : end + 24]}"):
            continue
        yield _reason(match), start, end


_EN_DATE = r"(?<!\d)(?:19|20)\d\d(?!\d)"


def _reason(match: re.Match[str]) -> Reason:
    reasons = ("pronoun", "relative_place", "relative_time")
    return cast(Reason, next(reason for reason in reasons if match[reason]))


_ACRONYMS = frozenset(("IT", "US", "ME", "HE", "MY"))


_TITLE_WORDS = frozenset("I It You We He She They My Your Our His Her This That".split())


def _is_part_of_name(word: str, before: str, after: str) -> bool:
    """USA Today, Edge of Tomorrow, Kai He, He Wei, Dr. He, It Takes Two, I Am Legend."""
    if word in _TITLE_WORDS and re.match(
        r" [A-Z][a-z]+ (?:[A-Z]|(?:of|the|a|in|by|to) [A-Z])", after
    ):
        return True
    if not word[0].isupper() or word.isupper() or word[:2] in ("I'", "I’"):
        return False
    if word == "He" and re.match(r" [A-Z][a-z]", after):
        return True
    name = r"\b(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?|[A-Z][\w’']*|[A-Z]\w* (?:of|the|and|in|to)) $"
    return " " not in word and re.search(name, before) is not None


# What excuses a word: matched against "before NUL word NUL after".
_EN_CLAUSE = r"(?:^|[.!?;:,\n(]\s*|\b(?:and|but|so|because)\s)"
_EN_BARE = rf"(?s)^(?!.*{_EN_CLAUSE}\0)|\0that\0 is,"
_EN_EXCUSES = {
    "i": r"\0I\0(?:/|\)|\.\s+[A-Z])|\b(?:War|Type|Part|Chapter|Phase|Volume|Book|Act|Class|Level"
    r"|Grade|Stage|Category|Article|Section|Table|Figure|Appendix|Elizabeth|Napoleon|Charles|George"
    r"|James|William|Nicholas|Francis|Peter|Henry) \0I\0|['’]\0"
    r"|\0i\0(?! [a-z]{2})|\0i\0 (?:in|and|or|is|as)\b",
    "you": r"(?i)\bthank(?:ing)? \0you\0|\0you['’]re\0 welcome\b|\0you\0 (?:never know"
    r"|know what i mean"
    r"|only live once|can['’]t win them all|name it\b)"
    r"|(?:^|[,.!?;:]\s*|\b(?:like|and|but|so) )\0you\0 (?:know(?: what)?|see)(?=[,.!?]|$)",
    "mine": r"(?i)\b(?:an?|the|to|can|will|coal|gold|salt|copper|silver|iron|tin|land|old|this|that"
    r"|data|bitcoin|open|deep|each|every) \0mine\0|\0mine\0 (?:data|coal|gold|shaft|field"
    r"|workers?)",
    **dict.fromkeys(("himself", "herself", "itself", "themselves"), r"(?:\S+ ){2}\0"),
    "now": r"\0 (?:known as|called)\b",
    "just": r"\bnot \0",
    "later": r"\0 (?:than|versions?|chapters|years|models?|stages?|releases|editions|life|works"
    r"|(?:on|in) (?:\d{4}|[A-Z]))|\b(?:sooner )?or \0|\d and \0",
    "there": r"(?i)(?:(?:^|[.!?;:,\n]\s*)(?:is|are|was|were|will|(?:is|are)n['’]t)"
    r"|\b(?:hi|hello|hey)) \0",
    "here": r"(?i)(?:^|[.!?;:\n]\s*|\b(?:and|so|well|ok|okay),? )"
    r"\0here(?:['’]s\0|\0 (?:is|are|was|were|comes?|goes)\b)",
    "that": _EN_BARE,
    "those": _EN_BARE,
}
