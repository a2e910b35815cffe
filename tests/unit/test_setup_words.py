"""`make demo` says before it installs anything how long that takes and where it goes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Makes an "environment" whose every program is this one.
PYTHON = """#!/bin/sh
if [ "$2" = venv ]; then
  mkdir -p "$3/bin"
  cp "$0" "$3/bin/python"
  cp "$0" "$3/bin/taishi"
fi
"""
ENGLISH, CHINESE = "some four minutes", "约四分钟"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml", "packages/taishi-model/pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    return tmp_path


def make_demo(folder: Path, **environ: str) -> str:
    command = ["make", "demo", f"PYTHON={folder / 'python'}"]
    given = {"PATH": os.environ["PATH"], **environ}
    ran = subprocess.run(
        command, cwd=folder, env=given, capture_output=True, timeout=60, check=True
    )
    return ran.stdout.decode("utf-8")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(
    ("environ", "english", "chinese"),
    [
        ({}, True, True),
        ({"LANG": "C.UTF-8"}, True, True),
        ({"LANG": "POSIX"}, True, True),
        ({"LANG": "en_IE.UTF-8"}, True, False),
        ({"LANG": "zh_CN.UTF-8"}, False, True),
        ({"LANG": "en_IE.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, False, True),
        ({"LANG": "C", "TAISHI_LANG": "zh"}, False, True),
        ({"LANG": "zh_CN.UTF-8", "TAISHI_LANG": "en"}, True, False),
    ],
)
def test_the_first_make_demo_says_how_long_and_where(
    folder: Path, environ: dict[str, str], english: bool, chinese: bool
) -> None:
    told = make_demo(folder, **environ)
    assert (ENGLISH in told, CHINESE in told) == (english, chinese)
    assert str(folder / ".venv") in told.splitlines()[0], "before anything is installed"
    assert (english and chinese) == ("TAISHI_LANG=zh make demo" in told)
    assert ENGLISH not in make_demo(folder, **environ), "once"
