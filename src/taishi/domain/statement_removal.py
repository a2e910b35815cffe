"""Takes what a forgotten fact states out of the event that it was learned from (O2).

An event tells several things: the others stay. What it keeps of the turn (the person's own words,
the messages) loses the same statement. Nothing here stores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..language.analyzer import has_cjk
from ..language.clause_subjects import SPEAKER, subject_of
from ..language.clauses import Clause, clauses, content
from ..language.lazy_regex import lazy_compile
from ..language.text import sentence_spans
from ..types import Job, Record
from .corrections import CORRECTIONS, corrections_of
from .event_evidence import RETAINED, job_of, own_messages
from .evidence_withdrawal import Messages
from .fact_lifecycle import having, ids_in
from .text_identity import has_words, normal, same

MOST_CHARS = 20_000  # of one text that are read
TOLD_SHARE = 0.6  # of a fact's words that a sentence of its source has to say
SHORTEST_PHRASE = 4
_CLOSING = " \t.。!！?？;；,，、:：…"
_JOINED_BEFORE = lazy_compile(
    r"(?:[,，;；、]|\b(?:and|but|so|because|also|that)\b|而且|并且|但是?|因为|所以|还有|另外|\s)+$",
    re.IGNORECASE,
)
_JOINED_AFTER = lazy_compile(
    r"^(?:[,，;；、.。!！]|\b(?:and|but|so|also)\b|而且|并且|但是?|还有|另外|\s)+", re.IGNORECASE
)
_LABEL = lazy_compile(r"(?:(?<=[;；\n])|^)\s*[^;；:：\n.。,，]{1,60}[:：]\s*$")
_ENDS = tuple(".。!！?？;；:：\n")
_WIDE_ENDS = tuple("。！？；：")
_ACKNOWLEDGED = lazy_compile(
    r"(?:[^;；:：\n.。,，]{1,60}[:：])?[\W_]*(?:(?:ok(?:ay)?|noted|got it|sure|thanks?|thank you"
    r"|understood|all right|alright|will do|done|remembered|saved"
    r"|i(?:['’]ll| will|['’]ve| have)? (?:remember(?:ed)?|noted?|ke(?:ep|pt)|saved?)"
    r"(?: (?:that|it|this))?(?: down| in mind)?"
    r"|好的?|嗯|记住了|已记住|记下了|已记下|知道了|明白了?|收到|了解)[\W_]*)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Removed:
    """An event without the statement. `phrases` are the words that went; none: they were not found
    in it. `is_empty`: it tells nothing else."""

    event: Record
    phrases: tuple[str, ...]
    is_empty: bool


def without_statement(event: Record, fact: Record, others: Sequence[Record] = ()) -> Removed:
    """The event without what the fact states; `others` are facts that were learned from it, too,
    and stay told."""
    search = _Search(fact, event, others)
    phrases = tuple(dict.fromkeys(search.phrases()))
    if not phrases:
        return Removed(event, (), False)
    lost = [one for one in others if not _is_told(one, _texts(_cut_event(event, phrases)))]
    retold = [one.text for one in lost if any(search.is_of(one, phrase) for phrase in phrases)]
    cut = _cut_event(event, phrases, retold)
    if not _tells_more(cut) and lost:
        cut = _cut_event(event, phrases, [one.text for one in lost])
    return Removed(cut, phrases, not _tells_more(cut))


def quotes_cut(fact: Record, phrases: Sequence[str]) -> Record:
    """Another fact without these words in its quotes."""
    before = ids_in(fact, "quotes")
    after = [left for one in before if (left := cut_text(one, phrases))]
    return having(fact, quotes=after) if after != before else fact


def messages_cut(event: Record, phrases: Sequence[str], own: Messages) -> Record:
    """A later event, which has the messages of the first among those before it."""
    turn = event.data.get(RETAINED)
    if not isinstance(turn, Mapping):
        return event
    messages, is_changed = _cut_messages(turn.get("messages"), phrases, own)
    if not is_changed:
        return event
    return having(event, **{RETAINED: {**turn, "messages": messages}})


def job_cut(job: Job, phrases: Sequence[str], own: Messages) -> Job | None:
    """A later turn that waits, without these words in the messages before it; None: unchanged."""
    messages, is_changed = _cut_messages(list(job.recent_messages), phrases, own)
    if not is_changed:
        return None
    said = {str(one.get("text") or "") for one in job.recent_messages}
    source = job.source_message
    source = cut_text(source, phrases) if source in said else source
    return replace(job, recent_messages=tuple(messages), source_message=source, recalled=())


def note_cut(event: Record, fact: Record) -> Record:
    """An event whose note names the fact's words, without them."""
    before = corrections_of(event.data)
    after = [
        {**one, "now": "" if same(one["now"], fact.text) else one["now"]}
        for one in before
        if not same(one["said"], fact.text)
    ]
    return having(event, **{CORRECTIONS: after}) if after != before else event


