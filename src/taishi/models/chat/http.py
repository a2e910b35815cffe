"""A chat model's endpoint: the line to it, what guards it, and what it costs."""

from __future__ import annotations

from collections.abc import Callable

from ...settings.schema import ModelSettings
from ..breaker import Breaker
from ..endpoint import MAX_ANSWER_BYTES, Answer, Endpoint

__all__ = ["MAX_ANSWER_BYTES", "Answer", "ChatEndpoint"]


class ChatEndpoint(Endpoint):
    """One chat model at one address."""

    def __init__(
        self,
        settings: ModelSettings,
        section: str,
        breaker: Breaker,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        super().__init__(settings, section, "/chat/completions", "The chat model", clock, sleep)
        self.breaker = breaker

    @property
    def key(self) -> tuple[str, str]:
        """What a model understands is known by where it is and what it is called."""
        return self.settings.api_url.rstrip("/"), self.settings.model_name

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """By the prices per million tokens; 0 where none are set."""
        sent = prompt_tokens * self.settings.price_in
        received = completion_tokens * self.settings.price_out
        return (sent + received) / 1_000_000
