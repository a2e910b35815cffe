"""The names of everything that the migrations make; a test compares them with a database."""

from __future__ import annotations

from importlib import resources

FILE = "schema_objects.txt"


def expected() -> list[str]:
    text = (resources.files(__package__) / FILE).read_text(encoding="utf-8")
    return text.splitlines()
