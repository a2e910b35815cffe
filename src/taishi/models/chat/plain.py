"""One call that asks for words instead of data: the same tries, waits and ledger, but no schema."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from ...errors import ModelError
from ...language.text import storable
from ...ports import Completion, Tool
from .answer import read
from .exchange import Exchange
from .modes import Mode

# Only the ledger's estimate and the reader look at it; it is never sent.
WORDS = Tool("words", "", {"type": "object"})
LABEL = Mode.TEXT


class PlainExchange(Exchange):
    """Made for one call, and used once."""

    def complete(self) -> Completion:
        while True:
            answer = self._line.breaker.call(partial(self._send, LABEL))
            if not answer.ok:
                self._after_refusal(LABEL, answer)  # raises, unless it was about the temperature
                continue
            reading = read(answer.text, WORDS)
            said = reading if not reading.words else replace(reading, complaint="")
            prompt, completion = self._record_reading(LABEL, answer, said)
            if reading.words:
                return Completion(reading.words, prompt, completion, answer.seconds)
            if self._resent or self._left <= 0:
                raise ModelError(self._unusable(reading))
            self._resent = True

    def _request(self, mode: Mode) -> dict[str, Any]:
        messages = [{key: storable(text) for key, text in one.items()} for one in self._messages]
        model = self._line.settings.model_name
        return {"model": model, "messages": messages, "stream": False}
