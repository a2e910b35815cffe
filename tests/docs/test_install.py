"""The pages on how to install: their lines agree, their extras exist, completion completes.

The lines themselves are run by tests/distribution/test_install_lines.py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from support.install_lines import INSTRUCTIONS, PAGES, ROOT, blocks, from_an_index

EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
    "project"
]["optional-dependencies"]
ROW = re.compile(r"^\| `([\w-]+)` \| .+ \| ([^|]+) \|$", re.MULTILINE)
ADAPTERS = ROOT / "docs" / "how-to" / "adapters"
INSTALL_PAGES = ["docs/how-to/install.md", "docs/how-to/install.zh-CN.md"]


@pytest.mark.parametrize("page", INSTALL_PAGES)
def test_the_table_of_extras_is_that_of_the_package(page: str) -> None:
    rows = dict(ROW.findall((ROOT / page).read_text("utf-8")))
    assert len(rows) >= 13 and set(rows) <= set(EXTRAS)
    for extra, packages in rows.items():
        required = [Requirement(line).name for line in EXTRAS[extra]]
        assert packages.split(", ") == required, extra


@pytest.mark.parametrize("page", INSTALL_PAGES)
def test_every_extra_is_on_the_page_or_on_that_of_its_adapter(page: str) -> None:
    named = set(re.findall(r"`([\w-]+)`", (ROOT / page).read_text("utf-8")))
    for path in ADAPTERS.glob("*.md"):
        for extras in re.findall(r"\.\[([\w,-]+)\]", path.read_text("utf-8")):
            named |= set(extras.split(","))
    assert set(EXTRAS) <= named


@pytest.mark.parametrize("page", sorted(ADAPTERS.glob("*.md")), ids=lambda page: page.name)
def test_an_adapter_is_installed_with_search_by_meaning(page: Path) -> None:
    """A line in a block; beside it the text may say how to do without."""
    text = page.read_text("utf-8")
    for line in re.findall(r"^ *pip install .*'\.\[.*$", text, re.MULTILINE):
        assert re.search(r"'\.\[local,[\w,-]+\]' \./packages/taishi-model\b", line), line


@pytest.mark.parametrize("page", INSTRUCTIONS, ids=str)
def test_no_page_installs_from_an_index_while_nothing_is_published(page: Path) -> None:
    """`--find-links` and `--no-index` name a folder of wheels, not an index."""
    assert from_an_index((ROOT / page).read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("line", "is_wrong"),
    [
        ("pip install taishi", True),
        ("pip install -U taishi", True),
        ("pip install 'taishi[mcp]'", True),
        ("pip install `taishi`", True),
        ("pipx install 'taishi[mcp,local]'", True),
        ("uv tool install taishi", True),
        ("uvx taishi mcp", True),
        ("npm install @taishi/client", True),
        ("npm install ai @taishi/ai-sdk", True),
        ("npm install koishi-plugin-taishi", True),
        ("pip install '.[mcp]'", False),
        ("pip install '.[local]' ./packages/taishi-model", False),
        ("pip install ./integrations/nonebot-plugin-taishi", False),
        ("pip install --find-links dist 'taishi[local]'", False),
        ("pip uninstall taishi taishi-model", False),
        ("npm install CLONE/build/npm/taishi-client-0.1.0.tgz", False),
    ],
)
def test_a_line_that_names_the_index_is_recognised(line: str, is_wrong: bool) -> None:
    assert bool(from_an_index(line)) is is_wrong


@pytest.mark.parametrize(("english", "chinese"), PAGES)
def test_both_languages_give_the_same_lines(english: str, chinese: str) -> None:
    for language in ("sh", "powershell"):
        assert blocks(english, language) == blocks(chinese, language)
    assert blocks(english, "sh") and blocks(english, "powershell")


@pytest.mark.parametrize("page", [english for english, _ in PAGES])
def test_windows_is_told_what_the_others_are_told(page: str) -> None:
    (windows,), elsewhere = blocks(page, "powershell"), blocks(page, "sh")[0]
    translated = (
        windows.replace("\\", "/").replace('"', "'").replace("py -m", "python3 -m")
        .replace(".venv/Scripts/Activate.ps1", ". .venv/bin/activate")
    )  # fmt: skip
    assert translated == elsewhere


def completed(shell: str, **environ: str) -> str:
    """What the program prints for a shell, installed as `taishi`."""
    code = "from taishi.cli import main; main()"
    program = [sys.executable, "-c", f"import sys; sys.argv[0] = 'taishi'; {code}"]
    done = subprocess.run(
        program, env={**os.environ, "_TAISHI_COMPLETE": shell, **environ},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", INSTALL_PAGES)
def test_the_lines_for_completion_name_what_the_program_reads(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    shells = re.findall(r"_TAISHI_COMPLETE=(\w+_source) taishi", text)
    assert shells == ["bash_source", "zsh_source", "fish_source"]
    for shell in shells:
        assert "_TAISHI_COMPLETE" in completed(shell), shell


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_bash_completes_a_command_after_the_line_of_the_page(tmp_path: Path) -> None:
    program = tmp_path / "taishi"
    code = "import sys; sys.argv[0] = 'taishi'; from taishi.cli import main; main()"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n', "utf-8")
    program.chmod(0o755)
    line = re.search(r"`(eval .*bash_source taishi\)\")`", (ROOT / INSTALL_PAGES[0]).read_text())
    assert line
    script = f"""{line[1]}
    COMP_WORDS=(taishi stat); COMP_CWORD=1
    function=$(complete -p taishi | sed 's/.*-F \\([^ ]*\\).*/\\1/'); $function taishi
    echo "${{COMPREPLY[@]}}"
    """
    environ = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, text=True)
    assert done.stdout.split() == ["status"], done.stderr


@pytest.mark.parametrize("page", [one for one in INSTRUCTIONS if ".zh-CN" in one.name], ids=str)
def test_a_chinese_page_leads_to_chinese_pages(page: Path) -> None:
    """But for the link to the same page in English."""
    text = (ROOT / page).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#\s:]+)\.md(?:#[^)]*)?\)", text):
        chinese = ROOT / page.parent / f"{target}.zh-CN.md"
        assert not chinese.exists() or chinese.samefile(ROOT / page), target
