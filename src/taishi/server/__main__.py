"""`python -m taishi.server`: regenerate the REST reference pages."""

from pathlib import Path

from .app import bare_app
from .rest_reference import rest_markdown, rest_markdown_zh

description = bare_app().openapi()
Path("docs/reference/rest.md").write_text(rest_markdown(description), encoding="utf-8")
Path("docs/reference/rest.zh-CN.md").write_text(rest_markdown_zh(description), encoding="utf-8")
