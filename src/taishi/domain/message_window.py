"""Chooses what of a conversation is sent to a model: a window of its last messages within a budget
of tokens (M1), at one of four levels of compression (M2).

What is kept, in this order: the system prompt; the latest user message; tool calls with their
results; older history, of which the last messages come first, then what stands for the earlier
ones, then the rest. Nothing is sent that a model's server would refuse: no result without its
call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..ports import Compression, StoredMessage
from ..ports.chat_message import ChatMessage
from ..ports.working import CompressionLevel as Level
from ..ports.working import MessageWindow as MessageWindow
from ..settings import WorkingSettings
from .compression_text import Standing, summary_message
from .message_shortening import REPLY_TOKENS, MessageCost, shortened, shorter, without_pictures
from .message_units import Unit, latest_messages, units_of

TOOL_TOKENS = 200  # of a tool's result, once tool outputs are trimmed
LEAST_TOKENS = 24  # of anything that is shortened
NEWEST_SHARE = 4
SYSTEM_SHARE = 4  # the latest user message keeps a quarter of the budget


@dataclass(frozen=True, slots=True)
class Conversation:
    """What there is to choose from: the leading system messages; the latest messages, some more
    than a window; how many there are in all; what stands for the earlier ones; the latest user
    message, if it is not among the latest."""

    system: Sequence[StoredMessage]
    latest: Sequence[StoredMessage]
    count: int
    compressions: Sequence[Compression]
    asked: StoredMessage | None = None


@dataclass(slots=True)
class _Choice:
    """The units that are sent so far, as they are sent; by the number of their first message."""

    room: float
    units: dict[int, Unit] = field(default_factory=dict)

    def add(self, unit: Unit, cost: int) -> bool:
        if cost > self.room:
            return False
        self.room -= cost
        self.units[unit.first] = unit
        return True


def choose(
    talk: Conversation, settings: WorkingSettings, max_tokens: int | None, cost: MessageCost
) -> MessageWindow:
    """What to send of a conversation. Without `max_tokens` there is no budget: the window alone."""
    return _Window(talk, settings, max_tokens, cost).choose()


class _Window:
    def __init__(
        self,
        talk: Conversation,
        settings: WorkingSettings,
        max_tokens: int | None,
        cost: MessageCost,
    ) -> None:
        self._talk = talk
        self._settings = settings
        self._cost = cost
        self._budget = None if max_tokens is None else int(max_tokens * settings.budget_ratio)
        leading = {one.number for one in talk.system}
        units, _ = units_of([one for one in talk.latest if one.number not in leading])
        self._units = units[latest_messages(units, settings.window_messages) :]
        self._system = [Unit((one,)) for one in talk.system]
        users = [Unit((talk.asked,))] if talk.asked else []
        users += [unit for unit in units if unit.role == "user"]
        self._asked = users[-1] if users else None  # however many messages came after it
        self._original = {
            one.number: one.message
            for unit in (*self._system, *users, *self._units)
            for one in unit.messages
        }

    def choose(self) -> MessageWindow:
        level: Level = "none"
        if self._budget is not None and self._use() > self._settings.trim_at:
            level = "trim"
            self._trim()
            use = self._use()
            if use > self._settings.summarise_at:
                level = "extract" if use > self._settings.extract_at else "summarise"
        units, standing = self._represented(level)
        return self._fitted(level, units, standing)

    # -- levels --------------------------------------------------------------------------------

    def _use(self) -> float:
        total = sum(self._of(unit) for unit in (*self._system, *self._units))
        return total / max(1, self._budget or 1)

    def _of(self, unit: Unit) -> int:
        return sum(self._cost.of(one.message) for one in unit.messages)

    def _trim(self) -> None:
        """Tool outputs short, each system prompt once, pictures as words; but whoever asks about a
        picture now is answered with it, and the newest results keep more."""
        seen = {unit.messages[0].message.text for unit in self._system}
        pairs = [unit for unit in self._units if unit.is_pair]
        asked_at = self._asked.first if self._asked else 0
        trimmed = []
        for unit in self._units:
            if unit.role == "system":
                text = unit.messages[0].message.text
                if text in seen:
                    continue
                seen.add(text)
            if unit is self._asked:
                trimmed.append(unit)
            elif pairs and unit is pairs[-1] and unit.first > asked_at:
                trimmed.append(self._trimmed(unit, self._newest_tokens))
            else:
                trimmed.append(self._trimmed(unit, TOOL_TOKENS))
        self._units = trimmed

    @property
    def _newest_tokens(self) -> int:
        """For each of the results that the model is about to read: a quarter of the budget."""
        return max(TOOL_TOKENS, (self._budget or 0) // NEWEST_SHARE)

    def _trimmed(self, unit: Unit, tokens: int) -> Unit:
        def short(message: ChatMessage) -> ChatMessage:
            if unit.is_pair:
                return shorter(message, tokens, self._cost)
            return without_pictures(message)

        return Unit(tuple(one._replace(message=short(one.message)) for one in unit.messages))

    def _represented(self, level: Level) -> tuple[list[Unit], Standing]:
        """The units that are sent themselves, and what stands for those before them."""
        settings = self._settings
        keep = {"summarise": settings.keep_recent, "extract": settings.keep_recent_tight}
        start = latest_messages(self._units, keep[level]) if level in keep else 0
        if start >= len(self._units):
            return self._units, Standing()
        first, window_first = self._units[start].first, self._units[0].first
        before = [one for one in self._talk.compressions if one.last < first]
        standing = Standing(before[-1] if before else None)
        if level == "summarise":
            older = [one for one in before if one.last < window_first]
            inside = [one for one in before if one.last >= window_first]
            standing = Standing(older[-1] if older else None, tuple(inside))
        return [unit for unit in self._units if unit.first > standing.end], standing

    # -- the budget ----------------------------------------------------------------------------

    def _fitted(self, level: Level, units: list[Unit], standing: Standing) -> MessageWindow:
        room = float("inf") if self._budget is None else self._budget - REPLY_TOKENS
        choice = _Choice(room)
        self._add_system_and_question(choice)
        recent = latest_messages(units, self._settings.keep_recent_tight)
        after = units[recent].first if recent < len(units) else 0
        rest = [unit for unit in units if self._asked is None or unit.first != self._asked.first]
        for unit in reversed(rest):
            if unit.is_pair and not choice.add(unit, self._of(unit)):
                self._add_shortened(choice, unit)
        singles = [unit for unit in reversed(rest) if not unit.is_pair]
        for unit in singles:
            if unit.first >= after:
                choice.add(unit, self._of(unit))
        summary, standing = self._summary(choice, standing)
        for unit in singles:
            if unit.first < after and not choice.add(unit, self._of(unit)):
                break
        return self._window(choice, summary, standing, level)

    def _add_system_and_question(self, choice: _Choice) -> None:
        """They are always sent. If they do not fit, the pictures of the question go, then the
        middle of its text, then the middle of the system prompt."""
        asked = [self._asked] if self._asked else []
        if sum(map(self._of, (*self._system, *asked))) > choice.room and asked:
            asked = [self._trimmed(asked[0], TOOL_TOKENS)]
        total, system = sum(map(self._of, (*self._system, *asked))), list(self._system)
        if total > choice.room:
            room = int(choice.room)
            prompts = sum(map(self._of, system))
            asked = [self._cut(one, max(room - prompts, room // SYSTEM_SHARE)) for one in asked]
            left = room - sum(map(self._of, asked))
            if prompts > left:
                system = [self._cut(one, left // len(system)) for one in system]
        for unit in (*asked, *system):  # with a budget of a few tokens neither may fit
            choice.add(unit, self._of(unit))

    def _cut(self, unit: Unit, tokens: int) -> Unit:
        (one,) = unit.messages
        bare = replace(without_pictures(one.message), text="")
        room = max(0, tokens - self._cost.of(bare))
        text = shortened(without_pictures(one.message).text, room, self._cost)
        return Unit((one._replace(message=replace(bare, text=text)),))

    def _add_shortened(self, choice: _Choice, unit: Unit) -> bool:
        """A tool call with as much of its results as fits; all or nothing of the unit."""
        tokens = self._newest_tokens
        while tokens >= LEAST_TOKENS:
            short = self._trimmed(unit, tokens)
            if choice.add(short, self._of(short)):
                return True
            tokens //= 2
        return False

    def _summary(self, choice: _Choice, standing: Standing) -> tuple[ChatMessage | None, Standing]:
        """What stands for earlier messages, in one message. If it does not fit, the overview
        covers a segment more; if it is all overview, it is shortened."""
        while standing:
            message = summary_message(standing)
            cost = self._cost.of(message)
            if cost <= choice.room:
                choice.room -= cost
                return message, standing
            if not standing.segments:
                return self._short_summary(choice, message), standing
            standing = Standing(standing.segments[0], standing.segments[1:])
        return None, standing

    def _short_summary(self, choice: _Choice, message: ChatMessage) -> ChatMessage | None:
        room = int(choice.room) - self._cost.of(replace(message, text=""))
        if room < 2 * LEAST_TOKENS:
            return None
        short = replace(message, text=shortened(message.text, room, self._cost))
        choice.room -= self._cost.of(short)
        return short

    def _window(
        self,
        choice: _Choice,
        summary: ChatMessage | None,
        standing: Standing,
        level: Level,
    ) -> MessageWindow:
        leading = {unit.first for unit in self._system}
        ordered = [choice.units[first] for first in sorted(choice.units)]
        system = [unit for unit in ordered if unit.first in leading]
        others = [unit for unit in ordered if unit.first not in leading]
        sent = [one for unit in (*system, *others) for one in unit.messages]
        messages = [one.message for one in sent]
        if summary is not None:
            messages.insert(len(system), summary)
        summarised = 0
        if summary is not None:
            summarised = standing.count - sum(one.number <= standing.end for one in sent)
        return MessageWindow(
            messages=[one.wire() for one in messages],
            tokens=REPLY_TOKENS + sum(map(self._cost.of, messages)) if messages else 0,
            budget=self._budget,
            level=level,
            summarised=summarised,
            left_out=self._talk.count - summarised - len(sent),
            shortened=tuple(
                one.message.id for one in sent if one.message != self._original.get(one.number)
            ),
        )
