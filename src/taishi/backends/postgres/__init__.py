"""PostgreSQL behind the storage ports. Needs the extra `postgres`."""

from .store import PostgresStore

__all__ = ["PostgresStore"]