def cut_text(text: str, phrases: Iterable[str]) -> str:
    """The text without these phrases, and without what joined them to the rest."""
    for phrase in sorted(phrases, key=len, reverse=True):
        if phrase.casefold() not in text.casefold():
            continue
        is_ascii = not has_cjk(phrase)
        edge = (
            r"(?<!\w)" if is_ascii and phrase[:1].isalnum() else "",
            r"(?!\w)" if is_ascii and phrase[-1:].isalnum() else "",
        )
        pattern = re.compile(f"{edge[0]}{re.escape(phrase)}{edge[1]}", re.IGNORECASE)
        while (found := pattern.search(text)) is not None:
            before, after = text[: found.start()], text[found.end() :]
            if _JOINED_BEFORE.search(phrase):  # with what led on to the next clause
                before = before.rstrip()
                gap = "" if has_cjk(before[-1:]) or has_cjk(after[:1]) else " "
                text = f"{before}{gap}{after.lstrip()}"
            else:
                text = _joined(before, after)
    return text


def _joined(before: str, after: str) -> str:
    """What stood before and after a phrase, with one closing mark between them."""
    closing = after[:1] if after[:1] in ".。!！?？" else ""
    rest = _JOINED_AFTER.sub("", after)
    ended = before.rstrip()
    if not ended or ended.endswith(_ENDS):
        if not rest or after.lstrip()[:1] in (";", "；") or "\n" in after[:1]:
            ended = _LABEL.sub("", ended).rstrip(" :：;；,，\n" if not rest else " ")
        gap = "" if ended.endswith(_WIDE_ENDS) else " "
        gap = "\n" if "\n" in before[len(ended) :] or after.startswith("\n") else gap
        return f"{ended}{gap if ended and rest else ''}{rest}"
    ended = _JOINED_BEFORE.sub("", ended)
    if closing:
        return f"{ended}{closing}{' ' if rest and closing.isascii() else ''}{rest}"
    joint = "" if not rest or not ended else ("，" if has_cjk(ended) else ", ")
    return f"{ended}{joint}{rest}"


