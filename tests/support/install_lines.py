"""The lines that the pages give for installing."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ("README.md", "README.zh-CN.md"),
    ("docs/how-to/install.md", "docs/how-to/install.zh-CN.md"),
]
SECTION = re.compile(r"^## (?:Install|安装)\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"[ \t]+#.*$", re.MULTILINE)

# Whatever tells a person what to run; the changelog tells what was.
INSTRUCTIONS = sorted(
    path.relative_to(ROOT)
    for place in ("*.md", "docs/**/*.md", "examples/**/*", "integrations/**/*", "web/client/*",
                  "packages/**/*.md", "deploy/**/*.md", "src/taishi/adapters/*.py")
    for path in ROOT.glob(place)
    if path.suffix in (".md", ".py", ".ts")
    and not {"node_modules", "dist", "adr"} & set(path.parts)
    and path.name != "CHANGELOG.md"
)  # fmt: skip
_INSTALL = re.compile(
    r"\b(?:(?:pip|pipx|uv tool|uv pip|uv|npm|yarn|pnpm) (?:install|add)|uvx|npx)\b.*"
)
_FROM_INDEX = re.compile(
    r"""(?<![\w./\\-])(?:taishi(?:-model)?|koishi-plugin-taishi|nonebot-plugin-taishi)(?![\w./-])"""
    r"""|@taishi/"""
)


def from_an_index(text: str) -> list[str]:
    """The lines that would ask an index of packages for ours."""
    lines = [found[0].split("  #")[0] for found in _INSTALL.finditer(text)]
    return [
        line
        for line in lines
        if _FROM_INDEX.search(line.split("` ")[0])
        and not re.search("--find-links|--no-index", line)
    ]


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a language, without their comments; of a README, those of its section."""
    text = (ROOT / page).read_text("utf-8")
    if page.startswith("README"):
        found = SECTION.search(text)
        assert found, f"{page} does not say how to install"
        text = found[1]
    fence = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [COMMENT.sub("", block) for block in fence.findall(text)]
