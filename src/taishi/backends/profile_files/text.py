"""A profile as text: Markdown under YAML front matter, written strictly and parsed leniently.

A person edits these files, in any editor. What cannot be parsed is read as what it most likely is,
nothing is discarded, and every repair is reported with its line (P6).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, NamedTuple, cast

import yaml

from ...errors import InputError
from ...language.lazy_regex import lazy_compile
from ...ports import ProfileKey
from ...types import Profile

MAX_FRONT_CHARS = 64 * 1024  # the YAML parser is slow; nobody writes more than this by hand
LABEL_CHARS = 2000
KEYS = ("entity_type", "entity_id", "name", "tags", "updated_at", "source_event_id", "changed_by")
BY_HAND = "file"  # who wrote a page that is not as we wrote it
_MARK = lazy_compile(r"^---[ \t]*$", re.MULTILINE)
_FIELD = lazy_compile(rf"({'|'.join(KEYS)})[ \t]*[:：][ \t]*(.*)$")
_ITEM = lazy_compile(r"[ \t]*-[ \t]+(.*)$")
FaultKind = Literal[
    "encoding",
    "front_missing",
    "front_open",
    "front_broken",
    "label",
    "id",
    "empty",
    "folder",
    "unreadable",
    "other",
]


class Fault(NamedTuple):
    """What is wrong with a page, in which line of the file."""

    kind: FaultKind
    line: int
    detail: str = ""

    def __str__(self) -> str:
        return f"line {self.line}: {SAID[self.kind].format(detail=self.detail)}"


SAID: dict[FaultKind, str] = {
    "encoding": "not UTF-8 text, read as {detail}",
    "front_missing": "no front matter, all of it is read as the page",
    "front_open": "the front matter has no closing line of ---",
    "front_broken": "the front matter is not YAML ({detail}), read line by line",
    "label": "{detail} is not plain text and is left out",
    "id": "says {detail}, but its place says otherwise; the place counts",
    "empty": "the file is empty",
    "folder": "a folder is in the place of the page",
    "unreadable": "cannot be read ({detail})",
    "other": "is the page of {detail}",
}


# Encodings that are guessed from bytes which may be no text at all.
GUESSED = ("Windows-1252", "UTF-8, with characters that are lost")


class Parsed(NamedTuple):
    """The page, whom it says it is about, and the faults that were repaired."""

    profile: Profile
    said: tuple[str, str]
    faults: tuple[Fault, ...]


def render(profile: Profile) -> bytes:
    """The file of a profile. Characters that UTF-8 cannot encode become question marks."""
    texts = (profile.name, *profile.tags, profile.updated_at, profile.source_event_id)
    if sum(len(text) + 20 for text in texts) > MAX_FRONT_CHARS // 12:  # escapes take up to 10
        raise InputError("name and tags of a profile are too long; keep them to a few words")
    front = (
        f"entity_type: {profile.entity_type}\n"
        f"entity_id: {_quoted(str(profile.entity_id))}\n"
        f"name: {_quoted(profile.name)}\n"
        f"tags: [{', '.join(map(_quoted, profile.tags))}]\n"
        f"updated_at: {_quoted(profile.updated_at)}\n"
        f"source_event_id: {_quoted(profile.source_event_id)}\n"
    )
    if profile.changed_by:
        front += f"changed_by: {_quoted(f'{profile.changed_by}#{_seal(profile)}')}\n"
    return f"---\n{front}---\n\n{profile.body.strip()}\n".encode(errors="replace")


def _seal(profile: Profile) -> str:
    """Short hash of what was written: it no longer fits after somebody edited the file."""
    texts = (profile.name, *profile.tags, profile.source_event_id, profile.body.strip())
    return hashlib.sha256("\0".join(texts).encode(errors="replace")).hexdigest()[:12]


def _writer(profile: Profile, said: str) -> str:
    """Who wrote this version; nobody's word counts whose hash does not fit."""
    if not said:
        return ""
    by, _, seal = said.rpartition("#")
    return by if by and seal == _seal(profile) else BY_HAND


def _quoted(text: str) -> str:
    """Text that no YAML reader takes for a number, a date, a boolean or a second line."""
    return yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10**9).rstrip("\n")


def parse(data: bytes, entity: ProfileKey) -> Parsed:
    """The profile in a file. Every field of the front matter is text: ids are never numbers or
    dates."""
    text, encoding, at = decoded(data)
    faults = [Fault("encoding", at, encoding)] if encoding else []
    text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    if not text.strip():
        return Parsed(
            _blank(entity), (entity.entity_type, entity.entity_id), (*faults, Fault("empty", 1))
        )
    fields, body, found = _split(text)
    profile, more = _profile(fields, body, entity)
    said = (
        _plain(fields.get("entity_type")) or entity.entity_type,
        _plain(fields.get("entity_id")) or entity.entity_id,
    )
    if said != entity[1:]:
        more.append(Fault("id", _line_of(text, "entity_"), f"{said[0]} {said[1]!r:.60}"))
    return Parsed(profile, said, (*faults, *found, *more))


_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
COMMON_SHARE = 0.7


def decoded(data: bytes) -> tuple[str, str, int]:
    """The text of a file, the name of its encoding if that is not UTF-8, and the first line that
    is not."""
    if (name := _wide(data)) is not None:
        return data.decode(name, "replace").lstrip("\ufeff"), name[:6].upper(), 1
    try:
        return data.decode("utf-8-sig"), "", 0
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    return *_guessed(data), line


