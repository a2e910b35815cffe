"""What the pages say is true: their Python runs, their links lead on, their commands exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from support.chinese_pages import same_pages
from taishi import Memory

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+[ \t]+(.*?)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A piece of Python on a page, and what the page says it prints (None: it does not say)."""

    code: str
    line: int
    output: str | None


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    fences = [*FENCE.finditer(text), None]
    for fence, after in pairwise(fences):
        if fence and fence[1] == "python":
            follows = after is not None and after[1] == "output"
            line = text.count("\n", 0, fence.start()) + 1
            yield Block(fence[2], line, after[2] if after and follows else None)


def prose_of(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


# Those about adapters need the frameworks: tests/adapters runs them.
ADAPTERS = ROOT / "docs" / "how-to" / "adapters"
# These have the blocks of their English page: test_chinese_blocks.py compares them.
REPEATED = {chinese for _, chinese in same_pages()}
PAGES_WITH_PYTHON = [
    page
    for page in PAGES
    if page.parent != ADAPTERS and page not in REPEATED and any(blocks_of(page))
]


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON, ids=name_of)
def test_every_python_block_runs_and_prints_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of a page run in order, in one empty folder, by keyword and with time to spare."""
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    monkeypatch.setenv("TAISHI__QUERY__RECALL_TIMEOUT", "10")
    opened: list[Memory] = []
    opening = Memory.__init__

    def noted(self: Memory, *arguments: Any, **options: Any) -> None:
        opening(self, *arguments, **options)
        opened.append(self)

    monkeypatch.setattr(Memory, "__init__", noted)
    assert Path.cwd() == tmp_path
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        for block in blocks_of(page):
            printed = StringIO()
            program = compile("\n" * block.line + block.code, str(page), "exec")
            with redirect_stdout(printed):
                exec(program, names)
            if block.output is not None:
                assert printed.getvalue() == block.output, f"{name_of(page)}:{block.line}"
    finally:
        for memory in opened:
            memory.close()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(prose_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.is_relative_to(ROOT), f"{target} leaves the project"
        assert path.exists(), f"{target} is not there"
        if anchor:
            titles = HEADING.findall(prose_of(path))
            assert anchor in {anchor_of(title) for title in titles}, f"no heading for {target}"


def anchor_of(title: str) -> str:
    """How GitHub names the place of a heading."""
    kept = re.sub(r"[^\w\- ]", "", title.lower())
    return kept.replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_on_a_page_exists(page: Path) -> None:
    from taishi.cli import taishi as command

    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"(?:^|`)(?:\$ )?taishi ([a-z][a-z-]*)", text, re.MULTILINE):
        assert name in command.commands, f"taishi {name}"
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for name in re.findall(r"(?:^|`)(?:\$ )?make ([a-z]+(?:-[a-z]+)*)", text, re.MULTILINE):
        assert name in targets, f"make {name}"


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_readme_gives_the_two_commands(readme: str) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    assert re.search(r"^make demo\b", text, re.MULTILINE)
    assert re.search(r"^make test\b", text, re.MULTILINE)


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    ahead = [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        for target in LINK.findall(prose_of(page)):
            if not re.match(r"[a-z]+:|#", target):
                ahead.append((page.parent / target.partition("#")[0]).resolve())
    assert [name_of(page) for page in PAGES if page not in seen] == []


def test_every_decision_is_in_the_list() -> None:
    folder = ROOT / "docs" / "adr"
    listed = set(LINK.findall(prose_of(folder / "README.md")))
    assert {page.name for page in folder.glob("[0-9]*.md")} == {x for x in listed if x[0].isdigit()}


@pytest.mark.parametrize("name", ["architecture.md", "architecture.zh-CN.md"])
def test_every_contract_of_the_import_linter_is_in_the_architecture_page(name: str) -> None:
    layers = (ROOT / ".importlinter").read_text(encoding="utf-8")
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    for room in set(re.findall(r"taishi\.(\w+)", layers)):
        assert re.search(rf"`{room}(?:\.py|/)`", page), f"{room} is not on the page"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_speaks_of_a_machine_of_ours(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(?:work|root|home/\w+)/", text)
