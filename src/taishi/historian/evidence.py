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
from .transcript import moment_of

# More than a model is shown of one text, so that nothing it may use is missing.
_READ_CHARS, _ALL_CHARS = 16_000, 64_000
_DATED_CHARS, _ALL_DATED_CHARS = 5_000, 20_000
_MOST_TEXTS = 60
_MOSTLY = 0.75
# What stands in a step for a machine: marked as code, or with signs that no word has.
_LITERAL = re.compile(
    r"`[^`]{1,200}`|(?<!\S)(?=\S{0,80}[/\\$|&<>=~*{}@#%^_]|-{1,2}[A-Za-z])\S{2,200}|(?<!\S)[/~*](?!\S)"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """`source` is what names and numbers are checked against, `words` what is quoted.

    `told` is what the turn itself says, `times` every time that its words can mean.
    """

    source: str
    words: str
    names: tuple[str, ...]
    people: tuple[str, ...] = ()
    told: tuple[Utterance, ...] = ()
    times: TimeReadings | None = None
    spoken: frozenset[str] = frozenset()

    @classmethod
    def of(cls, job: Job, cast: Participants, local: datetime) -> Evidence:
        said = [(Utterance(job.action_summary[:_READ_CHARS], cast.bot, cast.sender), local)]
        for text in (*job.new_info, job.source_message):
            said.append((Utterance(text[:_READ_CHARS], cast.sender, cast.bot), local))
        for message in job.recent_messages:
            spoken = message.get("text")
            if isinstance(spoken, str):
                one = Utterance(spoken[:_READ_CHARS], clean_name(message.get("speaker")))
                said.append((one, cls.moment(message, job) or local))
        ids = (job.user_id, job.sender_id, job.group_id, job.agent_id, job.session_id)
        people = tuple(name for name in (cast.sender, cast.bot, *cast.others) if name)
        return cls._gathered(said, (zone_of(local), *filter(None, ids)), cast.names, people, local)

    @classmethod
    def of_messages(
        cls, messages: Sequence[Message], previous: str, now: datetime | None
    ) -> Evidence:
        """What a conversation gives evidence for, together with the summary of what was before."""
        local = now or datetime.now(UTC)
        said = [(Utterance(previous[:_READ_CHARS]), local)]
        for message in messages[-_MOST_TEXTS:]:
            one = Utterance(message.text[:_READ_CHARS], clean_name(message.speaker))
            said.append((one, moment_of(message.time, local.tzinfo) or local))
        names = tuple(dict.fromkeys(one.speaker for one, _ in said if one.speaker))
        ids = (message.speaker_id for message in messages)
        return cls._gathered(said, tuple(filter(None, ids)), names, names, local)

    @classmethod
    def _gathered(
        cls,
        said: Sequence[tuple[Utterance, datetime]],
        besides: tuple[str, ...],
        names: tuple[str, ...],
        people: tuple[str, ...],
        now: datetime,
    ) -> Evidence:
        said = [(one, moment) for one, moment in said[: _MOST_TEXTS + 1] if one.text]
        share = max(2_000, _ALL_CHARS // max(1, len(said)))
        said = [(replace(one, text=one.text[:share]), moment) for one, moment in said]
        texts = "\n".join(one.text for one, _ in said)
        times = times_in(_dated(said), now)
        source, told = "\n".join((texts, *besides)), tuple(one for one, _ in said)
        return cls(source, squeezed(texts), names, people, told, times, content(texts))

    def invented(self, text: str) -> list[Fault]:
        """What a text says that the turn does not: names, figures, times, yes for no (H7)."""
        found = drift(text, self.source, self.names, self.times)
        found += turned_round(text, [one.text for one in self.told])
        return found + swapped(text, self.told, self.people)

    def quotes_name(self, name: str) -> bool:
        """Whether somebody of that name took part or was spoken of."""
        return name in self.names or squeezed(name) in self.words

    def supports(self, step: str) -> bool:
        """Whether the turn contains a step: nearly all that it speaks of, and letter by letter what
        a machine would read, such as a command, a path or a flag."""
        words = content(step)
        said = len(words & self.spoken) >= _MOSTLY * len(words) if words else False
        literal = all(squeezed(one.strip("`")) in self.words for one in _LITERAL.findall(step))
        return (said or self.quotes(step)) and literal

    def strange(self, text: str) -> list[Fault]:
        """The names and figures of a text, a word or two, that the turn does not have."""
        return drift(text, self.source, self.names, self.times)

    @staticmethod
    def moment(message: Mapping[str, Any], job: Job) -> datetime | None:
        """When a message was said, on the clock of the job."""
        try:
            return moment_of(message.get("time"), ZoneInfo(job.timezone))
        except (KeyError, ValueError, OSError):
            return moment_of(message.get("time"), UTC)

    def quotes(self, quote: str) -> bool:
        """Whether these words were said, whatever the spaces, the width and the case."""
        plain = squeezed(quote)
        return len(plain) >= 2 and plain in self.words


def _dated(said: Sequence[tuple[Utterance, datetime]]) -> Iterator[tuple[str, datetime]]:
    """The texts whose times are read: the first of each, and not more than so much in all."""
    left = _ALL_DATED_CHARS
    for one, moment in said:
        text = one.text[: min(_DATED_CHARS, left)]
        left -= len(text)
        yield text, moment
