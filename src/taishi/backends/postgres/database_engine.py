"""How the database is doing, for `status`."""

from __future__ import annotations

from dataclasses import dataclass

from ...ports.shared_state import EngineState
from .database import Database


@dataclass(frozen=True, slots=True)
class DatabaseEngine:
    """Implements ports.OutsideEngine."""

    database: Database
    address: str
    name: str = "database"

    @property
    def state(self) -> EngineState:
        return "degraded" if self.database.outages.is_away else "ok"

    def look(self) -> None:
        """Whoever asks for the state has just queried it."""

    def close(self) -> None:
        """Whoever opened the database closes it."""
