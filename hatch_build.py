"""What the build adds: the web pages, built; the project's addresses; and a description whose links
lead somewhere.

Where the project is published is known to whoever publishes it, not to the sources. One variable
says it, TAISHI_REPOSITORY_URL; the release workflow sets it. Without it there are no addresses,
rather than ones that lead nowhere. Both packages use this file.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"\[([^\]\n]*)\]\(([^)\s]+)\)")
LINKED_PICTURE = re.compile(r"\[!\[[^\]\n]*\]\([^)\s]+\)\]\([^)\s]+\)\n*")
TARGET = re.compile(r"\]\(([^)\s]+)\)")
ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|#|//")
REPOSITORY_URL = "TAISHI_REPOSITORY_URL"
HTTPS = re.compile(r"https://[\w.-]+(:\d+)?(/[\w.~-]+)+")
STATIC = "src/taishi/server/pages/static"
PICTURES = (".png", ".svg", ".jpg", ".gif", ".webp")


class PagesHook(BuildHookInterface[Any]):
    """The wheel and the source distribution carry the web pages; so does an editable install.

    `make setup` turns the hook off (HATCH_BUILD_NO_HOOKS) and builds them itself, to say why not.
    """

    def dependencies(self) -> list[str]:
        pages = _build_pages(self.root)
        return pages.requirements() if pages else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        pages = _build_pages(self.root)
        static = Path(self.root) / STATIC
        if pages is not None:
            self._build(pages, static)
        if version != "editable" and (static / "index.html").exists():
            build_data["force_include"][str(static)] = self._place(static)

    def _build(self, pages: Any, static: Path) -> None:
        try:
            pages.build()
        except pages.NotBuiltError as reason:
            older = (static / "index.html").exists()
            what = "are of an older build" if older else "are missing"
            self.app.display_warning(f"The web pages {what}: {reason}. Everything else works.")

    def _place(self, folder: Path) -> str:
        """Where a folder of the package goes in what is built."""
        base = Path(self.root) / ("src" if self.target_name == "wheel" else "")
        return folder.relative_to(base).as_posix()


class MetadataHook(MetadataHookInterface):
    """The addresses of the project, and the README as the description on a package index.

    In an unpacked source distribution both are read from what it was published with.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        open_fields = metadata.get("dynamic", ())
        repository = repository_url(os.environ)
        if "urls" in open_fields:
            metadata["urls"] = project_urls(repository)
        if "readme" in open_fields:
            text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
            described = described_elsewhere(text, repository)
            metadata["readme"] = {"content-type": "text/markdown", "text": described}


def repository_url(environ: Mapping[str, str]) -> str:
    """Where the sources are published; empty if nobody said so."""
    url = environ.get(REPOSITORY_URL, "").strip().rstrip("/")
    if url and not HTTPS.fullmatch(url):
        raise ValueError(f"{REPOSITORY_URL} must be like https://host/owner/taishi, not {url!r}")
    return url


def project_urls(repository: str) -> dict[str, str]:
    """What a package index lists under "Project links"; nothing without a repository."""
    places = {
        "Homepage": "",
        "Documentation": "/blob/main/docs/index.md",
        "Source": "",
        "Changelog": "/blob/main/CHANGELOG.md",
        "Issues": "/issues",
    }
    return {name: repository + place for name, place in places.items()} if repository else {}


def described_elsewhere(text: str, source: str) -> str:
    """The text with links into the repository at `source`; without one, with the words alone."""
    if source:
        return TARGET.sub(lambda link: f"]({_absolute(link[1], source)})", text)
    return LINK.sub(
        lambda link: link[0] if ABSOLUTE.match(link[2]) else link[1], LINKED_PICTURE.sub("", text)
    )


def _absolute(target: str, source: str) -> str:
    if ABSOLUTE.match(target):
        return target
    return f"{source.rstrip('/')}/{'raw' if target.endswith(PICTURES) else 'blob'}/main/{target}"


def _build_pages(root: str) -> Any:
    """The module `web/build_pages.py`; None where the sources of the pages are not."""
    script = Path(root) / "web" / "build_pages.py"
    spec = importlib.util.spec_from_file_location("build_pages", script)
    if spec is None or spec.loader is None or not script.exists():
        return None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
