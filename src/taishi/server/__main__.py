"""`python -m taishi.server`: write the REST reference page anew."""

from pathlib import Path

from .pages import rest_markdown

Path("docs/reference/rest.md").write_text(rest_markdown(), encoding="utf-8")
