"""`python -m taishi.server`: write the REST reference page anew."""

from pathlib import Path

from .app import bare_app
from .rest_reference import rest_markdown

Path("docs/reference/rest.md").write_text(rest_markdown(bare_app().openapi()), encoding="utf-8")
