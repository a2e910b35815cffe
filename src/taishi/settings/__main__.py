"""`python -m taishi.settings`: rewrite the example file and the reference pages."""

from pathlib import Path

from .reference import example_toml, reference_markdown, reference_markdown_zh

Path("taishi.example.toml").write_text(example_toml(), encoding="utf-8")
Path("docs/reference/settings.md").write_text(reference_markdown(), encoding="utf-8")
Path("docs/reference/settings.zh-CN.md").write_text(reference_markdown_zh(), encoding="utf-8")
