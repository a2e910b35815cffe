"""What a turn gives evidence for: its words, its names, and the times its words can mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from ..language.clauses import content
from ..language.drift import drift
from ..language.gate import Fault
from ..language.normalise import squeezed
from ..language.polarity import turned_round
from ..language.semantic_roles import Utterance, swapped
from ..language.time_readings import TimeReadings, times_in
from ..types import Job, Message
from .participants import Participants, clean_name, zone_of
from .transcript import to_local_time

# More than the prompt shows of one text, so that everything the model may use is covered.
_READ_CHARS, _ALL_CHARS = 16_000, 64_000
_DATED_CHARS, _ALL_DATED_CHARS = 5_000, 20_000
_MAX_TEXTS = 60
_MIN_WORD_SHARE = 0.75
# Machine-readable parts of a step: marked as code, or with characters that no word has.
_LITERAL = re.compile(
    r"`[^`]{1,200}`|(?<!\S)(?=\S{0,80}[/\\$|&<>=~*{}@#%^_]|-{1,2}[A-Za-z])\S{2,200}|(?<!\S)[/~*](?!\S)"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The text that a model's output is checked against.

    `source` is for names and numbers, `words` for quotes; `utterances` is who said what, `times`
    every time that the words can mean, `spoken` the content words.
    """

    source: str
    words: str
    names: tuple[str, ...]
    people: tuple[str, ...] = ()
    utterances: tuple[Utterance, ...] = ()
    times: TimeReadings | None = None
    spoken: frozenset[str] = frozenset()

    @classmethod
    def of(cls, job: Job, participants: Participants, local: datetime) -> Evidence:
        utterances = [
            (
                Utterance(job.action_summary[:_READ_CHARS], participants.bot, participants.sender),
                local,
            )
        ]
        for text in (*job.new_info, job.source_message):
            utterances.append(
                (Utterance(text[:_READ_CHARS], participants.sender, participants.bot), local)
            )
        for message in job.recent_messages:
            said = message.get("text")
            if isinstance(said, str):
                utterance = Utterance(said[:_READ_CHARS], clean_name(message.get("speaker")))
                utterances.append((utterance, cls.moment(message, job) or local))
        ids = (job.user_id, job.sender_id, job.group_id, job.agent_id, job.session_id)
        people = tuple(
            name for name in (participants.sender, participants.bot, *participants.others) if name
        )
        return cls._from_utterances(
            utterances, (zone_of(local), *filter(None, ids)), participants.names, people, local
        )

    @classmethod
    def of_messages(
        cls, messages: Sequence[Message], previous: str, now: datetime | None
    ) -> Evidence:
        """The evidence of a conversation, together with the previous summary."""
        local = now or datetime.now(UTC)
        utterances = [(Utterance(previous[:_READ_CHARS]), local)]
        for message in messages[-_MAX_TEXTS:]:
            utterance = Utterance(message.text[:_READ_CHARS], clean_name(message.speaker))
            utterances.append((utterance, to_local_time(message.time, local.tzinfo) or local))
        names = tuple(
            dict.fromkeys(utterance.speaker for utterance, _ in utterances if utterance.speaker)
        )
        ids = (message.speaker_id for message in messages)
        return cls._from_utterances(utterances, tuple(filter(None, ids)), names, names, local)

    @classmethod
    def _from_utterances(
        cls,
        pairs: Sequence[tuple[Utterance, datetime]],
        ids: tuple[str, ...],
        names: tuple[str, ...],
        people: tuple[str, ...],
        now: datetime,
    ) -> Evidence:
        pairs = [
            (utterance, moment) for utterance, moment in pairs[: _MAX_TEXTS + 1] if utterance.text
        ]
        share = max(2_000, _ALL_CHARS // max(1, len(pairs)))
        pairs = [
            (replace(utterance, text=utterance.text[:share]), moment) for utterance, moment in pairs
        ]
        texts = "\n".join(utterance.text for utterance, _ in pairs)
        times = times_in(_dated(pairs), now)
        source, utterances = "\n".join((texts, *ids)), tuple(utterance for utterance, _ in pairs)
        return cls(source, squeezed(texts), names, people, utterances, times, content(texts))

    def invented(self, text: str) -> list[Fault]:
        """What a text says that the turn does not: names, figures, times, negations (H7)."""
        faults = drift(text, self.source, self.names, self.times)
        faults += turned_round(text, [utterance.text for utterance in self.utterances])
        return faults + swapped(text, self.utterances, self.people)

    def quotes_name(self, name: str) -> bool:
        """Whether somebody of that name took part or was mentioned."""
        return name in self.names or squeezed(name) in self.words

    def supports(self, step: str) -> bool:
        """Whether the turn contains a step: most of its content words, and verbatim every command,
        path or flag."""
        words = content(step)
        has_words = len(words & self.spoken) >= _MIN_WORD_SHARE * len(words) if words else False
        has_literals = all(
            squeezed(literal.strip("`")) in self.words for literal in _LITERAL.findall(step)
        )
        return (has_words or self.quotes(step)) and has_literals

    def unknown_terms(self, text: str) -> list[Fault]:
        """The names and figures of a short text that do not occur in the turn."""
        return drift(text, self.source, self.names, self.times)

    @staticmethod
    def moment(message: Mapping[str, Any], job: Job) -> datetime | None:
        """The time of a message, in the job's timezone."""
        try:
            return to_local_time(message.get("time"), ZoneInfo(job.timezone))
        except (KeyError, ValueError, OSError):
            return to_local_time(message.get("time"), UTC)

    def quotes(self, quote: str) -> bool:
        """Whether the turn contains this quote, ignoring spaces, width and case."""
        folded = squeezed(quote)
        return len(folded) >= 2 and folded in self.words


def _dated(pairs: Sequence[tuple[Utterance, datetime]]) -> Iterator[tuple[str, datetime]]:
    """The texts whose times are parsed: the beginning of each, within a total budget."""
    budget = _ALL_DATED_CHARS
    for utterance, moment in pairs:
        text = utterance.text[: min(_DATED_CHARS, budget)]
        budget -= len(text)
        yield text, moment
