"""The wheel and the source distribution carry the web pages, built."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface[Any]):
    """An editable install is left alone: `make setup` builds there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        script = Path(self.root) / "web" / "build_pages.py"
        if version == "editable" or not script.exists():
            return
        spec = importlib.util.spec_from_file_location("build_pages", script)
        assert spec is not None and spec.loader is not None
        build_pages = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(build_pages)
        try:
            build_pages.build()
        except build_pages.NotBuiltError as reason:
            self.app.display_warning(f"The web pages are not built: {reason}")
