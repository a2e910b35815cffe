"""SQLite in one file: the embedded default, and the truth."""

from .store import SqliteStore

__all__ = ["SqliteStore"]
