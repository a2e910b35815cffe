"""What the tools for notes do (T5)."""

from __future__ import annotations

from collections.abc import Callable

from ..context_block import block
from ..errors import InputError, NotePathError, VersionError
from ..language.token_count import estimate_tokens, fit
from ..ports.files import checked_key
from ..ports.knowledge import Note
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
    note = call.memory.notes.read(call.scope, call.arguments["path"])
    if note is None:
        return call.answer("no_note", False, path=printable(call.arguments["path"]))
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
    path, text = call.arguments["path"], call.arguments["text"]
    notes, given = call.memory.notes, call.arguments
    try:
        if given.get("append"):
            note = notes.append(call.scope, path, text, actor="model", door=call.door)
        else:
            expected = given.get("expected_version")
            note = notes.write(
                call.scope, path, text, expected_version=expected, actor="model", door=call.door
            )
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
    path, new_path = call.arguments["path"], call.arguments["new_path"]
    try:
        moved = call.memory.notes.rename(call.scope, path, new_path)
    except VersionError:
        return call.answer("note_taken", False, path=printable(new_path))
    if not moved:
        return call.answer("no_note", False, path=printable(path))
    count = len(moved)
    return call.answer("note_renamed", path=printable(new_path), count=count, data={"moved": count})


def _remove_note(call: ToolCall) -> Answer:
    path, folder = call.arguments["path"], call.arguments.get("folder", False)
    removal = call.memory.notes.remove(call.scope, path, folder=folder)
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
        except NotePathError as error:
            return call.answer(f"note_path_{error.reason}", False, path=printable(error.path))

    return checked


NOTE_FUNCTIONS: dict[str, Callable[[ToolCall], Answer]] = {
    "list_notes": _list_notes,
    "read_note": _with_plain_paths(_read_note),
    "write_note": _with_plain_paths(_write_note),
    "search_notes": _search_notes,
    "rename_note": _with_plain_paths(_rename_note),
    "remove_note": _with_plain_paths(_remove_note),
}
