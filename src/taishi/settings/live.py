"""Settings that change while the engine runs (C2): what may be taken over, and when to look."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import SettingsError
from .loader import build, changed, read_content
from .schema import HOT, Settings

log = logging.getLogger("taishi.settings")
WATCH_SECONDS = 0.5
OFF_SWITCH = "memory.enabled"


@dataclass(frozen=True, slots=True)
class Report:
    """The keys that are in force now, and those that wait for a restart."""

    applied: tuple[str, ...] = ()
    need_restart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changed(Report):
    """What became of a change: also which keys something stronger than the file still sets."""

    overridden: Mapping[str, str] | None = None
    file: str = ""


def merge(current: Settings, before: Settings, after: Settings) -> tuple[Settings, Report]:
    """`current` with what changed from `before` to `after`, as far as it may change now.

    What needs a restart keeps its old value, so that no part sees one that another does not.
    """
    keys = [key for key in changed(before, after) if value_of(current, key) != value_of(after, key)]
    live = [key for key in keys if is_live(key, after)]
    for key in live:
        current = _with(current, key.split("."), value_of(after, key))
    waiting = [key for key in keys if key not in live]
    return current, Report(tuple(live), tuple(waiting))


def is_live(key: str, after: Settings) -> bool:
    """Whether a running process takes over this key, with the value it has now."""
    switches_on = key == OFF_SWITCH and after.memory.enabled
    return key.startswith(HOT) and not switches_on


def value_of(settings: Settings, key: str) -> Any:
    """The value of a dotted key; None where its section is not there."""
    part: Any = settings
    for name in key.split("."):
        part = getattr(part, name, None)
    return part


def _with(part: Any, path: list[str], value: Any) -> Any:
    name, *rest = path
    inner = _with(getattr(part, name), rest, value) if rest else value
    return replace(part, **{name: inner})


def as_read(settings: Settings) -> Settings:
    """What the file and the environment said, without what the program changed afterwards."""
    return build(settings.origin) if settings.origin.file else settings


def waits_for_restart(settings: Settings) -> bool:
    """Whether memory is off in this process, while its settings file has been switched on. The file
    is read now: a process that is off may not follow it."""
    file = settings.origin.file
    if settings.memory.enabled or file is None:
        return False
    try:
        content = read_content(file, required=False)
        now = build(replace(settings.origin, content=content)) if content is not None else settings
    except SettingsError:
        return False
    return now.memory.enabled


Stamp = tuple[int, int, int]
GONE: Stamp = (0, 0, 0)


class Watch:
    """Looks at a settings file now and then, and hands on what it says once it is at rest.

    An editor may write a file in pieces, and half a file may be good TOML: what changed is read
    only when the next look finds it unchanged.
    """

    def __init__(self, settings: Settings, take: Callable[[Settings], Report]) -> None:
        if settings.origin.file is None:
            raise SettingsError(
                "these settings were not read from a file; pass the path to watch, or read them "
                "with taishi.load()"
            )
        self._origin = settings.origin
        self._file = settings.origin.file
        self._take = take
        self._seen: Stamp | None = None
        self._moving: Stamp | None = None
        self._refused: bytes | None = None

    def look(self) -> bool:
        """Always False: there is never more to do until the next look."""
        now = stamp(self._file)
        if now == self._seen:
            return False
        if now != self._moving:
            self._moving = now
            return False
        if now == GONE and self._seen not in (None, GONE):
            log.warning("%s is gone; the settings stay as they are until it is back", self._file)
        elif now != GONE:
            self._read()
        self._seen = now
        return False

    def _read(self) -> None:
        content = b""
        try:
            content = read_content(self._file, required=True) or b""
            report = self._take(build(replace(self._origin, content=content)))
        except SettingsError as error:
            if content != self._refused:
                log.warning("the settings stay as they are: %s", error)
            self._refused = content
            return
        self._refused = None
        tell(report)


def tell(report: Report) -> None:
    """One line for what was taken over, one for what waits. Values are not shown."""
    if report.applied:
        log.info("settings taken over: %s", ", ".join(report.applied))
    if report.need_restart:
        keys = ", ".join(report.need_restart)
        log.warning("%s changed: takes effect after a restart", keys)


def stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except (OSError, ValueError):
        return GONE
    return found.st_mtime_ns, found.st_size, found.st_ino
