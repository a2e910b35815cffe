"""What an import of chats did, or in a dry run would do; counted while it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ..importers.values import BadEntry, ImportedMessage, LeftOut
from ..types import Partition

MAX_LISTED = 10_000
MAX_BAD = 100
OTHERS = "…"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChatCount:
    """A chat of the file, how many messages it has, and where they go ("": nowhere). `by_title`:
    its title became the id there, as the file has none."""

    title: str
    target: str
    messages: int
    by_title: bool = False


@dataclass(frozen=True, slots=True)
class ImportedChats:
    """`messages` were read; of them `added`, there already (`same`), there in another form and
    `kept` or `replaced`, and left out because they were `forgotten` here. `left_out` are entries
    that are no messages to remember, by reason; `bad` the first that cannot be read, of
    `bad_count`. `first` and `last` are the times of the oldest and newest message; `jobs` were
    handed to the historian. `suggested_user_prefix` is what ids of groups have before their colon
    and those of the speakers have not."""

    format: str
    messages: int
    added: int
    same: int
    kept: int
    replaced: int
    forgotten: int
    chats: tuple[ChatCount, ...]
    speakers: Mapping[str, int]
    left_out: Mapping[str, int]
    bad: tuple[BadEntry, ...]
    bad_count: int
    first: float | None
    last: float | None
    jobs: int
    dry_run: bool
    suggested_user_prefix: str = ""


@dataclass
class ChatTally:
    """Counts in bounded memory: past ten thousand names, the others are one."""

    messages: int = 0
    chats: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    speakers: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    bad: list[BadEntry] = field(default_factory=list)
    bad_count: int = 0
    first: float | None = None
    last: float | None = None
    by_title: set[tuple[str, str, str]] = field(default_factory=set)
    missing_prefix: str = ""

    def message(
        self, message: ImportedMessage, place: Partition | None, by_title: bool = False
    ) -> None:
        talk, target = message.conversation, str(place) if place else ""
        self.messages += 1
        key = _count(self.chats, (talk.id, talk.title, target), (OTHERS, OTHERS, OTHERS))
        if by_title:
            self.by_title.add(key)
        if place is None:
            return
        _count(self.speakers, message.speaker or message.speaker_id or "", OTHERS)
        if message.time is not None:
            self.first = min(message.time, message.time if self.first is None else self.first)
            self.last = max(message.time, message.time if self.last is None else self.last)

    def leave_out(self, entry: LeftOut | BadEntry) -> None:
        if isinstance(entry, LeftOut):
            self.left_out[entry.reason] += 1
            return
        self.bad_count += 1
        if len(self.bad) < MAX_BAD:
            self.bad.append(entry)

    def chat_counts(self) -> tuple[ChatCount, ...]:
        """The largest first."""
        return tuple(
            ChatCount(title or id, target, count, (id, title, target) in self.by_title)
            for (id, title, target), count in self.chats.most_common()
        )


def _count(counter: Counter[T], key: T, others: T) -> T:
    """Under which key it was counted."""
    counted = key if key in counter or len(counter) < MAX_LISTED else others
    counter[counted] += 1
    return counted