class _Search:
    """Where an event says what a fact states."""

    def __init__(self, fact: Record, event: Record, others: Sequence[Record]) -> None:
        self._fact, self._event = fact, event
        self._others = [words for one in others if (words := self._words(one))]
        self._wanted = self._words(fact)

    def phrases(self) -> Iterator[str]:
        """In the event's own words and in those of the turn."""
        data, job = self._event.data, job_of(self._event)
        told = [str(one) for one in _list(data.get("new_info"))]
        said = list(job.new_info)
        for number, text in enumerate(told):
            found = list(self._in(text))
            yield from (text[start:end] for start, end in found)
            if number < len(said) and len(said) == len(told):
                yield from self._beside(text, found, said[number])
        if len(said) != len(told):
            for text in said:
                yield from self._pieces(text)
        messages = [str(one.get("text") or "") for one in own_messages(self._event)]
        for text in (self._event.text, str(data.get("did_what") or ""), job.action_summary):
            yield from self._pieces(text)
        for text in (*messages, job.source_message):
            if text not in said:
                yield from self._pieces(text)

    def is_of(self, other: Record, phrase: str) -> bool:
        words = self._words(other)
        return bool(words) and len(words & content(phrase)) >= TOLD_SHARE * len(words)

    def _pieces(self, text: str) -> Iterator[str]:
        return (text[start:end] for start, end in self._in(text))

    def _beside(self, told: str, found: Sequence[tuple[int, int]], said: str) -> Iterator[str]:
        """In the person's words: the sentences that the event tells in its own."""
        ours, theirs = list(sentence_spans(told)), list(sentence_spans(said))
        if len(ours) != len(theirs):
            yield from self._pieces(said)
            return
        for mine, other in zip(ours, theirs, strict=True):
            inner = [one for one in found if mine.start <= one[0] < max(mine.end, mine.start + 1)]
            if not inner:
                continue
            is_whole = inner[0][1] - inner[0][0] >= 0.9 * (mine.stop - mine.start)
            narrowed = _trimmed if is_whole else self._narrowed
            if span := narrowed(said, other.start, other.stop):
                yield said[slice(*span)]

    def _in(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the text says it: in the fact's words if it does, else in words much like them."""
        text = text[:MOST_CHARS]
        spans = [(one.start, one.stop) for one in sentence_spans(text)]
        exact = [one for one in spans if has_words(text[slice(*one)], self._fact.text)]
        near = exact or [one for one in spans if self._is_near(text[slice(*one)], self._wanted)]
        near = near or [one for one in spans if self._is_near(text[slice(*one)], self._object)]
        for start, end in near:
            if span := self._narrowed(text, start, end):
                yield span

    def _is_near(self, sentence: str, wanted: frozenset[str]) -> bool:
        words = content(sentence)
        shared = words & wanted
        if not shared or len(shared) < TOLD_SHARE * len(wanted):
            return False
        # "My sister Lena lives in Oslo" is not where Ann's "I live in Oslo" was said.
        return not any(shared < other and other <= words for other in self._others)

    def _narrowed(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """The clauses of a sentence that say it, if the others say something of their own; but not
        the subject that the next clause goes on with. None: it cannot be told whose that is."""
        parts = clauses(text[start:end])
        shared = content(text[start:end]) & self._wanted
        if len(parts) < 2 or not shared:
            return _trimmed(text, start, end)
        first, last = self._without_subject(parts, shared, *_shortest_run(parts, shared))
        rest = [one for n, one in enumerate(parts) if not first <= n <= last]
        if not any(len(one.words - self._names) > 0 for one in rest):
            return _trimmed(text, start, end)
        goes_on = parts[last + 1] if last + 1 < len(parts) else None
        subject = self._needed_subject(parts[first : last + 1], goes_on)
        if subject is None:
            return None
        if not subject or goes_on is None:
            return _trimmed(text, start + parts[first].start, start + parts[last].end)
        at = text.index(subject, start + parts[first].start) + len(subject)
        at += len(text[at:]) - len(text[at:].lstrip())
        return at, start + goes_on.start + len(goes_on.text) - len(goes_on.text.lstrip())

    def _without_subject(
        self, parts: Sequence[Clause], shared: frozenset[str], first: int, last: int
    ) -> tuple[int, int]:
        """Of clauses with one subject, those that say it of that subject."""
        subject = self._subject(parts[first])
        said = shared - content(subject or "")
        if not subject or not said or first == last:
            return first, last
        begin, stop = _shortest_run(parts[first + 1 : last + 1], said)
        found = parts[first + 1 : last + 1][begin : stop + 1]
        is_said = said <= frozenset(word for one in found for word in one.words)
        goes_on = all(self._subject(one) == "" for one in parts[first + 1 : last + 1])
        return (first + 1 + begin, first + 1 + stop) if is_said and goes_on else (first, last)

    def _needed_subject(self, cut: Sequence[Clause], goes_on: Clause | None) -> str | None:
        """The subject of clauses that are cut out, if the next one has none of its own; None if
        that may be so, and the subject is not known."""
        next_one = "." if goes_on is None else self._subject(goes_on)
        with_own = [(n, found) for n, one in enumerate(cut) if (found := self._subject(one)) != ""]
        if next_one or not with_own:
            return ""
        at, subject = with_own[-1]
        if subject is None:
            return "" if next_one is None else None
        if subject.casefold() in SPEAKER:
            return ""  # what is left is still the speaker's
        if next_one == "" and at == 0:
            return subject
        return "" if subject in self._people else None

    def _subject(self, clause: Clause) -> str | None:
        return subject_of(clause.text, self._people)

    def _words(self, fact: Record) -> frozenset[str]:
        """What a fact says of its subject; all its words if that leaves none."""
        words = content(fact.text)
        return words - self._names or words

    @property
    def _object(self) -> frozenset[str]:
        """What a fact says without its verb: "lives in Galway" may come from "moved to Galway"."""
        tokens = [content(one) - self._names for one in self._fact.text.split()]
        return frozenset(word for one in [one for one in tokens if one][1:] for word in one)

    @property
    def _people(self) -> list[str]:
        named = (self._fact.data.get("subject"), self._event.speaker, self._event.user)
        return [str(one) for one in named if one]

    @property
    def _names(self) -> frozenset[str]:
        return frozenset(word for one in self._people for word in content(one))


def _shortest_run(parts: Sequence[Clause], wanted: frozenset[str]) -> tuple[int, int]:
    """The fewest neighbouring clauses that have all of these words."""
    found = (0, len(parts) - 1)
    for first in range(len(parts)):
        seen: frozenset[str] = frozenset()
        for last in range(first, min(len(parts), first + found[1] - found[0])):
            seen |= parts[last].words
            if wanted <= seen:
                found = (first, last)
                break
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Without white space and marks around it; None if hardly anything is left."""
    phrase = text[start:end]
    inner = phrase.strip(_CLOSING)
    at = start + phrase.index(inner)
    return (at, at + len(inner)) if len(inner) >= SHORTEST_PHRASE else None


def _cut_event(event: Record, phrases: Sequence[str], retold: Sequence[str] = ()) -> Record:
    data = {key: _cut_value(value, phrases) for key, value in event.data.items()}
    if isinstance(data.get("new_info"), list):
        data["new_info"] = [*data["new_info"], *retold]
        data["has_new_info"] = bool(data["new_info"])
    turn = data.get(RETAINED)
    if isinstance(turn, Mapping):
        news = [*_list(turn.get("new_info")), *retold]
        data[RETAINED] = {key: value for key, value in turn.items() if key != "recalled"}
        data[RETAINED] |= {"new_info": news} if news else {}
    text = "; ".join(one for one in (cut_text(event.text, phrases), *retold) if one)
    return replace(event, text=text, data=data)


def _cut_value(value: Any, phrases: Sequence[str]) -> Any:
    if isinstance(value, str):
        return cut_text(value, phrases)
    if isinstance(value, Mapping):
        return {key: _cut_value(inner, phrases) for key, inner in value.items()}
    if isinstance(value, list):
        cut = [_cut_value(one, phrases) for one in value]
        return [new for old, new in zip(value, cut, strict=True) if new or old == new]
    return value


def _cut_messages(
    messages: Any, phrases: Sequence[str], own: Messages
) -> tuple[list[Mapping[str, Any]], bool]:
    found = [one for one in _list(messages) if isinstance(one, Mapping)]
    after = []
    for one in found:
        text = str(one.get("text") or "")
        after.append({**one, "text": cut_text(text, phrases)} if text and one in own else one)
    return after, after != found


def _tells_more(event: Record) -> bool:
    news = [str(one) for one in _list(event.data.get("new_info"))]
    if event.kind == "turn":
        news = event.text.splitlines()
    if any(normal(one) and not _ACKNOWLEDGED.fullmatch(one.strip()) for one in news):
        return True
    did = str(event.data.get("did_what") or "").strip()
    if "new_info" not in event.data and not did:  # of an older program: the text is all there is
        return bool(content(event.text))
    as_said = job_of(event).action_summary.strip()
    return bool(normal(did)) and not any(_ACKNOWLEDGED.fullmatch(one) for one in (did, as_said))


def _texts(event: Record) -> list[str]:
    return [event.text, *(str(one) for one in _list(event.data.get("new_info")))]


def _is_told(fact: Record, texts: Iterable[str]) -> bool:
    words = content(fact.text)
    return any(words and words <= content(text) for text in texts)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
