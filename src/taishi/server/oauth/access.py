"""What an access token opens at /mcp: the key of whoever allowed it, narrowed to what they allowed.

At no other path is such a token worth anything.
"""

from __future__ import annotations

from dataclasses import replace

from ...api_keys import Key, Keys
from ...types import Partition
from .metadata import PublicAddress
from .state import Approval
from .store import OAuthStore

DEFAULT_WORKSPACE = "default"


class TokenKeys:
    """Finds the key that stands behind a token."""

    def __init__(self, store: OAuthStore, keys: Keys, address: PublicAddress) -> None:
        self._store = store
        self._keys = keys
        self._address = address

    @property
    def challenge(self) -> str:
        return self._address.challenge

    def find(self, token: str) -> Key | None:
        approval = self._store.approval_of(token, self._address.resource)
        key = None if approval is None else self._keys.live(approval.key)
        return None if approval is None or key is None else narrowed(key, approval)


def narrowed(key: Key, approval: Approval) -> Key:
    """A program's words are a model's, whatever its key could say."""
    return replace(
        key,
        workspace=key.workspace or DEFAULT_WORKSPACE,
        user=key.user or approval.user,
        rights="read" if approval.access == "read" or key.rights == "read" else "write",
        as_person=False,
    )


def forget_connections(keys: Keys, place: Partition) -> int:
    """Remove the connections that name somebody who was forgotten. How many went."""
    return OAuthStore(keys).forget(place)
