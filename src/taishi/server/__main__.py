"""`python -m taishi.server`: regenerate the REST reference page."""

from pathlib import Path

from .app import bare_app
from .rest_reference import rest_markdown

Path("docs/reference/rest.md").write_text(rest_markdown(bare_app().openapi()), encoding="utf-8")
