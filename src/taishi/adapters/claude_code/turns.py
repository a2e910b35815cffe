"""Messages of a transcript as turns: what a user asked for, and what came of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any

from ...errors import TimeError
from ...language.courtesies import says_nothing
from ...language.forget_requests import RequestedWords, without_forget_requests
from ...language.statements import statements
from ...language.text import one_line, sentences
from ...times import to_epoch
from ...types import Scope
from .transcript import ENDED, FORGOT, NOTES, Said

BOT = "Claude"
MAX_TURNS = 20  # of a transcript that was never read before, the newest
MAX_MESSAGES = 20  # that go with one turn
MAX_MESSAGE_CHARS = 4000
SUMMARY_CHARS = 600
_ID = re.compile(r"[\w-]{1,100}", re.ASCII)
_QUOTED = re.compile('["“](.{1,2000}?)["”]', re.DOTALL)  # what the tool says that it forgot
_NOTED = re.compile(
    r"(?i)\b(?:noted|remembered|understood|saved|recorded|got it|will do"
    r"|i['’]ll (?:remember|keep) (?:that|it|this)(?: in mind)?)\b|记住|记下|记录|保存"
)
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """The messages from one prompt up to the next. Without a prompt: the rest of a turn whose
    beginning was kept before the session was compacted.

    `forgotten`: what a tool that forgot something in this turn said of it; None: there was none.
    `ended_with`: the arguments that the tool `end` kept of it already."""

    session: str
    messages: tuple[Said, ...]
    forgotten: tuple[str, ...] | None = None
    ended_with: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """The same whenever the turn is read, so that it is kept once; also from a copy of the
        transcript, as a resumed session makes one."""
        first = self.messages[0]
        mark = first.id or f"{self.session}\n{first.time}\n{first.text}"
        return "cc-" + hashlib.sha256(mark.encode("utf-8", "replace")).hexdigest()[:24]

    @property
    def leaves_nothing(self) -> bool:
        """Whether all of it was kept by `end`, or asks to forget something."""
        return (bool(self.ended_with) or self._only_forgets) and not (
            self.action_summary or self.new_info
        )

    @property
    def new_info(self) -> list[str]:
        """What the user stated; a model's own words are no evidence of anything."""
        if "new_info" in self.ended_with:
            return []
        typed = "\n".join(said.text for said in self._kept if said.role == "user")
        return statements(typed)

    @property
    def action_summary(self) -> str:
        """What the assistant wrote, without code: of much text the beginning, and the opening of
        the last one, which usually says what was done."""
        answers = [said.text for said in self._kept if said.role == "assistant"]
        if not answers or "action_summary" in self.ended_with:
            return ""
        *earlier, last = answers
        room = SUMMARY_CHARS - min(len(opening(last)), SUMMARY_CHARS // 2)
        first = opening("\n".join(earlier), room)
        summary = f"{first} {opening(last, SUMMARY_CHARS - len(first))}".strip()
        # That it was noted is no news beside what the tool `end` kept.
        return "" if self.ended_with and says_nothing(_NOTED.sub(" ok ", summary)) else summary

    @property
    def _kept(self) -> tuple[Said, ...]:
        """The messages without what was forgotten in this turn. What only asks for it, in words
        that say so, is left out by `end_turn`; if the user said nothing else, so is the answer,
        which tells what there was."""
        if self._only_forgets:
            return ()
        if self.forgotten is None:
            return self.messages
        typed = [without_forget_requests(one.text)[1] for one in self.messages if _is_user(one)]
        requested = [text for found in typed for text in found]
        requested += [said[1] for one in self.forgotten if (said := _QUOTED.search(one))]
        words = RequestedWords.of(requested)
        kept = [_without(one, words) for one in self.messages]
        if not any(_is_user(one) and one not in kept for one in self.messages):
            # It cannot be told which of the words asked for it.
            kept = [one for one in kept if not _is_user(one)]
        return tuple(one for one in kept if one.text)

    @property
    def _only_forgets(self) -> bool:
        """Whether all that the user typed asks to forget something."""
        typed = [one.text for one in self.messages if _is_user(one)]
        return bool(typed) and not any(_left(text) for text in typed)

    def details(self, scope: Scope) -> dict[str, Any]:
        """What `end_turn` is told, in a form that is also JSON."""
        user = scope.user or "user"
        return {
            "action_summary": self.action_summary,
            "new_info": self.new_info,
            "messages": [_message(said, user) for said in self._kept[-MAX_MESSAGES:]],
            "sender_id": user,
            "sender_name": user,
            "bot_name": BOT,
            "time": _time(self.messages[-1].time),
        }


def turns_of(messages: Sequence[Said], session: str) -> list[SessionTurn]:
    """The newest turns, oldest first."""
    parts = list(_split(messages))[-MAX_TURNS:]
    return [_turn(session, part) for part in parts if any(one.role not in NOTES for one in part)]


def _turn(session: str, part: Sequence[Said]) -> SessionTurn:
    said = tuple(one for one in part if one.role not in NOTES)
    forgotten = tuple(one.text for one in part if one.role == FORGOT)
    ended = frozenset(name for one in part if one.role == ENDED for name in one.text.split())
    return SessionTurn(session, said, forgotten or None, ended)


def _split(messages: Sequence[Said]) -> Iterator[list[Said]]:
    """A turn begins with what the user says after an answer."""
    turn: list[Said] = []
    last = ""
    for said in messages:
        if turn and said.role == "user" and last == "assistant":
            yield turn
            turn = []
        turn.append(said)
        last = last if said.role in NOTES else said.role
    if turn:
        yield turn


def opening(text: str, chars: int = SUMMARY_CHARS) -> str:
    """Its first sentences, as many as fit."""
    kept = ""
    for sentence in map(one_line, sentences(_FENCED.sub("\n", text))):
        if len(kept) + len(sentence) >= chars:
            return kept or sentence[:chars]
        kept = f"{kept} {sentence}".strip()
    return kept


def _is_user(said: Said) -> bool:
    return said.role == "user"


def _left(text: str) -> str:
    """What a text says besides requests to forget something and courtesies."""
    kept, gone = without_forget_requests(text)
    return "" if gone and says_nothing(kept) else kept.strip()


def _without(said: Said, words: RequestedWords) -> Said:
    text, _ = without_forget_requests(said.text, by_bot=not _is_user(said))
    return replace(said, text=words.without_repeats(text, by_bot=True))


def _message(said: Said, user: str) -> dict[str, Any]:
    is_user = said.role == "user"
    return {
        "text": said.text[:MAX_MESSAGE_CHARS],
        "speaker": user if is_user else BOT,
        "speaker_id": user if is_user else None,
        "id": said.id if _ID.fullmatch(said.id) else None,
    }


def _time(text: str) -> float | None:
    try:
        return to_epoch(text, UTC) if text else None
    except TimeError:
        return None
