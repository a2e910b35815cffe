"""Everything a bot is told, from every door; and which lines of it say something as if it held."""

from __future__ import annotations

import re
from collections.abc import Sequence

from taishi import Memory, Message, Scope, tools
from taishi.domain.text_identity import normal

DAY = 86_400.0
BEGIN = 1_773_800_000.0  # 2026-03-18
QUALIFIED = re.compile(
    r"since withdrawn|since corrected|since then|no longer so|\(until "
    "|后撤回|后更正|后来：|已不再|（至 "
)


class Chat:
    """Somebody tells one thing a day; the clock is the test's."""

    def __init__(self, memory: Memory, scope: Scope, name: str = "Ann") -> None:
        self.memory, self.scope, self.name = memory, scope, name
        self.time = BEGIN

    def tell(self, *said: str, at: float | None = None, gap: float = DAY) -> None:
        for text in said:
            self.time += gap if at is None else 0.0
            when = self.time if at is None else at
            self.memory.end_turn(
                self.scope, new_info=text, time=when, sender_name=self.name, bot_name="Mochi",
                messages=[Message(text, self.name, when, speaker_id=self.scope.user)],
            )  # fmt: skip
            assert self.memory.drain(30)

    def facts(self, *states: str) -> list[str]:
        return sorted(
            one.text for one in self.memory.facts.list(self.scope, states or ("approved",))
        )


def surfaces(memory: Memory, scope: Scope, query: str, now: float = BEGIN + 99 * DAY) -> list[str]:
    """The block in each form and language, each tool's answer, the page, the hits."""
    shown = [
        memory.context(scope, query, form=form, language=language, now=now)
        for form in ("text", "markdown", "xml")
        for language in ("en", "zh")
    ]
    user = {"entity_type": "user", "entity_id": scope.user or ""}
    calls: Sequence[tuple[str, dict[str, object]]] = (
        ("search_events", {"query": query, "top_k": 50}), ("recall", {"query": query, "top_k": 50}),
        ("context", {"query": query}), ("search_profiles", {"query": query}), ("get_profile", user),
    )  # fmt: skip
    names = tools.ALL_TOOLS
    shown += [tools.dispatch(memory, name, given, scope, names=names) for name, given in calls]
    page = memory.get_profile(scope, "user", scope.user or "")
    return [*shown, page.body if page else ""]


def said_as_current(texts: Sequence[str], words: str) -> list[str]:
    """The lines that say these words, and not that they were withdrawn, corrected or ended."""
    wanted = normal(words)
    lines = (line for text in texts for line in text.splitlines())
    return [line for line in lines if wanted in normal(line) and not QUALIFIED.search(line)]
