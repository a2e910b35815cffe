"""Dispatches a model's tool call to the memory and formats the result as text for the model (T1).

The caller's scope decides: no argument of any tool names another one.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..context_block import block
from ..context_block.skipped_paths import empty_note, skipped_note
from ..errors import ClosedError, InputError, RefusedError, ScopeError, TaishiError
from ..memory import Memory
from ..times import TimeLike, to_epoch
from ..types import Partition, Recall, Scope
from . import formatting, structured
from .arguments import ArgumentReader, printable, printable_id, text_sample
from .changes_beside import with_changes
from .definitions import AGENT_TOOLS, CATALOGUE, MAX_TOP_K
from .end_tool import end
from .forget_tools import forget
from .messages import message
from .note_tools import NOTE_FUNCTIONS
from .period_answer import or_of_period
from .record_tools import correct, list_memories, remember, update_memory
from .shared_definitions import REVIEW_SHARED
from .suggestions import meant
from .tool_call import Answer, ToolCall

log = logging.getLogger("taishi.tools")
_BECAUSE = re.compile(r" because |因为")
# Tools that still work while memory is off and the legacy list of summaries is on (C3).
LEGACY_TOOLS = ("end", "search_events", "recall", "context")


def dispatch(
    memory: Memory,
    name: str,
    arguments: object,
    scope: Scope,
    *,
    language: str | None = None,
    names: Collection[str] = AGENT_TOOLS,
    turn: Mapping[str, Any] | None = None,
    now: TimeLike | None = None,
) -> str:
    """Run a tool call and return the result as text for the model. See `call`."""
    options: dict[str, Any] = {"language": language, "names": names, "turn": turn, "now": now}
    return call(memory, name, arguments, scope, **options).text


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
    now: TimeLike | None = None,
    forgotten: Callable[[Partition], int] = lambda place: 0,
) -> Answer:
    """Like `dispatch`, and returns whether it succeeded. `deadline` is in seconds; the settings'
    own if absent. `door` names the interface, for the log of deletions and refusals.

    `arguments` may be a dict, JSON text or a list. Only the tools in `names` can be called, as only
    they were offered to the model. `turn` is what the host knows and the model does not: further
    details of `end_turn` (messages, request_id, sender_name …). `now` is the moment of the
    conversation, if that is not the present: searches count "last week" and ages from it.
    `forgotten` is asked after everything about a scope went: it removes what a host keeps of it
    elsewhere, and returns how much that was.
    """
    if not isinstance(scope, Scope):
        raise ScopeError(f"a tool needs the caller's Scope, not {type(scope).__name__}")
    moment = None if now is None else to_epoch(now, memory.settings.zone())
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
        host = (turn or {}, deadline, door, moment, names, forgotten)
        tool_call = ToolCall(memory, scope, values, answer_language, *host)
        return _TOOLS[name](tool_call)
    except ClosedError:
        raise
    except RefusedError as error:
        return Answer(_refusal(name, error, answer_language), False)
    except InputError as error:
        return Answer(_error_text(name, error, answer_language), False)
    except TaishiError as error:
        log.warning("the tool %s failed: %s", name, error)
        return Answer(message(answer_language, "trouble"), False)


def _no_such_tool(name: object, names: Collection[str], language: str) -> str:
    available = [tool for tool in CATALOGUE if tool in names]
    if _is_left_out_as_writing(name, available):
        return message(language, "read_only", name=name)
    guess = meant(str(name)[:100], available, language)
    values = {"name": printable(name), "meant": guess, "all": ", ".join(available) or "-"}
    return message(language, "unknown_tool", **values)


def _is_left_out_as_writing(name: object, available: Collection[str]) -> bool:
    """Whether a tool that writes was called where every tool offered only reads."""
    if not isinstance(name, str) or name not in CATALOGUE or not available:
        return False
    return CATALOGUE[name].writes and not any(CATALOGUE[one].writes for one in available)


def _refusal(name: str, error: RefusedError, language: str) -> str:
    if error.limit is not None:
        return message(language, "refused_over_limit", limit=f"{error.limit:,}")
    if name == REVIEW_SHARED.name and error.reason == "authority":
        return message(language, "refused_review")
    if error.reason == "claim":  # the error says which name to change
        return _error_text(name, error, language)
    return message(language, f"refused_{error.reason}")


def _error_text(name: str, error: InputError, language: str) -> str:
    text = str(error)
    return text if name in text else message(language, "wrong", tool=name, error=text.rstrip(".。"))


def _search_events(call: ToolCall) -> Answer:
    options = {**_checked_times(call), **call.moment}
    result = call.memory.search_events(call.scope, **options)
    if result.level == "profile-only":
        result = replace(result, hits=())  # a profile is not an event
    show = formatting.events
    shown = or_of_period(call, result, partial(call.memory.search_events, call.scope), options)
    return _search_answer(
        call, shown.recall, lambda: show(shown.hits, call.redactor, call.language), shown.note
    )


def _recall(call: ToolCall) -> Answer:
    top_k = {"top_k": call.memory.settings.query.tool_default_top_k}
    options = {**top_k, **_checked_times(call), **call.moment}
    result = with_changes(call, call.memory.recall(call.scope, **options))
    show = formatting.memories
    shown = or_of_period(call, result, partial(call.memory.recall, call.scope), options)
    return _search_answer(
        call,
        shown.recall,
        lambda: show(shown.hits, call.scope, call.redactor, call.language),
        shown.note,
    )


def _search_profiles(call: ToolCall) -> Answer:
    result = call.memory.search_profiles(call.scope, **call.arguments, **call.moment)
    return _search_answer(call, result, lambda: formatting.profiles(result.hits, call.language))


def _search_knowledge(call: ToolCall) -> Answer:
    result = call.memory.knowledge.search(call.scope, **call.arguments, deadline=call.deadline)
    return _search_answer(
        call, result, lambda: formatting.passages(result.hits, call.redactor, call.language)
    )


def _search_answer(
    call: ToolCall, result: Recall, text: Callable[[], str], before: str = ""
) -> Answer:
    answer = _with_skipped_note(call, result, text() if result.hits else "")
    if before:
        answer = replace(answer, text=f"{before}\n{answer.text}")
    memories = structured.hits(result.hits, call)
    return replace(answer, data={"memories": memories, "is_complete": answer.is_complete})


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
        raise InputError(message(call.language, "times_swapped"))
    return arguments


def _get_profile(call: ToolCall) -> Answer:
    kind, id = _entity(call)
    if not id:
        key = "no_own_profile"
        if call.scope.user or call.scope.group:
            key = f"no_own_{kind}"
        return call.answer(key, False)
    page = call.memory.get_profile(call.scope, kind, id)
    if page is None:
        return call.answer("no_profile", kind=kind, id=block.sanitize_line(id))
    zone = call.memory.settings.zone()
    text = formatting.profile(page, call.redactor, zone, call.language)
    return Answer(text, data={"profile": structured.profile(page, call)})


def _entity(call: ToolCall) -> tuple[str, str]:
    """Whose page is asked for: what is left out is the caller's own."""
    scope, id = call.scope, call.arguments.get("entity_id")
    own = "user" if scope.user or not scope.group else "group"
    kind = call.arguments.get("entity_type") or ("group" if id and id == scope.group else own)
    return kind, id or (scope.user if kind == "user" else scope.group) or ""


