"""The npm packages as a user has them: packed, and unpacked into a project that uses them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.engines import missing
from support.scripted_model import ScriptedModel, WiseScript
from support.served_process import COMMAND, QUIET, served

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WEEK = ROOT / "tests" / "support" / "scripted_week.json"
sys.path.insert(0, str(ROOT / "integrations"))

TYPESCRIPT = re.compile(r"^```ts\n(.*?)^```", re.MULTILINE | re.DOTALL)
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def packages() -> Any:
    """The packed packages. Without Node.js or the npm registry: skipped, with CI=true a failure."""
    import build_packages

    try:
        return build_packages.build()
    except build_packages.UnavailableError as reason:
        return missing(f"the TypeScript tests were not run: {reason}")


@pytest.fixture(scope="session")
def project(packages: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with our packages from their archives; what they depend on is beside it."""
    import build_packages

    base = tmp_path_factory.mktemp("typescript")
    (base / "node_modules").symlink_to(build_packages.MODULES)
    project = base / "project"
    shutil.copytree(HERE / "src", project / "src")
    shutil.copytree(ROOT / "examples" / "typescript", project / "src" / "examples")
    shutil.copy(HERE / "tsconfig.json", project)
    write_blocks_of_pages(project / "src" / "pages")
    (project / "package.json").write_text('{"type": "module"}\n', encoding="utf-8")
    for package in packages:
        package.unpack(project / "node_modules")
    return project


def write_blocks_of_pages(folder: Path) -> None:
    """The TypeScript of each page as a module, to be compiled with the rest."""
    places = ("docs/how-to/adapters/*.md", "integrations/*/README*.md", "web/client/*.md")
    folder.mkdir()
    for page in (page for place in places for page in ROOT.glob(place)):
        blocks = TYPESCRIPT.findall(page.read_text(encoding="utf-8"))
        if not blocks:
            continue
        is_commonjs = any('"koishi"' in block or "ctx." in block for block in blocks)
        name = page.relative_to(ROOT).as_posix().replace("/", "_").removesuffix(".md")
        text = "".join([*blocks, "export {};\n"])
        if is_commonjs and "import { Context }" not in text:
            text = 'import { Context } from "koishi";\n' + text
        (folder / f"{name}.{'cts' if is_commonjs else 'ts'}").write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def node(project: Path) -> Run:
    """Runs Node.js in the project."""
    import build_packages

    tools = build_packages.pages.find_node()
    assert tools is not None
    program = shutil.which("node", path=str(tools.folder)) or "node"

    def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *words], cwd=project, env={**os.environ, **environ, "NO_COLOR": "1"},
            capture_output=True, text=True, timeout=150,
        )  # fmt: skip

    return run


@pytest.fixture(scope="session")
def compiled(project: Path, node: Run) -> Path:
    done = node("../node_modules/typescript/bin/tsc", "-p", ".")
    assert done.returncode == 0, done.stdout
    return project / "dist"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """`taishi serve` with a key and a scripted model; what tells a test of Node.js where it is."""
    folder = tmp_path_factory.mktemp("data")
    words = ["keys", "create", "tests", "--rights", "admin", "--every-workspace", "--json"]
    with (
        ScriptedModel(WiseScript(decide=keep_what_was_told)) as model,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("TAISHI_DATA", str(folder))
        patch.setenv("TAISHI__MODELS__CHAT__API_URL", model.url)
        patch.setenv("TAISHI__MODELS__CHAT__API_KEY", "k")
        patch.setenv("TAISHI__MODELS__CHAT__MODEL_NAME", "scripted")
        made = subprocess.run(
            [COMMAND, *words],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **QUIET},
        )
        with served(folder) as address:
            yield {
                "TAISHI_ADDRESS": address,
                "TAISHI_API_KEY": json.loads(made.stdout)["secret"],
                "SCRIPTED_WEEK": str(WEEK),
            }


def keep_what_was_told(data: dict[str, Any]) -> dict[str, Any]:
    """A model that keeps every statement of a person, and no questions."""
    said = [one for one in data["messages"] if one["speaker"] not in ("小史", "assistant", "bot")]
    kept = [one["text"] for one in said if not one["text"].endswith(("?", "？"))]
    return {"should_remember": bool(kept), "reason": "told", "new_info": kept}
