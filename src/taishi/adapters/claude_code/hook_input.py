"""The JSON that Claude Code writes to a hook's stdin, checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError

MAX_INPUT_BYTES = 16 << 20
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
COMMANDS = ("/", "!", "#")  # what a prompt begins with that is not for the model alone


@dataclass(frozen=True, slots=True)
class HookInput:
    """One event. `last_answer` is there for Stop: the transcript may lag behind it."""

    event: str
    session: str
    cwd: str = ""
    transcript: Path | None = None
    prompt: str = ""
    last_answer: str = ""

    @property
    def asks_nothing(self) -> bool:
        """A prompt for which nothing is recalled: a command, or no words."""
        prompt = self.prompt.lstrip()
        return self.event == "UserPromptSubmit" and (not prompt or prompt.startswith(COMMANDS))


def parse(data: bytes) -> HookInput:
    """The event, or InputError. Fields that are not known are ignored: new versions add some."""
    if len(data) > MAX_INPUT_BYTES:
        raise InputError("the hook's input is too large; it was not read")
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the hook's input is not JSON ({error!s:.80})") from None
    if not isinstance(given, dict):
        raise InputError("the hook's input is not a JSON object")
    transcript = _text(given, "transcript_path")
    return HookInput(
        event=_text(given, "hook_event_name"),
        session=_text(given, "session_id"),
        cwd=_text(given, "cwd"),
        transcript=Path(transcript).expanduser() if transcript else None,
        prompt=_text(given, "prompt"),
        last_answer=_text(given, "last_assistant_message"),
    )


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{name} of the hook's input is not text")
    return value.encode("utf-8", "replace").decode()
