"""What the tools do that keep single records, look through them, and put them right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any

from ..context_block.lines import INSTRUCTION
from ..errors import AuthorityError, CursorError, InputError, RefusedError
from ..language.clauses import content
from ..language.other_times import other_time
from ..language.person_names import PersonNames
from ..language.role_statements import other_role
from ..language.single_values import may_both_hold, same_pattern
from ..language.text import one_line
from ..language.token_count import estimate_tokens
from ..language.told_changes import change_told
from ..types import KINDS, Hit, Record
from . import formatting, structured
from .arguments import NEVER, printable_id
from .other_ways import other_way
from .record_states import APPROVED, state_name, states_of
from .tool_call import Answer, ToolCall

PAGE = 20
DEFAULT_KIND = "fact"
MODEL = "model"
# Not written as they are: from what was said, from facts, from a file.
MADE_FROM_OTHERS = ("event", "turn", "profile", "chunk", "document")
MOST_COMPARED = 100  # facts, the newest, that a new one may be close to
MAX_CLOSE = 3
NOTE_CHARS = 200_000  # that `write_note` takes
CLOSE_SHARE = 0.7  # of the words of the shorter one
MAX_COMPARED_CHARS = 1000  # that a listing can be searched for; nobody repeats a longer text


def remember(call: ToolCall) -> Answer:
    if (known := _known(call)) is not None:
        return call.answer("known_already", id=known.id, data={"id": known.id})
    time = {} if call.now is None else {"time": call.now}
    given: dict[str, Any] = {"kind": DEFAULT_KIND, **time, **call.arguments, **call.writer}
    id = call.memory.remember(call.scope, **given)
    if not id:
        return call.answer("off")
    kept = call.memory.get(call.scope, id)
    redacted = kept.redacted if kept is not None else ()
    category = kept.metadata.get("category") if kept is not None and kept.kind == "fact" else None
    key = "remembered_instruction" if category == INSTRUCTION else "remembered"
    key = "remembered_redacted" if redacted else key
    text = call.answer(key, id=id, kinds=", ".join(redacted)).text
    length = len(call.arguments["text"])
    if estimate_tokens(call.arguments["text"][: formatting.LINE_CHARS]) > formatting.LINE_TOKENS:
        key = "remembered_long" if length <= NOTE_CHARS else "remembered_too_long_for_a_note"
        text += call.answer(key, count=length, most=f"{NOTE_CHARS:,}").text
    against, close = _others(call, kept) if kept is not None and kept.kind == "fact" else ((), ())
    if against:
        text = call.answer("contradicts", id=id, records=_listed(call, against)).text
    elif close:
        text += call.answer("close_to", records=_listed(call, close)).text
    others = [one.id for one in (*against, *close)]
    state = state_name(kept.metadata.get("state")) if kept is not None else None
    return Answer(text, data={"id": id, "close_to": others, "state": state})


def _others(call: ToolCall, kept: Hit) -> tuple[Sequence[Record], Sequence[Record]]:
    """Facts that the new one contradicts, and those that say something close to it."""
    rivals = kept.metadata.get("conflict_with") if kept.metadata.get("state") == "conflict" else ()
    found = [call.memory.records.get(call.scope, str(one)) for one in rivals or ()]
    against = [one for one in found if one is not None]
    if against:
        return against, ()
    page = call.memory.records.newest(call.scope, ["fact"], [APPROVED], limit=MOST_COMPARED)
    person = PersonNames.of(call.scope.user or "", [call.turn.get("sender_name") or ""])
    text = person.fully_named(kept.text[:MAX_COMPARED_CHARS])
    others = {one.id: one for one in page.records if one.id != kept.id}
    told = {id: person.fully_named(one.text[:MAX_COMPARED_CHARS]) for id, one in others.items()}
    change = change_told(kept.text)
    close = [
        others[id]
        for id, other in told.items()
        if _is_close(text, other) or (change is not None and change.ends(others[id].text))
    ]
    return against, close[:MAX_CLOSE]


def _is_close(text: str, other: str) -> bool:
    if same_pattern(text, other) or other_role(text, other) or other_time(text, other):
        return True
    words, others = content(text), content(other)
    shared = len(words & others)
    is_near = shared > 1 and shared >= CLOSE_SHARE * min(len(words), len(others))
    return is_near and not may_both_hold(text, other)


def _listed(call: ToolCall, records: Sequence[Record]) -> str:
    return "; ".join(formatting.told_with_id(one, call.redactor, call.language) for one in records)


def _known(call: ToolCall) -> Record | None:
    """The record that says the same already. What a model repeats is no new evidence, so it does
    not raise the confidence either; another time or end makes it another statement."""
    given = call.arguments
    words = _words(given["text"])
    if not words or len(words) > MAX_COMPARED_CHARS or not call.memory.is_on(call.scope):
        return None
    kind = given.get("kind", DEFAULT_KIND)
    page = call.memory.records.newest(call.scope, [kind], [APPROVED], text=words, limit=PAGE)
    for record in page.records:
        if _words(record.text) != words or record.user != call.scope.user:
            continue
        is_same_time = "time" not in given or given["time"] == record.time
        if is_same_time and given.get("expires") == record.expires:
            return record
    return None


def _words(text: str) -> str:
    return one_line(text).rstrip(".。!！").casefold()


def list_memories(call: ToolCall) -> Answer:
    """The caller's own place alone, as `forget` and `correct` reach it."""
    given = dict(call.arguments)
    kind, limit = given.pop("kind", None), given.pop("top_k", PAGE)
    kinds, after = [kind] if kind else _each_once(given), given.pop("cursor", None)
    states = states_of(given.pop("state", APPROVED))
    try:
        page = call.memory.records.newest(
            call.scope, kinds, states, after=after, limit=limit, **given
        )
    except CursorError:
        return call.answer("bad_cursor", False)
    data = {
        "memories": structured.records(page.records, call),
        "cursor": page.next,
    }
    if not page.records:
        return call.answer("nothing_listed", data=data)
    text = formatting.records(
        page.records, call.redactor, call.memory.settings.zone(), call.language
    )
    more = call.answer("more_listed", cursor=page.next).text if page.next else ""
    return Answer(f"{text}\n{more}" if more else text, data=data)


