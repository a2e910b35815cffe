"""The build's own modules, which are not part of the package."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.built_wheel import OF_THE_PAGES, OF_THE_WHEEL, ROOT, copy_sources


def load_module(path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The sources of a wheel, with nothing built."""
    return copy_sources(tmp_path / "tree", *OF_THE_PAGES, *OF_THE_WHEEL)


@pytest.fixture
def build_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, in a tree with the sources of the pages and nothing built."""
    web = (
        copy_sources(tmp_path / "dist" / "pages", *OF_THE_PAGES) / "web"
    )  # no word of a path counts
    return load_module(web / "build_pages.py", "build_pages", monkeypatch)


@pytest.fixture
def hatch_build(monkeypatch: pytest.MonkeyPatch) -> Any:
    return load_module(ROOT / "hatch_build.py", "hatch_build", monkeypatch)


@pytest.fixture
def only_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A PATH with nothing but these programs, each of which prints one line."""

    def make(**programs: str) -> Path:
        folder = tmp_path / "path"
        folder.mkdir(exist_ok=True)
        for name, line in programs.items():
            (folder / name).write_text(f"#!/bin/sh\necho {line}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        return folder

    return make
