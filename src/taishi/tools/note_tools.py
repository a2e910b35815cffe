"""What the tools for notes do (T5)."""

from __future__ import annotations

from collections.abc import Callable

from ..context_block import block
from ..errors import InputError, NotePathError, OperationError, VersionError
from ..language.token_count import estimate_tokens, fit
from ..ports.files import checked_key
from ..ports.knowledge import Note
from ..times import to_datetime
from .arguments import printable
from .formatting import RESULT_TOKENS, fenced
from .messages import message
from .tool_call import Answer, ToolCall

FOUND = 10


def _list_notes(call: ToolCall) -> Answer:
    notes = call.memory.notes.list(call.scope, call.arguments.get("prefix", ""))
    lines = [_listed(note, call.language) for note in notes]
    data = {"notes": [_as_data(note) for note in notes]}
    return Answer(fenced("", lines, call.language), data=data) if lines else call.answer("no_notes")


def _as_data(note: Note) -> dict[str, object]:
    about = block.sanitize_line(note.description)
    size = {"version": note.version, "characters": len(note.text)}
    return {"path": block.sanitize_line(note.path), **size, "about": about}


def _listed(note: Note, language: str) -> str:
    about = block.sanitize_line(note.description)
    size = {"version": note.version, "count": len(note.text)}
    line = message(language, "note_listed", path=block.sanitize_line(note.path), **size)
    return f"{line}: {about}" if about else line


def _read_note(call: ToolCall) -> Answer:
    path, version = call.arguments["path"], call.arguments.get("version")
    note = call.memory.notes.read(call.scope, path)
    if note is None:
        return call.answer("no_note", False, path=printable(path))
    if version is not None and version != note.version:
        versions = call.memory.notes.history(call.scope, path)
        note = next((one for one in versions if one.version == version), None)
        if note is None:
            return call.answer("no_version", False, path=printable(path), version=version)
    lines = note.text.splitlines()
    first = max(call.arguments.get("from_line", 1), 1)
    if first > max(len(lines), 1):
        details = {"version": note.version, "total": len(lines), "first": first}
        path = block.sanitize_line(note.path)
        return call.answer("note_has_fewer", False, path=path, **details)
    shown = _as_fit(lines[first - 1 :])
    last = first - 1 + len(shown)
    place = {"path": block.sanitize_line(note.path), "version": note.version}
    key = "note_part" if len(shown) < len(lines) else "note_whole"
    title = message(call.language, key, **place, first=first, last=last, total=len(lines))
    if last < len(lines):
        title += message(call.language, "note_goes_on", next=last + 1)
    words = block.WORDS[call.language]
    data = {**place, "note": "\n".join(shown), "next_line": last + 1 if last < len(lines) else None}
    return Answer("\n".join([words["open"], title, *shown, words["close"]]), data=data)


def _note_history(call: ToolCall) -> Answer:
    path, zone = call.arguments["path"], call.memory.settings.zone()
    versions = call.memory.notes.history(call.scope, path)
    if not versions:
        return call.answer("no_note", False, path=printable(path))
    times = [to_datetime(one.updated, zone).isoformat(timespec="seconds") for one in versions]
    listed = [
        {"version": one.version, "updated": time, "characters": len(one.text)}
        for one, time in zip(versions, times, strict=True)
    ]
    lines = [
        message(
            call.language, "version_listed", version=one.version, time=time, count=len(one.text)
        )
        for one, time in zip(versions, times, strict=True)
    ]
    data = {"path": block.sanitize_line(path), "versions": listed}
    return Answer("\n".join([block.sanitize_line(path), *lines]), data=data)


def _as_fit(lines: list[str]) -> list[str]:
    """Lines with their indentation, as many as fit; one at least, cut if need be."""
    shown: list[str] = []
    left = RESULT_TOKENS
    for line in lines:
        text = line[: len(line) - len(line.lstrip(" \t"))] + block.sanitize_line(line)
        left -= estimate_tokens(text) + 1
        if left < 0:
            return shown or [fit(text, RESULT_TOKENS)]
        shown.append(text)
    return shown


