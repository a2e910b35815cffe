"""Files by key in a bucket, each with its SHA-256, which is checked whenever it is read."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256

from ...errors import InputError, StorageError
from ...ports.files import checked_key
from .bucket import S3Bucket

MAX_PATH_BYTES = 1024
MAX_NAME_BYTES = 250  # some servers keep them on a file system
ESCAPED = "="  # what follows is in base64
FOLDER_END = "="  # some servers keep files and folders in one tree: `a` and `a/b` must not meet
CHECKSUM = "sha256"
ATTRIBUTES = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment"}
_PLAIN = re.compile(r"(?!\.)[A-Za-z0-9_.-]+", re.ASCII)


class S3Files:
    """Implements ports.FileStore. For many threads and processes."""

    def __init__(self, bucket: S3Bucket, folder: str) -> None:
        self._bucket = bucket
        self._folder = folder

    @property
    def where(self) -> str:
        return f"{self._bucket.address}/{self._folder}"

    def put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        attributes = {**ATTRIBUTES, CHECKSUM: sha256(data).hexdigest()}
        self._bucket.put(path, data, attributes)

    def get(self, key: str) -> bytes | None:
        found = self._bucket.get(self._path(key))
        if found is None:
            return None
        data, attributes = found
        if attributes.get(CHECKSUM) != sha256(data).hexdigest():
            raise StorageError(
                f"a file in {self.where} is not as it was written: its checksum differs. Restore "
                "it from a backup, or add the document again"
            )
        return data

    def exists(self, key: str) -> bool:
        return self._bucket.size(self._path(key)) is not None

    def delete(self, key: str) -> bool:
        path = self._path(key)
        if self._bucket.size(path) is None:
            return False
        self._bucket.delete([path])
        return True

    def list(self, prefix: str = "") -> Sequence[str]:
        within, _, _ = prefix.rpartition("/")
        try:
            names = checked_key(within).split("/") if "/" in prefix else []
            below = "/".join((self._folder, *(_escaped(name) + FOLDER_END for name in names)))
        except InputError:
            return []  # no key looks like that
        keys = (_key(path, self._folder) for path, _ in self._bucket.list(below))
        return sorted(key for key in keys if key is not None and key.startswith(prefix))

    def clear(self) -> None:
        self._bucket.delete(path for path, _ in self._bucket.list(self._folder))

    def link(self, key: str, seconds: float) -> str | None:
        path = self._path(key)
        return None if self._bucket.size(path) is None else self._bucket.link(path, seconds)

    def _path(self, key: str) -> str:
        *folders, name = (_escaped(part) for part in checked_key(key).split("/"))
        path = "/".join((self._folder, *(one + FOLDER_END for one in folders), name))
        if len(self._bucket.prefix) + 1 + len(path) > MAX_PATH_BYTES:
            raise InputError(f"a file's key is too long ({key!a:.40}…); shorten it")
        return path


def _escaped(name: str) -> str:
    """ASCII that every server and every client leaves as it is."""
    if not _PLAIN.fullmatch(name):
        name = ESCAPED + urlsafe_b64encode(name.encode()).decode().rstrip("=")
    if len(name) > MAX_NAME_BYTES:
        raise InputError(f"a name of a file's key is too long ({name!a:.40}…); shorten it")
    return name


def _key(path: str, folder: str) -> str | None:
    """None: somebody else put it there."""
    *folders, name = path.removeprefix(f"{folder}/").split("/")
    with suppress(ValueError, InputError):
        names = [_unescaped(one.removesuffix(FOLDER_END)) for one in folders]
        key = checked_key("/".join((*names, _unescaped(name))))
        again = "/".join(
            (*(_escaped(one) + FOLDER_END for one in names), _escaped(_unescaped(name)))
        )
        return key if f"{folder}/{again}" == path else None
    return None


def _unescaped(text: str) -> str:
    if not text.startswith(ESCAPED):
        return text
    data = text.removeprefix(ESCAPED)
    return urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode()
