"""The modules that help MkDocs to build the site of the documentation; they need no MkDocs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load(name: str, patch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs_site" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    patch.setitem(sys.modules, name, module)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def gfm(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load("gfm", monkeypatch)


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load("links", monkeypatch)


@pytest.fixture
def nav(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load("nav", monkeypatch)
