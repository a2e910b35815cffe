"""Addresses of vector engines: what is accepted, and clear errors for the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from ...errors import SettingsError
from ...language.lazy_regex import lazy_compile

FORMS = {
    "milvus": "milvus://HOST:PORT or milvus:///FOLDER/FILE.db",
    "lancedb": "lancedb:///FOLDER",
    "chroma": "chroma://HOST:PORT or chroma:///FOLDER",
}
MAX_LENGTH = 2000
_ADDRESS = lazy_compile(r"([a-z]+)://([^/?#]*)(/[^?#]*)?", re.IGNORECASE)
_HOST = lazy_compile(
    r"(?:([^@]*)@)?([A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})"
)
_CONTROL = lazy_compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """A server (`host`, `port`) or a place on this machine (`path`)."""

    scheme: str
    host: str = ""
    port: int = 0
    path: Path | None = None
    token: str = field(default="", repr=False)

    def __str__(self) -> str:
        """Without the password: for messages."""
        where = f"{self.host}:{self.port}" if self.path is None else str(self.path)
        return f"{self.scheme}://{where}"


def parse_address(text: str) -> EngineAddress:
    """Raises SettingsError for what cannot be an engine's address."""
    if len(text) > MAX_LENGTH or _CONTROL.search(text):
        raise SettingsError(f"storage.vectors is no address; use {_known()}")
    matched = _ADDRESS.fullmatch(text.strip())
    scheme = matched[1].lower() if matched else ""
    if matched is None or scheme not in FORMS:
        raise SettingsError(f"storage.vectors = {_shown(text)!a}: unknown; use {_known()}")
    if matched[2]:
        return _server(scheme, matched[2], matched[3] or "", text)
    return _local(scheme, unquote(matched[3] or ""), text)


def _server(scheme: str, authority: str, path: str, text: str) -> EngineAddress:
    host = _HOST.fullmatch(authority)
    port = int(host[3]) if host else 0
    if host is None or path not in ("", "/") or scheme == "lancedb" or not 0 < port < 65536:
        raise _wrong(scheme, text)
    if host[1] and scheme != "milvus":
        raise SettingsError(f"storage.vectors: {scheme} takes no user in its address")
    return EngineAddress(scheme, host[2], port, token=unquote(host[1] or ""))


def _local(scheme: str, path: str, text: str) -> EngineAddress:
    parts = path.split("/")
    if not path.strip("/") or ".." in parts or _CONTROL.search(path):
        raise _wrong(scheme, text)
    if scheme == "milvus" and not path.endswith(".db"):
        raise _wrong(scheme, text)
    return EngineAddress(scheme, path=Path(path))


def _wrong(scheme: str, text: str) -> SettingsError:
    return SettingsError(f"storage.vectors = {_shown(text)!a}: use {FORMS[scheme]}")


def _shown(text: str) -> str:
    """Short, and without a password."""
    return re.sub(r"//[^@/]*@", "//…@", text)[:100]


def _known() -> str:
    return ", ".join(FORMS.values())
