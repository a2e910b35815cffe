"""SQLite that can load an extension: Python's own, or where it was built without, pysqlite3."""

from __future__ import annotations

import sqlite3
import sys
from importlib import import_module
from typing import Any


def loadable_sqlite() -> Any:
    """The module to use; a library that imports sqlite3 later on gets the same one."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3
    replacement = import_module("pysqlite3")
    sys.modules["sqlite3"] = replacement
    return replacement
