"""What an MCP client may read as resources: profile pages, and the notes an agent keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote

from .. import tools
from ..errors import InputError
from ..memory import Memory
from ..types import Scope, clean_id
from .sdk import RequestError

PROFILE_URI = re.compile(r"taishi://profile/(user|group)/([^/?#]+)", re.IGNORECASE)
MEMORY_FILE = "MEMORY.md"
MEMORY_URI = f"taishi://notes/{MEMORY_FILE}"
DESCRIPTIONS = {
    "user": ("The page about a user", "用户画像"),
    "group": ("The page about a group", "群画像"),
    "notes": ("The notes that are kept here, MEMORY.md", "此处的笔记 MEMORY.md"),
}


class Resources:
    """The resources of one memory, as a scope may see them."""

    def __init__(self, memory: Memory, language: str) -> None:
        self._memory = memory
        self._language = language

    def all(self, scope: Scope) -> list[dict[str, Any]]:
        if not self._memory.is_on(scope):
            return []
        return [*self._profiles(scope), *self._notes(scope)]

    def _profiles(self, scope: Scope) -> Iterator[dict[str, Any]]:
        for kind, id in (("user", scope.user), ("group", scope.group)):
            if id and self._memory.get_profile(scope, kind, id) is not None:
                yield self._resource(profile_uri(kind, id), f"{kind} {id}", kind, "text/plain")

    def _notes(self, scope: Scope) -> Iterator[dict[str, Any]]:
        if self._memory.notes.read(scope, MEMORY_FILE) is not None:
            yield self._resource(MEMORY_URI, MEMORY_FILE, "notes", "text/markdown")

    def _resource(self, uri: str, name: str, kind: str, mime_type: str) -> dict[str, Any]:
        description = DESCRIPTIONS[kind][self._language == "zh"]
        return {"uri": uri, "name": name, "description": description, "mimeType": mime_type}

    def templates(self) -> list[dict[str, Any]]:
        return [
            {
                "uriTemplate": f"taishi://profile/{kind}/{{id}}",
                "name": f"{kind} profile",
                "description": DESCRIPTIONS[kind][self._language == "zh"],
                "mimeType": "text/plain",
            }
            for kind in ("user", "group")
        ]

    def read(self, scope: Scope, uri: str) -> dict[str, Any]:
        """The content; what may not be seen counts as missing."""
        if uri == MEMORY_URI:
            text = self._note_text(scope)
            content = {"uri": uri, "mimeType": "text/markdown", "text": text}
        else:
            content = {"uri": uri, "mimeType": "text/plain", "text": self._profile(scope, uri)}
        if content["text"] is None:
            message = "there is no such page that can be seen here; see resources/list"
            raise RequestError(message, {"uri": uri[:500]})
        return content

    def _note_text(self, scope: Scope) -> str | None:
        note = self._memory.notes.read(scope, MEMORY_FILE) if self._memory.is_on(scope) else None
        return None if note is None else note.text

    def _profile(self, scope: Scope, uri: str) -> str | None:
        match = PROFILE_URI.fullmatch(uri)
        if match is None:
            return None
        kind, id = match[1].lower(), unquote(match[2])
        try:
            page = self._memory.get_profile(scope, kind, clean_id(id, "id") or "")
        except InputError:
            return None
        arguments = {"entity_type": kind, "entity_id": id}
        return tools.dispatch(self._memory, "get_profile", arguments, scope) if page else None


def profile_uri(kind: str, id: str) -> str:
    return f"taishi://profile/{kind}/{quote(id, safe='')}"
