"""Any server that speaks the OpenAI chat format, made to answer with data that fits a schema (H2).

Each task may have a model of its own. Every request is entered in the ledger, failed ones too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from ...errors import ModelError
from ...ports import Completion, Ledger, Tool
from ...settings.schema import ChatSettings, ModelSettings
from ..breaker import Breaker
from .exchange import Exchange
from .http import ChatEndpoint
from .modes import Messages, Mode, ModeRecords
from .plain import WORDS, PlainExchange

# The names under which tasks are entered in the ledger.
LEDGER_NAMES: Mapping[str, str] = {
    "rewrite": "historian_rewrite",
    "extract": "historian_extract",
    "merge": "historian_profile_merge",
    "decide": "consider_decide",
    "summarise": "session_summary",
    "compress": "working_compress",
    "intent": "recall_intent",
}
# Tasks that have no model of their own and use another task's, if it has one.
SAME_MODEL: Mapping[str, str] = {"compress": "summarise"}


class OpenAIChat:
    """Implements ports.ChatModel and ports.TextModel. Safe to share between threads; keys are never
    shown."""

    def __init__(
        self,
        settings: ChatSettings,
        ledger: Ledger,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        modes: Mapping[tuple[str, str], Mode] | None = None,
    ) -> None:
        """`modes` is what is known already of some (api_url, model_name)."""
        self._settings = settings
        self._ledger = ledger
        self._sleep = sleep
        self._clock = clock
        self._habits = ModeRecords(modes)
        self._breakers: dict[str, Breaker] = {}
        self._general = self._line(settings, "models.chat") if settings.api_url else None
        self._own = {
            field.name: self._line(own, f"models.chat.{field.name}")
            for field in fields(settings)
            if isinstance(own := getattr(settings, field.name), ModelSettings)
        }
        self._closed = False

    def structured(self, task: str, messages: Messages, tool: Tool) -> dict[str, Any]:
        line, name = self._endpoint(task), LEDGER_NAMES.get(task, task)
        return Exchange(line, self._habits, self._ledger, self._sleep, name, messages, tool).run()

    def complete(self, task: str, messages: Messages) -> Completion:
        """The model's own words, whatever they are."""
        line, name = self._endpoint(task), LEDGER_NAMES.get(task, task)
        rest = (self._habits, self._ledger, self._sleep, name, messages, WORDS)
        return PlainExchange(line, *rest).complete()

    def mode(self, task: str) -> str:
        """The mode that the task's model is asked in now; for a person who looks."""
        line = self._own.get(SAME_MODEL.get(task, task)) or self._general
        return self._habits.of(line.key).mode.value if line else ""

    def close(self) -> None:
        self._closed = True
        for line in (self._general, *self._own.values()):
            if line is not None:
                line.close()

    def _endpoint(self, task: str) -> ChatEndpoint:
        if self._closed:
            raise ModelError("The chat model was closed: open the memory again")
        line = self._own.get(SAME_MODEL.get(task, task)) or self._general
        # Without an address this raises, and says which setting is missing.
        return line or self._line(self._settings, "models.chat")

    def _line(self, settings: ModelSettings, section: str) -> ChatEndpoint:
        """Tasks that share an address share its breaker: what is down is down for all of them."""
        breaker = self._breakers.setdefault(settings.api_url, Breaker(clock=self._clock))
        return ChatEndpoint(settings, section, breaker, self._clock, self._sleep)
