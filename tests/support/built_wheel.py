"""Wheels built from the tree, and an environment that has the package from its wheel alone.

No index is asked: what the package depends on is read from the environment of the tests. There the
package itself is installed in place by a `.pth` file, which is not followed from elsewhere.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "packages" / "taishi-model"
OF_THE_PAGES = ("web", "tests/golden/openapi.json")
OF_THE_WHEEL = ("src", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE", ".gitignore")
LEFT_OUT = shutil.ignore_patterns("node_modules", "static", "schema.ts", "__pycache__")
# Imported when the interpreter starts; what it refuses, it also writes down.
LOOPBACK_ONLY = """
import os, socket
connect, look_up = socket.socket.connect, socket.getaddrinfo
def check(host):
    if not str(host or "127.").startswith(("127.", "::1", "localhost")):
        with open(os.environ["REFUSED"], "a") as file:
            file.write(f"{host}\\n")
        raise OSError(f"no network in this test: {host}")
def only_loopback(self, address):
    check(address[0] if isinstance(address, tuple) else None)
    return connect(self, address)
def local_look_up(host, *more, **named):
    check(host)
    return look_up(host, *more, **named)
socket.socket.connect, socket.getaddrinfo = only_loopback, local_look_up
"""


def copy_sources(target: Path, *names: str) -> Path:
    """Files and folders of the tree, without built pages and without packages of npm."""
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / name, target / name)
    return target


def build(root: Path, into: Path, target: str = "wheel", **environ: str) -> tuple[Path, str]:
    """The file that was built, and what the build said. Nothing is fetched for it."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)],
        cwd=root, env={**os.environ, **environ}, capture_output=True, text=True, timeout=170,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    (built,) = into.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built, said


@dataclass(frozen=True)
class Environment:
    """A virtual environment that can reach nothing but this machine."""

    folder: Path

    @property
    def scripts(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def refused(self) -> Path:
        """The hosts that something tried to reach."""
        return self.folder / "refused.txt"

    def run(self, *words: str, cwd: Path) -> str:
        done = subprocess.run(
            [str(self.scripts / words[0]), *words[1:]],
            cwd=cwd, env=self.environ(), capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def environ(self, **more: str) -> dict[str, str]:
        ours = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "TAISHI_"))}
        return {**ours, "REFUSED": str(self.refused), "LANG": "en_US.UTF-8", **more}

    @contextmanager
    def pages(self, data: Path) -> Iterator[str]:
        """The address at which `taishi ui` serves a data folder."""
        words = ("--data", str(data), "ui", "--no-open", "--port", "0", "--json")
        with subprocess.Popen(
            [str(self.scripts / "taishi"), *words],
            cwd=data.parent, env=self.environ(TAISHI__MODELS__EMBEDDING__KIND="none"),
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        ) as server:  # fmt: skip
            try:
                assert server.stdout
                yield json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")["address"]
            finally:
                server.terminate()
            assert server.wait(20) == 0


def install(folder: Path, *wheels: Path, extras: str) -> Environment:
    """A new environment with the wheels, whose extras find what they need without an index."""
    venv.create(folder, symlinks=os.name != "nt")
    places = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", places))
    (packages / "loopback_only.py").write_text(LOOPBACK_ONLY, encoding="utf-8")
    (packages / "loopback_only.pth").write_text("import loopback_only\n", encoding="utf-8")
    environment = Environment(folder)
    _pip(environment, "--no-deps", *map(str, wheels))
    lines = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "dependencies.pth").write_text("\n".join(sorted(lines)), encoding="utf-8")
    _pip(environment, f"taishi[{extras}]")
    return environment


def _pip(environment: Environment, *words: str) -> None:
    python = environment.scripts / ("python.exe" if os.name == "nt" else "python")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index"]
    done = subprocess.run(
        [*pip, "--quiet", "--no-compile", "--disable-pip-version-check", *words],
        env=environment.environ(PIP_CONFIG_FILE=os.devnull, PIP_FIND_LINKS=""),
        capture_output=True, text=True, timeout=170,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def extract_all(archive: tarfile.TarFile, folder: Path) -> None:
    """With the filter that Python has from 3.11.4 on; the archive is ours in any case."""
    archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
