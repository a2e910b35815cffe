"""One structured call: what was asked, what is left of its tries, what went wrong so far.

Each try may fail in its own way, and each way has its own answer: a busy server is waited for, a
mode that is not understood gives way to the next, and data that does not fit goes back to the
model once, with what was wrong about it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from ...errors import ModelDownError, ModelError
from ...language.token_count import estimate_tokens
from ...ports import Call, Ledger, Tool
from .answer import LONGEST_WORDS, ParsedAnswer, read
from .http import Answer, ChatEndpoint
from .modes import Messages, Mode, ModeRecord, ModeRecords, after_refusal, body, names_the_mode

# For one call, whatever they are spent on.
MAX_REQUESTS = 4
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 20.0
LONGEST_ERROR = 300
LONGEST_ECHO = 2000
REFUSALS = frozenset({400, 404, 405, 415, 422, 501})
OVERFLOW = (
    "context_length",
    "context length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "too many tokens",
    "上下文长度",
)
CORRECTION = (
    "That answer cannot be used: {complaint}. Answer again, in full, and only with the arguments "
    "of `{name}` as one JSON object."
)


class OutageError(ModelDownError):
    """The endpoint did not answer, or not with an answer; what the breaker counts."""


class Exchange:
    """Made for one call, and used once."""

    def __init__(
        self,
        line: ChatEndpoint,
        habits: ModeRecords,
        ledger: Ledger,
        sleep: Callable[[float], None],
        name: str,
        messages: Messages,
        tool: Tool,
    ) -> None:
        self._line = line
        self._habits = habits
        self._ledger = ledger
        self._sleep = sleep
        self._name = name
        self._messages = list(messages)
        self._tool = tool
        self._left = MAX_REQUESTS
        self._corrected = False
        self._resent = False
        self._last_words = ""

    def run(self) -> dict[str, Any]:
        mode = self._habit.mode
        while True:
            answer = self._line.breaker.call(partial(self._send, mode))
            if not answer.ok:
                mode = self._after_refusal(mode, answer)
                continue
            reading = read(answer.text, self._tool)
            self._record_reading(mode, answer, reading)
            if reading.arguments is not None:
                self._habits.worked(self._line.key, mode)
                return reading.arguments
            mode = self._after_fault(mode, reading)

    @property
    def _habit(self) -> ModeRecord:
        return self._habits.of(self._line.key)

    def _request(self, mode: Mode) -> dict[str, Any]:
        return body(mode, self._line.settings.model_name, self._messages, self._tool)

    def _send(self, mode: Mode) -> Answer:
        """An answer that says something. Waits and tries again while the server is busy."""
        wait = FIRST_WAIT_SECONDS
        while True:
            request = self._request(mode)
            if self._habit.takes_temperature:
                request["temperature"] = 0
            answer = self._line.post(request)
            self._left -= 1
            if answer.ok:
                return answer
            self._record_failure(mode, answer)
            if not answer.passing or _is_overflow(answer):
                return answer
            if self._left <= 0:
                raise OutageError(self._say(_what_happened(answer)))
            asked = answer.retry_after()
            self._sleep(min(wait if asked is None else asked, LONGEST_WAIT_SECONDS))
            wait *= 2

    def _after_refusal(self, mode: Mode, answer: Answer) -> Mode:
        """The mode to try next, where the refusal may be about the mode; raises otherwise."""
        words = answer.words
        if _is_overflow(answer):
            raise ModelError(
                f"The request does not fit the context of {self._line.settings.model_name} "
                f"({words}): choose a model with a longer context in [{self._line.section}]"
            )
        if answer.status not in REFUSALS or _names_the_model(words):
            raise ModelError(self._say(_what_happened(answer)))
        if "temperature" in words.lower() and self._habit.takes_temperature:
            self._habits.no_temperature(self._line.key)
            following: Mode | None = mode
        else:
            following = after_refusal(mode, words)
            if following and names_the_mode(mode, words):
                self._habits.refused(self._line.key, mode, following)
        if following is None:
            raise ModelError(self._say(_what_happened(answer)))
        if self._left <= 0:
            self._begin_next_time_with(following)
            raise ModelError(self._say(_what_happened(answer)))
        return following

    def _after_fault(self, mode: Mode, reading: ParsedAnswer) -> Mode:
        """Say what was wrong, once; or ask in another mode where this one is not understood."""
        if reading.words:
            self._last_words = self._line.redact(reading.words)[:LONGEST_WORDS]
        habit = self._habit
        proven = habit.proven and habit.mode is mode
        following = mode
        # Where a call was demanded and did not come, what data there is came by chance.
        if reading.fault == "misfit" and (proven or reading.called or not mode.by_tool):
            self._correct(reading)
        elif reading.fault == "empty" and not self._resent:
            self._resent = True
        elif mode.next and not proven:
            following = mode.next
        else:
            self._habits.missed(self._line.key, mode)
            self._correct(reading)
        if self._left <= 0:
            self._begin_next_time_with(following)
            raise ModelError(self._unusable(reading))
        return following

    def _begin_next_time_with(self, mode: Mode) -> None:
        """The tries of one call may not reach the last mode; those of the next one go on."""
        habit = self._habit
        if not habit.proven:
            self._habits.refused(self._line.key, habit.mode, mode)

    def _correct(self, reading: ParsedAnswer) -> None:
        if self._corrected:
            raise ModelError(self._unusable(reading))
        self._corrected = True
        correction = CORRECTION.format(complaint=reading.complaint, name=self._tool.name)
        if reading.words:
            echo = {"role": "assistant", "content": reading.words[:LONGEST_ECHO]}
            self._messages.append(echo)
        self._messages.append({"role": "user", "content": correction})

    def _unusable(self, reading: ParsedAnswer) -> str:
        said = f"; its words: {self._last_words}" if self._last_words else ""
        return (
            f"The model {self._line.settings.model_name} did not give what `{self._tool.name}` "
            f"asks for: {self._line.redact(reading.complaint)}{said}. "
            f"Try again, or choose a more able model in [{self._line.section}]"
        )

    def _say(self, what: str) -> str:
        return self._line.redact(
            f"The chat server {self._line.host} {what}. "
            f"Check api_url, api_key and model_name in [{self._line.section}]"
        )

    def _record_failure(self, mode: Mode, answer: Answer) -> None:
        error = f"{answer.status} {answer.words}" if answer.status else answer.text
        self._enter(mode.value, answer, 0, 0, error)

    def _record_reading(self, mode: Mode, answer: Answer, reading: ParsedAnswer) -> tuple[int, int]:
        """Enters the call; the tokens sent and received, as counted or estimated."""
        prompt, completion = reading.prompt_tokens, reading.completion_tokens
        label = mode.value
        if prompt is None or completion is None:
            label += "~"
            if prompt is None:
                prompt = self._estimated_prompt()
            if completion is None:
                completion = estimate_tokens(reading.words)
        self._enter(label, answer, prompt, completion, reading.complaint)
        return prompt, completion

    def _estimated_prompt(self) -> int:
        texts = [message.get("content", "") for message in self._messages]
        texts.append(json.dumps(self._tool.parameters, ensure_ascii=False))
        return sum(map(estimate_tokens, texts))

    def _enter(self, mode: str, answer: Answer, prompt: int, completion: int, error: str) -> None:
        call = Call(
            task=self._name,
            model=self._line.settings.model_name,
            ok=not error,
            seconds=answer.seconds,
            prompt_tokens=prompt,
            completion_tokens=completion,
            mode=mode,
            cost=self._line.cost(prompt, completion),
            error=self._line.redact(error)[:LONGEST_ERROR],
        )
        self._ledger.add(call)


def _is_overflow(answer: Answer) -> bool:
    # Never a 429: "too many tokens" there means in this minute.
    if answer.status not in (400, 413, 422, 500):
        return False
    # The words may be escaped in the text, and the error's code is not among the words.
    said = f"{answer.words} {answer.text[:4000]}".lower()
    return answer.status == 413 or any(word in said for word in OVERFLOW)


def _names_the_model(words: str) -> bool:
    said = words.lower()
    missing = any(word in said for word in ("not found", "does not exist", "不存在"))
    return missing and ("model" in said or "模型" in said) and "tool" not in said


def _what_happened(answer: Answer) -> str:
    if not answer.status:
        return f"did not answer ({answer.text})"
    return f"answered {answer.status}: {answer.words or 'without a word'}"
