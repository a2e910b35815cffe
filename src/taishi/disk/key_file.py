"""A document that servers share, such as the API keys, as a file in the data folder."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal

from ..errors import StorageError
from .durable_io import make_folder, write_durably
from .file_locks import held
from .file_owner import name_of_owner

FILE = "keys.json"
SESSIONS_FILE = "sessions.json"
OAUTH_FILE = "oauth.json"
LOCK_SECONDS = 10.0


class KeyFile:
    """Implements ports.KeyDocument."""

    def __init__(self, folder: str | Path, file: str = FILE) -> None:
        self.path = Path(folder).expanduser() / file
        self._folder: tuple[int, int] | None = None  # in which it was last seen

    @property
    def where(self) -> str:
        return str(self.path)

    @property
    def is_permanent(self) -> bool:
        return False

    def stamp(self) -> Hashable | None:
        folder = self._folder_now()  # first: it may be unmounted in between
        try:
            found = self.path.stat()
        except FileNotFoundError as error:
            if self._folder is None or self._folder == self._folder_now():
                return None
            raise StorageError(
                f"{self.path} cannot be read: its folder is gone, as when a volume is unmounted; "
                "bring it back"
            ) from error
        except OSError as error:
            raise self._unreadable(error) from error
        self._folder = folder
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _folder_now(self) -> tuple[int, int] | None:
        """Which folder has this path: a volume has another number than the folder it is mounted
        on. None: there is none."""
        try:
            found = self.path.parent.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> StorageError:
        if isinstance(error, PermissionError) and (owner := name_of_owner(self.path)):
            return StorageError(
                f"{self.path} cannot be read: it belongs to {owner}; give it to the user that runs "
                "the server: chown"
            )
        return StorageError(
            f"{self.path} cannot be read: {error}; check the file and its permissions"
        )

    def write(self, data: bytes) -> None:
        try:
            make_folder(self.path.parent)
            write_durably(self.path, data)
        except OSError as error:
            raise StorageError(
                f"{self.path} cannot be written: {error}; check the file and its permissions"
            ) from error

    def locked(self) -> AbstractContextManager[None]:
        return held(self.path.with_suffix(".lock"), LOCK_SECONDS, self.path.name)

    def beside(self, name: Literal["keys", "sessions", "oauth"]) -> KeyFile:
        files = {"keys": FILE, "sessions": SESSIONS_FILE, "oauth": OAUTH_FILE}
        return KeyFile(self.path.parent, files[name])

    def close(self) -> None:
        """No file is kept open."""