def _wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32, by its byte order mark or by zeros in every other byte."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return name
    head = data[:400]
    for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(head) > 8 and head[first::2].count(0) > 0.8 * len(head[first::2]):
            return name
    return None


def _guessed(data: bytes) -> tuple[str, str]:
    """Without a byte order mark: what Windows editors write, else UTF-8 with replacement
    characters."""
    for name, shown in (("gb2312", "GBK"), ("gb18030", "GBK"), ("cp1252", GUESSED[0])):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if name != "gb18030" or _is_common(text):
            return text, shown
    return data.decode("utf-8", "replace"), GUESSED[1]


def _is_common(text: str) -> bool:
    """Whether it is Chinese as people write it; bytes of another encoding make rare characters."""
    other = [char for char in text[:20_000] if char > "\x7f"]
    known = "".join(other).encode("gb2312", "ignore")
    return len(known) >= 2 * COMMON_SHARE * len(other)


def _split(text: str) -> tuple[dict[str, Any], str, list[Fault]]:
    """The fields, the page below them, and the faults in the fields."""
    marks = [found.span() for found in islice(_MARK.finditer(text), 2)]
    if not marks or text[: marks[0][0]].strip():
        return _without_opening(text)
    start = marks[0][1]
    if len(marks) < 2:
        fields, body = _salvaged(text[start:])
        if not fields:
            return {}, text, [Fault("front_missing", 1)]
        return fields, body, [Fault("front_open", _count(text, marks[0][0]))]
    front, body = text[start : marks[1][0]], text[marks[1][1] :]
    loaded, fault = _loaded(front, _count(text, start))
    if loaded is None:  # two horizontal rules of Markdown, not fields: all of it is text
        return {}, text, [Fault("front_missing", 1)]
    return loaded, body, [fault] if fault else []


def _without_opening(text: str) -> tuple[dict[str, Any], str, list[Fault]]:
    """Fields whose first --- line is missing, or no fields at all."""
    fields, rest = _salvaged(text)
    closing = _MARK.match(rest.lstrip("\n"))
    if fields and closing:
        return fields, rest.lstrip("\n")[closing.end() :], [Fault("front_open", 1)]
    return {}, text, [Fault("front_missing", 1)]


def _loaded(front: str, line: int) -> tuple[dict[str, Any] | None, Fault | None]:
    if len(front) > MAX_FRONT_CHARS:
        return None, None
    try:
        loaded = yaml.load(front, yaml.BaseLoader) or {}  # the loader that only makes text
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        at = line + (mark.line if mark else 0)
        why = str(getattr(error, "problem", None) or type(error).__name__)
        fields, left = _salvaged(front)
        known = fields or not left.strip()
        return (fields, Fault("front_broken", at, why[:80])) if known else (None, None)
    return (loaded, None) if isinstance(loaded, dict) else (None, None)


def _salvaged(front: str) -> tuple[dict[str, Any], str]:
    """Known fields at the beginning of a text, line by line; and the text after them."""
    fields: dict[str, Any] = {}
    lines = front[:MAX_FRONT_CHARS].split("\n")
    used, in_tags = 0, False
    for number, line in enumerate(lines):
        field, item = _FIELD.match(line), _ITEM.match(line)
        if field:
            fields[field[1]] = _value(field[1], field[2])
        elif item and in_tags:
            fields["tags"].append(_unquoted(item[1]))
        elif line.strip():
            break
        in_tags = bool(item and in_tags) or bool(field and field[1] == "tags" and not field[2])
        used = number + 1
    return fields, "\n".join(lines[used:]) + front[MAX_FRONT_CHARS:]


def _value(key: str, written: str) -> Any:
    if key != "tags":
        return _unquoted(written)
    return [one for part in re.split("[,，]", written.strip("[] ")) if (one := _unquoted(part))]


def _unquoted(written: str) -> str:
    """One value, parsed as YAML if it is that, else without its quotes."""
    text = written.strip()[:LABEL_CHARS]
    if text[:1] in "\"'" and text[-1:] == text[:1] and len(text) > 1:
        try:
            loaded = yaml.load(text, yaml.BaseLoader)
        except (yaml.YAMLError, ValueError):
            loaded = None
        if isinstance(loaded, str):
            return loaded
    return text.strip("\"'“”")


def _profile(fields: dict[str, Any], body: str, entity: ProfileKey) -> tuple[Profile, list[Fault]]:
    tags = fields.get("tags") or []
    tags = [tags] if isinstance(tags, str) else tags
    faults = []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        faults.append(Fault("label", 2, "tags"))
        tags = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    texts: dict[str, Any] = {}
    for key in ("name", "updated_at", "source_event_id"):
        if not isinstance(fields.get(key, ""), str):
            faults.append(Fault("label", 2, key))
        texts[key] = _plain(fields.get(key))
    made = replace(_blank(entity), tags=tuple(tags), body=body.strip(), **texts)
    by = _writer(made, _plain(fields.get("changed_by")))
    return (replace(made, changed_by=by) if by else made), faults


def _blank(entity: ProfileKey) -> Profile:
    kind = cast(Literal["user", "group"], entity.entity_type)
    return Profile(kind, entity.entity_id, workspace=entity.workspace)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _line_of(text: str, words: str) -> int:
    at = text.find(words)
    return _count(text, max(at, 0))
