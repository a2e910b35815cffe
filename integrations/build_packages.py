"""Builds the npm packages into build/npm: @taishi/client, @taishi/ai-sdk, koishi-plugin-taishi.

`npm publish build/npm/NAME.tgz` publishes one of them. Each is compiled twice, as ES modules and as
CommonJS. Those that use the client are compiled against its packed files, as a user has them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INTEGRATIONS = ROOT / "integrations"
sys.path.insert(0, str(ROOT / "web"))

import build_pages as pages  # noqa: E402

TARGET = ROOT / "build" / "npm"
MODULES = INTEGRATIONS / "node_modules"
INSTALLED_FROM = MODULES / ".lock"
BUILT_FROM = TARGET / ".sources"
CLIENT = ROOT / "web" / "client"
PACKAGES = (CLIENT, INTEGRATIONS / "ai-sdk", INTEGRATIONS / "koishi-plugin-taishi")
PACK = "pack --ignore-scripts --offline --pack-destination".split()
FORMATS = {
    "esm": ("module", ()),
    "cjs": ("commonjs", ("--module", "CommonJS", "--moduleResolution", "Node10")),
}
COMMONJS_ONLY = ("koishi-plugin-taishi",)  # Koishi's own ES modules do not start on Node.js


class UnavailableError(pages.NotBuiltError):
    """Node.js, or a package from the npm registry, cannot be had."""


@dataclass(frozen=True)
class Package:
    """A packed package: its name on npm, and the file."""

    name: str
    file: Path

    def unpack(self, modules: Path) -> None:
        """Install it into a `node_modules` folder, without what it depends on."""
        target = modules / self.name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        with tarfile.open(self.file) as archive:
            for member in archive.getmembers():
                member.name = member.name.removeprefix("package/")
                archive.extract(member, target, filter="data")


def build() -> list[Package]:
    """The packed packages, built if anything changed.

    NotBuiltError says why they cannot be; UnavailableError that it is not their fault.
    """
    packed = [_package(folder) for folder in PACKAGES]
    wanted = pages._hash_of(_sources())
    if pages._read(BUILT_FROM) == wanted and all(one.file.exists() for one in packed):
        return packed
    tools = _installed_tools()
    pages._generate_client(tools)
    TARGET.mkdir(parents=True, exist_ok=True)
    for folder, package in zip(PACKAGES, packed, strict=True):
        _compile(tools, folder)
        _run(tools, [*tools.npm, *PACK, str(TARGET)], folder)
        package.unpack(MODULES)
    BUILT_FROM.write_text(wanted, encoding="utf-8")
    return packed


def _package(folder: Path) -> Package:
    told = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    file = told["name"].removeprefix("@").replace("/", "-")
    return Package(told["name"], TARGET / f"{file}-{told['version']}.tgz")


def _installed_tools() -> pages.NodeTools:
    """Node.js, with what the packages are compiled and tested with."""
    lock = pages._hash_of([INTEGRATIONS / "package-lock.json"])
    try:
        tools = pages._installed_tools()
        if pages._read(INSTALLED_FROM) != lock:
            _run(tools, [*tools.npm, *pages.INSTALL, *pages.RETRIES], INTEGRATIONS)
            INSTALLED_FROM.write_text(lock, encoding="utf-8")
    except pages.NotBuiltError as reason:
        raise UnavailableError(str(reason)) from reason
    return tools


def _compile(tools: pages.NodeTools, folder: Path) -> None:
    tsc = next(iter(folder.parent.glob("node_modules/typescript/bin/tsc")))
    dist = folder / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    node = shutil.which("node", path=str(tools.folder)) or "node"
    for name, (kind, options) in FORMATS.items():
        if name == "esm" and folder.name in COMMONJS_ONLY:
            continue
        _run(tools, [node, str(tsc), "-p", ".", "--outDir", f"dist/{name}", *options], folder)
        (dist / name / "package.json").write_text(
            json.dumps({"type": kind}) + "\n", encoding="utf-8"
        )
    shutil.copy(ROOT / "LICENSE", dist / "LICENSE")


def _sources() -> list[Path]:
    folders = [path for folder in PACKAGES for path in folder.rglob("*") if path.is_file()]
    ours = [path for path in folders if not {"node_modules", "dist"} & set(path.parts)]
    locks = [INTEGRATIONS / "package-lock.json", ROOT / "web" / "package-lock.json"]
    top = [*locks, INTEGRATIONS / "tsconfig.json", Path(__file__), pages.OPENAPI]
    return sorted(path for path in {*ours, *top} if path != CLIENT / "src" / "schema.ts")


def _run(tools: pages.NodeTools, command: list[str], folder: Path) -> None:
    path = os.pathsep.join([str(tools.folder), os.environ.get("PATH", os.defpath)])
    environ = {**os.environ, "PATH": path, "NO_COLOR": "1", "CI": "1"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, timeout=pages.SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise pages.NotBuiltError(f"{folder.name}: {error}") from error
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise pages.NotBuiltError(f"{folder.name}:\n  " + "\n  ".join(lines[:12]))


def main() -> int:
    try:
        for package in build():
            print(package.file.relative_to(ROOT))
    except pages.NotBuiltError as reason:
        print(f"The npm packages are not built: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
