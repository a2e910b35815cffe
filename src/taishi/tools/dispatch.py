"""Dispatches a model's tool call to the memory and formats the result as text for the model (T1).

The caller's scope decides: no argument of any tool names another one.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..context_block import block
from ..context_block.skipped_paths import empty_note, skipped_note
from ..errors import ClosedError, InputError, RefusedError, ScopeError, TaishiError
from ..language.redaction.redactor import Redactor
from ..memory import Memory
from ..types import Recall, Scope
from . import formatting
from .arguments import ArgumentReader, nearest, printable, text_sample
from .definitions import AGENT_TOOLS, CATALOGUE, MAX_TOP_K
from .messages import message

log = logging.getLogger("taishi.tools")
_BECAUSE = re.compile(r" because |因为")
# Tools that still work while memory is off and the legacy list of summaries is on (C3).
LEGACY_TOOLS = ("end", "search_events", "recall", "context")
# A model may search for what it has just stored: `end` returns once the turn is recallable (T4).
END_WAIT_SECONDS = 2.0
SCOPE_NAMES = {"private": "user", "group": "group", "agent": "agent", "workspace": "workspace"}


@dataclass(frozen=True, slots=True)
class Answer:
    """The result for the model; `ok` is False when it should correct its call or go on without.

    `is_complete`: whether every path of a search answered; None: nothing was searched.
    """

    text: str
    ok: bool = True
    is_complete: bool | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call: its scope, parsed arguments and the language of the answer."""

    memory: Memory
    scope: Scope
    arguments: Mapping[str, Any]
    language: str
    turn: Mapping[str, Any]
    deadline: float | None = None
    door: str = "tool"

    @property
    def writer(self) -> dict[str, str]:
        """Keyword arguments for writes: the author is a model, whatever the arguments say."""
        return {"actor": "model", "door": self.door}

    @property
    def redactor(self) -> Redactor:
        """For text that a person may have typed by hand (R1)."""
        redaction = self.memory.settings.redaction
        return Redactor(email=redaction.email, phone=redaction.phone)

    def answer(self, key: str, ok: bool = True, **values: object) -> Answer:
        return Answer(message(self.language, key, **values), ok)


def dispatch(
    memory: Memory,
    name: str,
    arguments: object,
    scope: Scope,
    *,
    language: str | None = None,
    names: Collection[str] = AGENT_TOOLS,
    turn: Mapping[str, Any] | None = None,
) -> str:
    """Run a tool call and return the result as text for the model. See `call`."""
    return call(memory, name, arguments, scope, language=language, names=names, turn=turn).text


def call(
    memory: Memory,
    name: str,
    arguments: object,
    scope: Scope,
    *,
    language: str | None = None,
    names: Collection[str] = AGENT_TOOLS,
    turn: Mapping[str, Any] | None = None,
    deadline: float | None = None,
    door: str = "tool",
) -> Answer:
    """Like `dispatch`, and returns whether it succeeded. `deadline` is in seconds; the settings'
    own if absent. `door` names the interface, for the log of deletions and refusals.

    `arguments` may be a dict, JSON text or a list. Only the tools in `names` can be called, as only
    they were offered to the model. `turn` is what the host knows and the model does not: further
    details of `end_turn` (messages, request_id, sender_name …).
    """
    if not isinstance(scope, Scope):
        raise ScopeError(f"a tool needs the caller's Scope, not {type(scope).__name__}")
    preferred = language or memory.settings.memory.language
    answer_language = block.language_of(text_sample(arguments), preferred)
    switches = memory.settings.memory
    is_legacy = switches.legacy_end_summaries and name in LEGACY_TOOLS
    if not memory.is_on(scope) and not is_legacy:
        return Answer(message(answer_language, "off"))
    if not isinstance(name, str) or name not in names or name not in CATALOGUE:
        return Answer(_no_such_tool(name, names, answer_language), False)
    reader = ArgumentReader(CATALOGUE[name], answer_language, memory.settings.zone())
    try:
        values = reader.read(arguments)
        tool_call = ToolCall(memory, scope, values, answer_language, turn or {}, deadline, door)
        return _TOOLS[name](tool_call)
    except ClosedError:
        raise
    except RefusedError as error:
        return Answer(message(answer_language, f"refused_{error.reason}"), False)
    except InputError as error:
        return Answer(_error_text(name, error, answer_language), False)
    except TaishiError as error:
        log.warning("the tool %s failed: %s", name, error)
        return Answer(message(answer_language, "trouble"), False)


