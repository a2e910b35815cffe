"""What the workers of `taishi serve --workers` start with: the settings file, or while that cannot
be used, a copy of it from when it last could."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from ..errors import TaishiError
from ..settings import Settings
from ..settings.live import stamp
from .context import CliContext

log = logging.getLogger("taishi.server")
COPY = "settings.toml"


class LastGoodSettings:
    """`folder` is readable by its owner alone: a settings file may hold keys."""

    def __init__(self, app: CliContext, folder: Path) -> None:
        self._app = app
        self._copy = folder / COPY
        self._good: Settings = app.settings
        self._file = app.settings.origin.file
        self._seen = self._moving = stamp(self._file) if self._file else None
        self._is_bad = False

    def look(self) -> None:
        """Now and then: the workers that run follow the file, too. It is read once it is at rest,
        as an editor may write it in pieces."""
        now = stamp(self._file) if self._file else None
        if now == self._seen:
            return
        if now != self._moving:
            self._moving = now
            return
        self._seen = now
        try:
            self.check()
        except TaishiError:
            return  # whoever has to read it says so

    def check(self) -> None:
        """Raise if a worker could not start with the file as it is now."""
        settings = self._app.load()
        self._app.need_engine(settings.memory.data)
        self._good = settings

    def copy_if_needed(self, number: int) -> str | None:
        """The path of the copy that worker `number` has to read, None if the file will do."""
        try:
            self.check()
        except TaishiError as error:
            log.error("worker %d starts with the last good settings: %s", number, error)
            self._is_bad = True
            self._write()
            return str(self._copy)
        if self._is_bad:
            log.info("the settings file can be used again; worker %d starts with it", number)
            self._is_bad = False
        return None

    def _write(self) -> None:
        new = self._copy.with_suffix(".new")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(self._good.origin.content or b"")
        new.replace(self._copy)
