"""Calls that are not chats, entered in the ledger: what was embedded, what was reranked (O1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..language.token_count import estimate_tokens
from ..ports import Call, Ledger

MILLION = 1_000_000
ESTIMATED = "~"
LONGEST_ERROR = 300
COUNTS = (
    ("usage", "prompt_tokens"),
    ("usage", "total_tokens"),
    ("meta", "billed_units", "input_tokens"),
)


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens sent, and of a request whatever its size."""

    tokens: float = 0.0
    request: float = 0.0

    def of(self, tokens: int) -> float:
        return tokens * self.tokens / MILLION + self.request


class LedgerWriter:
    """One model's page of the ledger; without a ledger nothing is entered."""

    def __init__(self, ledger: Ledger | None, model: str, prices: Prices) -> None:
        self._ledger = ledger
        self._model = model
        self._prices = prices

    def enter(
        self, task: str, mode: str, seconds: float, texts: Iterable[str], answer: Any = None
    ) -> None:
        """A request that was answered. Tokens that the server does not count are estimated."""
        if self._ledger is None:
            return
        tokens = _counted(answer)
        if tokens is None:
            tokens, mode = sum(map(estimate_tokens, texts)), mode + ESTIMATED
        cost = self._prices.of(tokens)
        self._ledger.add(Call(task, self._model, True, seconds, tokens, 0, mode, cost))

    def enter_failure(self, task: str, mode: str, seconds: float, error: str) -> None:
        if self._ledger is not None:
            why = error[:LONGEST_ERROR]
            self._ledger.add(Call(task, self._model, False, seconds, 0, 0, mode, error=why))


def _counted(answer: Any) -> int | None:
    """The tokens that an answer says it used, in the words of the servers we know."""
    if not isinstance(answer, dict):
        return None
    for path in COUNTS:
        count: Any = answer
        for name in path:
            count = count.get(name) if isinstance(count, dict) else None
        if type(count) is int and 0 <= count < MILLION * MILLION:
            return count
    return None
