"""Changes to the settings file that leave everything else as it is: comments, order, line ends.

What comes out is checked before it is written, and it is written whole or not at all.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..disk.file_owner import give_to_owner
from ..errors import SettingsError
from .loader import (
    ENVIRONMENT,
    OVERRIDES,
    GivenValue,
    build,
    is_removed,
    read_content,
    refuse_unknown,
)
from .schema import Origin, Settings
from .spec import Key, Section, Spec, flatten, walk

MASK = "***"
TRIES = 5
CHANGE = "the change"


def change(origin: Origin, changes: Mapping[str, Any]) -> Settings:
    """Set these keys in the file (None: take the key out); the settings that follow from it.

    Keys are dotted or nested. A secret given as *** stays as it is: that is how it was shown.
    """
    if origin.file is None:
        raise SettingsError("these settings were not read from a file; edit what they came from")
    wanted = checked(changes)
    for _ in range(TRIES):
        before = read_content(origin.file, required=False)
        content = edited(before or b"", wanted, str(origin.file))
        settings = build(replace(origin, content=content))
        if read_content(origin.file, required=False) == before:
            if content != before:
                _write(origin.file, content)
            return settings
    raise SettingsError(f"{origin.file} is being changed by another process; try again")


def overridden(settings: Settings, keys: Iterable[str]) -> dict[str, str]:
    """Those of the keys that something stronger than the file sets, and what that is."""
    given = settings.origin.given
    strong = (ENVIRONMENT, OVERRIDES)
    return {key: given[key] for key in keys if given.get(key, "").startswith(strong)}


def checked(changes: Mapping[str, Any]) -> dict[Key, Any]:
    """The changes by key, each known and of the right kind; SettingsError otherwise."""
    known = dict(walk(Settings))
    wanted: dict[Key, Any] = {}
    for path, value in flatten(changes):
        key = tuple(".".join(map(str, path)).split("."))
        if value is None and is_removed(key):
            wanted[key] = None  # taking it out is what its owner was told to do
            continue
        refuse_unknown(key, GivenValue(value, CHANGE), known)
        spec = known[key]
        if isinstance(spec, Section):
            continue  # an empty table says nothing
        if spec.secret and value == MASK:
            continue
        wanted[key] = None if value is None else _accepted(key, spec, value)
    return wanted


def _accepted(key: Key, spec: Spec, value: Any) -> Any:
    try:
        return spec.accept(value)
    except ValueError as error:
        raise SettingsError(f"{CHANGE}: {'.'.join(key)}: {error}") from None


def edited(content: bytes, changes: Mapping[Key, Any], file: str) -> bytes:
    """The file's text with these keys set, or taken out where the value is None."""
    from tomlkit.exceptions import TOMLKitError  # only who writes settings needs it

    mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""
    try:
        text = content.decode("utf-8-sig")
        values = _values(text)
        for key, value in changes.items():
            if values.get(key) != value or type(values.get(key)) is not type(value):
                values = _changed(values, key, value)
                text = _edit(text, key, value, values)
    except (ValueError, RecursionError, TOMLKitError) as error:
        kind = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else f"not TOML: {error}"
        raise SettingsError(f"{file} is {kind}; correct it first") from error
    return mark + text.encode()


def _edit(text: str, key: Key, value: Any, wanted: Mapping[Key, Any]) -> str:
    """Beside the comment that explains the key, if that can be done; otherwise where it fits."""
    for way in (_by_line, _by_document):
        done = way(text, key, value)
        try:
            if _values(done) == wanted:
                return done
        except ValueError:
            continue
    raise SettingsError(
        f"{'.'.join(key)} cannot be changed without disturbing the rest; edit the file by hand"
    )


def _by_line(text: str, key: Key, value: Any) -> str:
    """A new line below the commented one that shows the default, or below the section's head."""
    import tomlkit

    *path, name = key
    if value is None or key in _values(text):
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    line = f"{name} = {tomlkit.item(value).as_string()}{end}"
    head = re.compile(r"\s*\[\s*" + r"\s*\.\s*".join(map(re.escape, path)) + r"\s*\]\s*(?:#.*)?")
    shown = re.compile(rf"\s*#\s*{re.escape(name)}\s*=")
    lines = re.split(r"(?<=\n)", text)
    inside, place = False, None
    for number, one in enumerate(lines):
        if re.match(r"\s*\[", one):
            inside = head.fullmatch(one) is not None
            place = number + 1 if inside else place
        elif inside and shown.match(one):
            place = number + 1
            break
    if place is None:
        gap = "" if not text else end if text.endswith("\n") else end * 2
        return f"{text}{gap}[{'.'.join(path)}]{end}{line}"
    if not lines[place - 1].endswith("\n"):
        lines[place - 1] += end
    return "".join([*lines[:place], line, *lines[place:]])


def _by_document(text: str, key: Key, value: Any) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    *path, name = key
    part: Any = document
    for step in path:
        if step not in part:
            part[step] = tomlkit.table()
        part = part[step]
    if value is None:
        part.remove(name)
    else:
        part[name] = value
    return document.as_string()


def _values(text: str) -> dict[Key, Any]:
    return {key: value for key, value in flatten(tomllib.loads(text)) if value != {}}


def _changed(values: Mapping[Key, Any], key: Key, value: Any) -> dict[Key, Any]:
    rest = {known: kept for known, kept in values.items() if known != key}
    return rest if value is None else {**rest, key: value}


def _write(file: Path, content: bytes) -> None:
    """In place of the file, or of what it links to; its mode and, if we may, its owner stay."""
    target = Path(os.path.realpath(file))
    temp = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        handle = os.open(
            temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
        )
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            _like(temp, target)
            temp.replace(target)
        except BaseException:
            with suppress(OSError):  # the first error is the one to report
                temp.unlink()
            raise
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be written ({error.strerror or error}); make its folder writable, or "
            "edit the file by hand"
        ) from error


def _like(temp: Path, target: Path) -> None:
    try:
        old = target.stat()
    except FileNotFoundError:
        give_to_owner(temp)
        return  # a new file may come to hold keys: readable by its owner only
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(temp, old.st_uid, old.st_gid)
    temp.chmod(stat.S_IMODE(old.st_mode))
