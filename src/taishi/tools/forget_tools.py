"""What the tool `forget` does: one record, or everything about a scope once that is confirmed."""

from __future__ import annotations

from collections.abc import Sequence

from ..context_block import block
from ..errors import InputError, RefusedError
from ..types import Record, Scope
from . import formatting
from .arguments import printable_id
from .other_ways import is_of_note, other_way
from .still_told import (
    HISTORY,
    SOURCES,
    STATEMENTS,
    Forgotten,
    forget_one,
    has_replaced,
    similar_users,
)
from .tool_call import Answer, ToolCall

MOST_NAMED = 5
MIRRORS = ("profile", "chunk")  # of a page's file, of a note's text: they do not go alone
SCOPE_NAMES = {"private": "user", "group": "group", "agent": "agent", "workspace": "workspace"}


def forget(call: ToolCall) -> Answer:
    id, everything = call.arguments.get("id"), call.arguments.get("everything", False)
    if id and everything:
        return call.answer("forget_one_of", False)
    if id:
        return _forget_one(call, id)
    if not everything:
        return call.answer("forget_what", False)
    confirmation = _scope_name(call.scope)
    if str(call.arguments.get("confirm", "")).strip() != confirmation:
        return call.answer("confirm", False, place=confirmation)
    count = call.memory.forget(call.scope, **call.writer) + call.forgotten(call.scope.home)
    text = call.answer("forgot_everything", place=confirmation, count=count).text
    similar = similar_users(call.memory, call.scope)
    if similar:
        users = (f"{block.sanitize_id(id)} ({kept})" for id, kept in similar.items())
        text += call.answer("similar_users", users=", ".join(users)).text
    return Answer(text, data={"forgotten": count, "similar_users": list(similar)})


def _scope_name(scope: Scope) -> str:
    home = scope.home
    return f"{SCOPE_NAMES[home.kind]} {block.sanitize_line(home.id or home.workspace)}"


def _forget_one(call: ToolCall, id: str) -> Answer:
    """A fact that was corrected has a newer record, which says what is meant now."""
    record = call.record(id)
    if record is not None and record.kind == "document" and is_of_note(call, record):
        return other_way(call, record)  # a whole page with its history, for the id of one record
    try:
        done = forget_one(call.memory, call.scope, record.id if record else id, **call.writer)
    except RefusedError:
        raise
    except InputError:
        if record is None or record.kind not in MIRRORS:
            raise
        return other_way(call, record)
    if not done.count:
        return call.answer("no_record", False, id=printable_id(id))
    newer = str(record.data.get("superseded_by") or "") if record is not None else ""
    if newer and call.memory.get(call.scope, newer) is not None:
        told = call.answer("forgot_older", id=newer).text
        return _with_what_is_left(call, done, told, (newer,))
    return _with_what_is_left(call, done)


def _with_what_is_left(
    call: ToolCall, done: Forgotten, older: str = "", newer: Sequence[str] = ()
) -> Answer:
    """What went and what stays, in whole sentences: "forgotten" alone would be untrue while
    something is still shown that says the same. `older` is said of a version that was replaced,
    by the records `newer`."""
    record = done.record
    is_statement = record is not None and record.kind in STATEMENTS
    text = call.answer("forgot", count=done.count).text
    if older:
        text = older
    elif is_statement and record is not None:
        shown = formatting.quoted(record, call.redactor, call.language)
        text = call.answer("forgot_statement", text=shown).text
    elif record is not None:
        text = call.answer("forgot_record", record=_named(call, [record])).text
    was_event = record is not None and record.kind in SOURCES
    events = [one for one in done.went if one.kind in SOURCES]
    others = [one for one in done.went if one.kind not in SOURCES]
    for key, went in (
        ("learned_went" if was_event else "versions_went", others),
        ("went_with_it", events),
    ):
        if went:
            text += call.answer(key, count=len(went), records=_named(call, went)).text
    if done.changed:
        text += call.answer("taken_out", records=_shown(call, done.changed)).text
    notes = [one for one in done.left if one.kind == "chunk" and is_of_note(call, one)]
    records = [one for one in done.left if one not in notes and one.id not in newer]
    sources = [one for one in records if one.kind in SOURCES]
    versions = [one for one in records if one.kind == "fact" and one.state in HISTORY]
    copies = [one for one in records if one not in sources and one not in versions]
    close = list(done.close)
    standing = [one for one in (*copies, *close) if record and has_replaced(one, record)]
    copies, close = ([one for one in told if one not in standing] for told in (copies, close))
    if sources:
        text += call.answer("still_in_events", records=_shown(call, sources)).text
    if copies:
        text += call.answer("still_told", records=_shown(call, copies)).text
    if standing:
        text += call.answer("stays_as_correction", records=_shown(call, standing)).text
    if close:
        text += call.answer("told_in_other_words", records=_shown(call, close)).text
    if versions:
        text += call.answer("versions_stay", records=_shown(call, versions)).text
    if notes:
        paths = dict.fromkeys(block.sanitize_line(str(one.data.get("name"))) for one in notes)
        text += call.answer("still_in_notes", paths=", ".join(paths)).text
    if is_statement:
        text += call.answer("do_not_repeat").text
    data: dict[str, object] = {
        "forgotten": done.count,
        "changed": [one.id for one in done.changed],
        "still_told_by": [*newer, *(one.id for one in (*records, *done.close))],
    }
    if standing:
        data["corrections"] = [one.id for one in standing]
    return Answer(text, data=data)


def _named(call: ToolCall, records: Sequence[Record]) -> str:
    """The first words and the ids of what went; of many, of the first ones."""
    names = [formatting.named(one, call.redactor, call.language) for one in records[:MOST_NAMED]]
    return "; ".join(names) + (" …" if len(records) > MOST_NAMED else "")


def _shown(call: ToolCall, records: Sequence[Record]) -> str:
    return "; ".join(formatting.told_with_id(one, call.redactor, call.language) for one in records)
