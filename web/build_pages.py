"""Builds the web pages into the server's package, if Node.js is there and anything changed.

`python web/build_pages.py` is what `make pages` and `make setup` run, and what the wheel's build
calls. Without Node.js or the npm registry it says so in one line; everything but the pages works.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "taishi" / "server" / "pages" / "static"
OPENAPI = ROOT / "tests" / "golden" / "openapi.json"
BUILT_FROM = STATIC / ".sources"
INSTALLED_FROM = WEB / "node_modules" / ".lock"
OLDEST_NODE = 20
INSTALL = "ci --ignore-scripts --prefer-offline --no-audit --no-fund --fetch-retries=1".split()
SECONDS = 600


class NotBuiltError(Exception):
    """Why there are no new pages."""


def build() -> bool:
    """Whether anything was built; NotBuiltError says why nothing could be."""
    wanted = _hash_of(_sources())
    if _read(BUILT_FROM) == wanted and (STATIC / "index.html").exists():
        return False
    npm = shutil.which("npm")
    if npm is None or _node_version() < OLDEST_NODE:
        raise NotBuiltError(f"Node.js {OLDEST_NODE} or later and npm are not there")
    lock = _hash_of([WEB / "package-lock.json"])
    if _read(INSTALLED_FROM) != lock:
        _run([npm, *INSTALL], "npm ci")
        INSTALLED_FROM.write_text(lock, encoding="utf-8")
    _run([npm, "run", "--silent", "build"], "the build")
    BUILT_FROM.write_text(wanted, encoding="utf-8")
    return True


def _sources() -> list[Path]:
    folders = (WEB / "client", WEB / "ui")
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    ours = [path for path in files if "node_modules" not in path.parts]
    generated = WEB / "client" / "src" / "schema.ts"
    top = [WEB / "package.json", WEB / "package-lock.json", OPENAPI]
    return sorted(path for path in [*ours, *top] if path != generated and path.exists())


def _hash_of(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _node_version() -> int:
    node = shutil.which("node")
    if node is None:
        return 0
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = said.strip().lstrip("v").partition(".")[0]
    return int(major) if major.isdecimal() else 0


def _run(command: list[str], what: str) -> None:
    environ = {**os.environ, "NO_COLOR": "1", "CI": "1"}
    try:
        done = subprocess.run(
            command, cwd=WEB, env=environ, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise NotBuiltError(f"{what} took longer than {SECONDS} s") from error
    if done.returncode:
        last = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()][-12:]
        raise NotBuiltError(f"{what} failed:\n  " + "\n  ".join(last))


def main() -> int:
    """With --strict, pages that cannot be built are an error."""
    try:
        if build():
            print(f"Built the web pages into {STATIC.relative_to(ROOT)}")
    except NotBuiltError as reason:
        print(f"The web pages are not built: {reason}. Everything else works.", file=sys.stderr)
        return 1 if "--strict" in sys.argv else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