def _no_such_tool(name: object, names: Collection[str], language: str) -> str:
    available = [tool for tool in CATALOGUE if tool in names]
    closest = nearest(str(name)[:100], available) if available else "-"
    values = {"name": printable(name), "nearest": closest, "all": ", ".join(available) or "-"}
    return message(language, "unknown_tool", **values)


def _error_text(name: str, error: InputError, language: str) -> str:
    text = str(error)
    return text if name in text else message(language, "wrong", tool=name, error=text.rstrip("."))


def _search_events(call: ToolCall) -> Answer:
    result = call.memory.search_events(call.scope, **_checked_times(call), deadline=call.deadline)
    if result.level == "profile-only":
        result = replace(result, hits=())  # a profile is not an event
    return _search_answer(
        call, result, lambda: formatting.events(result.hits, call.redactor, call.language)
    )


def _recall(call: ToolCall) -> Answer:
    top_k = {"top_k": call.memory.settings.query.tool_default_top_k}
    options = {**top_k, **_checked_times(call)}
    result = call.memory.recall(call.scope, **options, deadline=call.deadline)
    show = formatting.memories
    return _search_answer(
        call, result, lambda: show(result.hits, call.scope, call.redactor, call.language)
    )


def _search_profiles(call: ToolCall) -> Answer:
    result = call.memory.search_profiles(call.scope, **call.arguments, deadline=call.deadline)
    return _search_answer(call, result, lambda: formatting.profiles(result.hits, call.language))


def _search_knowledge(call: ToolCall) -> Answer:
    result = call.memory.knowledge.search(call.scope, **call.arguments, deadline=call.deadline)
    return _search_answer(
        call, result, lambda: formatting.passages(result.hits, call.redactor, call.language)
    )


def _search_answer(call: ToolCall, result: Recall, text: Callable[[], str]) -> Answer:
    return _with_skipped_note(call, result, text() if result.hits else "")


def _with_skipped_note(call: ToolCall, result: Recall, text: str) -> Answer:
    """The results, and which paths were skipped: only a complete search may say "nothing" (T4)."""
    note = skipped_note(result, call.language)
    if text:
        return Answer(f"{text}\n{note}" if note else text, is_complete=not note)
    if note:
        return Answer(note, ok=False, is_complete=False)
    return Answer(message(call.language, "nothing"), is_complete=True)


def _checked_times(call: ToolCall) -> Mapping[str, Any]:
    arguments = call.arguments
    if arguments.get("time_from", -math.inf) > arguments.get("time_to", math.inf):
        raise InputError("time_from is later than time_to; swap them")
    return arguments


def _get_profile(call: ToolCall) -> Answer:
    kind, id = call.arguments["entity_type"], call.arguments["entity_id"]
    page = call.memory.get_profile(call.scope, kind, id)
    if page is None:
        return call.answer("no_profile", kind=kind, id=block.sanitize_line(id))
    zone = call.memory.settings.zone()
    return Answer(formatting.profile(page, call.redactor, zone, call.language))


def _context(call: ToolCall) -> Answer:
    brief = call.memory.brief(
        call.scope, call.arguments["query"], deadline=call.deadline, language=call.language
    )
    if note := empty_note(brief, call.language):
        return Answer(note, ok=False, is_complete=False)
    return _with_skipped_note(call, brief.recall, call.redactor.text(brief.text))


def _remember(call: ToolCall) -> Answer:
    given: dict[str, Any] = {**call.arguments, **call.writer}
    id = call.memory.remember(call.scope, **given)
    return call.answer("remembered", id=id) if id else call.answer("off")


def _end(call: ToolCall) -> Answer:
    details = {"wait": END_WAIT_SECONDS, **call.turn, **call.arguments, **call.writer}
    job = call.memory.end_turn(call.scope, **details)
    if not call.memory.is_on(call.scope):
        return call.answer("ended_on_the_old_list")
    return call.answer("ended" if job else "ended_empty")


