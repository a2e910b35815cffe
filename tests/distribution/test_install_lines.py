"""The lines of the pages on installing, run as they stand: by bash, in a copy of the project, with
programs of their own and with an index of packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from support.built_wheel import MODEL, OF_THE_PAGES, OF_THE_WHEEL, ROOT, build, copy_sources
from support.engines import missing
from support.install_lines import PAGES, blocks
from taishi.server.pages import STATIC

TOOLS = ("uv", "pipx")
LINES = {line: None for english, _ in PAGES for line in blocks(english, "sh")}
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(900),
    pytest.mark.skipif(os.name == "nt", reason="lines for a POSIX shell"),
]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with uv and pipx, from the index."""
    folder = tmp_path_factory.mktemp("tools")
    for name in TOOLS:  # apart: pipx would otherwise install by uv
        venv.create(folder / name, with_pip=True)
        pip = [str(folder / name / "bin" / "python"), "-m", "pip", "install", "--quiet", name]
        if subprocess.run(pip, capture_output=True).returncode:
            missing("no index of packages can be reached")
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "bin" / name).symlink_to(folder / name / "bin" / name)
    return folder / "bin"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as somebody has cloned it, with built pages so that npm is not asked."""
    folder = copy_sources(
        tmp_path_factory.mktemp("clone"), *OF_THE_WHEEL, *OF_THE_PAGES, "packages/taishi-model"
    )
    if (STATIC / "index.html").exists():
        shutil.copytree(STATIC, folder / STATIC.relative_to(ROOT))
    for root in (ROOT, MODEL):
        build(root, folder / "dist" / root.name)
    for wheel in (folder / "dist").glob("*/*.whl"):
        wheel.rename(folder / "dist" / wheel.name)
    return folder


@pytest.mark.parametrize("lines", LINES)
def test_the_lines_of_the_pages_install_it(
    lines: str, tools: Path, clone: Path, tmp_path: Path
) -> None:
    home = {"UV_TOOL_DIR": "uv", "UV_TOOL_BIN_DIR": "bin", "PIPX_HOME": "px", "PIPX_BIN_DIR": "bin"}
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "TAISHI_"))}
    environ |= {name: str(tmp_path / folder) for name, folder in home.items()}
    path = [tmp_path / "bin", tmp_path / "venv" / "bin", tools, Path(sys.base_prefix) / "bin"]
    environ["PATH"] = os.pathsep.join([*map(str, path), os.environ["PATH"]])
    shutil.rmtree(clone / ".venv", ignore_errors=True)
    if lines.startswith("pip "):
        venv.create(tmp_path / "venv", with_pip=True)
    for part in lines.splitlines() if lines.startswith(TOOLS) else [lines]:
        shutil.rmtree(tmp_path / "bin", ignore_errors=True)
        check = f"{part}\ncd {tmp_path}; command -v taishi > where; taishi models > models"
        done = subprocess.run(
            ["bash", "-e", "-c", check], cwd=clone, env=environ, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        where = Path((tmp_path / "where").read_text().strip())
        assert where.is_relative_to(tmp_path) or where.is_relative_to(clone), where
        assert "taishi-local" in (tmp_path / "models").read_text("utf-8")
