"""The line for a missing extra works where Taishi was installed from."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from taishi import MissingExtraError
from taishi.disk import installation
from taishi.disk.installation import extra_line, model_line, upgrade_line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="lines for a POSIX shell")
Install = Callable[..., None]


class Installed:
    """A distribution as its installer left it."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def read_text(self, name: str) -> str | None:
        return self._files.get(name)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "my clone"
    (folder / "packages" / "taishi-model").mkdir(parents=True)
    return folder


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Install:
    """Installs Taishi from somewhere, by somebody, with or without the model."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    (tmp_path / "venv").mkdir()

    def from_(
        direct: object = None, by: str = "pip", model: bool = False, pip: bool = True
    ) -> None:
        files = {"INSTALLER": f"{by}\n"}
        if direct is not None:
            files["direct_url.json"] = direct if isinstance(direct, str) else json.dumps(direct)

        def distribution(name: str) -> Installed:
            if name == "taishi-model" and not model:
                raise PackageNotFoundError(name)
            return Installed(files)

        monkeypatch.setattr(installation, "distribution", distribution)
        monkeypatch.setattr(installation, "find_spec", lambda name: object() if pip else None)

    return from_


def folder_url(clone: Path, **info: bool) -> dict[str, object]:
    return {"url": clone.as_uri(), "dir_info": info}


def test_from_an_index_the_name_is_enough(install: Install) -> None:
    install()
    assert extra_line("mcp") == "pip install 'taishi[mcp]'"
    assert model_line() == "pip install taishi-model"
    assert upgrade_line() == "pip install -U taishi"
    assert str(MissingExtraError("x", "mcp")) == (
        "x needs an optional package: pip install 'taishi[mcp]'"
    )
    assert str(MissingExtraError("x", "")) == (
        "x needs packages that are not installed: pip install taishi"
    )


def test_from_a_clone_its_path_is_named(install: Install, clone: Path) -> None:
    install(folder_url(clone))
    assert extra_line("mcp") == f"pip install '{clone}[mcp]'"
    assert extra_line("local") == f"pip install '{clone}[local]' '{clone}/packages/taishi-model'"
    assert model_line("--no-deps") == f"pip install --no-deps '{clone}/packages/taishi-model'"
    assert upgrade_line() == f"update {clone} (git pull) and run pip install '{clone}'"
    install(folder_url(clone), model=True)
    assert extra_line("local") == f"pip install '{clone}[local]'"
    install(folder_url(clone, editable=True))
    assert extra_line("mcp") == f"pip install -e '{clone}[mcp]'"


@pytest.mark.parametrize("name", ["it's here", "a$HOME", "a;b", "太史"])
def test_a_shell_reads_the_path_as_it_is(install: Install, tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    install(folder_url(tmp_path / name))
    assert shlex.split(extra_line("mcp")) == ["pip", "install", f"{tmp_path / name}[mcp]"]


def test_from_a_wheel_or_a_repository(install: Install, tmp_path: Path) -> None:
    wheel = tmp_path / "taishi-0.1.0-py3-none-any.whl"
    wheel.touch()
    install({"url": wheel.as_uri(), "archive_info": {}})
    assert extra_line("mcp") == f"pip install '{wheel}[mcp]'"
    repository = {"url": "https://example.org/t.git", "vcs_info": {"vcs": "git"}}
    install(repository)
    assert extra_line("mcp") == "pip install 'taishi[mcp] @ git+https://example.org/t.git'"
    install({**repository, "vcs_info": {"vcs": "git", "requested_revision": "v1"}})
    assert extra_line("mcp") == "pip install 'taishi[mcp] @ git+https://example.org/t.git@v1'"


@pytest.mark.parametrize("direct", ["{", "[]", "{}", '{"url": 7}', '{"url": "file:///no/such"}',
                                    '{"url": "https://x/y", "vcs_info": {}}'])  # fmt: skip
def test_what_cannot_be_read_or_is_gone_is_no_error(install: Install, direct: str) -> None:
    install(direct)
    assert "[mcp]" in extra_line("mcp") and "/no/such" not in extra_line("mcp")


def test_not_installed_the_sources_are_the_source(
    monkeypatch: pytest.MonkeyPatch, install: Install
) -> None:
    install()

    def distribution(name: str) -> Installed:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", distribution)
    root = Path(__file__).parents[2]
    assert extra_line("mcp") == f"pip install {shlex.quote(f'{root}[mcp]')}"


def test_pipx_installs_into_its_own_environment(
    install: Install, clone: Path, tmp_path: Path
) -> None:
    install(folder_url(clone), by="uv", pip=False)
    (tmp_path / "venv" / "pipx_metadata.json").write_text("{}")
    assert extra_line("mcp") == f"pipx runpip venv install '{clone}[mcp]'"


def test_a_tool_of_uv_keeps_its_extras(install: Install, clone: Path, tmp_path: Path) -> None:
    install(folder_url(clone), by="uv", pip=False)
    receipt = tmp_path / "venv" / "uv-receipt.toml"
    receipt.write_text('[tool]\nrequirements = [{ name = "taishi", extras = ["local", "mcp"] }]\n')
    assert extra_line("server") == f"uv tool install '{clone}[local,mcp,server]'"
    assert extra_line("mcp") == f"uv tool install '{clone}[local,mcp]'"
    receipt.write_text('[tool]\nrequirements = [{ name = "taishi" }]\n')
    assert extra_line("mcp") == f"uv tool install '{clone}[mcp]'"


def test_an_environment_of_uv_has_no_pip(install: Install) -> None:
    install(by="uv", pip=False)
    python = shlex.quote(sys.executable)
    assert extra_line("mcp") == f"uv pip install --python {python} 'taishi[mcp]'"
    install(by="uv", pip=True)
    assert extra_line("mcp") == "pip install 'taishi[mcp]'"
