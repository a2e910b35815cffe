"""Detects texts that attribute one person's action to another (H7).

Only what is plain is judged: a verb whose every doer in the source is known, done in the text by
somebody else of the cast; "A helped B" told as "B helped A"; and what a person said of himself told
of the other one in the talk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .clauses import Clause, clauses, is_past, lemma
from .gate import Fault
from .lazy_regex import lazy_compile

_COVERED = 0.6
_MOST_CLAUSES = 200
_WORD = lazy_compile(r"[A-Za-zÀ-ɏ]+(?:['’][A-Za-z]+)?|[.,;:!?\n]")
_SKIPPED = frozenset(
    """has have had will would did does do also then already just never not really finally still
    can could may might should ve ll d recently once even now""".split()
)
_PASSIVE = frozenset("is are was were been be being am 's".split())
# Verbs that everybody in a talk does, or that say too little to tell people apart.
_LIGHT = frozenset(
    """say tell ask answer report mention explain repli ask want need like know think have be do get
    go come make take let see look feel seem tri use call agre confirm note ad plan keep""".split()
)
_FIRST = frozenset("i i'm i've i'll i'd im ive".split())
_SECOND = frozenset("you you're you've you'll you'd".split())
_SELF_ZH = lazy_compile("我(?!们)|咱(?!们)")
_RELATIONS = "帮|替|给|为|向|问|请|让|告诉|送|教|陪|借给|通知|提醒|恭喜|祝贺|安慰"


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text, who said it and to whom; None for who is not known."""

    text: str
    speaker: str | None = None
    listener: str | None = None


def swapped(text: str, said: Sequence[Utterance], people: Sequence[str]) -> list[Fault]:
    """Spans where `text` attributes the actions of one of the `people` to another."""
    cast = [name for name in dict.fromkeys(people) if name]
    found = [*_wrong_doers(text, said, cast), *_wrong_ways(text, said, cast)]
    return found + list(_wrong_selves(text, said, cast))


def _wrong_doers(text: str, said: Sequence[Utterance], cast: Sequence[str]) -> Iterator[Fault]:
    doers: dict[str, set[str | None]] = {}
    for one in said:
        for verb, who in _doers(one):
            doers.setdefault(verb, set()).add(who)
    for name in cast:
        for start, end, verb in _deeds(text, name):
            known = doers.get(verb, {None})
            if None not in known and name.casefold() not in known:
                yield Fault("role", text[start:end], start, end)


def _doers(said: Utterance) -> Iterator[tuple[str, str | None]]:
    """Each word of a text as a verb, with who does it, or None where that is not plain."""
    before: list[str] = []
    for token in _WORD.findall(said.text):
        word = token.lower().replace("’", "'")
        if not word[0].isalpha():
            before = []
            continue
        verb = lemma(word)
        if verb not in _LIGHT and word not in _SKIPPED | _PASSIVE:
            yield verb, _subject(before, said)
        if word not in _SKIPPED:
            before.append(token)


def _subject(before: list[str], said: Utterance) -> str | None:
    if not before:
        return said.speaker.casefold() if said.speaker else None
    last = before[-1].lower().replace("’", "'")
    if last in _FIRST:
        return said.speaker.casefold() if said.speaker else None
    if last in _SECOND:
        return said.listener.casefold() if said.listener else None
    return last if before[-1][0].isupper() else None


def _deeds(text: str, name: str) -> Iterator[tuple[int, int, str]]:
    """The verbs that directly follow a name, not in the passive."""
    if not re.match("[A-Za-z]", name):
        return
    for match in re.finditer(rf"(?<![A-Za-z]){re.escape(name)}((?: [a-z']+){{1,4}})", text):
        passive = False
        for word in match[1].split():
            if word in _SKIPPED or word in _PASSIVE:
                passive = passive or word in _PASSIVE
                continue
            if is_past(word) and not passive:
                yield *match.span(), lemma(word)
            break


def _wrong_ways(text: str, said: Sequence[Utterance], cast: Sequence[str]) -> Iterator[Fault]:
    names = "|".join(re.escape(name) for name in sorted(cast, key=len, reverse=True))
    if not names:
        return
    people = rf"(?:{names}|[老小阿][\u3400-\u9fff])"
    there = {way for one in said for way in _ways(one, people)}
    for match in _way_pattern(people, people).finditer(text):
        one, how, other = _way(match)
        if (other, how, one) in there and (one, how, other) not in there:
            yield Fault("role", match[0], *match.span())


def _ways(said: Utterance, people: str) -> Iterator[tuple[str, str, str]]:
    """(who, how, whom) of a source, where who may be left out and is then the speaker."""
    who = rf"(?:{people}|我|你|您|用户)"
    for match in _way_pattern(rf"{who}?", who).finditer(said.text):
        one, how, other = _way(match)
        yield _named(one or "我", said), how, _named(other, said)


def _way_pattern(one: str, other: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<a>{one})(?:已经?|刚|也|就|去)?(?:(?P<how>{_RELATIONS})了?(?P<b>{other})"
        rf"|[向跟找从](?P<c>{other})(?:那里|那儿|处)?借|借了(?P<d>{other}))"
    )


def _way(match: re.Match[str]) -> tuple[str, str, str]:
    lender = match["c"] or match["d"]
    if lender or match["how"] == "向":
        return match["a"], "借", lender or match["b"]
    return match["a"], match["how"], match["b"]


def _named(word: str, said: Utterance) -> str:
    if word == "我":
        return said.speaker or word
    return (said.listener or word) if word in ("你", "您", "用户") else word


def _wrong_selves(text: str, said: Sequence[Utterance], cast: Sequence[str]) -> Iterator[Fault]:
    """ "我搬到杭州了" of one told as the move of another of the cast."""
    told = [(clause, one) for one in said if one.speaker for clause in clauses(one.text)]
    told = told[:_MOST_CLAUSES]
    for clause in clauses(text)[:_MOST_CLAUSES]:
        name = next((name for name in cast if clause.text.strip().startswith(name)), None)
        if not name or not re.match("[\u3400-\u9fff]", name):
            continue
        others = [(source, one.speaker) for source, one in told if _is_of_self(source, one, name)]
        for source, speaker in others:
            own = any(one.speaker == name and _tells(clause, c) for c, one in told)
            is_told = speaker and speaker in clause.text
            if not is_told and not own and _tells(clause, source):
                yield Fault("role", clause.text.strip(), clause.start, clause.end)
                break


def _is_of_self(source: Clause, said: Utterance, name: str) -> bool:
    return said.speaker != name and bool(_SELF_ZH.match(source.text.strip()))


def _tells(clause: Clause, source: Clause) -> bool:
    common = len(clause.words & source.words)
    return common >= 2 and common >= _COVERED * len(source.words)
