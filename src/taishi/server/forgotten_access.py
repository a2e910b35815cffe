"""The access that goes with somebody who is forgotten: keys bound to them, clients they connected.

Their id stands in both. Every door that can forget a whole scope asks here.
"""

from __future__ import annotations

from typing import NamedTuple

from ..api_keys import Keys
from ..types import Partition
from .oauth.access import forget_connections


class ForgottenAccess(NamedTuple):
    """How many went."""

    keys: int
    connections: int

    @property
    def total(self) -> int:
        return self.keys + self.connections


def forget_access(keys: Keys, place: Partition) -> ForgottenAccess:
    return ForgottenAccess(keys.forget(place), forget_connections(keys, place))
