"""The store in one SQLite file: the embedded default."""

from .store import SqliteStore

__all__ = ["SqliteStore"]
