"""How this installation is added to: the line that works where Taishi was installed from.

The name `taishi` alone means an index of packages. Whoever installed from a clone, a wheel or a
repository is told that address, and whoever used pipx or uv is told their command.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

NAME, MODEL = "taishi", "taishi-model"
MODEL_FOLDER = Path("packages") / MODEL


def extra_line(extra: str) -> str:
    """What to run for an extra that is missing; "": for what every installation has."""
    extras = [extra] if extra else []
    source, editable = _source(), _editable()
    if (kept := _uv_tool_extras()) is not None:
        wanted = _quoted(_requirement(source, [*kept, *extras]))
        return f"uv tool install {editable}{wanted}"
    wanted = editable + _quoted(_requirement(source, extras))
    if extra == "local" and isinstance(source, Path) and _found(MODEL) is None:
        model = source / MODEL_FOLDER
        wanted += f" {_quoted(str(model))}" if model.is_dir() else ""
    return f"{_installer()} {wanted}"


def model_line(*options: str) -> str:
    """What to run for the files of the local embedder, or to have them again."""
    source = _source()
    folder = source / MODEL_FOLDER if isinstance(source, Path) else None
    model = _quoted(str(folder)) if folder is not None and folder.is_dir() else MODEL
    return " ".join([_installer(), *options, model])


def upgrade_line() -> str:
    """What to run for a newer version."""
    source = _source()
    if isinstance(source, Path) and source.is_dir():
        line = f"{_installer()} {_editable()}{_quoted(str(source))}"
        return f"update {source} (git pull) and run {line}"
    return f"{_installer()} -U {NAME if source is None else _quoted(_requirement(source, []))}"


def _source() -> Path | str | None:
    """The folder or wheel, or the address of a repository; None: from an index."""
    if _found(NAME) is None:  # not installed: the sources are on the path
        clone = Path(__file__).resolve().parents[3]
        return clone if (clone / "pyproject.toml").is_file() else None
    direct = _direct_url()
    try:
        address = urlsplit(str(direct.get("url", "")))
        if address.scheme == "file":
            path = Path(url2pathname(address.path))
            return path if path.exists() else None
        if vcs := direct.get("vcs_info"):
            revision = vcs.get("requested_revision")
            return f"{vcs['vcs']}+{address.geturl()}" + (f"@{revision}" if revision else "")
        return address.geturl() or None
    except (ValueError, TypeError, KeyError, AttributeError):  # not as PEP 610 has it
        return None


def _editable() -> str:
    """An installation that follows its folder has to go on doing so."""
    folder = _direct_url().get("dir_info")
    return "-e " if isinstance(folder, dict) and folder.get("editable") is True else ""


def _direct_url() -> dict[str, Any]:
    found = _found(NAME)
    try:
        direct = json.loads((found and found.read_text("direct_url.json")) or "{}")
    except ValueError:
        return {}
    return direct if isinstance(direct, dict) else {}


def _found(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _requirement(source: Path | str | None, extras: Sequence[str]) -> str:
    named = f"[{','.join(dict.fromkeys(extras))}]" if extras else ""
    if isinstance(source, Path):
        return f"{source}{named}"
    return f"{NAME}{named}" if source is None else f"{NAME}{named} @ {source}"


def _installer() -> str:
    """The command that installs into this environment."""
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        return f"pipx runpip {_quoted(prefix.name)} install"
    if find_spec("pip") is None and _installed_by() == "uv":
        return f"uv pip install --python {_quoted(sys.executable)}"
    return "pip install"


def _installed_by() -> str:
    found = _found(NAME)
    return (found.read_text("INSTALLER") or "").strip() if found is not None else ""


def _uv_tool_extras() -> list[str] | None:
    """The extras of a `uv tool install`, which the next one has to name again; None: it was not
    installed so."""
    try:
        receipt = tomllib.loads((Path(sys.prefix) / "uv-receipt.toml").read_text("utf-8"))
        wanted = receipt["tool"]["requirements"]
        return [extra for one in wanted if one["name"] == NAME for extra in one.get("extras", ())]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _quoted(text: str) -> str:
    """As a shell reads it: single quotes mean nothing to Windows."""
    if os.name == "nt":
        return f'"{text}"' if any(mark in text for mark in " []") else text
    return shlex.quote(text)
