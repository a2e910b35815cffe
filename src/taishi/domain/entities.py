"""What a page can be about, and which kind of partition holds what is learned of it."""

from __future__ import annotations

from typing import Literal

EntityType = Literal["user", "group"]
ENTITY_PLACE: dict[str, Literal["private", "group"]] = {"user": "private", "group": "group"}