def _each_once(given: Mapping[str, Any]) -> list[str]:
    """A document is listed, and not its parts; for words, the parts that have them."""
    left_out = "document" if given.get("text") else "chunk"
    return [one for one in KINDS if one != left_out]


def correct(call: ToolCall) -> Answer:
    id, text = call.arguments["id"], call.arguments.get("text", "").strip()
    record = call.record(id)
    if record is None:
        return call.answer("no_fact", False, id=printable_id(id))
    if record.kind != "fact":
        return other_way(call, record)
    if (refused := _cannot_correct(call, record, text)) is not None:
        return refused
    if text:
        new = _corrected(call, record, text)
        return call.answer("corrected", id=new, data={"id": new})
    call.memory.facts.reject(call.scope, record.id, **call.writer)
    return call.answer("withdrawn")


def _corrected(call: ToolCall, fact: Record, text: str) -> str:
    """As of the moment of the conversation; the id of the new fact."""
    return call.memory.facts.correct(call.scope, fact.id, text, time=call.now, **call.writer)


def _expiry(given: Mapping[str, Any]) -> float | EllipsisType | None:
    """What `records.update` takes: None to keep the record for good, ... to leave it as it is."""
    expires = given.get("expires", ...)
    return None if expires == NEVER else expires


def _cannot_correct(call: ToolCall, fact: Record, text: str) -> Answer | None:
    """What a model is told that would correct a fact that was replaced, or with its own words."""
    present = _present(call, fact)
    if present.id != fact.id:
        shown = formatting.told_with_id(present, call.redactor, call.language)
        return call.answer("replaced_already", False, record=shown)
    if text and _words(text) == _words(fact.text):
        return call.answer("says_the_same", False)
    return None


def _present(call: ToolCall, fact: Record) -> Record:
    """The fact itself, or the one that has taken its place since."""
    seen: set[str] = set()
    while (by := str(fact.data.get("superseded_by") or "")) and by not in seen:
        seen.add(by)
        newer = call.memory.records.get(call.scope, by)
        if newer is None or newer.kind != "fact":
            break
        fact = newer
    return fact


def update_memory(call: ToolCall) -> Answer:
    given = dict(call.arguments)
    id, text, metadata = given.pop("id"), given.get("text"), given.get("metadata")
    if not given:
        return call.answer("change_what", False)
    record = call.record(id)
    if record is None:
        return call.answer("no_record", False, id=printable_id(id))
    if record.kind == "fact":
        if text is None or len(given) > 1:
            return call.answer("fact_is_text", False, id=printable_id(record.id))
        if (refused := _cannot_correct(call, record, text)) is not None:
            return refused
        new = _corrected(call, record, text)
        return call.answer("corrected", id=new, data={"id": new})
    try:
        changed = call.memory.records.update(
            call.scope,
            record.id,
            text,
            metadata=metadata,
            expires=_expiry(given),
            actor=MODEL,
            door=call.door,
        )
    except RefusedError as error:
        if isinstance(error, AuthorityError) and record.kind in MADE_FROM_OTHERS:
            return other_way(call, record)
        raise
    except InputError:
        if record.kind in MADE_FROM_OTHERS:
            return other_way(call, record)
        raise
    return call.answer("changed", id=changed.id, data={"id": changed.id})