def _context(call: ToolCall) -> Answer:
    brief = call.memory.brief(call.scope, **call.arguments, **call.moment, language=call.language)
    if note := empty_note(brief, call.language):
        return Answer(note, ok=False, is_complete=False)
    text = call.redactor.text(brief.text)
    answer = _with_skipped_note(call, brief.recall, text)
    # A program that hands this on has to say that nothing is known, too.
    return replace(answer, data={"context": text or answer.text, "is_complete": answer.is_complete})


def _propose_shared(call: ToolCall) -> Answer:
    given: dict[str, Any] = {**call.arguments, **call.writer}
    id = call.memory.shared.propose(call.scope, **given)
    return call.answer("proposed", id=id, data={"id": id}) if id else call.answer("off")


def _review_shared(call: ToolCall) -> Answer:
    """Whether this agent is a coordinator is the host's setting: others are refused below."""
    memory, scope, arguments = call.memory, call.scope, call.arguments
    id, decision, other = (arguments.get(name) for name in ("id", "decision", "other"))
    if not id:
        waiting = memory.shared.list(scope, ("candidate", "conflict"), actor="model")
        pairs = memory.shared.conflicts(scope, actor="model")
        shown = waiting[:MAX_TOP_K], pairs[:MAX_TOP_K]
        lines = formatting.proposals(*shown, call.redactor, call.language)
        data = {"waiting": len(waiting)}
        return Answer(lines, data=data) if lines else call.answer("nothing_proposed")
    try:
        return _decided(call, id, decision, other)
    except RefusedError:
        raise
    except InputError:
        unknown = [one for one in (id, other) if one and not _sees_entry(call, one)]
        if not unknown:
            raise
        return call.answer("no_proposal", False, id=printable_id(unknown[0]))


def _decided(call: ToolCall, id: str, decision: str | None, other: str | None) -> Answer:
    memory, scope = call.memory, call.scope
    details = {**call.writer, "reason": call.arguments.get("reason", "")}
    if decision == "approve":
        state = memory.shared.approve(scope, id, **details)
        key = "approved" if state == "approved" else "not_approved"
        return call.answer(key, state=state, data={"state": state})
    if decision == "reject":
        memory.shared.reject(scope, id, **details)
        return call.answer("rejected", data={"state": "rejected"})
    if decision == "keep" and other:
        memory.shared.resolve(scope, id, other, **details)
        return call.answer("approved", data={"state": "approved"})
    return call.answer("decide_how", False)


def _sees_entry(call: ToolCall, id: str) -> bool:
    """Whether shared memory has this entry, and shows it to this agent."""
    try:
        call.memory.shared.audit(call.scope, id, actor="model")
    except InputError:
        return False
    return True


def _report_procedure(call: ToolCall) -> Answer:
    id = call.arguments["id"]
    if call.memory.procedures.get(call.scope, id) is None:
        return call.answer("no_procedure", False, id=printable(id))
    record = call.memory.procedures.used(call.scope, id, call.arguments.get("worked"))
    count = int(record.data["usage_count"])
    return call.answer("reported", count=count, data={"uses": count})


def _update_scratchpad(call: ToolCall) -> Answer:
    if call.scope.session is None:
        return call.answer("no_session", False)
    fields = dict(call.arguments)
    if "decisions" in fields:
        fields["decisions"] = [_decision(text) for text in fields["decisions"]]
    pad = call.memory.session(call.scope).scratchpad.patch(**fields)
    goal, step = pad.current_goal or "-", pad.current_step or "-"
    return call.answer("scratchpad", goal=goal, step=step, data=structured.pad(pad))


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
    "remember": remember,
    "end": end,
    "recall": _recall,
    "context": _context,
    "list_memories": list_memories,
    "update_memory": update_memory,
    "correct": correct,
    "forget": forget,
    "propose_shared": _propose_shared,
    "review_shared": _review_shared,
    "report_procedure": _report_procedure,
    "update_scratchpad": _update_scratchpad,
    **NOTE_FUNCTIONS,
}
