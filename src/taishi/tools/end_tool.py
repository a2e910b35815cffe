"""What the tool `end` does, and what it says of a turn: that nothing was kept of a request to
forget, that `forget` has to be called for it, and that secrets were taken out."""

from __future__ import annotations

from .. import asks_to_forget
from ..language.forget_requests import without_forget_requests
from ..language.redaction.redactor import redacted_kinds
from .tool_call import Answer, ToolCall

# A model may search for what it has just stored: `end` returns once the turn is recallable (T4).
END_WAIT_SECONDS = 2.0


def end(call: ToolCall) -> Answer:
    details = {"wait": END_WAIT_SECONDS, **call.turn, **call.arguments, **call.writer}
    job = call.memory.end_turn(call.scope, **details)
    if not call.memory.is_on(call.scope):
        return call.answer("ended_on_the_old_list")
    bot = call.turn.get("bot_name")
    name = bot if isinstance(bot, str) else None
    told = _told(call, name)
    asks = any(gone for _, gone in told)
    takes_back = any(asks_to_forget(kept, name) for kept, _ in told)
    data = {"kept": job is not None, "asks_to_forget": asks or takes_back}
    if asks:
        text = call.answer("ended_but_for_request" if job else "ended_with_request").text
    else:
        text = call.answer("ended" if job else "ended_empty").text
    if job and (kinds := _secrets(call, [kept for kept, _ in told])):
        text += call.answer("ended_redacted", kinds=", ".join(kinds)).text
    if takes_back and not asks:
        text += call.answer("takes_back").text
    if asks or takes_back:
        text += call.answer("call_forget" if "forget" in call.offered else "tell_forget").text
    return Answer(text, data=data)


def _told(call: ToolCall, bot: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """What the turn says, and of each text what memory leaves out as it asks to forget."""
    action = str(call.arguments.get("action_summary") or "")
    news = (str(one) for one in call.arguments.get("new_info") or ())
    return [
        without_forget_requests(action, by_bot=True),
        *(without_forget_requests(one, bot=bot) for one in news),
    ]


def _secrets(call: ToolCall, texts: list[str]) -> tuple[str, ...]:
    """The kinds of secrets that were taken out of what is kept."""
    redacted = ((one, call.redactor.text(one)) for one in texts)
    return redacted_kinds([new for old, new in redacted if new != old])