def _correct(call: ToolCall) -> Answer:
    id, text = call.arguments["id"], call.arguments.get("text", "").strip()
    record = call.memory.records.get(call.scope, id)
    if record is None or record.kind != "fact":
        return call.answer("no_fact", False, id=printable(id))
    if text:
        new = call.memory.facts.correct(call.scope, id, text, **call.writer)
        return call.answer("corrected", id=new)
    call.memory.facts.reject(call.scope, id, **call.writer)
    return call.answer("withdrawn")


def _forget(call: ToolCall) -> Answer:
    id, everything = call.arguments.get("id"), call.arguments.get("everything", False)
    if id and everything:
        return call.answer("forget_one_of", False)
    if id:
        count = call.memory.forget(call.scope, id, **call.writer)
        if not count:
            return call.answer("no_record", False, id=printable(id))
        return call.answer("forgot", count=count)
    if not everything:
        return call.answer("forget_what", False)
    confirmation = _scope_name(call.scope)
    if str(call.arguments.get("confirm", "")).strip() != confirmation:
        return call.answer("confirm", False, place=confirmation)
    return call.answer("forgot", count=call.memory.forget(call.scope, **call.writer))


def _propose_shared(call: ToolCall) -> Answer:
    given: dict[str, Any] = {**call.arguments, **call.writer}
    id = call.memory.shared.propose(call.scope, **given)
    return call.answer("proposed", id=id) if id else call.answer("off")


def _review_shared(call: ToolCall) -> Answer:
    """Whether this agent is a coordinator is the host's setting: others are refused below."""
    memory, scope, arguments = call.memory, call.scope, call.arguments
    id, decision, other = (arguments.get(name) for name in ("id", "decision", "other"))
    if not id:
        waiting = memory.shared.list(scope, ("candidate", "conflict"), actor="model")
        pairs = memory.shared.conflicts(scope, actor="model")
        shown = waiting[:MAX_TOP_K], pairs[:MAX_TOP_K]
        lines = formatting.proposals(*shown, call.redactor, call.language)
        return Answer(lines) if lines else call.answer("nothing_proposed")
    details = {**call.writer, "reason": arguments.get("reason", "")}
    if decision == "approve":
        state = memory.shared.approve(scope, id, **details)
        return call.answer("approved" if state == "approved" else "not_approved", state=state)
    if decision == "reject":
        memory.shared.reject(scope, id, **details)
        return call.answer("rejected")
    if decision == "keep" and other:
        memory.shared.resolve(scope, id, other, **details)
        return call.answer("approved")
    return call.answer("decide_how", False)


def _report_procedure(call: ToolCall) -> Answer:
    id = call.arguments["id"]
    if call.memory.procedures.get(call.scope, id) is None:
        return call.answer("no_procedure", False, id=printable(id))
    record = call.memory.procedures.used(call.scope, id, call.arguments.get("worked"))
    return call.answer("reported", count=int(record.data["usage_count"]))


def _scope_name(scope: Scope) -> str:
    home = scope.home
    return f"{SCOPE_NAMES[home.kind]} {block.sanitize_line(home.id or home.workspace)}"


def _update_scratchpad(call: ToolCall) -> Answer:
    if call.scope.session is None:
        return call.answer("no_session", False)
    fields = dict(call.arguments)
    if "decisions" in fields:
        fields["decisions"] = [_decision(text) for text in fields["decisions"]]
    pad = call.memory.session(call.scope).scratchpad.patch(**fields)
    return call.answer("scratchpad", goal=pad.current_goal or "-", step=pad.current_step or "-")


def _decision(text: str) -> dict[str, str]:
    found = _BECAUSE.search(text)
    if found is None:
        return {"what": text}
    return {"what": text[: found.start()].strip(" ,，"), "why": text[found.end() :].strip()}


_TOOLS: dict[str, Callable[[ToolCall], Answer]] = {
    "search_events": _search_events,
    "get_profile": _get_profile,
    "search_profiles": _search_profiles,
    "search_knowledge": _search_knowledge,
    "remember": _remember,
    "end": _end,
    "recall": _recall,
    "context": _context,
    "correct": _correct,
    "forget": _forget,
    "propose_shared": _propose_shared,
    "review_shared": _review_shared,
    "report_procedure": _report_procedure,
    "update_scratchpad": _update_scratchpad,
}