def _write_note(call: ToolCall) -> Answer:
    given = dict(call.arguments)
    path, text, notes = given.pop("path"), given.pop("text"), call.memory.notes
    try:
        if given.pop("append", False):
            operation = given.get("operation")
            note = notes.append(call.scope, path, text, operation=operation, **call.writer)
        else:
            note = notes.write(call.scope, path, text, **given, actor="model", door=call.door)
    except VersionError as error:
        return call.answer("note_changed", False, path=printable(path), version=error.version)
    if note is None:
        return call.answer("off")
    done = message(call.language, "note_written", path=printable(path), version=note.version)
    if note.redacted:
        done += message(call.language, "note_redacted", kinds=", ".join(note.redacted))
    return Answer(done, data={"version": note.version, "redacted": list(note.redacted)})


def _search_notes(call: ToolCall) -> Answer:
    given = call.arguments
    found = call.memory.notes.search(
        call.scope, given["query"], given.get("prefix", ""), given.get("top_k", FOUND)
    )
    shown = [(block.sanitize_line(one.path), block.sanitize_line(one.snippet)) for one in found]
    data = {"matches": [{"path": path, "text": text} for path, text in shown]}
    lines = [f"{path}: {text}" for path, text in shown]
    return Answer(fenced("", lines, call.language), data=data) if lines else call.answer("nothing")


def _rename_note(call: ToolCall) -> Answer:
    given = dict(call.arguments)
    path, new_path = given.pop("path"), given.pop("new_path")
    try:
        moved = call.memory.notes.rename(call.scope, path, new_path, **given)
    except VersionError:
        return _not_renamed(call, path, new_path, given.get("expected_version"))
    if not moved:
        return call.answer("no_note", False, path=printable(path))
    count = len(moved)
    return call.answer("note_renamed", path=printable(new_path), count=count, data={"moved": count})


def _not_renamed(call: ToolCall, path: str, new_path: str, expected: int | None) -> Answer:
    """Because it was changed since it was read, or because the new path is taken."""
    note = call.memory.notes.read(call.scope, path) if expected is not None else None
    if note is not None and note.version != expected:
        return call.answer("note_changed", False, path=printable(path), version=note.version)
    return call.answer("note_taken", False, path=printable(new_path))


def _remove_note(call: ToolCall) -> Answer:
    given = dict(call.arguments)
    path = given.pop("path")
    if given.get("folder") and "expected_version" in given:
        return call.answer("folder_has_no_version", False)
    try:
        removal = call.memory.notes.remove(call.scope, path, **given)
    except VersionError as error:
        return call.answer("note_changed", False, path=printable(path), version=error.version)
    if not removal:
        return call.answer("no_note", False, path=printable(path))
    return call.answer("note_removed", count=removal.removed, data={"removed": removal.removed})


def _with_plain_paths(work: Callable[[ToolCall], Answer]) -> Callable[[ToolCall], Answer]:
    """A path that no note may have is answered in the model's language, and nothing is done."""

    def checked(call: ToolCall) -> Answer:
        for name in ("path", "new_path"):
            path = call.arguments.get(name)
            try:
                checked_key(path) if path else None
            except InputError:
                return call.answer("bad_path", False, path=printable(path))
        try:
            return work(call)
        except OperationError:
            return call.answer("operation_used", False)
        except NotePathError as error:
            return call.answer(f"note_path_{error.reason}", False, path=printable(error.path))

    return checked


NOTE_FUNCTIONS: dict[str, Callable[[ToolCall], Answer]] = {
    "list_notes": _list_notes,
    "read_note": _with_plain_paths(_read_note),
    "note_history": _with_plain_paths(_note_history),
    "write_note": _with_plain_paths(_write_note),
    "search_notes": _search_notes,
    "rename_note": _with_plain_paths(_rename_note),
    "remove_note": _with_plain_paths(_remove_note),
}
