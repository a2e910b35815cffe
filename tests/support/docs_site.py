"""The site of the documentation, built by the MkDocs of `make site`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support.engines import missing

ROOT = Path(__file__).resolve().parents[2]
SITE_VENV = Path(os.environ.get("SITE_VENV", ROOT / ".venv-site"))
SITE_PYTHON = SITE_VENV / ("Scripts" if os.name == "nt" else "bin") / "python"


def need_mkdocs() -> None:
    if not SITE_PYTHON.exists():
        missing("what builds the documentation is not installed: make site")


def build_site(into: Path) -> Path:
    """The folder with the site, built so that a warning is an error."""
    need_mkdocs()
    done = subprocess.run(
        [str(SITE_PYTHON), "-m", "mkdocs", "build", "--strict",
         "--config-file", str(ROOT / "docs_site" / "mkdocs.yml"), "--site-dir", str(into / "site")],
        cwd=into, capture_output=True, text=True, timeout=170,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return into / "site"
