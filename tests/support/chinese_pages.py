"""Pages that are in both languages, part by part: a Chinese one beside its English one."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def chinese_of(page: Path) -> Path:
    return page.with_name(page.name.removesuffix(".md") + ".zh-CN.md")


def same_pages() -> list[tuple[Path, Path]]:
    """(English, Chinese) of the pages whose blocks and headings have to be the same."""
    folders = (DOCS / "explanation", DOCS / "reference")
    pages = [DOCS / "architecture.md", *(page for one in folders for page in one.glob("*.md"))]
    return sorted((page, chinese_of(page)) for page in pages if chinese_of(page).exists())
